"""Terms by weight times use: against plain sums over documents, for every kind of model."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from tests.helpers.comparisons import corpus, reviews

from quire.datasets import make_multilabel_texts
from quire.feature_extraction.text import CountedDocuments, CountVectorizer, TfidfVectorizer
from quire.inspection import TermWeight, UsedTerm, top_evidence
from quire.linear_model import LogisticRegression, Ridge
from quire.model_selection import compare
from quire.naive_bayes import ComplementNB, MultinomialNB
from quire.tree import DecisionTreeClassifier

TEXTS, Y = corpus(200, 3, seed=7)
MODELS = [
    make_pipeline(CountVectorizer(), MultinomialNB()),
    make_pipeline(TfidfVectorizer(), ComplementNB()),
    make_pipeline(TfidfVectorizer(), LogisticRegression()),
    make_pipeline(CountVectorizer(binary=True), SklearnLogistic()),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model[-1]).__name__)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_contributions_are_sums_over_documents(model, n_classes):
    rows = np.flatnonzero(np.isin(Y, np.unique(Y)[:n_classes]))
    texts, y = [TEXTS[row] for row in rows], Y[rows]
    model.fit(texts, y)
    found = top_evidence(model, 12, texts, y)
    X = model[0].transform(texts).toarray()
    names = model[0].get_feature_names_out().tolist()
    for label, terms in found.items():
        assert 0 < len(terms) <= 12
        alone = {t.term: t.weight for t in top_evidence(model, len(names))[label]}
        every = {}
        for j, name in enumerate(names):
            more = X[y == label, j].mean() - X[y != label, j].mean()
            if alone[name] > 0 and alone[name] * more > 0:
                every[name] = alone[name] * more
        best = sorted(every.values(), reverse=True)[:12]
        assert [term.contribution for term in terms] == pytest.approx(best)
        for term in terms:
            assert isinstance(term, UsedTerm)
            assert isinstance(term, TermWeight)
            j = names.index(term.term)
            has_it = X[:, j] > 0
            assert term.documents == has_it.sum()
            assert term.share == pytest.approx((y[has_it] == label).mean())
            assert term.weight == pytest.approx(alone[term.term])
            assert term.contribution == pytest.approx(every[term.term])


def test_equal_terms_are_in_the_order_of_their_use_and_zeros_are_left_out():
    texts = ["zz aa both", "zz aa both", "other both", "other both"]
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, ["x", "x", "y", "y"])
    found = top_evidence(model, 10, texts, ["x", "x", "y", "y"])
    assert [term.term for term in found["x"]] == ["aa", "zz"]
    assert "both" not in {term.term for terms in found.values() for term in terms}
    weak = make_pipeline(CountVectorizer(), LogisticRegression(C=1e-9)).fit(texts, list("xxyy"))
    every = top_evidence(weak, 9, texts, list("xxyy")).values()
    assert all(term.contribution > 0 for terms in every for term in terms)


def test_averages_add_up_over_their_models():
    names = ["logistic", "multinomial-nb", "average"]
    comparison = compare(TEXTS, Y, names, cv=2, checks=False, features=["words", "characters"])
    model = clone(comparison["average"].estimator).fit(TEXTS, Y)
    found = top_evidence(model, 6, TEXTS, Y)
    counted = top_evidence(model, 6, comparison.counted, Y)
    assert found.keys() == counted.keys()
    for label, terms in found.items():
        assert [t.term for t in terms] == [t.term for t in counted[label]]
        sizes = [t.contribution for t in terms]
        assert sizes == sorted(sizes, reverse=True)
        for term in terms:
            if not str(term.term).startswith("char"):
                has_it = np.array([term.term in text.split() for text in TEXTS])
                assert term.documents == has_it.sum()
                assert term.share == pytest.approx((Y[has_it] == label).mean())


def test_several_labels():
    data = make_multilabel_texts(150, n_labels=4, separation=12.0, mean_length=40.0, random_state=2)
    options = {"cv": 2, "checks": False, "features": ["words"]}
    comparison = compare(data.texts, data.labels, ["linear-svm"], **options)
    found = top_evidence(comparison.model, 5, data.texts, comparison.y)
    Y = comparison.codes.toarray()
    for k, (label, terms) in enumerate(found.items()):
        assert label == comparison.classes[k]
        for term in terms:
            has_it = np.array([str(term.term) in text.split() for text in data.texts])
            assert term.documents == has_it.sum()
            assert term.share == pytest.approx(Y[has_it, k].mean())


def test_numbers_are_moved_by_weight_times_standard_deviation():
    texts, y = reviews(200)
    model = make_pipeline(TfidfVectorizer(), Ridge()).fit(texts, y)
    found = top_evidence(model, 5, texts)
    X = model[0].transform(texts).toarray()
    moved = model[-1].coef_ * X.std(axis=0)
    names = model[0].get_feature_names_out()
    assert [t.term for t in found["higher"]] == names[np.argsort(-moved)[:5]].tolist()
    assert [t.term for t in found["lower"]] == names[np.argsort(moved)[:5]].tolist()
    assert [t.contribution for t in found["lower"]] == pytest.approx(np.sort(moved)[:5])
    assert all(t.share is None and t.weight < 0 for t in found["lower"])


def test_counts_that_are_known_are_not_made_again():
    counted = CountedDocuments(TEXTS, CountVectorizer())
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(counted, Y)
    assert top_evidence(model, 5, counted, Y) == top_evidence(model, 5, TEXTS, Y)


def test_trees_and_models_without_weights_say_what_they_said():
    tree = make_pipeline(CountVectorizer(), DecisionTreeClassifier(max_depth=3)).fit(TEXTS, Y)
    assert top_evidence(tree, 3, TEXTS, Y) == top_evidence(tree, 3)
    svc = make_pipeline(TfidfVectorizer(), SVC(kernel="linear")).fit(TEXTS, Y)
    for label, terms in top_evidence(svc, 3, TEXTS, Y).items():
        known = {t.term: t.weight for t in top_evidence(svc, 1000)[label]}
        assert all(known[t.term] == pytest.approx(t.weight) for t in terms)
    rbf = make_pipeline(TfidfVectorizer(), SVC()).fit(TEXTS, Y)
    with pytest.raises(TypeError):
        top_evidence(rbf, 3, TEXTS, Y)


def test_labels_are_needed():
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(TEXTS, Y)
    with pytest.raises(ValueError, match="y is missing"):
        top_evidence(model, 3, pl.Series(TEXTS))
