# SPDX-License-Identifier: Apache-2.0
"""Estimates from samples, with their error bars, beside the truth."""

import pandas as pd
from matplotlib.axes import Axes

from .style import COLOURS, INK, LABEL_POINTS, axes_of, percent, short

_ROW_INCHES = 0.3
_FRAME_INCHES = 1.3
_BETWEEN = 0.8
_FIGURES_POINTS = (8, 52)


def estimates(frame: pd.DataFrame, truth: float, unit: str, title: str | None = None, ax: Axes | None = None) -> Axes:
    """How far estimates are from the truth, in percent, with their error bars: a group for each `one_in`, a row for each `by` in it.

    The frame has the columns by, one_in, estimate, error; an error bar is as long as the error on both sides. What an eye cannot read
    off a common scale stands beside it in figures.
    """
    colours = dict(zip(frame["by"].unique(), COLOURS, strict=False))
    ordered = frame.sort_values("one_in", kind="stable", ignore_index=True)
    groups = ordered.groupby("one_in").ngroup().to_numpy()
    places = -(ordered.index.to_numpy() + groups * _BETWEEN)
    ax = axes_of(ax, _FRAME_INCHES + _ROW_INCHES * (1 - places.min()))
    deviations = ((ordered["estimate"] - truth) / truth * 100).to_numpy()
    errors = (ordered["error"] / truth * 100).to_numpy()
    for by, estimate, place, deviation, error in zip(ordered["by"], ordered["estimate"], places, deviations, errors, strict=True):
        colour = colours[by]
        ax.errorbar(deviation, place, xerr=error, fmt="o", ms=5, color=colour, elinewidth=2, capsize=3)
        _beside(ax, place, (short(estimate), f"{percent(deviation, sign=True)} ± {percent(error)}"), colour)
    _truth(ax, truth, unit)
    names = [f"1 in {one_in:,} {by}" for by, one_in in zip(ordered["by"], ordered["one_in"], strict=True)]
    ax.set_yticks(places, names)
    ax.tick_params(axis="y", labelcolor=INK)
    ax.grid(True, axis="x")
    ax.grid(False, axis="y")
    ax.spines["left"].set_visible(False)
    widest = float((abs(deviations) + errors).max())
    ax.set_xlim(-widest * 1.05, widest * 1.05)
    ax.set_ylim(places.min() - 0.8, 1.1)
    ax.xaxis.set_major_formatter(lambda value, _: percent(value, sign=True))
    ax.set_xlabel("estimate against the truth")
    ax.set_title(title or "")
    return ax


def _truth(ax: Axes, truth: float, unit: str) -> None:
    ax.axvline(0, color=INK, linewidth=1, zorder=0)
    above = ("data", "axes fraction")
    ax.annotate(
        f"truth: {short(truth)} {unit}",
        (0, 1),
        xycoords=above,
        xytext=(5, -2),
        textcoords="offset points",
        fontsize=LABEL_POINTS,
        va="top",
    )


def _beside(ax: Axes, place: float, texts: tuple[str, str], colour: str) -> None:
    right = ("axes fraction", "data")
    for text, offset in zip(texts, _FIGURES_POINTS, strict=True):
        ax.annotate(
            text,
            (1, place),
            xycoords=right,
            xytext=(offset, 0),
            textcoords="offset points",
            fontsize=LABEL_POINTS,
            color=colour,
            va="center",
            annotation_clip=False,
        )
