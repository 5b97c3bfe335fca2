# SPDX-License-Identifier: Apache-2.0
import pytest

from flowstone.crc32c import _TABLE, _crc32c_numpy, crc32c


def byte_by_byte(data):
    checksum = 0xFFFFFFFF
    for octet in data:
        checksum = (checksum >> 8) ^ int(_TABLE[(checksum ^ octet) & 0xFF])
    return checksum ^ 0xFFFFFFFF


def test_published_values():
    # RFC 3720, B.4, and the usual check value.
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E


@pytest.mark.parametrize("length", [0, 1, 3, 4, 5, 255, 256, 257, 511, 512, 513, 1000, 4096, 70001])
def test_lanes_equal_the_plain_loop(length):
    data = bytes((i * 37 + (i >> 8)) & 0xFF for i in range(length))
    assert _crc32c_numpy(data) == byte_by_byte(data)
