"""How the coefficients of a model grow as its penalty is taken away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import check_consistent_length

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.plot import faint, grid, line_style, middle, new_axes
from quire._shared.progress import progress
from quire._shared.sklearn import Interval, validate_parameter_constraints
from quire._shared.typing import Floats
from quire._shared.validation import check_array
from quire.model_selection._curves.loss import loss_of
from quire.model_selection._curves.penalty import Penalty, divided, penalty_of, starts_warm
from quire.model_selection._curves.risk import RiskCurve, risk_curve
from quire.model_selection._estimators import last_step

__all__ = ["RegularizationPath", "regularization_path"]

_MOST_LINES = 500  # beside the labelled ones


@dataclass(frozen=True, eq=False, repr=False)
class RegularizationPath(ShownInNotebooks):
    """Coefficients of a model by the strength of its penalty, from :func:`regularization_path`.

    ``print(path)`` shows a table and :meth:`plot` draws the coefficients.

    Attributes
    ----------
    penalties : ndarray of shape (n_penalties,)
        Strengths, from strong to weak: values of alpha, or of 1 / C.
    coefs : ndarray of shape (n_penalties, n_outputs, n_features)
        Coefficients; an output is a target, a class, or the only one there is.
    intercepts : ndarray of shape (n_penalties, n_intercepts)
        Intercepts, or the thresholds of a model of ordered outcomes.
    risks : ndarray of shape (n_penalties,)
        Mean loss on the training data, without the penalty.
    terms : ndarray of shape (n_features,)
        Names of the features.
    outputs : tuple
        The targets or classes; one ``None`` if there is one output only.
    param_name : str
        The parameter that was varied.
    label : str
        What the strengths are: "alpha" or "1 / C".
    loss : str
        What `risks` are.
    given : float or None
        The strength that the model had when it was given, such as one that was chosen.
    held_out : ndarray of shape (n_penalties, n_folds) or None
        Risk of documents while they were held out, if folds were given.
    held_out_loss : str
        What `held_out` is.
    model : str
        The name of the model.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.linear_model import Lasso
    >>> from quire.model_selection import regularization_path
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 2.0]])
    >>> path = regularization_path(Lasso(), X, [0.0, 1.0, 2.0, 4.0], penalties=[2, 1, 0.1])
    >>> print(path)
    coefficients of 2 terms by alpha
    <BLANKLINE>
    alpha  not zero  sum of |coef|  squared error
        2         0          0.000        2.18750
        1         1          0.500        0.87500
      0.1         2          1.300        0.06167
    """

    penalties: Floats
    coefs: Floats
    intercepts: Floats
    risks: Floats
    terms: NDArray[Any]
    outputs: tuple[Any, ...]
    param_name: str
    label: str
    loss: str
    given: float | None = None
    held_out: Floats | None = None
    held_out_loss: str = ""
    model: str = ""

    def n_nonzero(self) -> NDArray[np.int64]:
        """Return how many coefficients are not zero.

        With the L1 penalty and squared error that is the number of degrees of freedom.

        Returns
        -------
        ndarray of shape (n_penalties,)
            Counts over all outputs.
        """
        counts: NDArray[np.int64] = np.count_nonzero(self.coefs, axis=(1, 2))
        return counts

    def norms(self, order: int = 1) -> Floats:
        """Return the norm of all coefficients.

        Parameters
        ----------
        order : {1, 2}, default=1
            Sum of absolute values, or root of the sum of squares.

        Returns
        -------
        ndarray of shape (n_penalties,)
            Norms.
        """
        if order == 1:
            total: Floats = np.abs(self.coefs).sum(axis=(1, 2))
        elif order == 2:
            total = np.sqrt((self.coefs**2).sum(axis=(1, 2)))
        else:
            raise ValueError(f"order is {order!r}; expected 1 or 2.")
        return total

    def strongest(self, n_terms: int = 10, output: Any = None) -> list[str]:
        """Return the terms with the largest coefficients anywhere on the path.

        Parameters
        ----------
        n_terms : int, default=10
            How many; terms that are zero everywhere are never among them.
        output : object, default=None
            The target or class; ``None`` means the first.

        Returns
        -------
        list of str
            From the largest absolute value down.
        """
        return [str(self.terms[j]) for j in self._order(n_terms, self._number(output))]

    def to_frame(self) -> pl.DataFrame:
        """Return the coefficients as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each penalty, output and term, with the columns ``penalty``, ``output`` (where
            there are several), ``term`` and ``coef``.
        """
        n_penalties, n_outputs, n_features = self.coefs.shape
        columns: dict[str, Any] = {"penalty": np.repeat(self.penalties, n_outputs * n_features)}
        if n_outputs > 1:
            each = pl.Series(list(self.outputs)).to_frame("output")
            repeated = np.tile(np.repeat(np.arange(n_outputs), n_features), n_penalties)
            columns["output"] = each["output"].gather(repeated)
        names = pl.Series([str(term) for term in self.terms])
        columns["term"] = names.gather(np.tile(np.arange(n_features), n_penalties * n_outputs))
        columns["coef"] = self.coefs.ravel()
        return pl.DataFrame(columns)

    def plot(self, ax: Any = None, n_terms: int = 10, output: Any = None) -> Any:
        """Draw the coefficients against the penalty, on a logarithmic axis.

        The strongest terms are named, the others are grey; a dotted line is at the penalty that the
        model was given with. Needs matplotlib:
        ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.
        n_terms : int, default=10
            How many terms to name.
        output : object, default=None
            The target or class; ``None`` means the first.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        number = self._number(output)
        named = self._order(n_terms, number)
        others = self._order(n_terms + _MOST_LINES, number)[n_terms:]
        ax = new_axes(ax)
        coefs = self.coefs[:, number]
        if others:
            ax.plot(self.penalties, coefs[:, others], color=faint(), linewidth=0.8, zorder=1)
        weakest = coefs[-1]
        for place, j in enumerate(sorted(named, key=lambda j: -weakest[j])):
            style = line_style(place)
            ax.plot(
                self.penalties,
                coefs[:, j],
                label=str(self.terms[j]),
                markersize=4,
                markevery=max(1, len(self.penalties) // 8),
                **style,
            )
        ax.axhline(0, color=middle(), linewidth=0.8, zorder=1)
        ax.set_xscale("log")
        if self.given is not None and self.penalties[-1] <= self.given <= self.penalties[0]:
            ax.axvline(self.given, color=middle(), linestyle=":", linewidth=1, zorder=1)
        ax.set_xlabel(f"Penalty ({self.label})")
        what = self.outputs[number]
        ax.set_ylabel("Coefficient" if what is None else f"Coefficient for {what}")
        grid(ax)
        if named:
            ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        return ax

    def _notebook_caption(self) -> str:
        several = f" and {len(self.outputs)} outputs" if len(self.outputs) > 1 else ""
        return f"coefficients of {len(self.terms):,} terms{several} by {self.label}"

    def _notebook_cells(self) -> list[list[str]]:
        rows = [[self.label, "not zero", "sum of |coef|", self.loss]]
        for penalty, count, norm, risk in zip(
            self.penalties, self.n_nonzero(), self.norms(), self.risks, strict=True
        ):
            rows.append([f"{penalty:.4g}", f"{count:,}", f"{norm:,.3f}", f"{risk:.5f}"])
        return rows

    def __str__(self) -> str:
        rows = self._notebook_cells()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)) for row in rows]
        return "\n".join([self._notebook_caption(), "", *lines])

    def __repr__(self) -> str:
        return (
            f"RegularizationPath(param_name={self.param_name!r}, "
            f"n_penalties={len(self.penalties)}, n_outputs={len(self.outputs)}, "
            f"n_features={len(self.terms)})"
        )

    def _number(self, output: Any) -> int:
        if output is None:
            return 0
        if output not in self.outputs:
            there = ", ".join(map(repr, self.outputs))
            raise ValueError(f"there is no output {output!r} in this path; there are: {there}.")
        return self.outputs.index(output)

    def _order(self, n_terms: int, output: int) -> list[int]:
        """Return the numbers of the terms that are not zero everywhere, the largest first."""
        sizes = np.abs(self.coefs[:, output]).max(axis=0)
        order = np.argsort(-sizes, kind="stable")[: max(n_terms, 0)]
        return [int(j) for j in order if sizes[j] > 0]


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
    cv: Any = None,
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
    cv : int, splitter or iterable of (train, test), default=None
        Folds by which the risk of held-out documents is measured at every penalty, too: the share
        of errors of classifiers, the squared error of other models. It is not if ``None``.
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
    given = _given(estimator, penalty)
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
    held_out = None
    if cv is not None:
        of = "zero_one" if is_classifier(step) else "squared_error"
        values = [penalty.value(float(strength)) for strength in strengths]
        held_out = risk_curve(
            estimator, X, y, param_name=penalty.name, param_range=values, loss=of, cv=cv
        )
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
        given=given,
        held_out=None if held_out is None else _in_order(held_out, strengths, penalty),
        held_out_loss="" if held_out is None else held_out.scoring,
        model=type(step).__name__,
    )


def _given(estimator: Any, penalty: Penalty) -> float | None:
    """Return the strength that an estimator states, if it states one."""
    value = estimator.get_params(deep=True)[penalty.name]
    number = float(value) if isinstance(value, Real) else np.nan
    return float(penalty.value(number)) if 0 < number < np.inf else None


def _in_order(curve: RiskCurve, strengths: Floats, penalty: Penalty) -> Floats:
    """Return held-out risks in the order of the strengths."""
    place = np.argsort([penalty.value(float(strength)) for strength in strengths])
    risks = np.empty_like(curve.test_scores)
    risks[place] = curve.test_scores[np.argsort(curve.values)]
    return risks


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
