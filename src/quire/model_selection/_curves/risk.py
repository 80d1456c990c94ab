"""Empirical and held-out risk against a parameter, from too stiff to too loose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.progress import Advance, progress
from quire._shared.sklearn import StrOptions, validate_parameter_constraints
from quire._shared.typing import AnyArray
from quire._shared.validation import indexable
from quire.model_selection._curves.fold_curve import FoldCurve, simpler_side
from quire.model_selection._curves.loss import Loss, loss_of
from quire.model_selection._curves.penalty import penalty_of, starts_warm
from quire.model_selection._estimators import last_step
from quire.model_selection._fold_statistics import held_out_ratio
from quire.model_selection._folds import folds_of, rows_of

__all__ = ["RiskCurve", "risk_curve"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RiskCurve(FoldCurve):
    """Empirical and held-out risk by the value of a parameter, from :func:`risk_curve`.

    A :class:`FoldCurve` whose scores are risks, means of a loss over samples: lower is better.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import RiskCurve
    >>> curve = RiskCurve(
    ...     values=np.array([0.1, 1.0, 10.0]),
    ...     param="alpha",
    ...     train_scores=np.array([[1.0, 1.2], [1.3, 1.5], [3.0, 3.4]]),
    ...     test_scores=np.array([[2.0, 2.8], [2.1, 2.9], [3.5, 4.1]]),
    ...     scoring="squared error",
    ...     simpler="larger",
    ...     test_ratio=1.0,
    ... )
    >>> curve.best()
    (0.1, 2.4)
    >>> curve.one_standard_error()
    (1.0, 2.5)
    """

    greater_is_better: bool = False


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
    alpha  training       held out
    1e-06     0.064  0.225 ± 0.141
    0.001     0.069  0.137 ± 0.056  best
        1     0.141  0.176 ± 0.042  within one standard error
     1000     0.480  0.540 ± 0.102
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
    simpler = simpler_side(simpler, penalty.name)
    splits = folds_of(cv, np.asarray(y), groups, random_state, classifier=is_classifier(estimator))

    with progress("Folds", len(splits), shown=verbose) as advance:
        folds = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(_fold)(estimator, penalty.name, values, simpler, measure, X, y, split, advance)
            for split in splits
        )
    risks = np.array(folds)  # (folds, values, 2)
    return RiskCurve(
        values=values.astype(np.float64),
        param=penalty.name,
        train_scores=risks[:, :, 0].T,
        test_scores=risks[:, :, 1].T,
        scoring=measure.name,
        simpler=simpler,
        test_ratio=held_out_ratio(splits),
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
    X_train, X_test = (rows_of(X, rows) for rows in split)
    y_train, y_test = (rows_of(y, rows) for rows in split)
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
