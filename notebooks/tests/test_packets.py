# SPDX-License-Identifier: Apache-2.0
"""Tables of packets say what read_batch says of each message, and what was lost."""

import json

import numpy as np
import pytest
from conftest import FIXTURES, with_header

import flowstone
from flowstone import layouts
from flowstone.batch import PACKET


def test_columns_are_those_of_read_batch(released):
    packets = flowstone.read_batches([released, released])
    expected = np.concatenate([flowstone.read_batch(released)] * 2)
    assert packets.columns == flowstone.COLUMNS == PACKET.names
    for name in PACKET.names:
        assert packets[name].dtype.base == PACKET[name].base, name
        assert np.array_equal(packets[name], expected[name]), name
    assert packets.to_array().tobytes() == expected.tobytes()


def from_elsewhere(message):
    """The same packets of other hosts."""
    records = flowstone.read_records(message).copy()
    records["source_address"][:, 15] ^= 0x55
    return with_header(message, body_kind=layouts.BatchBody.RAW, body=records.tobytes())


def test_packets_keep_their_own_hosts(message):
    packets = flowstone.read_batches([message, from_elsewhere(message), message])
    expected = [flowstone.read_batch(each)["source_address"] for each in (message, from_elsewhere(message), message)]
    assert np.array_equal(packets["source_address"], np.concatenate(expected))


@pytest.mark.parametrize("columns", [None, ["kind"]])
def test_refuses_what_is_no_packet(columns):
    message = (FIXTURES / "v3-raw.batch").read_bytes()
    records = flowstone.read_records(message).copy()
    records["descriptor"][7] |= layouts.RecordKind.LOSS << layouts.PACKET_RECORD_KIND_SHIFT
    with pytest.raises(flowstone.BatchError, match="packet: a record is not a packet"):
        flowstone.read_batches([with_header(message, body=records.tobytes())], columns)


@pytest.mark.parametrize("name", flowstone.COLUMNS)
def test_one_column_alone_is_the_same(released, name):
    packets = flowstone.read_batches([released], columns=[name])
    assert set(packets.columns) == {name, "weight"}
    assert np.array_equal(packets[name], flowstone.read_batch(released)[name])


def test_a_column_that_was_not_read_is_named(message):
    packets = flowstone.read_batches([message], columns=["time_ns", "frame_length"])
    with pytest.raises(KeyError, match="no column 'protocol' was read; there are time_ns, frame_length, weight"):
        packets["protocol"]
    with pytest.raises(ValueError, match="no column 'colour'; there are time_ns, "):
        flowstone.read_batches([message], columns=["colour"])


def test_changing_a_column_changes_nothing_in_the_table(message):
    packets = flowstone.read_batches([message])
    for name in packets.columns:
        packets[name][:] = 0
    assert np.array_equal(packets.to_array(), flowstone.read_batch(message))


@pytest.mark.parametrize("chosen", [slice(10, 20), [3, 1, 2], "mask"])
def test_fewer_packets_are_a_table(message, chosen):
    whole = flowstone.read_batch(message)
    rows = whole["protocol"] == 6 if chosen == "mask" else chosen
    packets = flowstone.read_batches([message])[rows]
    assert len(packets) == len(whole[rows]) > 0
    assert packets.to_array().tobytes() == whole[rows].tobytes()


def test_fewer_packets_hold_fewer_tuples(message):
    packets = flowstone.read_batches([message, from_elsewhere(message)])
    few = packets[[7, 300, 7]]
    assert len(few.tuples) == 2 and few.tuple_of.tolist() in ([0, 1, 0], [1, 0, 1])
    assert np.array_equal(few["source_address"], packets["source_address"][[7, 300, 7]])
    assert len(packets[:0].tuples) == 0 and len(packets[:0]["protocol"]) == 0


@pytest.mark.parametrize("chosen", [3, np.int64(3), True, [[1, 2]]])
def test_one_packet_alone_is_no_table(message, chosen):
    with pytest.raises(TypeError, match=r"a slice, a mask or a list of rows, as packets\[\[3\]\]: "):
        flowstone.read_batches([message])[chosen]


def test_losses_come_with_the_packets_and_stay(message):
    first = with_header(message, lost_before=5, lost_before_tap=0)
    alone = with_header(message, body_kind=1, count=0, position_span=0, lost_before=7, lost_before_tap=11, body=b"")
    packets = flowstone.read_batches([first, alone, None])
    assert (len(packets), packets.lost_before, packets.lost_before_tap) == (240, 12, 11)
    assert packets.batches["count"].tolist() == [240, 0]
    assert packets[:0].lost_before == 12
    assert "240 packets of 2 batches from " in repr(packets) and repr(packets).endswith("lost before them 12, before the tap 11")


def test_tables_are_put_one_below_the_other(message):
    sampled = with_header(message, sampling_weight=100, lost_before=3)
    parts = [flowstone.read_batches([message])[:7], flowstone.read_batches([sampled, message], columns=flowstone.GROUP_COLUMNS)]
    both = flowstone.concatenate(parts)
    assert both.columns == tuple(name for name in flowstone.COLUMNS if name in {*flowstone.GROUP_COLUMNS, "weight"})
    for name in both.columns:
        assert np.array_equal(both[name], np.concatenate([part[name] for part in parts])), name
    assert both.lost_before == sum(part.lost_before for part in parts)
    assert both["weight"].sum() == 7 * 1000 + 240 * (100 + 1000)
    assert len(flowstone.concatenate([])) == 0


def test_knows_what_was_told_twice(message):
    header = flowstone.read_header(message)
    later = with_header(message, first_position=header.first_position + header.position_span + 1)
    overlapping = with_header(message, first_position=header.first_position + header.position_span)
    assert flowstone.read_batches([message, later]).repeated == 0
    assert flowstone.read_batches([message, overlapping]).repeated == 240
    assert flowstone.read_batches([message, later, message, later]).repeated == 480
    for other in ({"stream": 7}, {"incarnation": 7}, {"rule": 7}, {"sampling_weight": 7}):
        assert flowstone.read_batches([message, with_header(message, **other)]).repeated == 0, other


def test_batches_say_where_the_packets_are_from():
    packets = flowstone.read_batches([(FIXTURES / "v3-columns.batch").read_bytes()])
    expected = json.loads((FIXTURES / "v3.json").read_text())["header"]
    row = packets.batches[0]
    for name in ("ring", "stream", "rule", "incarnation", "first_position", "position_span", "count", "time_base_ns", "lost_before"):
        assert row[name] == expected[name], name
    assert (row["partition"], row["offset"], row["weight"]) == (-1, -1, expected["sampling_weight"])


def test_nothing_is_a_table_without_packets():
    packets = flowstone.read_batches([])
    assert len(packets) == len(packets["time_ns"]) == len(packets["source_address"]) == 0
    assert repr(packets) == "0 packets of 0 batches; lost before them 0, before the tap 0"
