"""Experiments on trees that start from documents: nothing is learned from held-out ones."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction import text as sk_text
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from quire.datasets import make_text_classification
from quire.ensemble import ExtraTreesClassifier, RandomForestClassifier
from quire.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from quire.linear_model import LogisticRegression
from quire.model_selection import pruning_curve, tree_instability
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor

DATA = make_text_classification(120, n_classes=3, n_words=150, separation=4.0, random_state=0)
TEXTS, Y = ["", "🙂 " + DATA.texts[1], *DATA.texts[2:]], np.asarray(DATA.y)
FEW = {"sizes": [1, 4], "n_resamples": 3}


class Watched(TransformerMixin, BaseEstimator):
    """Count words, and remember in a list of lists which documents each fit was given."""

    seen: list = []  # noqa: RUF012 (clones share it on purpose)

    def fit(self, X, y=None):
        self.seen.append(list(X))
        self.words_ = CountVectorizer().fit(X)
        return self

    def transform(self, X):
        return self.words_.transform(X)


def same(first, second):
    np.testing.assert_array_equal(first.alphas, second.alphas)
    np.testing.assert_array_equal(first.test_scores, second.test_scores)
    np.testing.assert_array_equal(first.train_scores, second.train_scores)


def test_errors_are_those_of_pipelines_fitted_anew():
    tree = DecisionTreeClassifier(random_state=0)
    curve = pruning_curve(TEXTS, Y, tree=make_pipeline(TfidfVectorizer(), tree), cv=3, n_alphas=4)
    assert len(curve.alphas) == 4
    texts = np.array(TEXTS, dtype=object)
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(texts, Y)):
        for place, alpha in enumerate(curve.alphas):
            model = make_pipeline(TfidfVectorizer(), tree.set_params(ccp_alpha=alpha))
            model.fit(texts[train], Y[train])
            for errors, rows in ((curve.train_scores, train), (curve.test_scores, test)):
                expected = 1 - model.score(texts[rows], Y[rows])
                assert errors[place, fold] == pytest.approx(expected)


def test_columns_of_all_kinds_and_ways_to_name_a_vectorizer():
    first = pruning_curve(TEXTS, Y, cv=3, n_alphas=5)
    for texts in (np.array(TEXTS), pd.Series(TEXTS, index=range(9, 129)), pl.Series(TEXTS)):
        same(first, pruning_curve(texts, Y, cv=3, n_alphas=5))
    same(first, pruning_curve(TEXTS, Y, cv=3, n_alphas=5, vectorizer=CountVectorizer()))
    piped = make_pipeline(CountVectorizer(), DecisionTreeClassifier(random_state=0))
    same(first, pruning_curve(tuple(TEXTS), Y, cv=3, n_alphas=5, tree=piped, n_jobs=2))
    nested = make_pipeline(CountVectorizer(), make_pipeline("passthrough", piped[-1]))
    same(first, pruning_curve(TEXTS, Y, cv=3, n_alphas=5, tree=nested))
    arrow = pytest.importorskip("pyarrow").array(TEXTS)
    same(first, pruning_curve(arrow, Y, cv=3, n_alphas=5))


def test_scikit_learns_pipelines_numbers_and_frames():
    theirs = make_pipeline(sk_text.CountVectorizer(), SklearnTree(random_state=0))
    assert pruning_curve(TEXTS, Y, tree=theirs, cv=3, n_alphas=4).best()[2] < 0.6
    lengths = np.array([len(text) / 7 for text in TEXTS])
    numbers = pruning_curve(TEXTS, lengths, cv=3, n_alphas=4)
    assert numbers.scoring == "squared error"
    frame = pd.DataFrame({"text": TEXTS, "length": lengths})
    columns = make_column_transformer((CountVectorizer(), "text"), ("passthrough", ["length"]))
    piped = make_pipeline(columns, DecisionTreeRegressor(random_state=0))
    curve = pruning_curve(frame, lengths, tree=piped, cv=3, n_alphas=4)
    assert curve.best()[2] < 0.8 * numbers.best()[2]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_folds_learn_words_from_their_training_documents(n_jobs):
    Watched.seen.clear()
    texts = [f"{text} only{row}" for row, text in enumerate(TEXTS)]
    piped = make_pipeline(Watched(), DecisionTreeClassifier(random_state=0))
    pruning_curve(texts, Y, tree=piped, cv=3, n_alphas=3, n_jobs=n_jobs)
    everything, *folds = sorted(Watched.seen, key=len, reverse=True)
    assert everything == texts  # for the numbers of leaves
    expected = [[texts[row] for row in train] for train, _ in StratifiedKFold(3).split(texts, Y)]
    assert sorted(folds) == sorted(expected)


def test_resamples_learn_words_from_their_own_documents():
    Watched.seen.clear()
    texts = [f"{text} only{row}" for row, text in enumerate(TEXTS)]
    found = tree_instability(texts, Y, vectorizer=Watched(), test_size=30, **FEW)
    assert found.n_test == 30
    assert [len(drawn) for drawn in Watched.seen] == [90] * 3
    drawn = {text for one in Watched.seen for text in one}
    assert len(drawn) <= 90  # the 30 held-out documents are in none of them


def test_first_questions_are_about_words():
    texts = [
        "a goal in the cup",
        "the rain and wind",
        "the cup and a goal",
        "the wind, then rain",
    ] * 8
    labels = ["sport", "weather"] * 16
    found = tree_instability(texts, labels, **FEW)
    assert set(found.roots) <= {"goal", "cup", "rain", "wind"}
    assert "first question of the tree: " in str(found)
    hashed = tree_instability(texts, labels, vectorizer=HashingVectorizer(n_features=64), **FEW)
    assert all(isinstance(column, int) for column in hashed.roots)
    assert hashed.errors.max() == found.errors.max() == 0.0


def test_a_plain_tree_or_forest_stands_behind_the_steps_of_the_other():
    tree, forest = DecisionTreeClassifier(max_depth=4), ExtraTreesClassifier()
    words = TfidfVectorizer(min_df=2)
    plain = tree_instability(TEXTS, Y, tree=tree, forest=forest, vectorizer=words, **FEW)
    for pair in (
        {"tree": make_pipeline(words, tree), "forest": forest},
        {"tree": tree, "forest": make_pipeline(words, forest)},
        {"tree": make_pipeline(words, tree), "forest": make_pipeline(words, forest)},
    ):
        found = tree_instability(pl.Series(TEXTS), Y, n_jobs=1, **pair, **FEW)
        np.testing.assert_array_equal(found.changed, plain.changed)
        np.testing.assert_array_equal(found.errors, plain.errors)
        assert found.roots == plain.roots
    other = {"tree": make_pipeline(CountVectorizer(max_features=1), tree)}
    other = tree_instability(TEXTS, Y, forest=make_pipeline(words, forest), **other, **FEW)
    np.testing.assert_array_equal(other.errors[1:], plain.errors[1:])
    assert other.errors[0].mean() > plain.errors[0].mean()


def test_texts_agree_with_the_matrix_where_all_words_are_known():
    words = CountVectorizer(vocabulary=CountVectorizer().fit(TEXTS).vocabulary_)
    X = words.fit_transform(TEXTS)
    same(
        pruning_curve(X, Y, cv=3, n_alphas=5),
        pruning_curve(TEXTS, Y, cv=3, n_alphas=5, vectorizer=words),
    )
    names = words.get_feature_names_out()
    first = tree_instability(X, Y, feature_names=names, **FEW)
    second = tree_instability(TEXTS, Y, vectorizer=words, **FEW)
    np.testing.assert_array_equal(first.errors, second.errors)
    assert first.roots == second.roots


@pytest.mark.parametrize("experiment", [pruning_curve, tree_instability])
def test_errors_say_what_to_do(experiment):
    piped = make_pipeline(CountVectorizer(), DecisionTreeClassifier())
    X = CountVectorizer().fit_transform(TEXTS)
    with pytest.raises(TypeError, match="X is one string; give a list"):
        experiment("a text", [0])
    with pytest.raises(ValueError, match="a vectorizer and a pipeline"):
        experiment(TEXTS, Y, tree=piped, vectorizer=CountVectorizer())
    with pytest.raises(ValueError, match="X is a matrix, and there is a vectorizer too"):
        experiment(X, Y, vectorizer=CountVectorizer())
    with pytest.raises(TypeError, match="vectorizer has no fit_transform"):
        experiment(TEXTS, Y, vectorizer="words")
    with pytest.raises(TypeError, match="takes a tree, got LogisticRegression"):
        experiment(TEXTS, Y, tree=make_pipeline(CountVectorizer(), LogisticRegression()))
    with pytest.raises(ValueError, match=r"Row 7 .* is missing"):
        experiment([*TEXTS[:7], None, *TEXTS[8:]], Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        experiment(TEXTS[:-1], Y)


def test_errors_of_forests_and_names():
    forest = make_pipeline(CountVectorizer(), RandomForestClassifier())
    with pytest.raises(ValueError, match="Leave feature_names out"):
        tree_instability(TEXTS, Y, feature_names=["a"])
    with pytest.raises(TypeError, match="forest is LogisticRegression"):
        tree_instability(TEXTS, Y, forest=make_pipeline(CountVectorizer(), LogisticRegression()))
    with pytest.raises(ValueError, match="the tree predicts numbers"):
        tree_instability(TEXTS, Y / 7, forest=forest)
