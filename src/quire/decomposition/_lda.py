r"""Latent Dirichlet allocation: every document a mixture of topics, every topic one of words.

.. math::
   \theta_d \sim \mathrm{Dir}(\alpha), \quad \phi_k \sim \mathrm{Dir}(\beta), \quad
   z_{dn} \sim \mathrm{Cat}(\theta_d), \quad w_{dn} \sim \mathrm{Cat}(\phi_{z_{dn}})

D. Blei, A. Ng and M. Jordan, "Latent Dirichlet allocation", JMLR 3, 2003; the sampler: T. Griffiths
and M. Steyvers, "Finding scientific topics", PNAS 101, 2004.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, check_non_negative

from quire import _core
from quire._shared.drawn_documents import count_matrix
from quire._shared.draws import check_n_samples, draw_words, lengths_of
from quire._shared.lda_documents import CountArrays, count_arrays, document_likelihoods, word_major
from quire._shared.sklearn import Interval, StrOptions, fit_context
from quire._shared.texts import is_texts
from quire._shared.threads import effective_threads
from quire._shared.validation import validate_data
from quire.decomposition._lda_fitted import FittedTopics
from quire.decomposition._lda_sampling import continue_sampling, fit_by_sampling
from quire.decomposition._lda_variational import VariationalLDA
from quire.distributions import Dirichlet
from quire.feature_extraction.text import CountVectorizer

__all__ = ["LatentDirichletAllocation"]

_DTYPES = [np.float64, np.float32, np.int64, np.int32]
_VARIATIONAL_MAX_ITER = 10  # as in scikit-learn
_INFER_MAX_ITER, _INFER_TOL = 100, 1e-4
_N_PARTICLES = 10


# What a fit of the sampler leaves, and one of the variational methods does not.
_OF_THE_SAMPLER = ("_doc_topic_counts", "_chains", "_row_sums", "topic_assignments_", "steps_")


class LatentDirichletAllocation(FittedTopics, VariationalLDA):
    """Topics of documents, by Gibbs sampling or by variational Bayes.

    scikit-learn's class with a sampler as the default method, learned priors and seed words. It
    takes counts, or texts as they are.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics.
    doc_topic_prior : float, array-like, {"asymmetric", "symmetric"} or None, default=None
        The prior alpha of the topics of documents. A number is the same for all topics and stays as
        it is, an array has one for each. "asymmetric" and "symmetric" are learned from the data,
        from ``5 / n_components``. ``None`` means "asymmetric" for the sampler and
        ``1 / n_components`` for the variational methods, which take only numbers.
    topic_word_prior : float, array-like of shape (n_features,), {"symmetric"} or None, default=None
        The prior beta of the words of topics. A number is the same for all words, an array has one
        for each. "symmetric" is learned, by the sampler. ``None`` means 0.01 for the sampler and
        ``1 / n_components`` for the variational methods.
    learning_method : {"gibbs", "batch", "online"}, default="gibbs"
        The collapsed Gibbs sampler, or scikit-learn's variational methods.
    learning_decay, learning_offset : float, default=0.7 and 10.0
        Learning rate of the method "online".
    max_iter : int or None, default=None
        Most sweeps of the sampler, samples included, or passes of the variational methods. ``None``
        means 500 sweeps, or 10 passes.
    batch_size : int, default=128
        Documents in a step of the method "online".
    evaluate_every : int, default=-1
        Sweeps between two points of the log-likelihood trace; 0 or less means 10. For the
        variational methods, passes between two evaluations of the perplexity.
    total_samples : int, default=1e6
        Documents in all, for `partial_fit`.
    perp_tol, mean_change_tol, max_doc_update_iter : default=0.1, 1e-3 and 100
        When the variational methods stop, as in scikit-learn.
    n_jobs : int, default=None
        Threads; ``None`` means all cores. Results do not depend on it.
    verbose : int, default=0
        Whether to print a line at each evaluation.
    random_state : int, RandomState instance or None, default=None
        Where random numbers come from.
    seed_words : mapping, default=None
        Words that are expected in a topic: from its number (from 0) to a list of words or of
        columns, or to a mapping of those to weights. For the sampler.
    seed_weight : float, default=50.0
        What a seed word adds to the topic prior: so many tokens are taken as seen.
    burn_in : int or None, default=None
        Sweeps before the first sample, at most; ``None`` means what `max_iter` leaves. A number
        overrides `max_iter`.
    n_samples : int, default=5
        States of the sampler that are averaged. 0 takes the last state as it is.
    thinning : int, default=5
        Sweeps from one sample to the next; fewer where `max_iter` is small.
    n_chains : int, default=1
        Chains from different starts. The most likely one is the model, and `r_hat_` compares them.
    tol : float, default=1e-3
        Burn-in ends early once the log-likelihood per token, averaged over five points of the
        trace, has grown by less than this since the five before. 0 means never.
    keep_samples : bool, default=False
        Whether to keep the document shares of each sample as `theta_samples_`.
    warm_start : bool, default=False
        Whether `fit` on the same documents goes on from where the last one ended.
    vectorizer : CountVectorizer or None, default=None
        How texts are counted; ``None`` means ``CountVectorizer()``.
    progress : bool or callable, default=False
        Whether to show a bar; or a function to call with a dictionary at each evaluation.
    keep_steps : bool, default=False
        Whether to keep the state of the sampler after each sweep as `steps_`. Each takes memory
        for all tokens, and for the tables of documents and of words by topics: for small corpora.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Counts of words in topics, averaged over samples, plus the prior.
    phi_ : ndarray of shape (n_components, n_features)
        The topics: probabilities of words. Worked out from `components_` at each access.
    theta_ : ndarray of shape (n_documents, n_components)
        The shares of topics in the documents of `fit`. Worked out at each access.
    alpha_ : ndarray of shape (n_components,)
        The document prior.
    beta_ : float or ndarray of shape (n_features,) or (n_components, n_features)
        The topic prior; an array if one was given, a matrix where there are seed words.
    doc_topic_prior_, topic_word_prior_ : ndarray, float or ndarray
        scikit-learn's names of the priors (without seed words).
    topic_assignments_ : ndarray of uint16 of shape (n_tokens,)
        The topic of every token in the last state: documents in order, in each the words by column,
        each as many times as it is counted.
    log_likelihood_trace_ : structured ndarray
        ``"iteration"`` and ``"log_likelihood"``: log p(words, topics) per token.
    chain_traces_ : list of structured ndarray
        The traces of all chains.
    r_hat_ : float
        Spread between over spread within the chains, of the second halves of their traces; NaN with
        one chain.
    converged_ : bool
        Whether the trace was flat (see `tol`) before the sweeps ran out.
    n_iter_, n_samples_ : int
        Sweeps made and states averaged.
    theta_samples_ : ndarray of float32 of shape (n_samples, n_documents, n_components) or None
        With `keep_samples`.
    steps_ : list of GibbsStep
        With `keep_steps`: the start and the state after each sweep of the chain that is the model,
        ``n_iter_ + 1`` in all. Model files do not hold them.
    vectorizer_ : CountVectorizer or None
        What counted the texts, if `fit` was given texts.
    vocabulary_terms_ : ndarray of str or None
        The words of the columns, if they are known.
    n_features_in_, feature_names_in_ : int, ndarray
        As in scikit-learn.

    See Also
    --------
    quire.topics.held_out_likelihood : How well a model predicts other documents.

    Notes
    -----
    The same seed gives the same bits at any number of threads. Ctrl-C raises KeyboardInterrupt and
    leaves the model as it was; `resume` goes on with an interrupted fit of the sampler, or takes
    what was learned until then. `transform` depends on a document alone, not on the others, so that
    parts of a stream give what the whole would.

    Defaults that differ from scikit-learn's: `learning_method` ("gibbs", there "batch"), because
    the sampler finds better topics; `max_iter` (``None``, there 10), because sweeps are not passes;
    and with the sampler what ``None`` means for the two priors.

    Examples
    --------
    >>> from quire.decomposition import LatentDirichletAllocation
    >>> texts = ["cat dog cat", "dog cat dog", "tax vote law", "law tax vote"] * 5
    >>> model = LatentDirichletAllocation(2, random_state=0, max_iter=60).fit(texts)
    >>> sorted(sorted(word.term for word in words) for words in model.top_terms(2).values())
    [['cat', 'dog'], ['law', 'tax']]
    >>> model.transform(["a law about a dog and a cat and a dog"]).shape
    (1, 2)
    """

    vectorizer_: Any

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **VariationalLDA._parameter_constraints,
        "n_components": [Interval(Integral, 1, 65000, closed="both")],
        "doc_topic_prior": [None, Real, "array-like", StrOptions({"asymmetric", "symmetric"})],
        "topic_word_prior": [None, Real, "array-like", StrOptions({"symmetric"})],
        "learning_method": [StrOptions({"gibbs", "batch", "online"})],
        "max_iter": [None, Interval(Integral, 0, None, closed="left")],
        "seed_words": [None, Mapping],
        "seed_weight": [Interval(Real, 0, None, closed="neither")],
        "burn_in": [None, Interval(Integral, 0, None, closed="left")],
        "n_samples": [Interval(Integral, 0, None, closed="left")],
        "thinning": [Interval(Integral, 1, None, closed="left")],
        "n_chains": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "keep_samples": ["boolean"],
        "warm_start": ["boolean"],
        "vectorizer": "no_validation",
        "progress": ["boolean", callable],
        "keep_steps": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 10,
        *,
        doc_topic_prior: Any = None,
        topic_word_prior: Any = None,
        learning_method: str = "gibbs",
        learning_decay: float = 0.7,
        learning_offset: float = 10.0,
        max_iter: int | None = None,
        batch_size: int = 128,
        evaluate_every: int = -1,
        total_samples: float = 1e6,
        perp_tol: float = 1e-1,
        mean_change_tol: float = 1e-3,
        max_doc_update_iter: int = 100,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
        seed_words: Mapping[Any, Any] | None = None,
        seed_weight: float = 50.0,
        burn_in: int | None = None,
        n_samples: int = 5,
        thinning: int = 5,
        n_chains: int = 1,
        tol: float = 1e-3,
        keep_samples: bool = False,
        warm_start: bool = False,
        vectorizer: Any = None,
        progress: Any = False,
        keep_steps: bool = False,
    ) -> None:
        super().__init__(
            n_components,
            doc_topic_prior=doc_topic_prior,
            topic_word_prior=topic_word_prior,
            learning_method=learning_method,
            learning_decay=learning_decay,
            learning_offset=learning_offset,
            max_iter=max_iter,
            batch_size=batch_size,
            evaluate_every=evaluate_every,
            total_samples=total_samples,
            perp_tol=perp_tol,
            mean_change_tol=mean_change_tol,
            max_doc_update_iter=max_doc_update_iter,
            n_jobs=n_jobs,
            verbose=verbose,
            random_state=random_state,
        )
        self.seed_words = seed_words
        self.seed_weight = seed_weight
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.thinning = thinning
        self.n_chains = n_chains
        self.tol = tol
        self.keep_samples = keep_samples
        self.warm_start = warm_start
        self.vectorizer = vectorizer
        self.progress = progress
        self.keep_steps = keep_steps

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn topics.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_features), or texts
            Counts of words, or a list, Series or Arrow column of texts.
        y : Ignored
            For scikit-learn's sake.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If counts are negative or, for the sampler, fractional; if there are no words; or if a
            parameter does not fit.
        """
        self._fit_counts(X)
        return self

    def _fit_counts(self, X: Any) -> Any:
        """Learn topics, and return the counts that they were learned from."""
        with self._or_as_it_was():
            counts = self._learn_words(X)
            if self.learning_method == "gibbs" and not self._is_without_words(counts):
                fit_by_sampling(self, counts)
            else:
                self._fit_variational(counts)
        self.__dict__.pop("_interrupted_fit", None)
        return counts

    def resume(self, *, stop: bool = False) -> Self:
        """Go on with a `fit` that was interrupted, with the same documents and parameters.

        Parameters
        ----------
        stop : bool, default=False
            Whether to take what was learned until the interrupt as the model, without going on.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        state = getattr(self, "_interrupted_fit", None)
        if state is None:
            raise ValueError("There is nothing to resume: no fit of this model was interrupted.")
        with self._or_as_it_was():
            self.__dict__.update(state)
            continue_sampling(self, stop=stop)
        del self._interrupted_fit
        return self

    @contextmanager
    def _or_as_it_was(self) -> Iterator[None]:
        """Leave the model as it was if it is not learned to the end; keep interrupted chains."""
        before = dict(vars(self))
        try:
            yield
        except BaseException as error:
            after = dict(vars(self))
            self.__dict__.clear()
            self.__dict__.update(before)
            if isinstance(error, KeyboardInterrupt) and after.get("_interrupted", False):
                kept = {*self.get_params(deep=False), "_interrupted_fit"}
                self._interrupted_fit = {k: v for k, v in after.items() if k not in kept}
            raise

    def _is_without_words(self, counts: Any) -> bool:
        """Say whether there is nothing to sample: the topics are then the prior, as elsewhere."""
        if counts.nnz if sparse.issparse(counts) else counts.any():
            if not sparse.issparse(counts) or counts.data.any():
                return False
        warnings.warn(
            "X has no words: all counts are zero, and the topics are those of the prior. Check the "
            "texts and the settings of the vectorizer (min_df, max_df, stop_words).",
            UserWarning,
            stacklevel=4,
        )
        return True

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from some documents more, by steps of the method "online".

        A sampler has to see all documents in every sweep. With ``learning_method="gibbs"`` the
        first call therefore begins anew as "online" does; after a `fit` of the sampler it goes on
        from the topics that were sampled, with the priors of the variational methods.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_features)
            Counts of words.
        y : Ignored
            For scikit-learn's sake.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_variational()
        with self._or_as_it_was():
            if self._was_sampled():
                self._set_priors()
                self._check_word_prior(self.components_.shape[1])
                self.n_batch_iter_ = 1
                for name in _OF_THE_SAMPLER:
                    self.__dict__.pop(name, None)
            super().partial_fit(X)
            self.vectorizer_, self.vocabulary_terms_ = None, self._names_of_columns()
            self._set_variational_attributes()
        return self

    def transform(self, X: Any, *, normalize: bool = True) -> NDArray[Any]:
        """Return the shares of topics in documents.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_features), or texts
            Counts of words; or texts, if the model was fitted to texts.
        normalize : bool, default=True
            Whether shares add up to 1; otherwise they are expected counts plus the prior.

        Returns
        -------
        ndarray of shape (n_documents, n_components)
            The shares. A document without a known word has those of the prior.
        """
        check_is_fitted(self)
        return self._shares(self._known_words(X), normalize)

    def _shares(self, counts: Any, normalize: bool) -> NDArray[Any]:
        """Return the shares of topics in documents of checked counts."""
        if not self._was_sampled():
            return np.asarray(super().transform(counts, normalize=normalize))
        arrays = count_arrays(counts)
        arrays, phi = self._phi_of_words_in(arrays)
        by_word, alpha = word_major(phi, self.alpha_)
        theta: NDArray[np.float64] = _core.topics.lda_infer(
            *arrays,
            by_word,
            alpha,
            len(self.alpha_),
            _INFER_MAX_ITER,
            _INFER_TOL,
            effective_threads(self.n_jobs),
        )
        if not normalize:
            theta *= (arrays.lengths + self.alpha_.sum())[:, None]
        return theta.astype(self.components_.dtype, copy=False)

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X: Any, y: Any = None, *, normalize: bool = True) -> NDArray[Any]:
        """Learn topics and return what `transform` says of the same documents.

        A model of these shares then sees others of the same kind. The means over the samples of the
        chain are in `theta_`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_features), or texts
            Counts of words or texts.
        y : Ignored
            For scikit-learn's sake.
        normalize : bool, default=True
            As in `transform`.
        """
        return self._shares(self._fit_counts(X), normalize)

    def score(self, X: Any, y: Any = None) -> float:
        """Return the log-likelihood of documents.

        For a sampled model this is the left-to-right estimate of
        :func:`quire.topics.held_out_likelihood` with ten particles and a fixed seed; for the
        variational methods scikit-learn's bound.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_features), or texts
            Documents, best others than those of `fit`.
        y : Ignored
            For scikit-learn's sake.
        """
        check_is_fitted(self)
        counts = self._known_words(X)
        if not self._was_sampled():
            return float(super().score(counts))
        arrays, phi = self._phi_of_words_in(count_arrays(counts))
        threads = effective_threads(self.n_jobs)
        found, _ = document_likelihoods(
            arrays, phi, self.alpha_, "left_to_right", _N_PARTICLES, 0, threads
        )
        return float(found.sum())

    def perplexity(self, X: Any, sub_sampling: bool = False) -> float:
        """Return exp(- log-likelihood per token) of documents; see `score`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_features), or texts
            Documents.
        sub_sampling : bool, default=False
            For the variational methods, as in scikit-learn.
        """
        check_is_fitted(self)
        counts = self._known_words(X)
        if not self._was_sampled():
            return float(super().perplexity(counts, sub_sampling=sub_sampling))
        return float(np.exp(-self.score(counts) / counts.sum()))

    def sample(
        self, n_samples: int = 1, *, length: Any = None, random_state: Any = None
    ) -> tuple[Any, NDArray[np.float64]]:
        r"""Draw documents from the model: shares of topics from the prior, then tokens.

        For each document :math:`\theta_d \sim \mathrm{Dir}(\alpha)`; for each token a topic from
        :math:`\theta_d` and a word from that topic, with the topics of `phi_`.

        Parameters
        ----------
        n_samples : int, default=1
            How many documents.
        length : int or array-like of shape (n_samples,), default=None
            Tokens of all documents, or of each. The model says nothing about it; ``None`` means the
            mean length of the documents of `fit`, rounded, and at least 1.
        random_state : int, RandomState instance or None, default=None
            An integer gives the same documents every time.

        Returns
        -------
        X : sparse matrix of shape (n_samples, n_features)
            Counts of words.
        theta : ndarray of shape (n_samples, n_components)
            The shares of topics that they were drawn with.

        See Also
        --------
        quire.datasets.make_lda_corpus : A corpus from topics that are drawn as well.

        Examples
        --------
        >>> from quire.decomposition import LatentDirichletAllocation
        >>> texts = ["cat dog cat", "dog cat dog", "tax vote law", "law tax vote"] * 5
        >>> model = LatentDirichletAllocation(2, random_state=0, max_iter=60).fit(texts)
        >>> X, theta = model.sample(3, length=[4, 5, 6], random_state=0)
        >>> X.sum(axis=1).ravel(), theta.shape
        (matrix([[4, 5, 6]]), (3, 2))
        """
        check_is_fitted(self)
        n_samples, rng = check_n_samples(n_samples), check_random_state(random_state)
        known = getattr(self, "_lengths", None)
        lengths = lengths_of(length, n_samples, None if known is None else float(known.mean()))
        theta = Dirichlet(self.alpha_).rvs(n_samples, random_state=rng)
        document = np.repeat(np.arange(n_samples), lengths)
        tokens = draw_words(rng, draw_words(rng, document, theta), self.phi_)
        return count_matrix(tokens, lengths, self.components_.shape[1]), theta

    def _learn_words(self, X: Any) -> Any:
        """Return counts, and remember what the columns are."""
        self.vectorizer_, self.vocabulary_terms_ = None, None
        if not is_texts(X):
            counts = validate_data(self, X, accept_sparse="csr", dtype=_DTYPES)
            self.vocabulary_terms_ = self._names_of_columns()
            return counts
        vectorizer = CountVectorizer() if self.vectorizer is None else clone(self.vectorizer)
        counts = vectorizer.fit_transform(X)
        self.vectorizer_ = vectorizer
        self.vocabulary_terms_ = np.asarray(vectorizer.get_feature_names_out(), dtype=object)
        self.n_features_in_ = counts.shape[1]
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return counts

    def _names_of_columns(self) -> NDArray[Any] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else np.asarray(names, dtype=object)

    def _known_words(self, X: Any) -> Any:
        """Return counts of the words of the model."""
        if is_texts(X):
            if self.vectorizer_ is None:
                raise ValueError(
                    "X is text, but the model was fitted to counts. Count the words with the "
                    "vectorizer that made those, or fit the model to texts."
                )
            return self.vectorizer_.transform(X)
        return validate_data(self, X, reset=False, accept_sparse="csr", dtype=_DTYPES)

    def _phi_of_words_in(self, arrays: CountArrays) -> tuple[CountArrays, NDArray[np.float64]]:
        """Return the topics of the words that occur, for a few documents, or of all words."""
        if len(arrays.indices) >= self.components_.shape[1]:
            return arrays, self.components_ / self._row_sums[:, None]
        words, numbers = np.unique(arrays.indices, return_inverse=True)
        phi = self.components_[:, words] / self._row_sums[:, None]
        return arrays._replace(indices=numbers.astype(np.int32)), phi

    def _check_variational(self) -> None:
        for name in ("doc_topic_prior", "topic_word_prior"):
            value = getattr(self, name)
            is_array = name == "topic_word_prior" and not isinstance(value, str) and np.ndim(value)
            if not (value is None or isinstance(value, Real) or is_array):
                raise ValueError(
                    f'{name}={value!r} needs learning_method="gibbs"; the variational methods take '
                    "a number or None, and for topic_word_prior also one for each word."
                )
        if self.seed_words:
            raise ValueError('seed_words need learning_method="gibbs".')
        if self.keep_steps:
            raise ValueError('keep_steps needs learning_method="gibbs".')

    def _fit_variational(self, counts: Any) -> None:
        self._check_variational()
        check_non_negative(counts, "LatentDirichletAllocation.fit")
        counts = counts if counts.dtype.kind == "f" else counts.astype(np.float64)
        self._learn(counts, _VARIATIONAL_MAX_ITER if self.max_iter is None else self.max_iter)
        for name in _OF_THE_SAMPLER:
            self.__dict__.pop(name, None)
        self._theta = np.asarray(super().transform(counts))
        self._lengths = np.asarray(counts.sum(axis=1)).ravel()
        self._set_variational_attributes()

    def _set_variational_attributes(self) -> None:
        self.alpha_ = np.full(self.n_components, float(self.doc_topic_prior_))
        beta = self.topic_word_prior_
        self.beta_ = beta if np.ndim(beta) else float(beta)
        empty = np.empty(0, dtype=[("iteration", np.int64), ("log_likelihood", np.float64)])
        self.log_likelihood_trace_, self.chain_traces_ = empty, [empty]
        self.r_hat_, self.theta_samples_ = float("nan"), None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        if self.learning_method == "gibbs":
            tags.input_tags.categorical = True  # whole numbers: counts
        return tags
