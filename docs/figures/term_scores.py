"""Terms by what they tell about the class: mutual information and chi-squared."""

import numpy as np
from parts import new_figure

from quire._shared.plot import grid, line_style, middle
from quire.feature_extraction.select import SelectTerms
from quire.feature_extraction.text import CountVectorizer


def picture():
    texts = ["the striker scored a goal", "the keeper saved a goal", "a late goal won the match"]
    texts += ["the court heard the case", "the judge closed the case", "the court saw a new case"]
    labels = ["sport"] * 3 + ["law"] * 3
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(texts)
    terms = vectorizer.get_feature_names_out()
    figure, axes = new_figure(2, height=3.6, sharey=True)
    order = None
    for ax, name in zip(axes, ("mutual_info", "chi2"), strict=True):
        selector = SelectTerms(name, k=3).fit(X, labels)
        scores, kept = selector.scores_, selector.get_support()
        order = np.argsort(-scores, kind="stable")[:10] if order is None else order
        for place, term in enumerate(order):
            colour = line_style(0)["color"] if kept[term] else middle()
            ax.barh(place, scores[term], color=colour, alpha=1.0 if kept[term] else 0.5, height=0.7)
        ax.set_title({"mutual_info": "mutual information", "chi2": "chi-squared"}[name])
        ax.set_yticks(range(len(order)), [terms[term] for term in order])
        grid(ax, axis="x")
    axes[0].invert_yaxis()
    axes[0].set_xlabel("score; the three that are kept in colour")
    return figure
