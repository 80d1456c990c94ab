"""Shares of topics by a column: what topics go with."""

import numpy as np
from parts import new_figure

from quire.datasets import make_lda_corpus
from quire.topics import prevalence


def picture():
    corpus = make_lda_corpus(400, n_topics=4, n_words=200, mean_length=80, random_state=3)
    rng = np.random.default_rng(0)
    lean = corpus.theta[:, 0] - corpus.theta[:, 1] + 0.6 * rng.normal(size=400)
    source = np.array(["letters", "news", "speeches"])[np.digitize(lean, [-0.4, 0.4])]
    found = prevalence(corpus.theta, source, lengths=np.asarray(corpus.X.sum(axis=1)).ravel())
    figure, ax = new_figure(height=3.0)
    found.plot(topics=range(4), ax=ax)
    ax.set_xlabel("source of the documents")
    return figure
