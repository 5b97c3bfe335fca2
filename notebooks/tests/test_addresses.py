# SPDX-License-Identifier: Apache-2.0
import ipaddress
import random

import numpy as np
import pytest

import flowstone


def test_ipv4_and_ipv6_text():
    rows = np.zeros((3, 16), dtype=np.uint8)
    rows[0, 10:] = [0xFF, 0xFF, 192, 0, 2, 1]
    rows[1, :4] = [0x20, 0x01, 0x0D, 0xB8]
    rows[2] = rows[0]
    assert flowstone.format_address(rows[0]) == "192.0.2.1"
    assert flowstone.format_addresses(rows).tolist() == ["192.0.2.1", "2001:db8::", "192.0.2.1"]


def test_every_text_is_that_of_python_itself():
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = np.random.default_rng(seed)
    rows = source.integers(0, 256, (2000, 16), dtype=np.uint8)
    rows[source.random((2000, 8)).repeat(2, axis=1) < 0.5] = 0
    rows[:200, :10], rows[:200, 10:12] = 0, 0xFF
    rows[200:400, :12] = 0
    expected = [address.ipv4_mapped or address for address in map(ipaddress.IPv6Address, (row.tobytes() for row in rows))]
    assert flowstone.format_addresses(rows).tolist() == list(map(str, expected)) == [flowstone.format_address(row) for row in rows]
    assert flowstone.format_addresses(rows[:0]).tolist() == []


def test_a_text_is_a_row_of_the_columns_of_addresses():
    rows = np.random.default_rng(1).integers(0, 256, (100, 16), dtype=np.uint8)
    rows[:50, :10], rows[:50, 10:12] = 0, 0xFF
    for row, text in zip(rows, flowstone.format_addresses(rows)):
        assert flowstone.parse_address(text).tolist() == row.tolist()
    assert np.flatnonzero((rows == flowstone.parse_address(flowstone.format_address(rows[3]))).all(axis=1)).tolist() == [3]
    with pytest.raises(ValueError, match=r"192\.0\.2"):
        flowstone.parse_address("192.0.2")
