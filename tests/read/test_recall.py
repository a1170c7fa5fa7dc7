"""From a graph and a query to the text: what must be in it, what must not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from read.stories import COUNTER, asked, folded, indexed, keys_of, recalled_names, told
from st_bme.model.operation import Operation, Target
from st_bme.model.recall import NOTHING_RECALLED, Query
from st_bme.read.options import RecallOptions
from st_bme.read.recall import recall

# Each filler differs in its words and has a place in time; enough of them to push a first event out of the core.
TOWNS = [
    f"[event they ride past mill {i} in the rain] [location Town{i} features=a_square_with_{i}_oaks]" for i in range(80)
]
CHINESE_TOWNS = [f"[event 他们第{i}天路过水车旁边] [location 第{i}镇 features=广场上有{i}棵橡树]" for i in range(80)]


def test_a_fact_of_turn_one_is_found_by_its_words_once():
    graph = told("[event Mira hid the vault password heliotrope under the floorboards]", *TOWNS)

    answer = asked(graph, "What was the password of the vault?")

    assert answer.text.count("heliotrope") == 1
    assert [item.reason for item in answer.items if "heliotrope" in item.text] == ["words"]


def test_a_fact_of_turn_one_is_found_by_its_words_in_chinese():
    graph = told("[event 米拉把金库的密码向日葵藏在地板下面]", *CHINESE_TOWNS)

    answer = asked(graph, "金库的密码是什么？", options=RecallOptions(language="zh"))

    assert answer.text.count("向日葵") == 1


def test_a_named_character_comes_with_their_state():
    graph = told("[character Gareth state=lost_an_eye]", *TOWNS)

    answer = asked(graph, "Is gareth still angry?")

    assert "lost an eye" in answer.text
    assert {item.reason for item in answer.items if "lost an eye" in item.text} == {"names"}


def test_a_place_comes_where_it_is_named_and_not_otherwise():
    graph = told("[location Blackwood state=burned_down]", *TOWNS)

    asked_of_it = asked(graph, "What became of Blackwood?")
    asked_of_others = asked(graph, "Is the rain over?")

    assert [item.reason for item in asked_of_it.items if "burned down" in item.text] == ["names"]
    assert "burned down" not in asked_of_others.text


def test_a_named_character_comes_in_chinese():
    graph = told("[character 林晚 state=失去了一只眼睛]", *CHINESE_TOWNS)

    answer = asked(graph, "我问林晚还好吗", options=RecallOptions(language="zh"))

    assert "失去了一只眼睛" in answer.text


def test_a_former_name_names_the_memory():
    graph = told("[character Gareth state=lost_an_eye]", "[update character Gareth name=Sir_Gareth_the_Blind]", *TOWNS)

    answer = asked(graph, "Whatever became of Gareth?")

    assert "lost an eye" in answer.text


def test_what_is_linked_with_a_named_memory_comes_too():
    graph = told("[character Gareth] [character Isolde goal=poison_the_king] [link Gareth Isolde related]", *TOWNS)

    answer = asked(graph, "Gareth looks up.")

    assert {item.node_id: item.reason for item in answer.items}[_id(graph, "Isolde")] == "diffusion"


def test_nothing_relevant_gives_no_recalled_part():
    graph = told(*TOWNS)

    answer = asked(graph, "What is the capital of Mongolia?")

    assert {item.section for item in answer.items} == {"core"}
    assert answer.tokens <= 1200 * 0.4 + 60


def test_without_core_nothing_relevant_is_nothing():
    graph = told("[character Gareth state=lost_an_eye]", "[location Harbour features=cranes]")

    assert asked(graph, "What is the capital of Mongolia?").text == ""


def test_an_empty_graph_recalls_nothing():
    assert asked(told("hello"), "Where is Gareth?") == NOTHING_RECALLED


@pytest.mark.parametrize("text", ["hi", "OK!", "继续", "/sys a note", "好的。"])
def test_trivial_input_recalls_nothing_of_its_own(text):
    graph = told("[character Gareth state=lost_an_eye] [event the feast ends]")

    assert asked(graph, text) == NOTHING_RECALLED


def test_after_trivial_input_the_reply_before_it_is_what_is_asked():
    graph = told("[character Gareth state=lost_an_eye]", *TOWNS)

    answer = asked(graph, "ok", previous_assistant="Gareth sits down beside you.")

    assert recalled_names(answer, graph)[0] == "Gareth"


def test_what_the_user_names_ranks_above_what_the_reply_before_named():
    graph = told("[character Gareth] [character Isolde]", *TOWNS)

    answer = asked(graph, "I wave at Isolde.", previous_assistant="Gareth sits down.")

    assert recalled_names(answer, graph)[:2] == ["Isolde", "Gareth"]


def test_the_speakers_own_memory_is_recalled():
    graph = told("[character Isolde goal=poison_the_king]", *TOWNS)

    answer = asked(graph, "What a lovely afternoon!", speaker="Isolde")

    assert {item.reason for item in answer.items if "poison" in item.text} == {"speaker"}


def test_what_the_prompt_still_holds_is_not_injected():
    graph = told("[character Gareth state=lost_an_eye]", "[character Isolde goal=poison_the_king]")

    answer = asked(graph, "Gareth and Isolde", in_context_from=1)

    assert recalled_names(answer, graph) == ["Gareth"]


def test_what_the_prompt_would_hold_were_it_not_hidden_is_injected():
    messages = ("[character Gareth state=lost_an_eye]", "[character Isolde goal=poison_the_king]")
    graph = told(*messages)

    answer = asked(graph, "Gareth and Isolde", in_context_from=0, hidden=frozenset(keys_of(*messages)[:1]))

    assert recalled_names(answer, graph) == ["Gareth"]


def test_archived_memories_stay_out():
    graph = told("[character Gareth state=lost_an_eye]", "[archive character Gareth]")

    assert asked(graph, "Where is Gareth?").text == ""


def test_an_event_that_does_not_fit_the_core_competes_in_recall():
    graph = told("[event the comet Vesna fell into the lake]", *TOWNS)

    answer = asked(graph, "Tell me about the comet.")

    item = next(item for item in answer.items if "comet" in item.text)
    assert (item.section, item.reason) == ("events", "words")


def test_rows_that_say_the_same_stand_once():
    graph = told("[event the bell rings at noon]", "x", "[event the bell rings at noon]")

    assert asked(graph, "When does the bell ring?").text.count("the bell rings at noon") == 1


def test_a_two_part_question_gets_both_answers():
    graph = told(
        "[event Mira hid the vault password heliotrope under the floorboards]",
        "[event Tobin bought a grey mare called Thistle]",
        *TOWNS,
    )

    answer = asked(graph, "What was the vault password, and which mare did Tobin buy?")

    assert "heliotrope" in answer.text
    assert "Thistle" in answer.text


def test_the_same_question_gives_the_same_answer():
    graph = told("[character Gareth state=lost_an_eye]", *TOWNS)
    index = indexed(graph)

    first, second = (recall(index, Query("Gareth at Town7?"), RecallOptions(), COUNTER) for _ in range(2))

    assert replace(first, timings_ms={}) == replace(second, timings_ms={})


def test_a_pinned_memory_is_core_even_while_the_prompt_holds_its_message():
    graph = folded(
        Operation("create", 0, "character", {"name": "Gareth", "state": "lost an eye"}, ref="g"),
        Operation("pin", 0, target=Target(ref="g")),
    )
    assert next(iter(graph.nodes.values())).pinned

    answer = asked(graph, "What a lovely afternoon!", in_context_from=0)

    assert [(item.section, item.reason) for item in answer.items] == [("core", "pinned")]


def test_timings_and_sections_are_told():
    answer = asked(told("[character Gareth] [event the feast ends]"), "Where is Gareth?")

    assert set(answer.timings_ms) == {"candidates", "select", "passages", "inject"}
    assert set(answer.sections) == {"core", "recalled"}
    assert sum(answer.sections.values()) < answer.tokens


_WORDS = st.text(alphabet="abc 林晚钟楼{}|<>[]\\\n*#:/memoryINST", max_size=60)


@settings(max_examples=60, deadline=None)
@given(
    names=st.lists(st.text(alphabet="abcd林晚钟楼", min_size=2, max_size=6), min_size=1, max_size=12),
    said=st.lists(_WORDS, min_size=1, max_size=12),
    budget=st.integers(0, 400),
    data=st.data(),
)
def test_the_text_never_exceeds_the_budget(names, said, budget, data):
    operations = [Operation("create", 0, "character", {"name": name, "state": said[0]}) for name in names]
    operations += [Operation("create", 0, "event", {"summary": text}) for text in said if text.strip()]
    language = data.draw(st.sampled_from(["en", "zh"]))
    graph = folded(*operations)

    answer = asked(graph, " ".join(names), budget_tokens=budget, options=RecallOptions(language=language))

    assert COUNTER.count(answer.text) == answer.tokens <= budget
    assert (answer.text == "") == (not answer.items)


def _id(graph, name):
    return next(node.id for node in graph.nodes.values() if node.name == name)
