"""A class for each of several documents: the explanations are those of one document at a time."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from tests.helpers.comparisons import corpus

from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.inspection import explain
from quire.linear_model import LogisticRegression
from quire.naive_bayes import MultinomialNB

TEXTS, Y = corpus(60, 3)
MODELS = [
    make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, Y),
    make_pipeline(CountVectorizer(), MultinomialNB()).fit(TEXTS, Y),
]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", [list, np.array])
def test_each_document_has_its_pair(model, kind):
    classes = model.classes_.tolist()
    targets = [classes[k % 3] for k in range(6)]
    against = [classes[(k + 1 + k // 3) % 3] for k in range(6)]
    found = explain(model, TEXTS[:6], target=kind(targets), against=kind(against))
    for k in range(6):
        one = explain(model, TEXTS[k], target=targets[k], against=against[k])
        assert found[k].to_dict() == one.to_dict()
    alone = explain(model, TEXTS[:6], target=kind(targets))
    assert alone[4].to_dict() == explain(model, TEXTS[4], target=targets[4]).to_dict()


def test_a_list_is_as_long_as_the_documents():
    with pytest.raises(ValueError, match="a list of 2 classes for 3 documents"):
        explain(MODELS[0], TEXTS[:3], target=["sport", "science"])
    with pytest.raises(ValueError, match="one document, which is given by itself"):
        explain(MODELS[0], TEXTS[0], against=["sport"])
    with pytest.raises(ValueError, match="not a class"):
        explain(MODELS[0], TEXTS[:2], target=["sport", "none"])[1]
