"""Odds, logit and sigmoid: from a probability to the real line and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire._shared.plot import dressed, grid, line_style, middle, new_panels, themed
from quire.linear_model import logit, odds, sigmoid

__all__ = ["odds_logit_sigmoid"]


def odds_logit_sigmoid(*, axes: Any = None, theme: str = "light") -> Any:
    r"""Draw the odds and the logit of a probability, and the sigmoid that leads back.

    .. math:: \text{odds}(p) = \frac{p}{1-p}, \quad \text{logit}(p) = \log \frac{p}{1-p}, \quad
              \sigma(z) = \frac{1}{1 + e^{-z}}.

    Logistic regression says that the logit is a linear function of the columns, and so that the
    probability is the sigmoid of it.

    Parameters
    ----------
    axes : sequence of three matplotlib.axes.Axes, default=None
        Where to draw; a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    ndarray of three matplotlib.axes.Axes
        Odds, logit and sigmoid.

    Raises
    ------
    ValueError
        If there are not three axes, or no such theme.

    See Also
    --------
    quire.linear_model.odds, quire.linear_model.logit, quire.linear_model.sigmoid : The functions.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import odds_logit_sigmoid
    >>> [ax.get_title() for ax in odds_logit_sigmoid()]
    ['odds', 'logit', 'sigmoid']
    """
    with themed(theme):
        panels = new_panels(axes, 3, size=(3.1, 3.0))
        p = np.linspace(0.002, 0.998, 499)
        z = np.linspace(-7, 7, 281)
        colour = line_style(0)["color"]
        panels[0].plot(p[p <= 0.96], odds(p[p <= 0.96]), color=colour)
        panels[1].plot(p, logit(p), color=colour)
        panels[2].plot(z, sigmoid(z), color=colour)
        _points(panels[0], [0.5, 0.8, 0.9], [1, 4, 9], ["{:g} to 1".format], "probability $p$")
        _points(panels[1], [0.2, 0.5, 0.8], logit([0.2, 0.5, 0.8]), ["{:.2f}".format], "")
        _points(panels[2], [-2, 0, 2], sigmoid([-2, 0, 2]), ["{:.2f}".format], "$z$")
        panels[0].set(title="odds", ylabel="$p/(1-p)$", ylim=(0, 25), xlim=(0, 1))
        panels[1].set(title="logit", ylabel="$\\log\\,p/(1-p)$", ylim=(-6, 6), xlim=(0, 1))
        panels[1].set_xlabel("probability $p$")
        panels[2].set(title="sigmoid", ylabel="$1/(1+e^{-z})$", ylim=(0, 1), xlim=(-7, 7))
        panels[1].axhline(0, color=middle(), linewidth=0.8)
        panels[2].axhline(0.5, color=middle(), linewidth=0.8)
        for ax in panels:
            grid(ax)
            dressed(ax)
        return panels


def _points(ax: Any, x: Any, y: Any, form: Any, name: str) -> None:
    """Mark some values and write them beside."""
    style = line_style(1)
    ax.plot(x, y, color=style["color"], marker=style["marker"], linestyle="", markersize=5)
    for at, value in zip(x, y, strict=True):
        ax.annotate(form[0](value), (at, value), (-6, 4), textcoords="offset points", ha="right")
    ax.set_xlabel(name)
