"""Texts are cut up once: the last fit and experiments that follow use the counts that are there."""

import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as SklearnLogistic

from quire.datasets import make_text_classification
from quire.feature_extraction.text import CountVectorizer
from quire.model_selection import compare, learning_curve

DATA = make_text_classification(160, n_classes=3, separation=5.0, random_state=0)
TEXTS, LABELS = list(DATA.texts), np.array(["a", "b", "c"])[DATA.y]


@pytest.fixture
def passes(monkeypatch):
    """The documents of every pass over texts."""
    seen = []
    original = CountVectorizer._document_batches

    def spy(self, raw_documents):
        seen.append(len(raw_documents))
        return original(self, raw_documents)

    monkeypatch.setattr(CountVectorizer, "_document_batches", spy)
    return seen


def table():
    rng = np.random.default_rng(1)
    columns = {"text": TEXTS, "title": TEXTS[::-1], "kind": rng.choice(["x", "y"], 160).tolist()}
    return pl.DataFrame({**columns, "length": rng.normal(size=160)})


@pytest.mark.parametrize("model", ["multinomial-nb", "logistic", "least-squares"])
@pytest.mark.parametrize("limits", [{}, {"min_df": 0.05, "max_features": 60}])
def test_the_best_model_is_that_of_a_fit_to_the_texts(passes, model, limits):
    comparison = compare(TEXTS, LABELS, model, features="words", **limits)
    assert passes == [160]
    again = clone(comparison.best.estimator).fit(TEXTS, LABELS)
    names = [fitted[0].get_feature_names_out().tolist() for fitted in (comparison.model, again)]
    assert names[0] == names[1]
    fitted, expected = (vars(pipeline[-1]) for pipeline in (comparison.model, again))
    assert fitted.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(fitted[name], value, err_msg=name)
    new = [*TEXTS[:20], "words that are not there"]
    np.testing.assert_array_equal(comparison.model.predict(new), again.predict(new))
    first, second = (pipeline[0].transform(new) for pipeline in (comparison.model, again))
    assert (first != second).nnz == 0
    if "idf_" in dir(again[0]):
        np.testing.assert_array_equal(comparison.model[0].idf_, again[0].idf_)
    grown = [clone_of.partial_fit(new).vocabulary_ for clone_of in (comparison.model[0], again[0])]
    assert grown[0] == grown[1]  # frequencies of terms that were left out are there, too


def test_columns_beside_texts(passes):
    data = table()
    comparison = compare(data, LABELS, "logistic", text=["text", "title"], features="words")
    assert passes == [160, 160]
    again = clone(comparison.best.estimator).fit(data, LABELS)
    np.testing.assert_array_equal(comparison.model[-1].coef_, again[-1].coef_)
    np.testing.assert_array_equal(comparison.model.predict_proba(data), again.predict_proba(data))
    for pipeline in (comparison.model, again):
        kinds = [type(part).__name__ for part in pipeline[0].named_transformers_.values()]
        assert kinds == ["TfidfVectorizer", "TfidfVectorizer", "OneHotEncoder", "Pipeline"]
        assert type(pipeline[0].transformers[0][1]).__name__ == "TfidfVectorizer"
    names = [p[0].get_feature_names_out().tolist() for p in (comparison.model, again)]
    assert names[0] == names[1]


def test_a_learning_curve_from_the_counts(passes):
    comparison = compare(TEXTS, LABELS, "logistic", cv=3, features=["tokens-2", "tokens-3"])
    options = {"sizes": [20, 60, "all"], "cv": 3, "random_state": 0}
    estimator = comparison.best.estimator
    curve = learning_curve(estimator, comparison.counted, LABELS, **options)
    assert passes == [160, 160]  # words, and all n-grams from the longest
    expected = learning_curve(estimator, TEXTS, LABELS, **options)
    np.testing.assert_array_equal(curve.test_scores, expected.test_scores)
    np.testing.assert_array_equal(curve.train_scores, expected.train_scores)


def test_counts_are_not_saved_with_a_comparison():
    comparison = compare(TEXTS, LABELS, "multinomial-nb", cv=3)
    copy = pickle.loads(pickle.dumps(comparison))
    assert comparison.counted is not None
    assert copy.counted is None
    assert str(copy) == str(comparison)
    assert compare(table(), LABELS, "majority", text="text", cv=3).counted is None


def test_predictions_are_codes_until_they_are_shown():
    comparison = compare(TEXTS, LABELS, ["multinomial-nb", "majority"], cv=3)
    for trial in comparison:
        assert trial.predicted.dtype == np.int32
        np.testing.assert_array_equal(trial.predictions, comparison.classes[trial.predicted])
    np.testing.assert_array_equal(comparison.classes[comparison.codes], LABELS)
    numbers = compare(TEXTS, np.linspace(0, 1, 160), "mean", cv=3)
    assert numbers.codes is None
    np.testing.assert_array_equal(numbers.best.predictions, numbers.best.predicted)


def test_parameters_of_users_may_name_classes():
    model = SklearnLogistic(class_weight={"a": 1.0, "b": 5.0, "c": 1.0})
    comparison = compare(TEXTS, LABELS, [("weighted", model)], cv=3)
    assert comparison.best.error is None
    assert set(comparison.model.classes_) == {"a", "b", "c"}
