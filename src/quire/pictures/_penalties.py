"""The lasso's diamond and the disc of ridge regression, with the contours of the error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.plot import dressed, faint, ink, line_style, middle, new_panels, themed
from quire._shared.typing import Floats
from quire.linear_model import Lasso, LinearRegression, Ridge
from quire.pictures._samples import given_or_example, names_of, plane

__all__ = ["penalty_contours"]


def _example() -> tuple[Floats, NDArray[Any]]:
    """Return two columns that go together a little; the first matters less."""
    rng = np.random.default_rng(0)
    X = rng.multivariate_normal([0, 0], [[1, 0.3], [0.3, 1]], size=60)
    return X, X @ [0.35, 2.0] + 0.5 * rng.normal(size=60)


def penalty_contours(
    X: Any = None,
    y: Any = None,
    *,
    lasso: float = 1.5,
    ridge: float = 0.6,
    axes: Any = None,
    theme: str = "light",
) -> Any:
    r"""Draw what L1 and L2 penalties allow, and the contours of the squared error that touch it.

    The two models are fitted with the penalties

    .. math:: \frac{1}{n} \sum_i (w'x_i - y_i)^2 + \lambda \lVert w \rVert_1
              \quad \text{and} \quad
              \frac{1}{n} \sum_i (w'x_i - y_i)^2 + \lambda \lVert w \rVert_2^2 .

    Each solution has the least error of all weights that are not larger than itself, in its norm:
    the diamond and the disc. A contour touches the diamond at a corner more often than not, where
    one weight is zero; it touches the disc anywhere.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2), default=None
        Two columns; an example if neither `X` nor `y` is given.
    y : array-like of shape (n_samples,), default=None
        The target.
    lasso : float, default=1.5
        The factor :math:`\lambda` of the L1 penalty: ``Lasso(alpha=lasso / 2)``.
    ridge : float, default=0.6
        The factor :math:`\lambda` of the L2 penalty: ``Ridge(alpha=n_samples * ridge)``.
    axes : sequence of two matplotlib.axes.Axes, default=None
        Where to draw; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    ndarray of two matplotlib.axes.Axes
        The lasso and the ridge regression. The solutions are the points labelled ``lasso``,
        ``ridge`` and ``least squares``.

    Raises
    ------
    ValueError
        If there are not two columns, or a penalty is negative.

    See Also
    --------
    quire.model_selection.regularization_path : Coefficients over the penalty.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import penalty_contours
    >>> left, right = penalty_contours()
    >>> w = {line.get_label(): line.get_xydata()[0].round(2) for line in left.lines}
    >>> w["lasso"], w["least squares"]  # the first weight is exactly zero
    (array([0.  , 1.09]), array([0.44, 1.91]))
    """
    X, y = given_or_example(X, y, _example)
    points, names = plane(X), names_of(X, "w")
    target = np.asarray(y, dtype=np.float64)
    if target.shape != (len(points),) or not np.isfinite(target).all():
        raise ValueError(f"y has shape {target.shape}; expected {len(points)} finite numbers.")
    if not (lasso >= 0 and ridge >= 0):
        raise ValueError(f"lasso={lasso} and ridge={ridge}: expected penalties of 0 or more.")
    free = LinearRegression().fit(points, target).coef_
    fitted = {
        "lasso": Lasso(alpha=lasso / 2).fit(points, target).coef_
        if lasso
        else free,  # the lasso's engine wants a penalty
        "ridge": Ridge(alpha=len(points) * ridge).fit(points, target).coef_,
    }
    with themed(theme):
        panels = new_panels(axes, 2, size=(3.9, 4.2))
        reach = 1.25 * max(np.abs(free).max(), *(np.abs(w).sum() for w in fitted.values()))
        for ax, (name, weights) in zip(panels, fitted.items(), strict=True):
            _draw(ax, points, target, free, name, weights, reach)
            ax.set(xlabel=names[0], ylabel=names[1])
            dressed(ax)
        return panels


def _draw(
    ax: Any, X: Floats, y: Floats, free: Floats, name: str, weights: Floats, reach: float
) -> None:
    centred, rest = X - X.mean(axis=0), y - y.mean()
    steps = np.linspace(-reach, reach, 201)
    first, second = np.meshgrid(steps, steps)
    grid = np.stack([first.ravel(), second.ravel()])
    gram, moment = centred.T @ centred / len(X), centred.T @ rest / len(X)
    errors = (grid * (gram @ grid)).sum(axis=0) - 2 * moment @ grid + rest @ rest / len(X)
    least = float(np.mean((rest - centred @ free) ** 2))
    touching = float(np.mean((rest - centred @ weights) ** 2))
    above = max(touching - least, 1e-9)
    levels = least + above * np.array([0.1, 0.4, 1.0, 2.0, 3.6, 6.0])
    ax.contour(
        steps,
        steps,
        errors.reshape(first.shape),
        levels=levels,
        colors=[middle()] * 2 + [ink()] + [middle()] * 3,
        linewidths=[0.8, 0.8, 1.6, 0.8, 0.8, 0.8],
    )
    style = line_style(0)
    if name == "lasso":
        radius = float(np.abs(weights).sum())
        edge = radius * np.array([[1, 0], [0, 1], [-1, 0], [0, -1], [1, 0]])
    else:
        radius = float(np.linalg.norm(weights))
        turn = np.linspace(0, 2 * np.pi, 181)
        edge = radius * np.column_stack([np.cos(turn), np.sin(turn)])
    ax.fill(*edge.T, facecolor=style["color"], alpha=0.3, linewidth=0, zorder=0)
    ax.plot(*edge.T, color=style["color"], linewidth=1.2, label=f"size of the {name} weights")
    ax.axhline(0, color=faint(), linewidth=1, zorder=0)
    ax.axvline(0, color=faint(), linewidth=1, zorder=0)
    marked = ((name, weights, line_style(1)), ("least squares", free, line_style(3)))
    for label, at, look in marked:
        form = {"color": look["color"], "marker": look["marker"], "linestyle": ""}
        ax.plot(*at, label=label, zorder=4, **form)
    ax.set(
        title="lasso: a diamond, $|w_1| + |w_2|$"
        if name == "lasso"
        else "ridge: a disc, $w_1^2 + w_2^2$",
        xlim=(-reach, reach),
        ylim=(-reach, reach),
        aspect="equal",
    )
    ax.legend(loc="lower left")
