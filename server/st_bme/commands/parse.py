"""`parse`: what a model's answer would do, read as it would be read."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import orjson

from st_bme.errors import AnswerUnusable
from st_bme.graph.operation_json import operation_to_json
from st_bme.prompts.answer import read_answer
from st_bme.write.answer_context import AnswerContext
from st_bme.write.normalize import Normalized, normalize


def run(arguments: argparse.Namespace) -> int:
    """Print the operations of the answer in a file, as on an empty graph."""
    try:
        answer = Path(arguments.answer).read_bytes().decode("utf-8", "replace")
    except OSError as error:
        print(f"st-bme: cannot read {arguments.answer}: {error.strerror}", file=sys.stderr)
        return 2
    error_text = ""
    read = Normalized((), ())
    try:
        read = normalize([read_answer(answer)], AnswerContext())
    except AnswerUnusable as error:
        error_text = str(error)
    sys.stdout.write(_as_json(read, error_text) if arguments.json else _as_text(read, error_text))
    return 0


def _as_json(read: Normalized, error: str) -> str:
    result = {
        "ok": not error,
        "operations": [operation_to_json(operation) for operation in read.operations],
        "refused": [
            {"index": refusal.index, "code": refusal.code, "detail": refusal.detail} for refusal in read.refused
        ],
        "error": error or None,
    }
    return orjson.dumps(result).decode() + "\n"


def _as_text(read: Normalized, error: str) -> str:
    if error:
        return f"unusable: {error}\n"
    lines = [orjson.dumps(operation_to_json(operation)).decode() for operation in read.operations]
    lines += [f"refused ({refusal.code}): {refusal.detail}" for refusal in read.refused]
    return "\n".join(lines or ["nothing to remember"]) + "\n"
