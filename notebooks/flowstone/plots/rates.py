# SPDX-License-Identifier: Apache-2.0
"""Rates over time."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from .style import COLOURS, LABEL_POINTS, QUIET, axes_of, seconds_axis, short_numbers, spread

_NS = 1_000_000_000
_LABEL_PIXELS_PER_POINT = 1.3


def rate_frame(
    times_ns: ArrayLike,
    groups: Mapping[str, NDArray[np.bool_]] | None = None,
    values: ArrayLike | None = None,
    step_ms: int = 250,
) -> pd.DataFrame:
    """How much came per second, step by step: a column for each group (a mask of the packets), or one for all of them.

    values is what counts of each packet, such as its weight or its bits; without it, each counts as one. The index is the begin of
    each step in seconds since the first, whose time is `attrs["begin_ns"]`. The first and the last step are seldom whole.
    """
    times = np.asarray(times_ns, dtype=np.int64)
    step_ns = step_ms * 1_000_000
    begin_ns = int(times.min()) // step_ns * step_ns if len(times) else 0
    steps = (times - begin_ns) // step_ns
    count = int(steps.max()) + 1 if len(times) else 0
    counted = np.ones(len(times)) if values is None else np.asarray(values, dtype=np.float64)
    masks = groups or {"all": np.ones(len(times), dtype=bool)}
    columns = {name: np.bincount(steps[mask], counted[mask], count) * (_NS / step_ns) for name, mask in masks.items()}
    frame = pd.DataFrame(columns, index=pd.Index(np.arange(count) * (step_ns / _NS), name="seconds"))
    frame.attrs["begin_ns"] = begin_ns
    return frame


def rates(frame: pd.DataFrame, unit: str = "packets/s", title: str | None = None, ax: Axes | None = None) -> Axes:
    """A line for each column of a frame of rate_frame's form, with its name at its end; the first column is the one that matters.

    The last step is seldom whole and would look like a fall: it is not drawn.
    """
    ax = axes_of(ax)
    last = frame.index[-1]
    for number, name in enumerate(frame.columns):
        colour = COLOURS[number % len(COLOURS)]
        ax.stairs(frame[name].iloc[:-1], frame.index, baseline=None, color=colour, linewidth=1.6, label=name)
    ax.set_ylim(0, max(frame.iloc[:-1].to_numpy().max() * 1.08, 1e-9))
    ax.set_xlim(0, last)
    _name_ends(ax, frame)
    short_numbers(ax.yaxis)
    ax.set_ylabel(unit)
    seconds_axis(ax, frame.attrs.get("begin_ns"))
    ax.set_title(title or "")
    return ax


def _name_ends(ax: Axes, frame: pd.DataFrame) -> None:
    """Names to the right of the lines, in their colours, moved apart where they would lie on one another."""
    if len(frame.columns) == 1:
        return
    ax.figure.canvas.draw()
    pixels = ax.get_window_extent().height
    per_label = LABEL_POINTS * _LABEL_PIXELS_PER_POINT * ax.figure.dpi / 72 / pixels * ax.get_ylim()[1]
    ends = [float(frame[name].iloc[-2]) for name in frame.columns]
    for number, (name, height) in enumerate(zip(frame.columns, spread(ends, per_label, lowest=per_label / 3), strict=True)):
        ax.annotate(
            str(name),
            (1.0, height),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            color=COLOURS[number % len(COLOURS)] if number < len(COLOURS) else QUIET,
            fontsize=LABEL_POINTS,
            va="center",
            annotation_clip=False,
        )
