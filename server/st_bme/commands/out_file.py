"""A file that a command writes its result to."""

from __future__ import annotations

import os
from pathlib import Path

from st_bme.errors import BadRequest


def out_file(name: str) -> Path:
    """The file to write. To be asked for before the work, so that none is done for nothing.

    Raises: BadRequest: it cannot be written.
    """
    path = Path(name)
    if path.is_dir():
        raise BadRequest(f"cannot write {path}: it is a folder; name a file")
    if not path.parent.is_dir():
        raise BadRequest(f"cannot write {path}: there is no folder {path.parent}; make it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise BadRequest(f"cannot write {path}: this account may not; name another place")
    return path
