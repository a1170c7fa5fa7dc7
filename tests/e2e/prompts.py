"""The prompts of role-play replies among all that reached the endpoint."""

import re
from dataclasses import dataclass

from st_bme.adapters.scripted_endpoint import RecordedRequest, ScriptedEndpoint

from .sillytavern import PROMPT_MARK

_MEMORY = re.compile(r"<memory>.*?</memory>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model would have read for one reply."""

    request: RecordedRequest

    @property
    def text(self) -> str:
        return self.request.prompt

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Role and text; a text completion is one user message."""
        return self.request.messages

    @property
    def memory(self) -> str:
        """The block of memories, "" for none."""
        blocks = _MEMORY.findall(self.text)
        assert len(blocks) <= 1, f"{len(blocks)} blocks of memories in one prompt"
        return blocks[0] if blocks else ""

    @property
    def story(self) -> str:
        """All but the memories: instructions, card and those messages that the context still holds."""
        return self.before_memory + self.after_memory

    @property
    def before_memory(self) -> str:
        """All of the text where there are no memories."""
        return _MEMORY.split(self.text)[0]

    @property
    def after_memory(self) -> str:
        return "".join(_MEMORY.split(self.text)[1:])

    def count(self, words: str) -> int:
        return self.text.count(words)


def reply_prompts(endpoint: ScriptedEndpoint) -> list[Prompt]:
    """Oldest first; calls for the list of models, for extraction and the like are left out."""
    completions = (request for request in endpoint.requests if request.kind in ("chat", "text"))
    return [Prompt(request) for request in completions if PROMPT_MARK in request.prompt]
