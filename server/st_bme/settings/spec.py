"""What a setting is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["bool", "int", "float", "text", "lines", "choice", "secret"]
DynamicChoices = Literal["", "profiles"]


@dataclass(frozen=True, slots=True)
class Words:
    """A text in each language of the panel."""

    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a closed set."""

    value: str
    label: Words


@dataclass(frozen=True, slots=True)
class Group:
    """A heading of the panel."""

    id: str
    label: Words


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting. Numbers have a range; a choice has choices, or `choices_from` names what the page offers.

    `lines` is a text of several lines. With `placeholders` it is a template that names only these, as `$name`. With
    `has_types` it defines node types.

    A secret is kept by the server alone: it is set like any other value, and only its last characters are shown.
    `show_if` is (key, value): the panel shows the setting only while that other one has that value.
    """

    key: str
    group: str
    kind: Kind
    default: bool | int | float | str
    label: Words
    help: Words
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Choice, ...] = ()
    choices_from: DynamicChoices = ""
    show_if: tuple[str, str] | None = None
    advanced: bool = False
    placeholders: tuple[str, ...] = ()
    has_types: bool = False
