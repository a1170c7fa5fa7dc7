"""Our functions of when and what is extracted, given inputs and giving outputs in the form of the golden files."""

import re
from typing import Any

from st_bme.model.message import Message, Role
from st_bme.settings import validate
from st_bme.write.cleaning import clean_message
from st_bme.write.filters import filter_rules
from st_bme.write.patterns import compile_patterns
from st_bme.write.plan import PlanRules, plan_extraction
from st_bme.write.transcript import transcript_line
from st_bme.write.trigger import score_trigger

# The chat of the recorded plans: a greeting, then user and assistant in turns.
_CHAT: tuple[Role, ...] = ("assistant", "user", "assistant", "user", "assistant", "user", "assistant")
_REASONS = {
    "": "",
    "disabled": "plugin-disabled",
    "on_request_only": "auto-extraction-disabled",
    "nothing_pending": "no-unprocessed-assistant-turns",
    "newest_waits": "waiting-next-assistant",
    "too_few_replies": "below-extract-every",
}

_KINDS = {
    "关键词": "keywords",
    "自定义触发": "pattern",
    "多轮往返互动": "alternation",
    "情绪/冲突波动": "emphasis",
    "疑似新实体/新地点": "entity",
}


def smart_trigger(given: dict[str, Any], _now_ms: int) -> dict[str, Any]:
    settings = given["settings"]
    patterns = compile_patterns(settings["triggerPatterns"])
    score = score_trigger([_message(floor, item) for floor, item in pending(given)], patterns)
    # The original ST-BME takes a threshold of 0 for none; our setting begins at 1.
    threshold = settings["smartTriggerThreshold"] or 2
    return {
        "triggered": score.fires(threshold),
        "score": score.points,
        "reasons": [[reason.kind, *reason.words] for reason in score.reasons],
    }


def extraction_plan(given: dict[str, Any], _now_ms: int) -> dict[str, Any]:
    settings = given["settings"]
    lag_one = settings.get("extractAutoDelayLatestAssistant", False)
    # A floor that is locked is where the chat ended when the extraction was put off.
    end = len(_CHAT) if given["locked"] not in replies() else given["locked"] + 1
    rules = PlanRules(
        every=settings["extractEvery"],
        greeting=False,
        enabled=settings["enabled"],
        automatic=settings["extractAutoEnabled"],
        lag_one=lag_one,
        at_once=settings.get("enableSmartTrigger", False) and given["trig"],
    )
    plan = plan_extraction(_CHAT[:end], [floor > given["last"] for floor in range(end)], rules)
    batch = [floor for floor in plan.runs[0] if floor in replies()] if plan.runs else []
    return {
        "canRun": bool(plan.runs),
        "batch": batch,
        "startIdx": batch[0] if batch else None,
        "endIdx": batch[-1] if batch else None,
        "reason": _REASONS[plan.reason],
        "strategy": "lag-one-assistant" if lag_one else "normal",
        "waiting": plan.reason == "newest_waits",
    }


def replies() -> list[int]:
    return [floor for floor, role in enumerate(_CHAT) if role == "assistant" and floor > 0]


def pending(given: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Messages behind the last floor that was read, up to the end floor where one is given."""
    last = -1 if given["last"] is None else given["last"]
    end = given.get("endFloor")
    stop = len(given["chat"]) if end in (None, "") else end + 1
    chosen = enumerate(given["chat"])
    return [(floor, item) for floor, item in chosen if last < floor < stop and _counts(floor, item)]


def _counts(floor: int, item: dict[str, Any]) -> bool:
    is_managed = item.get("extra", {}).get("__st_bme_hide_managed", False)
    return not item.get("is_system", False) or (is_managed and floor > 0)


def _message(floor: int, item: dict[str, Any]) -> Message:
    return Message(f"m{floor}", "user" if item["is_user"] else "assistant", "", item["mes"] or "", floor)


def input_filter(given: dict[str, Any], _now_ms: int) -> dict[str, Any]:
    """Messages as they are read, and the lines of the transcript, those for orientation apart."""
    settings = given["s"]
    values = {key: settings[key] for key in settings if key.endswith("Tags")}
    for key in ("extractAssistantExtractRules", "extractAssistantExcludeRules"):
        values[key] = "\n".join(f"{rule['start']} ... {rule['end']}" for rule in settings.get(key, []))
    rules = filter_rules(validate(values))
    names = {"assistant": "艾琳", "user": "玩家"}
    told: dict[str, Any] = {"filtered": [], "context": [], "run": []}
    for item in given["m"]:
        raw = Message("", item["role"], names[item["role"]], item["content"], item["seq"])
        message = clean_message(raw, rules)
        if message.text:
            told["filtered"].append([message.floor, message.role, message.text])
            told["context" if item["isContextOnly"] else "run"] += _lines(transcript_line(message))
    return told


def filtered_and_lines(output: dict[str, Any]) -> dict[str, Any]:
    """Messages without what is the same for all, and the transcript in parts instead of between sentences."""
    context, run = "", output["transcript"]
    if run.startswith("---"):
        _, _, rest = run.partition("\n\n")
        context, _, run = rest.partition("\n\n---")
        run = run.partition("\n\n")[2]
    filtered = [[seq, role, text] for seq, role, _, _, text in output["filtered"]]
    return {"filtered": filtered, "context": _lines(context), "run": _lines(run)}


def _lines(transcript: str) -> list[list[Any]]:
    starts = list(re.finditer(r"^#(\d+) \[([^\]]*)\]: ", transcript, re.MULTILINE))
    ends = [*(match.start() for match in starts[1:]), len(transcript)][: len(starts)]
    return [
        [int(match[1]), match[2], transcript[match.end() : end].strip()]
        for match, end in zip(starts, ends, strict=True)
    ]


def reasons_as_codes(output: dict[str, Any]) -> dict[str, Any]:
    """With kind and words of each reason instead of a sentence."""
    return {**output, "reasons": [_coded(reason) for reason in output["reasons"]]}


def _coded(reason: str) -> list[str]:
    label, separator, words = reason.partition(": ")
    kind = _KINDS[label]
    if not separator:
        return [kind]
    return [kind, *(words.split(", ") if kind == "keywords" else [words])]
