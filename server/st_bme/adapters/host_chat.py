"""A chat model that answers through the SillyTavern page: every provider it knows, no key on our side."""

from __future__ import annotations

from dataclasses import replace

from st_bme.ports import ChatPrompt, ChatReply
from st_bme.session.host_link import HostLink


class HostChatModel:
    """The connection of SillyTavern: the one in use, or that of a connection profile."""

    name = "relay"

    def __init__(self, link: HostLink, *, profile: str) -> None:
        self._link = link
        self._profile = profile

    async def complete(self, prompt: ChatPrompt, *, timeout_s: float) -> ChatReply:
        reply = await self._link.ask(prompt, profile=self._profile, timeout_s=timeout_s)
        return replace(reply, model=reply.model or self.name)
