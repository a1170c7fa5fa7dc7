"""A table of which a few rows are needed at a time, in a file and not in memory."""

from __future__ import annotations

import errno
import os
import tempfile
import weakref
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


class RowsOnDisk:
    """Rows of a table of bytes, (n, width) uint8, read when they are asked for. One thread reads.

    The file has no name, or goes with the process: nothing is left of it. What is read often the system keeps at hand
    as long as nobody else wants the memory.
    """

    def __init__(self, table: NDArray[np.uint8], folder: Path) -> None:
        """Raises OSError where the folder has no room."""
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - open as long as this is
        weakref.finalize(self, self._file.close)
        self._width = table.shape[1]
        if self._file.write(np.ascontiguousarray(table).data.cast("B")) < table.nbytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))

    def __getitem__(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """(k, width): the rows of these numbers."""
        found = np.empty((len(rows), self._width), np.uint8)
        for row, place in zip(rows.tolist(), found, strict=True):
            self._file.seek(row * self._width)
            self._file.readinto(place.data)
        return found
