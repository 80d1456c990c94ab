"""Without a penalty, weights that would grow without end are noticed, and no others."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from quire.linear_model import LogisticRegression

FORMS = [np.asarray, np.float32, sparse.csr_array]
QUASI = (
    r"separated from another class without error by {} \(quasi-complete.*Use a penalty: a finite C"
)


def data(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X @ [1, -1, 0.5] + rng.logistic(size=n)


def fit(X, y, **options):
    """Return what is said of separation, or "", while other warnings are errors."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        warnings.filterwarnings("always", ".*separation", ConvergenceWarning)
        LogisticRegression(C=np.inf, **options).fit(X, y)
    assert len(caught) <= 1
    return str(caught[0].message) if caught else ""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("solver", ["lbfgs", "newton"])
@pytest.mark.parametrize("n_rows", [1, 12])
def test_a_column_that_occurs_in_one_class_only(form, solver, n_rows):
    X, z = data()
    rare = np.isin(np.arange(len(z)), np.flatnonzero(z > 0)[:n_rows])
    X = form(np.column_stack([X, rare]))
    with pytest.warns(ConvergenceWarning, match=QUASI.format("column 3")):
        LogisticRegression(C=np.inf, solver=solver).fit(X, z > 0)
    with pytest.warns(ConvergenceWarning, match=QUASI.format("column 3")):
        LogisticRegression(C=np.inf, solver=solver).fit(X, np.digitize(z, [-1, 0]))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reference", [None, 0])
def test_one_class_that_is_told_apart_from_several(form, reference):
    X, z = data()
    y = np.digitize(z, [-1, 1])
    X[y == 2, 1] += 20
    said = fit(form(X), y, reference=reference)  # the others tell it apart, too, if less clearly
    assert re.search(r"without error by columns? (0, )?1[, ].*quasi-complete separation", said)


def test_points_on_the_boundary():
    X, y = np.array([[1.0], [2], [3], [4], [4], [5], [6], [7]]), np.repeat([0, 1], 4)
    assert "by column 0 (quasi-complete separation)" in fit(X, y)


def test_columns_are_named():
    X, z = data()
    frame = pd.DataFrame(X, columns=["age", "size", "income"])
    frame["is rare"] = (np.arange(len(z)) < 12) & (z > 0)
    assert "by column 'is rare' (" in fit(frame.astype(float), z > 0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_nothing_is_said_of_data_with_best_weights(form, n_classes):
    X, z = data()
    y = np.digitize(z, [0] if n_classes == 2 else [-1, 1])
    assert fit(form(X), y) == ""
    for value in (100.0, 1e6):  # beyond all doubt, and no matter for the others
        far = X.copy()
        far[0, 0] = value
        assert fit(form(far), y) == ""
    rare = ((np.arange(len(z)) < 30) & (y == 1)) * 1.0
    rare[[np.flatnonzero(y == k)[-1] for k in range(n_classes) if k != 1]] = 0.05
    assert fit(form(np.column_stack([X, rare])), y) == ""
    assert fit(form(np.hstack([X, X[:, :1], np.ones((len(z), 1))])), y) == ""


def test_rows_without_weight_do_not_count():
    X, z = data()
    X = np.column_stack([X, (np.arange(len(z)) < 12) & (z > 0)])
    X[-1, 3], z[-1] = 1.0, -1.0
    assert fit(X, z > 0) == ""
    with pytest.warns(ConvergenceWarning, match="quasi-complete"):
        LogisticRegression(C=np.inf).fit(X, z > 0, np.arange(len(z)) < len(z) - 1)


def has_no_best_weights(X, codes, n_classes):
    """Ask linear programming for a direction along which no preference falls and some rise."""
    A = []
    for x, k in zip(np.column_stack([X, np.ones(len(X))]), codes, strict=True):
        for other in range(n_classes):
            if other != k:
                row = np.zeros((n_classes, len(x)))
                row[k], row[other] = x, -x
                A.append(row.ravel())
    A = np.array(A)
    found = linprog(-A.sum(axis=0), A_ub=-A, b_ub=np.zeros(len(A)), bounds=(-1, 1))
    return bool(found.fun < -1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_as_linear_programming_says(n_classes):
    said = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, p = int(rng.integers(6, 20)), int(rng.integers(1, 4))
        X = rng.integers(0, 3, (n, p)).astype(float)
        y = rng.integers(0, n_classes, n)
        if len(np.unique(y)) == n_classes:
            said.append(bool(fit(X, y)))
            assert said[-1] == has_no_best_weights(X, y, n_classes), seed
    assert 0.1 < np.mean(said) < 0.9
