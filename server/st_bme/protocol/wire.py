"""What commands, results and events share on the wire."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from st_bme.ports import ChatName

NAME = "st-bme-bridge"
API_MIN = 1
API_MAX = 1

Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8}$")]
HIGHEST_FLOOR = 10_000_000
Floor = Annotated[int, Field(ge=0, le=HIGHEST_FLOOR)]
Lineage = Annotated[str, Field(pattern=r"^[a-z2-7]{4,40}$")]
Name = Annotated[str, Field(max_length=1_000)]
RoleCode = Annotated[int, Field(ge=0, le=2)]


class Wire(BaseModel):
    """Base of everything on the wire. Unknown keys are ignored, so that a newer side may say more."""

    # A model is built when it is first used: building all of them would take a fifth of the server's start.
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False, defer_build=True)


class Row(Wire):
    """One message of the chat array that counts, without its text. `role`: 0 user, 1 assistant, 2 narrator."""

    key: Key
    role: RoleCode
    name: int = Field(ge=0, description="index into `names`")
    hidden: bool = False


class MessageList(Wire):
    """The chat array as hashes: `rows[i]` is the message at floor `keep + i`, null where none counts.

    `keep` first rows of the list that the server has stay as they are; their digest must be `base`.
    The digest of a list is the running chain (see `docs/storage.md`) over one entry a row:
    "" for null, else key, role, hidden as 0 or 1 and name, joined by U+001F.
    """

    keep: int = Field(default=0, ge=0)
    base: Key = "AAAAAAAA"
    names: list[Name] = Field(default_factory=list, max_length=10_000)
    rows: list[Row | None] = Field(default_factory=list, max_length=200_000)


class Text(Wire):
    """A message with its text, as the server asked for or as it was just written."""

    floor: Floor
    key: Key
    text: str = Field(max_length=2_000_000)
    swipes: list[Key] = Field(default_factory=list, description="keys of the other swipes, last message only")


class ChatIdentity(Wire):
    """Which chat it is, in SillyTavern's words. Names are only compared and shown, never used as paths."""

    name: Name
    owner: Name = Field(default="", description="avatar file of the character, or id of the group")
    group: bool = False
    user_name: Name = ""
    character_name: Name = ""

    def to_name(self) -> ChatName:
        return ChatName(self.name, self.owner)


BadgeColor = Literal["green", "amber", "red", "grey"]
