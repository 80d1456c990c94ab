"""How much worse a model gets when one column is shuffled: sparse rows, texts, and dense rows.

Shuffling a sparse column changes only the rows that had an entry in it and those that get one.
These alone are predicted again, those of many columns in one call, and columns that no tree asks
about not at all. Every word would otherwise cost a prediction of the whole corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.inspection
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.metrics import get_scorer
from sklearn.utils import Bunch, check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted

from quire._shared.notebooks import ShownInNotebooks, listed_cells
from quire._shared.sklearn import check_sample_weight
from quire._shared.term_weights import TermWeight, plain
from quire._shared.texts import is_texts
from quire.inspection._changed_scores import ChangedScores
from quire.inspection._origins import origins_of
from quire.kinds import kind_of_class, look_inside

__all__ = ["PermutationImportance", "permutation_importance"]

_ROWS = 20_000  # predicted in one call


class PermutationImportance(ShownInNotebooks, Bunch):
    """What :func:`permutation_importance` found.

    Attributes
    ----------
    importances : ndarray of shape (n_features, n_repeats)
        The score of the model less its score after the column was shuffled.
    importances_mean, importances_std : ndarray of shape (n_features,)
        Their mean and standard deviation over the repeats.
    feature_names : ndarray of shape (n_features,) or None
        Names of the columns, where they are known.
    """

    def _notebook_cells(self) -> list[list[str]]:
        rows = ((str(one.term), one.weight) for one in self.top(20))
        return listed_cells(["column", "mean importance"], rows)

    def top(self, n_terms: int = 10) -> list[TermWeight]:
        """Return the columns without which the model is worst, from the most important down.

        Parameters
        ----------
        n_terms : int, default=10
            How many.

        Returns
        -------
        list of TermWeight
            Terms, or numbers of columns, and their mean importance.
        """
        order = np.argsort(-self.importances_mean, kind="stable")[:n_terms]
        names = self.feature_names
        return [
            TermWeight(
                int(j) if names is None else plain(names[j]), float(self.importances_mean[j])
            )
            for j in order
        ]


def permutation_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    n_repeats: int = 5,
    n_jobs: int | None = None,
    random_state: Any = None,
    sample_weight: Any = None,
    max_samples: float | int = 1.0,
) -> Any:
    """Measure how much the score of a fitted model falls when one column is shuffled.

    Parameters
    ----------
    model : estimator
        A fitted model. For texts a pipeline, or another model with a vectorizer inside.
    X : sequence of texts, sparse matrix, or array-like of shape (n_samples, n_features)
        What to predict; better not what the model was fitted to. For texts the columns are the
        terms of the vectorizer.
    y : array-like of shape (n_samples,)
        The truth.
    scoring : str or callable, default=None
        What to measure, as in scikit-learn; ``None`` means accuracy or R².
    n_repeats : int, default=5
        How often each column is shuffled.
    n_jobs : int, default=None
        For dense rows; sparse ones are predicted with the threads of the model.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffles.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples in the score.
    max_samples : float or int, default=1.0
        For dense rows: how many of them to draw in each repeat.

    Returns
    -------
    PermutationImportance
        Has the attributes of scikit-learn's result, names of the columns, and ``top``.

    Raises
    ------
    ValueError
        If an argument does not fit.

    See Also
    --------
    top_evidence : The importance of terms by the decrease of impurity.

    Notes
    -----
    For dense rows this is :func:`sklearn.inspection.permutation_importance`, with its numbers. Of
    columns that say the same, each is unimportant as long as the other is there.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from quire.datasets import make_text_classification
    >>> from quire.ensemble import RandomForestClassifier
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.inspection import permutation_importance
    >>> data = make_text_classification(200, n_classes=2, separation=8.0, random_state=0)
    >>> model = make_pipeline(CountVectorizer(), RandomForestClassifier(20, random_state=0))
    >>> model = model.fit(data.texts[:120], data.y[:120])
    >>> found = permutation_importance(model, data.texts[120:], data.y[120:], random_state=0)
    >>> found.top(1)[0].weight > 0
    True
    """
    check_is_fitted(model)
    names = None
    if is_texts(X):
        inside = look_inside(model)
        if not inside.before:
            raise ValueError(
                f"X are texts, but {type(model).__name__} has no vectorizer. Give the pipeline "
                "with the vectorizer in it, or a matrix."
            )
        for step in inside.before:
            X = step.transform(X)
        model = inside.answering
        names = origins_of(inside.before, model, X.shape[1]).names
    if not sparse.issparse(X):
        found = sklearn.inspection.permutation_importance(
            model,
            X,
            y,
            scoring=scoring,
            n_repeats=n_repeats,
            n_jobs=n_jobs,
            random_state=random_state,
            sample_weight=sample_weight,
            max_samples=max_samples,
        )
        if "importances" not in found:  # several scores
            return found
        return PermutationImportance(feature_names=_names(X, names), **found)
    if n_repeats < 1:
        raise ValueError(f"n_repeats={n_repeats!r}: expected a number of at least 1.")
    if max_samples != 1.0:
        raise ValueError("max_samples is for dense rows. Give fewer rows of a sparse matrix.")
    importances = _of_sparse(model, X, y, scoring, n_repeats, random_state, sample_weight)
    return PermutationImportance(
        importances=importances,
        importances_mean=importances.mean(axis=1),
        importances_std=importances.std(axis=1),
        feature_names=names,
    )


def _of_sparse(
    model: Any,
    X: Any,
    y: Any,
    scoring: Any,
    n_repeats: int,
    random_state: Any,
    sample_weight: Any,
) -> NDArray[np.float64]:
    rows = sparse.csr_array(X)
    rows.sum_duplicates()
    y = np.asarray(y)
    check_consistent_length(rows, y)
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, rows)
    scorer = get_scorer(scoring or ("accuracy" if is_classifier(model) else "r2"))
    scores = ChangedScores(model, rows, y, scorer, sample_weight)
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    importances = np.zeros((rows.shape[1], n_repeats))
    for places, changes in _batches(rows, _asked(model, rows), n_repeats, int(seed)):
        for place, score in zip(places, scores.after(changes), strict=True):
            importances[place] = scores.before - score
    return importances


Change = tuple[int, NDArray[np.intp], NDArray[Any]]  # a column, rows, their new values


def _batches(
    X: Any, columns: NDArray[np.intp], n_repeats: int, seed: int
) -> Iterator[tuple[list[tuple[int, int]], list[Change]]]:
    by_column = X.tocsc()
    places: list[tuple[int, int]] = []
    changes: list[Change] = []
    n_rows = 0
    for column in columns:
        of_column = slice(by_column.indptr[column], by_column.indptr[column + 1])
        stored, values = by_column.indices[of_column], by_column.data[of_column]
        rng = np.random.default_rng([seed, int(column)])
        for repeat in range(n_repeats):
            places.append((int(column), repeat))
            changes.append((int(column), *shuffled(stored, values, X.shape[0], rng)))
            n_rows += len(changes[-1][1])
        if n_rows >= _ROWS:
            yield places, changes
            places, changes, n_rows = [], [], 0
    if changes:
        yield places, changes


def shuffled(
    rows: NDArray[Any], values: NDArray[Any], n_rows: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Shuffle a sparse column; return the rows that may have changed and what they have now.

    Parameters
    ----------
    rows, values : ndarray of shape (n_stored,)
        Its entries.
    n_rows : int
        How many rows it has.
    rng : numpy.random.Generator
        Draws.

    Returns
    -------
    rows : ndarray of shape (n_changed,)
        In rising order.
    values : ndarray of shape (n_changed,)
        Zero for those whose entry went elsewhere.
    """
    chosen = rng.choice(n_rows, len(rows), replace=False)
    changed = np.union1d(rows, chosen).astype(np.intp)
    now = np.zeros(len(changed), dtype=values.dtype)
    now[np.searchsorted(changed, chosen)] = values
    return changed, now


def _asked(model: Any, X: Any) -> NDArray[np.intp]:
    """Return the columns with entries that the model may look at."""
    present = np.bincount(X.indices, minlength=X.shape[1]) > 0
    if kind_of_class(type(model)).evidence == "trees":
        from quire.inspection._tree_evidence import asked_columns

        asked = asked_columns(model)
        if asked is not None:
            used = np.zeros(X.shape[1], dtype=bool)
            used[asked] = True
            present &= used
    return np.flatnonzero(present)


def _names(X: Any, names: Any) -> Any:
    if names is not None:
        return names
    return np.asarray(X.columns, dtype=object) if hasattr(X, "columns") else None
