"""Documents on a plane, with the clusters that k-means finds among them."""

from parts import new_figure

from quire._shared.plot import line_style
from quire.cluster import cluster_documents
from quire.datasets import make_text_classification
from quire.decomposition import map_documents


def picture():
    data = make_text_classification(
        300, n_classes=3, n_words=500, separation=12.0, mean_length=80, random_state=1
    )
    points = map_documents(data.texts).points
    labels = cluster_documents(data.texts, 3).labels
    figure, ax = new_figure(width=6.0, height=4.0)
    for number in range(3):
        style = line_style(number)
        mine = points[labels == number]
        look = {"color": style["color"], "marker": style["marker"], "alpha": 0.7}
        ax.scatter(*mine.T, s=18, linewidths=0, label=f"cluster {number}", **look)
    ax.set(xlabel="first direction", ylabel="second direction", aspect="equal")
    ax.legend(loc="best")
    return figure
