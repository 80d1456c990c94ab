"""Choosing terms: scores equal to scikit-learn's, and a selector that keeps its word."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import feature_selection
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.metrics import mutual_info_score
from sklearn.pipeline import make_pipeline

from quire.feature_extraction.select import SelectTerms, chi2, mutual_info


def counts(n_rows=300, n_cols=80, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    rates = rng.gamma(0.3, 1.0, (n_classes, n_cols))
    rates[:, 7] = 0  # a column of zeros
    return rng.poisson(rates[y]), y


def assert_chi2_equals_scikit_learn(X, y, rtol=1e-12):
    scores, p_values = chi2(X, y)
    expected_scores, expected_p_values = feature_selection.chi2(X, y)
    np.testing.assert_allclose(scores, expected_scores, rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(p_values, expected_p_values, rtol=rtol, atol=1e-12)


# Scores ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 4, 40])
@pytest.mark.parametrize(
    "container", [np.asarray, sparse.csr_array, sparse.csc_matrix, np.ndarray.tolist]
)
def test_chi2_equals_scikit_learn(n_classes, container):
    X, y = counts(n_classes=n_classes)
    assert_chi2_equals_scikit_learn(container(X), y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32, np.uint8, bool])
def test_chi2_for_every_type_of_value(dtype):
    X, y = counts()
    assert_chi2_equals_scikit_learn(sparse.csr_array(X.astype(dtype)), y)


def test_chi2_of_weights_that_are_not_whole():
    X, y = counts()
    assert_chi2_equals_scikit_learn(sparse.csr_array(X * 0.37), y, rtol=1e-10)
    # scikit-learn adds float32 columns in single precision, we do not.
    assert_chi2_equals_scikit_learn(sparse.csr_array(X * np.float32(0.37)), y, rtol=1e-3)


@pytest.mark.parametrize(
    "labels",
    [
        list("abcd"),
        np.array(list("abcd"), dtype=object),
        [True, False, True, False],
        [0.0, 1.0, 2.0, 5.0],
        pd.Series(list("abcd")),
        pd.Categorical(list("abcd")),
    ],
    ids=["str", "object", "bool", "float", "series", "categorical"],
)
def test_every_kind_of_label(labels):
    X, y = counts()
    y = np.asarray(labels)[y] if not isinstance(labels, pd.Series) else labels.iloc[y]
    assert_chi2_equals_scikit_learn(X, y)
    assert mutual_info(X, y).max() > 0


def test_int64_indices():
    X, y = counts()
    X = sparse.csr_array(X)
    wide = X.copy()
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    np.testing.assert_array_equal(chi2(wide, y), chi2(X, y))
    np.testing.assert_array_equal(mutual_info(wide, y), mutual_info(X, y))
    Xt = SelectTerms(k=5).fit_transform(wide, y)
    np.testing.assert_array_equal(Xt.toarray(), SelectTerms(k=5).fit_transform(X, y).toarray())


def test_one_class_has_no_chi2_as_in_scikit_learn():
    X, _ = counts()
    assert_chi2_equals_scikit_learn(X, np.zeros(len(X)))
    np.testing.assert_array_equal(mutual_info(X, np.zeros(len(X))), 0)


def test_documents_with_several_classes():
    X, y = counts()
    Y = np.eye(4, dtype=int)[y]
    Y[::3, 1] = 1
    assert_chi2_equals_scikit_learn(sparse.csr_array(X), Y)
    assert_chi2_equals_scikit_learn(X, Y)
    np.testing.assert_allclose(chi2(X, sparse.csr_array(Y)), chi2(X, Y))
    assert SelectTerms(k=3).fit(X, Y).support_.sum() == 3
    with pytest.raises(ValueError, match="1d array"):
        mutual_info(X, Y)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1, np.nan]], [1]),
        ([[1, -1], [1, 1]], [1, 2]),
        (sparse.csr_array([[1, -1], [1, 1]]), [1, 2]),
        ([1, 2], [1, 2]),
        (np.zeros((0, 3)), []),
        ([["a"], ["b"]], [1, 2]),
        ([[1], [2]], [0.5, 1.2]),
        ([[1], [2]], [np.nan, 1.0]),
        ([[1], [2]], np.array(["a", 1], dtype=object)),
        ([[1, 2], [2, 3], [2, 2]], [[1, 2], [2, 3], [3, 4]]),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_bad_input_gets_scikit_learn_s_error(X, y):
    with pytest.raises((ValueError, TypeError)) as theirs:
        feature_selection.chi2(X, y)
    with pytest.raises(type(theirs.value)) as ours:
        chi2(X, y)
    assert str(ours.value).splitlines()[0] == str(theirs.value).splitlines()[0]


def test_different_lengths_are_refused():
    for function in (chi2, mutual_info):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            function([[1, 2], [3, 4]], [1])


def test_mutual_info_equals_scikit_learn():
    X, y = counts()
    scores = mutual_info(sparse.csr_array(X), y)
    expected = feature_selection.mutual_info_classif(X > 0, y, discrete_features=True)
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-14)
    assert scores[3] == pytest.approx(mutual_info_score(y, X[:, 3] > 0), rel=1e-12)
    assert scores[7] == 0


def test_mutual_info_worked_by_hand():
    # 4 documents, classes a a b b; the term is in three: a a b.
    # 2/4 log(4*2 / (2*3)) + 1/4 log(4*1 / (2*3)) + 1/4 log(4*1 / (2*1))
    expected = 0.5 * np.log(4 / 3) + 0.25 * np.log(2 / 3) + 0.25 * np.log(2)
    assert mutual_info([[1], [2], [1], [0]], list("aabb"))[0] == pytest.approx(expected, rel=1e-14)


def test_chi2_worked_by_hand():
    # Column totals 4 and 2 over two documents of each class: expected (2, 2) and (1, 1).
    scores, p_values = chi2([[3, 1], [1, 0], [0, 1], [0, 0]], list("aabb"))
    assert scores.tolist() == [4.0, 0.0]
    assert p_values == pytest.approx([0.04550026389635842, 1.0], rel=1e-13)


def test_stored_zeros_and_entries_in_pieces():
    X = sparse.csr_array([[2.0, 0, 1], [0, 0, 1], [0, 1, 0]])
    pieces = sparse.csr_array(
        (np.array([1.0, 1, 0, 1, 1, 1]), np.array([0, 0, 1, 2, 2, 1]), np.array([0, 4, 5, 6])),
        shape=(3, 3),
    )
    y = [0, 1, 1]
    np.testing.assert_allclose(mutual_info(pieces, y), mutual_info(X, y))
    np.testing.assert_allclose(chi2(pieces, y), chi2(X, y))
    assert pieces.nnz == 6  # the caller's matrix is as it was


def test_scores_do_not_depend_on_threads():
    X, y = counts(4000, 300, 7)
    X = sparse.csr_array(X * 0.1)
    for function in (chi2, mutual_info):
        np.testing.assert_array_equal(function(X, y, n_jobs=1), function(X, y, n_jobs=5))


# SelectTerms -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "n_kept"), [(1, 1), (10, 10), (1000, 80), (0.1, 8), (1.0, 80), ("all", 80), (1e-9, 1)]
)
def test_k(k, n_kept):
    X, y = counts()
    selector = SelectTerms(k=k).fit(X, y)
    assert selector.support_.sum() == n_kept
    assert selector.transform(X).shape == (300, n_kept)
    scores = selector.scores_
    dropped = scores[~selector.support_]
    assert np.all(np.isnan(dropped) | (dropped <= np.nanmin(scores[selector.support_])))


@pytest.mark.parametrize("k", [0, -1, 0.0, 1.5, "most", None])
def test_bad_k_is_refused(k):
    with pytest.raises(ValueError, match="The 'k' parameter of SelectTerms"):
        SelectTerms(k=k).fit([[1], [2]], [1, 2])


def test_bad_score_is_refused():
    with pytest.raises(ValueError, match="The 'score_func' parameter of SelectTerms"):
        SelectTerms("entropy").fit([[1], [2]], [1, 2])


def test_same_columns_as_select_k_best():
    X, y = counts()
    ours = SelectTerms(k=20).fit(X, y)
    theirs = feature_selection.SelectKBest(feature_selection.chi2, k=20).fit(X, y)
    np.testing.assert_array_equal(ours.get_support(), theirs.get_support())
    np.testing.assert_array_equal(ours.get_support(indices=True), theirs.get_support(indices=True))
    np.testing.assert_allclose(ours.pvalues_, theirs.pvalues_, rtol=1e-12)


@pytest.mark.parametrize(
    ("scores", "k", "kept"),
    [
        ([1, 2, 2, 2, 0], 2, [1, 2]),
        ([1, 1, 1, 1], 3, [0, 1, 2]),
        ([np.nan, 1, np.nan, 0], 2, [1, 3]),
        ([np.nan, 1, np.nan, 0], 3, [0, 1, 3]),
        ([np.nan, -np.inf, 3], 2, [1, 2]),
        ([np.nan, np.nan], 1, [0]),
        ([np.inf, np.inf, 3], 1, [0]),
    ],
)
def test_ties_go_to_the_earlier_column_and_nan_comes_last(scores, k, kept):
    selector = SelectTerms(lambda X, y: np.array(scores, dtype=float), k=k)
    selector.fit(np.ones((2, len(scores))), [0, 1])
    assert selector.get_support(indices=True).tolist() == kept
    assert selector.pvalues_ is None


def test_score_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match=r"shape \(1,\) for X with 2 columns"):
        SelectTerms(lambda X, y: [1.0]).fit([[1, 2], [2, 1]], [0, 1])


def test_names_and_the_way_back():
    X, y = counts(n_cols=10)
    frame = pd.DataFrame(X, columns=[f"term{i}" for i in range(10)])
    selector = SelectTerms(k=3).set_output(transform="pandas").fit(frame, y)
    names = selector.get_feature_names_out()
    assert list(selector.transform(frame).columns) == list(names)
    assert list(names) == [f"term{i}" for i in selector.get_support(indices=True)]
    back = selector.inverse_transform(X[:, selector.support_])
    np.testing.assert_array_equal(back, X * selector.support_)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_sparse_stays_sparse_with_its_type(kind, dtype):
    X, y = counts()
    X = kind(X.astype(dtype))
    selector = SelectTerms(k=5).fit(X, y)
    Xt = selector.transform(X)
    assert sparse.issparse(Xt)
    assert Xt.dtype == dtype
    back = selector.inverse_transform(Xt)
    assert sparse.issparse(back)
    np.testing.assert_array_equal(back.toarray(), X.toarray() * selector.support_)


def test_one_class_is_refused_by_name():
    with pytest.raises(ValueError, match="y has only one class: 'spam'"):
        SelectTerms().fit([[1], [2]], np.array(["spam", "spam"], dtype=object))


def test_negative_values_are_refused_for_chi2_only():
    X, y = np.array([[1.0, -1.0], [0.0, 1.0]]), [0, 1]
    with pytest.raises(ValueError, match="Negative values in data passed to SelectTerms"):
        SelectTerms().fit(X, y)
    assert SelectTerms("mutual_info").fit(X, y).scores_ == pytest.approx([np.log(2), 0])


def test_labels_in_a_column_get_scikit_learn_s_warning():
    X, y = counts()
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        selector = SelectTerms(k=5).fit(X, y[:, None])
    np.testing.assert_array_equal(selector.support_, SelectTerms(k=5).fit(X, y).support_)


def test_not_fitted():
    with pytest.raises(NotFittedError):
        SelectTerms().get_support()


def test_clone_pickle_and_pipeline():
    X, y = counts()
    pipeline = make_pipeline(SelectTerms(k=30), SelectTerms("mutual_info", k=4))
    Xt = clone(pipeline).fit_transform(sparse.csr_array(X), y)
    fitted = pipeline.fit(sparse.csr_array(X), y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(sparse.csr_array(X)).toarray(), Xt.toarray())


# Redundancy --------------------------------------------------------------------------------------


def chosen_by_hand(X, y, k, weight):
    """Minimum redundancy, maximum relevance, written down as it is defined."""
    present = np.asarray(X) != 0
    columns = range(present.shape[1])
    relevance = [mutual_info_score(y, present[:, j]) for j in columns]
    chosen = []
    while len(chosen) < k:
        scores = {}
        for j in columns:
            if j not in chosen:
                shared = [mutual_info_score(present[:, j], present[:, s]) for s in chosen]
                scores[j] = relevance[j] - weight * (np.mean(shared) if shared else 0.0)
        best = max(scores.values())
        chosen.append(next(j for j in scores if scores[j] >= best - 1e-12))
    return chosen


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize("weight", [0.3, 1.0, 4])
def test_terms_are_chosen_as_defined(container, weight):
    X, y = counts(n_rows=120, n_cols=25, n_classes=3)
    selector = SelectTerms("mutual_info", k=12, redundancy=weight).fit(container(X), y)
    expected = chosen_by_hand(X, y, 12, weight)
    assert selector.order_.tolist() == expected
    np.testing.assert_array_equal(selector.get_support(indices=True), np.sort(expected))
    np.testing.assert_allclose(selector.scores_, mutual_info(X, y))
    assert selector.transform(container(X)).shape == (120, 12)


def with_copies(n=400, n_copies=6, seed=0):
    """Three terms that say something of their own: the first one most, and many times over."""
    rng = np.random.default_rng(seed)
    signs = rng.random((n, 3)) < 0.5
    y = signs @ [4, 2, 1]
    seen = signs ^ (rng.random((n, 3)) < [0.0, 0.05, 0.05])
    noise = rng.random((n, 5)) < 0.3
    first = np.repeat(seen[:, :1], 1 + n_copies, axis=1)
    return np.hstack([first, seen[:, 1:], noise]).astype(int), y


def test_copies_are_chosen_once():
    X, y = with_copies()
    ranked = SelectTerms("mutual_info", k=3).fit(X, y)
    assert ranked.get_support(indices=True).tolist() == [0, 1, 2]
    selector = SelectTerms("mutual_info", k=3, redundancy=1.0).fit(X, y)
    assert selector.order_[0] == 0
    assert sorted(selector.order_) == [0, 7, 8]
    whole = SelectTerms("mutual_info", k="all", redundancy=1.0).fit(X, y)
    assert whole.order_[:3].tolist() == selector.order_.tolist()
    assert whole.support_.all()


def test_terms_that_nearly_all_documents_have():
    rng = np.random.default_rng(3)
    X = (rng.random((90, 8)) < [0.95, 0.9, 0.99, 0.6, 0.5, 0.3, 1.0, 0.0]).astype(int)
    y = rng.integers(0, 2, 90)
    selector = SelectTerms("mutual_info", k=8, redundancy=1.0).fit(X, y)
    assert selector.order_.tolist() == chosen_by_hand(X, y, 8, 1.0)


def test_candidates_are_the_highest_scores():
    X, y = counts(n_rows=200, n_cols=60)
    best = np.argsort(-mutual_info(X, y), kind="stable")[:9]
    selector = SelectTerms("mutual_info", k=5, redundancy=1.0, n_candidates=9).fit(X, y)
    assert set(selector.order_) <= set(best)
    few = SelectTerms("mutual_info", k=5, redundancy=1.0, n_candidates=2).fit(X, y)
    assert set(few.order_) == set(best[:5])  # never fewer than are kept
    by_default = SelectTerms("mutual_info", k=5, redundancy=1.0).fit(X, y)
    fifty = SelectTerms("mutual_info", k=5, redundancy=1.0, n_candidates=50).fit(X, y)
    np.testing.assert_array_equal(by_default.order_, fifty.order_)


def test_no_redundancy_is_the_ranking():
    X, y = counts()
    ranked = SelectTerms("mutual_info", k=9).fit(X, y)
    assert not hasattr(ranked, "order_")
    again = SelectTerms("mutual_info", k=9, redundancy=1.0).fit(X, y).set_params(redundancy=0.0)
    again.fit(X, y)
    assert not hasattr(again, "order_")
    np.testing.assert_array_equal(again.support_, ranked.support_)
    tiny = SelectTerms("mutual_info", k=9, redundancy=1e-12).fit(X, y)
    np.testing.assert_array_equal(tiny.support_, ranked.support_)


def test_redundancy_needs_mutual_information():
    X, y = counts()
    assert SelectTerms(mutual_info, k=2, redundancy=1.0).fit(X, y).support_.sum() == 2
    for score in ("chi2", chi2):
        with pytest.raises(ValueError, match="weighed against mutual information"):
            SelectTerms(score, redundancy=1.0).fit(X, y)
    with pytest.raises(ValueError, match="redundancy"):
        SelectTerms("mutual_info", redundancy=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="n_candidates"):
        SelectTerms("mutual_info", redundancy=1.0, n_candidates=0).fit(X, y)
