"""What linear classifiers share: scores, decisions, evidence, top terms."""

import numpy as np
import pytest
from scipy import sparse

from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.inspection import GivesEvidence
from quire.linear_model import LeastSquaresClassifier, LogisticRegression, LogisticRegressionCV

QUIET = {"l1_ratios": (0,), "scoring": "neg_log_loss", "use_legacy_attributes": False}
MODELS = [
    LogisticRegression(),
    LogisticRegression(solver="auto", l1_ratio=1.0),
    LogisticRegressionCV(Cs=2, cv=2, **QUIET),
    LeastSquaresClassifier(alpha=1.0),
    LinearDiscriminantAnalysis("lsqr", 0.5),
]


def make(n_classes, n=150, p=20):
    rng = np.random.default_rng(n_classes)
    X = rng.poisson(0.4, (n, p)).astype(float)
    X[0] = 0
    y = (X[:, :n_classes] + 0.5 * rng.random((n, n_classes))).argmax(axis=1)
    return X, np.array(list("abcd"))[y]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_evidence_adds_up_to_the_scores(model, n_classes, form):
    X, y = make(n_classes)
    model.fit(form(X), y)
    assert isinstance(model, GivesEvidence)
    scores = model.decision_function(form(X))
    odds = scores if n_classes == 2 else scores[:, 1] - scores[:, 0]
    evidence = model.evidence(form(X))
    np.testing.assert_allclose(evidence.log_odds("b", "a"), odds, atol=1e-10)
    assert sparse.issparse(evidence.contributions("b", "a")) == (form is not np.asarray)
    assert evidence[0].terms == []  # an empty document: the offset alone
    assert evidence[0].log_odds == pytest.approx(evidence[0].offset)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_class_is_marked_by_its_own_column(model, n_classes):
    X, y = make(n_classes)
    names = [f"term{i}" for i in range(20)]
    top = model.fit(X, y).top_terms(1, feature_names=names)
    assert {label: terms[0].term for label, terms in top.items()} == {
        label: f"term{k}" for k, label in enumerate("abcd"[:n_classes])
    }


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("rows", [slice(0, 0), slice(3, 4), slice(None)])
def test_few_documents_have_the_scores_of_many(model, n_classes, rows):
    X, y = make(n_classes)
    model.fit(X, y)
    some = sparse.csr_array(X)[rows]
    if some.shape[0] == 0:
        with pytest.raises(ValueError, match="minimum of 1 is required"):
            model.predict(some)
        return
    np.testing.assert_allclose(
        model.decision_function(some), model.decision_function(X)[rows], atol=1e-10
    )
    np.testing.assert_array_equal(model.predict(some), model.predict(X)[rows])
