"""Topics of documents: the shares that were drawn, and those that the sampler finds."""

import numpy as np
from parts import new_figure

from quire._shared.plot import hatch, line_style, paper
from quire.datasets import make_lda_corpus
from quire.decomposition import LatentDirichletAllocation
from quire.topics import match_topics


def picture():
    corpus = make_lda_corpus(
        n_documents=300, n_topics=4, n_words=200, mean_length=80, random_state=1
    )
    model = LatentDirichletAllocation(4, random_state=0).fit(corpus.X)
    order, _ = match_topics(corpus.phi, model.phi_)
    shown = np.argsort(corpus.theta[:20].argmax(axis=1), kind="stable")
    figure, axes = new_figure(n_rows=2, height=3.8, sharex=True)
    for ax, theta, title in (
        (axes[0], corpus.theta, "shares that the documents were drawn with"),
        (axes[1], model.theta_[:, order], "shares that were found"),
    ):
        below = np.zeros(len(shown))
        for topic in range(4):
            shares = theta[shown, topic]
            look = {"color": line_style(topic)["color"], "hatch": hatch(topic)}
            ax.bar(range(len(shown)), shares, bottom=below, edgecolor=paper(), width=0.95, **look)
            below += shares
        ax.set(title=title, ylabel="share", ylim=(0, 1), xlim=(-0.7, len(shown) - 0.3))
    axes[1].set(xlabel="documents; a colour for each topic")
    axes[1].set_xticks([])
    return figure
