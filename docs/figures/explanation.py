"""Why a text got its label: the terms, and what each adds to the score."""

from parts import new_figure, signed_bars
from sklearn.pipeline import make_pipeline

from quire.feature_extraction.text import TfidfVectorizer
from quire.inspection import explain
from quire.linear_model import LogisticRegression


def picture():
    texts = ["a warm and funny film", "funny, warm, not too long", "good cast, good plot"]
    texts += ["a dull film, far too long", "not funny and not good", "wooden cast, dull plot"]
    labels = ["good", "good", "good", "bad", "bad", "bad"]
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(C=10))
    found = explain(model.fit(texts, labels), "A FUNNY film with a wooden plot")
    sign = 1 if found.target == "good" else -1
    figure, ax = new_figure(height=2.9)
    names = ["before anything is read", *(term.term for term in found.terms)]
    values = [sign * v for v in (found.offset, *(term.contribution for term in found.terms))]
    signed_bars(ax, [*names, "together"], [*values, sum(values)], ("bad", "good"))
    ax.set_title("“A FUNNY film with a wooden plot”")
    return figure
