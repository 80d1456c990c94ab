"""Naive Bayes beside others: curves are those of model_selection, and show what they should."""

import matplotlib
import numpy as np
import pytest
from scipy import sparse

matplotlib.use("Agg")
from quire.datasets import make_text_classification
from quire.linear_model import LogisticRegression
from quire.model_selection import learning_curve, vocabulary_curve
from quire.naive_bayes import BernoulliNB, GaussianNB, MixedNB, MultinomialNB
from quire.pictures import bernoulli_and_multinomial, generative_and_discriminative
from quire.pictures._generative import _naive_bayes


def test_curves_are_learning_curves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    models = {"g": GaussianNB(), "d": LogisticRegression()}
    found = generative_and_discriminative(X, y, models=models, sizes=[20, 100], cv=3)
    for name, model in models.items():
        expected = learning_curve(model, X, y, sizes=[20, 100], cv=3, random_state=0)
        np.testing.assert_array_equal(found.curves[name].test_scores, expected.test_scores)
    frame = found.to_frame()
    assert frame["model"].to_list() == ["g", "g", "d", "d"]
    np.testing.assert_allclose(frame["test"][2:], found.curves["d"].mean())
    ax = found.plot()
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), found.curves["d"].mean())
    assert "g\n" in str(found)


def test_the_example_crosses():
    found = generative_and_discriminative()
    generative, discriminative = (curve.mean() for curve in found.curves.values())
    assert (generative[:3] > discriminative[:3]).all()
    assert (generative[-2:] < discriminative[-2:]).all()
    assert found.sizes[2] < found.crossing <= found.sizes[-2]


def test_one_that_is_never_ahead():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    same = {"one": GaussianNB(), "the same": GaussianNB()}
    assert generative_and_discriminative(X, y, models=same, sizes=[20], cv=2).crossing is None
    with pytest.raises(ValueError, match="two or more"):
        generative_and_discriminative(X, y, models={"one": GaussianNB()})


def test_models_suit_the_data():
    counts = np.array([[0, 3], [1, 0]])
    assert isinstance(_naive_bayes(counts), MultinomialNB)
    assert isinstance(_naive_bayes(sparse.csr_array(counts)), MultinomialNB)
    assert isinstance(_naive_bayes(counts > 0), BernoulliNB)
    assert isinstance(_naive_bayes(counts / 7), MixedNB)
    data = make_text_classification(60, random_state=0)
    found = generative_and_discriminative(data.texts, data.y, sizes=[10, 20], cv=2)
    assert list(found.curves) == ["naive Bayes", "logistic regression"]


def test_vocabulary_curves_are_those_of_model_selection():
    data = make_text_classification(120, random_state=0)
    curve = vocabulary_curve(data.texts, data.y, sizes=[5, 20], cv=3, random_state=0)
    for ax in (
        bernoulli_and_multinomial(data.texts, data.y, sizes=[5, 20], cv=3),
        bernoulli_and_multinomial(curve=curve),
    ):
        for line, mean in zip(ax.lines, curve.mean(), strict=True):
            np.testing.assert_allclose(line.get_ydata(), mean)
    with pytest.raises(ValueError, match="both given"):
        bernoulli_and_multinomial(data.texts, data.y, curve=curve)


def test_few_words_for_one_and_many_for_the_other():
    ax = bernoulli_and_multinomial()
    multinomial, bernoulli = (line.get_ydata() for line in ax.lines)
    assert (bernoulli[:2] > multinomial[:2]).all()
    assert (bernoulli[-4:] < multinomial[-4:] - 0.05).all()
