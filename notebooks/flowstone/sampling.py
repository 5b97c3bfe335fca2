# SPDX-License-Identifier: Apache-2.0
"""Samples as `./flowstone job sampling` takes them, of packets that are here; and what a sample says of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .arrays import Array

Mask = npt.NDArray[np.bool_]

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
