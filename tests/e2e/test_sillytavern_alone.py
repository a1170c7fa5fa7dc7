"""The harness itself: SillyTavern without the extension, so that later failures point at the right place."""

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint, ScriptedReply

from .chat_page import OpenPage, wait_until
from .marks import E2E
from .prompts import reply_prompts
from .sillytavern import Api, Setup

pytestmark = E2E


async def test_a_sent_message_gets_its_reply_and_both_are_on_disk(
    api: Api, open_page: OpenPage, endpoint: ScriptedEndpoint
) -> None:
    endpoint.enqueue("The tide is low tonight.")
    page = await open_page(Setup(api, with_extension=False))
    await page.select_character(await page.create_character("Mira", first_message="You are late."))

    await page.send("Sorry, the ferry broke down.")

    said = ["You are late.", "Sorry, the ferry broke down.", "The tide is low tonight."]
    assert await page.spoken() == said
    assert (await page.read_chat_file()).spoken == said
    (prompt,) = reply_prompts(endpoint)
    assert prompt.count("You are late.") == 1
    assert prompt.count("Sorry, the ferry broke down.") == 1


async def test_the_oldest_messages_leave_a_small_context(
    api: Api, open_page: OpenPage, endpoint: ScriptedEndpoint
) -> None:
    filler = "The rain went on and the two of them waited under the awning without a word. " * 12
    page = await open_page(Setup(api, with_extension=False, context_tokens=700, reply_tokens=100))
    await page.select_character(await page.create_character("Mira"))

    for text in ("My sister keeps bees.", filler, filler, filler, "And now?"):
        await page.send(text)

    prompts = reply_prompts(endpoint)
    assert prompts[0].count("My sister keeps bees.") == 1
    assert prompts[-1].count("My sister keeps bees.") == 0
    assert prompts[-1].count("And now?") == 1


async def test_swipes_regeneration_edits_and_deletions_reach_the_chat_file(
    api: Api, open_page: OpenPage, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(Setup(api, with_extension=False))
    await page.select_character(await page.create_character("Mira", first_message="Yes?"))
    endpoint.enqueue("First try.", "Second try.", "Third try.")

    await page.send("Guess my name.")
    await page.swipe_for_new_reply()
    assert (await page.spoken())[-1] == "Second try."
    await page.swipe_back()
    assert (await page.spoken())[-1] == "First try."
    await page.regenerate()
    assert (await page.spoken())[-1] == "Third try."
    await page.edit_message(1, "Guess my age.")
    await page.hide_message(0)
    await page.wait_for_chat_file(lambda chat: chat.messages[0]["is_system"] is True, "the hidden message on disk")
    await page.unhide_message(0)
    await page.delete_message(2)

    said = ["Yes?", "Guess my age."]
    saved = await page.wait_for_chat_file(lambda chat: chat.spoken == said, "the edited and shortened chat on disk")
    assert saved.messages[0]["is_system"] is False


async def test_streamed_replies_arrive_whole_or_up_to_stop(
    api: Api, open_page: OpenPage, endpoint: ScriptedEndpoint
) -> None:
    endpoint.enqueue("One by one the lamps go out along the quay.", ScriptedReply("word " * 2000, token_delay_s=0.05))
    page = await open_page(Setup(api, with_extension=False, is_streaming=True))
    await page.select_character(await page.create_character("Mira"))

    await page.send("Look outside.")
    assert (await page.spoken())[-1] == "One by one the lamps go out along the quay."
    await page.start_sending("Talk to me.")
    await wait_until(page.is_replying, "the beginning of the reply", timeout_s=50)
    await page.stop()
    await page.wait_idle()

    assert 0 < (await page.spoken())[-1].split().count("word") < 2000


async def test_an_error_of_the_endpoint_leaves_the_message_without_a_reply(
    open_page: OpenPage, endpoint: ScriptedEndpoint
) -> None:
    endpoint.enqueue(ScriptedReply("out of order", status=500))
    page = await open_page(Setup(Api.CHAT_COMPLETION, with_extension=False))
    await page.select_character(await page.create_character("Mira", first_message="Yes?"))

    await page.send("Hello?")

    assert await page.spoken() == ["Yes?", "Hello?"]


async def test_chats_branches_and_a_reload_keep_their_own_messages(
    open_page: OpenPage, endpoint: ScriptedEndpoint
) -> None:
    endpoint.enqueue("In the old chat.", "In the new chat.", "In the branch.")
    page = await open_page(Setup(Api.CHAT_COMPLETION, with_extension=False))
    avatar = await page.create_character("Mira", first_message="Yes?")
    await page.select_character(avatar)
    await page.send("One.")
    first = await page.chat_id()

    await page.new_chat()
    await page.send("Two.")
    assert await page.spoken() == ["Yes?", "Two.", "In the new chat."]
    await page.open_chat(first)
    assert await page.spoken() == ["Yes?", "One.", "In the old chat."]
    await page.branch(1)
    assert await page.chat_id() != first
    await page.regenerate()
    assert await page.spoken() == ["Yes?", "One.", "In the branch."]
    branch = await page.chat_id()

    await page.reload()
    await page.select_character(avatar)
    assert await page.chat_id() == branch
    assert await page.spoken() == ["Yes?", "One.", "In the branch."]


async def test_group_members_answer_in_turn(open_page: OpenPage, endpoint: ScriptedEndpoint) -> None:
    endpoint.enqueue("Mira speaks.", "Oren speaks.")
    page = await open_page(Setup(Api.CHAT_COMPLETION, with_extension=False))
    avatars = [await page.create_character(name, first_message="") for name in ("Mira", "Oren")]
    await page.create_group("Harbour", avatars)

    await page.send_to_group("Who is there?")

    assert (await page.spoken())[-3:] == ["Who is there?", "Mira speaks.", "Oren speaks."]
    assert (await page.read_chat_file()).spoken[-1] == "Oren speaks."
