"""A chat to begin with: three turns, in which both tell something that is remembered."""

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


async def told_chat(open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint) -> tuple[ChatPage, str]:
    """A page with the chat open, and the avatar of its character. Two replies are still lined up."""
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    avatar = await page.create_character("Mira")
    await page.select_character(avatar)
    endpoint.enqueue(*REPLIES)
    for text in SENT:
        await page.send(text)
    graph = await assert_true_to_the_chat(page)
    assert graph["nodes"]
    return page, avatar
