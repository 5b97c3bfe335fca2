# SPDX-License-Identifier: Apache-2.0
"""Gaps are those within a flow, in the order of time."""

import numpy as np
import pytest

import flowstone
from flowstone.gaps import inter_arrival


@pytest.fixture
def packets(message):
    return flowstone.read_batches([message])


def naive(packets):
    latest, found = {}, []
    array = packets.to_array()
    for row in array[np.argsort(array["time_ns"], kind="stable")]:
        flow = tuple(
            row[name].tobytes() for name in ("source_address", "destination_address", "source_port", "destination_port", "protocol")
        )
        if flow in latest:
            found.append((int(row["time_ns"]), int(row["time_ns"]) - latest[flow]))
        latest[flow] = int(row["time_ns"])
    return sorted(found)


def test_each_packet_is_held_against_the_one_before_it_in_its_flow(packets):
    times, gaps = inter_arrival(packets)
    assert len(gaps) > 10
    assert sorted(zip(times.tolist(), gaps.tolist(), strict=True)) == naive(packets)


def test_order_in_the_table_does_not_count(packets):
    shuffled = packets[np.random.default_rng(1).permutation(len(packets))]
    assert sorted(inter_arrival(shuffled)[1]) == sorted(inter_arrival(packets)[1])


def test_a_flow_begins_anew_after_silence(packets):
    _, gaps = inter_arrival(packets)
    limit = int(np.median(gaps))
    assert sorted(inter_arrival(packets, silence_ns=limit)[1]) == sorted(gaps[gaps <= limit])


def test_a_hash_that_was_not_told_divides_no_flow(packets):
    """Of two messages of the same flows one may tell their hashes and one may not."""
    other = packets[:]
    other.tuples = packets.tuples.copy()
    other.tuples["flow_hash"] += 1
    assert len(inter_arrival(flowstone.concatenate([packets, other]))[1]) > 2 * len(inter_arrival(packets)[1])


def test_names_columns_that_were_not_read(message):
    with pytest.raises(KeyError, match="no column 'source_address', 'destination_address', 'source_port', 'destination_port', 'protocol' was"):
        inter_arrival(flowstone.read_batches([message], ["time_ns", "frame_length"]))


def test_no_packets_have_no_gaps(packets):
    times, gaps = inter_arrival(packets[:0])
    assert len(times) == len(gaps) == 0
