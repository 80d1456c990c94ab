"""What the pictures share: samples in the plane, checked and drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.plot import ink, line_style, paper
from quire._shared.typing import Floats

__all__ = [
    "Classes",
    "draw_boundary",
    "draw_classes",
    "frame_samples",
    "given_or_example",
    "names_of",
    "plane",
    "sorted_classes",
]

Classes = tuple[NDArray[Any], NDArray[np.intp]]


def given_or_example(
    X: Any, y: Any, example: Callable[[], tuple[Floats, NDArray[Any]]]
) -> tuple[Any, Any]:
    """Return the data that were given, or those of the example if there are none."""
    if X is None and y is None:
        return example()
    if X is None or y is None:
        missing, given = ("X", "y") if X is None else ("y", "X")
        raise ValueError(
            f"{given} is given and {missing} is not: give both, or neither for an example."
        )
    return X, y


def plane(X: Any, name: str = "X", n_columns: int | None = 2) -> Floats:
    """Return numbers in rows, of two columns as a rule; refuse what cannot be drawn."""
    points = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    if points.ndim != 2 or (n_columns is not None and points.shape[1] != n_columns):
        wanted = f"(n_samples, {'n_columns' if n_columns is None else n_columns})"
        raise ValueError(f"{name} has shape {points.shape}; this picture needs {wanted}.")
    if len(points) == 0 or not np.isfinite(points).all():
        raise ValueError(f"{name} needs at least one row, and finite numbers only.")
    return points


def names_of(X: Any, letter: str = "x") -> list[str]:
    """Return the names of columns: those of a data frame, or x₁, x₂ and so on."""
    if hasattr(X, "columns"):
        return [str(name) for name in X.columns]
    return [f"${letter}_{{{k}}}$" for k in range(1, np.shape(X)[1] + 1)]


def sorted_classes(y: Any, n_rows: int, n_classes: int | None = 2) -> Classes:
    """Return the classes in order and the number of each row's class."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(f"y has shape {labels.shape}; expected one class for {n_rows} rows.")
    classes, codes = np.unique(labels, return_inverse=True)
    if n_classes is not None and len(classes) != n_classes:
        raise ValueError(f"y has {len(classes)} classes; this picture is of {n_classes}.")
    return classes, codes.astype(np.intp)


def draw_classes(
    ax: Any,
    points: Floats,
    codes: NDArray[np.intp],
    classes: NDArray[Any],
    *,
    legend: str | None = "upper left",
    size: float = 24,
    alpha: float = 0.9,
) -> None:
    """Draw samples, with the colour and the marker of their classes, and a legend somewhere."""
    for number, label in enumerate(classes):
        style = line_style(number)
        mine = points[codes == number]
        ax.scatter(
            *mine.T,
            s=size,
            color=style["color"],
            marker=style["marker"],
            edgecolors=paper(),
            linewidths=0.4,
            alpha=alpha,
            label=str(label),
            zorder=3,
        )
    if legend is not None:
        ax.legend(loc=legend)


def draw_boundary(ax: Any, weights: Any, offset: float, **style: Any) -> Any:
    """Draw the line on which a score, weights'x + offset, is zero."""
    w = np.asarray(weights, dtype=np.float64)
    start = -offset * w / (w @ w)
    settings: dict[str, Any] = {"color": ink(), "marker": "", **style}
    return ax.axline(start, start + np.array([-w[1], w[0]]) / np.linalg.norm(w), **settings)


def frame_samples(ax: Any, points: Floats, *, padding: float = 0.08, equal: bool = True) -> None:
    """Show all samples with some room around, in units that are equal on both axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = padding * np.where(high > low, high - low, 1.0)
    ax.set_xlim(low[0] - room[0], high[0] + room[0])
    ax.set_ylim(low[1] - room[1], high[1] + room[1])
    if equal:
        ax.set_aspect("equal")
