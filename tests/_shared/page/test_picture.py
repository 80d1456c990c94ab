"""Pictures of the page: places, shapes, escaped names, ranges that hold all there is."""

import re

import numpy as np
import pytest
from tests.helpers.pages import Page

from quire._shared.page.picture import Picture, bars, legend, span, ticks

NASTY = "<script>alert(\"x\")</script> & 'law' \x00"


def tags_of(piece):
    page = Page(str(piece))
    assert page.problems == []
    return page.tags


def test_points_are_where_they_belong():
    picture = Picture("points", (0, 10), (0, 5))
    left, right = picture.at(0, 0), picture.at(10, 5)
    assert left[0] < right[0]
    assert left[1] > right[1]
    middle = picture.at(5, 2.5)
    assert middle == pytest.approx(((left[0] + right[0]) / 2, (left[1] + right[1]) / 2))
    picture.points([(5, 2.5), (0, np.nan)], 2)
    dots = [a for _, a in tags_of(picture.svg()) if a.get("stroke") == "var(--c3)"]
    assert len(dots) == 1
    assert dots[0]["stroke-linecap"] == "round"
    x, y = re.fullmatch(r"M(\S+) (\S+)h.01", dots[0]["d"]).groups()
    assert (float(x), float(y)) == pytest.approx(middle, abs=0.06)


def test_the_same_scale_on_both_axes():
    picture = Picture("scale", (0, 1), (0, 10), same_scale=True)
    assert picture.y == pytest.approx((0, 10))
    a, b, c = picture.at(0, 0), picture.at(1, 0), picture.at(0, 1)
    assert b[0] - a[0] == pytest.approx(a[1] - c[1])
    assert picture.x[0] + picture.x[1] == pytest.approx(1)


def test_everything_can_be_drawn_and_is_escaped():
    picture = Picture(NASTY, (-1, 1), (-1, 1), x_title=NASTY, y_title=NASTY, x_ticks=[(0, NASTY)])
    picture.points(np.zeros((4, 2)), [0, 1, "ink", 9], shapes=[0, 1, 2, 3], outlined=True)
    picture.line([(0, 0), (1, 1)], dashes="4 2", fill=0.3, closed=True)
    picture.segments([(0, 0)], [(1, 1)])
    picture.arrow((0, 0), (0.5, 0.5))
    picture.arrow((0, 0), (0, 0))
    picture.ellipse((0, 0), np.eye(2), 1)
    picture.regions([-0.5, 0.5], [-0.5, 0.5], [[0, 1], [1, -1]])
    picture.shades([-0.5, 0.5], [-0.5, 0.5], [[0, 0.5], [1, 0.2]])
    picture.text(0, 0, NASTY, bold=True)
    whole = str(picture.svg()) + str(legend([(0, NASTY), (1, "b")], shapes=True))
    tags = [tag for tag, _ in tags_of(whole)]
    assert "script" not in tags
    assert tags.count("path") > 12
    assert "nan" not in whole
    assert "\x00" not in whole


def test_an_ellipse_is_so_many_deviations_away():
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    picture = Picture("ellipse", (-5, 5), (-5, 5))
    drawn = []
    picture.line = lambda xy, *arguments, **options: drawn.append(xy)
    picture.ellipse((1, 2), covariance, deviations=2)
    away = drawn[0] - [1, 2]
    squares = np.einsum("ij,jk,ik->i", away, np.linalg.inv(covariance), away)
    np.testing.assert_allclose(squares, 4)


def test_regions_join_cells_of_a_row_and_leave_out_none():
    picture = Picture("regions", (0, 4), (0, 1))
    picture.regions([0.5, 1.5, 2.5, 3.5], [0.25, 0.75], [[0, 0, 1, -1], [0, 0, 0, 0]])
    paths = [a for tag, a in tags_of(picture.svg()) if tag == "path" and "opacity" in a]
    found = {a["fill"]: a["d"].count("M") for a in paths if "shape-rendering" in a}
    assert found == {"var(--c1)": 2, "var(--c2)": 1}


def test_bars_have_lengths_in_proportion():
    shown = [["1", "2", "−1"]]
    tags = tags_of(bars("bars", ["a", "b", NASTY * 3], [[1.0, 2.0, -1.0]], shown, colours=[0, 1]))
    rectangles = [a for tag, a in tags if tag == "rect"]
    wide = [float(a["width"]) for a in rectangles]
    assert wide[1] == pytest.approx(2 * wide[0], abs=0.2)
    assert wide[2] == pytest.approx(wide[0], abs=0.2)
    assert [a["fill"] for a in rectangles] == ["var(--c1)", "var(--c1)", "var(--c2)"]
    assert all(0 <= float(a["x"]) and float(a["x"]) + float(a["width"]) <= 400 for a in rectangles)


@pytest.mark.parametrize("series", [[[0.0, 0.0]], [[np.inf, -np.inf]], [[np.nan, 1.0]], [[-1, -2]]])
def test_bars_of_odd_numbers(series):
    text = str(bars("odd", ["a", "b"], series, [["x", "y"]]))
    assert not re.search(r'="(nan|inf|-inf)', text)
    for tag, attributes in tags_of(text):
        if tag == "rect":
            assert 0 <= float(attributes["x"]) <= float(attributes["x"]) + 0.5 <= 400


def test_ranges_and_round_numbers():
    assert span([1, 1]) == (0.5, 1.5)
    assert span([]) == pytest.approx((-0.08, 1.08))
    assert span([0, np.inf, 1], 0) == (0, 1)
    assert ticks(0, 0) == [0]
    assert ticks(0, 0.001) == [0, 0.0002, 0.0004, 0.0006, 0.0008, 0.001]
    for low, high in [(-1.3, 2.7), (5, 2000), (1e-6, 3e-6), (-0.2, 0.1)]:
        found = ticks(low, high)
        assert 2 <= len(found) <= 7
        assert low <= found[0] <= found[-1] <= high
