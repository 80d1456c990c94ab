"""One model for each number of topics, judged on documents that none of them saw."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.progress import Advance
from quire._shared.progress import progress as progress_bar
from quire._shared.topic_models import checked_number, phi_of
from quire.feature_extraction.text import CountVectorizer
from quire.topics._coherence import coherence
from quire.topics._counts import counts_of, split_rows
from quire.topics._sweep_result import Sweep
from quire.topics._words import exclusivity, topic_diversity

__all__ = ["sweep"]

_METRICS = ("held_out", "npmi", "umass", "c_v", "c_uci", "diversity", "exclusivity")


def sweep(
    X: Any,
    K: Iterable[int],
    *,
    metric: Any = ("held_out", "npmi", "diversity"),
    estimator: Any = None,
    vectorizer: Any = None,
    validation_size: float | int = 0.1,
    n_words: int = 10,
    keep_models: bool = False,
    n_jobs: int | None = None,
    random_state: Any = 0,
    progress: bool = False,
) -> Sweep:
    """Fit a topic model for each of several numbers of topics, and compare them.

    Parameters
    ----------
    X : sparse matrix or array of counts of shape (n_documents, n_words), or sequence of texts
        The documents. Texts are counted by `vectorizer`.
    K : iterable of int
        Numbers of topics, such as ``[10, 20, 50, 100]``.
    metric : str, callable, or sequence of these, default=("held_out", "npmi", "diversity")
        What to measure: "held_out" is the log-likelihood per token of the validation documents,
        "npmi", "umass", "c_v" and "c_uci" the mean :func:`coherence` in the training documents,
        "diversity" and "exclusivity" are :func:`topic_diversity` and the mean :func:`exclusivity`.
        A function gets the fitted model and the counts of the validation documents.
    estimator : estimator, default=None
        A topic model with the parameter ``n_components``, which has ``components_`` when fitted.
        ``None`` is :class:`quire.decomposition.LatentDirichletAllocation`.
    vectorizer : CountVectorizer, default=None
        How to count texts. ``None`` takes that of the estimator, or else ``CountVectorizer()``.
        Topics are clearer without the words that all documents have, and smaller without those that
        hardly any has: ``CountVectorizer(stop_words="english", max_df=0.5, min_df=5)``.
    validation_size : float or int, default=0.1
        The share or the number of documents that are held out.
    n_words : int, default=10
        How many top words coherence and exclusivity look at; diversity looks at 25.
    keep_models : bool, default=False
        Whether to keep the models, in ``models``.
    n_jobs : int, default=None
        Number of models to fit at a time, each in a thread. ``None`` means one, in which the
        kernels of quire use all cores. It does not change the results.
    random_state : int, RandomState instance or None, default=0
        The seed of the division and of all fits.
    progress : bool, default=False
        Show a progress bar with the time that is left.

    Returns
    -------
    Sweep
        A table, a plot and a suggestion.

    Raises
    ------
    ValueError
        If an argument does not fit.

    See Also
    --------
    coherence : What the measures mean.

    Notes
    -----
    All models have the same training documents and are judged by the same validation documents, so
    that their held-out likelihoods can be compared document by document. Their differences are
    known much better than the likelihoods themselves.

    The likelihood usually grows with the number of topics, and at some point hardly any more. The
    suggestion is the smallest number of topics that is not worse than the best by more than one
    standard error of their difference. It says how many topics the documents can tell apart, not
    how many a reader wants. Look at coherence and diversity as well, and at the topics.

    Ctrl-C ends the sweep; the models that are finished by then are returned, with a warning.

    Examples
    --------
    >>> from sklearn.decomposition import LatentDirichletAllocation
    >>> from quire.datasets import make_lda_corpus
    >>> from quire.topics import sweep
    >>> corpus = make_lda_corpus(200, n_topics=3, n_words=60)
    >>> model = LatentDirichletAllocation(max_iter=5)
    >>> result = sweep(corpus.X, K=[2, 4], metric=("npmi", "diversity"), estimator=model)
    >>> result.table.columns
    ['n_topics', 'npmi', 'diversity', 'seconds']
    """
    numbers = _numbers(K)
    metrics = _metrics(metric)
    n_words = checked_number(n_words, "n_words", least=2)
    model = _estimator(estimator)
    random = check_random_state(random_state)
    counts = counts_of(X, vectorizer or _vectorizer(model))
    train, test = split_rows(counts.shape[0], validation_size, random)
    seeds = random.randint(2**31, size=len(numbers) + 1).tolist()
    task = _Task(model, counts[train], counts[test], metrics, n_words, seeds[-1])

    finished: dict[int, _Fit] = {}

    def run(n_topics: int, seed: int) -> None:
        finished[n_topics] = _fit(task, n_topics, seed, advance)

    with progress_bar("Models", float(sum(numbers)), shown=progress) as advance:
        try:
            Parallel(n_jobs=n_jobs, require="sharedmem")(
                delayed(run)(number, seed) for number, seed in zip(numbers, seeds[:-1], strict=True)
            )
        except KeyboardInterrupt:
            if not finished:
                raise
    if len(finished) < len(numbers):
        warnings.warn(
            f"Stopped with {len(finished)} of {len(numbers)} models; the result has those.",
            RuntimeWarning,
            stacklevel=2,
        )
    numbers = [number for number in numbers if number in finished]
    fits = [finished[number] for number in numbers]
    likelihoods, lengths = None, np.asarray(task.test.sum(axis=1), dtype=np.float64).ravel()
    if "held_out" in metrics:
        likelihoods = np.stack([fit.likelihood.per_document for fit in fits])
        lengths = np.asarray(fits[0].likelihood.n_tokens, dtype=np.float64)
    return Sweep(
        n_topics=np.array(numbers),
        scores={name: np.array([fit.scores[name] for fit in fits]) for name in metrics},
        document_likelihoods=likelihoods,
        document_lengths=lengths,
        seconds=np.array([fit.seconds for fit in fits]),
        models=dict(zip(numbers, (fit.model for fit in fits), strict=True)) if keep_models else {},
    )


@dataclass(frozen=True, eq=False)
class _Task:
    """What is the same for all numbers of topics."""

    model: Any
    train: Any
    test: Any
    metrics: dict[str, Any]
    n_words: int
    seed: int


@dataclass(frozen=True, eq=False)
class _Fit:
    model: Any
    scores: dict[str, float]
    likelihood: Any
    seconds: float


def _fit(task: _Task, n_topics: int, seed: int, advance: Advance) -> _Fit:
    """Fit and judge one model."""
    model = clone(task.model).set_params(n_components=n_topics)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    start = time.perf_counter()
    model.fit(task.train)
    seconds = time.perf_counter() - start
    likelihood = None
    scores = {}
    for name, score in task.metrics.items():
        if name == "held_out":
            likelihood = _held_out(model, task)
            scores[name] = float(likelihood.per_token)
        elif callable(score):
            scores[name] = float(score(model, task.test))
        elif name == "diversity":
            scores[name] = topic_diversity(model)
        elif name == "exclusivity":
            scores[name] = float(exclusivity(model, task.n_words).mean())
        else:
            scores[name] = coherence(
                phi_of(model), task.train, measure=name, n_words=task.n_words
            ).mean
    advance(float(n_topics))
    return _Fit(model, scores, likelihood, seconds)


def _held_out(model: Any, task: _Task) -> Any:
    """Return the likelihood of the validation documents, by one estimator for all models."""
    from quire.topics._held_out import held_out_likelihood

    if hasattr(model, "phi_"):
        return held_out_likelihood(model, task.test, random_state=task.seed)
    phi = phi_of(model)
    prior = getattr(model, "alpha_", getattr(model, "doc_topic_prior_", 1 / len(phi)))
    return held_out_likelihood(phi, task.test, alpha=prior, random_state=task.seed)


def _numbers(K: Iterable[int]) -> list[int]:
    if isinstance(K, str) or not isinstance(K, Iterable):
        raise TypeError(f"K is {K!r}; expected numbers of topics, such as [10, 20, 50].")
    numbers = sorted({checked_number(number, "K") for number in K})
    if not numbers:
        raise ValueError("K is empty; expected numbers of topics, such as [10, 20, 50].")
    return numbers


def _metrics(metric: Any) -> dict[str, Any]:
    asked: Sequence[Any] = [metric] if isinstance(metric, str) or callable(metric) else list(metric)
    found: dict[str, Any] = {}
    for one in asked:
        if callable(one):
            found[getattr(one, "__name__", "score")] = one
        elif one in _METRICS:
            found[one] = one
        else:
            raise ValueError(
                f"metric has {one!r}; expected {', '.join(_METRICS)}, or a function of the model "
                "and the counts of the validation documents."
            )
    if not found:
        raise ValueError("metric is empty; expected 'held_out', for example.")
    return found


def _estimator(estimator: Any) -> Any:
    if estimator is None:
        from quire.decomposition import LatentDirichletAllocation

        return LatentDirichletAllocation()
    if not hasattr(estimator, "fit") or "n_components" not in estimator.get_params():
        raise TypeError(
            f"estimator is a {type(estimator).__name__}; expected a topic model with the parameter "
            "n_components."
        )
    return estimator


def _vectorizer(model: Any) -> Any:
    own = model.get_params().get("vectorizer")
    return CountVectorizer() if own is None else own
