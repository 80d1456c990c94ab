"""The feature map of the polynomial kernel: inner products, machines, names, errors."""

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import polynomial_kernel

from quire.svm import SVC, SVR, PolynomialMap

rng = np.random.default_rng(3)


@pytest.mark.parametrize("n_columns", [1, 2, 5])
@pytest.mark.parametrize("degree", [1, 2, 3, 6])
@pytest.mark.parametrize(("gamma", "coef0"), [(1.0, 1.0), (0.3, 2.5), (2.0, 0.0)])
def test_inner_products_are_the_kernel(n_columns, degree, gamma, coef0) -> None:
    X, Z = rng.normal(size=(20, n_columns)), rng.normal(size=(10, n_columns))
    phi = PolynomialMap(degree, gamma=gamma, coef0=coef0).fit(X)
    expected = polynomial_kernel(X, Z, degree=degree, gamma=gamma, coef0=coef0)
    np.testing.assert_allclose(
        phi.transform(X) @ phi.transform(Z).T, expected, rtol=1e-9, atol=1e-9
    )


def test_the_map_by_hand() -> None:
    # (1, x1, x2, x1 squared, x1 x2, x2 squared), roots of 2 where two products of the square meet
    root = np.sqrt(2.0)
    x1, x2 = 3.0, -0.5
    expected = [1, root * x1, root * x2, x1 * x1, root * x1 * x2, x2 * x2]
    phi = PolynomialMap().fit([[x1, x2]])
    np.testing.assert_allclose(phi.transform([[x1, x2]])[0], expected)
    # Without the roots the inner product is another number than the kernel.
    z = np.array([1.0, 2.0])
    plain = np.prod(np.array([x1, x2]) ** phi.exponents_, axis=1)
    of_z = np.prod(z**phi.exponents_, axis=1)
    kernel = (1 + np.array([x1, x2]) @ z) ** 2
    assert plain @ of_z != pytest.approx(kernel)
    assert phi.transform([[x1, x2]])[0] @ phi.transform([z])[0] == pytest.approx(kernel)


@pytest.mark.parametrize("degree", [2, 3])
def test_a_linear_machine_on_the_features_is_the_machine_with_the_kernel(degree) -> None:
    X, y = make_moons(80, noise=0.2, random_state=0)
    phi = PolynomialMap(degree, gamma=0.5, coef0=1.0).fit(X)
    kernel = SVC(kernel="poly", degree=degree, gamma=0.5, coef0=1.0, tol=1e-6).fit(X, y)
    linear = SVC(kernel="linear", tol=1e-6).fit(phi.transform(X), y)
    np.testing.assert_allclose(linear.alpha_, kernel.alpha_, atol=1e-3)
    np.testing.assert_allclose(linear.slack_, kernel.slack_, atol=1e-4)
    np.testing.assert_allclose(
        linear.decision_function(phi.transform(X)), kernel.decision_function(X), atol=1e-4
    )
    # w = sum alpha y phi(x) has a length that the kernel knows without w.
    assert 2 / np.linalg.norm(linear.coef_) == pytest.approx(kernel.margin_width_[0], rel=1e-4)
    numbers = X[:, 0] * X[:, 1]
    by_kernel = SVR(kernel="poly", degree=degree, gamma=0.5, coef0=1.0, tol=1e-6).fit(X, numbers)
    by_map = SVR(kernel="linear", tol=1e-6).fit(phi.transform(X), numbers)
    np.testing.assert_allclose(by_map.predict(phi.transform(X)), by_kernel.predict(X), atol=1e-3)


def test_names_of_features() -> None:
    table = pl.DataFrame({"size": [1.0], "age": [2.0]})
    assert PolynomialMap(3).fit(table).get_feature_names_out().tolist() == [
        "1", "√3 size", "√3 age", "√3 size^2", "√6 size age", "√3 age^2",
        "size^3", "√3 size^2 age", "√3 size age^2", "age^3",
    ]  # fmt: skip
    names = PolynomialMap(2, gamma=0.5, coef0=4.0).fit([[1.0]]).get_feature_names_out(["x"])
    assert names.tolist() == ["4", "2 x", "0.5 x^2"]
    with pytest.raises(ValueError, match=r"length equal to number of features \(1\), got 2"):
        PolynomialMap().fit([[1.0]]).get_feature_names_out(["a", "b"])


def test_what_has_no_map_is_refused() -> None:
    for settings in ({"coef0": -1.0}, {"gamma": 0.0}, {"degree": 0}):
        with pytest.raises(ValueError, match=f"The '{next(iter(settings))}' parameter"):
            PolynomialMap(**settings).fit([[1.0]])
    with pytest.raises(ValueError, match="has 4,590,551 features for 300 columns"):
        PolynomialMap(3).fit(np.ones((2, 300)))
