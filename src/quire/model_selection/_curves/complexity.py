"""Scores against a parameter that makes a model looser, with bias and variance if wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from numbers import Integral
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.number_tables import number
from quire._shared.plot import grid, line_style, new_axes
from quire._shared.progress import Advance, progress
from quire._shared.sklearn import StrOptions, validate_parameter_constraints
from quire._shared.typing import AnyArray
from quire._shared.validation import indexable
from quire.model_selection._arguments import checked_labels, checked_targets, score_title
from quire.model_selection._curves.fold_curve import FoldCurve, simpler_side, timed_scores
from quire.model_selection._estimators import last_step, seeded, seeds_from
from quire.model_selection._experiments.bias_variance import BiasVariance, result_of
from quire.model_selection._experiments.decompose import Options
from quire.model_selection._experiments.decompose import decompose as decomposed
from quire.model_selection._fold_statistics import held_out_ratio
from quire.model_selection._folds import folds_of, rows_of

__all__ = ["ComplexityCurve", "complexity_curve"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ComplexityCurve(FoldCurve):
    """Training and held-out scores by the value of a parameter, from :func:`complexity_curve`.

    A :class:`FoldCurve` that can divide the loss into its parts as well. Scores are those of
    scikit-learn: higher is better.

    Attributes
    ----------
    decompositions : tuple of BiasVariance
        One for each value; empty if none was asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import ComplexityCurve
    >>> curve = ComplexityCurve(
    ...     values=(2, None),
    ...     param="max_depth",
    ...     train_scores=np.array([[0.8, 0.9], [1.0, 1.0]]),
    ...     test_scores=np.array([[0.8, 0.84], [0.6, 0.7]]),
    ...     scoring="accuracy",
    ...     test_ratio=1.0,
    ... )
    >>> print(curve)
    accuracy by max_depth, mean ± standard error over 2 folds
    <BLANKLINE>
    max_depth  training       held out
            2     0.850  0.820 ± 0.020  best
         None     1.000  0.650 ± 0.050
    >>> curve.best()[0]
    2
    """

    decompositions: tuple[BiasVariance, ...] = ()

    def table(self) -> pl.DataFrame:
        """Return the means over the folds.

        Returns
        -------
        polars.DataFrame
            That of :class:`FoldCurve`; with decompositions also ``loss``, ``bias``, ``variance``,
            ``net_variance``, ``noise`` and ``chance``.
        """
        frame = super().table()
        if not self.decompositions:
            return frame
        names = ("loss", "bias", "variance", "net_variance", "noise", "chance")
        return frame.with_columns(
            pl.Series(name, [getattr(one, name) for one in self.decompositions], dtype=pl.Float64)
            for name in names
        )

    def plot(self, ax: Any = None, *, level: float | None = None, of: str = "scores") -> Any:
        """Draw the scores, or the parts of the loss, against the parameter.

        The axis is logarithmic if all values are positive numbers and span a factor of ten. Needs
        matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.
        level : float, default=None
            Level of the interval that the bands around the scores show; ``None`` for one standard
            error to either side.
        of : {"scores", "parts"}, default="scores"
            What to draw. Parts need a curve with decompositions.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        if of not in ("scores", "parts"):
            raise ValueError(f"of is {of!r}; expected 'scores' or 'parts'.")
        if of == "scores":
            return super().plot(ax, level=level)
        if not self.decompositions:
            raise ValueError("this curve has no parts; make it with decompose=True.")
        ax = new_axes(ax)
        name = self.decompositions[0].loss_name
        losses = [one.loss for one in self.decompositions]
        for place, (part, means) in enumerate({name: losses, **self._parts()}.items()):
            ax.plot(self._places(), means, label=part, markersize=5, **line_style(place))
        ax.set_ylabel(f"{name[:1].upper()}{name[1:]}")
        ax.set_xlabel(self.param)
        self._set_axis(ax)
        grid(ax)
        ax.legend()
        return ax

    def _parts(self) -> dict[str, list[float]]:
        """Return the means of the parts, by name and value."""
        parts = [one.parts() for one in self.decompositions]
        names = dict.fromkeys(name for one in parts for name in one)
        return {
            name: [float(one[name].mean()) if name in one else 0.0 for one in parts]
            for name in names
        }

    def _cells(self) -> list[list[str]]:
        rows = super()._cells()
        if not self.decompositions:
            return rows
        losses = [one.loss for one in self.decompositions]
        for name, means in {**self._parts(), self.decompositions[0].loss_name: losses}.items():
            cells = [name, *(number(mean, max(losses)) for mean in means)]
            rows = [[*row, cell] for row, cell in zip(rows, cells, strict=True)]
        return rows


_CONSTRAINTS: dict[str, list[Any]] = {
    "param": [str],
    "cv": ["cv_object"],
    "scoring": [str, callable, None],
    "simpler": [StrOptions({"auto", "larger", "smaller"})],
    "decompose": ["boolean", Mapping],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["boolean"],
}
_SHARED = ("random_state", "n_jobs", "verbose", "groups")


def complexity_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    param: str,
    values: Iterable[Any],
    cv: Any = 5,
    groups: Any = None,
    scoring: Any = None,
    simpler: str = "auto",
    decompose: bool | Mapping[str, Any] = False,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> ComplexityCurve:
    """Measure training and held-out scores of a model by the value of a parameter.

    All values are fitted on the same folds and, with `decompose`, on the same samples, so that
    differences are those of the parameter.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor, or a pipeline that ends with one. It is cloned for every fit.
    X : array-like, sparse matrix, DataFrame or sequence of shape (n_samples, ...)
        What the estimator takes, such as features, or texts for a pipeline with a vectorizer.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The targets or classes.
    param : str
        The parameter to vary, also of a step of a pipeline: "ridge__alpha".
    values : iterable
        Its values. Numbers are sorted; others, such as ``None`` or pairs, keep their order.
    cv : int, splitter or iterable of (train, test), default=5
        Folds. A number means that many, stratified for classifiers, which keep `groups` together if
        these are given.
    groups : array-like of shape (n_samples,), default=None
        Groups for the splitter.
    scoring : str or callable, default=None
        A score of scikit-learn by name, or a scorer; ``None`` is the estimator's own: accuracy for
        classifiers and R² for regressors.
    simpler : {"auto", "larger", "smaller"}, default="auto"
        Which values make the simpler model, for the rule of one standard error: larger ones for a
        parameter called alpha, smaller ones for all others. Of values that are no numbers, the last
        or the first.
    decompose : bool or dict, default=False
        Whether to divide the loss into bias, variance and noise as :func:`bias_variance` does. A
        dict holds arguments for it: ``{"n_resamples": 200, "y_true": truth}``.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds where `cv` is a number, which are not shuffled with ``None``; of the
        samples; and of models whose own ``random_state`` is ``None``.
    n_jobs : int, default=None
        Number of folds or samples to work on at a time, each in a thread. ``None`` means one, in
        which the kernels of quire use all cores.
    verbose : bool, default=False
        Show a progress bar with the time that is left.

    Returns
    -------
    ComplexityCurve
        The scores and times of every value and fold, with a table and a plot.

    Raises
    ------
    ValueError
        If an argument does not fit, such as a parameter that the estimator does not have.

    See Also
    --------
    risk_curve : Losses by the penalty, with the rule of one standard error.
    learning_curve : Scores by the number of training documents.

    Notes
    -----
    Where the parameter belongs to the last step of a pipeline, the steps before it are fitted once
    in a fold or sample, on its training documents; fit times are then those of the last step.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from quire.model_selection import complexity_curve
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(0, 1, size=(300, 1))
    >>> truth = np.sin(2 * np.pi * x[:, 0])
    >>> y = truth + 0.3 * rng.normal(size=300)
    >>> curve = complexity_curve(
    ...     DecisionTreeRegressor(),
    ...     x,
    ...     y,
    ...     param="max_depth",
    ...     values=[1, 4, 12],
    ...     decompose={"y_true": truth},
    ...     random_state=0,
    ... )
    >>> print(curve)
    R² by max_depth, mean ± standard error over 5 folds
    <BLANKLINE>
    max_depth  training       held out  noise  bias²  variance  chance  squared error
            1     0.694  0.682 ± 0.030  0.082  0.086     0.009  -0.006          0.170
            4     0.867  0.813 ± 0.012  0.082  0.011     0.015   0.001          0.110  best
           12     0.990  0.721 ± 0.017  0.082  0.042     0.035   0.005          0.164
    """
    given = {"param": param, "cv": cv, "scoring": scoring, "decompose": decompose}
    others = {
        "simpler": simpler,
        "random_state": random_state,
        "n_jobs": n_jobs,
        "verbose": verbose,
    }
    validate_parameter_constraints(
        _CONSTRAINTS, {**given, **others}, caller_name="complexity_curve"
    )
    _check_param(estimator, param)
    chosen = _values(values)
    X, y, groups = indexable(X, y, groups)
    classifier = is_classifier(estimator)
    targets = checked_labels(y) if classifier else checked_targets(y)
    scorer = check_scoring(estimator, scoring)
    state = check_random_state(random_state)
    options = _options(decompose, groups, seeds_from(state, 1)[0], n_jobs, verbose)
    folds = folds_of(cv, targets, groups, random_state, classifier=classifier)
    seeds = seeds_from(state, len(folds))

    with progress("Folds", len(folds), shown=verbose) as advance:
        scores = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(_fold)(estimator, param, chosen, X, targets, fold, scorer, seed, advance)
            for fold, seed in zip(folds, seeds, strict=True)
        )
    train, test, fit, score = np.array(scores).transpose(2, 1, 0)
    return ComplexityCurve(
        values=chosen,
        param=param,
        train_scores=train,
        test_scores=test,
        fit_times=fit,
        score_times=score,
        scoring=score_title(scoring, estimator),
        simpler=simpler_side(simpler, param),
        test_ratio=held_out_ratio(folds),
        decompositions=_decompositions(estimator, X, targets, options, param, chosen),
    )


def _fold(
    estimator: Any,
    param: str,
    values: tuple[Any, ...],
    X: Any,
    y: NDArray[Any],
    fold: tuple[AnyArray, AnyArray],
    scorer: Any,
    seed: int,
    advance: Advance,
) -> NDArray[np.float64]:
    """Return scores and times of every value: training, held out, to fit, to score."""
    X_train, X_test = (rows_of(X, rows) for rows in fold)
    y_train, y_test = (y[rows] for rows in fold)
    before, model, name = last_step(seeded(estimator, seed), param)
    if before is not None:
        X_train = before.fit_transform(X_train, y_train)
        X_test = before.transform(X_test)
    scores = np.empty((len(values), 4))
    for place, value in enumerate(values):
        one = clone(model).set_params(**{name: value})
        scores[place] = timed_scores(one, X_train, y_train, X_test, y_test, scorer)
        advance(1 / len(values))
    return scores


def _decompositions(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    options: Options | None,
    param: str,
    values: tuple[Any, ...],
) -> tuple[Any, ...]:
    if options is None:
        return ()
    parts = decomposed(estimator, X, y, options, param, values)
    return tuple(result_of(one, estimator, options) for one in parts)


def _options(
    wanted: bool | Mapping[str, Any], groups: Any, seed: int, n_jobs: int | None, verbose: bool
) -> Options | None:
    """Return how to decompose, or ``None``."""
    if not wanted and not isinstance(wanted, Mapping):
        return None
    more = dict(wanted) if isinstance(wanted, Mapping) else {}
    names = [field.name for field in fields(Options) if field.name not in _SHARED]
    unknown = [name for name in more if name not in names]
    if unknown:
        raise ValueError(
            f"decompose has {unknown[0]!r}, which is no argument of it. It takes: "
            f"{', '.join(names)}."
        )
    if callable(more.get("resampling")):
        groups = None
    options = Options(**more, groups=groups, random_state=seed, n_jobs=n_jobs, verbose=verbose)
    options.check()
    return options


def _check_param(estimator: Any, param: str) -> None:
    names = list(estimator.get_params(deep=True))
    if param in names:
        return
    near = [name for name in names if name.endswith(f"__{param}")]
    near += [name for name in get_close_matches(param, names, n=3) if name not in near]
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise ValueError(f"{type(estimator).__name__} has no parameter {param!r}.{hint}")


def _values(values: Any) -> tuple[Any, ...]:
    """Return the values as plain Python objects; numbers increasing and each once."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"values is {values!r}; expected a list of values, such as [0.1, 1, 10].")
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    if not plain:
        raise ValueError("values is empty: give at least one value of the parameter.")
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in plain):
        return tuple(sorted(set(plain)))
    return tuple(plain)
