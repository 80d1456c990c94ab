"""What must hold before standard errors mean anything: checks that all summaries share."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from quire._shared.labels import codes_among
from quire._shared.sklearn import check_sample_weight
from quire._shared.typing import Codes, Floats
from quire._shared.validation import validate_data

__all__ = [
    "MAX_PARAMETERS",
    "check_at_optimum",
    "check_bounded",
    "check_confidence",
    "check_counts",
    "check_inseparable",
    "check_unpenalised",
    "checked_rows",
    "codes_of",
    "column_spread",
    "names_of",
    "no_maximum",
    "quoted",
]


MAX_PARAMETERS = 10_000  # their information matrix takes 800 MB
_FAR = 0.5  # standard errors from the optimum: these are other data
_NEAR = 0.01  # so near that no digit worth printing changes


def check_unpenalised(model: Any) -> None:
    """Raise if the model was fitted with a penalty, class weights or bounds.

    Parameters
    ----------
    model : estimator
        The fitted model.
    """
    name = type(model).__name__
    parameters = model.get_params(deep=False)
    advice = "Standard errors are not valid for penalised estimates: they are pulled towards zero"
    penalty = parameters.get("penalty", "deprecated")
    if "C" in parameters and penalty is not None:
        C = np.asarray(parameters["C"], dtype=float)
        if not np.isinf(C).all():
            raise ValueError(
                f"{name} was fitted with a penalty (C={parameters['C']}). {advice}, and a sample "
                f"says nothing about how far. Refit with {name}(C=np.inf), on fewer features if "
                "that is needed."
            )
    if "Cs" in parameters:
        raise ValueError(
            f"{name} chooses a penalty by cross-validation. {advice}, and the choice used the same "
            "data. Fit the model without CV in its name, with C=np.inf."
        )
    alpha = parameters.get("alpha")
    if alpha is not None and np.any(np.asarray(alpha, dtype=float) > 0):
        raise ValueError(
            f"{name} was fitted with a penalty (alpha={alpha}). {advice}, and a sample says "
            "nothing about how far. Refit with alpha=0, or with LinearRegression."
        )
    if parameters.get("class_weight") is not None:
        raise ValueError(
            f"{name} was fitted with class_weight={parameters['class_weight']!r}; such estimates "
            "are not those of maximum likelihood, and the information matrix is not their "
            "covariance. Refit with class_weight=None."
        )
    if parameters.get("positive"):
        raise ValueError(
            f"{name} was fitted with positive=True; standard errors are not valid at a bound. "
            "Refit with positive=False."
        )


def check_confidence(confidence: Any) -> float:
    """Return the confidence as a float between 0 and 1."""
    if (
        isinstance(confidence, bool)
        or not isinstance(confidence, Real)
        or not 0 < float(confidence) < 1
    ):
        raise ValueError(
            f"confidence is {confidence!r}; expected a number between 0 and 1, such as 0.95."
        )
    return float(confidence)


def checked_rows(model: Any, X: Any, sample_weight: Any) -> tuple[Any, Floats, NDArray[np.bool_]]:
    """Return X in float64 and the weights, of rows whose weight is not zero, and which these are.

    Parameters
    ----------
    model : estimator
        The fitted model.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The features it was fitted on.
    sample_weight : array-like of shape (n_samples,) or None
        The weights it was fitted with.
    """
    check_is_fitted(model)
    X = validate_data(model, X, reset=False, accept_sparse="csr", dtype=np.float64)
    weights: Floats = check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        raise ValueError("sample_weight has negative values; expected zero or more.")
    kept = weights > 0
    if not kept.all():
        X, weights = X[kept], weights[kept]
    return (sparse.csr_array(X) if sparse.issparse(X) else X), weights, kept


def names_of(model: Any, n_features: int, feature_names: Any) -> tuple[str, ...]:
    """Return a name for each feature: as given, as seen in fit, or x0, x1 and so on."""
    if feature_names is None:
        feature_names = getattr(model, "feature_names_in_", None)
    if feature_names is None:
        return tuple(f"x{j}" for j in range(n_features))
    if isinstance(feature_names, str) or len(feature_names) != n_features:
        found = repr(feature_names) if isinstance(feature_names, str) else len(feature_names)
        raise ValueError(
            f"feature_names is {found}; expected {n_features} names, one for each column of X."
        )
    return tuple(map(str, feature_names))


def check_counts(n_samples: float, n_parameters: int, n_features: int) -> None:
    """Raise if there are too many parameters, for the samples or for a dense matrix.

    Parameters
    ----------
    n_samples : float
        Number of samples.
    n_parameters : int
        Number of parameters.
    n_features : int
        Number of features.
    """
    if n_parameters > MAX_PARAMETERS:
        size = 8e-9 * n_parameters**2
        raise ValueError(
            f"standard errors need the inverse of an information matrix of {n_parameters:,} x "
            f"{n_parameters:,} numbers, {size:,.1f} GB; at most {MAX_PARAMETERS:,} parameters are "
            f"summarised. Select fewer than the {n_features:,} features and refit, for example "
            "with quire.feature_extraction.select.SelectTerms."
        )
    if n_samples <= n_parameters:
        raise ValueError(
            f"there are {n_samples:,.10g} samples for {n_parameters:,} parameters; standard errors "
            "need more samples than parameters. Use fewer features, or more samples."
        )


def check_at_optimum(distance: float) -> None:
    r"""Raise or warn if the gradient on these data says that the optimum is elsewhere.

    Parameters
    ----------
    distance : float
        By how many of its standard errors a Newton step moves the parameter it moves furthest.
    """
    if not distance <= _FAR:
        raise ValueError(
            f"the estimates are up to {distance:.3g} standard errors from the optimum of these "
            "data. Either X, y and sample_weight are not those the model was fitted on, or the fit "
            "has not converged: refit with a smaller tol and a larger max_iter, and with "
            "columns of similar scale."
        )
    if distance > _NEAR:
        warnings.warn(
            f"The fit has not fully converged: estimates may be up to {distance:.2g} standard "
            "errors from the optimum. Refit with a smaller tol and a larger max_iter, or check "
            "that X, y and sample_weight are those of the fit.",
            ConvergenceWarning,
            stacklevel=4,
        )


def quoted(names: list[str], most: int = 5) -> str:
    """Return names in quotation marks, the first few of them if there are many."""
    shown = [repr(name) for name in names[:most]]
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    if rest or len(shown) == 1:
        return ", ".join(shown) + rest
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def check_bounded(
    step: Floats, gains: Floats, distance: float, X: Any, names: tuple[str, ...]
) -> None:
    r"""Raise if the likelihood still grows along some direction however far one goes.

    Near an optimum a Newton step is nothing. Where some fitted probabilities go to 0 or 1 the
    likelihood gains :math:`e^{-t}` at distance :math:`t`; gradient and information both vanish, and
    the step stays near one while it is tiny in standard errors. It takes no sample nearer to
    another class.

    Parameters
    ----------
    step : ndarray of shape (n_predictors, n_features)
        The Newton step of the coefficients.
    gains : ndarray
        By how much it takes samples away from the boundaries of their classes.
    distance : float
        Its length in standard errors: root of step' I step.
    X : ndarray or CSR array of shape (n_samples, n_features)
        The features.
    names : tuple of str
        Their names.
    """
    largest = float(np.abs(gains).max())
    if largest > 0.1 and distance < largest / 20 and gains.min() > -1e-3 * largest:
        size = np.abs(step).max(axis=0) * column_spread(X)
        growing = [names[j] for j in np.flatnonzero(size > 0.1 * size.max())]
        raise no_maximum(f"along the columns {quoted(growing)}")


def check_inseparable(margins: Floats) -> None:
    """Raise if every sample is on the right side of every boundary.

    Parameters
    ----------
    margins : ndarray of shape (n_samples,)
        How far inside its own class a sample is; zero or less if it is not.
    """
    if margins.min() > 0:
        raise no_maximum("in a direction that divides the classes perfectly")


def no_maximum(where: str = "along some direction") -> ValueError:
    """Return the error for data whose likelihood has no maximum.

    Parameters
    ----------
    where : str
        Along what it grows.
    """
    return ValueError(
        f"the classes can be separated: the likelihood grows without end {where}, so that there is "
        "no maximum likelihood estimate and no standard error. Use fewer features, join or leave "
        "out rare columns, or fit with a penalty (finite C) and without a summary."
    )


def column_spread(X: Any) -> Floats:
    """Return the root mean square of sparse columns, the standard deviation of dense ones."""
    if sparse.issparse(X):
        squares: Floats = np.asarray(X.multiply(X).sum(axis=0)).ravel()
        squares /= X.shape[0]
        return np.sqrt(squares)
    spread: Floats = X.std(axis=0)
    return spread


def codes_of(y: Any, classes: NDArray[Any], kept: NDArray[np.bool_]) -> Codes:
    """Return the number of the class of each sample that is kept.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    classes : ndarray of shape (n_classes,)
        The classes of the model, in any order.
    kept : ndarray of bool of shape (n_samples,)
        Which samples to take.
    """
    codes = codes_among(
        y,
        classes,
        lambda labels: (
            f"y has classes the model was not fitted on: {quoted(labels)}. Give the data "
            "of the fit."
        ),
    )
    if len(codes) != len(kept):
        raise ValueError(f"y has {len(codes):,} labels and X {len(kept):,} rows; give one each.")
    return codes[kept]
