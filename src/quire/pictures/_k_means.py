"""k-means as it goes: centres, the rows that belong to them, and where the centres move."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from quire._shared.plot import dressed, ink, line_style, middle, new_panels, paper, themed
from quire._shared.typing import Floats
from quire.cluster import KMeans
from quire.pictures._samples import frame_samples, names_of, plane
from quire.pictures._shown_steps import shown_steps

__all__ = ["k_means_steps"]


def _example() -> Floats:
    """Return three clouds."""
    rng = np.random.default_rng(0)
    centres = np.repeat([(-2.0, 0.0), (1.5, 2.0), (1.5, -1.8)], 40, axis=0)
    return centres + 0.9 * rng.normal(size=(120, 2))


def k_means_steps(
    X: Any = None,
    *,
    model: Any = None,
    n_clusters: int = 3,
    n_panels: int = 6,
    random_state: int = 19,
    axes: Any = None,
    theme: str = "light",
) -> Any:
    r"""Draw k-means step by step, in the plane.

    It alternates two steps: every row takes the label of its nearest centre,
    :math:`c_i = \arg\min_j \lVert x_i - \mu_j \rVert^2`, and every centre moves to the mean of the
    rows that have its label. A panel shows the centres and the labels that they give; grey lines
    lead from where the centres were in the panel before.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2), default=None
        Rows; an example if not given.
    model : KMeans, default=None
        A model with ``keep_steps=True`` that was fitted to `X`; one is fitted from random rows if
        not given, so that there is something to watch.
    n_clusters : int, default=3
        Clusters of a model that is fitted here.
    n_panels : int, default=6
        The most steps to show: the first ones, and the last.
    random_state : int, default=19
        Seed of a model that is fitted here.
    axes : sequence of matplotlib.axes.Axes, default=None
        Where to draw, one for each step; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        The steps, with the inertia in their titles.

    Raises
    ------
    ValueError
        If there are not two columns, or the model kept no steps.

    See Also
    --------
    quire.cluster.KMeans.plot_trace : The inertia over the iterations.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import k_means_steps
    >>> [ax.get_title() for ax in k_means_steps(n_panels=3)]
    ['start: inertia 789', 'step 1: inertia 424', 'step 6: inertia 181']
    """
    if X is None and model is not None:
        raise ValueError("model is given and X is not: give the rows that it was fitted to.")
    points = _example() if X is None else plane(X)
    names = names_of(points if X is None else X)
    if model is None:
        model = KMeans(
            n_clusters, init="random", n_init=1, random_state=random_state, keep_steps=True
        ).fit(points)
    check_is_fitted(model)
    steps = getattr(model, "steps_", None)
    if not steps:
        raise ValueError("The model kept no steps: fit it with keep_steps=True.")
    if len(steps[0].labels) != len(points):
        raise ValueError(
            f"The model was fitted to {len(steps[0].labels)} rows, and X has {len(points)}."
        )
    numbers = shown_steps([step.inertia for step in steps], n_panels)
    with themed(theme):
        panels = new_panels(axes, len(numbers), n_columns=3, size=(3.1, 3.0))
        for place, (ax, number) in enumerate(zip(panels, numbers, strict=True)):
            before = steps[numbers[place - 1]].centers if place else None
            _draw(ax, points, steps[number], before)
            when = "start" if number == 0 else f"step {number}"
            ax.set(title=f"{when}: inertia {steps[number].inertia:,.3g}")
            ax.set(xlabel=names[0], ylabel=names[1])
            frame_samples(ax, points)
            dressed(ax)
        return panels


def _draw(ax: Any, points: Floats, step: Any, before: Floats | None) -> None:
    for cluster, center in enumerate(step.centers):
        style = line_style(cluster)
        mine = points[step.labels == cluster]
        ax.scatter(
            *mine.T,
            s=16,
            color=style["color"],
            marker=style["marker"],
            alpha=0.7,
            linewidths=0,
            label=f"cluster {cluster}",
        )
        if before is not None:
            way = np.array([before[cluster], center])
            ax.plot(*way.T, color=middle(), linewidth=1.2, zorder=3, label="_moved")
        ax.plot(
            *center,
            marker=style["marker"],
            markersize=11,
            color=style["color"],
            markeredgecolor=ink(),
            markeredgewidth=1.6,
            label="_center",
            zorder=4,
        )
        ax.plot(*center, marker="+", markersize=6, color=paper(), label="_middle", zorder=5)
