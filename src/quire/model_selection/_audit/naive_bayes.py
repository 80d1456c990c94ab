r"""Multinomial naive Bayes without one document: exact, since all it knows are sums.

The score of a document :math:`d` of class :math:`c` is, for its own class,

.. math:: \log(n_c - 1) + \sum_j x_{dj} \log
          \frac{N_{cj} - x_{dj} + \alpha}{T_c - \lvert x_d \rvert + \alpha V},

and for every other class what it is with the document: only the prior changes, for all alike. So
all documents are left out, one by one, at the cost of predicting them once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

from quire._shared.typing import Floats, Ints
from quire.model_selection._audit.left_out import LeftOut, Words, strongest

__all__ = ["SMOOTHING", "leave_out_of_counts"]

SMOOTHING = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


def leave_out_of_counts(
    X: Any,
    codes: Ints,
    n_classes: int,
    alphas: tuple[float, ...],
    names: Any,
    n_words: int,
    *,
    fit_prior: bool = True,
) -> tuple[LeftOut, float]:
    """Return the scores of every document without itself, and the smoothing.

    Parameters
    ----------
    X : CSR matrix of shape (n_documents, n_terms)
        Counts or weights, not negative.
    codes : ndarray of shape (n_documents,)
        Classes; each of at least two documents, or the score of its document is -inf.
    n_classes : int
        How many there are.
    alphas : tuple of float
        Smoothing; of several the one by which most labels are those of the largest score.
    names : sequence of str or None
        Terms.
    n_words : int
        Words to give for a document.
    fit_prior : bool, default=True
        Whether frequent classes are more probable.
    """
    X = sparse.csr_array(X, dtype=np.float64)
    sums = _ClassSums(X, codes, n_classes, fit_prior)
    best, chosen, right = sums.scores(alphas[0]), alphas[0], -1.0
    for alpha in alphas if len(alphas) > 1 else ():
        scores = sums.scores(alpha)
        share = float((scores.argmax(axis=1) == codes).mean())
        if share > right:
            best, chosen, right = scores, alpha, share
    total = logsumexp(best, axis=1, keepdims=True)

    def words(rows: Ints, first: Ints, second: Ints) -> list[Words | None]:
        return [
            strongest(names, *sums.parts(*three, chosen), n_words)
            for three in zip(rows.tolist(), first.tolist(), second.tolist(), strict=True)
        ]

    how = "exactly: its words taken off the counts of its class"
    return LeftOut(best, np.exp(best - total), words, how), chosen


class _ClassSums:
    """Sums by class, from which documents can be taken away."""

    def __init__(self, X: Any, codes: Ints, n_classes: int, fit_prior: bool) -> None:
        n = X.shape[0]
        self.X, self.codes = X, codes
        of_class = sparse.csr_array((np.ones(n), (codes, np.arange(n))), shape=(n_classes, n))
        self.sums = (of_class @ X).toarray()  # as the model has them
        self.totals = self.sums.sum(axis=1)
        self.sizes = np.bincount(codes, minlength=n_classes).astype(np.float64)
        self.lengths = np.asarray(X.sum(axis=1)).ravel()
        self.rows = np.repeat(np.arange(n), np.diff(X.indptr))
        self.fit_prior = fit_prior

    def scores(self, alpha: float) -> Floats:
        """Return joint log probabilities; the prior's n - 1, the same for all, is left out."""
        X, codes, n = self.X, self.codes, self.X.shape[0]
        smoothing = alpha * X.shape[1]
        scores: Floats = X @ np.log(self.sums + alpha).T
        scores -= np.outer(self.lengths, np.log(self.totals + smoothing))
        left = np.maximum(self.sums[codes[self.rows], X.indices] - X.data, 0.0)
        own = np.bincount(self.rows, weights=X.data * np.log(left + alpha), minlength=n)
        rest = np.maximum(self.totals[codes] - self.lengths, 0.0)
        own -= self.lengths * np.log(rest + smoothing)
        scores[np.arange(n), codes] = own
        with np.errstate(divide="ignore"):  # a class that has no other document
            sizes = np.log(self.sizes[codes] - 1)
            prior = np.log(self.sizes)
        if self.fit_prior:
            scores += prior
            scores[np.arange(n), codes] = own + sizes
        else:
            scores[np.arange(n), codes] = np.where(np.isinf(sizes), -np.inf, own)
        return scores

    def parts(self, row: int, first: int, second: int, alpha: float) -> tuple[Ints, Floats]:
        """Return the columns of a document, and what each adds to the first of two classes."""
        X = self.X
        part = slice(X.indptr[row], X.indptr[row + 1])
        columns, values = X.indices[part], X.data[part]
        log = []
        for k in (first, second):
            sums, total = self.sums[k, columns], self.totals[k]
            if k == self.codes[row]:
                sums, total = np.maximum(sums - values, 0.0), max(total - self.lengths[row], 0.0)
            log.append(np.log(sums + alpha) - np.log(total + alpha * X.shape[1]))
        return columns, values * (log[0] - log[1])
