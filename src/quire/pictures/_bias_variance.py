"""Bias and variance: many fits of a stiff and of a supple model, and what they add up to."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from quire._shared.plot import dressed, ink, line_style, middle, new_panels, themed, whole_numbers
from quire._shared.typing import Floats
from quire.linear_model import Ridge
from quire.model_selection import ComplexityCurve, complexity_curve

__all__ = ["bias_and_variance"]

_NOISE = 0.5


def _truth(x: Floats) -> Floats:
    return np.sin(np.pi * x) + x / 2


def _draw_sample(rng: np.random.Generator, n: int = 25) -> tuple[Floats, Floats]:
    """Return noisy values of the truth, at random places from -1 to 1."""
    x = rng.uniform(-1, 1, size=(n, 1))
    return x, _truth(x[:, 0]) + _NOISE * rng.normal(size=n)


def _polynomial(degree: int) -> Any:
    return make_pipeline(PolynomialFeatures(degree, include_bias=False), Ridge(alpha=1e-4))


def bias_and_variance(
    *,
    curve: ComplexityCurve | None = None,
    degrees: tuple[int, int] = (1, 9),
    highest: int = 10,
    n_resamples: int = 40,
    axes: Any = None,
    theme: str = "light",
) -> Any:
    r"""Draw fits to many samples of one truth, and the parts of their error over the complexity.

    .. math:: E\,(\hat f - f)^2 = \operatorname{var} \hat f + \operatorname{bias}^2 \hat f

    at every place, and the mean over places is drawn. A polynomial of a low degree is much the same
    for every sample, and wrong; one of a high degree is right on average, and never the same.

    Parameters
    ----------
    curve : ComplexityCurve, default=None
        A curve of your model, from :func:`~quire.model_selection.complexity_curve` with
        ``decompose``: its parts are drawn, and no fits.
    degrees : tuple of two int, default=(1, 9)
        The polynomials whose fits are drawn.
    highest : int, default=10
        The highest degree of the curve.
    n_resamples : int, default=40
        How many samples are drawn from the truth.
    axes : sequence of matplotlib.axes.Axes, default=None
        Where to draw, three (or one, with a curve); a new figure if not given.
    theme : {"light", "dark"}, default="light"
        Colours for a light or a dark background.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        The fits of either polynomial, and the parts of the error over the degree.

    Raises
    ------
    ValueError
        If the curve has no parts, or a number does not fit.

    See Also
    --------
    quire.model_selection.bias_variance : The parts, for any model and data.

    Notes
    -----
    Needs matplotlib: ``pip install 'quire[plot]'``.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from quire.pictures import bias_and_variance
    >>> axes = bias_and_variance(highest=3, n_resamples=5)
    >>> [ax.get_title() for ax in axes]
    ['degree 1: bias', 'degree 9: variance', 'what they add up to']
    """
    if curve is not None:
        with themed(theme):
            panels = new_panels(axes, 1, size=(5.4, 4.0))
            curve.plot(panels[0], of="parts")
            dressed(panels[0])
            return panels
    if len(degrees) != 2 or min(degrees) < 1 or highest < 1 or n_resamples < 2:
        raise ValueError(
            f"degrees={degrees}, highest={highest} and n_resamples={n_resamples}: expected two "
            "degrees of 1 or more, and two samples or more."
        )
    places = np.linspace(-0.95, 0.95, 60)[:, None]
    curve = complexity_curve(
        _polynomial(1),
        places,
        _truth(places[:, 0]),
        param="polynomialfeatures__degree",
        values=range(1, highest + 1),
        decompose={
            "resampling": _draw_sample,
            "y_true": _truth(places[:, 0]),
            "noise": 0.0,
            "n_resamples": n_resamples,
        },
        random_state=0,
    )
    with themed(theme):
        panels = new_panels(axes, 3, size=(3.5, 3.5))
        for ax, degree, what in zip(panels[:2], degrees, ("bias", "variance"), strict=True):
            _draw_fits(ax, degree, min(n_resamples, 25))
            ax.set_title(f"degree {degree}: {what}")
        curve.plot(panels[2], of="parts")
        for line in panels[2].lines:
            if line.get_label() == "noise":  # the truth has none
                line.remove()
        worst = min(2.2 * curve.decompositions[0].loss, max(d.loss for d in curve.decompositions))
        panels[2].set(xlabel="degree", title="what they add up to", xscale="linear")
        panels[2].set_ylim(0, 1.1 * worst)
        panels[2].legend(loc="upper center")
        whole_numbers(panels[2].xaxis)
        for ax in panels:
            dressed(ax)
        return panels


def _draw_fits(ax: Any, degree: int, n: int) -> None:
    rng = np.random.default_rng(0)
    x = np.linspace(-1, 1, 200)
    fits = np.array(
        [_polynomial(degree).fit(*_draw_sample(rng)).predict(x[:, None]) for _ in range(n)]
    )
    for number, fit in enumerate(fits):
        label = "fits" if number == 0 else "_fit"
        ax.plot(x, fit, color=middle(), linewidth=0.6, alpha=0.5, label=label)
    ax.plot(x, _truth(x), color=ink(), linewidth=2, label="truth")
    style = {**line_style(1), "marker": ""}
    ax.plot(x, fits.mean(axis=0), linewidth=2, label="mean of fits", **style)
    ax.set(xlabel="x", ylim=(-2.4, 2.4), xlim=(-1, 1))
    ax.legend(loc="lower right")
