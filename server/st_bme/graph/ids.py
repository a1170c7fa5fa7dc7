"""Ids and digests: functions of content only, never of time, order of arrival or grouping of calls."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping

from st_bme.model.scope import Scope

_SEPARATOR = "\x1f"
GRAPH_ID_LENGTH = 10
RECORD_ID_LENGTH = 16

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_PAIRS = tuple(first + second for first in _ALPHABET for second in _ALPHABET)
_DIGEST_BITS = 256


def digest(*parts: str, length: int = GRAPH_ID_LENGTH) -> str:
    """SHA-256 over the parts as lower-case base32, cut to an even `length` of characters (5 bits each).

    Two characters at a time, since a fold makes thousands of ids and the encoder of the standard library is slow.
    """
    bits = int.from_bytes(hashlib.sha256(_SEPARATOR.join(parts).encode()).digest()) >> (_DIGEST_BITS - 5 * length)
    return "".join([_PAIRS[bits >> shift & 1023] for shift in range(5 * length - 10, -1, -10)])


def fold_name(name: str) -> str:
    """A name with width, case and blanks folded: what two spellings of one name share."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def fields_text(fields: Mapping[str, str]) -> str:
    """Fields in one canonical text, for digests."""
    return _SEPARATOR.join(f"{key}\x1e{fields[key]}" for key in sorted(fields))


def named_node_id(node_type: str, scope: Scope, name: str, number: int = 0) -> str:
    """Id of a node of which there is one a name."""
    return digest("named", node_type, scope.identity, fold_name(name), str(number))


def content_node_id(node_type: str, scope: Scope, fields: Mapping[str, str], number: int = 0) -> str:
    """Id of any other node: what it said when it was made."""
    return digest("content", node_type, scope.identity, fields_text(fields), str(number))


def change_event_id(target_id: str, source: str, number: int) -> str:
    """Id of the event that tells of a changed field: its node, the message, a running number."""
    return digest("change", target_id, source, str(number))


def made_node_id(origin: str, index: int, node_type: str, fields: Mapping[str, str]) -> str:
    """Id of a node made by upkeep or by the user: the record's memo key or id, then what was made."""
    return digest("made", origin, str(index), node_type, fields_text(fields))


def segment_id(label: str) -> str:
    """Id of a segment of story time."""
    return digest("segment", fold_name(label))


def edge_id(from_id: str, to_id: str, relation: str, scope: Scope, number: int) -> str:
    """Id of an edge; `number` counts the edges that joined these two in this way before."""
    return digest("edge", from_id, to_id, relation, scope.identity, str(number))
