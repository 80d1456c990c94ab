"""F1 of each label on new documents, with the usual threshold and with one that was learned."""

import numpy as np
from parts import new_figure
from sklearn.metrics import f1_score

from quire._shared.plot import grid, line_style, middle
from quire.datasets import make_multilabel_texts
from quire.feature_extraction.text import TfidfVectorizer
from quire.multilabel import BinaryRelevance
from quire.svm import LinearSVC


def picture():
    data = make_multilabel_texts(3000, n_labels=10, separation=10.0, random_state=0)
    X = TfidfVectorizer(sublinear_tf=True).fit_transform(data.texts)
    learn, judge = np.arange(2000), np.arange(2000, 3000)
    truth = data.labels[judge].indicator.toarray()
    scores = []
    for aim in (None, "f1_micro"):
        model = BinaryRelevance(LinearSVC(random_state=0), threshold=aim)
        predicted = model.fit(X[learn], data.labels[learn]).predict(X[judge])
        scores.append(f1_score(truth, np.asarray(predicted), average=None))
    figure, ax = new_figure(height=3.2)
    places, sizes = np.arange(10), data.labels[learn].sizes
    order = np.argsort(-sizes)
    scores = [found[order] for found in scores]
    ax.vlines(places, *scores, color=middle(), linewidth=1)
    for number, (found, name) in enumerate(zip(scores, ("usual", "learned"), strict=True)):
        style = line_style(number) | {"linestyle": "none", "marker": "os"[number]}
        ax.plot(places, found, label=f"{name} threshold", **style)
    ax.set_xticks(places, [f"{n:,}" for n in sizes[order]])
    ax.set_xlabel("training documents of the label, of 2,000")
    ax.set_ylabel("F1 on 1,000 new documents")
    ax.set_ylim(0, 1)
    ax.legend(loc="upper right")
    grid(ax)
    return figure
