"""Values of settings, checked once; inside, a key has a value of its kind and within its range."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from st_bme.errors import BadRequest
from st_bme.settings.node_types import types_fault
from st_bme.settings.schema import SETTINGS, Setting
from st_bme.settings.template import template_fault

Value = bool | int | float | str

LONGEST_TEXT = 10_000
LONGEST_LINES = 40_000

_BY_KEY: Mapping[str, Setting] = {setting.key: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Values:
    """The values in force: those that were changed, over the defaults."""

    changed: Mapping[str, Value] = field(default_factory=dict)

    def bool(self, key: str) -> bool:
        value = self._value(key)
        assert isinstance(value, bool)
        return value

    def int(self, key: str) -> int:
        value = self._value(key)
        assert isinstance(value, int)
        return value

    def float(self, key: str) -> float:
        value = self._value(key)
        assert isinstance(value, (int, float))
        return float(value)

    def text(self, key: str) -> str:
        """The value of a setting of kind `text`, `lines` or `choice`."""
        value = self._value(key)
        assert isinstance(value, str)
        return value

    def with_changes(self, values: Mapping[str, object]) -> Values:
        """These values with others set; None goes back to the default.

        Raises: BadRequest: see `validate`.
        """
        return validate({**self.changed, **values})

    def _value(self, key: str) -> Value:
        return self.changed[key] if key in self.changed else _BY_KEY[key].default


@dataclass(frozen=True, slots=True)
class Accepted:
    """What could be taken over, and a sentence for each value that could not."""

    values: Values
    refused: tuple[str, ...]


DEFAULTS = Values()


def validate(values: Mapping[str, object]) -> Values:
    """The values, when each key is known and each value allowed; None stands for the default.

    Raises: BadRequest: naming the first key that is not, and what it may be.
    """
    accepted = accept(values)
    if accepted.refused:
        raise BadRequest(accepted.refused[0])
    return accepted.values


def accept(values: Mapping[str, object]) -> Accepted:
    """The values that are allowed; the others keep their defaults. For values that another version has stored."""
    changed: dict[str, Value] = {}
    refused: list[str] = []
    for key, value in values.items():
        setting = _BY_KEY.get(key)
        if setting is None:
            refused.append(f"unknown setting {key[:80]!r}; settings/get lists those that there are")
            continue
        if value is None:
            continue
        checked = _checked(setting, value)
        if checked is None:
            fault = _fault(setting, value) if isinstance(value, str) else ""
            refused.append(f"setting {key} must be {_allowed(setting)}{fault and f'; {fault}'}")
        elif checked != setting.default:
            changed[key] = checked
    return Accepted(Values(changed), tuple(refused))


def _checked(setting: Setting, value: object) -> Value | None:
    """The value in its kind; None when it is not allowed."""
    match setting.kind, value:
        case "bool", bool():
            return value
        case ("text" | "lines" | "secret" | "choice"), str() if _is_text(setting, value):
            return value
        case "int", (int() | float()) if _is_number(value) and value == int(value):
            return _within(setting, int(value))
        case "float", (int() | float()) if _is_number(value):
            return _within(setting, float(value))
    return None


def _is_text(setting: Setting, value: str) -> bool:
    match setting.kind:
        case "choice":
            return _is_choice(setting, value)
        case "lines":
            return len(value) <= LONGEST_LINES and not _fault(setting, value)
        case "text":
            return len(value) <= LONGEST_TEXT
    return value == ""


def _fault(setting: Setting, value: str) -> str:
    """What is wrong with a text that something is read from, "" if nothing is."""
    return types_fault(value) if setting.has_types else template_fault(value, setting.placeholders)


def _is_choice(setting: Setting, value: str) -> bool:
    """One of the choices, or what only the page can know to be one."""
    offered = any(value == choice.value for choice in setting.choices)
    return offered or (setting.choices_from != "" and len(value) <= LONGEST_TEXT)


def _is_number(value: float) -> bool:
    return not isinstance(value, bool) and math.isfinite(value)


def _within(setting: Setting, number: float) -> int | float | None:
    assert setting.minimum is not None
    assert setting.maximum is not None
    return number if setting.minimum <= number <= setting.maximum else None


def _allowed(setting: Setting) -> str:
    match setting.kind:
        case "bool":
            return "true or false"
        case "choice":
            return "one of " + ", ".join(choice.value for choice in setting.choices)
        case "secret":
            return "set by settings/set, where the server keeps it; it is no value of the page"
        case "text" | "lines":
            return f"a text of up to {LONGEST_TEXT if setting.kind == 'text' else LONGEST_LINES} characters"
        case "int":
            return f"a whole number from {setting.minimum:g} to {setting.maximum:g}"
        case "float":
            return f"a number from {setting.minimum:g} to {setting.maximum:g}"
