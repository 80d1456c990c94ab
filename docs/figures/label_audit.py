"""How many wrong labels are met by reading documents in the order of an audit."""

import numpy as np
from parts import new_figure

from quire._shared.plot import grid, line_style, middle
from quire.datasets import make_text_classification
from quire.model_selection import audit_labels


def picture():
    data = make_text_classification(1000, n_classes=3, separation=7.0, random_state=0)
    rng = np.random.default_rng(0)
    wrong = rng.choice(1000, size=50, replace=False)
    y = data.y.copy()
    y[wrong] = (y[wrong] + rng.integers(1, 3, size=50)) % 3
    figure, ax = new_figure(height=3.2)
    read = np.arange(1, 1001)
    for number, model in enumerate(("naive-bayes", "logistic")):
        met = np.isin(audit_labels(data.texts, y, model=model).rows, wrong).cumsum()
        ax.plot(read, met, label=model.replace("-", " "), **line_style(number) | {"marker": ""})
    ax.plot(read, read * 0.05, color=middle(), linestyle=":", label="in any order")
    ax.set_xlim(0, 300)
    ax.set_ylim(0, 52)
    ax.set_xlabel("documents read, the most doubtful label first, of 1,000")
    ax.set_ylabel("wrong labels met, of 50")
    ax.legend(loc="lower right")
    grid(ax)
    return figure
