# SPDX-License-Identifier: Apache-2.0
"""Text form of the 16-byte addresses of packet records."""

import ipaddress

import numpy as np

_IPV4_PREFIX = b"\x00" * 10 + b"\xff\xff"


def format_address(address):
    """Text of one address: 16 bytes, or one row of the source_address or destination_address column."""
    octets = bytes(address).ljust(16, b"\x00")  # NumPy drops trailing zero bytes of an S16
    if octets.startswith(_IPV4_PREFIX):
        return str(ipaddress.IPv4Address(octets[12:]))
    return str(ipaddress.IPv6Address(octets))


def format_addresses(addresses):
    """Texts of a whole column of addresses (n rows of 16 bytes), each distinct address being formatted once."""
    rows = np.ascontiguousarray(addresses).view("V16").ravel()
    distinct, inverse = np.unique(rows, return_inverse=True)
    texts = np.array([format_address(row.tobytes()) for row in distinct], dtype=object)
    return texts[inverse.ravel()]
