# SPDX-License-Identifier: Apache-2.0
"""Who has how much: bars with their numbers beside them, so that no axis has to be read."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from .style import COLOURS, FAINT, INK, LABEL_POINTS, QUIET, axes_of, short

_ROW_INCHES = 0.42
_FRAME_INCHES = 0.9


def shares(frame: pd.DataFrame, name: str = "name", title: str | None = None, most: int = 6, ax: Axes | None = None) -> Axes:
    """Shares of packets and of octets side by side, of rows as by_protocol gives them; all rows beyond the most are one."""
    rows = _with_others(frame[[name, "packets", "octets"]], name, most)
    portions = rows[["packets", "octets"]] / rows[["packets", "octets"]].sum()
    ax = axes_of(ax, _FRAME_INCHES + 1.25 * _ROW_INCHES * len(rows))
    places = np.arange(len(rows))[::-1]
    for number, (column, text) in enumerate((("packets", "packets"), ("octets", "bytes"))):
        heights = places + (0.19 if number == 0 else -0.19)
        ax.barh(heights, portions[column], height=0.36, color=COLOURS[number])
        for row, (height, portion) in enumerate(zip(heights, portions[column], strict=True)):
            label = f"{_percent(portion)} of {text}" if row == 0 else _percent(portion)
            _beside(ax, portion, height, label, COLOURS[number])
    ax.set_yticks(places, rows[name].astype(str))
    _only_bars(ax, portions.to_numpy().max(), title)
    return ax


def talkers(
    names: Sequence[str], octets: Sequence[float], seconds: float, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """A bar for each, the first on top, with its name above and its mean rate beside it; names of flows are long."""
    ax = axes_of(ax, _FRAME_INCHES + 1.15 * _ROW_INCHES * len(names))
    bits_per_second = np.asarray(octets, dtype=np.float64) * 8 / seconds
    places = np.arange(len(names))[::-1]
    ax.barh(places, bits_per_second, height=0.34, color=COLOURS[0])
    for name, place, rate in zip(names, places, bits_per_second, strict=True):
        _beside(ax, rate, place, f"{short(rate)}b/s", COLOURS[0])
        ax.annotate(
            name, (0, place + 0.2), xytext=(0, 2), textcoords="offset points", fontsize=LABEL_POINTS, color=INK, va="bottom"
        )
    ax.set_yticks([])
    _only_bars(ax, bits_per_second.max(initial=0), title)
    ax.set_ylim(-0.5, len(names) - 0.1)
    return ax


def _with_others(rows: pd.DataFrame, name: str, most: int) -> pd.DataFrame:
    rows = rows.sort_values("packets", ascending=False, ignore_index=True)
    if len(rows) <= most:
        return rows
    others = rows.iloc[most - 1 :]
    last = pd.DataFrame([{name: "others", "packets": others["packets"].sum(), "octets": others["octets"].sum()}])
    return pd.concat([rows.iloc[: most - 1], last], ignore_index=True)


def _percent(portion: float) -> str:
    return f"{portion:.1%}" if portion >= 0.0005 or portion == 0 else "< 0.1%"


def _beside(ax: Axes, value: float, height: float, text: str, colour: str) -> None:
    ax.annotate(text, (value, height), xytext=(5, 0), textcoords="offset points", fontsize=LABEL_POINTS, color=colour, va="center")


def _only_bars(ax: Axes, greatest: float, title: str | None) -> None:
    ax.set_xlim(0, greatest * 1.22 or 1)
    ax.set_xticks([])
    ax.grid(False)
    for side in ("bottom", "left"):
        ax.spines[side].set_visible(side == "left")
    ax.spines["left"].set_color(FAINT)
    ax.tick_params(axis="y", labelcolor=INK, labelsize=LABEL_POINTS + 1)
    ax.set_title(title or "")
    ax.xaxis.label.set_color(QUIET)
