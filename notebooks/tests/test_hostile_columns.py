# SPDX-License-Identifier: Apache-2.0
"""Columnar bodies that no encoder writes, behind a right checksum: packets or a BatchError, never another exception."""

import random
import struct
import time
from dataclasses import replace

import numpy as np
import pytest
from conftest import FIXTURES, signed

import flowstone
from flowstone import columns, layouts
from flowstone.batch import MAX_PACKETS, _HEADER_BYTES

HEADER = (FIXTURES / "v3-columns.batch").read_bytes()[:_HEADER_BYTES]
IPV4_HIGH = layouts.RecordKind.IPV4 << (layouts.PACKET_RECORD_KIND_SHIFT - layouts.PACKET_RECORD_TRAFFIC_CLASS_SHIFT)
LINKS = ["direction", "direction_flow", "flow_pair", "direction_profile", "first_from_b", "protocol"]
HAS_BASE = 1 << layouts.PACKET_COLUMN_HAS_BASE_SHIFT


def columns_message(flows, directions, count, pairs=None, profiles=None, **values):
    """IPv4 packets whose every value is 0, but for the columns named: one list, or one number for all rows.

    Each flow has a pair of its own and each direction a profile, unless it is said how many there are.
    """
    header = np.frombuffer(bytearray(HEADER), dtype=layouts.PACKET_BATCH_HEADER)
    header["count"] = count
    header["position_span"] = MAX_PACKETS
    values = {"descriptor_high": IPV4_HIGH} | values
    rows = columns.Rows(flows if pairs is None else pairs, flows, directions if profiles is None else profiles, directions, count)
    data = b""
    for index, name in enumerate(columns.COLUMN_NAMES):
        value = values.get(name, 0)
        if np.ndim(value) == 0:
            data += struct.pack("<BI", HAS_BASE, value) if value else bytes(1)
        else:
            column = np.zeros(max(0, rows.of(index)), dtype="<u4")
            used = min(len(column), len(value))
            column[:used] = value[:used]
            data += bytes([32]) + column.tobytes()
    counts = struct.pack("<HHHH", *(number & 0xFFFF for number in (rows.pairs, rows.flows, rows.profiles, rows.directions)))
    return signed(header.tobytes() + counts + data + bytes(columns.TAIL_BYTES))


def with_first_column(data):
    """One packet, whose first column is written so."""
    message = bytearray(columns_message(1, 1, 1))
    first = _HEADER_BYTES + layouts.PACKET_COLUMNS_HEADER.itemsize
    message[first : first + len(data)] = data
    return signed(message)


def test_refuses_a_direction_without_packets():
    message = columns_message(1, 2, 2, direction_flow=[0, 1], direction=[0, 1])
    with pytest.raises(flowstone.BatchError, match="column direction: 1 of 2 packets begin a direction, direction_count is 2"):
        flowstone.read_batch(message)


@pytest.mark.parametrize(
    "place, message",
    [
        ("column direction", columns_message(1, 1, 3, direction=[0, 1, 0])),
        ("column direction", columns_message(1, 2, 3, direction_flow=[0, 1], direction=[0, 2, 0])),
        ("column direction", columns_message(1, 1, 2, direction=[0, 0xFFFFFFFF])),
        ("column direction", columns_message(0, 0, 1, direction=[1])),
        ("column direction_flow", columns_message(1, 2, 2)),
        ("column direction_flow", columns_message(2, 2, 2, direction_flow=[0, 1])),
        ("column direction_flow", columns_message(1, 3, 3, direction_flow=[0, 1, 1])),
        ("column direction_flow", columns_message(1, 2, 2, direction_flow=[0, 0xFFFFFFFF])),
        ("column direction_flow", columns_message(1, 2, 2, direction_flow=[1, 0])),
        ("columns.direction_count", columns_message(0, 1, 0)),
        ("columns.flow_count", columns_message(1, 0, 0)),
        ("columns.direction_count", columns_message(0xFFFF, 0xFFFF, 1)),
        ("columns.pair_count", columns_message(2, 2, 2, pairs=3)),
        ("columns.profile_count", columns_message(2, 2, 2, profiles=3)),
        ("column flow_pair", columns_message(2, 2, 2, pairs=1, flow_pair=[0, 2])),
        ("column flow_pair", columns_message(2, 2, 2, pairs=1)),
        ("column flow_pair", columns_message(2, 2, 2, flow_pair=[0, 1])),
        ("column direction_profile", columns_message(2, 2, 2, profiles=1, direction_profile=[0, 0xFFFFFFFF])),
        ("column a_address_0", with_first_column(b"\x80\1\0" * 3)),
        ("column a_address_0", with_first_column(b"\x88\0\1\0\x19")),
        ("column a_address_0", with_first_column(b"\x80\2\0")),
        ("column a_address_0", with_first_column(b"\x80\0\0")),
        ("column a_address_0", with_first_column(b"\x21")),
    ],
)
def test_names_the_place(place, message):
    with pytest.raises(flowstone.BatchError) as refused:
        flowstone.read_batch(message)
    assert refused.value.place == place


@pytest.mark.parametrize("read", [flowstone.read_batch, flowstone.read_records])
def test_columns_without_packets_are_an_empty_batch(read):
    assert len(read(columns_message(0, 0, 0))) == 0


def test_raw_body_without_packets_is_an_empty_batch():
    header = np.frombuffer(bytearray(HEADER), dtype=layouts.PACKET_BATCH_HEADER)
    header["body_kind"] = layouts.BatchBody.RAW
    header["count"] = 0
    assert len(flowstone.read_batch(signed(header.tobytes()))) == 0


def test_takes_flags_from_the_lowest_byte_only():
    """As the Java decoder does; no encoder writes such a value."""
    assert flowstone.read_batch(columns_message(1, 1, 1, tcp_flags=[0x102]))["tcp_flags"].tolist() == [0x10]


def test_no_packets_begin_no_direction():
    none = np.zeros(0, dtype=np.uint32)
    direction, is_first = columns._packet_directions(none, 0)
    assert len(direction) == len(is_first) == 0
    with pytest.raises(flowstone.BatchError, match="column direction: 0 of 0 packets begin a direction, direction_count is 1"):
        columns._packet_directions(none, 1)


def test_the_shortest_message_may_hold_most_packets():
    message = columns_message(MAX_PACKETS, MAX_PACKETS, MAX_PACKETS)
    assert len(message) < 400
    started = time.monotonic()
    assert len(flowstone.read_batch(message)) == MAX_PACKETS
    assert time.monotonic() - started < 10


def _changed(source, values, rows):
    """Changes one value, one column or one count; mostly to numbers near a bound."""
    near = source.choice([-1, 0, 1])
    value = (source.choice([0, 0, rows.flows, rows.directions, rows.packets, 1 << 31, source.randrange(1 << 32)]) + near) % (1 << 32)
    column = values[source.choice(LINKS) if source.random() < 0.5 else source.choice(columns.COLUMN_NAMES)]
    choice = source.randrange(8)
    if choice == 0:
        table = source.choice(["pairs", "flows", "profiles", "directions", "packets"])
        return replace(rows, **{table: max(0, getattr(rows, table) + source.randint(-2, 2))})
    if choice == 1:
        column[:] = value
    elif len(column) > 0:
        row, other = source.randrange(len(column)), source.randrange(len(column))
        if choice < 4:
            column[row], column[other] = column[other], column[row]
        else:
            column[row] = value
    return rows


def test_answers_changed_columns_with_packets_or_refusal():
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    body = (FIXTURES / "v3-columns.batch").read_bytes()[_HEADER_BYTES:]
    original, original_rows = columns.read_columns(body, 240)
    accepted = 0
    for _ in range(1500):
        values = {name: column.copy() for name, column in original.items()}
        rows = original_rows
        for _ in range(source.randint(1, 3)):
            rows = _changed(source, values, rows)
        message = columns_message(rows.flows, rows.directions, rows.packets, rows.pairs, rows.profiles, **values)
        try:
            assert len(flowstone.read_batch(message)) == rows.packets
            accepted += 1
        except flowstone.BatchError as refused:
            assert refused.place and refused.reason
    assert 0 < accepted < 1500
