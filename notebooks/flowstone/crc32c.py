# SPDX-License-Identifier: Apache-2.0
"""CRC32C of a message in a few hundred NumPy steps, or by a native package where one is installed.

CRC is linear, so a message can be cut into lanes of equal length whose checksums are computed side by side and then
joined in pairs: moving a checksum over n zero bytes is a fixed 32-bit linear map, kept as four tables of 256 entries.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from .arrays import Array, Message

_POLYNOMIAL = 0x82F63B78  # Castagnoli, lowest bit first
_ONES = 0xFFFFFFFF
_LANE_BYTES = 256


def _byte_table() -> Array:
    entry: Array = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        entry = (entry >> np.uint32(1)) ^ np.where(entry & np.uint32(1), np.uint32(_POLYNOMIAL), np.uint32(0))
    return entry


_TABLE = _byte_table()


def _apply(tables: list[Array], checksums: Array) -> Array:
    """The linear map of four byte tables, applied to every checksum."""
    byte = np.uint32(0xFF)
    return (
        tables[0][checksums & byte]
        ^ tables[1][(checksums >> np.uint32(8)) & byte]
        ^ tables[2][(checksums >> np.uint32(16)) & byte]
        ^ tables[3][checksums >> np.uint32(24)]
    )


@functools.lru_cache(maxsize=32)
def _move_over_zeros(log2_bytes: int) -> list[Array]:
    """Tables of the map that appends 2**log2_bytes zero bytes to what a checksum covers."""
    every_byte = np.arange(256, dtype=np.uint32)
    inputs = [every_byte << np.uint32(8 * i) for i in range(4)]
    if log2_bytes == 0:
        return [(value >> np.uint32(8)) ^ _TABLE[value & np.uint32(0xFF)] for value in inputs]
    half = _move_over_zeros(log2_bytes - 1)
    return [_apply(half, _apply(half, value)) for value in inputs]


def _crc32c_numpy(data: Message) -> int:
    octets = np.frombuffer(data, dtype=np.uint8)
    if len(octets) < 4:
        checksum = _ONES
        for octet in octets.tolist():
            checksum = (checksum >> 8) ^ int(_TABLE[(checksum ^ octet) & 0xFF])
        return checksum ^ _ONES
    lanes = 1 << max(0, (len(octets) - 1) // _LANE_BYTES).bit_length()
    padded = np.zeros(lanes * _LANE_BYTES, dtype=np.uint8)
    padded[-len(octets) :] = octets  # zeros in front leave a checksum that starts at 0 unchanged
    padded[-len(octets) :][:4] ^= 0xFF  # the same as starting at all ones
    columns = np.ascontiguousarray(padded.reshape(lanes, _LANE_BYTES).T).astype(np.uint32)
    checksums: Array = np.zeros(lanes, dtype=np.uint32)
    for column in columns:
        checksums = (checksums >> np.uint32(8)) ^ _TABLE[(checksums ^ column) & np.uint32(0xFF)]
    log2_bytes = _LANE_BYTES.bit_length() - 1
    while len(checksums) > 1:
        checksums = _apply(_move_over_zeros(log2_bytes), checksums[0::2]) ^ checksums[1::2]
        log2_bytes += 1
    return int(checksums[0]) ^ _ONES


def _native() -> Callable[[bytes], int] | None:
    try:
        import google_crc32c

        return google_crc32c.value
    except ImportError:
        pass
    try:
        import crc32c as package

        return package.crc32c
    except ImportError:
        return None


_crc32c_native = _native()


def crc32c(data: Message) -> int:
    """CRC32C of bytes-like data."""
    return (_crc32c_native or _crc32c_numpy)(bytes(data))
