# SPDX-License-Identifier: Apache-2.0
"""How values are spread, and how that changes: histograms, and heat maps of many of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from numpy.typing import ArrayLike, NDArray

from .style import COLOURS, INK, LABEL_POINTS, QUIET, axes_of, duration, log_values, seconds_axis, short, short_numbers

# From the page's white to the darkest: lightness falls all the way, so it reads the same in grey.
_SHADES = ("#e6f0f9", "#a9d0ec", "#57a5d8", "#1f6fb5", "#3b3a8c", "#2a0845")
_HEAT = LinearSegmentedColormap.from_list("flowstone", _SHADES).with_extremes(bad="white")


def gaps_over_time(
    times_ns: ArrayLike, gaps_ns: ArrayLike, seconds: ArrayLike, edges: ArrayLike, begin_ns: int = 0
) -> NDArray[np.int64]:
    """How many gaps lie in each step of time (rows) and each bucket (columns): what heat_map draws.

    Steps and buckets are half open; what lies outside of all of them is left out.
    """
    step = np.searchsorted(np.asarray(seconds) * 1e9, np.asarray(times_ns) - begin_ns, side="right") - 1
    bucket = np.searchsorted(np.asarray(edges), np.asarray(gaps_ns), side="right") - 1
    rows, columns = len(np.asarray(seconds)) - 1, len(np.asarray(edges)) - 1
    inside = (step >= 0) & (step < rows) & (bucket >= 0) & (bucket < columns)
    return np.bincount(step[inside] * columns + bucket[inside], minlength=rows * columns).reshape(rows, columns)


def histogram(
    edges: ArrayLike,
    counts: ArrayLike,
    quantiles: Mapping[str, float] | None = None,
    unit: str = "ns",
    of: str = "gaps",
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A histogram on a logarithmic axis, as counts per decade: buckets of unequal width stay comparable, and areas are counts."""
    ax = axes_of(ax)
    edges, density = per_decade(edges, counts)
    ax.stairs(density, edges, fill=True, color=COLOURS[0], alpha=0.25)
    ax.stairs(density, edges, color=COLOURS[0], linewidth=1.2)
    log_values(ax, "x", unit)
    ax.set_ylim(0, density.max(initial=1) * 1.25)
    # Each lower than the one to its left, and its line no higher, so that near ones lie neither on a name nor across it.
    for number, (name, value) in enumerate(sorted((quantiles or {}).items(), key=lambda item: item[1])):
        top = 0.98 - 0.075 * (number % 3)
        ax.axvline(value, ymax=top, color=COLOURS[1], linewidth=1)
        text = duration(value) if unit == "ns" else f"{short(value)} {unit}"
        place = ax.get_ylim()[1] * top
        ax.annotate(
            f"{name}  {text}",
            (value, place),
            xytext=(4, 0),
            textcoords="offset points",
            color=COLOURS[1],
            fontsize=LABEL_POINTS,
            va="top",
        )
    short_numbers(ax.yaxis)
    ax.set_ylabel(f"{of} per decade")
    ax.set_title(title or "")
    return ax


def per_decade(edges: ArrayLike, counts: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Edges that a logarithmic axis can have (0 becomes a half), and counts over the decades that each bucket spans."""
    positive = np.maximum(np.asarray(edges, dtype=np.float64), 0.5)
    return positive, np.asarray(counts) / np.diff(np.log10(positive))


def coarser(edges: ArrayLike, counts: ArrayLike, buckets_per_decade: int = 10) -> tuple[NDArray[Any], NDArray[Any]]:
    """Neighbouring buckets joined until each spans a tenth of a decade or more: counts stay whole, and no bucket is cut.

    An HdrHistogram has more of them than a picture has room for. counts is one histogram, or a row for each.
    """
    edges, counts = np.asarray(edges), np.asarray(counts)
    kept = [0]
    for index in range(1, len(edges)):
        if index == len(edges) - 1 or edges[index] >= max(edges[kept[-1]], 1) * 10 ** (1 / buckets_per_decade):
            kept.append(index)
    return edges[kept], np.add.reduceat(counts, kept[:-1], axis=-1)


def heat_map(
    seconds: ArrayLike,
    edges: ArrayLike,
    counts: ArrayLike,
    begin_ns: int | None = None,
    marks: Mapping[str, Sequence[float]] | None = None,
    unit: str = "ns",
    of: str = "gaps",
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Histograms side by side, one for each step of time: seconds are the edges of the steps, a row of counts belongs to each.

    Darker is more, on a logarithmic scale; white is none. marks names moments (in seconds), which get a tick on the upper edge.
    """
    ax = axes_of(ax, 4.4)
    edges, _ = per_decade(edges, np.zeros(len(np.asarray(edges)) - 1))
    matrix = np.ma.masked_equal(np.asarray(counts).T, 0)
    greatest = max(float(matrix.max()) if matrix.count() else 1.0, 10.0)
    mesh = ax.pcolormesh(np.asarray(seconds), edges, matrix, cmap=_HEAT, norm=LogNorm(1, greatest), rasterized=True)
    log_values(ax, "y", unit)
    ax.grid(False)
    _mark(ax, marks or {})
    _scale(ax, mesh, of)
    seconds_axis(ax, begin_ns)
    ax.set_title(title or "", pad=24 if marks else None)
    return ax


def _mark(ax: Axes, marks: Mapping[str, Sequence[float]]) -> None:
    first, last = ax.get_xlim()
    for name, all_moments in marks.items():
        moments = np.asarray(all_moments)
        moments = moments[(moments >= first) & (moments <= last)]
        if not len(moments):
            continue
        above = ("data", "axes fraction")
        ax.plot(moments, np.full(len(moments), 1.015), "v", ms=5, color=INK, transform=ax.get_xaxis_transform(), clip_on=False)
        ax.annotate(
            name, (last, 1.015), xycoords=above, xytext=(0, 6), textcoords="offset points", ha="right", fontsize=LABEL_POINTS
        )


def _scale(ax: Axes, mesh: QuadMesh, of: str) -> None:
    bar = ax.figure.colorbar(mesh, ax=ax, pad=0.015, fraction=0.03, aspect=30)
    bar.outline.set_visible(False)
    bar.ax.tick_params(size=0, which="both", labelsize=LABEL_POINTS, colors=QUIET)
    bar.ax.minorticks_off()
    short_numbers(bar.ax.yaxis)
    bar.set_label(f"{of} in a cell", color=QUIET)
