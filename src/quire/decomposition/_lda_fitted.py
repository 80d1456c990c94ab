"""What a fitted topic model shows: its topics, their words, and their shares in documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from quire._shared.term_weights import TermWeight, feature_names_of, plain

__all__ = ["FittedTopics"]


class FittedTopics:
    """Topics and shares as they follow from the counts that a model keeps."""

    components_: NDArray[Any]
    alpha_: NDArray[np.float64]
    vocabulary_terms_: NDArray[Any] | None
    _doc_topic_counts: Any
    _lengths: NDArray[np.int64]
    _theta: NDArray[Any]

    def top_terms(
        self, n_terms: int = 10, *, feature_names: Any = None
    ) -> dict[int, list[TermWeight]]:
        """Return the most likely words of each topic with their probabilities.

        Parameters
        ----------
        n_terms : int, default=10
            How many for each topic.
        feature_names : array-like of shape (n_features,), default=None
            The word of each column. If not given, those of the texts or of the columns of X in
            `fit`, or else the numbers of the columns.

        Returns
        -------
        dict from topic to list of TermWeight
            The likeliest first; :func:`quire.topics.top_words` knows other orders.
        """
        check_is_fitted(self)
        phi = self.phi_
        names = feature_names_of(self, feature_names, phi.shape[1])
        best = np.argsort(-phi, axis=1, kind="stable")[:, : max(n_terms, 0)]
        return {
            k: [
                TermWeight(int(w) if names is None else plain(names[w]), float(phi[k, w]))
                for w in ws
            ]
            for k, ws in enumerate(best)
        }

    @property
    def phi_(self) -> NDArray[np.float64]:
        """The topics: probabilities of words, of shape (n_components, n_features)."""
        check_is_fitted(self)
        sums = self.components_.sum(axis=1, keepdims=True, dtype=np.float64)
        return np.asarray(self.components_ / sums, dtype=np.float64)

    @property
    def theta_(self) -> NDArray[Any]:
        """The shares of topics in the documents of `fit`."""
        check_is_fitted(self)
        if not self._was_sampled():
            return self._theta
        theta = self._doc_topic_counts.toarray().astype(np.float64)
        theta += self.alpha_
        theta /= (self._lengths + self.alpha_.sum())[:, None]
        return np.asarray(theta, dtype=self.components_.dtype)

    def _was_sampled(self) -> bool:
        return hasattr(self, "_doc_topic_counts")
