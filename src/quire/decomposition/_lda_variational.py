r"""Variational Bayes for latent Dirichlet allocation, with scikit-learn's results.

The posterior of topics and documents is approximated by independent Dirichlet distributions,
:math:`q(\phi_k) = \mathrm{Dir}(\lambda_k)` and :math:`q(\theta_d) = \mathrm{Dir}(\gamma_d)`, whose
parameters raise a lower bound of the likelihood in turn. Batch learning goes over all documents
before it changes the topics, online learning over a few of them.

References
----------
D. Blei, A. Ng, M. Jordan, "Latent Dirichlet allocation", Journal of Machine Learning Research 3,
2003. M. Hoffman, D. Blei, F. Bach, "Online learning for latent Dirichlet allocation", NIPS 2010.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation as SklearnLatentDirichletAllocation
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted

from quire._shared.sklearn import fit_context
from quire._shared.threads import effective_threads
from quire._shared.typing import Reals
from quire.decomposition._lda_settings import word_prior
from quire.decomposition._variational_steps import (
    Documents,
    Settings,
    Topics,
    WordBound,
    dirichlet_bound,
    split,
)

__all__ = ["VariationalLDA"]


# Where parameters start: gamma variates with mean 1, as in M. Hoffman's program.
_START_SHAPE, _START_SCALE = 100.0, 0.01
_NAME = "LatentDirichletAllocation"


class VariationalLDA(SklearnLatentDirichletAllocation):
    """Topics by variational Bayes: scikit-learn's estimator on compiled kernels.

    Parameters, attributes and results are those of
    :class:`sklearn.decomposition.LatentDirichletAllocation`: the same `random_state` gives the same
    topics, to the last digits that rounding leaves. There are three differences. ``n_jobs=None``
    means all cores that this process may use. The result does not depend on `n_jobs`; it is the one
    that scikit-learn has with ``n_jobs=1``. And ``perplexity`` refuses documents with another
    number of columns, as ``score`` and ``transform`` do.

    Notes
    -----
    A step costs two multiplications for each stored count and topic. Topics that have certainly
    left a document are no longer looked at, which with many topics, whose default prior is small,
    are most of them. A batch of online learning costs what its own words cost, whatever the size of
    the vocabulary.

    If the user interrupts `fit` or `partial_fit`, the estimator keeps the topics it had before.

    Examples
    --------
    >>> from quire.decomposition._lda_variational import VariationalLDA
    >>> X = [[4, 3, 0, 0], [5, 2, 0, 1], [0, 0, 3, 4], [0, 1, 4, 4]]
    >>> model = VariationalLDA(n_components=2, random_state=0).fit(X)
    >>> model.transform(X).round(2)
    array([[0.94, 0.06],
           [0.88, 0.12],
           [0.06, 0.94],
           [0.07, 0.93]])
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> VariationalLDA:
        """Learn topics from documents, by batches if ``learning_method="online"``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts of words in documents.
        y : Ignored
            Not used, present for consistency.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X = self._check_non_neg_array(X, reset_n_features=True, whom=f"{_NAME}.fit")
        self._learn(X, self.max_iter)
        return self

    def _learn(self, X: Any, max_iter: int) -> None:
        """Learn topics from checked counts; what was learned is stored when all is done."""
        self._set_priors()
        self._check_word_prior(X.shape[1])
        settings = self._settings()
        topics = Topics(self._random(self.n_components, X.shape[1], X.dtype), settings.n_threads)
        state = _Progress(n_batch_iter=1, n_iter=0)
        online = self.learning_method == "online"
        parts = split(X, self.n_components)
        batches = _batches(X, self.batch_size) if online else []
        last = None
        for i in range(max_iter):
            for batch in batches:
                self._online_step(batch, topics, settings, X.shape[0], state)
            if not online:
                self._batch_step(parts, topics, settings, state)
            evaluated = self.evaluate_every > 0 and (i + 1) % self.evaluate_every == 0
            bound = self._training_perplexity(parts, topics, settings) if evaluated else None
            if self.verbose:
                found = "" if bound is None else f", perplexity: {bound:.4f}"
                print(f"iteration: {i + 1} of max_iter: {max_iter}{found}")
            if bound is not None:
                if last and abs(last - bound) < self.perp_tol:
                    break
                last = bound
            state.n_iter += 1
        self.bound_ = self._training_perplexity(parts, topics, settings)
        self._store(topics, state)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any = None) -> VariationalLDA:
        """Learn from more documents, by online steps over batches of ``batch_size``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts of words in documents.
        y : Ignored
            Not used, present for consistency.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        first = not hasattr(self, "components_")
        X = self._check_non_neg_array(X, reset_n_features=first, whom=f"{_NAME}.partial_fit")
        if first:
            self._set_priors()
            self._check_word_prior(X.shape[1])
            state = _Progress(n_batch_iter=1, n_iter=0)
            components = self._random(self.n_components, X.shape[1], X.dtype)
        else:
            state = _Progress(n_batch_iter=self.n_batch_iter_, n_iter=self.n_iter_)
            components = self.components_
        settings = self._settings()
        topics = Topics(components, settings.n_threads)
        for batch in _batches(X, self.batch_size):
            self._online_step(batch, topics, settings, self.total_samples, state)
        self._store(topics, state)
        return self

    def perplexity(self, X: Any, sub_sampling: bool = False) -> float:
        """Return the perplexity of documents: exp(-bound / number of words).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts of words in documents.
        sub_sampling : bool, default=False
            Whether the documents stand for ``total_samples`` documents.

        Returns
        -------
        float
            The perplexity; lower is better. NaN if there are no words.
        """
        check_is_fitted(self)
        X = self._check_non_neg_array(X, reset_n_features=False, whom=f"{_NAME}.perplexity")
        bound = self._approx_bound(X, self._unnormalized_transform(X), sub_sampling)
        return _perplexity(
            bound, X.sum() * (self.total_samples / X.shape[0] if sub_sampling else 1)
        )

    def _set_priors(self) -> None:
        """Start the random numbers and settle what ``None`` means."""
        self.random_state_ = check_random_state(self.random_state)
        default = 1.0 / self.n_components
        alpha, beta = self.doc_topic_prior, self.topic_word_prior
        self.doc_topic_prior_ = default if alpha is None else alpha
        self.topic_word_prior_ = default if beta is None else beta

    def _check_word_prior(self, n_words: int) -> None:
        """Check a prior that has a number for each word, and keep an array of its own."""
        if np.ndim(self.topic_word_prior_) == 1:
            beta = word_prior(self.topic_word_prior_, n_words)
            self.topic_word_prior_ = np.broadcast_to(beta, n_words).copy()

    def _word_prior(self) -> Any:
        """Return the topic prior as a number, or as an array that goes with topics by words."""
        beta = self.topic_word_prior_
        if np.ndim(beta) != 1:
            return beta
        return float(beta[0]) if (beta == beta[0]).all() else beta[np.newaxis]

    def _settings(self) -> Settings:
        prior = np.full(self.n_components, self.doc_topic_prior_, dtype=np.float64)
        n_threads = effective_threads(self.n_jobs)
        return Settings(prior, self.max_doc_update_iter, self.mean_change_tol, n_threads)

    def _random(self, n_rows: int, n_columns: int, dtype: Any) -> Reals:
        start = self.random_state_.gamma(_START_SHAPE, _START_SCALE, (n_rows, n_columns))
        result: Reals = start.astype(dtype, copy=False)
        return result

    def _batch_step(
        self, parts: list[Documents], topics: Topics, settings: Settings, state: _Progress
    ) -> None:
        expected = topics.expected()
        counts: Reals = np.zeros(0)
        for part in parts:
            gamma = self._random(part.n_documents, self.n_components, expected.dtype)
            more = part.learn(expected, gamma, settings)
            counts = np.add(counts, more, out=more) if counts.size else more
        topics.replace(counts, self._word_prior())
        state.n_batch_iter += 1

    def _online_step(
        self,
        batch: Documents,
        topics: Topics,
        settings: Settings,
        total_samples: float,
        state: _Progress,
    ) -> None:
        gamma = self._random(batch.n_documents, self.n_components, topics.values.dtype)
        counts = batch.learn(topics.expected(batch.words), gamma, settings)
        rate = (self.learning_offset + state.n_batch_iter) ** -self.learning_decay
        ratio = total_samples / batch.n_documents
        topics.blend(counts, batch.words, rate, self._word_prior(), ratio)
        state.n_batch_iter += 1

    def _training_perplexity(
        self, parts: list[Documents], topics: Topics, settings: Settings
    ) -> float:
        components = topics.parameters()
        words = WordBound(components, settings.n_threads)
        expected = words.expected.astype(components.dtype, copy=False)
        bound = dirichlet_bound(self._word_prior(), components, settings.n_threads)
        n_words = 0.0
        for part in parts:
            gamma = np.ones((part.n_documents, self.n_components), dtype=components.dtype)
            part.infer(expected, gamma, settings)
            bound += words.of(part, gamma)
            bound += dirichlet_bound(self.doc_topic_prior_, gamma, settings.n_threads)
            n_words += part.data.sum(dtype=np.float64)
        return _perplexity(bound, n_words)

    def _store(self, topics: Topics, state: _Progress) -> None:
        self.components_ = topics.parameters()
        self.exp_dirichlet_component_ = topics.expected().T
        self.n_batch_iter_, self.n_iter_ = state.n_batch_iter, state.n_iter

    # What scikit-learn's transform, score and perplexity call.

    def _e_step(
        self, X: Any, cal_sstats: bool, random_init: bool, parallel: Any = None
    ) -> tuple[Reals, Reals | None]:
        expected = self.exp_dirichlet_component_.T
        whole = bool(expected.flags.c_contiguous)
        batch = Documents(X, compact=not (whole or cal_sstats))
        expected = np.ascontiguousarray(expected[batch.words] if len(batch.words) else expected)
        shape = (X.shape[0], self.n_components)
        gamma = self._random(*shape, expected.dtype) if random_init else None
        if gamma is None:
            gamma = np.ones(shape, dtype=expected.dtype)
        if cal_sstats:
            counts = batch.learn(expected, gamma, self._settings())
            return gamma, counts.astype(expected.dtype, copy=False).T
        batch.infer(expected, gamma, self._settings())
        return gamma, None

    def _approx_bound(self, X: Any, doc_topic_distr: Reals, sub_sampling: bool) -> float:
        n_threads = effective_threads(self.n_jobs)
        bound = WordBound(self.components_, n_threads).of(Documents(X), doc_topic_distr)
        bound += dirichlet_bound(self.doc_topic_prior_, doc_topic_distr, n_threads)
        if sub_sampling:
            bound *= self.total_samples / X.shape[0]
        return bound + dirichlet_bound(self._word_prior(), self.components_, n_threads)


class _Progress:
    """How far a fit has come; kept apart from the estimator until it is over."""

    def __init__(self, n_batch_iter: int, n_iter: int) -> None:
        self.n_batch_iter = n_batch_iter
        self.n_iter = n_iter


def _perplexity(bound: float, n_words: float) -> float:
    if n_words == 0:
        return float("nan")
    with np.errstate(over="ignore"):  # few words and many parameters
        return float(np.exp(-bound / n_words))


def _batches(X: Any, batch_size: int) -> Iterable[Documents]:
    """Cut documents into batches; a list, since every pass goes over the same ones."""
    return [Documents(X[rows], compact=True) for rows in gen_batches(X.shape[0], batch_size)]
