"""One state of the Gibbs sampler of a topic model, for those who want to watch it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["GibbsStep"]


@dataclass(frozen=True, eq=False)
class GibbsStep:
    """Where a chain of the sampler stood: the start, or what there was after a sweep.

    Attributes
    ----------
    assignments : ndarray of uint16 of shape (n_tokens,)
        The topic of every token: documents in order, in each the words by column, each as many
        times as it is counted.
    document_topic_counts : ndarray of int32 of shape (n_documents, n_components)
        Tokens of each topic in each document.
    topic_term_counts : ndarray of int32 of shape (n_components, n_features)
        How often each word has each topic.
    log_likelihood : float
        log p(words, topics) per token, as in `log_likelihood_trace_`.

    See Also
    --------
    LatentDirichletAllocation : With ``keep_steps=True`` its `steps_` are made of these.

    Examples
    --------
    >>> from quire.decomposition import LatentDirichletAllocation
    >>> texts = ["cat dog cat", "dog cat dog", "tax vote law", "law tax vote"]
    >>> model = LatentDirichletAllocation(2, max_iter=5, random_state=0, keep_steps=True).fit(texts)
    >>> len(model.steps_)
    6
    >>> model.steps_[0].document_topic_counts.sum(axis=1)
    array([3, 3, 3, 3])
    """

    assignments: NDArray[np.uint16]
    document_topic_counts: NDArray[np.int32]
    topic_term_counts: NDArray[np.int32]
    log_likelihood: float
