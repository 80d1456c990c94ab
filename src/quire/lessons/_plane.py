"""Points on a plane: what the lessons on two columns of numbers draw alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quire._shared.page.html import Html, join
from quire._shared.page.picture import Picture, legend, span
from quire._shared.typing import Floats

__all__ = ["class_legend", "grid", "plane", "thinned"]

_ACROSS, _UPWARD = 60, 44  # cells of a plane that is coloured


def plane(label: str, X: Floats, names: Sequence[str], *, same_scale: bool = True) -> Picture:
    """Return an empty picture that has room for all rows of two columns.

    Parameters
    ----------
    label : str
        What there is to see.
    X : ndarray of shape (n_rows, 2)
        The rows.
    names : sequence of str
        The two columns.
    same_scale : bool, default=True
        Whether a step to the right is as long as one upward: where distances matter.
    """
    x, y = span(X[:, 0]), span(X[:, 1])
    return Picture(label, x, y, x_title=names[0], y_title=names[1], same_scale=same_scale)


def grid(
    picture: Picture, n_across: int = _ACROSS, n_upward: int = _UPWARD
) -> tuple[Floats, Floats, Floats]:
    """Return the centres of cells that cover a picture: across, upward, and all as rows."""

    def centres(low: float, high: float, n: int) -> Floats:
        edges = np.linspace(low, high, n + 1)
        middle: Floats = (edges[1:] + edges[:-1]) / 2
        return middle

    xs, ys = centres(*picture.x, n_across), centres(*picture.y, n_upward)
    rows = np.column_stack([np.tile(xs, len(ys)), np.repeat(ys, len(xs))])
    return xs, ys, rows


def class_legend(names: Sequence[Any], more: Sequence[tuple[int | str, str]] = ()) -> Html:
    """Return what colours and shapes of classes mean, and what else is drawn."""
    parts = [legend(list(enumerate(map(str, names))), shapes=True)]
    if more:
        parts.append(legend(list(more)))
    return join(parts)


def thinned(n_steps: int, most: int = 16) -> list[int]:
    """Return which of many steps are shown: the first ones, then ever fewer, and the last.

    Examples
    --------
    >>> thinned(5), thinned(100, most=10)
    ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 8, 14, 27, 52, 99])
    """
    if n_steps <= most:
        return list(range(n_steps))
    dense = most // 2
    rest = np.geomspace(dense - 1, n_steps - 1, most - dense + 1).round().astype(int).tolist()
    return sorted({*range(dense), *rest})
