"""The margin of a support vector machine, and the slack of samples that are within it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.plot import dressed, ink, new_axes, paper, themed
from quire._shared.typing import Floats
from quire.inspection import plot_margin
from quire.pictures._samples import given_or_example, names_of, plane, sorted_classes
from quire.svm import SVC

__all__ = ["margin_with_slack"]


def _example() -> tuple[Floats, NDArray[Any]]:
    """Return two classes with room between them, and two samples each that are out of place."""
    no = [(-2.6, 1.1), (-2.1, -0.4), (-3.1, -1.2), (-1.5, 2.0), (-2.3, -2.2), (-1.4, -1.0)]
    no += [(-3.3, 0.4), (-0.5, -2.1), (0.9, 1.7)]
    yes = [(2.5, 1.2), (2.1, -0.9), (3.2, 0.2), (1.8, 2.5), (2.6, -2.1), (1.5, 0.3)]
    yes += [(3.4, 1.6), (0.7, -1.4), (-0.9, 0.6)]
    return np.array(no + yes), np.repeat(["no", "yes"], [len(no), len(yes)])


def margin_with_slack(
    X: Any = None,
    y: Any = None,
    *,
    model: Any = None,
    C: float = 1.0,
    n_values: int = 4,
    ax: Any = None,
    theme: str = "light",
) -> Any:
    r"""Draw the margin of a linear machine, its support vectors, and how far samples fall short.

    A soft margin minimises :math:`\frac{1}{2} w'w + C \sum_d \xi_d` where
    :math:`y_d (w'x_d + b) \ge 1 - \xi_d` and :math:`\xi_d \ge 0`. The slack :math:`\xi_d` is 0 for
    samples outside of the margin, up to 1 within it, and above 1 on the wrong side. It is drawn as
    a line from the sample to the edge of the margin that it should be beyond, of the length
    :math:`\xi_d / \lVert w \rVert`.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2), default=None
        Samples; an example if neither `X` nor `y` is given.
    y : array-like of shape (n_samples,), default=None
        Their classes, of which there are two.
    model : SVC or LinearSVC, default=None
        A linear machine that was fitted to them; ``SVC(kernel="linear", C=C)`` if not given.
    C : float, default=1.0
        The price of slack; ``numpy.inf`` is the hard margin.
    n_values : int, default=4
        How many slacks, the largest first, are written beside their samples.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. Lines labelled ``slack`` lead from samples to the edge.

    Raises
    ------
    ValueError
        If there are not two columns and two classes, or the machine is not linear.

    See Also
    --------
    quire.inspection.plot_margin : The margin of any machine, with kernels too.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import margin_with_slack
    >>> ax = margin_with_slack()
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['no', 'yes', 'support vectors', 'slack']
    """
    X, y = given_or_example(X, y, _example)
    points = plane(X)
    _, codes = sorted_classes(y, len(points))
    if model is None:
        model = SVC(kernel="linear", C=C).fit(points, np.asarray(y))
    if getattr(model, "kernel", "linear") != "linear" or not hasattr(model, "coef_"):
        raise ValueError(
            f"{model} has no weights, and slack is no straight line in it: expected a linear "
            "machine. quire.inspection.plot_margin draws the others."
        )
    w = np.ravel(np.asarray(model.coef_, dtype=np.float64))
    signs = np.where(codes == 1, 1.0, -1.0)
    slack = np.maximum(0.0, 1.0 - signs * np.ravel(model.decision_function(points)))
    feet = points + (signs * slack)[:, None] * w / (w @ w)
    short = np.flatnonzero(slack > 1e-3)
    with themed(theme):
        ax = plot_margin(model, points, np.asarray(y), ax=new_axes(ax))
        for number, row in enumerate(short):
            ends = np.array([points[row], feet[row]])
            label = "slack" if number == 0 else "_slack"
            ax.plot(*ends.T, color=ink(), linewidth=1, linestyle=":", label=label, zorder=2)
        for row in short[np.argsort(-slack[short], kind="stable")[:n_values]]:
            text = f"$\\xi$ = {slack[row]:.2f}"
            ax.annotate(
                text,
                points[row],
                (0, 9),
                textcoords="offset points",
                ha="center",
                zorder=5,
                bbox={"facecolor": paper(), "alpha": 0.7, "linewidth": 0, "pad": 1},
            )
        width = 2 / np.linalg.norm(w)
        ax.set_title(f"margin $2/\\|w\\|$ = {width:.2f}, slack in all {slack.sum():.2f}")
        ax.set_aspect("equal")
        ax.set(xlabel=names_of(X)[0], ylabel=names_of(X)[1])
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return dressed(ax)
