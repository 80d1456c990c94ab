"""Points with classes in the plane, as several lessons draw them: points, half-planes, lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from quire._shared.page.html import Html
from quire._shared.page.picture import Picture, legend, span
from quire._shared.typing import Floats
from quire.lessons._points import LabelledPoints

__all__ = ["classes_legend", "draw_points", "grid", "half_planes", "line_at", "plane"]


def plane(label: str, found: LabelledPoints, *, same_scale: bool = False) -> Picture:
    """Return an empty picture that has room for all points.

    Parameters
    ----------
    label : str
        What there is to see, for people who do not.
    found : LabelledPoints
        The points.
    same_scale : bool, default=False
        Whether right angles look like right angles.
    """
    return Picture(
        label,
        span(found.X[:, 0]),
        span(found.X[:, 1]),
        x_title=found.names[0],
        y_title=found.names[1],
        height=320,
        same_scale=same_scale,
    )


def draw_points(
    picture: Picture, found: LabelledPoints, *, size: float = 3.6, opacity: float = 1.0
) -> None:
    """Draw the points, each class with a colour and a shape."""
    codes = found.codes.tolist()
    picture.points(found.X, codes, shapes=codes, size=size, opacity=opacity)


def classes_legend(found: LabelledPoints) -> Html:
    """Return which colour and shape each class has."""
    return legend(list(enumerate(found.classes)), shapes=True)


def grid(
    picture: Picture, function: Callable[[Floats], Any], n_across: int = 56, n_up: int = 42
) -> tuple[Floats, Floats, Any]:
    """Return columns and rows that cover a picture, and a function of their points.

    Parameters
    ----------
    picture : Picture
        Whose plane is covered.
    function : callable
        From points, an array of two columns, to a value of each.
    n_across, n_up : int
        How many columns and rows.
    """
    xs = np.linspace(*picture.x, n_across)
    ys = np.linspace(*picture.y, n_up)
    points = np.column_stack([part.ravel() for part in np.meshgrid(xs, ys)])
    return xs, ys, np.asarray(function(points)).reshape(n_up, n_across)


def line_at(picture: Picture, weights: Any, level: float) -> Floats | None:
    """Return the two ends of the line w'x = level inside a picture; ``None`` if it is outside.

    Parameters
    ----------
    picture : Picture
        Whose plane the line crosses.
    weights : array of two numbers
        w.
    level : float
        The value of w'x on the line.
    """
    corners = _corners(picture)
    values = corners @ np.asarray(weights, dtype=float) - level
    ends = []
    for k in range(4):
        a, b = values[k], values[(k + 1) % 4]
        if (a < 0) != (b < 0):
            ends.append(corners[k] + a / (a - b) * (corners[(k + 1) % 4] - corners[k]))
    return np.array(ends) if len(ends) == 2 else None


def half_planes(
    picture: Picture, weights: Any, level: float, *, below: int = 0, above: int = 1
) -> None:
    """Colour the sides of the line w'x = level: where w'x is less, and where it is more."""
    corners = _corners(picture)
    values = corners @ np.asarray(weights, dtype=float) - level
    for colour, signed in ((below, -values), (above, values)):
        inside: list[Any] = []
        for k in range(4):
            a, b = signed[k], signed[(k + 1) % 4]
            if a >= 0:
                inside.append(corners[k])
            if (a < 0) != (b < 0):
                inside.append(corners[k] + a / (a - b) * (corners[(k + 1) % 4] - corners[k]))
        if len(inside) > 2 and np.any(values):
            picture.line(inside, colour, width=0, closed=True, fill=0.13)


def _corners(picture: Picture) -> Floats:
    (left, right), (bottom, top) = picture.x, picture.y
    return np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
