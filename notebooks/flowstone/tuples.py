# SPDX-License-Identifier: Apache-2.0
"""The 5-tuple of packets as their sender has it. Packets name it by its row, for many of them have the same."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence

import numpy as np

from .arrays import Array, Words
from .extras import needed

if sys.byteorder != "little":
    raise ImportError("flowstone reads fields as words, as little-endian machines have them, and this one is big-endian")

_WORDS = 6
_PORTS = 4
_WITHOUT_HASH = np.uint64(0xFFFFFFFF_00000000)
_MOST_TRIES = 4

TUPLE = np.dtype(
    [
        ("source_address", "u1", 16),
        ("destination_address", "u1", 16),
        ("flow_hash", "<u4"),
        ("source_port", "<u2"),
        ("destination_port", "<u2"),
        ("protocol", "u1"),
        ("zero", "u1", 7),
    ]
)
"""Six words without a gap: equal tuples have equal bytes."""

TUPLE_FIELDS: tuple[str, ...] = (TUPLE.names or ())[:-1]


def words_of(tuples: Array) -> Words:
    """The same bytes as rows of 64-bit words: two for each address, one with hash and ports, one with the protocol."""
    return np.ascontiguousarray(tuples).view(np.uint64).reshape(len(tuples), _WORDS)


def tuples_of(words: Words) -> Array:
    """Tuples of such rows. Who moves many moves words, or uses take(): NumPy moves structures field by field, at an eighth of the speed."""
    return words.view(TUPLE).reshape(len(words))


def tuple_words(source: Words, destination: Words, source_port: Array, destination_port: Array, protocol: Array, flow_hash: Array) -> Words:
    """Rows of words, of two for each address and of the other fields as numbers."""
    words = np.empty((len(source), _WORDS), dtype=np.uint64)
    words[:, :2] = source
    words[:, 2:_PORTS] = destination
    ports = source_port.astype(np.uint64) << np.uint64(32) | destination_port.astype(np.uint64) << np.uint64(48)
    words[:, _PORTS] = flow_hash.astype(np.uint64) | ports
    words[:, _PORTS + 1] = protocol
    return words


def join_tuples(tables: Sequence[Array]) -> Array:
    """Tables of tuples one below the other."""
    return tuples_of(np.concatenate([words_of(tuples) for tuples in tables])) if tables else np.empty(0, dtype=TUPLE)


def five_tuples(tuples: Array) -> list[Words]:
    """The columns that tell one 5-tuple from another: all words, the flow's hash apart, which not every packet has."""
    words = words_of(tuples)
    return [*words.T[:_PORTS], words[:, _PORTS] & _WITHOUT_HASH, *words.T[_PORTS + 1 :]]


def distinct(columns: Sequence[Words]) -> tuple[Array, Array]:
    """Numbers rows of words so that equal rows have equal numbers, from 0 on; and the first row of each number.

    A hash tells rows apart, whose factors are drawn anew for each try, so that addresses can hardly be chosen to share one. Whether
    two rows shared one all the same is looked at; where they do in every try, rows are sorted, which is exact and slower.
    """
    pandas = needed("pandas", "frames")

    for _ in range(_MOST_TRIES):
        codes, hashes = pandas.factorize(_hashes(columns))
        first = np.empty(len(hashes), dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
        if all(np.array_equal(column[first][codes], column) for column in columns):
            return codes, first
    _, first, codes = np.unique(np.stack(columns, axis=1), axis=0, return_index=True, return_inverse=True)
    return codes.reshape(-1), first


def _hashes(columns: Sequence[Words]) -> Words:
    hashes = np.zeros(len(columns[0]), dtype=np.uint64)
    high = np.empty_like(hashes)
    for column in columns:
        hashes ^= column
        # Twice: whatever the factor, the highest bit of one column leaves the first round as bits 63 and 31 alone, and the next column
        # could take these back.
        for _ in range(2):
            hashes *= np.uint64(secrets.randbits(64) | 1)
            np.right_shift(hashes, np.uint64(32), out=high)
            hashes ^= high
    return hashes
