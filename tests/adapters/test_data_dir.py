"""One server a data directory, and a private one."""

import os
import stat

import pytest

from st_bme.adapters.data_dir import held
from st_bme.errors import StartRefused


def test_a_new_directory_is_private(tmp_path):
    with held(tmp_path / "a" / "b") as path:
        assert path.is_dir()
        if os.name == "posix":
            assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_a_held_directory_is_refused_with_the_process_that_holds_it(tmp_path):
    with held(tmp_path), pytest.raises(StartRefused, match=f"process {os.getpid()}"), held(tmp_path):
        pass


def test_a_directory_can_be_held_again_later(tmp_path):
    with held(tmp_path):
        pass

    with held(tmp_path) as path:
        assert (path / "server.lock").read_text() == f"{os.getpid()}\n"


def test_what_a_killed_server_left_does_not_count(tmp_path):
    (tmp_path / "server.lock").write_text("1\n")

    with held(tmp_path) as path:
        assert (path / "server.lock").read_text() == f"{os.getpid()}\n"


def test_a_place_that_is_no_directory_is_refused(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(StartRefused, match="--data-dir"), held(tmp_path / "file"):
        pass
