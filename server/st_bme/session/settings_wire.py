"""The settings as the page draws them."""

from __future__ import annotations

from collections.abc import Mapping

from st_bme.protocol.results import Choice, SettingGroup, Settings, SettingSpec
from st_bme.settings import GROUPS, SETTINGS, Setting, Values, Words


def settings_result(values: Values, secrets: Mapping[str, str], *, is_told: bool = True) -> Settings:
    """Schema and values on the wire."""
    return Settings(
        groups=[SettingGroup(id=group.id, label=_words(group.label)) for group in GROUPS],
        settings=[_spec(setting) for setting in SETTINGS],
        values=dict(values.changed),
        secrets=dict(secrets),
        told=is_told,
    )


def _words(words: Words) -> dict[str, str]:
    return {"en": words.en, "zh": words.zh}


def _spec(setting: Setting) -> SettingSpec:
    return SettingSpec(
        key=setting.key,
        group=setting.group,
        kind=setting.kind,
        default=setting.default,
        label=_words(setting.label),
        help=_words(setting.help),
        unit=setting.unit,
        minimum=setting.minimum,
        maximum=setting.maximum,
        choices_from=setting.choices_from,
        show_if=setting.show_if,
        choices=[Choice(value=choice.value, label=_words(choice.label)) for choice in setting.choices],
        advanced=setting.advanced,
    )
