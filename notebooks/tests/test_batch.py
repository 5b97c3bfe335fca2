# SPDX-License-Identifier: Apache-2.0
"""The Java encoder wrote the fixtures and said what is in them: both languages must agree on every field."""

import random

import numpy as np
import pytest
from conftest import FIXTURES, signed

import flowstone
from flowstone import layouts
from flowstone.batch import PACKET, _CHECKSUM_OFFSET


def test_header_agrees_with_java(released, expected):
    header = flowstone.read_header(released)
    assert {name: getattr(header, name) for name in expected["header"]} == expected["header"]


def test_every_field_agrees_with_java(released, expected):
    packets = flowstone.read_batch(released)
    assert len(packets) == len(expected["packets"]) == 240
    assert set(PACKET.names) == {*expected["packets"][0], "weight"}
    for name in expected["packets"][0]:
        wanted = [packet[name] for packet in expected["packets"]]
        found = packets[name]
        found = [row.tobytes().hex() for row in found] if name.endswith("address") else found.tolist()
        assert found == wanted, name


def test_both_bodies_give_the_same_records(version):
    raw = flowstone.read_records((FIXTURES / f"{version}-raw.batch").read_bytes())
    columns = flowstone.read_records((FIXTURES / f"{version}-columns.batch").read_bytes())
    assert raw.tobytes() == columns.tobytes()


def test_accepts_any_bytes_like(message):
    assert len(flowstone.read_batch(memoryview(bytearray(message)))) == 240


def test_refuses_a_flipped_bit_anywhere(message):
    for at in range(0, len(message), 7):
        damaged = bytearray(message)
        damaged[at] ^= 0x10
        with pytest.raises(flowstone.BatchError):
            flowstone.read_batch(damaged)


def test_refuses_truncation_behind_a_right_checksum(message):
    for length in list(range(0, 400, 9)) + list(range(400, len(message), 97)):
        with pytest.raises(flowstone.BatchError):
            flowstone.read_batch(signed(message[:length]) if length >= 64 else message[:length])


def test_survives_signed_nonsense(message):
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    for _ in range(500):
        damaged = bytearray(message)
        for _ in range(source.randint(1, 3)):
            damaged[source.randrange(4, min(len(damaged), source.choice([320, 1 << 20])))] = source.randrange(256)
        try:
            flowstone.read_batch(signed(damaged))
        except flowstone.BatchError as refused:
            assert refused.place and refused.reason


def test_names_the_version_it_does_not_know(message):
    other = bytearray(message)
    other[4] = 9
    with pytest.raises(flowstone.BatchError, match="header.version.*version 9"):
        flowstone.read_batch(signed(other))


def test_checksum_can_be_left_out(message):
    other = bytearray(message)
    other[_CHECKSUM_OFFSET] ^= 1
    with pytest.raises(flowstone.BatchError, match="header.checksum"):
        flowstone.read_batch(other)
    assert np.array_equal(flowstone.read_batch(other, verify_checksum=False), flowstone.read_batch(message))


@pytest.mark.parametrize("read", [flowstone.read_batch, flowstone.read_records, flowstone.read_header])
def test_a_tombstone_is_none(read):
    """As Java's deserializer answers a Kafka message without a value."""
    assert read(None) is None


def test_each_packet_says_for_how_many_it_stands(message):
    header = np.frombuffer(bytearray(message[: layouts.PACKET_BATCH_HEADER.itemsize]), dtype=layouts.PACKET_BATCH_HEADER)
    header["sampling_weight"] = 100
    sampled = flowstone.read_batch(signed(header.tobytes() + message[header.itemsize :]))
    both = np.concatenate([sampled, flowstone.read_batch(message)])
    assert both["weight"].sum() == 240 * (100 + flowstone.read_header(message).sampling_weight)


def test_refuses_a_sampling_weight_of_nothing(message):
    header = np.frombuffer(bytearray(message[: layouts.PACKET_BATCH_HEADER.itemsize]), dtype=layouts.PACKET_BATCH_HEADER)
    header["sampling_weight"] = 0
    with pytest.raises(flowstone.BatchError, match="header.sampling_weight"):
        flowstone.read_batch(signed(header.tobytes() + message[header.itemsize :]))
