"""How much vocabulary a model needs: its score against the number of terms it may use.

The experiment of McCallum and Nigam (1998). Terms are ranked by what they say about the class, and
each model is fitted with the m best of them, for m from a handful to the whole vocabulary. Which
terms there are and how they rank is learned from the training documents of each fold alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.labels import class_codes
from quire._shared.progress import Advance, progress
from quire._shared.sklearn import StrOptions, validate_parameter_constraints
from quire._shared.typing import AnyArray
from quire.feature_extraction.select import SelectTerms
from quire.model_selection._arguments import (
    Models,
    checked_labels,
    checked_sizes,
    named_models,
    scoring_name,
    splits_of,
)
from quire.model_selection._curve import VocabularyCurve
from quire.model_selection._documents import Documents, documents_from

__all__ = ["vocabulary_curve"]

_CONSTRAINTS: dict[str, list[Any]] = {
    "score_func": [StrOptions({"chi2", "mutual_info"}), callable],
    "cv": ["cv_object"],
    "scoring": [str, callable, None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["boolean"],
}


def vocabulary_curve(
    texts: Any,
    y: Any,
    *,
    sizes: Iterable[int | str] | None = None,
    models: Models = ("multinomial", "bernoulli"),
    vectorizer: Any = None,
    score_func: str | Callable[[Any, Any], Any] = "mutual_info",
    cv: Any = 5,
    scoring: Any = "accuracy",
    groups: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> VocabularyCurve:
    """Score models with vocabularies of increasing size, by cross-validation.

    In every fold, terms are ranked by `score_func` on the training documents, and each model is
    fitted with the best m terms for each size m. The scores are those of a pipeline of the
    vectorizer, ``SelectTerms(score_func, k=m)`` and the model that is fitted on the training
    documents of each fold, but the texts are cut into terms once and the terms ranked once in a
    fold.

    Parameters
    ----------
    texts : iterable of documents, or {array-like, sparse matrix} of shape (n_documents, n_terms)
        The documents; or counts that are there already, of which a fold uses the columns that occur
        in its training rows.
    y : array-like of shape (n_documents,)
        Class of each document; two classes or more.
    sizes : iterable of int or "all", default=None
        Vocabulary sizes; "all" is the whole vocabulary of a fold. ``None`` means 10, 20, 50, 100
        and so on, and "all".
    models : sequence or mapping, default=("multinomial", "bernoulli")
        Names of models of :mod:`quire.naive_bayes` ("multinomial", "multinomial_binary",
        "bernoulli", "complement"), pairs of any name and a classifier, or a mapping from names to
        classifiers. Classifiers are cloned for every fit.
    vectorizer : estimator, default=None
        What makes a matrix from texts; ``None`` means
        :class:`~quire.feature_extraction.text.CountVectorizer` with its defaults. Its ``min_df``,
        ``max_df`` and ``max_features`` hold in the training documents of each fold. A vectorizer
        that learns more than terms, such as one with tf-idf weights, is fitted anew in every fold.
    score_func : {"mutual_info", "chi2"} or callable, default="mutual_info"
        What to rank terms by, as in :class:`~quire.feature_extraction.select.SelectTerms`.
    cv : int, splitter or iterable of (train, test), default=5
        Folds. A number means that many stratified ones, which also keep `groups` together if these
        are given.
    scoring : str or callable, default="accuracy"
        What to measure, as in scikit-learn; ``None`` is what the ``score`` of the models returns.
    groups : array-like of shape (n_documents,), default=None
        Groups for the splitter: documents of one group are not divided between training and test.
    random_state : int, RandomState instance or None, default=None
        How to shuffle the documents before they are divided into folds, where `cv` is a number;
        ``None`` leaves them in order.
    n_jobs : int, default=None
        Number of folds to work on at a time, each in a thread. ``None`` means one, in which the
        kernels of quire use all cores.
    verbose : bool, default=False
        Show a progress bar with the time that is left.

    Returns
    -------
    VocabularyCurve
        The scores of every model, size and fold, with a table and a plot of them.

    Raises
    ------
    ValueError
        If an argument does not fit, or a fold has no term to learn from.

    Notes
    -----
    A size larger than a fold's vocabulary means all of it. Of terms with equal scores the earlier
    column is chosen, as by ``SelectTerms``. The largest matrix of a fold is made first and columns
    are dropped from it from size to size, so that a fold costs little more than its fits.

    References
    ----------
    A. McCallum and K. Nigam, "A comparison of event models for naive Bayes text classification",
    AAAI workshop on learning for text categorization, 1998.

    Examples
    --------
    >>> from quire.datasets import make_text_classification
    >>> from quire.model_selection import vocabulary_curve
    >>> data = make_text_classification(400, n_classes=4, separation=6.0, random_state=1)
    >>> curve = vocabulary_curve(data.texts, data.y, sizes=[10, 100, "all"])
    >>> curve.sizes
    array([  10,  100, 1672])
    >>> curve.mean().round(2)
    array([[0.7 , 0.83, 0.79],
           [0.69, 0.82, 0.74]])
    >>> curve.best()[:2]
    ('multinomial', 100)
    """
    validate_parameter_constraints(
        _CONSTRAINTS,
        {
            "score_func": score_func,
            "cv": cv,
            "scoring": scoring,
            "random_state": random_state,
            "n_jobs": n_jobs,
            "verbose": verbose,
        },
        caller_name="vocabulary_curve",
    )
    wanted = checked_sizes(sizes)
    named = {name: (model, check_scoring(model, scoring)) for name, model in named_models(models)}
    labels = checked_labels(y)
    documents = documents_from(texts, vectorizer)
    if len(documents) != len(labels):
        raise ValueError(
            f"y has {len(labels):,} labels and there are {len(documents):,} documents; give one "
            "label for each document."
        )
    splits = splits_of(cv, labels, groups, random_state)

    with progress("Vocabulary sizes", len(splits), shown=verbose) as advance:
        folds = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(_score_fold)(
                number, documents, labels, split, list(named.values()), wanted, score_func, advance
            )
            for number, split in enumerate(splits)
        )

    vocabulary_sizes = np.array([fold.n_terms for fold in folds])
    reached = sorted({min(size, int(vocabulary_sizes.max())) for size in wanted})
    scores = [[fold.scores[min(size, fold.n_terms)] for fold in folds] for size in reached]
    return VocabularyCurve(
        sizes=np.array(reached),
        models=tuple(named),
        scores=np.array(scores, dtype=np.float64).transpose(2, 0, 1),
        vocabulary_sizes=vocabulary_sizes,
        scoring=scoring_name(scoring),
    )


@dataclass(frozen=True)
class _Fold:
    """What came out of a fold: how many terms it has, and by size the score of each model."""

    n_terms: int
    scores: dict[int, list[float]]


def _score_fold(
    number: int,
    documents: Documents,
    y: NDArray[Any],
    split: tuple[AnyArray, AnyArray],
    models: list[tuple[Any, Any]],
    sizes: list[int],
    score_func: Any,
    advance: Advance,
) -> _Fold:
    """Fit and score every model with every size."""
    X_train, X_test = documents.divide(*split)
    y_train, y_test = (y[rows] for rows in split)
    n_terms = X_train.shape[1]
    if n_terms == 0:
        raise ValueError(
            f"the training documents of fold {number} (from 0) have no terms: they are empty. "
            "Remove empty documents, or use fewer or shuffled folds (random_state)."
        )
    rank = _ranks(X_train, y_train, score_func)

    scores: dict[int, list[float]] = {}
    here = sorted({min(size, n_terms) for size in sizes}, reverse=True)
    for size in here:
        chosen = np.flatnonzero(rank < size)  # in the order of the columns, as SelectTerms
        X_train, X_test, rank = X_train[:, chosen], X_test[:, chosen], rank[chosen]
        scores[size] = []
        for model, scorer in models:
            fitted = clone(model).fit(X_train, y_train)
            scores[size].append(float(scorer(fitted, X_test, y_test)))
            advance(1 / (len(here) * len(models)))
    return _Fold(n_terms, scores)


def _ranks(X: Any, y: NDArray[Any], score_func: Any) -> NDArray[np.int64]:
    """Return the place of each column, 0 for the best; ties in their order, NaN last."""
    if isinstance(score_func, str) and len(class_codes(y)[0]) < 2:
        return np.arange(X.shape[1])  # of one class no term says anything
    scores = SelectTerms(score_func, k="all").fit(X, y).scores_
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return ranks
