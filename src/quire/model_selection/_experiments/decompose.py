"""The experiment behind :func:`bias_variance`: learn from many samples, predict the same documents.

One piece of work is one sample of one fold: the training documents are drawn, the steps of a
pipeline before the one whose parameter varies are fitted once, and every value of the parameter is
fitted on the same documents. Predictions are added up in the order of the samples, whichever thread
made them, so that the number of threads changes no bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.labels import class_codes
from quire._shared.progress import Advance, progress
from quire._shared.sklearn import (
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from quire._shared.typing import AnyArray
from quire._shared.validation import indexable
from quire.model_selection._arguments import checked_labels
from quire.model_selection._estimators import last_step, seeded, seeds_from
from quire.model_selection._experiments.parts import Parts, Sum, SumOfErrors, SumOfSquares, joined
from quire.model_selection._experiments.resampling import drawer, held_out
from quire.model_selection._experiments.targets import Targets, targets_of
from quire.model_selection._folds import folds_of, rows_of

__all__ = ["Decomposed", "Options", "decompose"]

_CONSTRAINTS: dict[str, list[Any]] = {
    "loss": [str],
    "n_resamples": [Interval(Integral, 2, None, closed="left")],
    "resampling": [StrOptions({"bootstrap", "subsample"}), callable],
    "sample_size": [
        Interval(Real, 0, 1, closed="right"),
        Interval(Integral, 1, None, closed="left"),
        None,
    ],
    "test_size": [
        Interval(Real, 0, 1, closed="neither"),
        Interval(Integral, 1, None, closed="left"),
        None,
    ],
    "cv": ["cv_object"],
    "unbiased": ["boolean"],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["boolean"],
}
_LOSSES = {
    "auto": "auto",
    "squared": "squared",
    "squared_error": "squared",
    "zero-one": "zero_one",
    "zero_one": "zero_one",
}


@dataclass(frozen=True)
class Options:
    """How to resample and what to measure; the keyword arguments of :func:`bias_variance`."""

    loss: str = "auto"
    n_resamples: int = 50
    resampling: Any = "bootstrap"
    sample_size: Any = None
    test_size: Any = None
    cv: Any = None
    groups: Any = None
    y_true: Any = None
    noise: Any = None
    unbiased: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False

    def check(self) -> None:
        """Raise an error for values that do not fit, alone or together."""
        given = {name: getattr(self, name) for name in _CONSTRAINTS}
        validate_parameter_constraints(_CONSTRAINTS, given, caller_name="bias_variance")
        if self.loss not in _LOSSES:
            raise ValueError(f"loss is {self.loss!r}; expected 'auto', 'squared' or 'zero-one'.")
        if self.cv is not None and self.test_size is not None:
            raise ValueError(
                "cv and test_size both say which documents to test on; give one of them."
            )
        if callable(self.resampling):
            names = ("sample_size", "test_size", "cv", "groups")
            extra = [name for name in names if getattr(self, name) is not None]
            if extra:
                raise ValueError(
                    f"{' and '.join(extra)} cannot be used with a function as resampling: it draws "
                    "the training documents, and all of X and y are test documents."
                )


@dataclass(frozen=True)
class Decomposed:
    """The outcome for one value of the parameter."""

    parts: Parts
    rows: AnyArray
    loss: str
    n_training: int


def decompose(
    estimator: Any, X: Any, y: Any, options: Options, param: str = "", values: Sequence[Any] = ()
) -> list[Decomposed]:
    """Return the decomposition for every value of a parameter, or of the estimator as it is.

    Parameters
    ----------
    estimator : estimator
        A model or pipeline.
    X, y : array-like
        Documents and their targets.
    options : Options
        How to resample and what to measure.
    param : str, default=""
        The parameter that varies.
    values : sequence, default=()
        Its values.
    """
    options.check()
    X, y = indexable(X, y)
    classifier = is_classifier(estimator)
    targets = targets_of(estimator, X, y, _LOSSES[options.loss], options.y_true, options.noise)
    state = check_random_state(options.random_state)
    plan = _plan(targets, options, state, classifier)
    seeds = seeds_from(state, len(plan) * options.n_resamples)
    n_values = max(1, len(values))

    with progress("Samples", len(seeds), shown=options.verbose) as advance:
        work = (
            delayed(_sample)(estimator, param, values, targets, fold, X_test, X, seed, advance)
            for fold, X_test, seed in _pieces(plan, X, seeds, options.n_resamples)
        )
        done = Parallel(n_jobs=options.n_jobs, require="sharedmem", return_as="generator")(work)
        folds = [_added(done, fold, targets, options, n_values) for fold in plan]
    rows = np.concatenate([fold.test for fold in plan])
    sizes = [size for fold_sizes, _ in folds for size in fold_sizes]
    return [
        Decomposed(
            joined([sums[number].parts() for _, sums in folds]),
            rows,
            targets.title,
            round(float(np.mean(sizes))),
        )
        for number in range(n_values)
    ]


@dataclass(frozen=True)
class _Fold:
    """Test documents, and where their training documents come from."""

    test: AnyArray
    draw: Callable[[np.random.Generator], Any]
    fresh: bool  # draw gives documents and targets, not rows


def _plan(
    targets: Targets, options: Options, state: np.random.RandomState, classifier: bool
) -> list[_Fold]:
    """Return the folds, each with a function that draws its training documents."""
    if callable(options.resampling):
        return [_Fold(np.arange(len(targets.y)), options.resampling, fresh=True)]
    codes = class_codes(targets.y)[1] if classifier else None
    _check_enough(targets, codes, options.groups)
    if options.cv is None:
        size = 0.25 if options.test_size is None else options.test_size
        splits = held_out(size, targets.y, codes, options.groups, seeds_from(state, 1)[0])
    else:
        splits = folds_of(
            options.cv, targets.y, options.groups, options.random_state, classifier=classifier
        )
    replace = options.resampling == "bootstrap"
    return [
        _Fold(
            test,
            drawer(train, codes, options.groups, _share(options, train), replace=replace),
            fresh=False,
        )
        for train, test in splits
    ]


def _check_enough(targets: Targets, codes: NDArray[Any] | None, groups: Any) -> None:
    n = len(targets.y)
    if n < 4:
        raise ValueError(
            f"there are {n} documents; a sample to learn from and documents to test on take at "
            "least 4."
        )
    if groups is not None:
        if len(groups) != n:
            raise ValueError(f"groups has {len(groups)} entries for {n} documents; give one each.")
        return
    if codes is None:
        return
    counts = np.bincount(codes)
    if counts.min() < 2:
        name = class_codes(targets.y)[0].tolist()[int(counts.argmin())]
        raise ValueError(
            f"class {name!r} has one document; it takes two, to learn from one and test on the "
            "other. Remove the class or join it with another."
        )


def _share(options: Options, train: AnyArray) -> float:
    """Return how many documents to draw for each that there is."""
    size = options.sample_size
    if size is None:
        return 1.0 if options.resampling == "bootstrap" else 0.5
    share = float(size) / len(train) if isinstance(size, Integral) else float(size)
    if options.resampling == "subsample" and share >= 1:
        raise ValueError(
            f"sample_size is {size!r}, but there are {len(train)} documents to draw from: every "
            "subsample would be the same. Give less, or resampling='bootstrap'."
        )
    return share


def _pieces(
    plan: list[_Fold], X: Any, seeds: list[int], n_resamples: int
) -> Iterator[tuple[_Fold, Any, int]]:
    """Give each piece of work; test documents are taken from X once in a fold."""
    for number, fold in enumerate(plan):
        X_test = X if fold.fresh else rows_of(X, fold.test)
        for seed in seeds[number * n_resamples : (number + 1) * n_resamples]:
            yield fold, X_test, seed


def _sample(
    estimator: Any,
    param: str,
    values: Sequence[Any],
    targets: Targets,
    fold: _Fold,
    X_test: Any,
    X: Any,
    seed: int,
    advance: Advance,
) -> tuple[int, list[NDArray[Any]]]:
    """Return how many documents one sample has, and the predictions for every value."""
    X_train, y_train = _drawn(fold, X, targets, seed)
    model = seeded(estimator, seed)
    if not values:
        predictions = [targets.predict(model.fit(X_train, y_train), X_test)]
    else:
        before, model, name = last_step(model, param)
        if before is not None:
            X_train = before.fit_transform(X_train, y_train)
            X_test = before.transform(X_test)
        predictions = []
        for value in values:
            fitted = clone(model).set_params(**{name: value}).fit(X_train, y_train)
            predictions.append(targets.predict(fitted, X_test))
            advance(0)
    advance(1)
    return len(y_train), predictions


def _drawn(fold: _Fold, X: Any, targets: Targets, seed: int) -> tuple[Any, Any]:
    drawn = fold.draw(np.random.default_rng(seed))
    if not fold.fresh:
        return rows_of(X, drawn), targets.y[drawn]
    if not (isinstance(drawn, tuple) and len(drawn) == 2):
        raise TypeError(
            f"the function given as resampling returned {type(drawn).__name__}; expected a pair of "
            "documents and targets: X, y."
        )
    X_train, y_train = indexable(*drawn)
    return X_train, checked_labels(y_train) if targets.classes is not None else y_train


def _added(
    done: Iterator[tuple[int, list[NDArray[Any]]]],
    fold: _Fold,
    targets: Targets,
    options: Options,
    n_values: int,
) -> tuple[list[int], list[Sum]]:
    """Return the sizes of the samples of a fold and, for every value, the sum of its samples."""
    sums: list[Sum] = [_empty_sum(targets, fold.test, options.unbiased) for _ in range(n_values)]
    sizes = []
    for _ in range(options.n_resamples):
        size, predictions = next(done)
        sizes.append(size)
        for total, predicted in zip(sums, predictions, strict=True):
            total.add(predicted)
    return sizes, sums


def _empty_sum(targets: Targets, rows: AnyArray, unbiased: bool) -> Sum:
    def of(values: NDArray[Any] | None) -> Any:
        return None if values is None else values[rows]

    if targets.outputs is None:
        return SumOfErrors(targets.y[rows], of(targets.truth))
    return SumOfSquares(
        targets.outputs[rows],
        of(targets.truth),
        of(targets.noise),
        average=targets.classes is None,
        unbiased=unbiased,
    )
