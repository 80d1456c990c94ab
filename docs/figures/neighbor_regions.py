"""Regions of nearest neighbours: ragged with one of them, smooth with fifteen."""

import numpy as np
from parts import new_figure

from quire.inspection import plot_decision_regions
from quire.neighbors import KNeighborsClassifier


def picture():
    rng = np.random.default_rng(0)
    turn = rng.uniform(0, np.pi, size=60)
    upper = np.column_stack([np.cos(turn), np.sin(turn)])
    X = np.vstack([upper, [1, 0.4] - upper]) + 0.4 * rng.normal(size=(120, 2))
    y = np.repeat(["one", "two"], 60)
    figure, axes = new_figure(2, width=9.0, height=3.2)
    for ax, k in zip(axes, (1, 15), strict=True):
        plot_decision_regions(KNeighborsClassifier(k).fit(X, y), X, y, ax=ax)
        ax.set_title("the nearest alone" if k == 1 else f"the vote of {k}")
        ax.set_aspect("equal")
    axes[0].get_legend().remove()
    axes[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure
