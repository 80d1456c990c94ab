"""Data and comparisons for the tests of GaussianNB."""

import numpy as np

ATTRIBUTES = ["theta_", "var_", "class_count_", "class_prior_", "epsilon_"]
METHODS = ["predict_joint_log_proba", "predict_log_proba", "predict_proba"]


def blobs(n_rows=400, n_cols=6, n_classes=3, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    y[:n_classes] = np.arange(n_classes)
    X = (
        rng.standard_normal((n_rows, n_cols)) * rng.gamma(2, 1, n_cols)
        + rng.standard_normal((n_classes, n_cols))[y]
    )
    return X.astype(dtype), y, rng.random(n_rows) * 2


def assert_same_model(ours, theirs, X=None, rtol=1e-10):
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert ours.classes_.dtype == theirs.classes_.dtype
    for name in ATTRIBUTES:
        left, right = getattr(ours, name), getattr(theirs, name)
        assert left.dtype == right.dtype, name
        np.testing.assert_allclose(left, right, rtol=rtol, atol=1e-12, err_msg=name)
    if X is not None:
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        for name in METHODS:
            left, right = getattr(ours, name)(X), getattr(theirs, name)(X)
            assert left.dtype == right.dtype, name
            np.testing.assert_allclose(left, right, rtol=rtol, atol=1e-10, err_msg=name)


def assert_posterior(model, X):
    """Probabilities are numbers and sum to one."""
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])
    return proba
