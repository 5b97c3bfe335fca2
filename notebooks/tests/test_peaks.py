# SPDX-License-Identifier: Apache-2.0
"""Peaks are those of a count by hand, whatever the order of packets."""

import numpy as np
import pytest
from conftest import with_header

import flowstone
from flowstone.peaks import peak_rates


@pytest.fixture
def packets(message):
    return flowstone.read_batches([message, with_header(message, sampling_weight=3)])


def counted(packets, width_ns):
    """Octets of each interval that has any, by its begin."""
    octets = {}
    for row in packets.to_array():
        begin_ns = int(row["time_ns"]) // width_ns * width_ns
        octets[begin_ns] = octets.get(begin_ns, 0) + int(row["frame_length"]) * int(row["weight"])
    return octets


@pytest.mark.parametrize("width_ns", [10**9, 10**6, 10**4])
def test_a_peak_is_the_fullest_interval(packets, width_ns):
    octets = counted(packets, width_ns)
    most = max(octets.values())
    [peak] = peak_rates(packets, [width_ns]).to_dict("records")
    assert peak["bits_per_second"] == pytest.approx(most * 8 * 10**9 / width_ns)
    assert peak["begin_ns"] == min(begin_ns for begin_ns, each in octets.items() if each == most)


def test_intervals_are_many_enough_to_matter(packets):
    assert len(counted(packets, 10**4)) > 10


def test_order_in_the_table_does_not_count(packets):
    shuffled = packets[np.random.default_rng(1).permutation(len(packets))]
    widths = [10**9, 10**7, 10**5, 10**4]
    assert peak_rates(shuffled, widths).equals(peak_rates(packets, widths))
    assert peak_rates(packets, widths)["width_ns"].tolist() == widths


def test_no_packets_have_no_peak(packets):
    assert len(peak_rates(packets[:0], [10**9])) == 0
    assert peak_rates(packets[:0], [10**9]).columns.tolist() == ["width_ns", "begin_ns", "bits_per_second"]


def test_names_columns_that_were_not_read(message):
    with pytest.raises(KeyError, match="no column 'frame_length' was read"):
        peak_rates(flowstone.read_batches([message], ["time_ns"]), [10**9])
