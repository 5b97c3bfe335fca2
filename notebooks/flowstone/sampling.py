# SPDX-License-Identifier: Apache-2.0
"""Samples as `./flowstone job sampling` takes them, of packets that are here; and what a sample says of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .arrays import Array
from .extras import needed
from .packets import Packets

if TYPE_CHECKING:
    import pandas

Mask = npt.NDArray[np.bool_]
Samples = Mapping[tuple[str, int], Mask]
"""Which packets are in a sample, by the way in which it was drawn (BY_PACKETS, BY_CHANCE, BY_FLOWS) and its N."""

BY_PACKETS, BY_CHANCE, BY_FLOWS = "packets", "by chance", "flows"

_HASHES = 1 << 32
_LIKELY_95_PERCENT = 1.96


def every_nth(count: int, one_in: int) -> Mask:
    """By packets: of so many packets of one ring, in their order, the first and then every Nth."""
    return np.arange(count) % one_in == 0


def whole_flows(flow_hash: Array, one_in: int) -> Mask:
    """By flows: all packets of one in N flows, the ones that the product chooses. Of packets without IP (hash 0) it draws
    each alone, which here nobody can repeat: none of them is chosen."""
    drawn = flow_hash.astype(np.uint32) ^ np.uint32(0x5BD1E995)
    drawn = (drawn ^ (drawn >> np.uint32(16))) * np.uint32(0x7FEB352D)
    drawn = (drawn ^ (drawn >> np.uint32(15))) * np.uint32(0x846CA68B)
    drawn ^= drawn >> np.uint32(16)
    highest = (2 * _HASHES // one_in + 1) // 2 - 1
    return (drawn <= np.uint32(highest)) & (flow_hash != 0)


def by_chance(count: int, one_in: int, seed: int = 0) -> Mask:
    """By random: each with the chance 1/N. The product draws by a packet's place, so that who reads it again draws the same."""
    return np.random.default_rng(seed).random(count) < 1 / one_in


def draw(rings: Sequence[Packets], one_in: Iterable[int] = (10, 100, 1000), seed: int = 1) -> Samples:
    """Samples of packets in each of the three ways, one in each of these N: rings are tables of one ring each, with flow_hash, and the
    masks are of concatenate(rings)."""
    flow_hash = np.concatenate([packets["flow_hash"] for packets in rings])
    samples: dict[tuple[str, int], Mask] = {}
    for each in one_in:
        samples[BY_PACKETS, each] = np.concatenate([every_nth(len(packets), each) for packets in rings])
        samples[BY_CHANCE, each] = by_chance(len(flow_hash), each, seed)
        samples[BY_FLOWS, each] = whole_flows(flow_hash, each)
    return samples


@dataclass(frozen=True)
class Estimate:
    """What a sample says of the whole."""

    total: float
    error: float
    """The truth is within so much of the total in 19 of 20 samples, if there are enough in the sample for that to hold (some 30)."""


def estimate(values: Any, one_in: int, clusters: Array | None = None) -> Estimate:
    """The total of values of which one in N was drawn, each with the same chance and by itself (Horvitz and Thompson).

    values is what counts of each sampled packet: ones, bytes. What was drawn together, such as all packets of a flow, has one
    number in clusters.
    """
    drawn: Array = np.asarray(values, dtype=np.float64)
    if clusters is not None:
        drawn = np.bincount(np.unique(clusters, return_inverse=True)[1], drawn)
    variance = one_in * (one_in - 1) * float(np.square(drawn).sum())
    return Estimate(float(drawn.sum()) * one_in, _LIKELY_95_PERCENT * variance**0.5)


def compare(samples: Samples, values: Array, flow_hash: Array, of: Mask | None = None) -> pandas.DataFrame:
    """What each sample says of the total of values, such as the bytes of all packets: a row for each, with by, one_in, how many were
    drawn, estimate and error. of chooses some of the packets, all of which have a value and a flow_hash; without it all count."""
    pandas = needed("pandas", "frames")
    rows = []
    for (by, one_in), sample in samples.items():
        drawn = sample if of is None else sample & of
        found = estimate(values[drawn], one_in, flow_hash[drawn] if by == BY_FLOWS else None)
        rows.append({"by": by, "one_in": one_in, "drawn": int(drawn.sum()), "estimate": found.total, "error": found.error})
    return pandas.DataFrame(rows, columns=["by", "one_in", "drawn", "estimate", "error"])


def coverage(values: Array, one_in: int, rounds: int = 400) -> float:
    """In which share of samples by chance, so many and each drawn anew, the truth lies within the error that the sample says.

    Errors are right where that is about 0.95.
    """
    truth = float(np.sum(values, dtype=np.float64))
    drawn = (estimate(values[by_chance(len(values), one_in, seed)], one_in) for seed in range(rounds))
    return float(np.mean([abs(each.total - truth) <= each.error for each in drawn]))


def flows_seen(flow_hash: Array, samples: Mapping[str, Mask], most: Sequence[int] = (1, 10, 100)) -> pandas.DataFrame:
    """How many flows there are of each size, and which share of them each sample, under its name, has a packet of.

    A size is a number of packets, from the one before it up to each of most, and above all of these. The share of no flows is no
    number.
    """
    pandas = needed("pandas", "frames")
    _, flow_of, packets = np.unique(flow_hash, return_inverse=True, return_counts=True)
    size_of = np.searchsorted(most, packets)
    flows = np.bincount(size_of, minlength=len(most) + 1)
    frame = pandas.DataFrame({"flows": flows}, index=pandas.Index(_size_names(most), name="packets"))
    for name, sample in samples.items():
        seen = np.bincount(size_of[np.unique(flow_of[sample])], minlength=len(flows))
        frame[name] = np.divide(seen, flows, out=np.full(len(flows), np.nan), where=flows > 0)
    return frame


def _size_names(most: Sequence[int]) -> list[str]:
    names = [f"{low + 1:,} to {high:,}" if high > low + 1 else f"{high:,}" for low, high in zip([0, *most], most)]
    return [*names, f"more than {most[-1]:,}"]
