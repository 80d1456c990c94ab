"""Ordered outcomes: the probability of each number of stars over the latent scale."""

import numpy as np
from parts import new_figure

from quire._shared.plot import grid, line_style, middle
from quire.linear_model import OrdinalRegression


def picture():
    rng = np.random.default_rng(0)
    quality = rng.normal(size=(600, 1))
    stars = 1 + np.digitize(2 * quality[:, 0] + rng.logistic(size=600), [-2.4, -0.8, 0.8, 2.4])
    model = OrdinalRegression(C=np.inf).fit(quality, stars)
    scale = np.linspace(-6, 6, 241)
    probabilities = model.predict_proba(scale[:, None] / model.coef_[0])
    figure, ax = new_figure(height=3.0)
    for number, column in enumerate(probabilities.T):
        label = f"{number + 1} star{'s' if number else ''}"
        ax.plot(scale, column, label=label, markevery=20, markersize=5, **line_style(number))
    for threshold in model.thresholds_:
        ax.axvline(threshold, color=middle(), linestyle=":", linewidth=1)
    ax.set(xlabel="latent scale $w'x$; dotted: the thresholds", ylabel="probability", ylim=(0, 1))
    grid(ax)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure
