r"""From joint log probabilities to decisions: what all naive Bayes models share.

.. math:: \log P(y=k \mid x) = \log P(k) + \log P(x \mid k) - \log \sum_j P(j) P(x \mid j)

A model without smoothing can hold a document impossible in every class. It then learned nothing
from the document, and the answer is the prior.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from quire._shared.draws import check_n_samples, draw_words
from quire._shared.fitted import check_is_fitted
from quire._shared.merging import MergedMixin
from quire._shared.naive_bayes import NaiveBayesDecisions

__all__ = ["NaiveBayesMixin"]


class NaiveBayesMixin(NaiveBayesDecisions, MergedMixin):
    """What models share that learn: they join what they counted, and draw from it."""

    def _draw_classes(self, n_samples: Any, random_state: Any) -> tuple[Any, NDArray[np.int64]]:
        """Return a source of randomness and the numbers of classes drawn from the prior."""
        check_is_fitted(self)
        n_samples, rng = check_n_samples(n_samples), check_random_state(random_state)
        prior = np.exp(self._log_prior())[np.newaxis]
        return rng, draw_words(rng, np.zeros(n_samples, dtype=np.int64), prior)
