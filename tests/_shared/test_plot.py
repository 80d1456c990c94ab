"""What all pictures share: themes, ticks, panels, labels that are not on each other."""

import itertools
import subprocess
import sys

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.colors import to_rgb

from quire._shared.plot import (
    dressed,
    faint,
    hatch,
    ink,
    line_style,
    middle,
    new_axes,
    new_panels,
    paper,
    plain_numbers,
    spread_labels,
    themed,
    whole_numbers,
)


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


def luminance(colour):
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot([0.2126, 0.7152, 0.0722], parts))


def contrast(one, other):
    """The ratio of the web content accessibility guidelines."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_lines_are_seen_on_their_background(theme):
    with themed(theme):
        assert contrast(ink(), paper()) > 12
        assert contrast(middle(), paper()) > 7
        assert 1.1 < contrast(faint(), paper()) < 2
        for number in range(7):
            assert contrast(line_style(number)["color"], paper()) > 1.9
        for number in range(5):  # the first ones are those that are used most
            assert contrast(line_style(number)["color"], paper()) > 2.9


def test_colours_follow_a_style_of_matplotlib():
    before = line_style(4)["color"]
    with pyplot.style.context("dark_background"):
        assert (before, line_style(4)["color"]) == ("#000000", "#ffffff")


def test_a_theme_ends_where_it_ends():
    before = dict(matplotlib.rcParams)
    with themed("dark"):
        assert matplotlib.rcParams["axes.facecolor"] == paper() != before["axes.facecolor"]
        assert min(matplotlib.rcParams[f"{axis}tick.labelsize"] for axis in "xy") >= 9
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("theme", ["grey", None, 1])
def test_unknown_themes(theme):
    with pytest.raises(ValueError, match="expected 'light' or 'dark'"), themed(theme):
        pass


def test_lines_differ_without_colour():
    looks = [(line_style(k)["marker"], line_style(k)["linestyle"]) for k in range(28)]
    assert len(set(looks)) == 28
    assert len({hatch(k) for k in range(7)}) == 7
    assert hatch(0) == ""


def test_axes_given_are_dressed():
    _, ax = pyplot.subplots()
    ax.plot([0, 1], label="line")
    ax.legend()
    with themed("dark"):
        assert new_axes(ax) is ax
        assert dressed(ax) is ax
        assert matplotlib.colors.to_hex(ax.figure.get_facecolor()) == paper()
        assert matplotlib.colors.to_hex(ax.get_facecolor()) == paper()
        assert ax.xaxis.label.get_color() == ink()
        assert ax.get_legend().get_texts()[0].get_color() == ink()


def test_panels():
    made = new_panels(None, 5, n_columns=3)
    assert len(made) == 5
    assert len(made[0].figure.axes) == 5
    assert list(new_panels(made, 5)) == list(made)
    with pytest.raises(ValueError, match="axes has 5 axes; this picture has 2 panels"):
        new_panels(made, 2)


def shown(axis):
    axis.axes.figure.canvas.draw()
    low, high = axis.get_view_interval()
    ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
    return [label.get_text() for place, label in ticks if low <= place <= high]


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_counts_have_whole_ticks(n):
    ax = new_axes()
    ax.plot(np.arange(1, n + 1), np.arange(n))
    whole_numbers(ax.xaxis)
    assert shown(ax.xaxis)
    assert all(text.isdigit() for text in shown(ax.xaxis))


def test_numbers_are_written_out():
    ax = new_axes()
    ax.plot([0, 1, 2], [1234567.0, 1234568.0, 1234569.0])
    plain_numbers(ax.yaxis)
    assert "1,234,568" in shown(ax.yaxis)
    assert ax.yaxis.get_offset_text().get_text() == ""
    ax.cla()
    ax.plot([0, 1], [-3.00001, -3.00002])
    plain_numbers(ax.yaxis)
    assert all("3.0000" in text for text in shown(ax.yaxis))


def test_labels_are_moved_apart():
    ax = new_axes()
    ax.plot([0, 1], [0, 1])
    texts = [ax.text(0.5, 0.5 + k / 100, f"label {k}") for k in range(4)]
    far = ax.annotate("a name that is longer than there is room for it", (0.9, 0.5), (0, 0),
                      textcoords="offset points")  # fmt: skip
    spread_labels(ax, [*texts, far])
    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in [*texts, far]]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    inside = ax.get_window_extent()
    assert all(inside.x0 - 1 <= box.x0 and box.x1 <= inside.x1 + 1 for box in boxes)


def test_without_matplotlib():
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from quire._shared.plot import line_style, themed\n"
        "line_style(0)\n"
        "try:\n    themed('dark').__enter__()\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "pip install 'quire[plot]'" in done.stdout


def test_iterations_are_counted_in_whole_numbers():
    from quire.cluster import KMeans
    from quire.decomposition import PCA
    from quire.mixture import GaussianMixture
    from quire.neighbors import choose_k
    from quire.optimize import LogisticLoss, newton

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6)) + 10 * rng.integers(0, 2, size=(60, 1))
    y = rng.integers(0, 2, size=60)
    drawn = [
        KMeans(2, n_init=1, random_state=0).fit(1000 * X).plot_trace(),
        GaussianMixture(2, random_state=0).fit(X).plot_trace(),
        PCA(3).fit(X).plot_scree(),
        newton(LogisticLoss(X, y)).trace.plot(),
        choose_k(X, y, ks=[1, 2, 3]).plot(),
    ]
    for ax in drawn:
        assert all(text.isdigit() for text in shown(ax.xaxis)), ax.get_title()
        assert ax.yaxis.get_offset_text().get_text() == ""
