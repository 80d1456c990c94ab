"""One chain of the Gibbs sampler: sweeps, priors learned on the way, its trace, and its samples.

The kernel (``lda_gibbs``) is collapsed Gibbs sampling on a grid. Documents and words are dealt into
P parts each, by tokens; a sweep is P epochs of P blocks that share neither documents nor words, so
that counts of documents and words are exact, and only the totals of topics wait for the end of an
epoch. P follows from the corpus, random numbers belong to (seed, sweep, epoch, block), and all sums
that cross blocks are of whole numbers: hence the same bits at any number of threads, and a fit that
can be resumed. Up to half a million tokens there is one block, and the sampler is exact.

Inside a block tokens lie word by word. The weights of a word for all topics stay in the first
cache, changed for the two topics that a token moves between, with reciprocals instead of divisions;
what is looked up at random are the documents, asked for some tokens ahead. Up to 128 topics a
document is a row of counts and all topics are weighed side by side in sixteen lanes; above, it is a
list of its topics, and memory grows with tokens alone. Lanes are added up in one order for every
instruction set.

Partially collapsed sampling and delayed counts (WarpLDA) would be independent of threads, too, but
mix more slowly for each sweep; the grid keeps the exact conditional. Priors are learned from
histograms of counts (``_lda_priors``), with a weak gamma prior that keeps few documents from
running away. ``transform`` is a deterministic fixed point, so that a document's topics depend on
nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import gammaln

from quire import _core
from quire._shared.lda_documents import CountArrays
from quire._shared.typing import Floats
from quire.decomposition._gibbs_step import GibbsStep
from quire.decomposition._lda_priors import (
    DocumentTails,
    learn_alpha,
    learn_beta,
    length_tails,
    topic_log_likelihood,
)

__all__ = ["Chain", "Plan", "Samples", "SeedWords"]

_WINDOW = 5  # points of the trace that are averaged to see whether it is flat
_FIRST_UPDATE = 20  # sweeps before the priors are first learned
_AT_ONCE = 1 << 22  # counts of words in topics that are looked at together


@dataclass(frozen=True)
class SeedWords:
    """More weight in the topic prior for some words in some topics, by word as in CSC."""

    begin: NDArray[np.int32]
    topics: NDArray[np.int32]
    weights: Floats

    @classmethod
    def none(cls) -> SeedWords:
        """Return seed words that are not there."""
        empty = np.empty(0, dtype=np.int32)
        return cls(empty, empty, np.empty(0))

    @property
    def columns(self) -> NDArray[np.int32]:
        """The words that have a weight."""
        return np.flatnonzero(np.diff(self.begin)).astype(np.int32)

    def dense(self, n_topics: int, columns: NDArray[np.int32] | None = None) -> Floats:
        """Return the weights as a matrix of topics by words, all of them or some."""
        table = np.zeros((n_topics, len(self.begin) - 1))
        table[self.topics, np.repeat(np.arange(table.shape[1]), np.diff(self.begin))] = self.weights
        return table if columns is None else table[:, columns]


@dataclass(frozen=True)
class Plan:
    """What a chain is to do.

    Parameters
    ----------
    burn_in : int
        Sweeps before the first sample, at most.
    n_samples, thinning : int
        States to average, and sweeps from one to the next.
    learn : {"asymmetric", "symmetric"} or None
        How to learn the document prior.
    learn_beta : bool
        Whether to learn the topic prior.
    tol : float
        Burn-in ends when the log-likelihood per token grows by less than that.
    every : int
        Sweeps between two points of the trace.
    n_threads : int
        Threads.
    """

    burn_in: int
    n_samples: int
    thinning: int
    learn: str | None
    learn_beta: bool
    tol: float
    every: int
    n_threads: int


@dataclass
class Samples:
    """Sums over the sampled states."""

    words: Floats  # words x topics
    documents: Any = None  # sparse, documents x topics
    n: int = 0
    kept: list[NDArray[np.float32]] = field(default_factory=list)


class Chain:
    """A sampler with its priors, its trace and its samples.

    Parameters
    ----------
    arrays : CountArrays
        The documents.
    n_words, n_topics : int
        Sizes.
    alpha : ndarray of shape (n_topics,)
        The document prior to begin with.
    beta : float or ndarray of shape (n_words,)
        The topic prior of words without seeds, the same for all or one for each.
    seeds : SeedWords
        What is added to it.
    seed : int
        Seed of the random numbers.
    """

    def __init__(
        self,
        arrays: CountArrays,
        n_words: int,
        n_topics: int,
        alpha: Floats,
        beta: float | Floats,
        seeds: SeedWords,
        seed: int,
    ) -> None:
        self.arrays, self.n_words, self.n_topics = arrays, n_words, n_topics
        self.alpha, self.beta, self.seeds, self.seed = alpha, beta, seeds, seed
        self.sampler = _core.topics.LdaGibbs(*arrays, n_words, n_topics)
        self.lengths = arrays.lengths
        self._length_tails = length_tails(self.lengths)
        self.trace: list[tuple[int, float]] = []
        self.flat = False
        self.begun = 0  # the sweep at which this run began
        self.burnt: int | None = None  # the sweep at which burn-in ended
        self.samples = Samples(np.zeros((n_words, n_topics)))
        self.keeps_steps = False
        self.steps: list[GibbsStep] = []  # the start and the state after each sweep, if kept
        self._kept_sweep = -1  # the sweep that the last of them is of
        self._set_priors()
        self.sampler.set_assignments(self._first_topics(), 0, 0)

    def _first_topics(self) -> NDArray[np.uint16]:
        """Draw one topic for each document, which all of its tokens begin with.

        On 20 newsgroups with 100 topics this was ahead of uniform topics for some seventy sweeps,
        and level after a hundred; on two generated corpora, eight seeds each, fewer topics were
        missed. Drawing each topic given those before it was behind both.
        A document with seed words begins with the topic that it has most of.
        """
        random = np.random.Generator(np.random.Philox(self.seed))
        topics = random.integers(0, self.n_topics, len(self.lengths), dtype=np.uint16)
        if len(self.seeds.begin):
            shape = (len(self.lengths), self.n_words)
            counts = sparse.csr_array(
                (self.arrays.counts, self.arrays.indices, self.arrays.indptr), shape=shape
            )
            weights = counts @ sparse.csr_array(
                (self.seeds.weights, self.seeds.topics, self.seeds.begin),
                shape=(self.n_words, self.n_topics),
            )
            seeded = np.diff(weights.indptr) > 0
            topics[seeded] = weights.argmax(axis=1)[seeded]
        return np.repeat(topics, self.lengths)

    @property
    def n_sweeps(self) -> int:
        """Sweeps that are done."""
        return int(self.sampler.sweep)

    def run(
        self,
        plan: Plan,
        *,
        keep: bool = False,
        keep_steps: bool = False,
        report: Callable[[Chain], None] | None = None,
    ) -> None:
        """Sweep until the plan is done; can be called again after an interrupt."""
        self.keeps_steps = keep_steps
        if keep_steps:
            self._keep_step(plan.n_threads)
        if self.burnt is None:
            self._burn_in(plan, report)
        for n in range(self.samples.n, plan.n_samples):
            assert self.burnt is not None
            self._sweep_to(self.burnt + (n + 1) * plan.thinning, plan, report, learn=False)
            self._take_sample(keep)

    def _burn_in(self, plan: Plan, report: Callable[[Chain], None] | None) -> None:
        end = self.begun + plan.burn_in
        while self.n_sweeps < end and not self.flat:
            following = (self.n_sweeps // plan.every + 1) * plan.every
            self._sweep_to(min(following, end), plan, report, learn=True)
            self.flat = self._is_flat(plan.tol)
        self.burnt = self.n_sweeps

    def _sweep_to(
        self, sweep: int, plan: Plan, report: Callable[[Chain], None] | None, *, learn: bool
    ) -> None:
        while self.keeps_steps and self.n_sweeps < sweep - 1:
            self.sampler.run(self.seed, self.n_sweeps + 1, plan.n_threads)
            self._keep_step(plan.n_threads)
        self.sampler.run(self.seed, sweep, plan.n_threads)
        if self.trace and self.trace[-1][0] == sweep:
            return
        tails = self._tails(plan.n_threads)
        if learn and sweep >= _FIRST_UPDATE:
            self._learn(plan, tails)
        if self.keeps_steps:
            self._keep_step(plan.n_threads)
        self.trace.append((sweep, self._log_likelihood_per_token(tails)))
        if report is not None:
            report(self)

    def _tails(self, n_threads: int) -> DocumentTails:
        return DocumentTails(*self.sampler.topic_tails(n_threads), self._length_tails)

    def _log_likelihood_per_token(self, tails: DocumentTails) -> float:
        return self.log_likelihood(tails) / max(1, self.sampler.n_tokens)

    def _keep_step(self, n_threads: int) -> None:
        """Keep the state, unless it is kept already: after an interrupt, or where a run begins."""
        if self.n_sweeps == self._kept_sweep:
            return
        words = np.zeros((self.n_words, self.n_topics))
        self.sampler.add_word_topics(words)
        self.steps.append(
            GibbsStep(
                self.sampler.assignments(),
                self._documents().toarray().astype(np.int32),
                np.ascontiguousarray(words.T).astype(np.int32),
                self._log_likelihood_per_token(self._tails(n_threads)),
            )
        )
        self._kept_sweep = self.n_sweeps

    def _learn(self, plan: Plan, tails: DocumentTails) -> None:
        if plan.learn is not None:
            self.alpha = learn_alpha(tails, self.alpha, symmetric=plan.learn == "symmetric")
        if plan.learn_beta:
            counts, multiplicity = self._word_counts()
            totals = self.sampler.totals.astype(np.int64)
            assert isinstance(self.beta, float)  # one for each word is not learned
            self.beta = learn_beta(counts, multiplicity, totals, self.beta, self.n_words)
        if plan.learn is not None or plan.learn_beta:
            self._set_priors()

    def _set_priors(self) -> None:
        seeds = self.seeds
        arrays = seeds.begin, seeds.topics, seeds.weights
        if isinstance(self.beta, float):
            self.sampler.set_priors(self.alpha, self.beta, *arrays)
        else:
            self.sampler.set_word_priors(self.alpha, self.beta, *arrays)

    def _word_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        histogram = self.sampler.word_histogram()
        counts = np.flatnonzero(histogram)
        return counts, histogram[counts]

    def log_likelihood(self, tails: DocumentTails) -> float:
        """Return log p(words, topics) given the priors."""
        beta = self.beta
        total = self.n_words * beta if isinstance(beta, float) else float(beta.sum())
        beta_sums = np.full(self.n_topics, total)
        if len(self.seeds.begin):
            beta_sums += np.bincount(
                self.seeds.topics, weights=self.seeds.weights, minlength=self.n_topics
            )
        totals = self.sampler.totals.astype(np.int64)
        if isinstance(beta, float):
            words = topic_log_likelihood(*self._word_counts(), totals, beta, beta_sums)
            words += self._log_likelihood_of(self.seeds.columns, beta)
        else:
            none = np.empty(0, dtype=np.int64)
            words = topic_log_likelihood(none, none, totals, 1.0, beta_sums)
            step = max(1, _AT_ONCE // self.n_topics)
            for first in range(0, self.n_words, step):
                columns = np.arange(first, min(first + step, self.n_words), dtype=np.int32)
                words += self._log_likelihood_of(columns, beta[columns, np.newaxis])
        return tails.log_likelihood(self.alpha) + words

    def _log_likelihood_of(self, columns: NDArray[np.int32], beta: Any) -> float:
        """Return the sum of log Gamma(n_wk + beta_wk) - log Gamma(beta_wk) over some words."""
        if len(columns) == 0:
            return 0.0
        counts = self.sampler.word_topics(columns)
        prior = np.broadcast_to(beta, counts.shape)
        if len(self.seeds.begin):
            prior = prior + self.seeds.dense(self.n_topics, columns).T
        there = counts > 0  # elsewhere nothing is added
        return float((gammaln(counts[there] + prior[there]) - gammaln(prior[there])).sum())

    def _is_flat(self, tol: float) -> bool:
        values = [value for sweep, value in self.trace if sweep > self.begun]
        if tol <= 0 or len(values) < 2 * _WINDOW + _FIRST_UPDATE // 10:
            return False
        now, before = np.mean(values[-_WINDOW:]), np.mean(values[-2 * _WINDOW : -_WINDOW])
        return bool(now - before < tol)

    def mean_counts(self) -> tuple[Floats, Any, int]:
        """Return counts of topics by words and of documents by topics, and of how many samples.

        A chain that has no samples yet gives its state.
        """
        samples = self.samples
        if samples.n == 0:
            words = np.zeros_like(samples.words)
            self.sampler.add_word_topics(words)
            return np.ascontiguousarray(words.T), self._documents().astype(np.float32), 0
        words = np.ascontiguousarray(samples.words.T)
        words /= samples.n
        return words, (samples.documents / samples.n).astype(np.float32), samples.n

    def _documents(self) -> Any:
        indptr, topics, counts = self.sampler.doc_topics()
        shape = (len(self.lengths), self.n_topics)
        return sparse.csr_array((counts, topics, indptr), shape=shape)

    def _take_sample(self, keep: bool) -> None:
        samples = self.samples
        self.sampler.add_word_topics(samples.words)
        state = self._documents()
        samples.documents = state if samples.documents is None else samples.documents + state
        samples.n += 1
        if keep:
            theta = state.toarray() + self.alpha
            theta /= theta.sum(axis=1, keepdims=True)
            samples.kept.append(theta.astype(np.float32))

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["sampler"]
        sampler = self.sampler
        state["_state"] = (sampler.assignments(), sampler.sweep, sampler.epoch)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        assignments, sweep, epoch = state.pop("_state")
        self.__dict__.update(state)
        self.sampler = _core.topics.LdaGibbs(*self.arrays, self.n_words, self.n_topics)
        self.sampler.set_assignments(assignments, sweep, epoch)
        self._set_priors()
