"""The score of a model after a few rows have changed, without predicting the others again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import accuracy_score

__all__ = ["ChangedScores"]


class _Answers:
    """Stands for a model before a scorer: answers come from arrays, whatever the rows."""

    def __init__(self, model: Any, ask: Callable[[str, Any], Any]) -> None:
        self._model = model
        self._ask = ask

    def __getattr__(self, name: str) -> Any:
        if name in ("predict", "predict_proba", "decision_function", "predict_log_proba"):
            getattr(self._model, name)  # as its own error says, if it has none

            def respond(X: Any) -> Any:
                return self._ask(name, X)

            respond.__name__ = name  # scikit-learn reads it
            return respond
        return getattr(self._model, name)

    def __sklearn_tags__(self) -> Any:
        return self._model.__sklearn_tags__()


class ChangedScores:
    """Scores of a model on rows of which some change.

    Parameters
    ----------
    model : estimator
        A fitted model.
    X : csr_array of shape (n_samples, n_features)
        Rows.
    y : ndarray of shape (n_samples,)
        The truth.
    scorer : callable
        Takes a model, rows and truth.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights.

    Attributes
    ----------
    before : float
        The score of the rows as they are.
    """

    def __init__(self, model: Any, X: Any, y: Any, scorer: Any, sample_weight: Any) -> None:
        self.model = model
        self.X = X
        self.y = y
        self.scorer = scorer
        self.weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self._known: dict[str, NDArray[Any]] = {}
        # Right or wrong is asked of single rows: no other score is as cheap to correct.
        self._counts_hits = getattr(scorer, "_score_func", None) is accuracy_score and y.ndim == 1
        self.before = self._score(self._remembered)

    def _score(self, ask: Callable[[str, Any], Any]) -> float:
        return float(self.scorer(_Answers(self.model, ask), self.X, self.y, **self.weights))

    def _remembered(self, method: str, X: Any) -> NDArray[Any]:
        if method not in self._known:
            self._known[method] = np.asarray(getattr(self.model, method)(self.X))
        return self._known[method]

    def after(self, changes: list[tuple[int, NDArray[Any], NDArray[Any]]]) -> Iterator[float]:
        """Yield the score after each of several changes, each made to the rows as they are.

        Parameters
        ----------
        changes : list of (column, rows, values)
            What a column has in some rows instead.

        Yields
        ------
        float
            Scores.
        """
        changed = self._changed_rows(changes)
        answers = {
            method: np.asarray(getattr(self.model, method)(changed)) for method in self._known
        }
        end = 0
        weights = self.weights.get("sample_weight", np.ones(len(self.y)))
        for _, rows, _ in changes:
            part = slice(end, end := end + len(rows))
            if self._counts_hits:
                hits = np.asarray(answers["predict"][part] == self.y[rows], dtype=np.float64)
                were = self._known["predict"][rows] == self.y[rows]
                yield self.before + float((hits - were) @ weights[rows]) / float(weights.sum())
                continue

            def merged(method: str, _: Any, rows: Any = rows, part: slice = part) -> NDArray[Any]:
                if method not in answers:
                    answers[method] = np.asarray(getattr(self.model, method)(changed))
                whole = self._remembered(method, None).copy()
                whole[rows] = answers[method][part]
                return whole

            yield self._score(merged)

    def _changed_rows(self, changes: list[tuple[int, NDArray[Any], NDArray[Any]]]) -> Any:
        """Return the rows of all changes one after another, as they are then."""
        rows = np.concatenate([of_change for _, of_change, _ in changes])
        columns = np.repeat([column for column, _, _ in changes], [len(r) for _, r, _ in changes])
        values = np.concatenate([of_change for _, _, of_change in changes])
        found = self.X[rows]
        replaced = found.indices == np.repeat(columns, np.diff(found.indptr))
        found.data[replaced] = 0
        now = sparse.csr_array((values, (np.arange(len(rows)), columns)), shape=found.shape)
        result = sparse.csr_array(found + now.astype(found.dtype))
        result.eliminate_zeros()
        return result
