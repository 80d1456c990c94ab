"""top_terms against SciPy's contingency tables, and what it refuses."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from scipy.stats import chi2_contingency

from quire.inspection import top_terms


def test_scores_are_chi_squared_of_the_contingency_table():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.4, (80, 25)) * (1 + np.arange(80)[:, None] % 3 * (np.arange(25) % 2))
    X[:, 3] = 0  # in no document
    X[:, 4] = 1  # in every document
    y = np.array(["a", "b", "c", "b"] * 20)
    names = [f"term{i}" for i in range(25)]
    found = top_terms(sparse.csr_matrix(X), y, 100, feature_names=names)
    assert list(found) == ["a", "b", "c"]
    for label, scores in found.items():
        inside = y == label
        expected = {}
        for i, name in enumerate(names):
            a, b = (X[inside, i] > 0).sum(), (X[~inside, i] > 0).sum()
            n, m = inside.sum(), (~inside).sum()
            if a / n > b / m:
                table = [[a, n - a], [b, m - b]]
                statistic = chi2_contingency(table, correction=False).statistic
                expected[name] = (statistic, a / n, b / m)
        assert {s.term for s in scores} == set(expected)
        for s in scores:
            found_values = (s.score, s.share_in_class, s.share_elsewhere)
            assert found_values == pytest.approx(expected[s.term])
        assert [s.score for s in scores] == sorted((s.score for s in scores), reverse=True)


def test_number_of_terms_ties_and_kinds_of_input():
    X = np.array([[1, 1, 1, 0], [2, 2, 1, 0], [0, 0, 0, 1]])
    names = ["z", "y", "x", "w"]
    found = top_terms(X, pl.Series([1, 1, 2]), 2, feature_names=names)
    assert {label: [s.term for s in scores] for label, scores in found.items()} == {
        1: ["z", "y"],  # equal scores keep the order of the columns
        2: ["w"],
    }
    assert found == top_terms(sparse.csc_array(X), [1, 1, 2], 2, feature_names=np.array(names))
    assert top_terms(X, [1, 1, 2], 0, feature_names=names) == {1: [], 2: []}


@pytest.mark.parametrize(
    ("y", "names", "message"),
    [
        (["a", "b", "c"], ["t"], r"y has shape \(3,\); expected \(2,\)"),
        (["a", "b"], ["t", "u"], "feature_names has 2 names; X has 1 columns"),
        (["a", "a"], ["t"], r"y has 1 class\(es\)"),
        (pl.Series(["a", None]), ["t"], "no class at row 1"),
        (pl.Series([None, 1]), ["t"], "no class at row 0"),
    ],
)
def test_bad_input(y, names, message):
    with pytest.raises(ValueError, match=message):
        top_terms([[1], [2]], y, feature_names=names)


def test_entries_written_twice_are_one_count_and_stay_as_they_are():
    # Row 0 holds term 0 as +1 and -1: it is not there. Row 1 holds it as 1 and 2.
    X = sparse.csr_matrix(([1, -1, 1, 1, 2], [0, 0, 1, 0, 0], [0, 3, 5]), shape=(2, 2))
    found = top_terms(X, ["a", "b"], feature_names=["first", "second"])
    assert [s.term for s in found["a"]] == ["second"]
    assert [s.term for s in found["b"]] == ["first"]
    assert X.data.tolist() == [1, -1, 1, 1, 2]


def test_columns_without_names_have_numbers():
    terms = top_terms([[1, 0], [0, 1]], ["a", "b"])
    assert [[score.term for score in scores] for scores in terms.values()] == [[0], [1]]


def test_one_document_does_not_speak_for_a_large_class():
    X = np.zeros((32, 3))
    X[:8, 0] = 1  # in 8 of the 20 of class a
    X[5, 1] = X[30, 2] = 1  # each in one document: of a, which is large, and of b
    y = ["a"] * 20 + ["b"] * 12
    names = ["often", "once", "small"]
    terms = {k: [t.term for t in v] for k, v in top_terms(X, y, feature_names=names).items()}
    assert terms == {"a": ["often", "once"], "b": ["small"]}
    found = top_terms(X, y, feature_names=names, min_documents=3)
    assert [term.term for term in found["a"]] == ["often"]
    assert [term.term for term in found["b"]] == ["small"]  # 12 are fewer than 15
