"""Settings of what keeps memories back and of how they are scored."""

from __future__ import annotations

from st_bme.settings.spec import Setting, Words

SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="enableVisibility",
        group="recall",
        kind="bool",
        default=False,
        advanced=True,
        label=Words("Obey visibility", "遵守可见范围"),
        help=Words(
            "A memory whose field `visibility` names characters is recalled for these alone; `*` is everyone.",
            "若记忆的 `visibility` 字段列出了角色，则只为这些角色召回；`*` 表示所有人。",
        ),
    ),
)
