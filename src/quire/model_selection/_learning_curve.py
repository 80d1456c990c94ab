"""Scores against the number of training documents: whether more of them would help."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state, indexable
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.labels import class_codes
from quire._shared.progress import Advance, progress
from quire._shared.sklearn import safe_indexing, validate_parameter_constraints
from quire._shared.typing import AnyArray
from quire.model_selection._arguments import checked_labels
from quire.model_selection._learning import LearningCurve
from quire.model_selection._resampling import folds_of, seeded, seeds_from
from quire.model_selection._score_curve import score_title
from quire.model_selection._targets import checked_targets

__all__ = ["learning_curve"]

_CONSTRAINTS: dict[str, list[Any]] = {
    "cv": ["cv_object"],
    "scoring": [str, callable, None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["boolean"],
}
_DEFAULT_SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
_ADVICE = 'Give numbers of documents, shares up to 1.0, or "all": [100, 1000, 0.5, "all"].'


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Iterable[Any] | None = None,
    cv: Any = 5,
    groups: Any = None,
    scoring: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> LearningCurve:
    """Measure how a model gets better with more training documents.

    In every fold the training documents are put in a random order once, and each size takes the
    first of them: smaller sets are parts of larger ones. The held-out documents stay the same. For
    classifiers every set has the classes in about the shares of the fold, and all of them.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor, or a pipeline that ends with one. It is cloned for every fit.
    X : array-like, sparse matrix, DataFrame or sequence of shape (n_samples, ...)
        What the estimator takes, such as features, or texts for a pipeline with a vectorizer.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The targets or classes.
    sizes : iterable of int, float or "all", default=None
        How many training documents: whole numbers are documents, fractions up to 1.0 are shares of
        the training documents of the smallest fold, which "all" takes completely. ``None`` halves
        them five times.
    cv : int, splitter or iterable of (train, test), default=5
        Folds. A number means that many, stratified for classifiers, which keep `groups` together if
        these are given.
    groups : array-like of shape (n_samples,), default=None
        Groups for the splitter.
    scoring : str or callable, default=None
        A score of scikit-learn by name, or a scorer; ``None`` is the estimator's own: accuracy for
        classifiers and R² for regressors.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of training documents, of the folds where `cv` is a number, and of models
        whose own ``random_state`` is ``None``. With ``None`` the folds are not shuffled, and the
        order differs from call to call.
    n_jobs : int, default=None
        Number of folds to work on at a time, each in a thread. ``None`` means one, in which the
        kernels of quire use all cores.
    verbose : bool, default=False
        Show a progress bar with the time that is left.

    Returns
    -------
    LearningCurve
        The scores and times of every size and fold, with a table and a plot.

    Raises
    ------
    ValueError
        If an argument does not fit, such as a size that no fold has.

    See Also
    --------
    complexity_curve : Scores by the value of a parameter.
    bias_variance : Why a model errs.

    Notes
    -----
    Times are measured in the threads at work; they compare best with ``n_jobs=None``.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from quire.datasets import make_text_classification
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.model_selection import learning_curve
    >>> from quire.naive_bayes import MultinomialNB
    >>> data = make_text_classification(400, n_classes=3, random_state=0)
    >>> model = make_pipeline(CountVectorizer(), MultinomialNB())
    >>> curve = learning_curve(
    ...     model, data.texts, data.y, sizes=[20, 80, "all"], random_state=0
    ... )
    >>> curve.sizes
    array([ 20,  80, 320])
    >>> bool(curve.mean()[0] < curve.mean()[-1])
    True
    """
    given = {"cv": cv, "scoring": scoring, "random_state": random_state}
    validate_parameter_constraints(
        _CONSTRAINTS, {**given, "n_jobs": n_jobs, "verbose": verbose}, caller_name="learning_curve"
    )
    X, y, groups = indexable(X, y, groups)
    classifier = is_classifier(estimator)
    targets = checked_labels(y) if classifier else checked_targets(y)
    codes = class_codes(targets)[1] if classifier else None
    scorer = check_scoring(estimator, scoring)
    folds = folds_of(cv, targets, groups, random_state, classifier=classifier)
    counts = _counts(sizes, min(len(train) for train, _ in folds), codes)
    seeds = seeds_from(check_random_state(random_state), len(folds))

    with progress("Documents", len(folds) * int(counts.sum()), shown=verbose) as advance:
        found = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(_fold)(estimator, X, targets, codes, fold, counts, scorer, seed, advance)
            for fold, seed in zip(folds, seeds, strict=True)
        )
    train, test, fit, score = np.array(found).transpose(2, 1, 0)
    ratio = float(np.mean([len(test) / len(train) for train, test in folds]))
    name = score_title(scoring, estimator)
    return LearningCurve(train, test, fit, score, name, ratio, counts)


def _fold(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    codes: NDArray[Any] | None,
    fold: tuple[AnyArray, AnyArray],
    counts: NDArray[np.int64],
    scorer: Any,
    seed: int,
    advance: Advance,
) -> NDArray[np.float64]:
    """Return scores and times of every size: training, held out, to fit, to score."""
    order = _order(fold[0], codes, np.random.default_rng(seed))
    X_test, y_test = safe_indexing(X, fold[1]), y[fold[1]]
    model = seeded(estimator, seed)
    found = np.empty((len(counts), 4))
    for number, count in enumerate(counts):
        rows = np.sort(order[:count])
        X_train, y_train = safe_indexing(X, rows), y[rows]
        begin = perf_counter()
        fitted = clone(model).fit(X_train, y_train)
        fit = perf_counter() - begin
        begin = perf_counter()
        test = scorer(fitted, X_test, y_test)
        score = perf_counter() - begin
        found[number] = scorer(fitted, X_train, y_train), test, fit, score
        advance(int(count))
    return found


def _order(rows: AnyArray, codes: NDArray[Any] | None, rng: np.random.Generator) -> AnyArray:
    """Return the rows in random order; its beginnings have the classes in about equal shares.

    One document of each class comes first. After these, documents of a class with n of them are
    spread at equal distances, 1/n.
    """
    shuffled: AnyArray = rng.permutation(rows)
    if codes is None:
        return shuffled
    key = np.empty(len(rows))
    for code in np.unique(codes[rows]):
        places = np.flatnonzero(codes[shuffled] == code)
        key[places] = (np.arange(len(places)) + rng.uniform()) / len(places)
        key[places[0]] -= 1
    ordered: AnyArray = shuffled[np.argsort(key, kind="stable")]
    return ordered


def _counts(sizes: Any, available: int, codes: NDArray[Any] | None) -> NDArray[np.int64]:
    """Return numbers of documents, increasing, each once."""
    least = 1 if codes is None else len(np.unique(codes))
    if sizes is None:
        shares = (max(least, 2, round(share * available)) for share in _DEFAULT_SHARES)
        return np.unique([min(count, available) for count in shares]).astype(np.int64)
    if isinstance(sizes, str) or not isinstance(sizes, Iterable):
        raise TypeError(f"sizes is {sizes!r}; expected a list of sizes. {_ADVICE}")
    counts = [_count(size, available) for size in sizes]
    if not counts:
        raise ValueError(f"sizes is empty. {_ADVICE}")
    if max(counts) > available:
        raise ValueError(
            f"sizes has {max(counts):,}, but the smallest fold has {available:,} documents to "
            'learn from. Use "all" for these.'
        )
    if min(counts) < least:
        raise ValueError(
            f"sizes has {min(counts)} documents for {least} classes; give at least one for each."
        )
    return np.unique(counts).astype(np.int64)


def _count(size: Any, available: int) -> int:
    if isinstance(size, str) and size == "all":
        return available
    if isinstance(size, Integral) and not isinstance(size, bool) and int(size) > 0:
        return int(size)
    if isinstance(size, Real) and not isinstance(size, Integral) and 0 < float(size) <= 1:
        return max(1, round(float(size) * available))
    raise ValueError(f"sizes contains {size!r}. {_ADVICE}")
