"""A chat to begin with: three turns, in which both tell something that is remembered."""

from dataclasses import dataclass
from typing import Any

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .bridge import Bridge
from .chat_page import ChatPage, OpenPage
from .memory import remembering
from .sillytavern import Api
from .truth import assert_true_to_the_chat

REPLIES = (
    "Queen Ilsabet of Varn gave me a ruby ring.",
    "A pedlar called Dorrin sold me a brass lantern in Quellport.",
    "My cousin Ludmila tames wolves in Karelia.",
    "Captain Orsolya burned her ship in the harbour of Tamm.",
    "Old Benedek hid a silver key under the mill.",
)
SENT = ("My sister Yelena keeps bees in Ostrava.", "My uncle Bertil builds violins in Cremona.", "Hm.")


@dataclass(frozen=True, slots=True)
class ToldChat:
    """A page with the chat open, and the graph that is remembered of it."""

    page: ChatPage
    avatar: str
    name: str
    graph: dict[str, Any]


async def told_chat(open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint) -> ToldChat:
    """The chat, told and read. Two replies are still lined up."""
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    avatar = await page.create_character("Mira")
    await page.select_character(avatar)
    endpoint.enqueue(*REPLIES)
    for text in SENT:
        await page.send(text)
    graph = await assert_true_to_the_chat(page)
    assert graph["nodes"]
    return ToldChat(page, avatar, await page.chat_id(), graph)
