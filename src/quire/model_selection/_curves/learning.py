"""Scores against the number of training documents: whether more of them would help."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.labels import class_codes
from quire._shared.progress import Advance, progress
from quire._shared.sklearn import validate_parameter_constraints
from quire._shared.typing import AnyArray, Floats, Ints
from quire._shared.validation import indexable
from quire.model_selection._arguments import checked_labels, checked_targets, score_title
from quire.model_selection._curves.extrapolation import Expected, Needed, PowerLaw, power_law
from quire.model_selection._curves.fold_curve import FoldCurve, number_axis, timed_scores
from quire.model_selection._estimators import check_takes, seeded, seeds_from
from quire.model_selection._fold_statistics import held_out_ratio
from quire.model_selection._folds import folds_of, rows_of

__all__ = ["LearningCurve", "learning_curve"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LearningCurve(FoldCurve):
    """Training and held-out scores by the number of documents, from :func:`learning_curve`.

    A :class:`FoldCurve` whose `values` are numbers of training documents, increasing; they are
    called `sizes` as well. Scores are those of scikit-learn: higher is better. `test_ratio` is that
    of whole folds.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import LearningCurve
    >>> seconds = np.ones((2, 2))
    >>> curve = LearningCurve(
    ...     values=np.array([10, 100]),
    ...     train_scores=np.array([[1.0, 1.0], [0.9, 0.94]]),
    ...     test_scores=np.array([[0.6, 0.7], [0.8, 0.84]]),
    ...     fit_times=seconds,
    ...     score_times=seconds,
    ...     scoring="accuracy",
    ...     test_ratio=1.0,
    ... )
    >>> print(curve)
    accuracy by training documents, mean ± standard error over 2 folds
    <BLANKLINE>
    documents  training       held out  fit (s)
           10     1.000  0.650 ± 0.050    1.000
          100     0.920  0.820 ± 0.020    1.000
    >>> curve.gap().round(2)
    array([0.35, 0.1 ])
    """

    param: str = "training documents"

    _column: ClassVar[str] = "size"
    _is_choice: ClassVar[bool] = False

    @property
    def sizes(self) -> Ints:
        """Numbers of training documents, increasing."""
        sizes: Ints = self.values
        return sizes

    def gap(self) -> Floats:
        """Return by how much the training score is above the held-out score.

        A wide gap says variance: more documents or a simpler model should help. A narrow one at a
        low score says bias: a richer model should.

        Returns
        -------
        ndarray of shape (n_sizes,)
            Differences of the means.
        """
        difference: Floats = self.mean("train") - self.mean()
        return difference

    def needed(self, target: float, *, level: float = 0.95, ceiling: float | None = None) -> Needed:
        """Return how many training documents a score takes, if scores go on as they began.

        The curve is drawn further by inverse power laws. The interval has all numbers of documents
        that a law within reach of the data gives; it is wide where these say little.

        Parameters
        ----------
        target : float
            The held-out score to reach.
        level : float, default=0.95
            How often the interval should be right.
        ceiling : float, default=None
            What no score passes: 0 for negative ones, 1 for others, found if ``None``.

        Returns
        -------
        Needed
            The number and its interval.

        Raises
        ------
        ValueError
            If the curve has fewer than four sizes or two folds, or the target is above the ceiling.

        Examples
        --------
        >>> from sklearn.pipeline import make_pipeline
        >>> from quire.datasets import make_text_classification
        >>> from quire.feature_extraction.text import CountVectorizer
        >>> from quire.model_selection import learning_curve
        >>> from quire.naive_bayes import MultinomialNB
        >>> data = make_text_classification(1000, n_classes=3, separation=5.0, random_state=0)
        >>> model = make_pipeline(CountVectorizer(), MultinomialNB())
        >>> curve = learning_curve(model, data.texts, data.y, random_state=0)
        >>> needed = curve.needed(0.7)
        >>> needed.low < needed.documents < needed.high
        True
        """
        law = self._law(level, ceiling)
        if target > law.ceiling:
            raise ValueError(f"target is {target}, but no score is above {law.ceiling:g}.")
        return Needed(float(target), *law.needed(target, level), level, int(self.values[-1]))

    def expected(
        self, documents: int, *, level: float = 0.95, ceiling: float | None = None
    ) -> Expected:
        """Return the held-out score that a number of training documents should give.

        Parameters
        ----------
        documents : int
            The number, as a rule above those that the curve was measured with.
        level, ceiling
            As for :meth:`needed`.

        Returns
        -------
        Expected
            The score and its interval.
        """
        if documents < 1:
            raise ValueError(f"documents is {documents}; expected one or more.")
        law = self._law(level, ceiling)
        return Expected(int(documents), *law.expected(documents, level), level)

    def _law(self, level: float, ceiling: float | None) -> PowerLaw:
        if not 0 < level < 1:
            raise ValueError(f"level is {level}; expected a share between 0 and 1.")
        return power_law(self.values, self.test_scores, self.test_ratio, ceiling)

    def _heads(self) -> list[str]:
        return ["documents"]

    def _cells(self) -> list[list[str]]:
        rows = super()._cells()
        if self.fit_times is None:
            return rows
        seconds = ["fit (s)", *(f"{value:.3f}" for value in self.fit_times.mean(axis=1))]
        return [[*row, cell] for row, cell in zip(rows, seconds, strict=True)]

    def _set_axis(self, ax: Any) -> None:
        number_axis(ax, self.values)
        ax.set_xlabel("Training documents")


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
        :class:`~quire.feature_extraction.text.CountedDocuments` are texts that need not be cut up
        again for every fit.
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
    Times are measured in the threads at work; they compare best with ``n_jobs=None``. With counted
    documents they are those of the other work alone.

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
    >>> curve.mean().round(3)
    array([0.45 , 0.535, 0.668])
    """
    given = {"cv": cv, "scoring": scoring, "random_state": random_state}
    validate_parameter_constraints(
        _CONSTRAINTS, {**given, "n_jobs": n_jobs, "verbose": verbose}, caller_name="learning_curve"
    )
    check_takes(estimator, X)
    X, y, groups = indexable(X, y, groups)
    classifier = is_classifier(estimator)
    targets = checked_labels(y) if classifier else checked_targets(y)
    codes = class_codes(targets)[1] if classifier else None
    scorer = check_scoring(estimator, scoring)
    folds = folds_of(cv, targets, groups, random_state, classifier=classifier)
    counts = _counts(sizes, min(len(train) for train, _ in folds), codes)
    seeds = seeds_from(check_random_state(random_state), len(folds))

    with progress("Documents", len(folds) * int(counts.sum()), shown=verbose) as advance:
        scores = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(_fold)(estimator, X, targets, codes, fold, counts, scorer, seed, advance)
            for fold, seed in zip(folds, seeds, strict=True)
        )
    train, test, fit, score = np.array(scores).transpose(2, 1, 0)
    return LearningCurve(
        values=counts,
        train_scores=train,
        test_scores=test,
        fit_times=fit,
        score_times=score,
        scoring=score_title(scoring, estimator),
        test_ratio=held_out_ratio(folds),
    )


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
    X_test, y_test = rows_of(X, fold[1]), y[fold[1]]
    model = seeded(estimator, seed)
    scores = np.empty((len(counts), 4))
    for place, count in enumerate(counts):
        rows = np.sort(order[:count])
        X_train = rows_of(X, rows)
        scores[place] = timed_scores(clone(model), X_train, y[rows], X_test, y_test, scorer)
        advance(int(count))
    return scores


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
