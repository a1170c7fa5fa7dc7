"""The command line itself; each command has tests of its own."""

import asyncio
import os
import signal
import subprocess
import sys
from importlib import import_module

import pytest

from st_bme import __version__, cli
from st_bme.commands import serve
from st_bme.errors import StartRefused

SIGNALS = (signal.SIGINT, signal.SIGTERM)
has_signals = pytest.mark.skipif(os.name != "posix", reason="Windows has no signals to send")


@pytest.fixture(autouse=True)
def signals_as_before():
    before = [signal.getsignal(number) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_is_there(name):
    module = import_module(cli.COMMANDS[name].module)

    assert callable(getattr(module, cli.COMMANDS[name].function))


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--help"])

    assert end.value.code == 0
    assert set(cli.COMMANDS) <= set(capsys.readouterr().out.split())


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])

    assert capsys.readouterr().out == f"{__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["recall", "state.json"], ["replay"]])
def test_what_is_no_command_is_refused(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)

    assert end.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_a_refusal_is_one_line_on_stderr(monkeypatch, capsys):
    def refuse(_):
        raise StartRefused("what, which one, what to do")

    monkeypatch.setattr(import_module("st_bme.commands.serve"), "run", refuse)

    code = cli.main(["serve"])

    assert code == 1
    assert capsys.readouterr() == ("", "st-bme: what, which one, what to do\n")


def test_the_command_line_alone_imports_no_command(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("st_bme.commands.")]:
        monkeypatch.delitem(sys.modules, name)

    with pytest.raises(SystemExit):
        cli.main(["--version"])

    assert not [name for name in sys.modules if name.startswith("st_bme.commands.")]


def test_a_file_that_cannot_be_used_is_one_line_on_stderr(monkeypatch, capsys):
    def fail(_):
        raise PermissionError(13, "Permission denied", "/data/state.json")

    monkeypatch.setattr(import_module("st_bme.commands.serve"), "run", fail)

    assert cli.main(["serve"]) == 1
    assert capsys.readouterr() == ("", "st-bme: /data/state.json: Permission denied\n")


@has_signals
@pytest.mark.parametrize("number", SIGNALS)
def test_a_server_that_is_stopped_before_it_has_loaded_ends_quietly_and_leaves_nothing(tmp_path, number):
    program = f"""
import os, sys
from st_bme import cli
load = cli._load
def stopped(command):
    os.kill(os.getpid(), {number.value})
    return load(command)
cli._load = stopped
sys.exit(cli.main(["serve", "--port", "0", "--data-dir", {str(tmp_path / "data")!r}]))
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, timeout=30, check=False
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    assert not (tmp_path / "data").exists()


@has_signals
def test_a_second_request_to_stop_is_nothing_new_also_when_the_loop_is_closed():
    async def served():
        stop = serve._stop_signal()
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(stop.wait(), 5)

    asyncio.run(served())

    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL


def test_a_command_that_ctrl_c_ends_says_nothing_more(monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("st_bme.commands.replay"), "run", interrupted)

    assert cli.main(["replay", "chat.jsonl"]) == 130
    assert capsys.readouterr() == ("", "")
