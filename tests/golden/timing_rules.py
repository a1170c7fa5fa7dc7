"""Where extraction is timed and its input filtered otherwise than by the original ST-BME, and what follows then."""

import re
from typing import Any

from golden.timing_functions import pending, replies
from st_bme.write.trigger_words import CHINESE, ENGLISH

_CHINESE_ENTITY = r"[\u4e00-\u9fa5]{2,6}(?:先生|小姐|王国|城|镇|村|学院|组织|公司|小队|军团)"
_COMMA_IN_BRACKETS = r"\([^()]*,[^()]*\)|\[[^\[\]]*,[^\[\]]*\]|\{[^{}]*,[^{}]*\}"
_ORDER = ("keywords", "pattern", "alternation", "emphasis", "entity")


def _text(given: dict[str, Any]) -> str:
    texts = [item["mes"] or "" for _, item in pending(given)]
    return "\n".join(text for text in texts if text.strip())


def _with_reason(
    given: dict[str, Any], expected: dict[str, Any], kind: str, points: int, *words: str
) -> dict[str, Any]:
    """What is expected with another reason of a kind, or with none (0 points)."""
    was = next((reason for reason in expected["reasons"] if reason[0] == kind), None)
    before = 0 if was is None else min(2, len(was) - 1) if kind == "keywords" else 2 if kind == "pattern" else 1
    reasons = [reason for reason in expected["reasons"] if reason[0] != kind]
    if points:
        reasons.append([kind, *words])
    score = expected["score"] - before + points
    threshold = max(1, given["settings"]["smartTriggerThreshold"] or 2)
    return {
        "triggered": score >= threshold,
        "score": score,
        "reasons": sorted(reasons, key=lambda reason: _ORDER.index(reason[0])),
    }


def has_english_keyword(given: dict[str, Any]) -> bool:
    return bool(_english(given))


def counts_english_keywords(given: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    text = _text(given)
    words = [word for word in CHINESE if word in text] + _english(given)
    return _with_reason(given, expected, "keywords", min(2, len(words)), *words[:3])


def _english(given: dict[str, Any]) -> list[str]:
    said = set(re.findall(r"[a-z]+", _text(given).lower()))
    return [lemma for lemma, forms in ENGLISH.items() if said & set(forms)]


def names_only_at_sentence_starts(given: dict[str, Any]) -> bool:
    """Capitalised words, none of them behind another word, and no Chinese name."""
    text = _text(given)
    if re.search(_CHINESE_ENTITY, text) or not re.search(r"[A-Z][a-z]{2,}", text):
        return False
    return not any(
        re.fullmatch(r"\W*[A-Z][a-z]{2,}.*", word) and re.search(r"\w[,;:'\"”’)]*$", before)
        for line in text.splitlines()
        for before, word in zip(line.split(), line.split()[1:], strict=False)
    )


def sentence_starts_name_nobody(given: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    return _with_reason(given, expected, "entity", 0)


def has_comma_in_brackets(given: dict[str, Any]) -> bool:
    return bool(re.search(_COMMA_IN_BRACKETS, given["settings"]["triggerPatterns"]))


def brackets_hold_a_pattern_together(given: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    whole = re.split(r"\n|,(?![^()]*\)|[^\[\]]*\]|[^{}]*\})", given["settings"]["triggerPatterns"])
    text = _text(given)
    found = [part.strip() for part in whole if part.strip() and _finds(part.strip(), text)]
    return _with_reason(given, expected, "pattern", 2 if found else 0, *found[:1])


def _finds(pattern: str, text: str) -> bool:
    try:
        return bool(re.search(pattern, text, re.IGNORECASE))
    except re.error:
        return False


def reads_marks_that_are_no_single_pair(given: dict[str, Any]) -> bool:
    """A rule finds its marks in a reply, and they are anything else than one beginning and one end behind it."""
    for message in given["m"]:
        if message["role"] == "assistant":
            for opening, closing in [*_marks(given["s"], "Extract"), *_marks(given["s"], "Exclude")]:
                found = [len(re.findall(mark, message["content"], re.IGNORECASE)) for mark in (opening, closing)]
                if found not in ([0, 0], [1, 1]):
                    return True
    return False


def every_part_counts(given: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    kept = [
        [message["seq"], message["role"], _filtered(message["content"], given["s"])]
        if message["role"] == "assistant"
        else [message["seq"], message["role"], message["content"]]
        for message in given["m"]
    ]
    flags = {message["seq"]: message["isContextOnly"] for message in given["m"]}
    names = {seq: name for part in ("context", "run") for seq, name, _ in expected[part]}
    told: dict[str, Any] = {"filtered": [entry for entry in kept if entry[2]], "context": [], "run": []}
    for seq, role, text in told["filtered"]:
        speaker = names.get(seq, f"{role}|艾琳" if role == "assistant" else f"{role}|玩家")
        told["context" if flags[seq] else "run"].append([seq, speaker, text])
    return told


def _marks(settings: dict[str, Any], kind: str) -> list[tuple[str, str]]:
    tags = re.split(r"[,\s]+", settings.get(f"extractAssistant{kind}Tags", ""))
    marks = [(rf"<{re.escape(tag)}(?:\s[^<>]*)?>", rf"</{re.escape(tag)}\s*>") for tag in tags if tag]
    rules = settings.get(f"extractAssistant{kind}Rules", [])
    return marks + [(re.escape(rule["start"]), re.escape(rule["end"])) for rule in rules]


def _filtered(text: str, settings: dict[str, Any]) -> str:
    for opening, closing in _marks(settings, "Extract"):
        found = re.findall(rf"{opening}(.*?)(?:{closing}|\Z)", text, re.IGNORECASE | re.DOTALL)
        if found:
            text = "\n".join(part.strip() for part in found)
            break
    for opening, closing in _marks(settings, "Exclude"):
        innermost = rf"{opening}(?:(?!{opening}|{closing}).)*{closing}"
        while (shorter := re.sub(innermost, "", text, flags=re.IGNORECASE | re.DOTALL)) != text:
            text = shorter
        text = re.sub(rf"{opening}.*", "", text, flags=re.IGNORECASE | re.DOTALL)
        if opening.startswith("<"):
            text = re.sub(rf".*{closing}", "", text, flags=re.IGNORECASE | re.DOTALL)
    return re.sub(r"\n[ \t]*\n(?:[ \t]*\n)+", "\n\n", text).strip()


def has_unnamed_reply(given: dict[str, Any]) -> bool:
    return any(message["role"] == "assistant" and message["content"] for message in given["m"])


def a_reply_names_its_speaker(_given: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    named = {
        part: [[seq, "assistant|艾琳" if speaker == "assistant" else speaker, text] for seq, speaker, text in lines]
        for part, lines in expected.items()
        if part != "filtered"
    }
    return {**expected, **named}


def is_locked_to_no_pending_reply(given: dict[str, Any]) -> bool:
    settings = given["settings"]
    waiting = [floor for floor in replies() if floor > given["last"]]
    is_on = settings["enabled"] and settings["extractAutoEnabled"]
    return bool(is_on and waiting and given["locked"] is not None and given["locked"] not in waiting)


def only_the_chat_says_what_is_pending(given: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """A floor that was read leaves nothing to do up to it; one that is no reply changes nothing."""
    settings = given["settings"]
    waiting = [] if given["locked"] in replies() else [floor for floor in replies() if floor > given["last"]]
    lag_one = settings.get("extractAutoDelayLatestAssistant", False)
    offered = waiting[:-1] if lag_one else waiting
    every = settings["extractEvery"]
    if settings.get("enableSmartTrigger") and given["trig"]:
        every = max(1, len(offered))
    batch = offered[:every] if len(offered) >= every else []
    reason = "no-unprocessed-assistant-turns" if not waiting else "waiting-next-assistant" if not offered else ""
    return {
        **expected,
        "canRun": bool(batch),
        "batch": batch,
        "startIdx": batch[0] if batch else None,
        "endIdx": batch[-1] if batch else None,
        "reason": "" if batch else reason or "below-extract-every",
        "waiting": bool(waiting) and not offered,
    }
