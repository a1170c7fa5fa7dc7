"""BM25 against its formula, and an index that changes against one built afresh."""

from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.lexical import LexicalIndex

words = st.lists(st.sampled_from("abcdef"), max_size=8)
changes = st.lists(st.tuples(st.sampled_from(["add", "remove"]), st.sampled_from("12345"), words), max_size=25)


def index_of(documents: dict[str, list[str]]) -> LexicalIndex:
    index = LexicalIndex()
    for doc_id, terms in documents.items():
        index.add(doc_id, terms)
    return index


def scores_by_id(index: LexicalIndex, query: list[str]) -> dict[str, float]:
    return dict(zip(index.ids, index.scores([query], [[]])[0].tolist(), strict=True))


def bm25(documents: dict[str, list[str]], query: list[str]) -> dict[str, float]:
    mean = sum(map(len, documents.values())) / len(documents)
    scores = dict.fromkeys(documents, 0.0)
    for word in query:
        holders = sum(word in terms for terms in documents.values())
        idf = log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
        for doc_id, terms in documents.items():
            count = Counter(terms)[word]
            if count:
                scores[doc_id] += idf * idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(terms) / mean))
    return scores


@given(st.dictionaries(st.text("xyz", min_size=1), words, min_size=1, max_size=8), words)
def test_scores_are_bm25_with_the_query_weighted_by_idf(documents, query):
    assert scores_by_id(index_of(documents), query) == pytest.approx(bm25(documents, query), rel=1e-5, abs=1e-6)


@given(changes, words)
def test_a_changed_index_scores_as_a_fresh_one(steps, query):
    index = LexicalIndex()
    documents: dict[str, list[str]] = {}
    for action, doc_id, terms in steps:
        if action == "add":
            index.add(doc_id, terms)
            documents[doc_id] = terms
        elif doc_id in documents:
            index.remove(doc_id)
            del documents[doc_id]

    assert scores_by_id(index, query) == pytest.approx(scores_by_id(index_of(documents), query), rel=1e-6)
    assert len(index) == len(documents)


def test_the_rarer_word_weighs_more():
    index = index_of({"1": ["door", "tower"], "2": ["door", "harbor"], "3": ["door", "forest"]})

    scores = scores_by_id(index, ["tower", "door"])

    assert scores["1"] > scores["2"] == scores["3"] > 0


def test_adding_the_same_id_replaces_the_document():
    index = index_of({"1": ["door"], "2": ["tower"]})

    index.add("1", ["harbor"])

    assert scores_by_id(index, ["door"]) == {"1": 0.0, "2": 0.0}
    assert "1" in index


def test_removing_an_unknown_document_is_refused():
    with pytest.raises(KeyError):
        LexicalIndex().remove("1")


def test_further_words_count_half_and_only_beside_another():
    index = index_of({"both": ["mare", "sold"], "mare": ["mare", "grey"], "sold": ["grey", "sold"]})

    alone, with_sold, sold = index.scores([["mare"], ["mare"], ["sold"]], [[], ["sold"], []])

    assert (with_sold - alone).tolist() == pytest.approx([sold[0] / 2, 0, 0])


def test_an_empty_index_gives_no_scores():
    assert LexicalIndex().scores([["door"]], [[]]).shape == (1, 0)


def test_documents_without_words_score_nothing():
    assert scores_by_id(index_of({"1": [], "2": []}), ["door"]) == {"1": 0.0, "2": 0.0}


def test_of_kin_the_best_counts_and_what_is_asked_adds_up():
    index = LexicalIndex()
    for number, words in enumerate((["violin", "guitar"], ["violin"], ["bread"], ["rain"])):
        index.add(str(number), words)
    alone = index.scores([["violin"], ["guitar"], ["bread"]], [[], [], []])

    found = index.kin_scores([[("violin", 0.5), ("guitar", 0.8), ("harp", 0.9)], [("bread", 0.4)], []])

    assert found == pytest.approx(np.maximum(0.5 * alone[0], 0.8 * alone[1]) + 0.4 * alone[2])
    assert found[3] == 0


def test_an_index_of_nothing_has_no_kin():
    assert list(LexicalIndex().kin_scores([[("violin", 1.0)]])) == []


def test_the_rarest_terms_come_first_and_unknown_ones_not_at_all():
    index = LexicalIndex()
    for number, words in enumerate((["rain", "violin"], ["rain"], ["rain", "bread"], ["bread"])):
        index.add(str(number), words)

    assert index.rarest(["rain", "harp", "bread", "violin", "bread"], 2) == ["violin", "bread"]
    assert index.rarest([], 2) == []
