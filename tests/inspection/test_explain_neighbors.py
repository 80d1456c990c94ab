"""Nearest neighbours explained: the documents that decided, with their shares."""

import json

import numpy as np
import pytest
import sklearn.neighbors
from sklearn.pipeline import make_pipeline

from quire.feature_extraction.text import TfidfVectorizer
from quire.inspection import AdditiveDecisions, NeighborEvidence, explain
from quire.neighbors import KNeighborsClassifier, KNeighborsRegressor

TEXTS = ["a good film", "a very good film", "bad film", "rain tomorrow", "sun and rain", "dull 🎬"]
LABELS = ["pos", "pos", "neg", "rain", "rain", "neg"]


def fitted(**options):
    model = KNeighborsClassifier(metric="cosine", **options)
    return make_pipeline(TfidfVectorizer(), model).fit(TEXTS, LABELS)


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: 2 - d])
def test_votes_add_up(weights):
    model = fitted(n_neighbors=4, weights=weights)
    text = "a very good but rainy film"
    explanation = explain(model, text)
    shares = dict(zip(model.classes_, model.predict_proba([text])[0], strict=True))
    assert explanation.prediction == explanation.target == "pos"
    wanted = shares["pos"] - shares[explanation.against]
    assert explanation.score == pytest.approx(wanted)
    assert explanation.score == pytest.approx(sum(t.contribution for t in explanation.terms))
    assert explanation.text == text


def test_what_is_shown():
    explanation = explain(fitted(n_neighbors=3), "good film", n_terms=2)
    lines = str(explanation).splitlines()
    assert lines[0].split("  ")[-1].startswith("pos rather than neg")
    assert "document 0 (pos), distance = " in str(explanation)
    assert "1 other document" in str(explanation)
    assert lines[-1] == "Documents have the numbers of rows of the training data, from 0."
    json.dumps(explanation.to_dict())
    assert "1 other document" in explanation.to_html()
    assert explain(fitted(n_neighbors=3), ["good film", ""])[1].prediction in LABELS


def test_target_and_against():
    model = fitted(n_neighbors=3)
    explanation = explain(model, "good film", target="rain", against="pos")
    assert explanation.score == pytest.approx(-2 / 3)
    with pytest.raises(ValueError, match="'snow' is not a class"):
        explain(model, "good film", target="snow")


def test_regression_and_scikit_learns_classes():
    X, y = np.arange(8.0)[:, None], np.arange(8.0) ** 2
    for model in (KNeighborsRegressor(3), sklearn.neighbors.KNeighborsRegressor(3)):
        explanation = explain(model.fit(X, y), np.array([[2.1]]))
        one = explanation[0]
        assert one.score == pytest.approx(one.prediction)
        assert sorted(one.parts.columns.tolist()) == [1, 2, 3]
    two = KNeighborsRegressor(3).fit(X, np.column_stack([y, -y]))
    evidence = NeighborEvidence(two, X[:2])
    assert isinstance(evidence, AdditiveDecisions)
    assert evidence.parts(0, 1).score == pytest.approx(two.predict(X[:1])[0, 1])
    with pytest.raises(ValueError, match="do not apply"):
        evidence.parts(0, 2)


def test_several_outputs_are_refused():
    y = np.column_stack([LABELS, LABELS])
    model = make_pipeline(TfidfVectorizer(), KNeighborsClassifier(2)).fit(TEXTS, y)
    with pytest.raises(TypeError, match="several outputs"):
        NeighborEvidence(model[-1], model[0].transform(TEXTS))
