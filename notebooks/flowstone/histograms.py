# SPDX-License-Identifier: Apache-2.0
"""HdrHistograms of results: compressed text to counts, sums of several, quantiles, and arrays to draw.

Decoding is by NumPy, for results come by the thousand: one takes some 40 us. Quantiles are those of Java's library, to the bucket.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from .arrays import Array

if TYPE_CHECKING:
    import pandas

_COMPRESSED_V2, _V2 = 0x1C849314, 0x1C849313
_OUTER, _INNER = struct.Struct(">ii"), struct.Struct(">iiiiqqd")
_LONGEST_NUMBER_BYTES = 9
_MOST_DIGITS = 5


class HistogramError(ValueError):
    """Text that is no HdrHistogram of version 2, or histograms that do not go together."""


@dataclass(frozen=True)
class Range:
    """What a histogram can tell apart: values from lowest to highest, to so many decimal digits."""

    lowest: int
    highest: int
    digits: int

    @property
    def unit_bits(self) -> int:
        """Lowest bits of a value that nothing is kept of."""
        return self.lowest.bit_length() - 1

    @property
    def half_bits(self) -> int:
        """2 to the power of this are the buckets between a power of two and the next."""
        return math.ceil(math.log2(2 * 10**self.digits)) - 1

    def buckets(self) -> int:
        """How many buckets reach up to the highest value."""
        half = 1 << self.half_bits
        smallest_untrackable, powers = 2 * half << self.unit_bits, 1
        while smallest_untrackable <= self.highest:
            smallest_untrackable <<= 1
            powers += 1
        return (powers + 1) * half

    def edges(self, first: int, last: int) -> Array:
        """Lowest values of the buckets from first to last, and of the one after it."""
        buckets = np.arange(first, last + 2, dtype=np.int64)
        power = np.maximum((buckets >> self.half_bits) - 1, 0)
        within = buckets - (power << self.half_bits)
        return within << (power + self.unit_bits)


class Histogram:
    """Counts of values. Those of one range can be added: histogram + histogram, merge(histograms)."""

    def __init__(self, range: Range, all_counts: Array, overflow: int = 0):
        self.range = range
        self.overflow = overflow
        """Values above the highest: they count, and no bucket has them."""
        self._all_counts = all_counts

    @classmethod
    def decode(cls, text: str | bytes, overflow: int = 0) -> Histogram:
        """From the text of a result, which is HdrHistogram's compressed form of version 2 in base64.

        The text is without the values above the highest; the result says in overflow how many there were.
        """
        try:
            outer = base64.b64decode(text, validate=True)
            cookie, length = _OUTER.unpack_from(outer)
            inner = zlib.decompress(outer[_OUTER.size : _OUTER.size + length])
            inner_cookie, payload_bytes, offset, digits, lowest, highest, _ = _INNER.unpack_from(inner)
        except (binascii.Error, zlib.error, struct.error) as refused:
            raise HistogramError(f"no HdrHistogram in base64: {refused}") from None
        if (cookie, inner_cookie) != (_COMPRESSED_V2, _V2):
            raise HistogramError(f"no HdrHistogram of version 2: its cookies are {cookie:#x} and {inner_cookie:#x}")
        payload = np.frombuffer(inner, dtype=np.uint8)[_INNER.size :]
        if len(payload) != payload_bytes or offset != 0:
            raise HistogramError(f"payload of {len(payload)} bytes from {offset} on, not of {payload_bytes} from 0 on")
        if not (0 <= digits <= _MOST_DIGITS and 1 <= lowest and 2 * lowest <= highest):
            raise HistogramError(f"{digits} digits from {lowest} to {highest} are no range")
        range = Range(lowest, highest, digits)
        return cls(range, _counts(_numbers(payload), range.buckets()), overflow)

    @property
    def count(self) -> int:
        """How many values."""
        return int(self._all_counts.sum()) + self.overflow

    @property
    def _used(self) -> tuple[int, int]:
        used = np.flatnonzero(self._all_counts)
        return (int(used[0]), int(used[-1])) if len(used) > 0 else (0, -1)

    @property
    def counts(self) -> Array:
        """Counts of the buckets from the lowest value's to the highest value's."""
        first, last = self._used
        return self._all_counts[first : last + 1].copy()

    @property
    def edges(self) -> Array:
        """Bucket i of counts has the values from edges[i] on and below edges[i + 1]."""
        return self.range.edges(*self._used)

    @property
    def mean(self) -> float:
        """Of the middles of the buckets; nan of none. The mean that a result tells is exact."""
        edges, counts = self.edges, self.counts
        middles = (edges[:-1] + edges[1:]) / 2
        return float(np.average(middles, weights=counts)) if len(counts) > 0 else math.nan

    def quantile(self, quantile: float) -> float:
        """The highest value of the bucket where that share of the values, 0 to 1, is reached.

        inf where it is a value above the highest; nan of no values.
        """
        return float(self.quantiles([quantile])[0])

    def quantiles(self, quantiles: Sequence[float]) -> Array:
        """The same for many."""
        shares = np.asarray(quantiles, dtype=float)
        if np.any((shares < 0) | (shares > 1)):
            raise ValueError(f"quantiles are from 0 to 1: {quantiles}")
        if self.count == 0:
            return np.full(len(shares), math.nan)
        # Rounded as Java's library does, so that the results' own percentiles come out.
        rank = np.maximum(1, np.ceil(np.maximum(0, np.nextafter(shares * 100, -np.inf)) / 100 * self.count))
        highest_values = np.append(self.edges[1:] - 1.0, math.inf)
        return highest_values[np.searchsorted(np.cumsum(self.counts), rank)]

    def __add__(self, other: Histogram) -> Histogram:
        if self.range != other.range:
            raise HistogramError(f"histograms of different ranges do not add up: {self.range} and {other.range}")
        return Histogram(self.range, self._all_counts + other._all_counts, self.overflow + other.overflow)

    def __repr__(self) -> str:
        edges = self.edges
        span = f" from {edges[0]:,} to below {edges[-1]:,}" if len(edges) > 1 else ""
        return f"{self.count:,} values{span}; {self.overflow:,} of them above {self.range.highest:,}"


def histograms_of(results: pandas.DataFrame) -> list[Histogram]:
    """Those of results of the kind "histogram", as results() and table() give them."""
    return [Histogram.decode(text, int(overflow)) for text, overflow in zip(results["histogram"], results["overflow"])]


def merge(histograms: Iterable[Histogram]) -> Histogram:
    """The sum of histograms of one range."""
    several = list(histograms)
    if not several:
        raise HistogramError("there are no histograms to merge")
    return reduce(Histogram.__add__, several)


def histogram_matrix(histograms: Iterable[Histogram]) -> tuple[Array, Array]:
    """Edges, and for each histogram a row of counts between these: for heat maps."""
    several = list(histograms)
    whole = merge(several)
    first, last = whole._used
    return whole.range.edges(first, last), np.stack([each._all_counts[first : last + 1] for each in several])


def _numbers(payload: Array) -> Array:
    """Zigzag numbers of one to nine bytes of seven bits each, the lowest first; a ninth byte has eight."""
    ends = np.flatnonzero(payload < 0x80)
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) > 0 else ends
    lengths = ends - starts + 1
    if len(payload) > 0 and (len(ends) == 0 or ends[-1] != len(payload) - 1 or lengths.max() >= _LONGEST_NUMBER_BYTES):
        raise HistogramError("counts of 2^55 and more, or cut short")
    place = np.arange(len(payload)) - np.repeat(starts, lengths)
    parts = (payload & np.uint8(0x7F)).astype(np.int64) << (7 * place)
    zigzag = np.add.reduceat(parts, starts) if len(starts) > 0 else parts
    return (zigzag >> 1) ^ -(zigzag & 1)


def _counts(numbers: Array, buckets: int) -> Array:
    """A number is the count of the next bucket; a negative one says how many buckets have none."""
    steps = np.where(numbers < 0, -numbers, 1)
    after = np.cumsum(steps)
    if len(after) > 0 and not 0 <= after[-1] <= buckets:
        raise HistogramError(f"counts of {after[-1]} buckets where the range has {buckets}")
    counts = np.zeros(buckets, dtype=np.int64)
    counts[(after - steps)[numbers > 0]] = numbers[numbers > 0]
    return counts
