# SPDX-License-Identifier: Apache-2.0
"""The flow hash of many tuples at once: CRC32C is linear, so it is an XOR of one table entry for each byte."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arrays import Array, Words
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


def flow_hashes(a_addresses: Words, b_addresses: Words, pair: Array, a_ports: Array, b_ports: Array, protocols: Array) -> Array:
    """Flow hashes of flows, of which each names a pair of addresses by its row; addresses are rows of two words, as tuples have them.

    What addresses add to a hash is worked out once for each pair: there are fewer of these than flows.
    """
    b_is_lower, same = _ordered(a_addresses, b_addresses)
    lower = np.where(b_is_lower[:, None], b_addresses, a_addresses)
    higher = np.where(b_is_lower[:, None], a_addresses, b_addresses)
    of_pairs = _of_octets([*_octets(lower), *_octets(higher)], 0)
    b_first = np.where(same[pair], b_ports < a_ports, b_is_lower[pair])
    first, second = np.where(b_first, b_ports, a_ports), np.where(b_first, a_ports, b_ports)
    rest = [first >> 8, first & 0xFF, second >> 8, second & 0xFF, protocols]
    return _OF_ZEROS ^ of_pairs[pair] ^ _of_octets(rest, _TUPLE_BYTES - len(rest))


def _ordered(a_addresses: Words, b_addresses: Words) -> tuple[Array, Array]:
    """Where b is the lower one, byte by byte, and where they are the same."""
    a, b = a_addresses.byteswap(), b_addresses.byteswap()
    same_high = a[:, 0] == b[:, 0]
    return (b[:, 0] < a[:, 0]) | (same_high & (b[:, 1] < a[:, 1])), same_high & (a[:, 1] == b[:, 1])


def _octets(addresses: Words) -> Array:
    """A row for each place of an address."""
    return np.ascontiguousarray(addresses.view(np.uint8).T)


def _of_octets(columns: Sequence[Array], position: int) -> Array:
    """What octets from a position on add to a hash."""
    hashes = _TABLES[position][columns[0]]
    for i, column in enumerate(columns[1:], position + 1):
        hashes ^= _TABLES[i][column]
    return hashes
