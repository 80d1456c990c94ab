"""CSR matrices whose arrays are strided, have unlike index types or cannot be written to.

They are learned from as any others, or refused in words of Python; nobody meets the signature of a
compiled function.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags
from tests.test_estimators import CASES, ESTIMATORS, SETTINGS

from quire import cluster, linear_model, naive_bayes, svm
from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.feature_extraction.text import TfidfTransformer


def models():
    for cls in ESTIMATORS:
        model = (CASES.get(cls) or [cls()])[0]
        if get_tags(model).input_tags.sparse:
            yield clone(model).set_params(**SETTINGS.get(cls, {}))


def plain():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (30, 5)).astype(float)
    return sparse.csr_array(X), np.array(["a", "b", "c"])[rng.integers(0, 3, 30)]


def strided(X):
    X = X.copy()
    X.data, X.indices = np.repeat(X.data, 2)[::2], np.repeat(X.indices, 2)[::2]
    assert not X.data.flags.c_contiguous
    return X


def mixed(X):
    X = X.copy()
    X.indptr = X.indptr.astype(np.int64)
    assert X.indices.dtype == np.int32
    return X


def fixed(X):
    X = X.copy()
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


def answers(model, X, y):
    is_number = get_tags(model).estimator_type in ("regressor", None)
    model = clone(model).fit(X, np.arange(len(y)) % 7 * 1.0 if is_number else y)
    methods = ("decision_function", "predict_proba", "predict", "transform")
    found = [getattr(model, name)(X) for name in methods if hasattr(model, name)]
    return [part.toarray() if sparse.issparse(part) else np.asarray(part) for part in found]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("odd", [strided, mixed, fixed])
@pytest.mark.parametrize("model", list(models()), ids=lambda model: type(model).__name__)
def test_no_signature_of_a_compiled_function_is_seen(model, odd):
    X, y = plain()
    said = ""
    try:
        answers(model, odd(X), y)
    except (ValueError, TypeError) as error:
        said = str(error)
    assert "incompatible function arguments" not in said


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "model",
    [
        linear_model.LogisticRegression(),
        linear_model.Ridge(),
        linear_model.LinearRegression(),
        linear_model.LeastSquaresClassifier(),
        linear_model.Lasso(),
        svm.SVC(),
        svm.LinearSVC(),
        naive_bayes.MultinomialNB(),
        naive_bayes.BernoulliNB(),
        cluster.KMeans(3, random_state=0),
        cluster.MiniBatchKMeans(3, random_state=0),
        LinearDiscriminantAnalysis(),
        TfidfTransformer(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_strided_arrays_change_nothing(model):
    X, y = plain()
    for odd in (strided, fixed):
        for ours, usual in zip(answers(model, odd(X), y), answers(model, X, y), strict=True):
            np.testing.assert_array_equal(ours, usual)
