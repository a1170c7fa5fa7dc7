"""A table in a file gives the rows that it was made of, and leaves nothing behind."""

import numpy as np
import pytest

from st_bme.adapters.rows_on_disk import RowsOnDisk

TABLE = np.random.default_rng(1).integers(0, 256, (40, 8), dtype=np.uint8)


def test_rows_are_those_of_the_table_in_any_order_and_more_than_once(tmp_path):
    rows = np.array([39, 0, 7, 7])

    found = RowsOnDisk(TABLE, tmp_path)[rows]

    np.testing.assert_array_equal(found, TABLE[rows])
    assert RowsOnDisk(TABLE, tmp_path)[rows[:0]].shape == (0, 8)


def test_a_table_whose_columns_lie_apart_is_written_row_by_row(tmp_path):
    apart = np.asfortranarray(TABLE)

    np.testing.assert_array_equal(RowsOnDisk(apart, tmp_path)[np.array([3])], TABLE[3:4])


def test_nothing_is_left_in_the_folder(tmp_path):
    table = RowsOnDisk(TABLE, tmp_path)

    del table
    assert list(tmp_path.iterdir()) == []


def test_without_a_folder_there_is_no_table(tmp_path):
    with pytest.raises(OSError, match="missing"):
        RowsOnDisk(TABLE, tmp_path / "missing")
