"""Fitting a topic model by Gibbs sampling: chains, interrupts, and the attributes of the model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from quire._shared.lda_documents import CountArrays, count_arrays
from quire._shared.progress import shown_bar
from quire._shared.threads import effective_threads
from quire.decomposition._lda_gibbs import Chain, Plan
from quire.decomposition._lda_settings import (
    document_prior,
    seed_words_of,
    sweep_plan,
    topic_prior,
)

__all__ = ["continue_sampling", "fit_by_sampling", "r_hat"]


def fit_by_sampling(model: Any, X: Any) -> None:
    """Fit a model to checked counts; its parameters have been checked, too."""
    arrays = count_arrays(X)
    interrupted = getattr(model, "_interrupted_fit", {})
    chains = interrupted.get("_chains", getattr(model, "_chains", None))
    if model.warm_start and chains and _same_documents(chains[0].arrays, arrays):
        if interrupted:
            model._learning = interrupted["_learning"]
        else:
            for chain in chains:
                _begin_again(chain)
    else:
        chains = _new_chains(model, arrays, X.shape[1])
    model._chains = chains
    model._is_single = X.dtype == np.float32
    continue_sampling(model)


def _same_documents(a: CountArrays, b: CountArrays) -> bool:
    pairs: list[tuple[Any, Any]] = list(zip(a, b, strict=True))
    return all(np.array_equal(one, other) for one, other in pairs)


def _begin_again(chain: Chain) -> None:
    chain.samples.words[:] = 0
    chain.samples.documents, chain.samples.n, chain.samples.kept = None, 0, []
    chain.begun, chain.burnt, chain.flat = chain.n_sweeps, None, False


def _new_chains(model: Any, arrays: CountArrays, n_words: int) -> list[Chain]:
    n_topics = model.n_components
    n_tokens = int(arrays.counts.sum(dtype=np.int64))
    if n_topics > n_tokens:
        warnings.warn(
            f"n_components={n_topics} topics for {n_tokens} tokens: most topics stay empty. Use "
            "fewer topics.",
            UserWarning,
            stacklevel=5,
        )
    alpha, learn = document_prior(model.doc_topic_prior, n_topics)
    beta, learns_beta = topic_prior(model.topic_word_prior, n_words)
    if learns_beta and model.seed_words:
        raise ValueError(
            'topic_word_prior="symmetric" cannot be learned beside seed_words, which make the '
            "prior differ between words. Give a number."
        )
    seeds = seed_words_of(
        model.seed_words, model.seed_weight, model.vocabulary_terms_, (n_topics, n_words)
    )
    random = check_random_state(model.random_state)
    numbers = [int(number) for number in random.randint(2**31 - 1, size=model.n_chains)]
    model._learning = learn, learns_beta
    return [Chain(arrays, n_words, n_topics, alpha, beta, seeds, number) for number in numbers]


def continue_sampling(model: Any, *, stop: bool = False) -> None:
    """Run the chains of a model to the end of their plan and set the model's attributes.

    Parameters
    ----------
    model : LatentDirichletAllocation
        With its chains.
    stop : bool, default=False
        Whether to take the chains as they are instead.

    Raises
    ------
    KeyboardInterrupt
        At Ctrl-C; the chains can go on from where they are.
    """
    learn, learns_beta = model._learning
    plan = sweep_plan(model, learn, learns_beta, effective_threads(model.n_jobs))
    chains: list[Chain] = model._chains
    for number, chain in enumerate([] if stop else chains):
        total = chain.begun + plan.burn_in + plan.n_samples * plan.thinning
        with _reporting(model.progress, model.verbose, total, number, len(chains)) as report:
            try:
                chain.run(plan, keep=model.keep_samples, keep_steps=model.keep_steps, report=report)
            except KeyboardInterrupt:
                model._interrupted = True
                raise
    model._interrupted = stop
    begun = [chain for chain in chains if chain.n_sweeps > 0] or chains[:1]
    _set_attributes(model, begun, plan)
    if not model.warm_start:
        del model._chains


@contextmanager
def _reporting(
    progress: Any, verbose: int, n_sweeps: int, chain_number: int, n_chains: int
) -> Iterator[Callable[[Any], None]]:
    """Give a function to call with the chain at every point of its trace.

    Parameters
    ----------
    progress : bool or callable
        Whether to show a bar on standard error; or what to call with a dictionary of
        ``"chain"``, ``"sweep"``, ``"n_sweeps"`` and ``"log_likelihood"``.
    verbose : int
        Whether to print a line.
    n_sweeps : int
        Sweeps that are planned.
    chain_number, n_chains : int
        Which chain, from 0, and of how many.
    """

    def tell(chain: Any) -> None:
        sweep, value = chain.trace[-1]
        if callable(progress):
            progress(
                {
                    "chain": chain_number,
                    "sweep": sweep,
                    "n_sweeps": n_sweeps,
                    "log_likelihood": value,
                }
            )
        if verbose:
            print(f"iteration: {sweep} of max_iter: {n_sweeps}, log-likelihood: {value:.4f}")

    if callable(progress) or not progress:
        yield tell
        return
    name = "sweeps" if n_chains == 1 else f"chain {chain_number + 1} of {n_chains}"
    with shown_bar(name, n_sweeps) as bar:

        def show(chain: Any) -> None:
            tell(chain)
            sweep, value = chain.trace[-1]
            bar.at(sweep, note=f"{sweep}/{n_sweeps} log-likelihood {value:.4f}")

        yield show


def _set_attributes(model: Any, chains: list[Chain], plan: Plan) -> None:
    best = max(chains, key=lambda chain: _level(chain, plan))
    counts, documents, n_samples = best.mean_counts()
    own: Any = best.beta
    if np.ndim(model.topic_word_prior):  # also where all of them are equal
        own = np.broadcast_to(own, best.n_words).copy()
    beta = own + best.seeds.dense(best.n_topics) if len(best.seeds.begin) else own
    topics = counts + beta
    is_single = vars(model).pop("_is_single", False)
    model.components_ = topics.astype(np.float32) if is_single else topics
    model._row_sums = topics.sum(axis=1)
    model._doc_topic_counts = documents
    model._lengths = best.lengths
    model.alpha_, model.beta_ = best.alpha, beta
    model.doc_topic_prior_, model.topic_word_prior_ = best.alpha, own
    model.topic_assignments_ = best.sampler.assignments()
    model.theta_samples_ = np.stack(best.samples.kept) if best.samples.kept else None
    model.n_samples_ = n_samples
    model.n_iter_ = best.n_sweeps
    model.converged_ = best.flat
    model.log_likelihood_trace_ = _trace_array(best)
    model.chain_traces_ = [_trace_array(chain) for chain in chains]
    model.__dict__.pop("steps_", None)  # of a fit before
    if model.keep_steps:
        model.steps_ = best.steps.copy()
    model.r_hat_ = r_hat([trace["log_likelihood"] for trace in model.chain_traces_])


def _level(chain: Chain, plan: Plan) -> float:
    values = [value for _, value in chain.trace[-max(1, plan.n_samples) :]]
    return float(np.mean(values)) if values else -np.inf


def _trace_array(chain: Chain) -> NDArray[Any]:
    return np.array(chain.trace, dtype=[("iteration", np.int64), ("log_likelihood", np.float64)])


def r_hat(traces: list[NDArray[np.float64]]) -> float:
    """Return the potential scale reduction of the second halves of several traces.

    Gelman and Rubin, "Inference from iterative simulation using multiple sequences", 1992: the
    spread between chains over that within them. Near 1 they tell the same; NaN where there are
    fewer than two chains or four points.

    Examples
    --------
    >>> import numpy as np
    >>> float(r_hat([np.array([0.0, 1, 2, 1, 2, 1, 2, 1]), np.array([0.0, 1, 1, 2, 1, 2, 1, 2])]))
    0.866...
    """
    size = min((len(trace) for trace in traces), default=0) // 2
    if len(traces) < 2 or size < 2:
        return float("nan")
    tails = np.array([trace[-size:] for trace in traces])
    within = tails.var(axis=1, ddof=1).mean()
    between = tails.mean(axis=1).var(ddof=1)
    if within == 0:
        return 1.0 if between == 0 else float("inf")
    return float(np.sqrt((size - 1) / size + between / within))
