"""Names and sentences of generated stories: as long and as varied as those of real role-play chats."""

# ruff: noqa: SIM905 - a hundred words are read best as one text

from __future__ import annotations

import math
import random

_ONSETS = "b br c d dr f g h k l m n p r s sel st t th v w".split()
_NUCLEI = "a ae e ei i ia o ou u y".split()
_CODAS = ("", *"l n nd r rn s sk th x".split())
_PLACES = "Harbor Mill Tower Market Abbey Ford Cellar Bridge Orchard Gate Archive Inn".split()
_DEEDS = (
    "hides; trades; studies; burns; carries off; repairs; demands; finds; loses; steals back; guards; buries; "
    "promises; refuses; poisons; bargains for; dreams of; unlocks; breaks; inherits"
).split("; ")
_QUALITIES = (
    "cracked silver forged sealed bloodstained borrowed singing unlit drowned ninth nameless salt-white stolen "
    "half-finished forbidden heavy painted rusted warm second"
).split()
_THINGS = (
    "lantern ledger key letter blade bell map ring mask compass barrel crown mirror lute seal rope coin book "
    "flask cloak ferry anchor hourglass vow debt door"
).split()
_WAYS = (
    "before the tide turns; while the others sleep; against all advice; with shaking hands; for the last time; "
    "without a word to anyone; as the bells begin; under a borrowed name; in front of the whole crowd; after a "
    "long silence; although it costs them dearly; and tells nobody why; as if nothing had happened"
).split("; ")
_STATES = (
    "wounded at the shoulder; in hiding; deep in debt; sworn to silence; grieving; newly promoted; feverish; on "
    "the run; at peace; suspicious of everyone; bound by an oath; drunk with success; missing; disguised"
).split("; ")
_TRAITS = (
    "patient; vain; quick to laugh; stubborn; soft-spoken; greedy; loyal to a fault; superstitious; sharp-eyed; "
    "easily bored; generous with advice; afraid of deep water; precise; fond of riddles"
).split("; ")


class Prose:
    """Makes up names and sentences by a seeded random number generator."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice

    def name(self) -> str:
        syllables = [self._dice.choice(_ONSETS) + self._dice.choice(_NUCLEI) for _ in range(self._dice.randint(2, 3))]
        return ("".join(syllables) + self._dice.choice(_CODAS)).capitalize()

    def place(self) -> str:
        return f"{self.name()} {self._dice.choice(_PLACES)}"

    def thing(self) -> str:
        return f"the {self._dice.choice(_QUALITIES)} {self._dice.choice(_THINGS)}"

    def state(self) -> str:
        return f"{self._dice.choice(_STATES)}, with {self.thing()}"

    def traits(self) -> str:
        return ", ".join(self._dice.sample(_TRAITS, 3))

    def clause(self, who: str) -> str:
        return f"{who} {self._dice.choice(_DEEDS)} {self.thing()}"

    def sentence(self, who: str) -> str:
        return f"{self.clause(who)} {self._dice.choice(_WAYS)}."

    def text(self, people: list[str], median: int) -> str:
        """A message of log-normal length about these people, some of it spoken."""
        wanted = median * math.exp(0.6 * self._dice.gauss(0, 1))
        parts: list[str] = []
        while sum(map(len, parts)) < wanted:
            sentence = self.sentence(self._dice.choice(people))
            parts.append(f'"{sentence}"' if self._dice.random() < 0.3 else sentence)
        return " ".join(parts)
