"""The settings: the schema as data, and values checked against it."""

from st_bme.settings.schema import GROUPS, SETTINGS, Choice, Group, Setting, Words
from st_bme.settings.values import DEFAULTS, Accepted, Values, accept, validate

__all__ = [
    "DEFAULTS",
    "GROUPS",
    "SETTINGS",
    "Accepted",
    "Choice",
    "Group",
    "Setting",
    "Values",
    "Words",
    "accept",
    "validate",
]
