"""The Dirichlet distribution over its triangle, and the beta distribution as a curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire._shared.plot import dressed, grid, ink, line_style, new_axes, new_panels, themed
from quire.distributions import Dirichlet

__all__ = ["beta_curves", "dirichlet_triangles"]

_ALPHAS = ((1, 1, 1), (5, 5, 5), (30, 30, 30), (0.4, 0.4, 0.4), (2, 3, 9), (0.5, 1, 3))
_BETAS = ((1, 1), (0.5, 0.5), (2, 2), (8, 8), (2, 6))


def dirichlet_triangles(
    alphas: Any = None, *, labels: Any = None, axes: Any = None, theme: str = "light"
) -> Any:
    r"""Draw Dirichlet densities of three shares, each over the triangle of all shares.

    .. math:: f(x; \alpha) = \frac{\Gamma(\alpha_1 + \alpha_2 + \alpha_3)}
              {\Gamma(\alpha_1)\Gamma(\alpha_2)\Gamma(\alpha_3)}
              x_1^{\alpha_1 - 1} x_2^{\alpha_2 - 1} x_3^{\alpha_3 - 1}

    All parameters larger: nearer to the mean. All below one: in the corners. Where a density grows
    without bound, steps of colour are equal factors.

    Parameters
    ----------
    alphas : sequence of three numbers each, default=None
        Parameters, or distributions; six of them if not given.
    labels : sequence of three str, default=None
        Names of the shares.
    axes : sequence of matplotlib.axes.Axes, default=None
        Where to draw, one for each; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        One for each distribution; the cross is its mean.

    Raises
    ------
    ValueError
        If there are not three parameters.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import dirichlet_triangles
    >>> [ax.get_title() for ax in dirichlet_triangles([(1, 1, 1), (2, 3, 9)])]
    ['α = (1, 1, 1)', 'α = (2, 3, 9)']
    """
    wanted = [_distribution(alpha) for alpha in (_ALPHAS if alphas is None else alphas)]
    if not wanted:
        raise ValueError("alphas is empty; expected parameters of one distribution or more.")
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
    with themed(theme):
        panels = new_panels(axes, len(wanted), n_columns=3, size=(3.3, 2.7))
        for ax, one in zip(panels, wanted, strict=True):
            one.plot(ax, labels=labels)
            at = one.mean() @ corners
            ax.plot(*at, marker="P", markersize=9, color="white", markeredgecolor="black")
            ax.set_title(f"α = ({', '.join(f'{a:g}' for a in one.alpha)})", pad=14)
            for text in ax.texts:
                if text.get_color() != "white":
                    text.set_color(ink())
            dressed(ax)
        return panels


def beta_curves(parameters: Any = None, *, ax: Any = None, theme: str = "light") -> Any:
    r"""Draw densities of the beta distribution, which is the Dirichlet distribution of two shares.

    .. math:: f(x; \alpha, \beta) = \frac{\Gamma(\alpha + \beta)}{\Gamma(\alpha)\Gamma(\beta)}
              x^{\alpha - 1} (1 - x)^{\beta - 1}

    Parameters
    ----------
    parameters : sequence of pairs, default=None
        The parameters of each curve; five of them if not given.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ValueError
        If the parameters are not pairs of positive numbers.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import beta_curves
    >>> beta_curves([(2, 6)]).lines[0].get_label()
    'α = 2, β = 6'
    """
    wanted = [Dirichlet(pair) for pair in (_BETAS if parameters is None else parameters)]
    if not wanted or any(one.n_categories != 2 for one in wanted):
        raise ValueError("parameters needs one pair or more: the α and β of each curve.")
    x = np.linspace(0.005, 0.995, 397)
    with themed(theme):
        ax = new_axes(ax)
        for number, one in enumerate(wanted):
            density = one.pdf(np.column_stack([x, 1 - x]))
            a, b = one.alpha
            ax.plot(
                x,
                density,
                label=f"α = {a:g}, β = {b:g}",
                markersize=5,
                markevery=(9 * number, 60),
                **line_style(number),
            )
        ax.set(xlabel="x", ylabel="density", xlim=(0, 1))
        ax.set_ylim(0, 1.15 * max(float(one.pdf([0.5, 0.5])) for one in wanted) + 1)
        grid(ax)
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return dressed(ax)


def _distribution(alpha: Any) -> Dirichlet:
    one = alpha if isinstance(alpha, Dirichlet) else Dirichlet(alpha)
    if one.n_categories != 3:
        raise ValueError(f"{one} has {one.n_categories} shares; the triangle is of three.")
    return one
