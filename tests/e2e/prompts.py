"""The prompts of role-play replies among all that reached the endpoint."""

from dataclasses import dataclass

from st_bme.adapters.scripted_endpoint import RecordedRequest, ScriptedEndpoint

from .sillytavern import PROMPT_MARK


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

    def count(self, words: str) -> int:
        return self.text.count(words)


def reply_prompts(endpoint: ScriptedEndpoint) -> list[Prompt]:
    """Oldest first; calls for the list of models, for extraction and the like are left out."""
    completions = (request for request in endpoint.requests if request.kind in ("chat", "text"))
    return [Prompt(request) for request in completions if PROMPT_MARK in request.prompt]
