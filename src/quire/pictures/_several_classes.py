"""More than two classes out of lines for two: what is decided, and what is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.multiclass import OneVsOneClassifier
from sklearn.utils.validation import check_is_fitted

from quire._shared.plot import dressed, ink, line_style, middle, new_panels, themed
from quire._shared.typing import Floats
from quire.linear_model import LogisticRegression
from quire.multiclass import OneVsAllClassifier, undecided
from quire.pictures._samples import (
    draw_classes,
    given_or_example,
    names_of,
    plane,
    sorted_classes,
)

__all__ = ["undecided_regions"]


def _example() -> tuple[Floats, NDArray[Any]]:
    """Return three long classes, turned like the sails of a windmill."""
    rng = np.random.default_rng(0)
    parts = []
    for turn in np.deg2rad([90, 210, 330]):
        out = np.array([np.cos(turn), np.sin(turn)])
        along = np.array([np.cos(turn + 1.5), np.sin(turn + 1.5)])
        across = np.array([-along[1], along[0]])
        spread = rng.normal(size=(40, 2)) * [1.6, 0.2]
        parts.append(2.0 * out + spread[:, :1] * along + spread[:, 1:] * across)
    return np.vstack(parts), np.repeat(["a", "b", "c"], 40)


def undecided_regions(
    X: Any = None,
    y: Any = None,
    *,
    estimator: Any = None,
    models: Mapping[str, Any] | None = None,
    resolution: int = 241,
    axes: Any = None,
    theme: str = "light",
) -> Any:
    """Draw regions of one-vs-all, one-vs-one and K discriminants, and what is undecided.

    One-vs-all has a line for each of the first K - 1 classes and is undecided where two of them
    claim a point. One-vs-one has a line for each pair and is undecided where the votes are equal.
    K linear functions, of which the largest decides, leave nothing.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2), default=None
        Samples; an example if neither `X` nor `y` is given.
    y : array-like of shape (n_samples,), default=None
        Their classes, three or more.
    estimator : classifier, default=None
        A classifier of two classes and of several; ``LogisticRegression(C=10)`` if not given.
    models : mapping of str to classifier, default=None
        Models that were fitted, by the titles of their panels, instead of the three.
    resolution : int, default=241
        Points of the grid along either axis.
    axes : sequence of matplotlib.axes.Axes, default=None
        Where to draw, one for each model; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        A panel for each way, with the undecided share of the picture in its title.

    Raises
    ------
    ValueError
        If there are not two columns, or fewer than three classes.

    See Also
    --------
    quire.multiclass.undecided : Where the rule of a classifier has no answer.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import undecided_regions
    >>> [ax.get_title().split(":")[0] for ax in undecided_regions(resolution=41)]
    ['one-vs-all', 'one-vs-one', '3 discriminants']
    """
    X, y = given_or_example(X, y, _example)
    points = plane(X)
    classes, codes = sorted_classes(y, len(points), n_classes=None)
    if len(classes) < 3:
        raise ValueError(f"y has {len(classes)} classes; this picture is of three or more.")
    if resolution < 2:
        raise ValueError(f"resolution is {resolution}; expected 2 or more.")
    if models is None:
        base = LogisticRegression(C=10) if estimator is None else estimator
        models = {
            "one-vs-all": OneVsAllClassifier(clone(base)),
            "one-vs-one": OneVsOneClassifier(clone(base)),
            f"{len(classes)} discriminants": clone(base),
        }
        models = {name: model.fit(points, classes[codes]) for name, model in models.items()}
    with themed(theme):
        panels = new_panels(axes, len(models), size=(3.3, 3.4))
        names = names_of(X)
        for ax, (title, model) in zip(panels, models.items(), strict=True):
            check_is_fitted(model)
            share = _draw(ax, model, points, classes, resolution)
            draw_classes(
                ax,
                points,
                codes,
                classes,
                size=14,
                legend="lower left" if ax is panels[0] else None,
            )
            ax.set(xlabel=names[0], ylabel=names[1], aspect="equal")
            ax.set_title(f"{title}: {100 * share:.1f} % undecided")
            dressed(ax)
        return panels


def _draw(ax: Any, model: Any, points: Floats, classes: NDArray[Any], resolution: int) -> float:
    """Draw regions and the undecided part on a grid, and return the share of the latter."""
    from matplotlib.colors import ListedColormap

    middle_of = (points.min(axis=0) + points.max(axis=0)) / 2
    half = 0.6 * float(np.ptp(points, axis=0).max() or 1.0)
    steps = [np.linspace(c - half, c + half, resolution) for c in middle_of]
    first, second = np.meshgrid(*steps)
    grid = np.column_stack([first.ravel(), second.ravel()])
    codes = np.searchsorted(classes, model.predict(grid)).reshape(first.shape)
    open_ = undecided(model, grid).reshape(first.shape)
    ax.pcolormesh(
        *steps,
        np.ma.masked_array(codes, mask=open_),
        cmap=ListedColormap([line_style(k)["color"] for k in range(len(classes))]),
        vmin=-0.5,
        vmax=len(classes) - 0.5,
        shading="nearest",
        alpha=0.22,
        rasterized=True,
        zorder=0,
    )
    edges = np.where(open_, len(classes), codes)
    for level in np.unique(edges)[:-1]:
        ax.contour(*steps, edges == level, levels=[0.5], colors=[ink()], linewidths=0.8)
    if open_.any():
        part = ax.contourf(
            *steps, open_.astype(float), levels=[0.5, 1.5], colors="none", hatches=["xxx"], zorder=1
        )
        part.set_edgecolor(middle())
        part.set_linewidth(0.0)
    return float(open_.mean())
