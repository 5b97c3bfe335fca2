# SPDX-License-Identifier: Apache-2.0
"""Inter-arrival times: how long one packet of a flow comes after the one before."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .packets import Packets
from .tuples import TUPLE_FIELDS, distinct, five_tuples

_OF_FLOWS = [name for name in TUPLE_FIELDS if name != "flow_hash"]

Nanoseconds = npt.NDArray[np.int64]


def inter_arrival(packets: Packets, silence_ns: int | None = None) -> tuple[Nanoseconds, Nanoseconds]:
    """The gaps within each flow, which is what one side sends: the time of the later packet of each, and how long it came after.

    Flows that were silent for longer than silence_ns begin anew, as histograms of rules have it: there it is the greatest value and
    an interval together. Packets count in the order of their times, whatever their order in the table.
    """
    packets.require(["time_ns", *_OF_FLOWS])
    codes, _ = distinct(five_tuples(packets.tuples))
    flows, times = codes[packets.tuple_of], packets["time_ns"]
    order = np.lexsort((times, flows))
    flows, times = flows[order], times[order]
    gaps = np.diff(times)
    within: npt.NDArray[Any] = flows[1:] == flows[:-1]
    if silence_ns is not None:
        within &= gaps <= silence_ns
    return times[1:][within], gaps[within]
