"""A feature map: what no line separates in the plane, a plane separates above it."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.plot import dressed, ink, line_style, middle, new_panels, paper, themed
from quire._shared.typing import Floats
from quire.inspection import plot_margin
from quire.pictures._samples import (
    draw_boundary,
    draw_classes,
    frame_samples,
    given_or_example,
    names_of,
    plane,
    sorted_classes,
)
from quire.svm import SVC

__all__ = ["feature_map"]


def _example() -> tuple[Floats, NDArray[Any]]:
    """Return a disc in a ring."""
    rng = np.random.default_rng(0)
    turn = rng.uniform(0, 2 * np.pi, size=100)
    radius = np.concatenate([0.9 * np.sqrt(rng.uniform(size=50)), rng.normal(1.7, 0.15, size=50)])
    X = np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])
    return X, np.repeat(["inside", "outside"], 50)


def feature_map(
    X: Any = None,
    y: Any = None,
    *,
    lift: str = "space",
    C: float = 10.0,
    axes: Any = None,
    theme: str = "light",
) -> Any:
    r"""Draw a machine with the kernel :math:`(x'z)^2` in the plane, and its features above it.

    The kernel is the product of features: with
    :math:`\varphi(x) = (x_1^2, \sqrt 2\, x_1 x_2, x_2^2)` it is
    :math:`\varphi(x)'\varphi(z) = (x'z)^2`. The curve between the classes on the left is the plane
    :math:`w'\varphi(x) + b = 0` on the right, with :math:`w = \sum_d a_d y_d \varphi(x_d)` over
    the support vectors.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2), default=None
        Samples; an example, a disc in a ring, if neither `X` nor `y` is given.
    y : array-like of shape (n_samples,), default=None
        Their classes, of which there are two.
    lift : {"space", "squares"}, default="space"
        Show the three features in space; or the squares of the two columns alone, of which a linear
        machine is fitted: the line on the right is an ellipse on the left.
    C : float, default=10.0
        The price of slack.
    axes : sequence of two matplotlib.axes.Axes, default=None
        Where to draw, the second with ``projection="3d"`` for ``lift="space"``; a new figure if not
        given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    ndarray of two matplotlib.axes.Axes
        The plane, and the features.

    Raises
    ------
    ValueError
        If there are not two columns and two classes, or no such lift.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import feature_map
    >>> left, right = feature_map(lift="squares")
    >>> right.get_xlabel(), right.get_ylabel()
    ('$x_1^2$', '$x_2^2$')
    """
    if lift not in ("space", "squares"):
        raise ValueError(f"lift is {lift!r}; expected 'space' or 'squares'.")
    X, y = given_or_example(X, y, _example)
    points = plane(X)
    classes, codes = sorted_classes(y, len(points))
    with themed(theme):
        panels = _panels(axes, in_space=lift == "space")
        (_in_space if lift == "space" else _in_squares)(panels, points, codes, classes, C)
        names = names_of(X)
        panels[0].set(xlabel=names[0], ylabel=names[1], title="the plane")
        frame_samples(panels[0], points)
        for ax in panels:
            dressed(ax)
        return panels


def _panels(axes: Any, *, in_space: bool) -> Any:
    panels = new_panels(axes, 2, size=(4.2, 4.0))
    if in_space and axes is None:
        place = panels[1].get_subplotspec()
        panels[1].remove()
        panels[1] = panels[0].figure.add_subplot(place, projection="3d")
    if in_space and panels[1].name != "3d":
        raise ValueError("The second axes need projection='3d' for lift='space'.")
    return panels


def squares_and_product(X: Floats) -> Floats:
    """Return the features whose products are the squares of products."""
    return np.column_stack([X[:, 0] ** 2, np.sqrt(2) * X[:, 0] * X[:, 1], X[:, 1] ** 2])


def _in_space(
    panels: Any, points: Floats, codes: NDArray[np.intp], classes: NDArray[Any], C: float
) -> None:
    model = SVC(kernel="poly", degree=2, gamma=1.0, coef0=0.0, C=C).fit(points, classes[codes])
    plot_margin(model, points, classes[codes], ax=panels[0])
    panels[0].legend(loc="lower left")
    features = squares_and_product(points)
    w = np.ravel(model.dual_coef_ @ squares_and_product(points[model.support_]))
    ax = panels[1]
    shown = [0, 2, 1]  # the squares lie below, their product stands on them
    for number, label in enumerate(classes):
        style = line_style(number)
        ax.scatter(
            *features[codes == number][:, shown].T,
            color=style["color"],
            marker=style["marker"],
            s=18,
            edgecolors=paper(),
            linewidths=0.3,
            depthshade=False,
            label=str(label),
        )
    _draw_plane(ax, w[shown], float(model.intercept_[0]), features[:, shown])
    ax.set(xlabel="$x_1^2$", ylabel="$x_2^2$", zlabel="$\\sqrt{2}\\,x_1 x_2$")
    ax.set_title("three features, one plane")
    ax.view_init(elev=16, azim=-62)
    ax.set_box_aspect(None, zoom=0.85)
    ax.zaxis.label.set_color(ink())
    ax.tick_params(axis="z", colors=ink())
    ax.locator_params(nbins=4)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_pane_color((0, 0, 0, 0))


def _draw_plane(ax: Any, w: Floats, b: float, features: Floats) -> None:
    """Draw the plane w'f + b = 0 within the box around the features."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    corners = _cut(w, b, features.min(axis=0), features.max(axis=0))
    if len(corners) >= 3:
        look = {"facecolor": middle(), "alpha": 0.35, "edgecolor": ink(), "linewidth": 0.8}
        ax.add_collection3d(Poly3DCollection([corners], label="$w'\\varphi(x) + b = 0$", **look))


def _cut(w: Floats, b: float, low: Floats, high: Floats) -> Floats:
    """Return the corners of the part of a plane that is in a box, in order around it."""
    box = np.array(list(product(*zip(low, high, strict=True))))
    found = []
    for one, other in combinations(box, 2):
        heights = one @ w + b, other @ w + b
        if np.count_nonzero(one != other) == 1 and heights[0] * heights[1] < 0:
            found.append(one + (other - one) * heights[0] / (heights[0] - heights[1]))
    if len(found) < 3:
        return np.empty((0, 3))
    corners = np.array(found)
    first, second = np.linalg.svd(corners - corners.mean(axis=0))[2][:2]
    away = corners - corners.mean(axis=0)
    return corners[np.argsort(np.arctan2(away @ second, away @ first))]


def _in_squares(
    panels: Any, points: Floats, codes: NDArray[np.intp], classes: NDArray[Any], C: float
) -> None:
    squares = points**2
    model = SVC(kernel="linear", C=C).fit(squares, codes)
    w, b = np.ravel(model.coef_), float(model.intercept_[0])
    left, right = panels
    draw_classes(left, points, codes, classes)
    steps = [np.linspace(1.1 * low, 1.1 * high, 200) for low, high in _ranges(points)]
    first, second = np.meshgrid(*steps)
    left.contour(first, second, w[0] * first**2 + w[1] * second**2 + b, levels=[0], colors=[ink()])
    draw_classes(right, squares, codes, classes, legend="upper right")
    draw_boundary(right, w, b)
    frame_samples(right, squares)
    right.set(xlabel="$x_1^2$", ylabel="$x_2^2$", title="squares, one line")


def _ranges(points: Floats) -> Floats:
    return np.column_stack([points.min(axis=0), points.max(axis=0)])
