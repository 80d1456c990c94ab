"""Fisher's projection beside the projection on the line between the means."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.plot import (
    dressed,
    grid,
    hatch,
    ink,
    line_style,
    new_panels,
    paper,
    themed,
    whole_numbers,
)
from quire._shared.typing import Floats
from quire.discriminant_analysis import fisher_criterion, fisher_direction
from quire.pictures._samples import (
    draw_classes,
    frame_samples,
    given_or_example,
    names_of,
    plane,
    sorted_classes,
)

__all__ = ["fisher_projections"]


def _example() -> tuple[Floats, NDArray[Any]]:
    """Return two long classes side by side, whose means differ mostly along them."""
    rng = np.random.default_rng(0)
    spread = [[2.2, 1.7], [1.7, 1.6]]
    first = rng.multivariate_normal([-1.4, -0.2], spread, size=120)
    second = rng.multivariate_normal([1.4, 0.4], spread, size=120)
    return np.vstack([first, second]), np.repeat(["one", "two"], 120)


def fisher_projections(
    X: Any = None, y: Any = None, *, axes: Any = None, theme: str = "light"
) -> Any:
    r"""Draw two classes projected on the line between their means, and on Fisher's direction.

    Along :math:`w \propto m_2 - m_1` the means are as far apart as they can be. Fisher's direction
    :math:`w \propto S_W^{-1}(m_2 - m_1)` makes

    .. math:: J(w) = \frac{(w'm_2 - w'm_1)^2}{s_1^2 + s_2^2}

    as large as it can be, with the squared deviations :math:`s_k^2` of the projections of each
    class from their mean, added up.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2), default=None
        Samples; an example if neither `X` nor `y` is given.
    y : array-like of shape (n_samples,), default=None
        Their classes, of which there are two.
    axes : sequence of four matplotlib.axes.Axes, default=None
        Where to draw; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    ndarray of four matplotlib.axes.Axes
        The samples with either direction, and below them the histograms of the projections, with
        J in their titles. The directions are the lines labelled ``w``.

    Raises
    ------
    ValueError
        If there are not two columns and two classes.

    See Also
    --------
    quire.discriminant_analysis.fisher_direction : Both directions.
    quire.discriminant_analysis.fisher_criterion : J of any direction.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import fisher_projections
    >>> [ax.get_title() for ax in fisher_projections()[2:]]
    ['J(w) = 0.0113', 'J(w) = 0.0492']
    """
    X, y = given_or_example(X, y, _example)
    points, names = plane(X), names_of(X)
    classes, codes = sorted_classes(y, len(points))
    directions = {
        "between the means, $m_2 - m_1$": fisher_direction(points, codes, direction="means"),
        "Fisher's, $S_W^{-1}(m_2 - m_1)$": fisher_direction(points, codes),
    }
    with themed(theme):
        panels = new_panels(axes, 4, n_columns=2, size=(4.2, 3.2))
        for place, (title, unit) in enumerate(directions.items()):
            above, below = panels[place], panels[place + 2]
            draw_classes(above, points, codes, classes, size=14, alpha=0.7)
            _draw_direction(above, points.mean(axis=0), unit, points)
            frame_samples(above, points)
            above.set(title=title, xlabel=names[0], ylabel=names[1])
            _draw_projections(below, points @ unit, codes, classes)
            below.set_title(f"J(w) = {fisher_criterion(points, codes, unit):.3g}")
            dressed(above)
            dressed(below)
        return panels


def _draw_direction(ax: Any, middle: Floats, unit: Floats, points: Floats) -> None:
    along = (points - middle) @ unit
    ends = middle + np.outer([along.min(), along.max()], unit)
    ax.plot(*ends.T, color=ink(), linewidth=1.2, label="w")
    ax.annotate("", ends[1], ends[0], arrowprops={"arrowstyle": "->", "color": ink()})


def _draw_projections(
    ax: Any, along: Floats, codes: NDArray[np.intp], classes: NDArray[Any]
) -> None:
    parts = [along[codes == number] for number in range(2)]
    edges = np.histogram_bin_edges(along, bins=24)
    for number, (part, label) in enumerate(zip(parts, classes, strict=True)):
        ax.hist(
            part,
            bins=edges,
            alpha=0.6,
            color=line_style(number)["color"],
            hatch=hatch(number),
            edgecolor=paper(),
            label=str(label),
        )
    ax.set(xlabel="projection $w'x$", ylabel="samples")
    whole_numbers(ax.yaxis)
    grid(ax, axis="y")
