# SPDX-License-Identifier: Apache-2.0
"""Numbers of each width, few and many, as they are unpacked, against the bits that were packed."""

import numpy as np
import pytest

from flowstone import columns

COUNTS = (0, 1, 7, 8, 9, columns._FEW, columns._FEW + 1, 5_000)
BEFORE = b"\x05\x06\x07"
"""Numbers begin at any byte."""


def packed(numbers, width):
    bits = (numbers[:, None] >> np.arange(width, dtype=np.uint64)) & np.uint64(1)
    return np.packbits(bits.astype(np.uint8), bitorder="little").tobytes()


@pytest.mark.parametrize("width", range(1, 33))
def test_numbers_are_those_that_were_packed(width):
    chance = np.random.default_rng(width)
    for count in COUNTS:
        numbers = chance.integers(0, 1 << width, count, dtype=np.uint64)
        reader = columns._ColumnReader(memoryview(BEFORE + packed(numbers, width) + bytes(columns.TAIL_BYTES)), len(BEFORE))
        unpacked = reader._unpack("a column", count, width)
        reader.finish()
        assert unpacked.dtype == np.uint32 and unpacked.tolist() == numbers.tolist()
