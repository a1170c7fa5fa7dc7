"""Records and operations at random, as Hypothesis draws them."""

from hypothesis import strategies as st

from st_bme.graph.records import Answer, Mark, Origin, Stamp, Upkeep, UserEdit
from st_bme.model.operation import Operation, Target
from st_bme.model.scope import Scope
from st_bme.model.story_time import StoryTime

# Few letters, so that things meet; a few odd ones, so that nothing counts on plain text.
words = st.text('abé 王\n\u2028\U0001f600"\\', max_size=6)
keys = st.sampled_from(("aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd", "eeeeeeee"))
names = st.sampled_from(("Ann", "Bob", "王", "ann"))
numbers = st.one_of(st.integers(0, 10).map(float), st.floats(0, 10, allow_nan=False))

scopes = st.builds(
    lambda layer, owner, name, region, path: (
        Scope("pov", "character", owner, name or owner, region, path) if layer else Scope(region_primary=region)
    ),
    st.booleans(),
    words,
    words,
    words,
    st.lists(words, max_size=2).map(tuple),
)
times = st.none() | st.builds(
    StoryTime,
    words,
    st.sampled_from(("past", "unknown", "future")),
    st.sampled_from(("after", "unknown")),
    words,
    st.sampled_from(("high", "medium")),
    words,
    words,
    words,
)
targets = st.builds(
    Target,
    st.sampled_from(("", "", "", "r1")),
    st.just(""),
    st.sampled_from(("character", "location")),
    st.just(Scope()),
    names,
)
fields = st.dictionaries(st.sampled_from(("name", "state", "goal")), words, max_size=3)

operations = st.builds(
    Operation,
    st.sampled_from(
        ("create", "update", "archive", "wake", "link", "unlink", "pin", "merge", "time", "know", "region", "set")
    ),
    st.none() | st.integers(0, 2),
    st.sampled_from(("character", "event", "location")),
    st.builds(lambda name, rest: {**rest, "name": name}, names, fields),
    st.none() | numbers,
    scopes,
    times,
    st.lists(words, max_size=2).map(tuple),
    st.sampled_from(("", "r1", "r2")),
    st.none() | targets,
    st.none() | targets,
    st.sampled_from(("related", "updates", "contradicts", "known", "partial", "mistaken")),
    st.none() | st.sampled_from((0.25, 0.5, 1.0)),
    st.booleans(),
)
operation_lists = st.lists(operations, max_size=4).map(tuple)
runs = st.lists(keys, min_size=1, max_size=3).map(tuple)
anchors = st.lists(keys, max_size=3).map(tuple)
stamps = st.builds(
    Stamp, st.integers(1, 9), st.integers(0, 2**41), words, words, st.integers(0, 999), st.integers(1, 3)
)

answers = st.builds(Answer, stamps, runs, operation_lists, anchors, st.sampled_from((0.0, 0.25, 1.0)))
edits = st.builds(UserEdit, stamps, words, operation_lists, anchors)
upkeep_records = st.builds(
    Upkeep, stamps, words, st.dictionaries(words, words, max_size=2), anchors, operation_lists, anchors
)
marks = st.builds(Mark, stamps, words, words, st.booleans())
origins = st.builds(Origin, stamps, words, words, words, st.integers(0, 9), st.integers(0, 9))

any_record = st.one_of(answers, edits, upkeep_records, marks, origins)
