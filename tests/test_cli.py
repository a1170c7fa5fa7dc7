"""The command line itself; each command has tests of its own."""

import sys
from importlib import import_module

import pytest

from st_bme import __version__, cli
from st_bme.errors import StartRefused


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
