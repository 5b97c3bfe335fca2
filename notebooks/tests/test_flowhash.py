# SPDX-License-Identifier: Apache-2.0
"""Flow hashes of many tuples at once, against CRC32C of each alone, as docs/formats/flow-hash.md has it."""

import random

import numpy as np

import flowstone
from flowstone.flowhash import flow_hashes

FLOWS = 2_000
ADDRESSES = [bytes(10) + b"\xff\xff" + bytes([10, 0, 0, last]) for last in (1, 2)] + [bytes([32, 1]) + bytes(13) + bytes([last]) for last in (1, 255)]
"""Few, so that addresses are the same, or differ in their last byte alone."""


def alone(one, other, protocol):
    """Endpoints are an address and a port of two bytes, the lower endpoint first."""
    (low, low_port), (high, high_port) = sorted([one, other])
    return flowstone.crc32c(low + high + low_port + high_port + bytes([protocol, 0, 0, 0]))


def test_hashes_of_flows_are_those_of_each_alone():
    chance = random.Random(11)
    pairs = [(chance.choice(ADDRESSES), chance.choice(ADDRESSES)) for _ in range(40)]
    pairs += [(chance.randbytes(16), chance.randbytes(16)) for _ in range(40)]
    flows = [(chance.randrange(len(pairs)), chance.randrange(300), chance.randrange(300), chance.randrange(256)) for _ in range(FLOWS)]
    pair, a_ports, b_ports, protocols = (np.array(column) for column in zip(*flows))
    a, b = (np.frombuffer(b"".join(side), dtype=np.uint64).reshape(-1, 2) for side in zip(*pairs))
    told = flow_hashes(a, b, pair, a_ports.astype("u2"), b_ports.astype("u2"), protocols.astype("u4"))
    truth = []
    for row, a_port, b_port, protocol in flows:
        one, other = pairs[row]
        truth.append(alone((one, a_port.to_bytes(2, "big")), (other, b_port.to_bytes(2, "big")), protocol))
    assert told.tolist() == truth
