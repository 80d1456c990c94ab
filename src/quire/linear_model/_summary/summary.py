r"""What a fitted linear model says, with its uncertainty: the object that ``summary`` returns.

Under the usual conditions the estimates of an unpenalised model are normal around the truth, with
the inverse of the information matrix as covariance. An estimate :math:`\hat\beta_j` with standard
error :math:`s_j` has the statistic :math:`\hat\beta_j / s_j` and the interval
:math:`\hat\beta_j \pm q\,s_j`, :math:`q` a quantile of the t or of the normal distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.typing import Floats
from quire.linear_model._summary.render import as_html, as_text

__all__ = ["Equation", "Summary", "equation_from"]

Measure = float | Floats


@dataclass(frozen=True, eq=False)
class Equation(ShownInNotebooks):
    """The parameters of one linear predictor: of one target, or of one class against another.

    Attributes
    ----------
    label : object
        The target or the class; ``None`` if there is one equation that needs no name.
    terms : tuple of str
        Name of each parameter: the intercept, features, thresholds.
    is_coefficient : ndarray of bool of shape (n_terms,)
        Which parameters belong to features.
    estimates, standard_errors, statistics, p_values : ndarray of shape (n_terms,)
        The estimates, their standard errors, the ratio of the two, and the two-sided p-value of the
        hypothesis that the parameter is zero.
    lower, upper : ndarray of shape (n_terms,)
        Ends of the confidence intervals.
    """

    label: Any
    terms: tuple[str, ...]
    is_coefficient: NDArray[np.bool_]
    estimates: Floats
    standard_errors: Floats
    statistics: Floats
    p_values: Floats
    lower: Floats
    upper: Floats


def equation_from(
    label: Any,
    terms: tuple[str, ...],
    is_coefficient: NDArray[np.bool_],
    estimates: Floats,
    variances: Floats,
    confidence: float,
    df: float = np.inf,
) -> Equation:
    """Return the table of estimates that have these variances.

    Parameters
    ----------
    label, terms, is_coefficient, estimates
        As in :class:`Equation`.
    variances : ndarray of shape (n_terms,)
        Squares of the standard errors.
    confidence : float
        Share of the intervals that hold the true value.
    df : float, default=inf
        Degrees of freedom of the t distribution; with infinitely many it is the normal one.
    """
    errors = np.sqrt(variances)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = estimates / errors
    reach = stats.t.ppf(0.5 + confidence / 2, df) * errors
    return Equation(
        label=label,
        terms=terms,
        is_coefficient=is_coefficient,
        estimates=estimates,
        standard_errors=errors,
        statistics=statistics,
        p_values=2 * stats.t.sf(np.abs(statistics), df),
        lower=estimates - reach,
        upper=estimates + reach,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    r"""Estimates of a model with standard errors, tests and intervals, and how well it fits.

    It comes from the method ``summary`` of a fitted model. ``print(summary)`` shows a table;
    notebooks show it as HTML. Measures of fit of least squares with several targets are arrays of
    shape (n_targets,).

    Attributes
    ----------
    model : str
        Name of the class of the model.
    method : str
        What was fitted, in words.
    equations : tuple of Equation
        The parameters, in one table for each target or class.
    statistic : {"t", "z"}
        Whether p-values and intervals come from the t or from the normal distribution.
    confidence : float
        Confidence of the intervals.
    covariance : ndarray of shape (n_parameters, n_parameters) or (n_targets, ...)
        Estimated covariance of the parameters, in the order of :meth:`to_frame`.
    covariance_type : str
        How it was estimated.
    n_samples : float
        Number of samples: rows with a weight above zero in least squares, else sum of the weights.
    n_parameters : int
        Number of parameters, of one target where there are several.
    df_model, df_residual : float
        Parameters beyond those of the null model; samples less parameters.
    log_likelihood, null_log_likelihood : float or ndarray
        Maximum of the log-likelihood, and its maximum where no feature has an effect.
    r2 : float or ndarray
        :math:`R^2` in least squares, else McFadden's
        :math:`1 - \log L / \log L_0`.
    adjusted_r2, residual_standard_error, f_statistic, f_p_value : float, ndarray or None
        Of least squares only.
    reference : object
        The class that the others are compared with.
    gives_odds : bool
        Whether the exponential of a coefficient is an odds ratio.
    notes : tuple of str
        What else to know when reading the numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.linear_model import LinearRegression
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> y = np.array([1.1, 1.9, 3.2, 3.8, 5.2])
    >>> summary = LinearRegression().fit(X, y).summary(X, y, feature_names=["dose"])
    >>> print(summary)
    Least squares (LinearRegression)
    <BLANKLINE>
    samples                   5    adjusted R2             0.9831
    parameters                2    residual std. error    0.20897
    residual df               3    F(1, 3)                 233.61
    log-likelihood        2.010    P(F)                     0.001
    null log-likelihood  -8.909    LR chi2(1)               21.84
    AIC                  -0.021    P(chi2)                 <0.001
    BIC                  -0.802    covariance           classical
    R2                   0.9873
    <BLANKLINE>
               estimate  std. error      t  P>|t|  lower 95%  upper 95%
    intercept    0.0100      0.2192   0.05  0.966    -0.6875     0.7075
    dose         1.0100      0.0661  15.28  0.001     0.7997     1.2203
    >>> summary.equations[0].standard_errors.round(4)
    array([0.2192, 0.0661])
    """

    model: str
    method: str
    equations: tuple[Equation, ...]
    statistic: str
    confidence: float
    covariance: Floats
    covariance_type: str
    n_samples: float
    n_parameters: int
    df_model: float
    df_residual: float
    log_likelihood: Measure
    null_log_likelihood: Measure
    r2: Measure
    adjusted_r2: Measure | None = None
    residual_standard_error: Measure | None = None
    f_statistic: Measure | None = None
    f_p_value: Measure | None = None
    reference: Any = None
    gives_odds: bool = False
    notes: tuple[str, ...] = ()

    @property
    def aic(self) -> Measure:
        r"""Akaike's criterion, :math:`-2 \log L + 2k` with :math:`k` parameters."""
        return -2 * self.log_likelihood + 2 * self.n_parameters

    @property
    def bic(self) -> Measure:
        r"""Schwarz's criterion, :math:`-2 \log L + k \log n`."""
        return -2 * self.log_likelihood + float(np.log(self.n_samples)) * self.n_parameters

    @property
    def likelihood_ratio(self) -> Measure:
        r"""Twice the gain in log-likelihood over the null model."""
        return 2 * (self.log_likelihood - self.null_log_likelihood)

    @property
    def likelihood_ratio_p_value(self) -> Measure:
        r"""P-value of the likelihood ratio by the :math:`\chi^2` distribution with `df_model`."""
        p: Measure = stats.chi2.sf(self.likelihood_ratio, self.df_model)
        return p if isinstance(self.likelihood_ratio, np.ndarray) else float(p)

    def to_frame(self) -> pl.DataFrame:
        """Return the parameters as a table.

        Returns
        -------
        polars.DataFrame
            A row for each parameter, with the columns ``equation`` (where there are several),
            ``term``, ``estimate``, ``std_error``, ``t`` or ``z``, ``p_value``, ``lower`` and
            ``upper``.
        """
        return pl.DataFrame(
            {
                **self._keys(np.ones_like),
                "estimate": self._all("estimates"),
                "std_error": self._all("standard_errors"),
                self.statistic: self._all("statistics"),
                "p_value": self._all("p_values"),
                "lower": self._all("lower"),
                "upper": self._all("upper"),
            }
        )

    def to_pandas(self) -> Any:
        """Return :meth:`to_frame` as a pandas DataFrame, indexed by equation and term.

        Needs pandas: ``pip install 'quire[pandas]'``.

        Returns
        -------
        pandas.DataFrame
            The same columns; those that name the parameter are the index.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "to_pandas needs pandas, which is not installed: pip install 'quire[pandas]'"
            ) from error
        frame = self.to_frame()
        names = [name for name in ("equation", "term") if name in frame.columns]
        return pd.DataFrame(frame.to_dict(as_series=False)).set_index(names)

    def odds_ratios(self) -> pl.DataFrame:
        r"""Return by what factor one more of a feature multiplies the odds, with intervals.

        In logistic regression the odds are those of a class against the reference class; in ordered
        logit models those of a higher outcome against a lower one. Intercepts and thresholds have
        no ratio: they are left out.

        Returns
        -------
        polars.DataFrame
            A row for each coefficient, with the columns ``equation`` (where there are several),
            ``term``, ``odds_ratio``, ``lower`` and ``upper``.

        Raises
        ------
        ValueError
            If coefficients of this model are no logarithms of odds ratios.
        """
        if not self.gives_odds:
            raise ValueError(
                f"{self.method} has no odds ratios: its coefficients are not logarithms of odds. "
                "Logistic regression and ordered models with link='logit' have them."
            )
        chosen = np.concatenate([equation.is_coefficient for equation in self.equations])
        with np.errstate(over="ignore"):
            return pl.DataFrame(
                {
                    **self._keys(lambda kept: kept),
                    "odds_ratio": np.exp(self._all("estimates")[chosen]),
                    "lower": np.exp(self._all("lower")[chosen]),
                    "upper": np.exp(self._all("upper")[chosen]),
                }
            )

    def as_text(self, width: int | None = None, max_terms: int = 50) -> str:
        """Return the summary as an aligned table.

        Parameters
        ----------
        width : int, default=None
            Columns to use; ``None`` means 80. Long names are shortened in the middle.
        max_terms : int, default=50
            Parameters to show of each equation; a line says how many were left out.

        Returns
        -------
        str
            Lines of text.
        """
        return as_text(self, 80 if width is None else width, max_terms)

    def as_html(self, max_terms: int = 50) -> str:
        """Return the summary as one HTML table that needs nothing from elsewhere.

        Parameters
        ----------
        max_terms : int, default=50
            Parameters to show of each equation.

        Returns
        -------
        str
            A ``table`` element; names are escaped.
        """
        return as_html(self, max_terms)

    def _repr_html_(self) -> str:
        return self.as_html()

    def __str__(self) -> str:
        return self.as_text()

    def __repr__(self) -> str:
        return (
            f"Summary(model={self.model!r}, n_samples={self.n_samples:g}, "
            f"n_parameters={self.n_parameters}, n_equations={len(self.equations)})"
        )

    def _all(self, name: str) -> Floats:
        return np.concatenate([getattr(equation, name) for equation in self.equations])

    def _keys(self, choose: Any) -> dict[str, list[Any]]:
        """Return the columns that name parameters; `choose` turns is_coefficient into a mask."""
        keys: dict[str, list[Any]] = {}
        masks = [choose(equation.is_coefficient) for equation in self.equations]
        if len(self.equations) > 1:
            keys["equation"] = [
                equation.label
                for equation, mask in zip(self.equations, masks, strict=True)
                for _ in range(int(mask.sum()))
            ]
        keys["term"] = [
            term
            for equation, mask in zip(self.equations, masks, strict=True)
            for term, kept in zip(equation.terms, mask, strict=True)
            if kept
        ]
        return keys
