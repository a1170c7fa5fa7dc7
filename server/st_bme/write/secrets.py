"""What looks like a password, a key or a card number, and so is never remembered as a value."""

from __future__ import annotations

import re

_KEYS = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|xox[abp]|glpat|AKIA|AIza|hf|eyJ)[-_A-Za-z0-9]{16,}|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_LONG_TOKEN = re.compile(r"(?<![\w-])(?=[\w+/=-]*\d)(?=[\w+/=-]*[A-Za-z])[A-Za-z0-9+/=_-]{24,}(?![\w-])")
_CARD = re.compile(r"(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)")
_NAMED = re.compile(
    r"(?:password|passwd|pwd|api.?key|secret.?key|access.?token|密码|口令|密钥)\s*(?:is|[:=：是为])", re.IGNORECASE
)


def looks_secret(text: str) -> bool:
    """True if the text holds what nobody should find in a chat file."""
    if _KEYS.search(text) or _LONG_TOKEN.search(text) or _NAMED.search(text):
        return True
    return any(_has_check_digit(match[0]) for match in _CARD.finditer(text))


def _has_check_digit(number: str) -> bool:
    """The check of card numbers (Luhn 1960)."""
    digits = [int(digit) for digit in reversed(number) if digit.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
