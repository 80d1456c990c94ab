"""Support vector machines explained: by terms where they are linear, else by documents."""

import json

import numpy as np
import pytest
import sklearn.svm
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.pipeline import make_pipeline

from quire.feature_extraction.text import TfidfVectorizer
from quire.inspection import AdditiveDecisions, PairEvidence, SupportEvidence, explain
from quire.svm import SVC, SVR

TEXTS = ["a good film", "a very good film", "bad film", "rain tomorrow", "sun and rain", "dull 🎬"]
LABELS = ["pos", "pos", "neg", "rain", "rain", "neg"]
KERNELS = ("poly", "rbf", "sigmoid")
LIBRARIES = (SVC, sklearn.svm.SVC, sklearn.svm.NuSVC)


def data(n_classes):
    return make_classification(
        120, 6, n_informative=5, n_redundant=0, n_classes=n_classes, random_state=0
    )


def pairs_of(n_classes):
    return [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kernel", ["linear", *KERNELS])
def test_parts_add_up_to_the_decision_of_the_pair(kernel, n_classes, library, kind):
    X, y = data(n_classes)
    X = kind(X)
    model = library(kernel=kernel, coef0=0.1, decision_function_shape="ovo").fit(X, y)
    decisions = model.decision_function(X[:5]).reshape(5, -1)
    kinds = [PairEvidence, SupportEvidence] if kernel == "linear" else [SupportEvidence]
    for make in kinds:
        evidence = make(model, X[:5])
        assert isinstance(evidence, AdditiveDecisions)
        assert len(evidence) == 5
        for row in range(5):
            for pair, (i, j) in enumerate(pairs_of(n_classes)):
                found = evidence.parts(row, i, j)
                wanted = -decisions[row, 0] if n_classes == 2 else decisions[row, pair]
                assert found.score == pytest.approx(wanted, abs=1e-6)
                assert found.score == pytest.approx(found.offset + found.contributions.sum())
                turned = evidence.parts(row, j, i)
                assert turned.score == pytest.approx(-found.score)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kernel", ["linear", *KERNELS])
def test_the_prediction_comes_first(kernel, n_classes):
    X, y = data(n_classes)
    labels = np.array(list("wxyz"))[y]
    model = SVC(kernel=kernel).fit(X, labels)
    for explanation, predicted in zip(explain(model, X[:20]), model.predict(X[:20]), strict=True):
        assert explanation.prediction == explanation.target == predicted
        assert explanation.against != predicted
        if n_classes == 2:
            assert explanation.score > 0


def test_support_vectors_of_the_two_classes_speak():
    X, y = data(4)
    model = SVC().fit(X, y)
    parts = SupportEvidence(model, X[:1]).parts(0, 2, 1)
    assert set(y[parts.columns]) == {1, 2}
    assert (np.diff(parts.columns) > 0).all()
    assert (np.sign(parts.contributions) == np.where(y[parts.columns] == 2, 1, -1)).all()
    distances = np.sum((X[parts.columns] - X[0]) ** 2, axis=1)
    np.testing.assert_allclose(parts.values, np.exp(-model._gamma * distances))


@pytest.mark.parametrize("library", [SVR, sklearn.svm.SVR, sklearn.svm.NuSVR])
@pytest.mark.parametrize("kernel", ["linear", *KERNELS])
def test_numbers(kernel, library):
    X, _ = data(2)
    y = X[:, 0] + np.sin(X[:, 1])
    model = library(kernel=kernel).fit(X, y)
    explanation = explain(model, X[:3])[1]
    assert explanation.score == pytest.approx(model.predict(X[1:2])[0], abs=1e-6)
    assert explanation.offset == pytest.approx(model.intercept_[0])
    assert explanation.part_noun == ("term" if kernel == "linear" else "document")
    if kernel != "linear":
        assert set(explanation.parts.columns) <= set(model.support_)
        with pytest.raises(ValueError, match="predicts a number"):
            explain(model, X[:1], target=1)


def test_given_kernels():
    X, y = data(3)
    wanted = SupportEvidence(SVC(kernel="linear").fit(X, y), X[:4]).parts(3)
    given = SVC(kernel="precomputed").fit(X @ X.T, y)
    own = SVC(kernel=lambda a, b: a @ b.T).fit(X, y)
    for model, rows in ((given, X[:4] @ X.T), (own, X[:4])):
        found = explain(model, rows)[3].parts
        np.testing.assert_array_equal(found.columns, wanted.columns)
        np.testing.assert_allclose(found.contributions, wanted.contributions, atol=1e-5)


def test_texts_by_terms():
    model = make_pipeline(TfidfVectorizer(), SVC(kernel="linear", C=10)).fit(TEXTS, LABELS)
    explanation = explain(model, "a good good film about rain", target="pos", against="rain")
    by_term = {term.term: term.contribution for term in explanation.terms}
    assert by_term["good"] > 0 > by_term["rain"]
    assert [span.term for span in explanation.spans] == ["good", "good", "film", "rain"]
    with pytest.raises(ValueError, match="'snow' is not a class"):
        explain(model, "rain", target="snow")
    with pytest.raises(ValueError, match="both 'pos'"):
        explain(model, "rain", target="pos", against="pos")


def test_texts_by_documents():
    model = make_pipeline(TfidfVectorizer(), SVC(C=10)).fit(TEXTS, LABELS)
    text = "a good film"
    explanation = explain(model, text, n_terms=2)
    assert explanation.target == explanation.prediction == "pos"
    shown = str(explanation)
    assert "document 0 (pos), kernel = 1" in shown
    assert "other documents" in shown
    assert shown.splitlines()[-1].startswith("Documents have the numbers of rows")
    assert explanation.text == text
    json.dumps(explanation.to_dict())
    assert "document 0 (pos)" in explanation.to_html()
    empty = explain(model, ["", "🎬"])
    assert empty[0].prediction in LABELS
    assert empty[1].prediction in LABELS


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
def test_probabilities_are_shown():
    X, y = data(3)
    model = SVC(probability=True, random_state=0).fit(X, y)
    explanation = explain(model, X[:1])[0]
    wanted = model.predict_proba(X[:1])[0]
    assert list(explanation.probabilities.values()) == pytest.approx(wanted)
    assert max(explanation.probabilities, key=explanation.probabilities.get) == explanation.target
