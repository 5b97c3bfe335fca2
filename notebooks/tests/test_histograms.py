# SPDX-License-Identifier: Apache-2.0
"""Histograms of a job, whose results also say what Java's library found in them (histograms.json), and edges worked out by hand."""

import base64
import json
import math
import struct
import zlib
from pathlib import Path

import numpy as np
import pandas
import pytest

import flowstone
from flowstone import Histogram
from flowstone.histograms import Range

RESULTS = json.loads((Path(__file__).parent / "histograms.json").read_text())
NAMES = [f"{result['measure']}-{result['count']}" for result in RESULTS]
PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999}


def text(payload, lowest=1, highest=1000, digits=1, cookies=(0x1C849314, 0x1C849313)):
    inner = struct.pack(">iiiiqqd", cookies[1], len(payload), 0, digits, lowest, highest, 1.0) + payload
    outer = zlib.compress(inner)
    return base64.b64encode(struct.pack(">ii", cookies[0], len(outer)) + outer).decode()


def naive(result):
    """Values of the buckets, one after the other, from the library's definition alone."""
    inner = zlib.decompress(base64.b64decode(result["histogram"])[8:])
    _, _, _, digits, lowest, _, _ = struct.unpack_from(">iiiiqqd", inner)
    numbers, shift, number = [], 0, 0
    for octet in inner[40:]:
        number |= (octet & 0x7F) << shift
        shift += 7
        if octet < 0x80:
            numbers.append((number >> 1) ^ -(number & 1))
            shift = number = 0
    half = 1 << (math.ceil(math.log2(2 * 10**digits)) - 1)
    unit = 1 << int(math.log2(lowest))
    counts, bucket = {}, 0
    for number in numbers:
        if number < 0:
            bucket -= number
            continue
        power = max(0, bucket // half - 1)
        counts[(bucket - power * half) * unit << power] = number
        bucket += 1
    return {value: count for value, count in counts.items() if count}


@pytest.mark.parametrize("result", RESULTS, ids=NAMES)
def test_buckets_are_those_that_were_encoded(result):
    histogram = Histogram.decode(result["histogram"])
    found = {edge: count for edge, count in zip(histogram.edges[:-1].tolist(), histogram.counts.tolist()) if count}
    assert found == naive(result)
    assert len(histogram.edges) == len(histogram.counts) + 1
    assert np.all(np.diff(histogram.edges) > 0)


@pytest.mark.parametrize("result", RESULTS, ids=NAMES)
def test_says_what_the_result_says(result):
    histogram = Histogram.decode(result["histogram"], result["overflow"])
    assert histogram.count == result["count"]
    assert histogram.edges[0] <= result["min"]
    for name, share in PERCENTILES.items():
        quantile = histogram.quantile(share)
        if result[name] == result["max"]:  # Java tells the exact value instead of its bucket's highest
            assert quantile >= result["max"]
        else:
            assert quantile == result[name], name
    if result["overflow"] == 0:
        assert histogram.mean == pytest.approx(result["mean"], rel=0.05)


def test_knows_what_is_above_the_highest():
    overflown = [result for result in RESULTS if result["overflow"] > 0]
    histogram = Histogram.decode(overflown[0]["histogram"], overflown[0]["overflow"])
    assert histogram.quantile(1) == math.inf and histogram.overflow == overflown[0]["overflow"]
    assert Histogram.decode(overflown[0]["histogram"]).quantile(1) < math.inf
    assert repr(histogram).endswith(f"; {histogram.overflow:,} of them above 1,000,000,000")


def test_merges_what_has_one_range():
    inter_arrival = [result for result in RESULTS if result["measure"] == "inter_arrival"]
    histograms = flowstone.histograms_of(pandas.DataFrame(inter_arrival))
    whole = flowstone.merge(histograms)
    expected = {}
    for result in inter_arrival:
        for edge, count in naive(result).items():
            expected[edge] = expected.get(edge, 0) + count
    assert {edge: count for edge, count in zip(whole.edges.tolist(), whole.counts.tolist()) if count} == expected
    assert whole.count == sum(result["count"] for result in inter_arrival)
    edges, counts = flowstone.histogram_matrix(histograms)
    assert np.array_equal(edges, whole.edges) and np.array_equal(counts.sum(axis=0), whole.counts)
    for histogram, row in zip(histograms, counts):
        assert dict(zip(edges[:-1][row > 0], row[row > 0])) == {
            edge: count for edge, count in zip(histogram.edges.tolist(), histogram.counts.tolist()) if count
        }


def test_refuses_other_ranges_and_none():
    with pytest.raises(flowstone.HistogramError, match="different ranges do not add up: .*highest=1000.*highest=2000"):
        flowstone.merge([Histogram.decode(text(b"\x02")), Histogram.decode(text(b"\x02", highest=2000))])
    with pytest.raises(flowstone.HistogramError, match="there are no histograms to merge"):
        flowstone.merge([])


@pytest.mark.parametrize(
    "wrong, reason",
    [
        ("not base64!", "no HdrHistogram in base64"),
        ("AAAA", "no HdrHistogram in base64"),
        (text(b"\x02")[:40], "no HdrHistogram in base64"),
        (text(b"\x02", cookies=(1, 2)), "its cookies are 0x1 and 0x2"),
        (text(b"\x02", digits=9), "9 digits from 1 to 1000 are no range"),
        (text(b"\x02", lowest=0), "1 digits from 0 to 1000 are no range"),
        (text(b"\x80"), "cut short"),
        (text(b"\xff" * 9 + b"\x01"), "counts of 2"),
        (text(b"\xff\x7f"), "counts of 8192 buckets where the range has 112"),
    ],
)
def test_refuses_what_is_no_histogram(wrong, reason):
    with pytest.raises(flowstone.HistogramError, match=reason):
        Histogram.decode(wrong)


def test_of_no_values():
    empty = Histogram.decode(text(b""))
    assert empty.count == 0 and len(empty.counts) == 0 and len(empty.edges) == 1
    assert math.isnan(empty.quantile(0.5)) and math.isnan(empty.mean)
    assert repr(empty) == "0 values; 0 of them above 1,000"


def test_edges_of_a_range_by_hand():
    """32 buckets of one each, then 16 of two, 16 of four; with a lowest value of 1000, all of it 512 times as wide."""
    assert Range(1, 1000, 1).edges(0, 3).tolist() == [0, 1, 2, 3, 4]
    assert Range(1, 1000, 1).edges(30, 34).tolist() == [30, 31, 32, 34, 36, 38]
    assert Range(1, 1000, 1).edges(47, 49).tolist() == [62, 64, 68, 72]
    assert Range(1000, 1_000_000, 1).edges(31, 33).tolist() == [31 * 512, 32 * 512, 34 * 512, 36 * 512]


def test_quantiles_go_from_bucket_to_bucket():
    histogram = Histogram.decode(text(bytes([0x01, 0x02, 0x02, 0x04])))  # none of 0, one of 1, one of 2, two of 3
    assert histogram.counts.tolist() == [1, 1, 2] and histogram.edges.tolist() == [1, 2, 3, 4]
    assert histogram.quantiles([0, 0.25, 0.26, 0.5, 0.51, 1]).tolist() == [1, 1, 2, 2, 3, 3]
    with pytest.raises(ValueError, match="quantiles are from 0 to 1"):
        histogram.quantile(99)
