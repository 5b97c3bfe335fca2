# SPDX-License-Identifier: Apache-2.0
"""Where packets went, stage by stage, and whether every one is accounted for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea, VPacker

from .style import ALARM, COLOURS, FAINT, INK, LABEL_POINTS, QUIET, axes_of

_BAR = 0.34
_STAGE_INCHES = 0.72
_ROW_INCHES = 0.25
_WORDS_IN_ROW = 5
_OTHER_PARTS = (*COLOURS[2:], "#8c6d46", QUIET)


@dataclass(frozen=True)
class Stage:
    """What came to a stage, by its own count, and what became of it: the first part is what goes on to the next stage."""

    name: str
    received: int
    parts: Mapping[str, int]
    lost: frozenset[str] = field(default_factory=frozenset)
    """Which of the parts are losses."""

    @property
    def unexplained(self) -> int:
        """Packets that came and are in no part; negative: more left than came."""
        return self.received - sum(self.parts.values())

    @property
    def goes_on(self) -> int:
        return next(iter(self.parts.values()))


def balance(stages: Sequence[Stage], connected: bool = True, title: str | None = None, ax: Axes | None = None) -> Axes:
    """A bar for each stage, all on one scale, cut into its parts, with the sum written above it; what does not add up is said in red.

    connected: what goes on from one stage is what comes to the next; else each bar is an account of its own of the same packets.
    """
    rows = max(-(-(1 + len(stage.parts)) // _WORDS_IN_ROW) for stage in stages)
    ax = axes_of(ax, 0.5 + (_STAGE_INCHES + _ROW_INCHES * (rows - 1)) * len(stages))
    greatest = max(stage.received for stage in stages)
    for number, stage in enumerate(stages):
        height = len(stages) - 1 - number
        _draw(ax, stage, height, greatest)
        if connected and number + 1 < len(stages):
            _flow(ax, stage.goes_on, stages[number + 1].received, height)
    ax.set_yticks(range(len(stages))[::-1], [stage.name for stage in stages])
    ax.tick_params(axis="y", labelcolor=INK, labelsize=LABEL_POINTS + 1)
    ax.set_xticks([])
    ax.set_xlim(0, greatest * 1.01)
    ax.set_ylim(-0.35, len(stages) - 0.35)
    ax.grid(False)
    for side in ("bottom", "left"):
        ax.spines[side].set_visible(False)
    ax.set_title(title or "")
    return ax


def _draw(ax: Axes, stage: Stage, height: float, greatest: int) -> None:
    left = 0
    colours = _colours(stage)
    for count, colour in zip(stage.parts.values(), colours, strict=True):
        ax.barh(height, count, left=left, height=_BAR, color=colour, edgecolor="white", linewidth=0.8)
        left += count
    if stage.unexplained:
        ax.barh(
            height,
            abs(stage.unexplained),
            left=min(left, stage.received),
            height=_BAR,
            color="white",
            edgecolor=ALARM,
            hatch="////",
        )
    _write(ax, stage, height + _BAR / 2, colours)


def _colours(stage: Stage) -> list[str]:
    """Of what goes on, of losses, and of each other part its own."""
    others = cycle(_OTHER_PARTS)
    return [
        COLOURS[0] if not number else COLOURS[1] if name in stage.lost else next(others) for number, name in enumerate(stage.parts)
    ]


def _write(ax: Axes, stage: Stage, height: float, colours: Sequence[str]) -> None:
    """The sum in words, each part in the colour of its piece of the bar."""
    words = [(f"{stage.received:,} =", QUIET)]
    for number, ((name, count), colour) in enumerate(zip(stage.parts.items(), colours, strict=True)):
        words.append((f"{'+ ' if number else ''}{name} {count:,}", colour))
    if stage.unexplained:
        words.append((f"{stage.unexplained:+,} unexplained", ALARM))
    rows: list[Artist] = []
    for first in range(0, len(words), _WORDS_IN_ROW):
        texts: list[Artist] = [
            TextArea(text, textprops={"fontsize": LABEL_POINTS, "color": colour})
            for text, colour in words[first : first + _WORDS_IN_ROW]
        ]
        rows.append(HPacker(children=texts, pad=0, sep=4))
    lines = VPacker(children=rows, pad=0, sep=2)
    box = AnnotationBbox(lines, (0, height), xybox=(0, 3), boxcoords="offset points", box_alignment=(0, 0), frameon=False, pad=0)
    box.set_in_layout(False)
    ax.add_artist(box)


def _flow(ax: Axes, leaves: int, arrives: int, height: float) -> None:
    """What leaves one stage is what comes to the next: a shadow between the two, which is skewed where that does not hold."""
    top, bottom = height - _BAR / 2, height - 1 + _BAR / 2
    ax.fill(np.array([0, leaves, arrives, 0]), [top, top, bottom, bottom], color=FAINT, alpha=0.45, linewidth=0, zorder=0)
