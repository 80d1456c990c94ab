"""Held-out likelihood: the one number by which topic models of any make can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from quire._shared.lda_documents import METHODS, count_arrays, document_likelihoods
from quire._shared.notebooks import ShownInNotebooks
from quire._shared.sklearn import Interval, StrOptions, validate_parameter_constraints
from quire._shared.texts import is_texts
from quire._shared.threads import effective_threads
from quire._shared.validation import check_array

__all__ = ["HeldOutLikelihood", "held_out_likelihood"]

_CONSTRAINTS: dict[str, list[Any]] = {
    "method": [StrOptions(set(METHODS))],
    "n_particles": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}


@dataclass(frozen=True)
class HeldOutLikelihood(ShownInNotebooks):
    """The log-likelihood of documents that a model has not seen.

    Attributes
    ----------
    total : float
        The sum over documents.
    per_token : float
        Divided by the tokens it is of; NaN if there are none.
    per_document : ndarray of shape (n_documents,)
        By document; 0 for an empty one.
    n_tokens : ndarray of shape (n_documents,)
        How many tokens of each document it is of: all, or half with "completion".
    method : str
        How it was estimated.
    """

    total: float
    per_token: float
    per_document: NDArray[np.float64]
    n_tokens: NDArray[np.int64]
    method: str

    @property
    def perplexity(self) -> float:
        """exp(- log-likelihood per token)."""
        return float(np.exp(-self.per_token))


def held_out_likelihood(
    model: Any,
    X: Any,
    *,
    alpha: Any = None,
    method: str = "left_to_right",
    n_particles: int = 20,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> HeldOutLikelihood:
    """Estimate the log-likelihood of documents under topics.

    Parameters
    ----------
    model : LatentDirichletAllocation or array-like of shape (n_topics, n_words)
        A fitted model; or topics of any make, whose rows are probabilities of words.
    X : {array-like, sparse matrix} of shape (n_documents, n_words), or texts
        Counts of words; or texts, for a model that was fitted to texts.
    alpha : float or array-like of shape (n_topics,), default=None
        The document prior. ``None`` means the model's; it is needed where topics are given.
    method : {"left_to_right", "completion"}, default="left_to_right"
        "left_to_right" estimates log p(words) of a document: its tokens come one after the other,
        in random order, and particles keep samples of the topics of those before. The mean weight
        of the particles is unbiased. "completion" is faster and easier to understand: the shares of
        topics come from a random half of the tokens, as means of a Gibbs sampler, and the score is
        that of the other half.
    n_particles : int, default=20
        Particles, or samples of the shares. More are more accurate.
    random_state : int, RandomState instance or None, default=0
        Where random numbers come from, and with them the order of tokens.
    n_jobs : int, default=None
        Threads; ``None`` means all cores. The result does not depend on it.

    Returns
    -------
    HeldOutLikelihood
        Total, per token and per document.

    Raises
    ------
    ValueError
        If topics are no probabilities, `alpha` is missing or X does not fit.

    Notes
    -----
    Estimates of different methods are not comparable with each other, nor are those of models with
    different vocabularies. Words are scored by the topics as they are given: a word with
    probability 0 in all topics makes a document impossible.

    References
    ----------
    H. Wallach, I. Murray, R. Salakhutdinov and D. Mimno, "Evaluation methods for topic models",
    ICML 2009. W. Buntine, "Estimating likelihoods for topic models", ACML 2009.

    Examples
    --------
    One topic: the likelihood is that of independent words.

    >>> import numpy as np
    >>> from quire.topics import held_out_likelihood
    >>> found = held_out_likelihood([[0.5, 0.25, 0.25]], [[2, 1, 0]], alpha=0.1)
    >>> round(found.total, 4), round(float(np.log(0.5 * 0.5 * 0.25)), 4)
    (-2.7726, -2.7726)
    """
    settings = {
        "method": method,
        "n_particles": n_particles,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    validate_parameter_constraints(_CONSTRAINTS, settings, caller_name="held_out_likelihood")
    phi, prior = _topics_of(model, alpha)
    X = _counts_of(model, X, phi.shape[1])
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    threads = effective_threads(n_jobs)
    found, n_tokens = document_likelihoods(
        count_arrays(X), phi, prior, method, n_particles, seed, threads
    )
    n_scored = int(n_tokens.sum())
    total = float(found.sum())
    return HeldOutLikelihood(
        total, total / n_scored if n_scored else float("nan"), found, n_tokens, method
    )


def _topics_of(model: Any, alpha: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if hasattr(model, "phi_"):
        phi = model.phi_
        alpha = model.alpha_ if alpha is None else alpha
    else:
        phi = check_array(model, dtype=np.float64, input_name="phi")
        sums = phi.sum(axis=1)
        if (phi < 0).any() or not np.allclose(sums, 1, atol=1e-4):
            raise ValueError(
                f"rows of phi must be probabilities of words; they sum to between {sums.min():g} "
                f"and {sums.max():g}. Divide each by its sum."
            )
        if alpha is None:
            raise ValueError("alpha, the document prior, is needed where topics are given.")
    prior = np.asarray(alpha, dtype=np.float64)
    prior = np.full(len(phi), float(prior)) if prior.ndim == 0 else prior
    if prior.shape != (len(phi),) or not (prior > 0).all():
        raise ValueError(
            f"alpha must be positive, a number or one for each of the {len(phi)} topics; got shape "
            f"{prior.shape}."
        )
    return phi, prior


def _counts_of(model: Any, X: Any, n_words: int) -> Any:
    if is_texts(X):
        vectorizer = getattr(model, "vectorizer_", None)
        if vectorizer is None:
            raise ValueError("X is text, but the topics are not those of a model fitted to texts.")
        X = vectorizer.transform(X)
    X = check_array(
        X, accept_sparse="csr", dtype=[np.float64, np.float32, np.int64, np.int32], input_name="X"
    )
    if X.shape[1] != n_words:
        raise ValueError(
            f"X has {X.shape[1]} columns; the topics are of {n_words} words. Count with the "
            "vectorizer of the model."
        )
    return X
