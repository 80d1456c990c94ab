"""Lines of one value: of a plane, of a circle, of a saddle."""

import numpy as np

from quire._shared.page.contours import contour_lines
from quire._shared.page.picture import Picture


def test_a_plane_has_straight_lines():
    xs, ys = np.linspace(0, 4, 5), np.linspace(0, 3, 4)
    values = xs[None, :] + 2 * ys[:, None]
    (line,) = contour_lines(xs, ys, values, 3.3)
    np.testing.assert_allclose(line @ [1, 2], 3.3)
    assert line[:, 0].min() == 0.0


def test_a_circle_is_closed():
    xs = np.linspace(-2, 2, 41)
    values = xs[None, :] ** 2 + xs[:, None] ** 2
    (line,) = contour_lines(xs, xs, values, 1.0)
    np.testing.assert_array_equal(line[0], line[-1])
    np.testing.assert_allclose(np.hypot(*line.T), 1.0, atol=0.01)


def test_a_saddle_has_two_lines():
    for values in ([[1, -1], [-1, 1]], [[1, -2], [-2, 1]], [[-1, 2], [2, -1]]):
        lines = contour_lines([0, 1], [0, 1], values, 0.0)
        assert [len(line) for line in lines] == [2, 2]
    around_corner, _ = contour_lines([0, 1], [0, 1], [[2, -1], [-1, 2]], 0.0)
    np.testing.assert_allclose(sorted(around_corner.tolist()), [[2 / 3, 0], [1, 1 / 3]])


def test_a_level_that_is_not_reached_has_no_line():
    assert contour_lines([0, 1], [0, 1], [[0, 1], [0, 1]], 5.0) == []
    picture = Picture("x", (0, 1), (0, 1))
    before = picture.svg()
    picture.contour([0, 1], [0, 1], [[0, 1], [0, 1]], 5.0)
    assert picture.svg() == before
    picture.contour([0, 1], [0, 1], [[0, 1], [0, 1]], 0.5)
    assert picture.svg() != before
