"""Least squares against outliers, beside logistic regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.plot import dressed, line_style, new_panels, themed
from quire._shared.typing import Floats
from quire.linear_model import LeastSquaresClassifier, LogisticRegression
from quire.pictures._samples import (
    draw_boundary,
    draw_classes,
    frame_samples,
    given_or_example,
    names_of,
    plane,
    sorted_classes,
)

__all__ = ["least_squares_and_outliers"]


def _example() -> tuple[Floats, NDArray[Any]]:
    """Return two classes beside each other."""
    rng = np.random.default_rng(0)
    first = rng.normal([-1.2, 1.2], 0.8, size=(40, 2))
    second = rng.normal([1.2, -1.0], 0.8, size=(40, 2))
    return np.vstack([first, second]), np.repeat(["one", "two"], 40)


def _outliers() -> tuple[Floats, NDArray[Any]]:
    """Return samples of the second class that lie far on its own side."""
    rng = np.random.default_rng(1)
    return rng.normal([5.5, -6.5], 0.5, size=(8, 2)), np.repeat("two", 8)


def least_squares_and_outliers(
    X: Any = None,
    y: Any = None,
    *,
    outliers: Any = None,
    C: float = 10.0,
    axes: Any = None,
    theme: str = "light",
) -> Any:
    """Draw the lines of least-squares classification and of logistic regression.

    Both are fitted twice: to the samples, and to the samples with outliers that lie far on the
    right side of the line. Least squares wants scores of +1 and -1, and so it turns towards samples
    whose scores are "too right"; the logistic loss of such samples is next to nothing.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2), default=None
        Samples; an example if neither `X` nor `y` is given.
    y : array-like of shape (n_samples,), default=None
        Their classes, of which there are two.
    outliers : tuple of (X, y), default=None
        Samples to be added on the right, and their classes. With samples of your own and without
        outliers there is only one picture.
    C : float, default=10.0
        The inverse penalty of logistic regression.
    axes : sequence of matplotlib.axes.Axes, default=None
        Where to draw, two or one; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        Without outliers, and with them. The lines have the labels ``least squares`` and
        ``logistic regression``.

    Raises
    ------
    ValueError
        If there are not two columns and two classes.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import least_squares_and_outliers
    >>> [ax.get_title() for ax in least_squares_and_outliers()]
    ['without outliers', 'with outliers']
    """
    if X is None and y is None and outliers is None:
        outliers = _outliers()
    X, y = given_or_example(X, y, _example)
    points, names = plane(X), names_of(X)
    classes, codes = sorted_classes(y, len(points))
    sets = [("without outliers", points, codes)]
    if outliers is not None:
        far, labels = plane(outliers[0], "outliers"), np.asarray(outliers[1])
        unknown = sorted(set(labels.tolist()) - set(classes.tolist()), key=str)
        if labels.shape != (len(far),) or unknown:
            raise ValueError(
                f"outliers needs a class for each of its {len(far)} rows, one of "
                f"{', '.join(map(str, classes))}."
            )
        added = np.searchsorted(classes, labels).astype(np.intp)
        sets.append(("with outliers", np.vstack([points, far]), np.append(codes, added)))
    models: dict[str, Any] = {
        "least squares": LeastSquaresClassifier(),
        "logistic regression": LogisticRegression(C=C),
    }
    with themed(theme):
        panels = new_panels(axes, len(sets), size=(4.2, 4.0))
        for ax, (title, rows, numbers) in zip(panels, sets, strict=True):
            draw_classes(ax, rows, numbers, classes, legend=None)
            for place, (name, model) in enumerate(models.items()):
                model.fit(rows, numbers)
                style = line_style(place + 2)
                weights, offset = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
                style = {"color": style["color"], "linestyle": "--" if place == 0 else "-"}
                draw_boundary(ax, weights, offset, label=name, **style)
            frame_samples(ax, sets[-1][1])
            ax.set(title=title, xlabel=names[0], ylabel=names[1])
            ax.legend(loc="upper right")
            dressed(ax)
        return panels
