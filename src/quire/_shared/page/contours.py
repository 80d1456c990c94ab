"""Lines along which a function of the plane has one value, from its values on a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire._shared.typing import Floats

__all__ = ["contour_lines"]

_Edge = tuple[int, int, int]  # 0 across or 1 upward, and the row and column where it begins


def contour_lines(xs: Any, ys: Any, values: Any, level: float) -> list[Floats]:
    """Return the lines on which the values reach a level: marching squares.

    Parameters
    ----------
    xs, ys : array
        Where the columns and the rows of the grid are.
    values : array of shape (len(ys), len(xs))
        The function; all finite.
    level : float
        The value on the lines.

    Returns
    -------
    list of ndarray of shape (n_points, 2)
        The lines; a closed one ends where it began.

    Examples
    --------
    >>> [line.tolist() for line in contour_lines([0, 1], [0, 1], [[0, 1], [0, 1]], 0.25)]
    [[[0.25, 0.0], [0.25, 1.0]]]
    """
    xs, ys = np.asarray(xs, float), np.asarray(ys, float)
    heights = np.asarray(values, float) - level
    above = heights > 0
    next_to: dict[_Edge, list[_Edge]] = {}
    for a, b in _crossings(heights, above):
        next_to.setdefault(a, []).append(b)
        next_to.setdefault(b, []).append(a)
    lines = []
    ends = [edge for edge, others in next_to.items() if len(others) == 1]
    for start in [*ends, *next_to]:  # open lines first: what is left then is closed
        if not next_to[start]:
            continue
        path = [start]
        while next_to[path[-1]]:
            following = next_to[path[-1]].pop()
            next_to[following].remove(path[-1])
            path.append(following)
        lines.append(np.array([_place(xs, ys, heights, edge) for edge in path]))
    return lines


def _crossings(heights: Floats, above: Any) -> list[tuple[_Edge, _Edge]]:
    """Return for each cell that a line crosses which of its edges the line joins."""
    corners = above[:-1, :-1].astype(int) + above[:-1, 1:] + above[1:, 1:] + above[1:, :-1]
    found: list[tuple[_Edge, _Edge]] = []
    for i, j in np.argwhere((corners > 0) & (corners < 4)).tolist():
        low, right, top, left = (0, i, j), (1, i, j + 1), (0, i + 1, j), (1, i, j)
        a, b, c, d = above[i, j], above[i, j + 1], above[i + 1, j + 1], above[i + 1, j]
        crossed = [
            edge
            for edge, is_crossed in ((low, a != b), (right, b != c), (top, c != d), (left, d != a))
            if is_crossed
        ]
        if len(crossed) == 2:
            found.append((crossed[0], crossed[1]))
        elif (heights[i : i + 2, j : j + 2].mean() > 0) == a:  # a saddle
            found += [(low, right), (top, left)]
        else:
            found += [(left, low), (right, top)]
    return found


def _place(xs: Floats, ys: Floats, heights: Floats, edge: _Edge) -> tuple[float, float]:
    upward, i, j = edge
    first = heights[i, j]
    second = heights[i + 1, j] if upward else heights[i, j + 1]
    part = first / (first - second)
    if upward:
        return float(xs[j]), float(ys[i] + part * (ys[i + 1] - ys[i]))
    return float(xs[j] + part * (xs[j + 1] - xs[j])), float(ys[i])
