"""How many neighbours: the held-out error of every k from one search.

The k nearest points are the first k of any longer list of nearest points. So one search for the
largest k serves all others, and leaving a sample out takes no more than not counting it as its own
neighbour. The work beyond the search is one addition for each sample and neighbour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import type_of_target

from quire._shared.labels import class_codes
from quire._shared.sklearn import StrOptions, validate_parameter_constraints
from quire._shared.texts import is_texts, python_objects
from quire._shared.typing import Floats
from quire._shared.validation import check_array
from quire.feature_extraction.text import TfidfVectorizer
from quire.neighbors._k_choice import KChoice
from quire.neighbors._unsupervised import NearestNeighbors

__all__ = ["choose_k"]

Weights = str | Callable[[Floats], Floats] | None

_CONSTRAINTS: dict[str, list[Any]] = {
    "cv": [StrOptions({"loo"}), "cv_object"],
    "weights": [StrOptions({"uniform", "distance"}), callable, None],
    "task": [StrOptions({"auto", "classification", "regression"})],
}


def choose_k(
    X: Any,
    y: Any,
    ks: Iterable[int] | None = None,
    *,
    cv: Any = "loo",
    groups: Any = None,
    weights: Any = "uniform",
    metric: Any = None,
    p: float = 2,
    metric_params: dict[str, Any] | None = None,
    algorithm: str = "auto",
    task: str = "auto",
    n_jobs: int | None = None,
    vectorizer: Any = None,
) -> KChoice:
    """Measure the held-out error of nearest neighbours for many k at once.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), or texts
        Features; distances between all samples if ``metric="precomputed"`` (leave-one-out only). Or
        a list, Series or Arrow column of texts.
    y : array-like of shape (n_samples,), or (n_samples, n_outputs) for numbers
        Classes, or numbers to predict.
    ks : iterable of int, default=None
        Numbers of neighbours; ``None`` means 1 to 100, as far as there are samples.
    cv : "loo", int, splitter or iterable of (train, test), default="loo"
        "loo" leaves out one sample at a time. A number means that many folds, stratified for
        classes; each fold has a search of its own, for all k.
    groups : array-like of shape (n_samples,), default=None
        Groups for the splitter.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        Weights of the neighbours, as in :class:`KNeighborsClassifier`.
    metric : str, callable or None, default=None
        As in :class:`NearestNeighbors`; ``None`` means "cosine" for texts and "minkowski" for
        features.
    p, metric_params, algorithm
        As in :class:`NearestNeighbors`.
    task : {"auto", "classification", "regression"}, default="auto"
        Whether `y` are classes. "auto" takes fractional numbers for numbers and all else for
        classes.
    n_jobs : int, default=None
        Threads of the search.
    vectorizer : transformer, default=None
        How texts become features; ``None`` means ``TfidfVectorizer()``. It is not changed. In folds
        it is fitted on the training texts and classes of each; with "loo" once on all texts,
        without their classes.

    Returns
    -------
    KChoice
        The error of every k, with the best one, a table and a plot.

    Raises
    ------
    ValueError
        If a k is not a whole number from 1 to the number of samples to search in.

    Notes
    -----
    The loss is 1 for a wrong class and 0 for a right one, and the squared error for numbers (its
    mean over outputs). Predictions are those of :class:`KNeighborsClassifier` and
    :class:`KNeighborsRegressor`, ties included.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from quire.neighbors import choose_k
    >>> choice = choose_k(*load_iris(return_X_y=True), ks=[1, 5, 25, 75, 100])
    >>> print(choice)
    share of errors by k, mean ± standard error, leave-one-out over 150 samples
    <BLANKLINE>
      k          error
      1  0.040 ± 0.016
      5  0.033 ± 0.015
     25  0.033 ± 0.015  best
     75  0.120 ± 0.027
    100  0.473 ± 0.041

    Texts as they are:

    >>> texts = ["warm film", "a funny film", "dull plot", "plot so dull", "warm, funny", "dull"]
    >>> choose_k(texts, ["pos", "pos", "neg", "neg", "pos", "neg"], ks=[1, 3, 5]).best_k
    3
    """
    validate_parameter_constraints(
        _CONSTRAINTS, {"cv": cv, "weights": weights, "task": task}, caller_name="choose_k"
    )
    texts = is_texts(X, check_one=True)
    if metric is None:
        metric = "cosine" if texts else "minkowski"
    search = NearestNeighbors(
        metric=metric, p=p, metric_params=metric_params, algorithm=algorithm, n_jobs=n_jobs
    )
    rows: _Features | _Texts = _Texts(X, y, vectorizer) if texts else _Features(X, vectorizer)
    target, n_classes = _target(y, task)
    n = len(rows)
    check_consistent_length(np.empty(n), target)
    folds = None if isinstance(cv, str) else _folds(cv, n, target, groups, n_classes)
    numbers = _numbers(ks, n - 1 if folds is None else min(len(train) for train, _ in folds))
    most = int(numbers[-1])
    if folds is None:
        distances, indices = search.fit(rows.all()).kneighbors(n_neighbors=most)
        losses = _losses(target[indices], distances, target, numbers, weights, n_classes)
        spread = losses.std(axis=0, ddof=1) / np.sqrt(n)
        scheme = f"leave-one-out over {n:,} samples"
        return _choice(numbers, losses.mean(axis=0), spread, n_classes, scheme)
    sums, means = np.zeros(len(numbers)), []
    for train, test in folds:
        known, held_out = rows.split(train, test)
        distances, indices = search.fit(known).kneighbors(held_out, n_neighbors=most)
        near = target[train][indices]
        losses = _losses(near, distances, target[test], numbers, weights, n_classes)
        sums += losses.sum(axis=0)
        means.append(losses.mean(axis=0))
    n_held_out = sum(len(test) for _, test in folds)
    spread = np.full(len(numbers), np.nan)
    if len(folds) > 1:
        spread = np.std(means, axis=0, ddof=1) / np.sqrt(len(folds))
    return _choice(numbers, sums / n_held_out, spread, n_classes, f"{len(folds)} folds")


class _Features:
    """Rows of numbers."""

    def __init__(self, X: Any, vectorizer: Any) -> None:
        if vectorizer is not None:
            raise ValueError("vectorizer is for texts; X holds features already. Leave it out.")
        self.X = check_array(X, accept_sparse="csr", ensure_min_samples=2)

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def all(self) -> Any:
        """Return all rows."""
        return self.X

    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Any, Any]:
        """Return the rows of two parts."""
        return self.X[train], self.X[test]


class _Texts:
    """Texts, and how they become rows: of each part by what is known there."""

    def __init__(self, texts: Any, y: Any, vectorizer: Any) -> None:
        self.texts = list(python_objects(texts))
        self.y = y
        self.vectorizer = TfidfVectorizer() if vectorizer is None else vectorizer

    def __len__(self) -> int:
        return len(self.texts)

    def all(self) -> Any:
        """Return rows of all texts; their classes are not looked at."""
        return clone(self.vectorizer).fit_transform(self.texts)

    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Any, Any]:
        """Return rows of two parts, as the first one makes them."""
        model = clone(self.vectorizer)
        known = model.fit_transform([self.texts[i] for i in train], np.asarray(self.y)[train])
        return known, model.transform([self.texts[i] for i in test])


def _choice(
    ks: NDArray[np.int64], errors: Floats, spread: Floats, n_classes: int, scheme: str
) -> KChoice:
    loss = "share of errors" if n_classes else "squared error"
    return KChoice(ks=ks, errors=errors, standard_errors=spread, loss=loss, scheme=scheme)


def _target(y: Any, task: str) -> tuple[NDArray[Any], int]:
    """Return the numbers of classes and how many there are, or numbers and 0."""
    kind = type_of_target(y, input_name="y")
    if task == "regression" or (task == "auto" and kind.startswith("continuous")):
        numbers = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        return numbers, 0
    if kind not in ("binary", "multiclass"):
        raise ValueError(
            f"y is {kind}; expected one class for each sample, or numbers with "
            'task="regression". Choose k for one output at a time.'
        )
    classes, codes = class_codes(np.asarray(y).ravel())
    return codes.astype(np.int64), len(classes)


def _folds(
    cv: Any, n: int, target: NDArray[Any], groups: Any, n_classes: int
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    splitter = check_cv(cv, target, classifier=bool(n_classes))
    return [
        (np.arange(n)[train], np.arange(n)[test])
        for train, test in splitter.split(np.empty((n, 1)), target, groups)
    ]


def _numbers(ks: Iterable[int] | None, most: int) -> NDArray[np.int64]:
    if ks is None:
        return np.arange(1, min(100, most) + 1)
    values = np.unique(np.asarray(list(ks)))
    if not len(values) or values.dtype.kind not in "iu" or values[0] < 1 or values[-1] > most:
        raise ValueError(
            f"ks is {ks!r}; expected whole numbers from 1 to {most}, as many as there are samples "
            "to search in, such as range(1, 31)."
        )
    return values.astype(np.int64)


def _losses(
    near: NDArray[Any],
    distances: Floats,
    y: NDArray[Any],
    ks: NDArray[np.int64],
    weights: Weights,
    n_classes: int,
) -> Floats:
    """Return the losses of all samples for all k, of shape (n_samples, n_ks).

    near : the y of the neighbours, of shape (n_samples, largest k, ...)
    """
    losses = np.empty((len(y), len(ks)))
    if n_classes:
        for place, votes in enumerate(_sums(_one_hot(n_classes), near, distances, ks, weights)):
            losses[:, place] = votes.argmax(axis=1) != y
        return losses
    for place, sums in enumerate(_sums(_with_one, near, distances, ks, weights)):
        means = sums[:, :-1] / sums[:, -1:]
        losses[:, place] = ((means - y.reshape(len(y), -1)) ** 2).mean(axis=1)
    return losses


def _one_hot(n_classes: int) -> Callable[[NDArray[Any]], Floats]:
    table = np.eye(n_classes)
    return lambda codes: table[codes]


def _with_one(values: NDArray[Any]) -> Floats:
    return np.column_stack([values.reshape(len(values), -1), np.ones(len(values))])


def _sums(
    row_of: Callable[[NDArray[Any]], Floats],
    near: NDArray[Any],
    distances: Floats,
    ks: NDArray[np.int64],
    weights: Weights,
) -> Iterator[Floats]:
    """Yield, for each k, the weighted sum of a row for each of the k nearest neighbours."""
    if callable(weights):  # it may look at all k distances at once: every k anew
        for k in ks:
            given = np.asarray(weights(distances[:, :k]), dtype=np.float64)
            yield sum(given[:, [j]] * row_of(near[:, j]) for j in range(k))  # type: ignore[misc]
        return
    shares = _shares(distances, weights)
    total = np.zeros_like(row_of(near[:, 0]))
    done = 0
    for k in ks:
        for j in range(done, k):
            total += shares[:, [j]] * row_of(near[:, j])
        done = int(k)
        yield total


def _shares(distances: Floats, weights: str | None) -> Floats:
    """Return weights that do not depend on k: distances rise, so a zero comes first."""
    if weights != "distance":
        return np.ones_like(distances, dtype=np.float64)
    with np.errstate(divide="ignore"):
        shares: Floats = 1.0 / np.asarray(distances, dtype=np.float64)
    has_zero = distances[:, 0] == 0
    shares[has_zero] = distances[has_zero] == 0
    return shares
