"""Score against vocabulary size: equal to refitted pipelines, nothing learned from test rows."""

from functools import partial

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import feature_extraction as sklearn_features
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GroupKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from quire._shared.progress import progress
from quire.datasets import make_text_classification
from quire.feature_extraction.select import SelectTerms
from quire.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from quire.model_selection import vocabulary_curve

matplotlib.use("Agg")

MODELS = {"multinomial": MultinomialNB(), "bernoulli": BernoulliNB()}
DATA = make_text_classification(120, n_classes=3, n_words=300, n_informative=20, mean_length=20)
TEXTS, Y = DATA.texts, DATA.y


def curve_of(texts=TEXTS, y=Y, **options):
    return vocabulary_curve(texts, y, **{"models": MODELS, **options})


# Equal to fitting a pipeline in every fold -------------------------------------------------------


VECTORIZERS = [
    CountVectorizer(),
    CountVectorizer(ngram_range=(1, 2), binary=True),
    CountVectorizer(min_df=2),
    CountVectorizer(min_df=0.03, max_df=0.2),
    CountVectorizer(max_features=40),
    CountVectorizer(max_df=60, max_features=40, binary=True),
    CountVectorizer(min_df=3, max_features=60, dtype=np.float32),
    CountVectorizer(vocabulary=[*DATA.vocabulary[:80], "neverseen"], min_df=5),
    CountVectorizer(analyzer="char_wb", ngram_range=(3, 3), min_df=4),
    TfidfVectorizer(min_df=2),
    sklearn_features.text.TfidfVectorizer(),
    HashingVectorizer(n_features=128, alternate_sign=False),
    make_pipeline(CountVectorizer(max_df=0.5), TfidfTransformer()),
]


@pytest.mark.parametrize("vectorizer", VECTORIZERS)
@pytest.mark.parametrize("score_func", ["mutual_info", "chi2"])
def test_equals_refitted_pipelines(vectorizer, score_func):
    assert_equals_refitted(vectorizer, score_func, np.testing.assert_array_equal)


def test_equals_refitted_pipelines_with_the_vectorizer_of_scikit_learn():
    # Its rows are not in the order of the columns, so that the last bits of their sums may differ.
    vectorizer = sklearn_features.text.CountVectorizer(min_df=2, max_features=70)
    assert_equals_refitted(vectorizer, "chi2", partial(np.testing.assert_allclose, rtol=1e-14))


def assert_equals_refitted(vectorizer, score_func, assert_equal):
    # The log loss has every bit of the probabilities in it, where accuracy has only their order.
    options = {"cv": StratifiedKFold(3), "scoring": "neg_log_loss"}
    curve = curve_of(vectorizer=vectorizer, score_func=score_func, sizes=[1, 7, 30, 90], **options)
    assert len(curve.sizes) > 1
    for model, scores in zip(MODELS.values(), curve.test_scores, strict=True):
        for size, found in zip(curve.sizes.tolist(), scores, strict=True):
            pipeline = make_pipeline(vectorizer, SelectTerms(score_func, k=size), model)
            expected = cross_val_score(pipeline, TEXTS, Y, error_score="raise", **options)
            assert_equal(found, expected)


def test_equals_pipelines_whose_model_looks_at_the_order_of_columns():
    forest = ExtraTreesClassifier(10, random_state=0)
    curve = curve_of(models=[("forest", forest)], sizes=[20], cv=3)
    pipeline = make_pipeline(CountVectorizer(), SelectTerms("mutual_info", k=20), forest)
    np.testing.assert_array_equal(
        curve.test_scores[0, 0], cross_val_score(pipeline, TEXTS, Y, cv=3)
    )


def test_a_callable_ranks_terms():
    def document_frequency(X, y):
        return np.bincount(X.indices, minlength=X.shape[1])

    curve = curve_of(score_func=document_frequency, sizes=[15], cv=3)
    pipeline = make_pipeline(
        CountVectorizer(), SelectTerms(document_frequency, k=15), BernoulliNB()
    )
    np.testing.assert_array_equal(
        curve.test_scores[1, 0], cross_val_score(pipeline, TEXTS, Y, cv=3)
    )


@pytest.mark.parametrize(
    "container",
    [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.coo_array, pd.DataFrame],
)
def test_counts_that_are_there_already(container):
    X = CountVectorizer().fit_transform(TEXTS).toarray()
    curve = curve_of(container(X), sizes=[5, 50, "all"])
    assert_same(curve, curve_of(sizes=[5, 50, "all"]))


def test_a_given_matrix_is_not_changed_and_stored_zeros_are_no_terms():
    X = sparse.csr_array(CountVectorizer().fit_transform(TEXTS))
    padded = sparse.csr_array(sparse.hstack([X, np.ones((X.shape[0], 1))]))
    padded.data[padded.indices == X.shape[1]] = 0
    before = padded.copy()
    assert_same(curve_of(padded), curve_of(X))
    np.testing.assert_array_equal(padded.indices, before.indices)
    np.testing.assert_array_equal(padded.data, before.data)


@pytest.mark.parametrize(
    "container", [tuple, iter, np.array, pd.Series, lambda t: pl.Series(t, dtype=pl.String)]
)
@pytest.mark.parametrize("vectorizer", [CountVectorizer(), TfidfVectorizer()])
def test_every_kind_of_documents(container, vectorizer):
    options = {"vectorizer": vectorizer, "sizes": [20]}
    assert_same(curve_of(container(TEXTS), **options), curve_of(**options))


@pytest.mark.parametrize("container", [list, pd.Series, pl.Series, lambda y: pd.Categorical(y)])
def test_every_kind_of_labels(container):
    names = np.array(["a", "b", "c"], dtype=object)[Y].tolist()
    assert_same(curve_of(y=container(names), sizes=[20]), curve_of(sizes=[20]))


def test_the_vectorizer_and_the_models_are_left_as_they_were():
    vectorizer, model = CountVectorizer(min_df=2), MultinomialNB()
    curve_of(vectorizer=vectorizer, models={"nb": model}, sizes=[5])
    assert not hasattr(model, "classes_")
    assert not hasattr(vectorizer, "vocabulary_")
    assert vectorizer.min_df == 2


def assert_same(curve, other):
    np.testing.assert_array_equal(curve.sizes, other.sizes)
    np.testing.assert_array_equal(curve.test_scores, other.test_scores)
    np.testing.assert_array_equal(curve.vocabulary_sizes, other.vocabulary_sizes)


# Nothing is learned from test documents ----------------------------------------------------------


def test_a_term_of_test_documents_only_is_no_term():
    test = np.arange(0, 120, 2)
    train = np.setdiff1d(np.arange(120), test)
    marked = [f"{text} zz{Y[i]}" if i in test else text for i, text in enumerate(TEXTS)]
    options = {"cv": [(train, test)], "sizes": [1, 3, 20, "all"]}
    assert_same(curve_of(marked, **options), curve_of(TEXTS, **options))
    # Chosen with the test documents the three markers would give everything away.
    everything = make_pipeline(CountVectorizer(), SelectTerms("mutual_info", k=3))
    assert set(everything.fit(marked, Y).get_feature_names_out()) == {"zz0", "zz1", "zz2"}


def test_how_test_documents_use_a_term_does_not_count():
    """A term that says nothing in training and everything in the test part is chosen last."""
    train_texts = ["left noise", "left hint", "right noise", "right hint"] * 2
    test_texts = ["hint"] * 6 + [""] * 6
    y = [0, 0, 1, 1] * 2 + [0] * 6 + [1] * 6
    split = np.arange(8), np.arange(8, 20)
    seen = []

    def spy(X, y):
        seen.append((X.toarray(), list(y)))
        return SelectTerms("mutual_info", k="all").fit(X, y).scores_

    curve = curve_of(train_texts + test_texts, y, score_func=spy, cv=[split], sizes=[2, "all"])
    X, labels = seen[0]
    assert len(seen) == 1
    assert labels == y[:8]
    np.testing.assert_array_equal(X, CountVectorizer().fit_transform(train_texts).toarray())
    # "left" and "right" are in no test document, so that every one of them gets the same class.
    np.testing.assert_array_equal(curve.test_scores[:, 0, 0], [0.5, 0.5])


def test_limits_hold_in_the_training_documents():
    texts = ["apple pear", "apple plum", "pear fig", "fig plum"]
    split = np.array([0, 1, 2]), np.array([3])
    curve = curve_of(texts, [0, 0, 1, 1], vectorizer=CountVectorizer(min_df=2), cv=[split])
    assert curve.vocabulary_sizes.tolist() == [2]  # apple, pear; fig and plum only with the last


# Sizes -------------------------------------------------------------------------------------------


def test_sizes_are_capped_sorted_and_counted_once():
    curve = curve_of(sizes=[10**6, 5, "all", 5, np.int64(2 * 10**6), 40], cv=4)
    largest = curve.vocabulary_sizes.max()
    assert len(set(curve.vocabulary_sizes)) > 1  # the folds differ
    assert curve.sizes.tolist() == [5, 40, largest]
    assert curve.test_scores.shape == (2, 3, 4)
    last = curve.to_frame().filter(size=int(largest), model="bernoulli")
    assert last["n_terms"].to_list() == curve.vocabulary_sizes.tolist()
    assert_same(curve, curve_of(sizes=[5, 40, "all"], cv=4))


def test_a_size_between_the_vocabularies_of_folds_is_kept():
    whole = curve_of(sizes=["all"])
    least, most = whole.vocabulary_sizes.min(), whole.vocabulary_sizes.max()
    assert most - least > 1
    curve = curve_of(sizes=[most - 1, "all"])
    assert curve.sizes.tolist() == [most - 1, most]
    smallest = whole.vocabulary_sizes.argmin()
    np.testing.assert_array_equal(
        curve.test_scores[:, 0, smallest], curve.test_scores[:, 1, smallest]
    )


def test_default_sizes():
    curve = curve_of()
    assert curve.sizes.tolist() == [10, 20, 50, 100, 200, curve.vocabulary_sizes.max()]
    assert curve_of(["a1 b1", "b1 c1"] * 4, [0, 1] * 4, cv=2).sizes.tolist() == [3]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([0], "sizes contains 0"),
        ([10, -1], "sizes contains -1"),
        ([0.5], "sizes contains 0.5"),
        ([True], "sizes contains True"),
        (["most"], "sizes contains 'most'"),
        ([], "sizes is empty"),
    ],
)
def test_sizes_that_are_none(sizes, message):
    with pytest.raises(ValueError, match=message):
        curve_of(sizes=sizes)


@pytest.mark.parametrize("sizes", [100, "all"])
def test_sizes_that_are_no_list(sizes):
    with pytest.raises(TypeError, match="expected a list of sizes"):
        curve_of(sizes=sizes)


# Folds and scores --------------------------------------------------------------------------------


def test_random_state_settles_the_folds():
    curve = curve_of(random_state=3, sizes=[20])
    assert_same(curve, curve_of(random_state=3, sizes=[20]))
    assert_same(curve, curve_of(cv=StratifiedKFold(5, shuffle=True, random_state=3), sizes=[20]))
    assert not np.array_equal(curve.test_scores, curve_of(random_state=4, sizes=[20]).test_scores)
    assert_same(curve_of(sizes=[20]), curve_of(cv=StratifiedKFold(5), sizes=[20]))
    assert_same(curve_of(sizes=[20]), curve_of(cv=None, sizes=[20]))


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_any_number_of_jobs_gives_the_same(n_jobs):
    assert_same(curve_of(n_jobs=n_jobs), curve_of())


def test_splitters_groups_and_iterables():
    groups = np.arange(120) // 4
    assert curve_of(cv=ShuffleSplit(7, random_state=0), sizes=[5]).test_scores.shape == (2, 1, 7)
    by_splitter = curve_of(cv=GroupKFold(3), groups=groups, sizes=[5])
    splits = list(GroupKFold(3).split(TEXTS, Y, groups))
    assert_same(by_splitter, curve_of(cv=iter(splits), sizes=[5]))
    masks = [tuple(np.isin(np.arange(120), rows) for rows in split) for split in splits]
    assert_same(by_splitter, curve_of(cv=masks, sizes=[5]))


@pytest.mark.parametrize("vectorizer", [CountVectorizer(), TfidfVectorizer()])
def test_a_number_of_folds_keeps_groups_together(vectorizer):
    groups = np.arange(120) // 4
    names = [f"{text} group{group:02}" for text, group in zip(TEXTS, groups, strict=True)]
    seen = []

    def spy(X, y):
        seen.append(X.shape[1])
        return np.zeros(X.shape[1])

    options = {"groups": groups, "cv": 3, "sizes": [5], "score_func": spy}
    curve = curve_of(names, vectorizer=vectorizer, **options)
    plain = curve_of(TEXTS, vectorizer=vectorizer, **options)
    # 30 groups in 3 folds: had one been divided, training documents would have more of their names.
    assert sum(curve.vocabulary_sizes - plain.vocabulary_sizes) == 2 * 30
    assert seen[:3] == curve.vocabulary_sizes.tolist()


@pytest.mark.parametrize("score_func", ["mutual_info", "chi2"])
@pytest.mark.parametrize("kept", [[0, 1], [2]])
def test_training_parts_without_all_classes(score_func, kept):
    train = np.flatnonzero(np.isin(Y, kept))[::2]
    split = train, np.setdiff1d(np.arange(120), train)
    curve = curve_of(cv=[split], sizes=[5, "all"], score_func=score_func)
    assert curve.test_scores.shape == (2, 2, 1)
    assert (curve.test_scores < 0.7).all()
    if len(kept) == 1:
        np.testing.assert_array_equal(curve.test_scores, np.mean(Y[split[1]] == 2))


def test_scoring_by_name_by_function_and_by_the_model():
    def share_of_errors(model, X, y):
        return np.mean(model.predict(X) != y)

    by_name = curve_of(sizes=[20])
    by_function = curve_of(sizes=[20], scoring=share_of_errors)
    np.testing.assert_allclose(by_function.test_scores, 1 - by_name.test_scores)
    assert (by_name.scoring, by_function.scoring) == ("accuracy", "share of errors")
    by_model = curve_of(sizes=[20], scoring=None)
    assert by_model.scoring == "accuracy"
    np.testing.assert_array_equal(by_model.test_scores, by_name.test_scores)
    made = curve_of(sizes=[20], scoring=make_scorer(accuracy_score))
    assert made.scoring.startswith("make_scorer(accuracy_score")


# Models ------------------------------------------------------------------------------------------


def test_models_by_name():
    names = ("multinomial", "multinomial_binary", "bernoulli", "complement")
    curve = vocabulary_curve(TEXTS, Y, models=names, sizes=[20, "all"])
    assert curve.models == names
    once = curve_of((CountVectorizer().fit_transform(TEXTS) > 0).astype(int), sizes=[20, "all"])
    np.testing.assert_array_equal(curve.test_scores[1], once.test_scores[0])
    np.testing.assert_array_equal(curve.test_scores[2], once.test_scores[1])
    single = vocabulary_curve(TEXTS, Y, models="multinomial", sizes=[20, "all"])
    np.testing.assert_array_equal(single.test_scores[0], curve.test_scores[0])
    assert vocabulary_curve(TEXTS, Y, sizes=[5]).models == ("multinomial", "bernoulli")


def test_models_as_pairs_or_as_a_mapping():
    assert_same(curve_of(models=list(MODELS.items())), curve_of())
    assert curve_of(sizes=[5]).models == ("multinomial", "bernoulli")


@pytest.mark.parametrize(
    ("models", "error", "message"),
    [
        (["multinomal"], ValueError, "no model called 'multinomal'; there are: bernoulli, "),
        ([MultinomialNB()], TypeError, "a pair of a name and a classifier"),
        ([], ValueError, "models is empty"),
        ([("a", MultinomialNB()), ("a", BernoulliNB())], ValueError, "the same name"),
        ({"a": object()}, ValueError, "must be an object implementing 'fit'"),
    ],
)
def test_models_that_are_none(models, error, message):
    with pytest.raises(error, match=message):
        curve_of(models=models)


# Bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": Y[:-1]}, "y has 119 labels and there are 120 documents"),
        ({"y": np.zeros(120, int)}, r"y has one class only, .*0.*two classes or more"),
        ({"y": [None, *Y[1:]]}, "y has no class at row 0"),
        ({"y": [*Y[1:].astype(float), np.nan]}, "y has no class at row 119"),
        ({"y": np.linspace(0, 1, 120)}, "Unknown label type"),
        ({"texts": [], "y": [0, 1]}, "texts is empty"),
        ({"y": []}, "y has no labels"),
        ({"texts": "one long string"}, "string object received"),
        ({"texts": [""] * 120}, "empty vocabulary"),
        ({"texts": DATA.X, "vectorizer": CountVectorizer()}, "texts is a matrix"),
        ({"vectorizer": CountVectorizer(min_df=90, max_df=2)}, "max_df corresponds to <"),
        ({"vectorizer": CountVectorizer(min_df=96)}, "no terms remain"),
        ({"score_func": "entropy"}, "'score_func' parameter of vocabulary_curve"),
        ({"score_func": lambda X, y: [1.0]}, "one score for each column"),
        ({"scoring": "speed"}, "speed"),
        ({"scoring": ["accuracy", "f1"]}, "'scoring' parameter of vocabulary_curve"),
        ({"cv": 1}, "'cv' parameter of vocabulary_curve"),
        ({"cv": []}, "cv gives no folds"),
        ({"verbose": "very"}, "'verbose' parameter"),
    ],
)
def test_arguments_that_do_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        curve_of(**options)


def test_a_vectorizer_that_is_none():
    with pytest.raises(TypeError, match="vectorizer has no fit_transform"):
        curve_of(vectorizer="words")


def test_a_fold_whose_training_documents_are_empty():
    split = np.array([0, 1]), np.array([2, 3])
    with pytest.raises(ValueError, match=r"fold 1 \(from 0\) have no terms"):
        curve_of(["", "", "red", "blue"], [0, 1, 0, 1], cv=[split[::-1], split])


# Progress and interruption -----------------------------------------------------------------------


def test_verbose_shows_progress_on_standard_error(capsys):
    curve_of(sizes=[5, 10, 20], verbose=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Vocabulary sizes" in shown.err
    assert "100%" in shown.err
    curve_of(sizes=[5])
    assert capsys.readouterr().err == ""


class Interrupted(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise KeyboardInterrupt

    def predict(self, X):
        raise AssertionError


@pytest.mark.parametrize("verbose", [False, True])
def test_ctrl_c_gets_through(verbose):
    with pytest.raises(KeyboardInterrupt):
        curve_of(models={"model": Interrupted()}, verbose=verbose)


@pytest.mark.parametrize("shown", [False, True])
def test_threads_end_with_their_step_once_nobody_waits(shown):
    with progress("Work", 2, shown=shown) as advance:
        advance(1)
    with pytest.raises(Exception, match=r"^$") as ended:
        advance(1)
    assert ended.typename == "_LeftAlone"
