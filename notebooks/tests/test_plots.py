# SPDX-License-Identifier: Apache-2.0
"""What is drawn is what was given: the data of pictures, not their pixels."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from flowstone import plots
from flowstone.plots.distributions import per_decade
from flowstone.plots.style import duration, percent, short, spread

BEGIN_NS = 1_795_376_020_000_000_000


@pytest.fixture(autouse=True)
def figures():
    plots.style()
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_rates_count_every_packet_once_in_its_step():
    times = BEGIN_NS + np.array([0, 1, 249_999_999, 250_000_000, 999_999_999])
    frame = plots.rate_frame(times)
    assert frame["all"].tolist() == [12, 4, 0, 4]
    assert frame.index.tolist() == [0, 0.25, 0.5, 0.75]
    assert frame.attrs["begin_ns"] == BEGIN_NS
    assert frame["all"].sum() * 0.25 == len(times)


def test_rates_of_groups_count_values():
    times = BEGIN_NS + np.array([0, 100, 200])
    groups = {"TCP": np.array([True, True, False]), "UDP": np.array([False, False, True])}
    frame = plots.rate_frame(times, groups, values=[10, 20, 40], step_ms=1000)
    assert frame.to_dict("list") == {"TCP": [30], "UDP": [40]}


def test_rates_draw_a_line_for_each_column_with_its_name():
    frame = pd.DataFrame({"TCP": [5.0, 7, 6, 1], "UDP": [5.1, 6.9, 6.1, 0]}, index=[0.0, 1, 2, 3])
    frame.attrs["begin_ns"] = BEGIN_NS
    ax = plots.rates(frame)
    assert [stairs.get_data().values.tolist() for stairs in ax.patches] == [[5, 7, 6], [5.1, 6.9, 6.1]]
    assert [stairs.get_data().edges.tolist() for stairs in ax.patches] == [[0, 1, 2, 3]] * 2
    assert texts(ax) == ["TCP", "UDP"]
    assert ax.get_xlabel() == "seconds since 19:33:40 UTC"
    heights = [text.xy[1] for text in ax.texts]
    assert abs(heights[1] - heights[0]) > 0.3, "names of lines that end together lie on one another"


def test_no_packets_make_an_empty_frame():
    assert plots.rate_frame([]).empty


def test_shares_are_of_the_whole_and_small_ones_are_one():
    frame = pd.DataFrame({"name": list("abcd"), "packets": [50, 30, 15, 5], "octets": [10, 10, 70, 10]})
    ax = plots.shares(frame, most=3)
    widths = [bar.get_width() for bar in ax.patches]
    assert widths[:3] == pytest.approx([0.5, 0.3, 0.2])
    assert widths[3:] == pytest.approx([0.1, 0.1, 0.8])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "others"]


def test_talkers_have_mean_rates():
    ax = plots.talkers(["one", "two"], [1_000_000, 250_000], seconds=2)
    assert [bar.get_width() for bar in ax.patches] == [4_000_000, 1_000_000]
    assert texts(ax) == ["4 Mb/s", "one", "1 Mb/s", "two"]


def test_the_area_of_a_histogram_is_its_count():
    edges, counts = np.array([0, 10, 100, 110]), np.array([3, 10, 5])
    positive, density = per_decade(edges, counts)
    assert (density * np.diff(np.log10(positive))).tolist() == pytest.approx([3, 10, 5])
    ax = plots.histogram(edges, counts, {"p50": 50})
    assert ax.patches[0].get_data().values.tolist() == density.tolist()
    assert texts(ax) == ["p50  50 ns"]


def test_no_line_of_a_histogram_goes_through_the_name_of_another():
    ax = plots.histogram([1, 10, 100, 1000], [1, 2, 3], {"p90": 130, "p10": 110, "p50": 120})
    ax.figure.canvas.draw()
    names = [text.get_window_extent() for text in ax.texts]
    lines = [line.get_window_extent() for line in ax.lines]
    assert names[0].x1 > lines[1].x0 and names[1].x1 > lines[2].x0, "they are near enough for it"
    assert not any(name.overlaps(line) for number, name in enumerate(names) for line in lines[number + 1 :])


def test_each_gap_is_in_the_cell_of_its_time_and_length():
    times = BEGIN_NS + np.array([0, 500_000_000, 1_000_000_000, 1_999_999_999, 2_000_000_000])
    gaps = np.array([10, 99, 100, 999, 10])
    matrix = plots.gaps_over_time(times, gaps, seconds=[0, 1, 2], edges=[10, 100, 1000], begin_ns=BEGIN_NS)
    assert matrix.tolist() == [[2, 0], [0, 2]]


def test_gaps_outside_of_all_cells_are_left_out():
    matrix = plots.gaps_over_time([0, 0, -1], [9, 1000, 50], seconds=[0, 1], edges=[10, 1000])
    assert matrix.tolist() == [[0]]


def test_coarser_buckets_keep_all_counts_and_cut_none():
    edges = np.array([0, 1, 2, 3, 4, 8, 16, 100, 104])
    one, many = np.arange(8), np.arange(16).reshape(2, 8)
    kept, counts = plots.coarser(edges, one, buckets_per_decade=1)
    assert kept.tolist() == [0, 16, 104]
    assert counts.tolist() == [15, 13]
    kept, counts = plots.coarser(edges, many, buckets_per_decade=3)
    assert set(kept) <= set(edges.tolist())
    assert counts.sum(axis=1).tolist() == many.sum(axis=1).tolist()


def test_a_heat_map_draws_its_counts():
    counts = np.array([[1, 0, 5], [0, 7, 2]])
    ax = plots.heat_map([0, 1, 2], [10, 100, 1000, 10_000], counts, BEGIN_NS, {"bursts": [0.5, 1.5, 99]})
    drawn = ax.collections[0].get_array()
    assert drawn.sum() == counts.sum()
    assert drawn.filled(0).tolist() == counts.T.tolist()
    assert ax.lines[0].get_xdata().tolist() == [0.5, 1.5]


def test_estimates_stand_beside_the_truth():
    frame = pd.DataFrame(
        [("packets", 100, 1010, 5), ("packets", 10, 1000, 2), ("flows", 10, 900, 200)],
        columns=["by", "one_in", "estimate", "error"],
    )
    ax = plots.estimates(frame, 1000, "packets")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1 in 10 packets", "1 in 10 flows", "1 in 100 packets"]
    points = [container.lines[0].get_xdata()[0] for container in ax.containers]
    assert points == pytest.approx([0, -10, 1])
    bars = [container.lines[2][0].get_segments()[0][:, 0].tolist() for container in ax.containers]
    assert bars[1] == pytest.approx([-30, 10])
    assert texts(ax)[2:4] == ["900", "−10% ± 20%"]


def test_a_balance_has_a_piece_for_each_part_and_says_what_is_missing():
    right = plots.Stage("ring", 100, {"written": 90, "dropped": 10}, frozenset({"dropped"}))
    wrong = plots.Stage("Kafka", 90, {"read back": 88})
    assert (right.unexplained, wrong.unexplained) == (0, 2)
    ax = plots.balance([right, wrong])
    pieces = [(bar.get_x(), bar.get_width()) for container in ax.containers for bar in container]
    assert pieces == [(0, 90), (90, 10), (0, 88), (88, 2)]
    rows = [box.offsetbox.get_children() for box in ax.artists]
    words = [[area.get_text() for row in lines for area in row.get_children()] for lines in rows]
    assert words == [["100 =", "written 90", "+ dropped 10"], ["90 =", "read back 88", "+2 unexplained"]]


@pytest.mark.parametrize(
    ("function", "value", "text"),
    [
        (short, 0, "0"),
        (short, 999, "999"),
        (short, 1234, "1.23 k"),
        (short, 999_999, "1 M"),
        (short, 98_600_000_000, "98.6 G"),
        (duration, 123, "123 ns"),
        (duration, 1_500, "1.5 µs"),
        (duration, 1e9, "1 s"),
        (percent, 0, "0"),
        (percent, -1.25, "−1.2%"),
        (percent, 31.0, "31%"),
        (percent, 1626.4, "1,626%"),
        (percent, 0.0042, "0.004%"),
    ],
)
def test_numbers_are_short(function, value, text):
    assert function(value) == text


def test_labels_move_apart_and_stay_in_order():
    assert spread([1, 1, 5], 2) == pytest.approx([0, 2, 5])
    assert spread([3, 1], 1) == [3, 1]
    assert spread([0, 0.1, 9], 2, lowest=1) == [1, 3, 9]
    assert np.diff(sorted(spread([0, 0.1, 0.2, 0.3], 1))).tolist() == pytest.approx([1, 1, 1])
