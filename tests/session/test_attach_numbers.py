"""Copies whose numbers are out of all proportion: set aside like other damaged ones, and the chat goes on."""

import pytest

from session.desk import Page, serving

NO_ROOM = 2**63 - 1  # the store's highest number, so that none is left for what comes next


async def told(desk):
    page = Page(desk)
    await page.attach()
    await page.turn("hello", "[character Bob]")
    return page


def last_record(file, **said):
    *others, last = file["tail"]
    return file | {"tail": [*others, last | said]}


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: last_record(file, n=NO_ROOM),
        lambda file: last_record(file, n=-(2**63)),
        lambda file: last_record(file, related=1e308),
        lambda file: file | {"rev": NO_ROOM},
        lambda file: file | {"edges": {"related 1e308": ["aaaa bbbb"]}},
        lambda file: file | {"nodes": [file["nodes"][0] | {"importance": -1e308}]},
    ],
    ids=["highest n", "lowest n", "relation of an answer", "revision", "edge", "importance"],
)
async def test_the_copy_is_set_aside_and_the_chat_goes_on_recording(tmp_path, damage):
    async with serving(tmp_path / "first") as desk:
        page = await told(desk)
    async with serving(tmp_path / "second") as desk:
        again = Page(desk, page.chat, file=damage(page.file))
        await again.attach()
        await again.turn("hello Eve", "[character Eve]")

        assert [notice.code for notice in again.notices] == ["copy_set_aside"]
        assert again.names() == {"Bob", "Eve"}
