# SPDX-License-Identifier: Apache-2.0
"""Rows are told apart, whatever their bytes."""

import importlib
import ipaddress
import sys

import numpy as np
import pytest

from flowstone import tuples
from flowstone.tuples import TUPLE, distinct, five_tuples, words_of


def from_sources(*addresses):
    made = np.zeros(len(addresses), dtype=TUPLE)
    for row, address in zip(made, addresses, strict=True):
        row["source_address"] = np.frombuffer(ipaddress.ip_address(address).packed, dtype=np.uint8)
        row["destination_port"], row["protocol"] = 443, 6
    return words_of(made)


def numbered(codes):
    """The same numbering, in the order of their first rows."""
    return [list(dict.fromkeys(codes.tolist())).index(code) for code in codes.tolist()]


def require_distinct(words, expected):
    codes, first = distinct(words.T)
    assert numbered(codes) == expected
    assert sorted(codes[first].tolist()) == list(range(len(first)))
    assert sorted(first.tolist()) == sorted(expected.index(number) for number in set(expected))
    assert np.array_equal(words[first][codes], words)


def test_addresses_that_one_round_of_any_factor_takes_for_the_same(monkeypatch):
    """They differ in the highest bit of the first word, and in those bits of the second that it is copied to."""
    monkeypatch.setattr(tuples, "_MOST_TRIES", 1)
    monkeypatch.setattr(np, "unique", lambda *_, **__: pytest.fail("no hash told them apart"))
    require_distinct(from_sources("2001:db8::1", "2001:db8:0:80:0:80:0:81", "2001:db8::1"), [0, 1, 0])


def test_rows_that_no_hash_tells_apart(monkeypatch):
    monkeypatch.setattr(tuples, "_hashes", lambda columns: np.zeros(len(columns[0]), dtype=np.uint64))
    require_distinct(from_sources("2001:db8::2", "2001:db8::1", "2001:db8::2", "2001:db8::3"), [0, 1, 0, 2])


def test_a_hash_tells_no_flows_apart():
    made = np.zeros(3, dtype=TUPLE)
    made["flow_hash"], made["source_port"] = [7, 0, 0], [80, 80, 443]
    codes, _ = distinct(five_tuples(made))
    assert numbered(codes) == [0, 0, 1]


def test_a_machine_with_words_the_other_way_round_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "byteorder", "big")
    with pytest.raises(ImportError, match="this one is big-endian"):
        importlib.reload(tuples)
