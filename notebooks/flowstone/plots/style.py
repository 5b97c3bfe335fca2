# SPDX-License-Identifier: Apache-2.0
"""What all pictures have in common: colours, sizes, the look of axes, numbers as people write them."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

INK = "#1b1f24"
QUIET = "#6a737d"
FAINT = "#d9dde2"

# Told apart by those who see no red or no green, in grey by their lightness, too; the first is the one that matters.
COLOURS = ("#0a6ebd", "#d9730d", "#3aa687", "#7b5ea7", "#b5a000", "#4fb3e8")
ALARM = "#c2255c"

LABEL_POINTS = 9
_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


def style() -> None:
    """Sets the look of all pictures that follow: light, few lines, as wide as a notebook's page, there sharp on screens of any kind."""
    _sharp_in_notebooks()
    plt.rcParams.update(
        {
            "figure.figsize": (9.0, 3.8),
            "figure.dpi": 100,
            "savefig.dpi": 200,
            "figure.facecolor": "white",
            "axes.facecolor": "white",
            "figure.constrained_layout.use": True,
            "font.size": 10,
            "text.color": INK,
            "axes.labelcolor": QUIET,
            "axes.labelsize": LABEL_POINTS,
            "axes.titlesize": 12,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.titlepad": 12,
            "axes.edgecolor": FAINT,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.grid.axis": "y",
            "axes.axisbelow": True,
            "axes.prop_cycle": cycler(color=COLOURS),
            "grid.color": "#eceff2",
            "grid.linewidth": 0.8,
            "xtick.color": QUIET,
            "ytick.color": QUIET,
            "xtick.labelsize": LABEL_POINTS,
            "ytick.labelsize": LABEL_POINTS,
            "xtick.major.size": 3,
            "ytick.major.size": 0,
            "xtick.minor.size": 0,
            "ytick.minor.size": 0,
            "lines.linewidth": 1.6,
            "lines.solid_capstyle": "round",
        }
    )


def _sharp_in_notebooks() -> None:
    """Twice the dots for the same size, as screens of today have them."""
    try:
        from IPython import get_ipython
    except ImportError:
        return
    if get_ipython() is not None:
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("retina")  # type: ignore[no-untyped-call]


def axes_of(ax: Axes | None, height_inches: float | None = None) -> Axes:
    """The axes that were given, or new ones of their own."""
    if ax is not None:
        return ax
    width, usual = plt.rcParams["figure.figsize"]
    return plt.subplots(figsize=(width, height_inches or usual))[1]


def short(value: float) -> str:
    """1234567 as "1.23 M", three digits at most; small counts as they are."""
    for size, name in _UNITS:
        if abs(value) >= size * 0.9995:
            return f"{_three_digits(value / size)} {name}"
    return _three_digits(value)


def duration(ns: float) -> str:
    """1500 as "1.5 µs"."""
    for size, name in _TIMES:
        if ns >= size * 0.9995:
            return f"{_three_digits(ns / size)} {name}"
    return f"{_three_digits(ns)} ns"


def percent(value: float, sign: bool = False) -> str:
    """1.234 as "1.2%", with two digits that say something; with its sign where that matters."""
    if value == 0:
        return "0"
    size = abs(value)
    digits = f"{size:.1g}" if size < 0.0995 else f"{size:.2f}" if size < 0.995 else f"{size:.1f}" if size < 99.5 else f"{size:,.0f}"
    if size >= 9.95:
        digits = digits.removesuffix(".0")
    return f"{'−' if value < 0 else '+' if sign else ''}{digits}%"


def _three_digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 99.95 or value == int(value) else f"{value:.3g}"


def short_numbers(axis: Axis) -> None:
    axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def log_values(ax: Axes, which: str, unit: str) -> None:
    """A logarithmic axis with a tick for each power of ten: of times "1 µs", of others "1,000 bytes"."""
    getattr(ax, f"set_{which}scale")("log")
    axis = getattr(ax, f"{which}axis")
    axis.set_major_locator(LogLocator(base=10, numticks=12))
    axis.set_minor_formatter(NullFormatter())
    text = duration if unit == "ns" else lambda value: f"{short(value)} {unit}"
    axis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))


def seconds_axis(ax: Axes, begin_ns: int | None) -> None:
    """Seconds since the begin, whose time of day is said."""
    ax.set_xlabel("seconds" if begin_ns is None else f"seconds since {time_of_day(begin_ns)} UTC")


def time_of_day(time_ns: int) -> str:
    return str(np.datetime64(int(time_ns), "ns").astype("datetime64[s]")).split("T")[1]


def spread(heights: Sequence[float], least: float, lowest: float = -np.inf) -> list[float]:
    """The heights moved apart so that neighbours are at least so far from each other, each group around its middle, none too low."""
    order = np.argsort(heights, kind="stable")
    groups: list[list[float]] = []
    for index in order:
        groups.append([heights[index]])
        while len(groups) > 1 and _begin(groups[-1], least, lowest) - _end(groups[-2], least, lowest) < least:
            above = groups.pop()
            groups[-1] += above
    moved = [_begin(group, least, lowest) + place * least for group in groups for place in range(len(group))]
    result = [0.0] * len(moved)
    for height, index in zip(moved, order, strict=True):
        result[index] = height
    return result


def _begin(group: list[float], least: float, lowest: float) -> float:
    return max(float(np.mean(group)) - (len(group) - 1) * least / 2, lowest)


def _end(group: list[float], least: float, lowest: float) -> float:
    return _begin(group, least, lowest) + (len(group) - 1) * least
