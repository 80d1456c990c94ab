"""choose_k: every k from one search is what as many cross-validations would say."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from quire.feature_extraction.select import SelectTerms
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.neighbors import (
    KChoice,
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    choose_k,
)

rng = np.random.default_rng(2)
X = rng.normal(size=(90, 20))
X[40:45] = X[40]  # duplicates: weights that would be infinite
Y = X[:, :2].sum(axis=1)
LABELS = np.where(Y + X[:, 2] > 0, "pos", "neg")
KS = [1, 2, 5, 30, 80]


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: np.exp(-d)])
@pytest.mark.parametrize("metric", ["minkowski", "cosine", "manhattan"])
def test_leave_one_out(weights, metric):
    choice = choose_k(X, LABELS, KS, weights=weights, metric=metric)
    numbers = choose_k(X, Y, KS, weights=weights, metric=metric)
    assert choice.ks.tolist() == KS
    for place, k in enumerate(KS):
        options = {"n_neighbors": k, "weights": weights, "metric": metric, "algorithm": "brute"}
        predicted = cross_val_predict(KNeighborsClassifier(**options), X, LABELS, cv=LeaveOneOut())
        wrong = predicted != LABELS
        assert choice.errors[place] == pytest.approx(wrong.mean())
        assert choice.standard_errors[place] == pytest.approx(wrong.std(ddof=1) / np.sqrt(90))
        predicted = cross_val_predict(KNeighborsRegressor(**options), X, Y, cv=LeaveOneOut())
        assert numbers.errors[place] == pytest.approx(mean_squared_error(Y, predicted))


@pytest.mark.parametrize("cv", [5, KFold(4, shuffle=True, random_state=1), StratifiedKFold(3)])
def test_folds(cv):
    choice = choose_k(sparse.csr_array(X), LABELS, [1, 7, 40], cv=cv, metric="cosine")
    for place, k in enumerate((1, 7, 40)):
        model = KNeighborsClassifier(k, metric="cosine")
        wrong = cross_val_predict(model, X, LABELS, cv=cv) != LABELS
        assert choice.errors[place] == pytest.approx(wrong.mean())
    assert np.isfinite(choice.standard_errors).all()
    assert choice.scheme.endswith("folds")


def test_one_search_serves_all(monkeypatch):
    asked = []
    search = NearestNeighbors.kneighbors

    def counted(self, *arguments, **options):
        asked.append(options["n_neighbors"])
        return search(self, *arguments, **options)

    monkeypatch.setattr(NearestNeighbors, "kneighbors", counted)
    assert len(choose_k(X, LABELS).ks) == 89  # as far as there are samples
    assert asked == [89]


def test_several_outputs_and_the_task():
    both = np.column_stack([Y, -Y])
    assert choose_k(X, both, KS).errors == pytest.approx(choose_k(X, Y, KS).errors)
    counts = rng.integers(0, 9, 90)
    assert choose_k(X, counts, KS).loss == "share of errors"
    assert choose_k(X, counts, KS, task="regression").loss == "squared error"


def test_what_a_choice_says():
    choice = KChoice(
        ks=np.arange(1, 41),
        errors=np.abs(np.arange(1, 41) - 20.5) / 100 + 0.1,
        standard_errors=np.full(40, 0.03),
        loss="squared error",
        scheme="5 folds",
    )
    assert choice.best_k == 21  # of two equally good ones the larger
    assert choice.one_standard_error_k == 24  # rounding decides about none of them
    lines = str(choice).splitlines()
    assert len(lines) <= 2 + 16
    assert sum(line.endswith("best") for line in lines) == 1
    assert "24  0.135 ± 0.030  within one standard error" in str(choice)
    assert choice.to_frame().shape == (40, 3)
    assert repr(choice) == "KChoice(best_k=21, n_ks=40, loss='squared error')"


def test_plot():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    axes = choose_k(X, LABELS, KS).plot()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["held out", "best", "within one std. error"]
    pyplot.close("all")


@pytest.mark.parametrize("ks", [[], [0, 1], [90], [1.5], ["a"]])
def test_numbers_that_do_not_fit(ks):
    with pytest.raises(ValueError, match="whole numbers from 1 to 89"):
        choose_k(X, LABELS, ks)


def test_other_errors():
    with pytest.raises(ValueError, match="'cv' parameter of choose_k"):
        choose_k(X, LABELS, KS, cv="all")
    with pytest.raises(ValueError, match="one output at a time"):
        choose_k(X, np.column_stack([LABELS, LABELS]), KS)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        choose_k(X[:50], LABELS, KS)
    with pytest.raises(ValueError, match="minimum of 2"):
        choose_k(X[:1], LABELS[:1])


WORDS = {"pos": ["warm", "funny", "good"], "neg": ["dull", "bad", "late"], "any": ["film", "plot"]}


def reviews(n=60):
    random = np.random.default_rng(0)
    y = np.where(random.random(n) < 0.5, "pos", "neg")
    other = WORDS["any"] + WORDS["neg"]
    words = [[*random.choice(WORDS[one], 2), *random.choice(other, 2)] for one in y]
    return [" ".join(one) for one in words], y


@pytest.mark.parametrize("kind", [list, np.array, pl.Series, pd.Series])
def test_texts_left_out_one_by_one(kind):
    texts, y = reviews()
    rows = TfidfVectorizer().fit_transform(texts)
    expected = choose_k(rows, y, [1, 3, 9], metric="cosine")
    found = choose_k(kind(texts), y, [1, 3, 9])
    np.testing.assert_array_equal(found.errors, expected.errors)
    counts = choose_k(kind(texts), y, [1, 3], vectorizer=CountVectorizer(), metric="manhattan")
    expected = choose_k(CountVectorizer().fit_transform(texts), y, [1, 3], metric="manhattan")
    np.testing.assert_array_equal(counts.errors, expected.errors)


def test_texts_in_folds_are_those_of_a_pipeline():
    texts, y = reviews()
    vectorizer = make_pipeline(TfidfVectorizer(), SelectTerms("mutual_info", k=3))
    choice = choose_k(texts, y, [1, 5], cv=StratifiedKFold(4), vectorizer=vectorizer)
    for place, k in enumerate([1, 5]):
        model = make_pipeline(clone(vectorizer), KNeighborsClassifier(k, metric="cosine"))
        predicted = cross_val_predict(model, texts, y, cv=StratifiedKFold(4))
        assert choice.errors[place] == pytest.approx(np.mean(predicted != y))
    assert not hasattr(vectorizer[0], "vocabulary_")  # a copy was fitted


def test_texts_that_do_not_fit():
    texts, y = reviews()
    with pytest.raises(ValueError, match="inconsistent"):
        choose_k(texts, y[1:])
    with pytest.raises(TypeError, match="one string"):
        choose_k("a text", y)
    with pytest.raises(ValueError, match="vectorizer is for texts"):
        choose_k(X, LABELS, vectorizer=TfidfVectorizer())
