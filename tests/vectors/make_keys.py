"""Write `keys.json`, the vectors that the server's and the extension's tests share.

Run it only to add cases: `PYTHONPATH=server python3 tests/vectors/make_keys.py`, with the server's environment. A
value that is there must never change, since keys stand in people's chats; the script stops if one would.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from st_bme.history.keys import message_key, normalize_text
from st_bme.history.view import list_digest
from st_bme.model.message import ROLES, ListedMessage, Role

_FILE = Path(__file__).resolve().with_name("keys.json")

# "user" and the separator take 5 bytes, so that these lengths end around the borders of SHA-256's 64-byte blocks.
_BORDERS = [length - 5 for length in (55, 56, 57, 63, 64, 65, 119, 120, 121, 127, 128, 129)]

_BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

_TEXTS: Mapping[str, str] = {
    "plain": "The lighthouse keeper hid the key.",
    "one character": "a",
    "Chinese": "她把钥匙藏在灯塔里。",
    "Japanese": "灯台の鍵を隠した。",
    "Russian": "Она спрятала ключ в маяке.",
    "Arabic, right to left": "أخفت المفتاح",
    "emoji joined": "a family: \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "combining mark": "e\u0301 is not \u00e9",
    "line ends of Windows": "one\r\ntwo\r\n\r\nthree",
    "line ends of old Macs": "one\rtwo\r\rthree",
    "line ends mixed": "one\r\n\rtwo\n\rthree",
    "byte order mark": "\ufeffmarked",
    "byte order mark inside": "mar\ufeffked",
    "every blank around": _BLANKS + "core" + _BLANKS,
    "every blank inside": "core" + _BLANKS + "core",
    "zero-width space around": "\u200bcore\u200b",
    "Mongolian vowel separator around": "\u180ecore\u180e",
    "next line around": "\x85core\x85",
    "separators of ASCII around": "\x1c\x1d\x1e\x1fcore\x1c\x1d\x1e\x1f",
    "NUL": "a\0b\0",
    "delete and controls": "\x01\x7f\x9f",
    "lone high surrogate": "a\ud83db",
    "lone low surrogate": "a\ude00b",
    "lone high at the end": "a\ud83d",
    "lone low at the start": "\ude00a",
    "surrogates in the wrong order": "\ude00\ud83d",
    "two highs and a low": "\ud83d\ud83d\ude00",
    "noncharacter": "\ufffe\uffff",
    "last code point": "\U0010ffff",
    "replacement character": "\ufffd",
    "markup": '<b>"quoted"</b> &amp; {{user}} \\n',
    "only blanks": " \n\t",
    "empty": "",
    "long": "The tide rose. " * 400,
    "long Chinese": "潮水上涨。" * 200,
}


def _texts() -> Iterator[tuple[str, str]]:
    yield from _TEXTS.items()
    for length in _BORDERS:
        yield f"{length} bytes", "x" * length
    for length in _BORDERS:
        yield f"{length} bytes, the last three one character", "x" * (length - 3) + "鍵"


def _lists() -> Iterator[tuple[str, list[ListedMessage | None]]]:
    def message(floor: int, role: Role, name: str, *, hidden: bool = False) -> ListedMessage:
        return ListedMessage(floor, message_key(role, f"text {floor}"), role, name, hidden)

    yield "none", []
    yield "one", [message(0, "assistant", "Mira")]
    yield "one hidden", [message(0, "assistant", "Mira", hidden=True)]
    yield "no message at a floor", [None]
    yield "several", [message(0, "assistant", "Mira"), None, message(2, "user", "Tess"), message(3, "narrator", "")]
    yield "names of other scripts", [message(0, "user", "旅人"), message(1, "assistant", "\U0001f98a"), None, None]
    yield "a name with a separator", [message(0, "user", "a\x1fb")]


def make() -> dict[str, list[dict[str, object]]]:
    """All vectors; each is named by `what`."""
    keys: list[dict[str, object]] = [
        {"what": f"{what}, {role}", "role": role, "text": text, "key": message_key(role, text)}
        for what, text in _texts()
        for role in (ROLES if what == "plain" else ROLES[:1])
    ]
    normalized: list[dict[str, object]] = [
        {"what": what, "text": text, "normalized": normalize_text(text)}
        for what, text in _TEXTS.items()
        if not what.startswith("long")
    ]
    lists: list[dict[str, object]] = [
        {"what": what, "rows": [_row(slot) for slot in slots], "digest": list_digest(slots)} for what, slots in _lists()
    ]
    return {"keys": keys, "normalized": normalized, "lists": lists}


def _row(slot: ListedMessage | None) -> dict[str, object] | None:
    if slot is None:
        return None
    return {"key": slot.raw, "role": slot.role, "name": slot.name, "hidden": slot.hidden}


def main() -> None:
    vectors = make()
    if _FILE.exists():
        for table, rows in json.loads(_FILE.read_text("ascii")).items():
            lost = [row["what"] for row in rows if row not in vectors[table]]
            if lost:
                sys.exit(f"these vectors in {table} would change or go: {', '.join(lost)}")
    # ASCII, so that no editor and no Git turns a line end or a lone surrogate into something else.
    _FILE.write_text(json.dumps(vectors, indent=1, ensure_ascii=True) + "\n", "ascii")


if __name__ == "__main__":
    main()
