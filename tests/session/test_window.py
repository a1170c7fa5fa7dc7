"""What is read along with a run."""

from session.desk import Page, serving


async def test_the_window_begins_two_turns_before(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        for word in ("Bob", "Cleo", "Dan", "Eve"):
            await page.turn(f"hello {word}", f"[character {word}]")

        last = desk.extractor.requests[-1]
        assert [message.floor for message in last.context] == [2, 3, 4, 5]
        assert [message.floor for message in last.run] == [6, 7]
