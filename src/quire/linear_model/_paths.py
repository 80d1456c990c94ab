r"""Paths of the lasso and the elastic net: one model for each of many penalties.

.. math:: \min_w \frac{1}{2n} \lVert y - Xw \rVert^2 + \alpha \rho \lVert w \rVert_1
          + \frac{\alpha (1 - \rho)}{2} \lVert w \rVert^2
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import enet_path as sklearn_enet_path

from quire._shared.sklearn import Hidden, Interval, StrOptions, alpha_grid, pre_fit, validate_params
from quire._shared.threads import effective_threads
from quire._shared.validation import check_array
from quire.linear_model._engines.enet import EnetProblem, column_means, solve_path

__all__ = ["PathOfModel", "enet_path", "lasso_path"]

_CONSTRAINTS: dict[str, Any] = {
    "X": ["array-like", "sparse matrix"],
    "y": ["array-like", "sparse matrix"],
    "eps": [Interval(Real, 0, None, closed="neither")],
    "n_alphas": [Interval(Integral, 1, None, closed="left"), Hidden(StrOptions({"deprecated"}))],
    "alphas": [
        Interval(Integral, 1, None, closed="left"),
        "array-like",
        None,
        Hidden(StrOptions({"warn"})),
    ],
    "precompute": [StrOptions({"auto"}), "boolean", "array-like"],
    "Xy": ["array-like", None],
    "copy_X": ["boolean"],
    "coef_init": ["array-like", None],
    "verbose": ["verbose"],
    "return_n_iter": ["boolean"],
    "positive": ["boolean"],
    "n_jobs": [Integral, None],
}


class PathOfModel:
    """The path function of a model: plain on the class, with the model's threads on an instance.

    Parameters
    ----------
    function : callable
        The path function.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __get__(self, model: Any, kind: type) -> Callable[..., Any]:
        """Return the function to call."""
        return self.function if model is None else partial(self.function, n_jobs=model.n_jobs)


@validate_params(_CONSTRAINTS, prefer_skip_nested_validation=True)
def lasso_path(
    X: Any,
    y: Any,
    *,
    eps: float = 1e-3,
    n_alphas: Any = "deprecated",
    alphas: Any = "warn",
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: Any = False,
    return_n_iter: bool = False,
    positive: bool = False,
    n_jobs: int | None = None,
    **params: Any,
) -> tuple[Any, ...]:
    r"""Compute the lasso for a path of penalties.

    A drop-in replacement for scikit-learn's function of this name. For every :math:`\alpha`

    .. math:: \min_w \frac{1}{2n} \lVert y - Xw \rVert^2 + \alpha \lVert w \rVert_1 .

    No intercept is fitted: centre y and a dense X, or use :class:`LassoCV` or :class:`Lasso`.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The data. Sparse matrices stay sparse.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The targets. Several are fitted jointly, by scikit-learn, with a penalty on rows.
    eps : float, default=1e-3
        The smallest penalty in units of the largest.
    n_alphas : int, default="deprecated"
        Use `alphas`.
    alphas : array-like or int, default=100
        The penalties, or how many to choose: a geometric grid from the least for which all
        coefficients are zero.
    precompute : "auto", bool or array-like of shape (n_features, n_features), default="auto"
        Whether to work on X'X instead of a dense X, or X'X itself. "auto": if there are more
        samples than features.
    Xy : array-like of shape (n_features,), default=None
        X'y, if `precompute` is given.
    copy_X : bool, default=True
        Accepted; X is not written to.
    coef_init : array-like of shape (n_features,), default=None
        Coefficients to start from.
    verbose : bool or int, default=False
        Whether to say how many penalties are done.
    return_n_iter : bool, default=False
        Whether to return the number of sweeps, too.
    positive : bool, default=False
        Whether coefficients must not be negative.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.
    **params : dict
        `tol` (1e-4) and `max_iter` (1000), as in :class:`Lasso`.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        The penalties, from the largest.
    coefs : ndarray of shape (n_features, n_alphas)
        The coefficients.
    dual_gaps : ndarray of shape (n_alphas,)
        How far above the minimum the objective is at most.
    n_iters : list of int
        Sweeps made for each penalty, if `return_n_iter`.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.linear_model import lasso_path
    >>> X = np.array([[1, 2, 3.1], [2.3, 5.4, 4.3]]).T
    >>> y = np.array([1, 2, 3.1])
    >>> alphas, coefs, gaps = lasso_path(X, y, alphas=[5.0, 1.0, 0.5], tol=1e-10)
    >>> coefs.round(3)
    array([[0.   , 0.   , 0.469],
           [0.216, 0.443, 0.237]])
    """
    return enet_path(  # type: ignore[no-any-return]
        X,
        y,
        l1_ratio=1.0,
        eps=eps,
        alphas=_asked_alphas(n_alphas, alphas),
        precompute=precompute,
        Xy=Xy,
        copy_X=copy_X,
        coef_init=coef_init,
        verbose=verbose,
        return_n_iter=return_n_iter,
        positive=positive,
        n_jobs=n_jobs,
        **params,
    )


@validate_params(
    {
        **_CONSTRAINTS,
        "l1_ratio": [Interval(Real, 0.0, 1.0, closed="both")],
        "check_input": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def enet_path(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: Any = "deprecated",
    alphas: Any = "warn",
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: Any = False,
    return_n_iter: bool = False,
    positive: bool = False,
    check_input: bool = True,
    n_jobs: int | None = None,
    **params: Any,
) -> tuple[Any, ...]:
    r"""Compute the elastic net for a path of penalties.

    A drop-in replacement for scikit-learn's function of this name. For every :math:`\alpha`, with
    :math:`\rho` the `l1_ratio`,

    .. math:: \min_w \frac{1}{2n} \lVert y - Xw \rVert^2 + \alpha \rho \lVert w \rVert_1
              + \frac{\alpha (1 - \rho)}{2} \lVert w \rVert^2 .

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The data. Sparse matrices stay sparse.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The targets. Several are fitted jointly, by scikit-learn, with a penalty on rows.
    l1_ratio : float, default=0.5
        The share of the L1 norm in the penalty; 1 is the lasso.
    eps : float, default=1e-3
        The smallest penalty in units of the largest.
    n_alphas : int, default="deprecated"
        Use `alphas`.
    alphas : array-like or int, default=100
        The penalties, or how many to choose: a geometric grid from the least for which all
        coefficients are zero.
    precompute : "auto", bool or array-like of shape (n_features, n_features), default="auto"
        Whether to work on X'X instead of a dense X, or X'X itself. "auto": if there are more
        samples than features.
    Xy : array-like of shape (n_features,), default=None
        X'y, if `precompute` is given.
    copy_X : bool, default=True
        Accepted; X is not written to.
    coef_init : array-like of shape (n_features,), default=None
        Coefficients to start from.
    verbose : bool or int, default=False
        Whether to say how many penalties are done.
    return_n_iter : bool, default=False
        Whether to return the number of sweeps, too.
    positive : bool, default=False
        Whether coefficients must not be negative.
    check_input : bool, default=True
        Whether to check the arrays.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.
    **params : dict
        `tol` (1e-4) and `max_iter` (1000), as in :class:`ElasticNet`; `X_offset` and `X_scale`,
        which stand for ``X - X_offset / X_scale``, and `sample_weight`, for a sparse X.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        The penalties, from the largest.
    coefs : ndarray of shape (n_features, n_alphas)
        The coefficients.
    dual_gaps : ndarray of shape (n_alphas,)
        How far above the minimum the objective is at most.
    n_iters : list of int
        Sweeps made for each penalty, if `return_n_iter`.

    Notes
    -----
    Joint fits of several targets, and an `X_offset` that is not the means of the columns, are left
    to scikit-learn's own code. The order of coordinates does not change the minimum, so that
    ``selection="random"`` and `random_state` are accepted and sweeps are always cyclic.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from quire.linear_model import enet_path
    >>> X, y = make_regression(100, 5, n_informative=2, random_state=0)
    >>> alphas, coefs, gaps = enet_path(X, y, alphas=3)
    >>> coefs.shape
    (5, 3)
    """
    asked = _asked_alphas(n_alphas, alphas)
    offset, scale = params.pop("X_offset", None), params.pop("X_scale", None)
    options: dict[str, Any] = {
        "tol": 1e-4,
        "max_iter": 1000,
        "selection": "cyclic",
        "sample_weight": None,
    }
    options |= {name: params.pop(name) for name in options if name in params}
    chance = {n: params.pop(n) for n in ("random_state", "do_screening") if n in params}
    if params:
        raise ValueError("Unexpected parameters in params", params.keys())
    if options["selection"] not in ("random", "cyclic"):
        raise ValueError("selection should be either random or cyclic.")

    if check_input:
        X = check_array(X, accept_sparse="csc", dtype=[np.float64, np.float32], order="F")
        y = check_array(y, accept_sparse="csc", dtype=X.dtype.type, order="F", ensure_2d=False)
        if Xy is not None:
            Xy = check_array(Xy, dtype=X.dtype.type, order="C", ensure_2d=False)
    elif not sparse.issparse(X) and not X.flags.f_contiguous:
        raise ValueError(
            "X is not in Fortran order, which it must be with check_input=False. Pass "
            "np.asfortranarray(X), or check_input=True."
        )
    means = None
    if sparse.issparse(X) and offset is not None and np.any(offset):
        means = column_means(X, options["sample_weight"])
    if y.ndim != 1 or (means is not None and not _are_means(offset / scale, means)):
        return sklearn_enet_path(  # type: ignore[no-any-return]
            X,
            y,
            l1_ratio=l1_ratio,
            eps=eps,
            alphas=asked,
            precompute=precompute,
            Xy=Xy,
            copy_X=copy_X,
            coef_init=coef_init,
            verbose=verbose,
            return_n_iter=return_n_iter,
            positive=positive,
            check_input=check_input,
            X_offset=offset,
            X_scale=scale,
            **options,
            **chance,
        )
    if check_input or precompute is not False:
        X, y, _, _, _, precompute, Xy = pre_fit(
            X, y, Xy, precompute, fit_intercept=False, copy=False, check_gram=check_input
        )
    if isinstance(asked, Integral):
        grid = alpha_grid(
            X, y, Xy, l1_ratio, fit_intercept=False, eps=eps, n_alphas=asked, positive=positive
        )
    else:
        grid = np.sort(asked)[::-1]

    n_samples, n_features = X.shape
    penalties = np.asarray(grid, dtype=np.float64) * n_samples
    coefs, gaps, n_iters = solve_path(
        EnetProblem(
            X,
            y,
            means,
            options["sample_weight"],
            precompute if isinstance(precompute, np.ndarray) else None,
            Xy,
        ),
        penalties * l1_ratio,
        penalties * (1.0 - l1_ratio),
        _start(coef_init, n_features),
        tol=options["tol"],
        max_iter=options["max_iter"],
        positive=positive,
        n_threads=effective_threads(n_jobs),
    )
    if verbose:
        sys.stderr.write("." * len(grid))
    found = (grid, coefs.T.astype(X.dtype, copy=False), gaps / n_samples)
    return (*found, n_iters.tolist()) if return_n_iter else found


def _are_means(offset: NDArray[Any], means: NDArray[np.float64]) -> bool:
    """Tell whether they are the means, up to rounding in float32."""
    return np.allclose(offset, means, rtol=1e-3, atol=1e-5 * float(np.abs(means).max()))


def _start(coef_init: Any, n_features: int) -> NDArray[np.float64] | None:
    if coef_init is None or not np.any(coef_init):
        return None
    start = np.asarray(coef_init, dtype=np.float64)
    if start.shape != (n_features,):
        raise ValueError(
            f"coef_init has shape {start.shape}; X has {n_features} features. Give one number for "
            "each feature."
        )
    return start


def _asked_alphas(n_alphas: Any, alphas: Any) -> Any:
    """Return the penalties, or their number; warn of what scikit-learn 1.11 will not accept."""
    if n_alphas != "deprecated":
        warnings.warn(
            "'n_alphas' was deprecated in 1.9 and will be removed in 1.11. 'alphas' now accepts an "
            "integer value which removes the need to pass 'n_alphas'. The default value of "
            "'alphas' will change from None to 100 in 1.11. Pass an explicit value to 'alphas' and "
            "leave 'n_alphas' to its default value to silence this warning.",
            FutureWarning,
            stacklevel=4,
        )
    number = 100 if n_alphas == "deprecated" else n_alphas
    if isinstance(alphas, str):
        return number
    if alphas is None:
        warnings.warn(
            "'alphas=None' is deprecated and will be removed in 1.11, at which point the default "
            "value will be set to 100. Set 'alphas=100' to silence this warning.",
            FutureWarning,
            stacklevel=4,
        )
        return number
    return alphas
