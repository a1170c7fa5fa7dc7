"""The command line: what each command takes. Its module is imported when it runs, so that every start is quick."""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import FrameType

from st_bme import __version__
from st_bme.errors import BridgeError

INTERRUPTED = 130
"""Exit code of what Ctrl+C ended before it was done, as shells have it."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: `function` of `module` runs it and returns the exit code.

    `is_endless`: it runs until a signal asks it to stop, so that one which comes while it starts is no failure.
    """

    module: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    function: str = "run"
    is_endless: bool = False


def main(argv: list[str]) -> int:
    """Run a command; the exit code. 1: it failed and said why on stderr."""
    _calm_numpy()
    arguments = _parser().parse_args(argv)
    command = COMMANDS[arguments.command]
    if command.is_endless:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _end_at_once)
    try:
        code: int = _load(command)(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BridgeError as error:
        print(f"st-bme: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read our output has closed it, as `head` does. Nothing is left to say, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.filename is None:
            raise  # none of the files that the user named
        print(f"st-bme: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    return code


def _load(command: Command) -> Callable[[argparse.Namespace], int]:
    gc.disable()  # an import lets go of nothing, and looking for it takes a tenth of the start
    run: Callable[[argparse.Namespace], int] = getattr(import_module(command.module), command.function)
    gc.enable()
    return run


def _end_at_once(_: int, __: FrameType | None) -> None:
    """Nothing is open yet that would have to be closed, and whoever is importing must not catch this."""
    os._exit(0)


def _calm_numpy() -> None:
    """One BLAS thread: the matrices are small, and a thread a core costs 30 MB and the start more than it gains."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="st-bme", description="Long-term memory for SillyTavern.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        command.add_arguments(commands.add_parser(name, help=command.help, description=command.help))
    return parser


def _serve_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", help="address to listen on (default 127.0.0.1: this machine only)")
    parser.add_argument("--port", type=int, help="port to listen on (default 8791)")
    parser.add_argument("--data-dir", help="folder for the memories (default: the platform's data folder)")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        help="a name or address beside this machine's, with or without port",
    )
    parser.add_argument(
        "--allow-origin", action="append", default=[], help="the address of a SillyTavern, as http://192.168.1.5:8000"
    )
    parser.add_argument("--debug", action="store_true", help="log every step")


def _doctor_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, help="port that the server would use")
    parser.add_argument("--data-dir", help="folder that the server would use")
    _add_json(parser)


def _replay_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("chat", metavar="CHAT.jsonl", help="a chat file of SillyTavern")
    parser.add_argument("--model", choices=("none", "openai"), default="none", help="who extracts (default none)")
    parser.add_argument("--base-url", help="address of an OpenAI-compatible API")
    parser.add_argument("--model-name", help="name of the model at that address")
    parser.add_argument("--out", metavar="STATE.json", help="write the resulting state here")
    parser.add_argument("--query", action="append", default=[], help="recall this at the end; may be repeated")
    _add_json(parser)


def _recall_arguments(parser: argparse.ArgumentParser) -> None:
    _inspect_arguments(parser)
    parser.add_argument("--query", required=True, help="what the next reply is about")


def _inspect_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("state", metavar="STATE.json", help="a state, as in a chat's metadata")
    _add_json(parser)


def _history_arguments(parser: argparse.ArgumentParser) -> None:
    _inspect_arguments(parser)
    parser.add_argument("--at", type=int, metavar="FLOOR", help="show the graph as of this floor instead")


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a chat file of SillyTavern with memory in it, or a state")
    parser.add_argument("--chat", help="whose a state of the original ST-BME is (default: as it says itself)")
    parser.add_argument("--data-dir", help="folder for the memories (default: the platform's data folder)")
    _add_json(parser)


def _export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("chat", metavar="CHAT", help="name or lineage of a chat")
    parser.add_argument("--original", action="store_true", help="in the form of the original ST-BME, version 9")
    parser.add_argument("--out", metavar="FILE", help="write here instead of to the output")
    parser.add_argument("--data-dir", help="folder for the memories (default: the platform's data folder)")


def _parse_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("answer", metavar="ANSWER.txt", help="a model's answer to an extraction prompt")
    _add_json(parser)


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


COMMANDS = {
    "serve": Command("st_bme.commands.serve", "Serve SillyTavern.", _serve_arguments, is_endless=True),
    "demo": Command("st_bme.commands.demo", "Show what it does, with two bundled chats.", _add_json),
    "doctor": Command(
        "st_bme.commands.doctor", "Check what the server needs, and say how to mend it.", _doctor_arguments
    ),
    "replay": Command("st_bme.commands.replay", "Build the memory of a chat file.", _replay_arguments),
    "recall": Command("st_bme.commands.recall", "Show what a state would inject for a query.", _recall_arguments),
    "inspect": Command("st_bme.commands.inspect", "Show what a state holds.", _inspect_arguments),
    "history": Command("st_bme.commands.history", "Show what was recorded of a chat.", _history_arguments),
    "import": Command(
        "st_bme.commands.memories", "Take in the memory that a file carries.", _import_arguments, "run_import"
    ),
    "export": Command("st_bme.commands.memories", "Write the memory of a chat.", _export_arguments, "run_export"),
    "parse": Command("st_bme.commands.parse", "Show what is read from a model's answer.", _parse_arguments),
}
