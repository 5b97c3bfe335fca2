# SPDX-License-Identifier: Apache-2.0
"""What packets have in common is what a count by hand finds."""

from collections import Counter

import pytest
from conftest import with_header

import flowstone
from flowstone.fingerprints import fingerprint

COLUMNS = ["protocol", "frame_length", "destination_port", "time_to_live"]


@pytest.fixture
def packets(message):
    """The first hundred of them stand for seven each, of which others have more in number."""
    table = flowstone.read_batches([with_header(message, sampling_weight=7), with_header(message, sampling_weight=1)])
    return table[[*range(100), *range(240, 480)]]


@pytest.mark.parametrize("name", COLUMNS)
def test_counts_values_by_weight(packets, name):
    weights = Counter()
    for value, weight in zip(packets[name].tolist(), packets["weight"].tolist()):
        weights[value] += weight
    most = max(weights.values())
    row = fingerprint(packets, COLUMNS).loc[name]
    assert row["different"] == len(weights)
    assert row["most"] == min(value for value, weight in weights.items() if weight == most)
    assert row["share"] == pytest.approx(most / weights.total())


def test_what_all_have_has_a_share_of_one(packets):
    tcp = packets[packets["protocol"] == 6]
    row = fingerprint(tcp, ["protocol"]).loc["protocol"]
    assert (row["different"], row["most"], row["share"]) == (1, 6, 1)


def test_addresses_are_text(packets):
    row = fingerprint(packets, ["destination_address"]).loc["destination_address"]
    assert row["most"] in flowstone.format_addresses(packets["destination_address"])


def test_no_packets_have_nothing_in_common(packets):
    assert fingerprint(packets[:0], COLUMNS).empty
