# SPDX-License-Identifier: Apache-2.0
"""Samples are the product's, and estimates err as often as they say."""

import numpy as np
import pytest

import flowstone
from flowstone import sampling

HASHES = (np.arange(1, 100_000, dtype=np.uint64) * 0x9E3779B1).astype(np.uint32)


@pytest.mark.parametrize(
    ("one_in", "chosen", "first"),
    [
        (2, 49_911, [1, 2, 3, 4, 5, 6, 7, 10]),
        (3, 33_210, [1, 3, 4, 5, 6, 7, 11, 18]),
        (10, 10_133, [7, 22, 36, 43, 45, 46, 61, 64]),
        (1000, 93, [428, 802, 4599, 6469, 7777, 8188, 8268, 8346]),
    ],
)
def test_whole_flows_are_those_that_the_product_chooses(one_in, chosen, first):
    """As dev.flowstone.operators.packets.WholeFlows chose of the same hashes."""
    mask = sampling.whole_flows(HASHES, one_in)
    assert mask.sum() == chosen
    assert (np.flatnonzero(mask) + 1)[:8].tolist() == first


def test_packets_without_a_flow_are_not_chosen_together():
    assert not sampling.whole_flows(np.zeros(1000, dtype=np.uint32), 1).any()


def test_every_nth_begins_with_the_first():
    assert np.flatnonzero(sampling.every_nth(25, 10)).tolist() == [0, 10, 20]


def test_by_chance_draws_about_so_many_and_the_same_again():
    mask = sampling.by_chance(100_000, 10, seed=3)
    assert abs(mask.sum() - 10_000) < 4 * 95
    assert np.array_equal(mask, sampling.by_chance(100_000, 10, seed=3))
    assert not np.array_equal(mask, sampling.by_chance(100_000, 10, seed=4))


def test_an_estimate_of_a_count_errs_by_the_root_of_what_was_drawn():
    estimate = sampling.estimate(np.ones(88), 100)
    assert estimate.total == 8800
    assert estimate.error == pytest.approx(1.96 * 940, rel=0.01)


def test_nothing_left_out_is_no_error():
    assert sampling.estimate([3, 4], 1) == sampling.Estimate(7, 0)


def test_packets_that_were_drawn_together_make_a_greater_error():
    alone = sampling.estimate(np.ones(100), 10)
    together = sampling.estimate(np.ones(100), 10, clusters=np.repeat([7, 9], 50))
    assert together.total == alone.total
    assert together.error == pytest.approx(alone.error * 50**0.5)


@pytest.mark.parametrize("together", [False, True])
def test_the_truth_lies_within_the_error_in_nineteen_of_twenty_samples(together):
    random = np.random.default_rng(1)
    octets = random.choice([64, 576, 1514], 20_000)
    flow = np.sort(random.integers(0, 4_000, len(octets))) if together else np.arange(len(octets))
    hits = 0
    for seed in range(400):
        drawn = sampling.by_chance(flow.max() + 1, 20, seed)[flow]
        estimate = sampling.estimate(octets[drawn], 20, clusters=flow[drawn] if together else None)
        hits += abs(estimate.total - octets.sum()) <= estimate.error
    assert 0.92 <= hits / 400 <= 0.98


@pytest.fixture
def rings(message):
    """Two of them, of which neither has a multiple of ten packets."""
    packets = flowstone.read_batches([message])
    return [packets[:123], packets[100:]]


def test_every_way_is_drawn_at_every_rate(rings):
    samples = sampling.draw(rings, one_in=(3, 10), seed=5)
    both = flowstone.concatenate(rings)
    for one_in in (3, 10):
        assert np.flatnonzero(samples[sampling.BY_PACKETS, one_in]).tolist() == [*range(0, 123, one_in), *range(123, 263, one_in)]
        assert np.array_equal(samples[sampling.BY_CHANCE, one_in], sampling.by_chance(263, one_in, seed=5))
        assert np.array_equal(samples[sampling.BY_FLOWS, one_in], sampling.whole_flows(both["flow_hash"], one_in))
    assert len(samples) == 6


def test_samples_are_compared_each_by_its_own_way():
    values, flow = np.array([1, 10, 100, 1000]), np.array([7, 7, 8, 8])
    mask = np.array([True, True, False, True])
    samples = {(by, 10): mask for by in (sampling.BY_PACKETS, sampling.BY_FLOWS)}
    frame = sampling.compare(samples, values, flow).set_index("by")
    assert frame["drawn"].tolist() == [3, 3] and frame["one_in"].tolist() == [10, 10]
    assert frame["estimate"].tolist() == [10_110, 10_110]
    assert frame.at["packets", "error"] == sampling.estimate([1, 10, 1000], 10).error
    assert frame.at["flows", "error"] == sampling.estimate([11, 1000], 10).error


def test_samples_are_asked_for_some_of_the_packets():
    values, flow = np.array([1, 10, 100, 1000]), np.array([7, 7, 8, 8])
    samples = {(sampling.BY_FLOWS, 10): np.array([True, True, False, True])}
    [row] = sampling.compare(samples, values, flow, of=np.array([False, True, True, True])).to_dict("records")
    assert (row["drawn"], row["estimate"]) == (2, 10_100)
    assert row["error"] == sampling.estimate([10, 1000], 10).error


def test_intervals_hold_what_they_promise_and_not_more():
    octets = np.random.default_rng(1).choice([64, 576, 1514], 20_000)
    assert 0.92 <= sampling.coverage(octets, one_in=20) <= 0.98
    assert sampling.coverage(np.ones(40), one_in=20) < 0.9, "of two packets no interval is right"


def test_flows_are_seen_the_more_seldom_the_smaller_they_are():
    flow = np.repeat(np.arange(1, 8), [1, 1, 2, 10, 11, 100, 101])
    first = np.concatenate([[True], flow[1:] != flow[:-1]])
    frame = sampling.flows_seen(flow, {"first": first & (flow != 2), "large": flow > 5, "none": np.zeros(len(flow), dtype=bool)})
    assert frame.index.tolist() == ["1", "2 to 10", "11 to 100", "more than 100"]
    assert frame["flows"].tolist() == [2, 2, 2, 1]
    assert frame["first"].tolist() == [0.5, 1, 1, 1]
    assert frame["large"].tolist() == [0, 0, 0.5, 1]
    assert frame["none"].tolist() == [0, 0, 0, 0]


@pytest.mark.filterwarnings("error")
def test_the_share_of_no_flows_is_no_number():
    frame = sampling.flows_seen(np.array([5, 6]), {"all": np.array([True, True])}, most=(1, 2))
    assert frame["flows"].tolist() == [2, 0, 0] and frame.index.tolist() == ["1", "2", "more than 2"]
    assert frame["all"].isna().tolist() == [False, True, True]
