"""The copy that a page sends: read beside everything else, and kept whatever it is (docs/storage.md, rule 44)."""

import threading

import pytest

from session.desk import Page, serving
from st_bme.session import opening


@pytest.mark.parametrize("depth", [10, 254, 300, 900, 5_000])
@pytest.mark.parametrize("version", [9, 10])
async def test_a_copy_of_any_depth_is_kept_letter_by_letter_and_the_chat_goes_on(tmp_path, version, depth):
    """How deep a copy is nested decides whether it can be read, never whether it is kept."""
    text = '{"version":%d,"nodes":[],"lineage":"abcdefgh","deep":%s1%s}' % (version, '{"a":' * depth, "}" * depth)  # noqa: UP031 - braces all over
    async with serving(tmp_path) as desk:
        page = Page(desk, file={"version": version, "lineage": "abcdefgh"})
        page.file_text = text
        page.chat.send("hello", "[character Bob]")
        await page.attach()
        await page.settled()

        kept = desk.store._connection.execute("SELECT body FROM set_aside").fetchall()
        assert kept == [(text.encode(),)]
        assert page.names() == {"Bob"}


async def test_a_copy_with_half_a_character_is_kept_letter_by_letter_and_the_chat_goes_on(tmp_path):
    text = r'{"version":10,"lineage":"abcdefgh","nodes":[],"note":"half \ud83d"}'
    async with serving(tmp_path) as desk:
        page = Page(desk, file={"version": 10, "lineage": "abcdefgh"})
        page.file_text = text
        page.chat.send("hello", "[character Bob]")
        await page.attach()
        await page.settled()

        assert [notice.code for notice in page.notices] == ["copy_set_aside"]
        assert desk.store._connection.execute("SELECT body FROM set_aside").fetchall() == [(text.encode(),)]
        assert page.names() == {"Bob"}


async def test_a_copy_is_read_and_united_beside_the_event_loop(tmp_path, monkeypatch):
    """A large one takes longer than the other chats may wait."""
    threads = {}

    def noted(name, work):
        def run(*given):
            threads[name] = threading.current_thread()
            return work(*given)

        return run

    for name in ("decode_text", "_news_of", "_union", "_fresh", "ChatSession"):
        monkeypatch.setattr(opening, name, noted(name, getattr(opening, name)))
    async with serving(tmp_path / "first") as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "[character Bob]")
    async with serving(tmp_path / "second") as desk:
        again = Page(desk, page.chat, file=page.file)
        await again.attach()

        assert again.names() == {"Bob"}
        assert len(threads) == 5
        assert threading.current_thread() not in threads.values()
