"""Evidence: parts of decisions that add up, for any two classes."""

import numpy as np
import pytest
from scipy import sparse

from quire.inspection import (
    DocumentEvidence,
    Evidence,
    GivesEvidence,
    TermEvidence,
    TermWeight,
)
from quire.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

MODELS = [MultinomialNB, ComplementNB, BernoulliNB]


def make(n=200, p=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.3, (n, p))
    X[0] = 0
    return X, rng.choice(list("abcd"), n)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("alpha", [1.0, 1e-3])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_contributions_add_up_to_the_log_odds(model, alpha, form):
    X, y = make()
    fitted = model(alpha=alpha).fit(form(X), y)
    evidence = fitted.evidence(form(X))
    assert isinstance(fitted, GivesEvidence)
    assert isinstance(evidence, Evidence)
    joint = fitted.predict_joint_log_proba(form(X))
    for i, a in enumerate("abcd"):
        for j, b in enumerate("abcd"):
            odds = joint[:, i] - joint[:, j]
            parts = evidence.contributions(a, b)
            sums = np.asarray(parts.sum(axis=1)).ravel() + evidence.offset(a, b)
            np.testing.assert_allclose(sums, odds, atol=1e-9)
            np.testing.assert_allclose(evidence.log_odds(a, b), odds, atol=1e-9)
            assert parts.shape == X.shape
            assert sparse.issparse(parts) == (form is not np.asarray)


@pytest.mark.parametrize("model", MODELS)
def test_contributions_are_as_sparse_as_the_documents(model):
    X, y = make()
    X = sparse.csr_array(X)
    parts = model().fit(X, y).evidence(X).contributions("a", "b")
    assert parts.nnz == X.nnz


def test_offset_is_the_prior_for_the_multinomial_model():
    X, y = make()
    model = MultinomialNB(class_prior=[0.1, 0.2, 0.3, 0.4]).fit(X, y)
    np.testing.assert_allclose(model.evidence(X).offset("d", "a"), np.full(200, np.log(4)))


@pytest.mark.parametrize("model", MODELS)
def test_one_document(model):
    X, y = make()
    X = sparse.csr_array(X)
    names = np.array([f"term {i}" for i in range(40)])
    fitted = model().fit(X, y)
    evidence = fitted.evidence(X, feature_names=names)
    assert len(evidence) == 200
    predicted = fitted.predict(X)
    joint = fitted.predict_joint_log_proba(X)
    for row, document in enumerate(evidence):
        assert isinstance(document, DocumentEvidence)
        assert document.target == predicted[row]
        second = fitted.classes_[np.argsort(-joint[row], kind="stable")[1]]
        assert document.against == second
        total = document.offset + sum(term.contribution for term in document.terms)
        assert abs(total - document.log_odds) < 1e-9
        assert document.log_odds >= 0
        assert {term.term for term in document.terms} == set(names[X[[row]].indices])
        sizes = [abs(term.contribution) for term in document.terms]
        assert sizes == sorted(sizes, reverse=True)
    chosen = evidence.document(5, target="a", against="c")
    assert (chosen.target, chosen.against) == ("a", "c")
    assert abs(chosen.log_odds - (joint[5, 0] - joint[5, 2])) < 1e-9
    assert evidence[-1] == evidence.document(199)
    with pytest.raises(IndexError):
        evidence[200]


def test_best_against_a_given_class():
    model = MultinomialNB().fit(np.eye(3, dtype=int), ["a", "b", "c"])
    evidence = model.evidence(np.array([[2, 1, 0]]))
    assert evidence.document(0, against="a").target == "b"
    assert evidence.document(0, target="c").against == "a"


def test_as_text():
    model = MultinomialNB(class_prior="uniform").fit([[3, 1, 0], [0, 1, 1]], ["yes", "no"])
    document = model.evidence([[2, 1, 0]], feature_names=["good", "film", "bad"])[0]
    assert str(document) == (
        "   +1.7632  yes rather than no\n"
        "   +0.0000  before any term\n"
        "   +2.0996  good x 2\n"
        "   -0.3365  film"
    )
    shortened = model.evidence([[2, 1, 3]])[0].table(1).splitlines()
    assert len(shortened) == 4
    assert shortened[-1].endswith("2 other terms")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_without_smoothing(form):
    X = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 1], [0, 0, 0]])
    for model in MODELS:
        fitted = model(alpha=0).fit(form(X), list("aabbb"))
        evidence = fitted.evidence(form(X))
        joint = fitted.predict_joint_log_proba(form(X))
        log_odds = evidence.log_odds("a", "b")
        assert not np.isnan(log_odds).any()
        decided = ~(np.isinf(joint[:, 0]) & (joint[:, 0] == joint[:, 1]))
        expected = np.subtract(joint[:, 0], joint[:, 1], where=decided, out=np.zeros(5))
        np.testing.assert_allclose(log_odds[decided], expected[decided], atol=1e-9)
        assert decided.any()


def test_what_no_class_can_produce_is_left_to_the_prior():
    model = MultinomialNB(alpha=0).fit([[1, 0, 1], [0, 1, 1], [0, 1, 1]], ["a", "b", "b"])
    document = model.evidence([[1, 1, 0]])[0]
    assert (document.target, document.against) == ("b", "a")
    assert abs(document.log_odds - np.log(2)) < 1e-12
    assert [term.contribution for term in document.terms] == [0.0, 0.0]


def test_a_term_that_rules_a_class_out_is_endless_evidence():
    X = np.array([[1, 0, 1], [0, 1, 1]])
    evidence = MultinomialNB(alpha=0).fit(X, ["a", "b"]).evidence(X)
    np.testing.assert_array_equal(
        evidence.contributions("a", "b"), [[np.inf, 0, 0], [0, -np.inf, 0]]
    )
    np.testing.assert_array_equal(evidence.log_odds("a", "b"), [np.inf, -np.inf])


@pytest.mark.parametrize("model", MODELS)
def test_top_terms(model):
    rng = np.random.default_rng(0)
    y = np.repeat(["x", "y", "z"], 50)
    X = rng.poisson(0.2, (150, 30))
    for k in range(3):
        X[50 * k : 50 * (k + 1), 10 * k] += rng.poisson(3.0, 50)
        X[50 * k : 50 * (k + 1), 10 * k + 1] += rng.poisson(1.0, 50)
    names = [f"w{i}" for i in range(30)]
    found = model().fit(X, y).top_terms(2, feature_names=names)
    assert {label: [term.term for term in terms] for label, terms in found.items()} == {
        "x": ["w0", "w1"],
        "y": ["w10", "w11"],
        "z": ["w20", "w21"],
    }
    assert isinstance(found["x"][0], TermWeight)
    assert found["x"][0].weight > found["x"][1].weight > 0


def test_top_terms_of_two_classes_are_log_ratios():
    model = MultinomialNB().fit([[3, 1, 0], [0, 1, 1]], ["a", "b"])
    found = model.top_terms(99)
    ratio = model.feature_log_prob_[0] - model.feature_log_prob_[1]
    assert [term.term for term in found["a"]] == np.argsort(-ratio).tolist()
    np.testing.assert_allclose([term.weight for term in found["a"]], np.sort(ratio)[::-1])
    assert [term.term for term in found["b"]] == np.argsort(ratio).tolist()
    assert model.top_terms(0) == {"a": [], "b": []}


def test_top_terms_without_smoothing_are_finite_and_by_frequency():
    X = [[9, 1, 2, 0], [0, 0, 2, 3]]
    found = MultinomialNB(alpha=0).fit(X, ["a", "b"]).top_terms(2)
    assert [term.term for term in found["a"]] == [0, 1]
    assert all(np.isfinite(term.weight) for term in found["a"])


def test_names_from_a_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"good": [3, 0], "bad": [0, 2]})
    model = MultinomialNB().fit(frame, [1, 0])
    assert model.top_terms(1)[1][0].term == "good"
    assert model.evidence(frame)[0].terms[0].term == "good"
    assert isinstance(model.evidence(frame)[0].terms[0], TermEvidence)
    assert model.evidence(frame)[0].target == 1


def test_parts_of_one_document_as_arrays():
    X, y = make()
    model = MultinomialNB().fit(X, y)
    twice = sparse.csr_array((np.array([1, 2, 1]), np.array([3, 5, 3]), np.array([0, 3])), (1, 40))
    dense = twice.toarray()
    for rows in (twice, dense, sparse.csr_array(dense)):
        parts = model.evidence(rows).parts(0, "a", "c")
        assert parts.columns.tolist() == [3, 5]
        assert parts.values.tolist() == [2.0, 2.0]
        weights = model.feature_log_prob_[0] - model.feature_log_prob_[2]
        np.testing.assert_allclose(parts.contributions, 2 * weights[[3, 5]])
        assert parts.score == parts.offset + parts.contributions.sum()
        assert (parts.target, parts.against) == ("a", "c")
