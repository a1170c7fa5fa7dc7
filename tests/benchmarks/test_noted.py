"""What `benchmarks/noted.py` remembers of a conversation."""

from benchmarks.noted import NotesExtractor, read_notes
from benchmarks.question_sets import read_conversations

from repository.files import ROOT
from st_bme.ports import ExtractionInput

DATA = ROOT / "benchmarks" / "data"


def test_every_note_is_about_a_message_of_its_conversation():
    (conversation,) = read_conversations(DATA / "roleplay-en.json", ["kettle-street"])

    notes = read_notes(DATA / "roleplay-en.notes.json")

    assert len(notes) > 70
    assert notes.keys() <= {message.key for message in conversation.messages}


async def test_a_note_gives_its_event_with_whom_where_and_thread():
    (conversation,) = read_conversations(DATA / "roleplay-en.json", ["kettle-street"])
    notes = read_notes(DATA / "roleplay-en.notes.json")
    extractor = NotesExtractor(notes, conversation.messages)

    extraction = await extractor.extract(ExtractionInput(conversation.messages[1:4], (), (), "", "", "en"))

    first = [operation for operation in extraction.operations if operation.cite == 0]
    assert [operation.type for operation in first if operation.action == "create"] == [
        "character",
        "character",
        "event",
        "location",
    ]
    third = [operation for operation in extraction.operations if operation.cite == 2]
    relations = [operation.relation for operation in third if operation.relation]
    assert relations == ["involved_in", "involved_in", "occurred_at", "advances"]
