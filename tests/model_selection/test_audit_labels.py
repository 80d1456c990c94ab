"""Labels audited: documents left out one by one and by folds, against fits without them."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB as SklearnNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from quire.datasets import make_text_classification
from quire.feature_extraction.text import CountedDocuments, CountVectorizer, TfidfVectorizer
from quire.io import read_corpus
from quire.linear_model import LeastSquaresClassifier, LogisticRegression, Ridge
from quire.model_selection import LabelAudit, audit_labels
from quire.naive_bayes import MultinomialNB


@pytest.fixture(scope="module")
def corpus():
    """Texts of three classes, their labels with 6 % changed, and which."""
    data = make_text_classification(300, n_classes=3, separation=16.0, random_state=1)
    rng = np.random.default_rng(0)
    changed = np.sort(rng.choice(300, 18, replace=False))
    y = np.asarray(data.y).copy()
    names = np.unique(y)
    places = np.searchsorted(names, y)
    places[changed] = (places[changed] + 1 + rng.integers(2, size=18)) % 3
    return data.texts, names[places], changed


def matrix(n, p, n_classes, seed=0, counts=False):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    centres = rng.normal(size=(n_classes, p))
    X = (
        rng.poisson(np.exp(0.7 * centres[y] - 0.5))
        if counts
        else centres[y] + rng.normal(size=(n, p))
    )
    X = np.where(rng.random((n, p)) < 0.6, X, 0)
    return sparse.csr_array(X.astype(np.float64)), y


def against_by_refitting(model, X, y, scores):
    """What a fit without each row says: the best other score less that of its label."""
    found = np.empty(len(y))
    for row in range(len(y)):
        rest = np.arange(len(y)) != row
        own = scores(model.fit(X[rest], y[rest]), X[[row]])[0]
        others = np.delete(own, y[row])
        found[row] = others.max() - own[y[row]]
    return found


def in_order_of_rows(audit):
    found = np.empty(len(audit))
    found[audit.rows] = audit.against
    return found


def decision(model, X):
    values = model.decision_function(X)
    return np.stack([-values, values], 1) / 2 if values.ndim == 1 else values


# One by one


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("fit_prior", [True, False])
def test_naive_bayes_is_left_out_exactly(n_classes, fit_prior):
    X, y = matrix(40, 12, n_classes, counts=True)
    y[:6] = 0  # classes of unequal size
    model = MultinomialNB(alpha=0.3, fit_prior=fit_prior)
    audit = audit_labels(X, y, model=model, method="leave-one-out")
    theirs = SklearnNB(alpha=0.3, fit_prior=fit_prior)
    expected = against_by_refitting(theirs, X, y, lambda m, x: m.predict_joint_log_proba(x))
    np.testing.assert_allclose(in_order_of_rows(audit), expected, rtol=1e-9, atol=1e-9)
    assert (np.diff(audit.against) <= 0).all()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("p", [8, 60])
def test_least_squares_are_left_out_exactly(n_classes, fit_intercept, p):
    X, y = matrix(30, p, n_classes)
    model = LeastSquaresClassifier(alpha=0.7, fit_intercept=fit_intercept, tol=1e-12)
    audit = audit_labels(X, y, model=model, method="leave-one-out", n_explained=0)
    expected = against_by_refitting(model, X.toarray(), y, decision)
    np.testing.assert_allclose(in_order_of_rows(audit), expected, rtol=1e-6, atol=1e-7)
    assert audit.probabilities is None


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_one_newton_step_is_near_to_the_fit_without(fit_intercept):
    X, y = matrix(80, 30, 2)
    y[:5] = 1 - y[:5]
    model = LogisticRegression(C=0.5, fit_intercept=fit_intercept, tol=1e-10)
    audit = audit_labels(X, y, model=model, method="leave-one-out")

    def log_odds(fitted, x):
        value = fitted.decision_function(x)
        return np.stack([-value, value], 1) / 2

    exact = against_by_refitting(model, X, y, log_odds)
    found = in_order_of_rows(audit)
    with_it = decision(model.fit(X, y), X)
    naive = with_it[np.arange(80), 1 - y] - with_it[np.arange(80), y]
    assert np.abs(found - exact).max() < 0.2 * np.abs(naive - exact).max()
    assert np.median(np.abs(found - exact)) < 0.05 * np.median(np.abs(naive - exact))
    assert np.corrcoef(found, exact)[0, 1] > 0.999


@pytest.mark.parametrize("n_classes", [2, 3])
def test_words_add_up_as_in_the_model_without_the_document(n_classes):
    X, y = matrix(30, 40, n_classes)
    X.data = np.abs(X.data)
    models = [LeastSquaresClassifier(alpha=0.7, tol=1e-12), MultinomialNB(alpha=0.5)]
    for model in models:
        audit = audit_labels(X, y, model=model, method="leave-one-out", n_words=100)
        for one in list(audit)[:5]:
            rest = np.arange(30) != one.row
            fitted = model.fit(X[rest], y[rest])
            if isinstance(model, MultinomialNB):
                weights = fitted.feature_log_prob_
            elif n_classes == 2:
                weights = np.vstack([-fitted.coef_, fitted.coef_]) / 2
            else:
                weights = fitted.coef_
            row = X[[one.row]].toarray()[0]
            parts = row * (weights[one.suggested] - weights[one.label])
            expected = {str(j): parts[j] for j in np.flatnonzero(parts > 1e-9)}
            found = {term: value for term, value in one.words if value > 1e-9}
            assert found == pytest.approx(expected, rel=1e-5, abs=1e-7)
            assert list(found.values()) == sorted(found.values(), reverse=True)


def test_a_class_of_one_document_is_not_judged():
    X, y = matrix(31, 12, 2, counts=True)
    y[30] = 2
    audit = audit_labels(X, y, model=MultinomialNB(alpha=0.3))
    assert 30 not in audit.rows
    assert len(audit) == 30
    assert any("not judged" in note for note in audit.notes)
    folds = audit_labels(
        X,
        y,
        model=SklearnNB(),
        cv=[
            (np.r_[0:30], np.r_[30:31]),
            (np.r_[10:31], np.r_[0:10]),
            (np.r_[0:10, 30], np.r_[10:30]),
        ],
    )
    assert 30 not in folds.rows


# By folds


def test_folds_are_those_of_the_model_fitted_without_them(corpus):
    texts, y, _ = corpus
    model = make_pipeline(TfidfVectorizer(), SklearnNB())
    rows = np.arange(300)
    folds = [(rows[rows % 3 != k], rows[rows % 3 == k]) for k in range(3)]
    audit = audit_labels(texts, y, model=model, cv=folds)
    _, codes = np.unique(y, return_inverse=True)
    expected = np.empty(300)
    series = np.asarray(texts, dtype=object)
    for train, test in folds:
        log = np.log(model.fit(series[train], y[train]).predict_proba(series[test]))
        own = log[np.arange(len(test)), codes[test]].copy()
        log[np.arange(len(test)), codes[test]] = -np.inf
        expected[test] = log.max(axis=1) - own
    np.testing.assert_allclose(in_order_of_rows(audit), expected, rtol=1e-9)
    assert audit.how == "by folds, 3 of them"
    assert all(one.words for one in list(audit)[:10])


def test_models_without_probabilities_and_without_words(corpus):
    texts, y, changed = corpus
    audit = audit_labels(texts, y, model=LinearSVC())
    assert audit.probabilities is None
    assert np.isin(audit.rows[:18], changed).mean() > 0.6
    assert audit[0].probability is None
    tree = audit_labels(texts, y, model=DecisionTreeClassifier(max_depth=3, random_state=0), cv=3)
    assert len(tree) == 300


def test_groups_are_held_out_together(corpus):
    texts, y, _ = corpus
    copies = [*texts, *texts[:50]]
    groups = [*range(300), *range(50)]
    labels = [*y, *y[:50]]
    audit = audit_labels(copies, labels, groups=groups)
    assert audit.how == "by folds, 5 of them"
    apart, together = in_order_of_rows(audit_labels(copies, labels)), in_order_of_rows(audit)
    assert together[:50].mean() > apart[:50].mean()  # a copy speaks for its own label


# Ranking


@pytest.mark.parametrize("model", ["naive-bayes", "logistic", "least-squares"])
@pytest.mark.parametrize("method", ["auto", "folds"])
def test_changed_labels_come_first(corpus, model, method):
    texts, y, changed = corpus
    audit = audit_labels(texts, y, model=model, method=method)
    assert len(audit) == 300
    assert np.isin(audit.rows[:18], changed).mean() >= 0.75
    assert 9 <= audit.n_suspected <= 45
    assert np.isin(audit.rows[audit.suspected], changed).mean() > 0.5


def test_all_forms_of_a_corpus_are_one(corpus, tmp_path):
    texts, y, _ = corpus
    table = pl.DataFrame({"text": list(texts), "label": y})
    table.write_csv(tmp_path / "c.csv")
    expected = audit_labels(texts, y).to_dict()
    for data in (tmp_path / "c.csv", str(tmp_path / "c.csv"), read_corpus(table)):
        assert {**audit_labels(data).to_dict(), "notes": []} == expected
    for data in (table, table.to_pandas()):
        assert {**audit_labels(data, "label").to_dict(), "notes": []} == expected
    counted = CountedDocuments(table["text"], CountVectorizer())
    assert audit_labels(counted, pd.Series(y)).to_dict() == expected


def test_documents_without_a_label_keep_their_numbers(corpus):
    texts, y, _ = corpus
    given = [None if row % 10 == 0 else label for row, label in enumerate(y)]
    audit = audit_labels(texts, given)
    assert len(audit) == 270
    assert not (audit.rows % 10 == 0).any()
    rest = [row for row in range(300) if row % 10]
    alone = audit_labels([texts[row] for row in rest], y[rest])
    assert audit.rows.tolist() == [rest[row] for row in alone.rows]
    assert any("30 of 300" in note for note in audit.notes)


def test_results_as_table_and_data(corpus):
    texts, y, _ = corpus
    audit = audit_labels(texts, y, n_explained=7, n_words=3)
    assert isinstance(audit, LabelAudit)
    frame = audit.to_frame()
    assert frame.height == 300
    assert frame["row"].to_list() == audit.rows.tolist()
    assert frame["words"].null_count() == 293
    assert frame["suspected"].sum() == audit.n_suspected
    data = json.loads(json.dumps(audit.to_dict(4)))
    assert [one["row"] for one in data["labels"]] == audit.rows[:4].tolist()
    assert len(audit[0].words) <= 3
    assert audit[-1].row == audit.rows[-1]
    assert audit[7].words is None
    assert str(audit).startswith("300 labels, ")
    assert "<table>" in audit._repr_html_()


def test_threads_and_calls_give_the_same(corpus):
    texts, y, _ = corpus
    for method in ("auto", "folds"):
        one, two = (audit_labels(texts, y, method=method, n_jobs=n).to_dict() for n in (1, 3))
        assert one == two


def test_what_does_not_fit_is_refused(corpus):
    texts, y, _ = corpus
    with pytest.raises(ValueError, match="model is 'nb'"):
        audit_labels(texts, y, model="nb")
    with pytest.raises(ValueError, match="method is 'loo'"):
        audit_labels(texts, y, method="loo")
    with pytest.raises(TypeError, match="Ridge is no classifier"):
        audit_labels(texts, y, model=Ridge())
    with pytest.raises(TypeError, match="LinearSVC is not among"):
        audit_labels(texts, y, model=LinearSVC(), method="leave-one-out")
    with pytest.raises(TypeError, match="more than two classes"):
        audit_labels(texts, y, model="logistic", method="leave-one-out")
    with pytest.raises(ValueError, match="at least two classes"):
        audit_labels(texts, ["a"] * 300)
    with pytest.raises(ValueError, match="numbers with fractions"):
        audit_labels(texts, np.linspace(0, 1, 300))
    with pytest.raises(ValueError, match="300 documents and 3 labels"):
        audit_labels(texts, [1, 2, 3])
    with pytest.raises(TypeError, match="y is missing"):
        audit_labels(texts)
    with pytest.raises(ValueError, match="never held out"):
        audit_labels(texts, y, method="folds", cv=[(np.arange(200), np.arange(200, 300))])
    with pytest.raises(ValueError, match="not negative"):
        audit_labels(np.array([[1.0], [-1.0], [2.0], [3.0]]), [0, 1, 0, 1], model=MultinomialNB())
