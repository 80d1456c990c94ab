r"""The feature map of the polynomial kernel, written out.

By the multinomial theorem

.. math:: (\gamma x'z + r)^d = \sum_{k_0 + k_1 + \dots + k_n = d}
          \frac{d!}{k_0!\, k_1! \cdots k_n!} r^{k_0} \prod_i (\gamma x_i z_i)^{k_i}

so that a feature for each k, its factor being the square root of the coefficient, has the kernel as
its inner product.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations_with_replacement
from math import comb, factorial, isqrt, prod, sqrt
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from quire._shared.sklearn import Interval, fit_context
from quire._shared.typing import Floats
from quire._shared.validation import validate_data

__all__ = ["PolynomialMap"]

_MOST = 1_000_000  # features


class PolynomialMap(TransformerMixin, BaseEstimator):
    r"""The features :math:`\phi(x)` whose inner products are the polynomial kernel.

    .. math:: \phi(x)'\phi(z) = (\gamma x'z + r)^d

    For two columns, d = 2, :math:`\gamma` = 1 and r = 1 they are
    :math:`(1, \sqrt2 x_1, \sqrt2 x_2, x_1^2, \sqrt2 x_1 x_2, x_2^2)`. A linear machine on these
    features is the machine with the kernel on the rows themselves; the kernel gets by without
    making them.

    Parameters
    ----------
    degree : int, default=2
        d.
    gamma : float, default=1.0
        :math:`\gamma`, above zero.
    coef0 : float, default=1.0
        r. With 0 there are only monomials of degree d itself; below 0 there is no such map.

    Attributes
    ----------
    exponents_ : ndarray of int of shape (n_features_out, n_features_in_)
        The exponent of each column in each feature.
    factors_ : ndarray of shape (n_features_out,)
        What the monomials are multiplied with.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    SVC : The kernel "poly" with the same degree, gamma and coef0.
    sklearn.preprocessing.PolynomialFeatures : The monomials without factors.

    Notes
    -----
    There are :math:`\binom{n + d}{d}` features for n columns: for few columns only. More than a
    million are an error.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.svm import PolynomialMap
    >>> X = np.array([[1.0, 2.0], [3.0, -1.0]])
    >>> phi = PolynomialMap(degree=2)
    >>> phi.fit_transform(X).round(3)
    array([[ 1.   ,  1.414,  2.828,  1.   ,  2.828,  4.   ],
           [ 1.   ,  4.243, -1.414,  9.   , -4.243,  1.   ]])
    >>> phi.get_feature_names_out().tolist()
    ['1', '√2 x0', '√2 x1', 'x0^2', '√2 x0 x1', 'x1^2']
    >>> (1 + X @ X.T) ** 2
    array([[ 36.,   4.],
           [  4., 121.]])
    >>> (phi.transform(X) @ phi.transform(X).T).round(9)
    array([[ 36.,   4.],
           [  4., 121.]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "degree": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "coef0": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, degree: int = 2, *, gamma: float = 1.0, coef0: float = 1.0) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> PolynomialMap:
        """Find the features for as many columns as X has.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X = validate_data(self, X, dtype=np.float64)
        n, d = X.shape[1], int(self.degree)
        n_out = comb(n + d, d) if self.coef0 > 0 else comb(n + d - 1, d)
        if n_out > _MOST:
            raise ValueError(
                f"The kernel of degree {d} has {n_out:,} features for {n:,} columns; PolynomialMap "
                f"makes at most {_MOST:,}. Use SVC(kernel='poly'), which needs none of them."
            )
        sizes = range(d + 1) if self.coef0 > 0 else (d,)
        columns = chain.from_iterable(
            combinations_with_replacement(range(n), size) for size in sizes
        )
        monomials = [Counter(product) for product in columns]
        self.exponents_ = np.zeros((n_out, n), dtype=np.int64)
        for row, monomial in zip(self.exponents_, monomials, strict=True):
            row[list(monomial)] = list(monomial.values())
        self.factors_ = np.sqrt([self._coefficient(monomial) for monomial in monomials])
        self._n_features_out = n_out
        return self

    def _coefficient(self, monomial: Counter[int]) -> float:
        size = monomial.total()
        rest = int(self.degree) - size
        ways = factorial(int(self.degree)) // (
            factorial(rest) * prod(factorial(k) for k in monomial.values())
        )
        return float(ways * float(self.coef0) ** rest * float(self.gamma) ** size)

    def transform(self, X: Any) -> Floats:
        """Return the features of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            Features.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        found = np.empty((len(X), len(self.factors_)))
        for out, exponents, factor in zip(found.T, self.exponents_, self.factors_, strict=True):
            used = np.flatnonzero(exponents)
            out[:] = factor * np.prod(X[:, used] ** exponents[used], axis=1)
        return found

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the features in words.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns; ``None`` means those of the fitted table, or x0, x1 and so on.

        Returns
        -------
        ndarray of str
            A name for each feature, such as "√2 x0 x1".
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None) if input_features is None else None
        if input_features is not None:
            names = np.asarray(input_features, dtype=object)
            if len(names) != self.n_features_in_:
                raise ValueError(
                    "input_features should have length equal to number of features "
                    f"({self.n_features_in_}), got {len(names)}."
                )
        if names is None:
            names = [f"x{i}" for i in range(self.n_features_in_)]
        found = []
        for exponents, factor in zip(self.exponents_, self.factors_, strict=True):
            words = [
                str(names[i]) if exponents[i] == 1 else f"{names[i]}^{exponents[i]}"
                for i in np.flatnonzero(exponents)
            ]
            number = _root(factor**2)
            found.append(" ".join([number, *words] if number != "1" or not words else words))
        return np.array(found, dtype=object)


def _root(square: float) -> str:
    """Write the root of a number, as a root if that is shorter."""
    whole = round(square)
    if abs(square - whole) > 1e-9 * square:
        return f"{sqrt(square):.4g}"
    root = isqrt(whole)
    return str(root) if root * root == whole else f"√{whole}"
