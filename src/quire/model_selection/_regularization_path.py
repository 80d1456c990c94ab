"""How the coefficients of a model grow as its penalty is taken away."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_array

from quire._shared.progress import progress
from quire._shared.sklearn import Interval, validate_parameter_constraints
from quire.model_selection._loss import loss_of
from quire.model_selection._path import RegularizationPath
from quire.model_selection._penalty import divided, last_step, penalty_of, starts_warm

__all__ = ["regularization_path"]

_CONSTRAINTS: dict[str, list[Any]] = {
    "param_name": [str, None],
    "n_penalties": [Interval(Integral, 1, None, closed="left"), None],
    "verbose": ["boolean"],
}


def regularization_path(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    penalties: Iterable[float] | None = None,
    n_penalties: int | None = None,
    param_name: str | None = None,
    sample_weight: Any = None,
    feature_names: Any = None,
    verbose: bool = False,
) -> RegularizationPath:
    """Fit a linear model with penalties from strong to weak and keep all its coefficients.

    Parameters
    ----------
    estimator : estimator
        A linear model with a parameter ``alpha`` or ``C``, such as ``Ridge``, ``Lasso``,
        ``ElasticNet``, ``LogisticRegression`` or ``OrdinalRegression``; or a pipeline that ends
        with one. It is cloned.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or what a pipeline takes
        The features.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The targets or classes.
    penalties : iterable of float, default=None
        Strengths of the penalty: values of ``alpha``, or of ``1 / C`` where the model has a ``C``.
        ``None`` means, with an L1 penalty, 50 values down from the smallest that makes every
        coefficient zero to a thousandth of it; else from a thousand times the mean eigenvalue of
        X'X, where nearly nothing is left, to a millionth of it (for a ``C``, from a quarter of the
        same to a ten thousandth of that), rounded to powers of ten.
    n_penalties : int, default=None
        How many of them, where `penalties` is ``None``.
    param_name : str, default=None
        The parameter; ``None`` finds it, also through a pipeline ("ridge__alpha").
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for the fits.
    feature_names : sequence of str, default=None
        Names of the features; ``None`` asks the pipeline or the model.
    verbose : bool, default=False
        Show a progress bar with the time that is left.

    Returns
    -------
    RegularizationPath
        Coefficients and training risk at every strength, with a table and a plot.

    Raises
    ------
    ValueError
        If the penalty is not found, an argument does not fit, or the model has no coefficients.

    See Also
    --------
    risk_curve : Which penalty to take.

    Notes
    -----
    What comes before the model in a pipeline is fitted once. Models that have ``warm_start`` start
    each fit from the one before. The coefficients take ``8 * n_penalties * n_outputs *
    n_features`` bytes.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from quire.linear_model import Lasso
    >>> from quire.model_selection import regularization_path
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> path = regularization_path(Lasso(), X, y)
    >>> path.strongest(3)
    ['s5', 's1', 'bmi']
    >>> path.n_nonzero()[[0, 10, 20, 49]]
    array([ 0,  4,  7, 10])
    """
    validate_parameter_constraints(
        _CONSTRAINTS,
        {"param_name": param_name, "n_penalties": n_penalties, "verbose": verbose},
        caller_name="regularization_path",
    )
    penalty = penalty_of(estimator, param_name)
    before, step, name = last_step(estimator, penalty.name)
    if "__" in name:
        raise ValueError(
            f"{penalty.name} is no parameter of the model at the end of "
            f"{type(estimator).__name__}; its coefficients are what a path shows."
        )
    Z = X if before is None else before.fit_transform(X, y)
    if not hasattr(Z, "columns"):  # names of columns are for the model to read
        Z = check_array(Z, accept_sparse="csr", dtype=[np.float64, np.float32])
    check_consistent_length(Z, y, sample_weight)
    numbers = Z if hasattr(Z, "nnz") else np.asarray(Z)
    strengths = (
        penalty.default_strengths(step, numbers, y, n_penalties)
        if penalties is None
        else divided(penalties, "penalties")
    )
    loss = loss_of(None, step)
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}

    if starts_warm(step):
        step.set_params(warm_start=True)
    coefs, intercepts, risks = [], [], []
    with progress("Penalties", len(strengths), shown=verbose) as advance:
        for strength in strengths:
            step.set_params(**{name: penalty.value(float(strength))}).fit(Z, y, **weights)
            if not hasattr(step, "coef_"):
                raise ValueError(f"{type(step).__name__} has no coef_; give a linear model.")
            coefs.append(_dense(step.coef_))
            intercepts.append(_intercepts(step))
            risks.append(loss(step, Z, y, sample_weight))
            advance(1)
    stacked = np.array(coefs)
    return RegularizationPath(
        penalties=strengths,
        coefs=stacked,
        intercepts=np.array(intercepts),
        risks=np.array(risks),
        terms=_terms(before, step, stacked.shape[2], feature_names),
        outputs=_outputs(step, stacked.shape[1]),
        param_name=penalty.name,
        label=penalty.label,
        loss=loss.name,
    )


def _dense(coef: Any) -> NDArray[np.float64]:
    array = coef.toarray() if hasattr(coef, "toarray") else np.asarray(coef)
    return np.array(np.atleast_2d(array), dtype=np.float64)


def _intercepts(step: Any) -> NDArray[np.float64]:
    found = getattr(step, "thresholds_", None)
    found = getattr(step, "intercept_", 0.0) if found is None else found
    return np.array(found, dtype=np.float64).reshape(-1)


def _terms(before: Any, step: Any, n_features: int, feature_names: Any) -> NDArray[Any]:
    """Return the names of the features of the model."""
    if feature_names is None:
        feature_names = getattr(step, "feature_names_in_", None)
    if feature_names is None and hasattr(before, "get_feature_names_out"):
        try:
            feature_names = before.get_feature_names_out()
        except (AttributeError, ValueError):  # a step that knows none
            feature_names = None
    if feature_names is None:
        feature_names = [f"x{j}" for j in range(n_features)]
    if isinstance(feature_names, str) or len(feature_names) != n_features:
        raise ValueError(
            f"feature_names does not fit: the model has {n_features} features. Give a name each."
        )
    return np.array([str(name) for name in feature_names], dtype=object)


def _outputs(step: Any, n_outputs: int) -> tuple[Any, ...]:
    if n_outputs == 1:
        return (None,)
    if is_classifier(step) and len(step.classes_) == n_outputs:
        return tuple(step.classes_.tolist())
    return tuple(range(n_outputs))
