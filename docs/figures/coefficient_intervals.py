"""Coefficients of a least-squares model with their 95 % intervals."""

import numpy as np
from parts import new_figure

from quire._shared.plot import grid, ink, line_style
from quire.linear_model import LinearRegression


def picture():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = 2 + X @ [1.0, -0.5, 0.0] + rng.normal(size=100)
    names = ["length", "capitals", "digits"]
    model = LinearRegression().fit(X, y)
    table = model.summary(X, y, feature_names=names).to_frame()
    figure, ax = new_figure(height=2.2)
    style = line_style(0)
    terms = table[table.columns[0]].to_list()
    low, high = (next(c for c in table.columns if c.startswith(s)) for s in ("lower", "upper"))
    for place, row in enumerate(table.iter_rows(named=True)):
        ax.plot([row[low], row[high]], [place] * 2, color=style["color"], linewidth=2.5)
        ax.plot(row["estimate"], place, color=style["color"], marker="o")
    ax.axvline(0, color=ink(), linewidth=1)
    ax.set_yticks(range(len(terms)), terms)
    ax.invert_yaxis()
    ax.margins(y=0.2)
    ax.set_xlabel("estimate and 95 % interval")
    grid(ax, axis="x")
    return figure
