"""Names found in a text: whole, folded, the longest one, each memory once."""

from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.names import NameIndex
from st_bme.scoring.terms import tokens

names = st.lists(st.text("ab 林晚", min_size=1, max_size=5), max_size=6)
messages = st.text("ab 林晚", max_size=14)


def index_of(*entries: tuple[str, str]) -> NameIndex:
    index = NameIndex()
    for name, id in entries:
        index.add(name, id)
    return index


def found_in(index: NameIndex, text: str) -> list[str]:
    return [match.id for match in index.find(text)]


def tried_everywhere(named: list[str], message: str) -> set[str]:
    """Ids of names that stand somewhere in the message and not only inside longer ones, by trying every place."""
    text = [token for token, _ in tokens(message)]
    places = []
    for id, name in enumerate(named):
        key = [token for token, _ in tokens(name)]
        if len("".join(key)) >= 2:
            places += [(i, i + len(key), str(id)) for i in range(len(text)) if text[i : i + len(key)] == key]
    return {id for a, b, id in places if not any(c <= a and b <= d and d - c > b - a for c, d, _ in places)}


@given(names, messages)
def test_probing_finds_what_trying_every_name_finds(named, message):
    index = index_of(*((name, str(id)) for id, name in enumerate(named)))

    assert set(found_in(index, message)) == tried_everywhere(named, message)


@given(names, messages)
def test_a_removed_memory_leaves_no_trace(named, message):
    with_more = index_of(*((name, str(id)) for id, name in enumerate(named)), ("ab", "x"), ("林晚 a", "x"))
    with_more.remove("x")

    assert found_in(with_more, message) == found_in(
        index_of(*((name, str(i)) for i, name in enumerate(named))), message
    )


def test_case_width_and_punctuation_do_not_matter():
    index = index_of(("The Harbor Fire", "e1"), ("艾琳·雷恩", "c1"))

    assert found_in(index, "the ＨＡＲＢＯＲ fire… 艾琳雷恩") == ["e1", "c1"]


def test_the_longer_name_hides_the_one_inside_it():
    index = index_of(("钟楼", "l1"), ("钟楼暗门", "e1"))

    assert found_in(index, "钟楼暗门") == ["e1"]
    assert found_in(index, "钟楼暗门在钟楼") == ["e1", "l1"]


def test_a_name_at_the_end_of_the_text_is_hidden_too():
    index = index_of(("晚林", "c1"), ("晚晚林", "c2"))

    assert found_in(index, "晚晚林") == ["c2"]


def test_a_spaced_name_matches_whole_words_only():
    index = index_of(("Ann", "c1"))

    assert found_in(index, "the annual feast") == []
    assert found_in(index, "Ann's feast") == ["c1"]


def test_every_memory_of_a_shared_name_is_found():
    assert found_in(index_of(("Mill", "l1"), ("mill", "e1")), "the mill") == ["l1", "e1"]


def test_a_memory_is_found_once_by_its_first_mention():
    index = index_of(("Gareth", "c1"), ("The Grey Knight", "c1"))

    [match] = index.find("the grey knight, Gareth")

    assert (match.id, match.name, match.start) == ("c1", "The Grey Knight", 0)


def test_a_one_letter_name_is_never_found():
    assert found_in(index_of(("L", "c1"), ("凛", "c2")), "L 凛") == []
