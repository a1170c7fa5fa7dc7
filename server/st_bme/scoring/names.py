"""Which named memories a text speaks of: names and aliases found by probing a dictionary."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from st_bme.scoring.terms import tokens

MIN_NAME_LENGTH = 2  # a one-letter name would be found in every second sentence
_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A memory whose name stands in the text."""

    id: str
    name: str  # as it was added, not as the text writes it
    start: int  # offset in the folded text


class NameIndex:
    """Names and aliases of memories, found in a text at a cost that does not grow with their number.

    Case, width and punctuation are ignored. A spaced script matches whole words only ("Ann" is not in "annual");
    an unspaced one matches anywhere. Where one name lies inside a longer one, only the longer counts.
    """

    def __init__(self) -> None:
        self._names: dict[_Key, dict[str, str]] = {}  # key → id → name as written
        self._keys_of: dict[str, set[_Key]] = {}
        self._lengths: dict[str, Counter[int]] = {}  # first token → lengths of the keys that begin with it

    def add(self, name: str, id: str) -> None:
        """Let a memory be found by a name; one shorter than two letters is passed over."""
        key = tuple(token for token, _ in tokens(name))
        if sum(map(len, key)) < MIN_NAME_LENGTH:
            return
        if key not in self._names:
            self._names[key] = {}
            self._lengths.setdefault(key[0], Counter())[len(key)] += 1
        self._names[key].setdefault(id, name)
        self._keys_of.setdefault(id, set()).add(key)

    def remove(self, id: str) -> None:
        """Forget every name of a memory; one that has none is passed over."""
        for key in self._keys_of.pop(id, ()):
            del self._names[key][id]
            if self._names[key]:
                continue
            del self._names[key]
            lengths = self._lengths[key[0]]
            lengths[len(key)] -= 1
            if not lengths[len(key)]:
                del lengths[len(key)]
            if not lengths:
                del self._lengths[key[0]]

    def find(self, text: str) -> list[NameMatch]:
        """Memories named in the text, each once, by first mention, then by when the name was added."""
        found: dict[str, NameMatch] = {}
        for key, start in self._longest(text):
            for id, name in self._names[key].items():
                found.setdefault(id, NameMatch(id, name, start))
        return list(found.values())

    def _longest(self, text: str) -> Iterator[tuple[_Key, int]]:
        words = tokens(text)
        plain = tuple(word for word, _ in words)
        covered = 0  # token up to which a name already reaches: one that ends there or before lies inside it
        for i, (word, start) in enumerate(words):
            if word not in self._lengths:
                continue
            for length in sorted(self._lengths[word], reverse=True):
                key = plain[i : i + length]
                if key in self._names:
                    end = i + len(key)  # at the end of the text the key may be shorter than asked
                    if end > covered:
                        covered = end
                        yield key, start
                    break
