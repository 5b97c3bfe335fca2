# SPDX-License-Identifier: Apache-2.0
"""The flow hash of many tuples at once: CRC32C is linear, so it is an XOR of one table entry for each byte."""

from __future__ import annotations

import numpy as np

from .arrays import Array
from .crc32c import _crc32c_numpy

_TUPLE_BYTES = 37
_INPUT_BYTES = 40  # three zero bytes end what is hashed


def _position_tables() -> tuple[np.uint32, Array]:
    zeros = _crc32c_numpy(bytes(_INPUT_BYTES))
    tables = np.zeros((_TUPLE_BYTES, 256), dtype=np.uint32)
    octets = np.arange(256)
    for position in range(_TUPLE_BYTES):
        for bit in range(8):
            message = bytearray(_INPUT_BYTES)
            message[position] = 1 << bit
            effect = np.uint32(_crc32c_numpy(bytes(message)) ^ zeros)
            tables[position][(octets >> bit) & 1 == 1] ^= effect
    return np.uint32(zeros), tables


_OF_ZEROS, _TABLES = _position_tables()


def flow_hashes(a_addresses: Array, b_addresses: Array, a_ports: Array, b_ports: Array, protocols: Array) -> Array:
    """Flow hashes of rows of endpoints; addresses are (n, 16) bytes, ports and protocols n numbers."""
    a_key = np.concatenate([a_addresses, _big_endian_16(a_ports)], axis=1)
    b_key = np.concatenate([b_addresses, _big_endian_16(b_ports)], axis=1)
    b_first = _less(b_key, a_key)[:, None]
    first = np.where(b_first, b_key, a_key)
    second = np.where(b_first, a_key, b_key)
    tuples = np.concatenate(
        [first[:, :16], second[:, :16], first[:, 16:], second[:, 16:], protocols.astype(np.uint8)[:, None]], axis=1
    )
    hashes = np.full(len(tuples), _OF_ZEROS, dtype=np.uint32)
    for position in range(_TUPLE_BYTES):
        hashes ^= _TABLES[position][tuples[:, position]]
    return hashes


def _big_endian_16(numbers: Array) -> Array:
    return np.ascontiguousarray(numbers.astype(">u2")).view(np.uint8).reshape(-1, 2)


def _less(left: Array, right: Array) -> Array:
    """Whether each row of left comes before that of right, byte by byte."""
    differs = left != right
    at = differs.argmax(axis=1)
    rows = np.arange(len(left))
    return differs.any(axis=1) & (left[rows, at] < right[rows, at])
