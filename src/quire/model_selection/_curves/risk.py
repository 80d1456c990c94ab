"""Empirical and held-out risk against a parameter, from too stiff to too loose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import indexable
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.plot import line_style, new_axes
from quire._shared.progress import Advance, progress
from quire._shared.sklearn import StrOptions, safe_indexing, validate_parameter_constraints
from quire._shared.typing import AnyArray, Floats
from quire.model_selection._curves.loss import Loss, loss_of
from quire.model_selection._curves.penalty import penalty_of, starts_warm
from quire.model_selection._estimators import last_step
from quire.model_selection._folds import folds_of

__all__ = ["RiskCurve", "risk_curve"]


@dataclass(frozen=True, eq=False, repr=False)
class RiskCurve:
    """Empirical and held-out risk by the value of a parameter, from :func:`risk_curve`.

    ``print(curve)`` shows a table and :meth:`plot` draws the curves. All risks are means over
    samples; lower is better.

    Attributes
    ----------
    param_name : str
        The parameter that was varied.
    values : ndarray of shape (n_values,)
        Its values, increasing.
    train_risks, test_risks : ndarray of shape (n_values, n_folds)
        The risk on the data a fold was fitted on, and on the data it was not.
    loss : str
        What the risk is the mean of.
    simpler : {"larger", "smaller"}
        Which values of the parameter make the simpler model.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import RiskCurve
    >>> curve = RiskCurve(
    ...     param_name="alpha",
    ...     values=np.array([0.1, 1.0, 10.0]),
    ...     train_risks=np.array([[1.0, 1.2], [1.3, 1.5], [3.0, 3.4]]),
    ...     test_risks=np.array([[2.0, 2.8], [2.1, 2.9], [3.5, 4.1]]),
    ...     loss="squared error",
    ...     simpler="larger",
    ... )
    >>> print(curve)
    squared error by alpha, mean ± standard error over 2 folds
    <BLANKLINE>
    alpha       training       held out
      0.1  1.100 ± 0.100  2.400 ± 0.400  best
        1  1.400 ± 0.100  2.500 ± 0.400  within one standard error
       10  3.200 ± 0.200  3.800 ± 0.300
    >>> curve.best()
    (0.1, 2.4)
    >>> curve.one_standard_error()
    (1.0, 2.5)
    """

    param_name: str
    values: Floats
    train_risks: Floats
    test_risks: Floats
    loss: str
    simpler: str

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.test_risks.shape[1])

    def mean(self, of: str = "test") -> Floats:
        """Return the mean over the folds.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training risk.

        Returns
        -------
        ndarray of shape (n_values,)
            Means.
        """
        means: Floats = self._risks(of).mean(axis=1)
        return means

    def standard_error(self, of: str = "test") -> Floats:
        """Return the standard error of the mean over the folds.

        The folds share training data, so it is a little too small; the rule of one standard error
        is one of thumb.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training risk.

        Returns
        -------
        ndarray of shape (n_values,)
            Standard errors; NaN if there is one fold only.
        """
        if self.n_folds < 2:
            return np.full(len(self.values), np.nan)
        with np.errstate(invalid="ignore"):  # a model that went to infinity
            errors: Floats = self._risks(of).std(axis=1, ddof=1) / np.sqrt(self.n_folds)
        return errors

    def best(self) -> tuple[float, float]:
        """Return the value with the lowest held-out risk.

        Returns
        -------
        value : float
            The value; of equally good ones that of the simplest model.
        risk : float
            The mean of its held-out risks.
        """
        return self._at(self._best())

    def one_standard_error(self) -> tuple[float, float]:
        """Return the simplest model whose risk is within one standard error of the best.

        Returns
        -------
        value : float
            The value; the best one if there is one fold only.
        risk : float
            The mean of its held-out risks.
        """
        return self._at(self._within())

    def to_frame(self) -> pl.DataFrame:
        """Return the risks as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each value and fold, with the columns ``value``, ``fold`` (from 0), ``train``
            and ``test``.
        """
        value, fold = (axis.ravel() for axis in np.indices(self.test_risks.shape))
        return pl.DataFrame(
            {
                "value": self.values[value],
                "fold": fold,
                "train": self.train_risks.ravel(),
                "test": self.test_risks.ravel(),
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw training and held-out risk against the parameter.

        Bands reach one standard error to either side; upright lines stand at the best value and at
        that of :meth:`one_standard_error`. The axis is logarithmic if all values are positive and
        span a factor of ten. Needs matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        ax = new_axes(ax)
        every = max(1, len(self.values) // 12)
        for number, (of, label) in enumerate((("train", "training"), ("test", "held out"))):
            style = line_style(number)
            mean, error = self.mean(of), self.standard_error(of)
            ax.plot(self.values, mean, label=label, markersize=5, markevery=every, **style)
            if self.n_folds > 1:
                ax.fill_between(
                    self.values, mean - error, mean + error, color=style["color"], alpha=0.2, lw=0
                )
        ax.axvline(self.best()[0], color="0.3", linestyle="--", lw=1, label="best")
        if self.n_folds > 1:
            chosen = self.one_standard_error()[0]
            ax.axvline(chosen, color="0.3", linestyle=":", lw=1.5, label="within one std. error")
        if self.values[0] > 0 and self.values[-1] >= 10 * self.values[0]:
            ax.set_xscale("log")
        ax.set_xlabel(self.param_name)
        what = self.loss[:1].upper() + self.loss[1:]
        ax.set_ylabel(f"{what}, mean of {self.n_folds} folds" if self.n_folds > 1 else what)
        ax.grid(color="0.9")
        ax.set_axisbelow(True)
        ax.legend()
        return ax

    def __str__(self) -> str:
        short = self.param_name.rpartition("__")[2]
        rows = [[short, "training", "held out"]]
        for number, value in enumerate(self.values):
            cells = [
                _cell(self.mean(of)[number], self.standard_error(of)[number])
                for of in ("train", "test")
            ]
            rows.append([f"{value:.4g}", *cells])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)) for row in rows]
        best, within = self._best(), self._within()
        lines[within + 1] += "  within one standard error"
        lines[best + 1] = lines[best + 1].removesuffix("  within one standard error") + "  best"
        spread = f", mean ± standard error over {self.n_folds} folds" if self.n_folds > 1 else ""
        return "\n".join([f"{self.loss} by {self.param_name}{spread}", "", *lines])

    def __repr__(self) -> str:
        return (
            f"RiskCurve(param_name={self.param_name!r}, n_values={len(self.values)}, "
            f"n_folds={self.n_folds}, loss={self.loss!r})"
        )

    def _risks(self, of: str) -> Floats:
        if of not in ("test", "train"):
            raise ValueError(f"of is {of!r}; expected 'test' or 'train'.")
        return self.test_risks if of == "test" else self.train_risks

    def _from_simple(self) -> NDArray[np.int64]:
        order = np.arange(len(self.values))
        return order[::-1] if self.simpler == "larger" else order

    def _best(self) -> int:
        order = self._from_simple()
        means = np.nan_to_num(self.mean(), nan=np.inf, posinf=np.inf)
        return int(order[np.argmin(means[order])])

    def _within(self) -> int:
        best = self._best()
        error = self.standard_error()[best]
        if not np.isfinite(error):
            return best
        order = self._from_simple()
        near = self.mean()[order] <= self.mean()[best] + error
        return int(order[np.argmax(near)])

    def _at(self, number: int) -> tuple[float, float]:
        return float(self.values[number]), float(self.mean()[number])


def _cell(mean: float, error: float) -> str:
    plain = 1e-3 <= abs(mean) < 1e5 or mean == 0
    if np.isnan(error):
        return f"{mean:.3f}" if plain else f"{mean:.2e}"
    return f"{mean:.3f} ± {error:.3f}" if plain else f"{mean:.2e} ± {error:.2e}"


_CONSTRAINTS: dict[str, list[Any]] = {
    "param_name": [str, None],
    "loss": [str, callable, None],
    "cv": ["cv_object"],
    "simpler": [StrOptions({"auto", "larger", "smaller"})],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["boolean"],
}


def risk_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    param_name: str | None = None,
    param_range: Iterable[Any] | None = None,
    loss: Any = None,
    cv: Any = 5,
    groups: Any = None,
    simpler: str = "auto",
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> RiskCurve:
    """Measure the risk of a model on its training data and on held-out data, by a parameter.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor, or a pipeline that ends with one. It is cloned for every fold.
    X : array-like, sparse matrix or sequence of shape (n_samples, ...)
        What the estimator takes, such as features, or texts for a pipeline with a vectorizer.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The targets or classes.
    param_name : str, default=None
        The parameter to vary; ``None`` finds the penalty, ``alpha`` or ``C``, also through a
        pipeline ("ridge__alpha").
    param_range : iterable of float, default=None
        Its values. ``None`` means values fit for the scale of the data, as in
        :func:`regularization_path`, if the parameter is a penalty.
    loss : str or callable, default=None
        The loss whose mean is the risk: "squared_error", "absolute_error", "log_loss" or
        "zero_one" (the share of errors); or a score of scikit-learn by name or as a scorer, of
        which the negative is the risk. ``None`` means log loss for classifiers with probabilities,
        "zero_one" for other classifiers, and squared error for regressors.
    cv : int, splitter or iterable of (train, test), default=5
        Folds. A number means that many, stratified for classifiers, which keep `groups` together if
        these are given.
    groups : array-like of shape (n_samples,), default=None
        Groups for the splitter.
    simpler : {"auto", "larger", "smaller"}, default="auto"
        Which values make the simpler model, for the rule of one standard error. "auto" is "larger"
        for ``alpha`` and "smaller" for ``C`` and all others.
    random_state : int, RandomState instance or None, default=None
        How to shuffle the samples before they are divided into folds, where `cv` is a number;
        ``None`` leaves them in order.
    n_jobs : int, default=None
        Number of folds to work on at a time, each in a thread. ``None`` means one, in which the
        kernels of quire use all cores.
    verbose : bool, default=False
        Show a progress bar with the time that is left.

    Returns
    -------
    RiskCurve
        The risks of every value and fold, with the best value, a table and a plot.

    Raises
    ------
    ValueError
        If an argument does not fit.

    See Also
    --------
    regularization_path : The coefficients against the penalty.
    sklearn.model_selection.validation_curve : Scores, without the choices made here.

    Notes
    -----
    Where the parameter belongs to the last step of a pipeline, the steps before it are fitted once
    in a fold, on its training data. Linear models that have ``warm_start`` start each fit from the
    one before, from the strongest penalty to the weakest.

    References
    ----------
    T. Hastie, R. Tibshirani and J. Friedman, "The Elements of Statistical Learning", 2nd edition,
    2009, section 7.10 (the rule of one standard error).

    Examples
    --------
    >>> import numpy as np
    >>> from quire.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import PolynomialFeatures, StandardScaler
    >>> from quire.model_selection import risk_curve
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(0, 1, size=(60, 1))
    >>> y = np.sin(2 * np.pi * x[:, 0]) + 0.3 * rng.normal(size=60)
    >>> model = make_pipeline(PolynomialFeatures(15), StandardScaler(), Ridge())
    >>> curve = risk_curve(model, x, y, param_range=[1e-6, 1e-3, 1, 1000])
    >>> print(curve)
    squared error by ridge__alpha, mean ± standard error over 5 folds
    <BLANKLINE>
    alpha       training       held out
    1e-06  0.064 ± 0.001  0.225 ± 0.141
    0.001  0.069 ± 0.001  0.137 ± 0.056  best
        1  0.141 ± 0.006  0.176 ± 0.042  within one standard error
     1000  0.480 ± 0.028  0.540 ± 0.102
    """
    validate_parameter_constraints(
        _CONSTRAINTS,
        {
            "param_name": param_name,
            "loss": loss,
            "cv": cv,
            "simpler": simpler,
            "random_state": random_state,
            "n_jobs": n_jobs,
            "verbose": verbose,
        },
        caller_name="risk_curve",
    )
    penalty = penalty_of(estimator, param_name)
    X, y, groups = indexable(X, y, groups)
    measure = loss_of(loss, estimator)
    values = _values(estimator, penalty, X, y, param_range)
    if simpler == "auto":
        simpler = "larger" if penalty.short == "alpha" else "smaller"
    splits = folds_of(cv, np.asarray(y), groups, random_state, classifier=is_classifier(estimator))

    with progress("Folds", len(splits), shown=verbose) as advance:
        folds = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(_fold)(estimator, penalty.name, values, simpler, measure, X, y, split, advance)
            for split in splits
        )
    risks = np.array(folds)  # (folds, values, 2)
    return RiskCurve(
        param_name=penalty.name,
        values=values.astype(np.float64),
        train_risks=risks[:, :, 0].T,
        test_risks=risks[:, :, 1].T,
        loss=measure.name,
        simpler=simpler,
    )


def _fold(
    estimator: Any,
    param_name: str,
    values: NDArray[Any],
    simpler: str,
    measure: Loss,
    X: Any,
    y: Any,
    split: tuple[AnyArray, AnyArray],
    advance: Advance,
) -> NDArray[np.float64]:
    """Return training and held-out risk for every value."""
    X_train, X_test = (safe_indexing(X, rows) for rows in split)
    y_train, y_test = (safe_indexing(y, rows) for rows in split)
    before, model, name = last_step(estimator, param_name)
    if before is not None:
        X_train = before.fit_transform(X_train, y_train)
        X_test = before.transform(X_test)
    warm = starts_warm(model) and "__" not in name
    if warm:
        model.set_params(warm_start=True)
    risks = np.empty((len(values), 2))
    numbers = np.arange(len(values))
    for number in numbers[::-1] if simpler == "larger" else numbers:
        if not warm:
            model = clone(model)
        model.set_params(**{name: values[number].item()}).fit(X_train, y_train)
        risks[number] = measure(model, X_train, y_train), measure(model, X_test, y_test)
        advance(1 / len(values))
    return risks


def _values(estimator: Any, penalty: Any, X: Any, y: Any, param_range: Any) -> NDArray[Any]:
    """Return the values of the parameter, increasing, whole numbers if all are."""
    if param_range is not None:
        values = np.unique(np.asarray(list(param_range)))
        if not len(values) or values.dtype.kind not in "iuf" or not np.isfinite(values).all():
            raise ValueError(
                f"param_range is {param_range!r}; expected finite numbers, such as [0.1, 1, 10]."
            )
        return values
    if penalty.short not in ("alpha", "C"):
        raise ValueError(
            f"there is no default range for {penalty.name}; give its values: param_range=[...]."
        )
    before, step, name = last_step(estimator, penalty.name)
    if "__" in name:
        raise ValueError(
            f"{penalty.name} belongs to an inner step, for which there is no default range; give "
            "its values: param_range=[...]."
        )
    Z = X if before is None else before.fit_transform(X, y)
    strengths = penalty.default_strengths(step, Z if hasattr(Z, "nnz") else np.asarray(Z), y)
    values = np.sort(penalty.value(strengths))
    return values
