# SPDX-License-Identifier: Apache-2.0
"""How fast packets came at most, which depends on how long one counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .extras import needed
from .packets import Packets

if TYPE_CHECKING:
    import pandas

_BITS = 8
_NS = 1_000_000_000


def peak_rates(packets: Packets, widths_ns: Iterable[int]) -> pandas.DataFrame:
    """The interval of each width that had the most octets: width_ns, begin_ns, bits_per_second. Of no packets there is none.

    Intervals lie end to end from 1970 on, as a monitor's do that counts by the clock: a burst may be cut in two. Octets are those of
    frames on the wire, weighted; of equal intervals the first is told.
    """
    pandas = needed("pandas", "frames")
    times = packets["time_ns"]
    octets = packets["frame_length"] * packets["weight"].astype(np.int64)
    rows: list[dict[str, Any]] = []
    for width_ns in widths_ns if len(packets) else ():
        intervals, interval_of = np.unique(times // width_ns, return_inverse=True)
        counted = np.zeros(len(intervals), dtype=np.int64)
        np.add.at(counted, interval_of, octets)
        most = int(counted.argmax())
        rate = int(counted[most]) * _BITS * _NS / width_ns
        rows.append({"width_ns": width_ns, "begin_ns": int(intervals[most]) * width_ns, "bits_per_second": rate})
    return pandas.DataFrame(rows, columns=["width_ns", "begin_ns", "bits_per_second"])
