# SPDX-License-Identifier: Apache-2.0
"""Text form of the 16-byte addresses of packet records."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Iterator

import numpy as np

from .arrays import Array

_IPV4_PREFIX = b"\x00" * 10 + b"\xff\xff"


def format_address(address: bytes | Array) -> str:
    """Text of one address: 16 bytes, or one row of the source_address or destination_address column."""
    octets = bytes(address).ljust(16, b"\x00")  # NumPy drops trailing zero bytes of an S16
    if octets.startswith(_IPV4_PREFIX):
        return str(ipaddress.IPv4Address(octets[12:]))
    return str(ipaddress.IPv6Address(octets))


def parse_address(text: str) -> Array:
    """The 16 bytes of an address, as rows of the columns of addresses have them: (column == parse_address("192.0.2.1")).all(axis=1)."""
    address = ipaddress.ip_address(text)
    octets = _IPV4_PREFIX + address.packed if address.version == 4 else address.packed
    return np.frombuffer(octets, dtype=np.uint8)


def format_addresses(addresses: Array) -> Array:
    """Texts of a whole column of addresses (n rows of 16 bytes), each distinct address being formatted once."""
    rows = np.ascontiguousarray(addresses).view(np.uint8).reshape(-1, 16)
    texts = np.empty(len(rows), dtype=object)
    ipv4 = is_ipv4(rows)
    distinct, inverse = np.unique(rows[ipv4, 12:].view(">u4").ravel(), return_inverse=True)
    texts[ipv4] = _texts(map(socket.inet_ntoa, _octets(distinct)), len(distinct))[inverse.ravel()]
    distinct, inverse = np.unique(rows[~ipv4].view("V16").ravel(), return_inverse=True)
    texts[~ipv4] = _ipv6_texts(distinct)[inverse.ravel()]
    return texts


def _ipv6_texts(distinct: Array) -> Array:
    # The C library is ten times as fast as Python, and has another form for what begins with 96 zero bits.
    texts = _texts((socket.inet_ntop(socket.AF_INET6, octets) for octets in _octets(distinct)), len(distinct))
    for at in np.flatnonzero(~distinct.view(np.uint32).reshape(-1, 4)[:, :3].any(axis=1)):
        texts[at] = format_address(distinct[at].tobytes())
    return texts


def _texts(texts: Iterable[str], count: int) -> Array:
    return np.fromiter(texts, dtype=object, count=count)


def is_ipv4(addresses: Array) -> Array:
    """Which rows of 16 bytes are IPv4 addresses."""
    high = np.ascontiguousarray(addresses).view(np.uint64).reshape(-1, 2)
    low_prefix = np.uint64(int.from_bytes(_IPV4_PREFIX[8:] + b"\0\0\0\0", "little"))
    return (high[:, 0] == 0) & ((high[:, 1] & np.uint64(0xFFFFFFFF)) == low_prefix)


def _octets(values: Array) -> Iterator[bytes]:
    data, length = values.tobytes(), values.itemsize
    return (data[at : at + length] for at in range(0, len(data), length))
