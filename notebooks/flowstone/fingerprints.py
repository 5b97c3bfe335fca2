# SPDX-License-Identifier: Apache-2.0
"""What packets have in common, for whoever looks for a filter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Names
from .extras import needed
from .packets import Packets

if TYPE_CHECKING:
    import pandas


def fingerprint(packets: Packets, columns: Names) -> pandas.DataFrame:
    """A row for each of these columns: how many different values it has, the one that most packets have, and their share.

    A share of 1 is a value that all of them have. Packets count by their weight; of values that are equally frequent the lowest is
    told. Addresses are text. Of no packets there are no rows.
    """
    pandas = needed("pandas", "frames")
    frame = packets.to_pandas(columns)
    weights = pandas.Series(packets["weight"].astype(np.int64))
    rows: dict[str, dict[str, Any]] = {}
    for name in frame.columns if len(packets) else ():
        counts = weights.groupby(frame[name]).sum()
        rows[name] = {"different": len(counts), "most": counts.idxmax(), "share": counts.max() / weights.sum()}
    return pandas.DataFrame.from_dict(rows, orient="index", columns=["different", "most", "share"])
