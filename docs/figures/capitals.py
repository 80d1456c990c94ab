"""Countries and their capitals, and where a map that was learned from other pairs takes them."""

import numpy as np
from parts import new_figure

from quire._shared.plot import line_style, middle, spread_labels
from quire.alignment import VectorMap
from quire.datasets import load_capitals
from quire.decomposition import PCA

SHOWN = ("France", "Egypt", "Japan", "Kenya", "Peru", "Canada")


def picture():
    capitals = load_capitals()
    shown = [pair for pair in capitals.pairs if pair[0] in SHOWN]
    others = [pair for pair in capitals.pairs if pair[0] not in SHOWN]
    model = VectorMap().fit(capitals.source, capitals.target, others)
    countries = capitals.source.vectors[capitals.source.rows(pair[0] for pair in shown)]
    truth = capitals.target.vectors[capitals.target.rows(pair[1] for pair in shown)]
    mapped = model.transform(countries)
    truth, mapped = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (truth, mapped))
    plane = PCA(2).fit(truth)
    ends, starts = plane.transform(truth), plane.transform(mapped)
    figure, ax = new_figure(width=7.0, height=3.8)
    for start, end in zip(starts, ends, strict=True):
        ax.plot(*np.array([start, end]).T, color=middle(), linewidth=1, linestyle=":")
    labels = []
    for number, (places, label) in enumerate(((starts, "countries, mapped"), (ends, "capitals"))):
        style = line_style(number)
        look = {"color": style["color"], "marker": style["marker"]}
        ax.scatter(*places.T, label=label, zorder=3, **look)
        for place, pair in zip(places, shown, strict=True):
            labels.append(ax.annotate(pair[number], place, (6, 3), textcoords="offset points"))
    ax.set(xlabel="first direction of the capitals", ylabel="second direction")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    spread_labels(ax, labels)
    return figure
