"""Principal components: the variance of projections, and how much of it some components keep."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire._shared.plot import (
    dressed,
    grid,
    ink,
    line_style,
    middle,
    new_axes,
    new_panels,
    paper,
    themed,
    whole_numbers,
)
from quire._shared.typing import Floats
from quire.decomposition import PCA
from quire.pictures._samples import frame_samples, names_of, plane

__all__ = ["projected_variance", "variance_kept"]


def _cloud() -> Floats:
    """Return a long cloud of points."""
    rng = np.random.default_rng(0)
    return rng.multivariate_normal([0, 0], [[3.0, 1.5], [1.5, 1.2]], size=60)


def _columns() -> Floats:
    """Return ten columns that three directions nearly make."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(200, 3)) * [3.0, 2.0, 1.2]
    return scores @ rng.normal(size=(3, 10)) / 2 + 0.7 * rng.normal(size=(200, 10))


def projected_variance(X: Any = None, *, axes: Any = None, theme: str = "light") -> Any:
    r"""Draw points projected on their first principal component, and the variance by direction.

    The first component is the direction w of length one that makes the variance of the projections
    :math:`w'x` as large as possible; the second one is at a right angle to it, where in the plane
    the variance is least.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2), default=None
        Points; an example if not given.
    axes : sequence of two matplotlib.axes.Axes, default=None
        Where to draw; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    ndarray of two matplotlib.axes.Axes
        The points with both components, and the variance over the angle of w.

    Raises
    ------
    ValueError
        If there are not two columns and two rows.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import projected_variance
    >>> left, right = projected_variance()
    >>> right.get_xlabel()
    'angle of w in degrees'
    """
    points = _cloud() if X is None else plane(X)
    if len(points) < 2:
        raise ValueError("X has one row; expected two or more.")
    names = names_of(points if X is None else X)
    model = PCA(2).fit(points)
    with themed(theme):
        left, right = panels = new_panels(axes, 2, size=(4.2, 3.8))
        kept = PCA(1).fit(points)
        feet = kept.inverse_transform(kept.transform(points))
        for point, foot in zip(points, feet, strict=True):
            left.plot(*np.array([point, foot]).T, color=middle(), linewidth=0.5, alpha=0.6)
        left.scatter(*points.T, s=14, color=line_style(0)["color"], label="points", zorder=3)
        look = line_style(1)
        left.scatter(
            *feet.T, s=12, color=look["color"], marker=look["marker"], label="projections", zorder=3
        )
        for number, (component, variance) in enumerate(
            zip(model.components_, model.explained_variance_, strict=True)
        ):
            tip = model.mean_ + 2 * np.sqrt(variance) * component
            arrow = {"arrowstyle": "-|>", "color": ink(), "linewidth": 1.4}
            left.annotate("", tip, model.mean_, arrowprops=arrow, zorder=4)
            name = f"$w_{number + 1}$"
            shown = {"facecolor": paper(), "alpha": 0.8, "linewidth": 0, "pad": 1}
            left.annotate(name, tip, (7, 7), textcoords="offset points", bbox=shown, zorder=5)
        frame_samples(left, points)
        left.set(xlabel=names[0], ylabel=names[1])
        left.legend(loc="lower right")
        _draw_by_angle(right, points, model)
        for ax in panels:
            dressed(ax)
        return panels


def _draw_by_angle(ax: Any, points: Floats, model: PCA) -> None:
    degrees = np.arange(0, 181)
    turn = np.deg2rad(degrees)
    directions = np.column_stack([np.cos(turn), np.sin(turn)])
    ax.plot(degrees, (points @ directions.T).var(axis=0, ddof=1), color=line_style(0)["color"])
    at = np.rad2deg(np.arctan2(model.components_[:, 1], model.components_[:, 0])) % 180
    for number, (angle, variance) in enumerate(zip(at, model.explained_variance_, strict=True)):
        look = line_style(number + 1)
        label = f"component {number + 1}: {variance:.2f}"
        ax.plot(
            angle, variance, color=look["color"], marker=look["marker"], linestyle="", label=label
        )
    ax.set(xlabel="angle of w in degrees", ylabel="variance of $w'x$", xlim=(0, 180))
    ax.set_xticks(range(0, 181, 45))
    ax.set_ylim(bottom=0)
    grid(ax)
    ax.legend(loc="best")


def variance_kept(
    X: Any = None,
    *,
    model: Any = None,
    share: float = 0.9,
    ax: Any = None,
    theme: str = "light",
) -> Any:
    """Draw the share of variance that each principal component has, and what the first ones keep.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_columns), default=None
        Data for a PCA with all components; an example if neither `X` nor `model` is given.
    model : PCA or TruncatedSVD, default=None
        A model that was fitted, instead of data.
    share : float, default=0.9
        A share to be kept: the picture says how many components that takes.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    matplotlib.axes.Axes
        Bars are the shares of components; the line is their sum so far.

    Raises
    ------
    ValueError
        If both data and a model are given, or the share is not between 0 and 1.

    See Also
    --------
    quire.decomposition.PCA.plot_scree : The shares beside those of broken sticks.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import variance_kept
    >>> variance_kept().get_title()
    '3 components keep 90 % of the variance'
    """
    if X is not None and model is not None:
        raise ValueError("X and model are both given: a fitted model needs no data.")
    if not 0 < share < 1:
        raise ValueError(f"share is {share}; expected a number between 0 and 1.")
    if model is None:
        model = PCA().fit(_columns() if X is None else plane(X, n_columns=None))
    shares = np.asarray(model.explained_variance_ratio_, dtype=np.float64)
    numbers, kept = np.arange(1, len(shares) + 1), np.cumsum(shares)
    enough = int(np.searchsorted(kept, share - 1e-12)) + 1
    with themed(theme):
        ax = new_axes(ax)
        ax.bar(numbers, shares, color=line_style(0)["color"], width=0.7, label="one component")
        ax.plot(numbers, kept, markersize=5, label="all so far", **line_style(1))
        ax.axhline(share, color=middle(), linestyle=":", linewidth=1.2)
        if enough <= len(shares):
            ax.axvline(enough, color=middle(), linestyle=":", linewidth=1.2)
            counted = "1 component keeps" if enough == 1 else f"{enough} components keep"
            ax.set_title(f"{counted} {100 * share:g} % of the variance")
        else:
            ax.set_title(f"{len(shares)} components keep {100 * kept[-1]:.1f} %")
        ax.set(xlabel="component", ylabel="share of the variance", ylim=(0, 1.05))
        whole_numbers(ax.xaxis)
        grid(ax, axis="y")
        ax.legend(loc="center right")
        return dressed(ax)
