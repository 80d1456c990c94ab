"""Classifiers of two columns as pictures: which class is where, and the margin of a machine.

The plane is looked at on a grid. Regions are where a class is predicted; lines are where a decision
function has the values -1, 0 and 1, found between points of the grid by matplotlib.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from quire._shared.plot import ink, line_style, middle, new_axes, paper
from quire._shared.typing import Floats
from quire.kinds import classes_of, kind_of, last_step, takes_of

__all__ = ["plot_decision_regions", "plot_margin"]


def plot_decision_regions(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    ax: Any = None,
    resolution: int = 200,
    padding: float = 0.1,
) -> Any:
    """Draw which class a classifier predicts where, for data of two columns.

    Parameters
    ----------
    model : classifier
        Fitted on two columns: quire's, scikit-learn's, a pipeline.
    X : array-like of shape (n_samples, 2)
        Samples to show; the picture is as large as they are.
    y : array-like of shape (n_samples,), default=None
        Their classes. Samples are grey if ``None``.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; a new figure if ``None``.
    resolution : int, default=200
        Points of the grid along either axis.
    padding : float, default=0.1
        Room around the samples, as a share of their extent.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, to add to them or to save ``.figure``.

    Raises
    ------
    ValueError
        If there are not two columns.

    See Also
    --------
    plot_margin : For support vector machines.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.inspection import plot_decision_regions
    >>> from quire.tree import DecisionTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "different", "different", "same"]
    >>> ax = plot_decision_regions(DecisionTreeClassifier().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['different', 'same']
    """
    points, labels, grid = _checked(model, X, y, resolution, padding)
    ax = new_axes(ax)
    classes = model.classes_
    codes = np.searchsorted(classes, model.predict(_like(model, X, grid.points)))
    _fill(ax, grid, codes, len(classes))
    _draw_samples(ax, points, labels, classes)
    _name_axes(ax, model, grid)
    return ax


def plot_margin(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    ax: Any = None,
    resolution: int = 200,
    padding: float = 0.1,
) -> Any:
    """Draw the margin of a support vector machine of two classes, for data of two columns.

    The line between the classes is solid and the edges of the margin are dashed: where the decision
    function is 0, and where it is -1 and 1. Support vectors have a ring.

    Parameters
    ----------
    model : SVC, LinearSVC or another classifier of two classes
        Fitted on two columns, with ``decision_function``; also a pipeline that ends with one.
    X : array-like of shape (n_samples, 2)
        Samples to show, those of the fit as a rule: rings are at their rows `support_`, or, for
        models that keep no support vectors, at samples on the edges of the margin and within.
    y : array-like of shape (n_samples,), default=None
        Their classes. Samples are grey, and there are no rings without `support_`, if ``None``.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; a new figure if ``None``.
    resolution : int, default=200
        Points of the grid along either axis.
    padding : float, default=0.1
        Room around the samples, as a share of their extent.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, to add to them or to save ``.figure``.

    Raises
    ------
    ValueError
        If there are not two columns and two classes.
    TypeError
        If the model has no decision function.

    See Also
    --------
    plot_decision_regions : For classifiers of any kind and number of classes.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import numpy as np
    >>> from quire.inspection import plot_margin
    >>> from quire.svm import SVC
    >>> X, y = np.array([[0, 0], [0, 1], [2, 0], [2, 1]]), ["left", "left", "right", "right"]
    >>> ax = plot_margin(SVC(kernel="linear", C=np.inf).fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['left', 'right', 'support vectors']
    """
    points, labels, grid = _checked(model, X, y, resolution, padding)
    classes = model.classes_
    if not hasattr(model, "decision_function"):
        raise TypeError(
            f"{type(model).__name__} has no decision_function, and so no margin. Use "
            "plot_decision_regions."
        )
    if len(classes) != 2:
        raise ValueError(
            f"plot_margin draws the margin between two classes; this model has {len(classes)}. Use "
            "plot_decision_regions, or fit two of the classes."
        )
    ax = new_axes(ax)
    decisions = np.asarray(model.decision_function(_like(model, X, grid.points)), dtype=np.float64)
    _fill(ax, grid, (decisions > 0).astype(np.intp), 2)
    _draw_lines(ax, grid, decisions)
    _draw_samples(ax, points, labels, classes)
    support = _support(model, X, labels, classes)
    if len(support):
        ax.scatter(
            *points[support].T,
            s=110,
            facecolors="none",
            edgecolors=ink(),
            linewidths=1.2,
            label="support vectors",
            zorder=4,
        )
        ax.legend(loc="upper right")
    _name_axes(ax, model, grid)
    return ax


class _Grid:
    """Points of the plane around samples."""

    def __init__(self, samples: Floats, resolution: int, padding: float) -> None:
        low, high = samples.min(axis=0), samples.max(axis=0)
        room = padding * np.where(high > low, high - low, 1.0)
        self.low, self.high = low - room, high + room
        self.x = np.linspace(self.low[0], self.high[0], resolution)
        self.y = np.linspace(self.low[1], self.high[1], resolution)
        self.shape = (resolution, resolution)
        across, up = np.meshgrid(self.x, self.y)
        self.points = np.column_stack([across.ravel(), up.ravel()])


def _checked(
    model: Any, X: Any, y: Any, resolution: int, padding: float
) -> tuple[Floats, NDArray[Any] | None, _Grid]:
    """Return samples, their classes and the grid; refuse what cannot be drawn in a plane."""
    check_is_fitted(model)
    if classes_of(model) is None:
        raise TypeError(
            f"{type(model).__name__} has no classes_: it is not a classifier, and has no regions."
        )
    points = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            f"X has shape {points.shape}; a picture of the plane needs two columns. Project more "
            "of them first, with quire.decomposition.TruncatedSVD(2) before the classifier."
        )
    if len(points) == 0 or not np.isfinite(points).all():
        raise ValueError("X needs at least one sample, and finite numbers only.")
    labels = None if y is None else np.asarray(y)
    if labels is not None and labels.shape != (len(points),):
        raise ValueError(f"y has shape {labels.shape}; expected one class for {len(points)} rows.")
    if resolution < 2 or padding < 0:
        raise ValueError(
            f"resolution={resolution} and padding={padding}: expected at least 2 points, and 0 or "
            "more."
        )
    return points, labels, _Grid(points, int(resolution), float(padding))


def _like(model: Any, X: Any, points: Floats) -> Any:
    """Return points in the form of X: a data frame for a model that knows its columns by name."""
    if sparse.issparse(X):
        return sparse.csr_array(points)
    if takes_of(model).what == "table" and hasattr(X, "columns"):
        return type(X)({name: points[:, k] for k, name in enumerate(X.columns)})
    return points


def _support(
    model: Any, X: Any, labels: NDArray[Any] | None, classes: NDArray[Any]
) -> NDArray[np.intp]:
    """Return the rows of support vectors."""
    if kind_of(model).evidence == "machine":
        rows = np.asarray(last_step(model).support_, dtype=np.intp)
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        if len(rows) and rows.max() >= n:
            raise ValueError(
                f"The model has a support vector in row {rows.max()}, and X has {n} rows. Pass the "
                "samples of its fit."
            )
        return rows
    if labels is None:
        return np.empty(0, dtype=np.intp)
    signs = np.where(labels == classes[1], 1.0, -1.0)
    return np.flatnonzero(signs * np.asarray(model.decision_function(X)) <= 1 + 1e-3)


def _fill(ax: Any, grid: _Grid, codes: NDArray[Any], n_classes: int) -> None:
    from matplotlib.colors import ListedColormap

    colours = ListedColormap([line_style(k)["color"] for k in range(n_classes)])
    ax.pcolormesh(
        grid.x,
        grid.y,
        codes.reshape(grid.shape),
        cmap=colours,
        vmin=-0.5,
        vmax=n_classes - 0.5,
        shading="nearest",
        alpha=0.18,
        rasterized=True,
        zorder=0,
    )


def _draw_lines(ax: Any, grid: _Grid, decisions: Floats) -> None:
    """Draw where decisions are -1, 0 and 1, as far as that is in the picture."""
    lines = ((-1.0, "--", 1.0), (0.0, "-", 1.6), (1.0, "--", 1.0))
    seen = [line for line in lines if decisions.min() < line[0] < decisions.max()]
    if not seen:
        return
    levels, dashes, widths = zip(*seen, strict=True)
    values = decisions.reshape(grid.shape)
    ax.contour(
        grid.x, grid.y, values, levels=levels, colors=ink(), linestyles=dashes, linewidths=widths
    )


def _draw_samples(
    ax: Any, points: Floats, labels: NDArray[Any] | None, classes: NDArray[Any]
) -> None:
    if labels is None:
        ax.scatter(*points.T, s=22, color=middle(), zorder=3)
        return
    for number, label in enumerate(classes):
        style = line_style(number)
        mine = labels == label
        ax.scatter(
            *points[mine].T,
            s=26,
            color=style["color"],
            marker=style["marker"],
            edgecolors=paper(),
            linewidths=0.5,
            label=str(label),
            zorder=3,
        )
    ax.legend(loc="upper right")


def _name_axes(ax: Any, model: Any, grid: _Grid) -> None:
    names = getattr(model, "feature_names_in_", ("first column", "second column"))
    ax.set_xlabel(str(names[0]))
    ax.set_ylabel(str(names[1]))
    ax.set_xlim(grid.low[0], grid.high[0])
    ax.set_ylim(grid.low[1], grid.high[1])
