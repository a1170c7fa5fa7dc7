"""What the doctor finds, and how it says so."""

import json
import socket

import pytest

from st_bme.cli import main
from st_bme.commands import doctor
from st_bme.commands.doctor import Start, measure_start


@pytest.fixture
def quick(monkeypatch):
    """The checks without the start of a server."""
    monkeypatch.setattr(doctor, "measure_start", lambda: Start(0.5, 60.0))


def findings(capsys, *arguments):
    code = main(["doctor", "--json", *arguments])
    report = json.loads(capsys.readouterr().out)
    return code, report, {check["name"]: check for check in report["checks"]}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_start_is_measured_by_starting():
    start = measure_start()

    assert start.first_hello_s is not None
    assert 0.1 < start.first_hello_s < 20
    assert start.rss_mb is None or 20 < start.rss_mb <= 90
    assert start.ready_s is not None
    assert start.ready_s >= start.first_hello_s


def test_a_healthy_place_needs_no_mending(quick, tmp_path, capsys):
    code, report, checks = findings(capsys, "--data-dir", str(tmp_path), "--port", str(free_port()))

    assert code == 0
    assert report["ok"] is True
    assert (report["first_hello_s"], report["rss_mb"]) == (0.5, 60.0)
    assert {"python", "port", "data directory", "models", "SillyTavern", "start", "memory"} <= set(checks)
    assert [name for name, check in checks.items() if check["ok"] == bool(check["mend"])] == []


def test_a_port_in_use_is_found(quick, tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as other:
        code, report, checks = findings(capsys, "--data-dir", str(tmp_path), "--port", str(other.getsockname()[1]))

    assert code == 1
    assert report["ok"] is False
    assert checks["port"]["ok"] is False
    assert "--port" in checks["port"]["mend"]


def test_a_data_directory_that_cannot_be_written_is_found(quick, tmp_path, capsys):
    (tmp_path / "file").write_text("")

    code, _, checks = findings(capsys, "--data-dir", str(tmp_path / "file"), "--port", str(free_port()))

    assert code == 1
    assert "--data-dir" in checks["data directory"]["mend"]


def test_a_server_that_does_not_start_is_found(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(doctor, "measure_start", lambda: Start(None, None))

    code, report, checks = findings(capsys, "--data-dir", str(tmp_path), "--port", str(free_port()))

    assert code == 1
    assert report["first_hello_s"] is None
    assert checks["start"]["ok"] is False


def test_for_people_each_finding_is_a_line_with_its_mend_below(quick, tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as other:
        main(["doctor", "--data-dir", str(tmp_path), "--port", str(other.getsockname()[1])])

    lines = capsys.readouterr().out.splitlines()
    bad = next(number for number, line in enumerate(lines) if line.startswith("BAD   port:"))
    assert lines[bad + 1].startswith("      -> stop the program")
