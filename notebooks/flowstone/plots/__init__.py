# SPDX-License-Identifier: Apache-2.0
"""Pictures of packets and of what became of them, in one style: each function draws plain arrays or frames, and returns what it drew on.

>>> from flowstone import plots
>>> plots.style()
>>> plots.rates(plots.rate_frame(packets["time_ns"]))
"""

from .balance import Stage, balance
from .bars import shares, talkers
from .distributions import coarser, gaps_over_time, heat_map, histogram
from .estimates import estimates
from .rates import rate_frame, rates
from .style import QUIET, duration, style

__all__ = [
    "QUIET",
    "Stage",
    "balance",
    "coarser",
    "duration",
    "estimates",
    "gaps_over_time",
    "heat_map",
    "histogram",
    "rate_frame",
    "rates",
    "shares",
    "style",
    "talkers",
]
