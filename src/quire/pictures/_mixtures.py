"""Mixtures of normal densities: bells and their sum, ellipses, and EM step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.utils.validation import check_is_fitted

from quire._shared.plot import (
    dressed,
    faint,
    grid,
    ink,
    line_style,
    new_axes,
    new_panels,
    themed,
)
from quire._shared.typing import Floats
from quire.mixture import GaussianMixture
from quire.pictures._samples import frame_samples, names_of, plane
from quire.pictures._shown_steps import shown_steps

__all__ = ["mixture_density", "mixture_ellipses", "mixture_steps"]


def _numbers() -> Floats:
    """Return numbers from two bells, three of ten from the higher one."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(0, 1, size=210), rng.normal(4, 0.7, size=90)])[:, None]


def _points() -> Floats:
    """Return points from three bells in the plane."""
    rng = np.random.default_rng(1)
    parts = [
        rng.multivariate_normal([0, 0], [[1.6, 1.0], [1.0, 1.0]], size=100),
        rng.multivariate_normal([4, 0.5], [[0.5, -0.3], [-0.3, 0.9]], size=80),
        rng.multivariate_normal([1, 4], [[1.4, 0], [0, 0.3]], size=60),
    ]
    return np.vstack(parts)


def mixture_density(
    X: Any = None,
    *,
    model: Any = None,
    n_components: int = 2,
    bins: Any = 30,
    ax: Any = None,
    theme: str = "light",
) -> Any:
    r"""Draw a histogram of numbers, the bells of a mixture, and their sum.

    The density is :math:`p(x) = \sum_k \pi_k N(x; \mu_k, \sigma_k^2)`. A bell is a component with
    its weight, :math:`\pi_k N(x; \mu_k, \sigma_k^2)`, so that the bells add up to the sum.

    Parameters
    ----------
    X : array-like of shape (n_samples,) or (n_samples, 1), default=None
        Numbers; an example if not given.
    model : GaussianMixture, default=None
        A mixture that was fitted to one column; one is fitted if not given.
    n_components : int, default=2
        Components of a mixture that is fitted here.
    bins : int or sequence, default=30
        Bars of the histogram, as in ``numpy.histogram``.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. The line labelled ``sum`` is the density; the others are the bells.

    Raises
    ------
    ValueError
        If there is more than one column.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import mixture_density
    >>> [line.get_label() for line in mixture_density().lines]
    ['29 % around 3.94', '71 % around 0.03', 'sum']
    """
    rows = _numbers() if X is None else plane(_column(X), n_columns=1)
    model = _fitted(model, rows, n_components)
    with themed(theme):
        ax = new_axes(ax)
        _draw_bells(ax, rows, *_parameters(model, model), bins)
        ax.set(xlabel="x" if X is None else names_of(_column(X))[0].replace("_{1}", ""))
        ax.legend(loc="best")
        return dressed(ax)


def mixture_ellipses(
    X: Any = None,
    *,
    model: Any = None,
    n_components: int = 3,
    ax: Any = None,
    theme: str = "light",
) -> Any:
    """Draw points, and the ellipses of a mixture at one and at two standard deviations.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2), default=None
        Points; an example if not given.
    model : GaussianMixture, default=None
        A mixture that was fitted to two columns; one is fitted if not given.
    n_components : int, default=3
        Components of a mixture that is fitted here.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. Points have the colour of the component with the largest responsibility, and are
        fainter where it is not sure.

    Raises
    ------
    ValueError
        If there are not two columns.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import mixture_ellipses
    >>> len(mixture_ellipses().lines)  # two ellipses and a mean for each of three components
    9
    """
    points = _points() if X is None else plane(X)
    model = _fitted(model, points, n_components)
    with themed(theme):
        ax = new_axes(ax)
        shares = model.predict_proba(points)
        _draw_ellipses(ax, points, shares, *_parameters(model, model))
        names = names_of(points if X is None else X)
        ax.set(xlabel=names[0], ylabel=names[1])
        frame_samples(ax, points)
        ax.legend(loc="best")
        return dressed(ax)


def mixture_steps(
    X: Any = None,
    *,
    model: Any = None,
    n_components: int = 2,
    n_panels: int = 6,
    random_state: int = 0,
    bins: Any = 30,
    axes: Any = None,
    theme: str = "light",
) -> Any:
    """Draw the EM algorithm step by step: bells for one column, ellipses for two.

    The E step asks how much of each row every component is responsible for, the M step takes means,
    variances and weights with these shares. The log-likelihood never falls.

    Parameters
    ----------
    X : array-like of shape (n_samples,) or (n_samples, 1) or (n_samples, 2), default=None
        Rows; an example of one column if not given.
    model : GaussianMixture, default=None
        A mixture with ``keep_steps=True`` that was fitted to `X`; one that starts with
        wide bells at random rows is fitted if not given.
    n_components : int, default=2
        Components of a mixture that is fitted here.
    n_panels : int, default=6
        The most steps to show: the first ones, and the last.
    random_state : int, default=0
        Seed of a mixture that is fitted here.
    bins : int or sequence, default=30
        Bars of the histogram of one column.
    axes : sequence of matplotlib.axes.Axes, default=None
        Where to draw, one for each step; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        The steps, with the mean log-likelihood in their titles.

    Raises
    ------
    ValueError
        If there are more than two columns, or the model kept no steps.

    See Also
    --------
    quire.mixture.GaussianMixture.plot_trace : The log-likelihood over the iterations.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import mixture_steps
    >>> mixture_steps(n_panels=3)[0].get_title()
    'start: log-likelihood -2.438'
    """
    if X is None and model is not None:
        raise ValueError("model is given and X is not: give the rows that it was fitted to.")
    rows = _numbers() if X is None else plane(_column(X), n_columns=None)
    if rows.shape[1] > 2:
        raise ValueError(f"X has {rows.shape[1]} columns; this picture is of one or of two.")
    if model is None:
        model = _from_random_rows(rows, n_components, random_state)
    check_is_fitted(model)
    steps = getattr(model, "steps_", None)
    if not steps:
        raise ValueError("The model kept no steps: fit it with keep_steps=True.")
    if len(steps[0].responsibilities) != len(rows) or steps[0].means.shape[1] != rows.shape[1]:
        raise ValueError("The model was fitted to other rows than those of X.")
    numbers = shown_steps([step.log_likelihood for step in steps], n_panels)
    names = names_of(rows if X is None else _column(X))
    with themed(theme):
        panels = new_panels(axes, len(numbers), n_columns=3, size=(3.1, 2.8))
        for ax, number in zip(panels, numbers, strict=True):
            step = steps[number]
            parameters = _parameters(model, step)
            if rows.shape[1] == 1:
                _draw_bells(ax, rows, *parameters, bins)
                ax.set_xlabel("x")
            else:
                _draw_ellipses(ax, rows, step.responsibilities, *parameters)
                frame_samples(ax, rows)
                ax.set(xlabel=names[0], ylabel=names[1])
            when = "start" if number == 0 else f"step {number}"
            ax.set_title(f"{when}: log-likelihood {step.log_likelihood:.3f}")
            dressed(ax)
        if rows.shape[1] == 1:  # the same height for all
            top = max(ax.get_ylim()[1] for ax in panels[1:])
            for ax in panels:
                ax.set_ylim(0, top)
        return panels


def _from_random_rows(rows: Floats, n_components: int, random_state: int) -> Any:
    """Return a mixture whose bells began at random rows, each as wide as the data."""
    rng = np.random.default_rng(random_state)
    spread = np.atleast_2d(np.cov(rows.T))
    return GaussianMixture(
        n_components,
        weights_init=np.full(n_components, 1 / n_components),
        means_init=rows[rng.choice(len(rows), n_components, replace=False)],
        precisions_init=np.repeat(np.linalg.inv(spread)[None], n_components, axis=0),
        max_iter=500,
        tol=1e-5,
        keep_steps=True,
    ).fit(rows)


def _column(X: Any) -> Any:
    """Return numbers in one row as one column."""
    return X if hasattr(X, "columns") or np.ndim(X) != 1 else np.reshape(X, (-1, 1))


def _fitted(model: Any, rows: Floats, n_components: int) -> Any:
    if model is None:
        return GaussianMixture(n_components, random_state=0).fit(rows)
    check_is_fitted(model)
    if model.means_.shape[1] != rows.shape[1]:
        raise ValueError(
            f"The model was fitted to {model.means_.shape[1]} columns, and X has {rows.shape[1]}."
        )
    return model


def _parameters(model: Any, state: Any) -> tuple[Floats, Floats, Floats]:
    """Return weights, means and whole covariances of a fitted mixture or of a step of it."""
    names = ("weights_", "means_", "covariances_")
    fitted = hasattr(state, "weights_")
    weights, means, given = (
        np.asarray(getattr(state, name if fitted else name.removesuffix("_")), dtype=np.float64)
        for name in names
    )
    n, size = means.shape
    kind = model.covariance_type
    if kind == "full":
        return weights, means, given
    if kind == "tied":
        return weights, means, np.broadcast_to(given, (n, size, size))
    variances = given if kind == "diag" else np.repeat(given[:, None], size, axis=1)
    return weights, means, np.array([np.diag(row) for row in variances])


def _draw_bells(
    ax: Any, rows: Floats, weights: Floats, means: Floats, covariances: Floats, bins: Any
) -> None:
    ax.hist(rows[:, 0], bins=bins, density=True, color=faint(), edgecolor=ink(), linewidth=0.3)
    low, high = rows.min(), rows.max()
    x = np.linspace(low - 0.05 * (high - low), high + 0.05 * (high - low), 400)
    spreads = np.sqrt(covariances[:, 0, 0])
    bells = weights[:, None] * norm.pdf(x, means, spreads[:, None])
    for number, bell in enumerate(bells):
        style = {**line_style(number), "marker": ""}
        label = f"{100 * weights[number]:.0f} % around {means[number, 0]:.2f}"
        ax.plot(x, bell, label=label, **style)
    ax.plot(x, bells.sum(axis=0), color=ink(), linewidth=1.2, label="sum")
    ax.set(ylabel="density")
    grid(ax, axis="y")


def _draw_ellipses(
    ax: Any,
    points: Floats,
    shares: NDArray[Any],
    weights: Floats,
    means: Floats,
    covariances: Floats,
) -> None:
    turn = np.linspace(0, 2 * np.pi, 121)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    likely, sure = shares.argmax(axis=1), shares.max(axis=1)
    for number, (weight, mean, covariance) in enumerate(
        zip(weights, means, covariances, strict=True)
    ):
        style = line_style(number)
        mine = likely == number
        ax.scatter(
            *points[mine].T,
            s=16,
            color=style["color"],
            marker=style["marker"],
            alpha=np.clip(2 * sure[mine] - 1, 0.15, 0.8),
            linewidths=0,
        )
        values, vectors = np.linalg.eigh(covariance)
        for distance in (1, 2):
            ring = mean + distance * (circle * np.sqrt(values)) @ vectors.T
            ax.plot(
                *ring.T,
                color=style["color"],
                linestyle=style["linestyle"],
                linewidth=1.8 / distance,
                label=f"{100 * weight:.0f} % of the points" if distance == 1 else "_two",
                zorder=3,
            )
        ax.plot(
            *mean, marker=style["marker"], color=style["color"], markeredgecolor=ink(), zorder=4
        )
