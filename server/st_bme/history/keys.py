"""Message keys and the running chain. The same functions, with the same vectors, stand in the extension.

A key is the first 48 bits of SHA-256 over role and normalised text, written as 8 characters of base64url.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable

from st_bme.model.message import Role

SEPARATOR = "\x1f"
KEY_LENGTH = 8
EMPTY_CHAIN = "AAAAAAAA"

# What JavaScript's String.prototype.trim removes; Python's str.strip() removes other characters as well.
_JS_BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def short_hash(text: str) -> str:
    """48 bits of SHA-256 over UTF-8, as 8 base64url characters."""
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:6]).decode()


def well_formed(text: str) -> str:
    """The text with every lone surrogate replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def normalize_text(text: str) -> str:
    """Well-formed Unicode, newlines unified, ends trimmed: edits of these are no edits of the story."""
    return well_formed(text).replace("\r\n", "\n").replace("\r", "\n").strip(_JS_BLANKS)


def is_blank(text: str) -> bool:
    """True if nothing of the text is left after trimming: such a message does not count."""
    return normalize_text(text) == ""


def message_key(role: Role, text: str) -> str:
    """Key of a message with this role and raw text."""
    return short_hash(role + SEPARATOR + normalize_text(text))


def chain_step(chain: str, entry: str) -> str:
    """The chain after one more entry."""
    return short_hash(chain + SEPARATOR + entry)


def chain_of(entries: Iterable[str], start: str = EMPTY_CHAIN) -> str:
    """The chain over entries, oldest first. Two lists with one chain are taken to be equal."""
    chain = start
    for entry in entries:
        chain = chain_step(chain, entry)
    return chain
