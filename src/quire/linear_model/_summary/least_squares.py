r"""Summary of least squares: classical and heteroscedasticity-robust standard errors.

With weights :math:`W` (precisions, up to a factor), residuals :math:`r` and
:math:`M = (Z'WZ)^{-1}` the covariance is :math:`\hat\sigma^2 M`, where
:math:`\hat\sigma^2 = r'Wr / (n - k)`; the robust ones are
:math:`M (\sum_i c_i w_i^2 r_i^2 z_i z_i') M` with :math:`c_i = 1` (HC0),
:math:`n / (n - k)` (HC1), :math:`1 / (1 - h_i)` (HC2) and :math:`1 / (1 - h_i)^2` (HC3),
:math:`h_i = w_i z_i' M z_i`.

References
----------
J. G. MacKinnon and H. White, "Some heteroskedasticity-consistent covariance matrix estimators with
improved finite sample properties", Journal of Econometrics 29, 1985.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse, stats
from sklearn.utils import check_consistent_length

from quire._shared.typing import Floats
from quire._shared.validation import check_array
from quire.linear_model._summary.checks import (
    check_at_optimum,
    check_confidence,
    check_counts,
    check_unpenalised,
    checked_rows,
    names_of,
)
from quire.linear_model._summary.information import (
    SingularInformationError,
    blocks,
    collinear,
    information,
    inverse_factor,
)
from quire.linear_model._summary.summary import Summary, equation_from

__all__ = ["LeastSquaresSummary"]


_NEARLY_COLLINEAR = 1e-3  # distance of a unit column from those before it
_KINDS = ("classical", "HC0", "HC1", "HC2", "HC3")


class LeastSquaresSummary:
    """Gives ``summary`` to a least-squares model with ``coef_`` and ``intercept_``."""

    def summary(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        confidence: float = 0.95,
        feature_names: Any = None,
        covariance: str = "classical",
    ) -> Summary:
        r"""Return estimates, standard errors, tests and intervals, and measures of fit.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The features the model was fitted on.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The targets it was fitted on.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights it was fitted with. They are taken as precisions: a sample of weight 2 has
            half the variance of one of weight 1.
        confidence : float, default=0.95
            Confidence of the intervals.
        feature_names : sequence of str, default=None
            Names of the columns; ``None`` means those seen in ``fit``, or x0, x1 and so on.
        covariance : {"classical", "HC0", "HC1", "HC2", "HC3"}, default="classical"
            How to estimate the covariance. The classical one takes all errors to have the same
            variance; the others do not, and come with normal instead of t distributions.

        Returns
        -------
        Summary
            The estimates with their uncertainty; several targets have one table each.

        Raises
        ------
        ValueError
            If standard errors would not be valid: penalised or bounded estimates, collinear
            columns, no more samples than parameters, more than 10,000 parameters, or data the
            model was not fitted on.

        Notes
        -----
        The cost is that of X'X, formed by blocks of rows, :math:`O(np^2)`; sparse X is never made
        dense as a whole. Dense columns that are nearly collinear take a QR decomposition instead,
        which keeps twice the digits.
        """
        model: Any = self
        if covariance not in _KINDS:
            raise ValueError(f"covariance is {covariance!r}; expected one of {', '.join(_KINDS)}.")
        level = check_confidence(confidence)
        X, weights, kept = checked_rows(model, X, sample_weight)
        check_unpenalised(model)
        targets = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        check_consistent_length(kept, targets)
        one = np.ndim(model.coef_) == 1
        Y = targets[kept].reshape(len(weights), -1)
        B = np.asarray(model.coef_, dtype=np.float64).reshape(-1, X.shape[1])
        if Y.shape[1] != len(B):
            raise ValueError(f"y has {Y.shape[1]} targets; the model was fitted on {len(B)}.")

        names = names_of(model, X.shape[1], feature_names)
        return _summary(model, X, Y, B, weights, names, one=one, level=level, kind=covariance)


def _summary(
    model: Any,
    X: Any,
    Y: Floats,
    B: Floats,
    weights: Floats,
    names: tuple[str, ...],
    *,
    one: bool,
    level: float,
    kind: str,
) -> Summary:
    n, p = X.shape
    intercept = bool(model.fit_intercept)
    k = p + intercept
    check_counts(n, k, p)
    total = weights.sum()
    center = (X.T @ weights) / total if intercept else None
    factor = _factor(X, weights, center, names)  # M = factor factor' of the centred columns

    b0 = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), (len(B),))
    residuals = Y - X @ B.T - b0
    rss = weights @ residuals**2
    df = n - k
    variance = rss / df
    _check_fit(X, Y, residuals, weights, center, factor, variance)

    # Without an intercept the columns may still span the constant, as indicators of groups do.
    constant = intercept or _spans_constant(X, weights, factor)
    tss = weights @ (Y - (weights @ Y) / total) ** 2 if constant else weights @ Y**2
    df_model = k - constant
    log_weights = 0.5 * np.log(weights).sum()
    covariances = [
        _covariance(X, weights, center, factor, r, s2, kind)
        for r, s2 in zip(residuals.T, variance, strict=True)
    ]
    estimates = np.column_stack([b0, B]) if intercept else B
    terms = ("intercept", *names) if intercept else names
    is_coefficient = np.arange(k) >= intercept
    robust = kind != "classical"
    with np.errstate(divide="ignore", invalid="ignore"):
        f = ((tss - rss) / df_model if df_model else np.full(len(B), np.nan)) / variance
        if robust:
            f = np.array(
                [_wald(b, V, intercept, constant) for b, V in zip(B, covariances, strict=True)]
            )
        measures: dict[str, Any] = {
            "log_likelihood": -n / 2 * (np.log(2 * np.pi * rss / n) + 1) + log_weights,
            "null_log_likelihood": -n / 2 * (np.log(2 * np.pi * tss / n) + 1) + log_weights,
            "r2": 1 - rss / tss,
            "adjusted_r2": 1 - (n - constant) / df * rss / tss,
            "residual_standard_error": np.sqrt(variance),
            "f_statistic": f,
            "f_p_value": stats.f.sf(f, df_model, df),
        }
    notes = [] if constant else ["There is no intercept: R2 compares with zero, not with the mean."]
    if (rss <= 1e-24 * (weights @ Y**2)).any():
        notes.append("The fit is exact: standard errors and tests are rounding errors.")
    if one:
        measures = {name: float(value[0]) for name, value in measures.items()}
    return Summary(
        model=type(model).__name__,
        method="Least squares",
        equations=tuple(
            equation_from(
                None if one else t,
                terms,
                is_coefficient,
                estimates[t],
                np.diag(covariances[t]),
                level,
                np.inf if robust else df,
            )
            for t in range(len(B))
        ),
        statistic="z" if robust else "t",
        confidence=level,
        covariance=covariances[0] if one else np.array(covariances),
        covariance_type=kind,
        n_samples=n,
        n_parameters=k,
        df_model=df_model,
        df_residual=df,
        notes=tuple(notes),
        **measures,
    )


def _factor(X: Any, weights: Floats, center: Floats | None, names: tuple[str, ...]) -> Floats:
    """Return F with F F' the inverse of the weighted, centred X'X."""
    is_sparse = sparse.issparse(X)
    before = None if is_sparse else center
    gram = information(X, lambda rows: weights[rows, None, None], 1, intercept=False, center=before)
    squares = np.diag(gram).copy()
    if center is not None:
        if is_sparse:
            gram -= weights.sum() * np.outer(center, center)
        else:
            squares += weights.sum() * center**2
    scale = np.sqrt(np.maximum(np.diag(gram), 0))
    _check_varying(scale, np.sqrt(squares), 1e-7 if is_sparse else 1e-13, names)
    R, info = linalg.lapack.dpotrf(gram / np.outer(scale, scale), lower=0, clean=1)
    stopped, tolerance = (info - 1 if info else None), 3e-6
    if not is_sparse and (info or np.diag(R).min() < _NEARLY_COLLINEAR):
        R = _triangle(X, weights, center) / scale
        stopped, tolerance = None, 1e-12
    try:
        return inverse_factor(R, scale, tolerance, stopped)
    except SingularInformationError as error:
        raise collinear(error.columns, names) from None


def _triangle(X: Any, weights: Floats, center: Floats | None) -> Floats:
    """Return R of the QR decomposition: slower than X'X, with twice its digits."""
    p = X.shape[1]
    R = np.zeros((0, p))
    roots = np.sqrt(weights)
    for rows, block in blocks(X, center):
        stacked = np.vstack([R, block * roots[rows, None]])
        R = linalg.qr(stacked, mode="r", overwrite_a=True, check_finite=False)[0][:p]
    return R


def _check_varying(scale: Floats, before: Floats, tolerance: float, names: tuple[str, ...]) -> None:
    """Raise if a column is zero, or constant beside an intercept."""
    flat = np.flatnonzero(scale <= tolerance * before)
    if len(flat) and before[flat[0]] == 0:
        raise collinear([int(flat[0])], names)
    if len(flat):
        raise collinear([int(flat[0]), len(names)], (*names, "intercept"))


def _check_fit(
    X: Any,
    Y: Floats,
    residuals: Floats,
    weights: Floats,
    center: Floats | None,
    factor: Floats,
    variance: Floats,
) -> None:
    """Raise or warn if the residuals are not orthogonal to the columns."""
    g = X.T @ (weights[:, None] * residuals)
    sums = weights @ residuals
    if center is not None:
        g = g - np.outer(center, sums)
    step = factor @ (factor.T @ g)
    squares = (step**2 / (factor**2).sum(axis=1)[:, None]).max(axis=0)
    if center is not None:
        squares = np.maximum(squares, sums**2 / weights.sum())
    noise = variance + 1e-18 * (weights @ Y**2) / len(Y)  # of an exact fit nothing else is left
    ratio = np.divide(squares, noise, out=np.zeros_like(squares), where=noise > 0)
    check_at_optimum(float(np.sqrt(ratio.max())))


def _spans_constant(X: Any, weights: Floats, factor: Floats) -> bool:
    """Whether a combination of the columns is one in every row."""
    ones = X @ (factor @ (factor.T @ (X.T @ weights)))
    return bool(np.abs(ones - 1).max() < 1e-8)


def _covariance(
    X: Any,
    weights: Floats,
    center: Floats | None,
    factor: Floats,
    residuals: Floats,
    variance: float,
    kind: str,
) -> Floats:
    """Return the covariance of intercept and coefficients."""
    intercept = center is not None
    M = linalg.block_diag(1 / weights.sum(), factor @ factor.T) if intercept else factor @ factor.T
    if kind == "classical":
        V = variance * M
    else:
        half = linalg.block_diag(weights.sum() ** -0.5, factor) if intercept else factor
        meat = np.zeros_like(M)
        for rows, Z in blocks(X, center, intercept):
            c = (weights[rows] * residuals[rows]) ** 2
            if kind in ("HC2", "HC3"):
                outside = 1 - weights[rows] * ((Z @ half) ** 2).sum(axis=1)
                if (outside < 1e-10).any():
                    row = rows.start + int(np.argmin(outside))
                    raise ValueError(
                        f"the model goes through sample {row} whatever its target (leverage 1), so "
                        f"that {kind} is not defined. Use HC0 or HC1, or leave the sample out."
                    )
                c /= outside if kind == "HC2" else outside**2
            meat += Z.T @ (Z * c[:, None])
        V = M @ meat @ M
        if kind == "HC1":
            V *= len(weights) / (len(weights) - len(M))
    if center is None:
        return V
    move = np.eye(len(V))  # from the intercept at the means to that at zero
    move[0, 1:] = -center
    moved: Floats = move @ V @ move.T
    return moved


def _wald(b: Floats, V: Floats, intercept: bool, constant: bool) -> float:
    """Return the F statistic of all coefficients but a constant by a robust covariance."""
    if constant and not intercept:
        return float("nan")  # which parameter is the constant, the columns do not say
    inner = V[1:, 1:] if intercept else V
    return float(b @ np.linalg.solve(inner, b) / len(b))
