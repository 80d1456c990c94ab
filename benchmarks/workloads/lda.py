"""Topic models: time to a held-out likelihood, beside tomotopy, scikit-learn and gensim.

Sweeps of different samplers are not worth the same, so none are compared. The peer runs for a fixed
number of sweeps or passes; the documents of every tenth row, which no side has seen, are scored by
document completion (`quire.topics.held_out_likelihood`), and quire has to come as far. It tries
more and more sweeps, which are found before the clock starts, and then the whole fit is timed.
The peer runs once, before that.

Priors are the same on all sides and fixed, alpha = 10 / K and beta = 0.01, so that nobody is helped
by learning them. tomotopy is run with its default parallel scheme, and its topics are those of its
last state, as it gives them. quire averages ten states of the last quarter of its sweeps.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import sklearn.decomposition
from scipy import sparse

from benchmarks.comparison import Comparison, Side
from benchmarks.data import imdb, newsgroups
from benchmarks.measure import Timed, time_once
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.scaling import Scaling
from quire.datasets import make_lda_corpus
from quire.decomposition import LatentDirichletAllocation
from quire.feature_extraction.text import CountVectorizer
from quire.topics import held_out_likelihood

BETA = 0.01
ALPHA_SUM = 10.0
# Sweeps of tomotopy by number of topics: fewer at 1000, where each takes seconds.
SWEEPS = {20: 400, 100: 400, 1000: 200}
PASSES = 10  # of scikit-learn and gensim
TRIED = (10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 100, 125, 150, 175, 200, 250, 300, 350, 400, 500)
ALLOWED = 0.002  # nats per token: the noise of a peer whose bits depend on its threads


def counted(builder: Callable[[Context], Data], n_topics: int) -> Callable[[Context], Data]:
    """Count words without the most common ones; `value` has two matrices and the settings."""

    def build(context: Context) -> Data:
        data = builder(context)
        vectorizer = CountVectorizer(stop_words="english", min_df=5, max_df=0.5)
        X = vectorizer.fit_transform(data.value.texts)
        return divided(X, n_topics, context, data.description)

    return build


def divided(X: Any, n_topics: int, context: Context, description: str) -> Data:
    """Hold out the documents of every tenth row."""
    held_out = np.arange(X.shape[0]) % 10 == 0
    value = {
        "train": X[~held_out],
        "test": X[held_out],
        "n_topics": n_topics,
        "sweeps": SWEEPS[n_topics] // 10 if context.partial else SWEEPS[n_topics],
    }
    n_tokens = int(value["train"].sum())
    return Data(f"{n_tokens:,} tokens, {X.shape[1]:,} words, of {description}", value)


def associated_press(n_topics: int) -> Callable[[Context], Data]:
    """Return a builder from the counts of the Associated Press corpus, or from generated ones."""

    def build(context: Context) -> Data:
        path = context.path("ap_counts.parquet")
        if path is None or context.partial:
            X = make_lda_corpus(
                500, n_topics=20, n_words=2_000, mean_length=100, keep_tokens=False, random_state=0
            ).X
            return divided(X, n_topics, context, "500 generated documents")
        table = pl.read_parquet(path)
        codes = table["term"].to_physical().to_numpy()
        X = sparse.csr_array((table["count"].to_numpy(), (table["doc"].to_numpy(), codes)))
        return divided(X[:, np.unique(codes)], n_topics, context, "Associated Press")

    return build


def score(data: Mapping[str, Any], phi: Any) -> float:
    """Return the held-out log-likelihood per token by completion."""
    n_topics = data["n_topics"]
    phi = np.maximum(phi, 1e-12)
    phi = phi / phi.sum(axis=1, keepdims=True)
    found = held_out_likelihood(
        phi, data["test"], alpha=ALPHA_SUM / n_topics, method="completion", n_particles=20
    )
    return found.per_token


def ours(data: Mapping[str, Any], n_jobs: int, sweeps: int) -> Any:
    """Fit a model by so many sweeps, a quarter of them for samples."""
    n_topics = data["n_topics"]
    n_samples = min(10, sweeps // 4)
    thinning = sweeps // (4 * n_samples)
    return LatentDirichletAllocation(
        n_topics,
        doc_topic_prior=ALPHA_SUM / n_topics,
        topic_word_prior=BETA,
        burn_in=sweeps - n_samples * thinning,
        n_samples=n_samples,
        thinning=thinning,
        tol=0,
        evaluate_every=1000,
        random_state=0,
        n_jobs=n_jobs,
    ).fit(data["train"])


def tomotopy(data: Mapping[str, Any], n_jobs: int) -> Any:
    """Train tomotopy's model; documents are given to it before the clock starts."""
    model = data["tomotopy"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # that bits depend on workers
        model.train(data["sweeps"], workers=n_jobs)
    phi = np.zeros((data["n_topics"], data["train"].shape[1]))
    columns = [int(word) for word in model.used_vocabs]
    phi[:, columns] = [model.get_topic_word_dist(k) for k in range(data["n_topics"])]
    return phi


def scikit_learn(data: Mapping[str, Any], n_jobs: int) -> Any:
    """Fit by batch variational Bayes."""
    model = sklearn.decomposition.LatentDirichletAllocation(
        data["n_topics"],
        doc_topic_prior=ALPHA_SUM / data["n_topics"],
        topic_word_prior=BETA,
        max_iter=PASSES,
        n_jobs=n_jobs,
        random_state=0,
    ).fit(data["train"])
    return model.components_


def gensim(data: Mapping[str, Any], n_jobs: int) -> Any:
    """Fit by online variational Bayes."""
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    n_topics, X = data["n_topics"], data["train"]
    model = LdaModel(
        Sparse2Corpus(X, documents_columns=False),
        num_topics=n_topics,
        id2word={i: str(i) for i in range(X.shape[1])},
        alpha=[ALPHA_SUM / n_topics] * n_topics,
        eta=BETA,
        passes=PASSES,
        random_state=0,
    )
    return model.get_topics()


def _tomotopy_model(data: Mapping[str, Any]) -> Any:
    """Return a model with the documents in it."""
    import tomotopy as package

    X = data["train"].tocsr()
    X.sort_indices()
    documents = [
        np.repeat(X.indices[a:b], X.data[a:b]).astype(str).tolist()
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
    ]
    n_topics = data["n_topics"]
    model = package.LDAModel(k=n_topics, alpha=ALPHA_SUM / n_topics, eta=BETA, seed=0)
    model.optim_interval = 0
    for document in documents:
        if document:
            model.add_doc(document)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        model.train(0, workers=1)
    return model


PEERS = {"tomotopy": tomotopy, "scikit-learn": scikit_learn, "gensim": gensim}


def sides(peer: str) -> dict[str, Side]:
    """Return quire, which has to come as far as the peer, and the peer, which runs but once."""
    done: dict[str, Timed] = {}

    def find_sweeps(data: Mapping[str, Any], n_jobs: int) -> dict[str, Any]:
        made = dict(data)
        if peer == "tomotopy":
            made["tomotopy"] = _tomotopy_model(data)
        seconds, phi = time_once(partial(PEERS[peer], made, n_jobs))
        done["peer"] = Timed(seconds, (data, phi))
        wanted = score(data, phi)
        for sweeps in TRIED:
            if score(data, ours(data, n_jobs, sweeps).phi_) >= wanted:
                break
        return {**data, "tried": sweeps}

    def run_ours(data: Mapping[str, Any], n_jobs: int) -> Any:
        return data, ours(data, n_jobs, data["tried"]).components_

    def run_peer(data: Mapping[str, Any], n_jobs: int) -> Timed:
        return done["peer"]

    requires = peer.replace("scikit-learn", "sklearn")
    return {
        "quire": Side(run_ours, find_sweeps, repeats=3),
        peer: Side(run_peer, repeats=1, requires=requires),
    }


def as_good(results: Mapping[str, Any]) -> Quality:
    """Compare the held-out likelihoods: quire's must not be less."""
    scores = {name: score(data, phi) for name, (data, phi) in results.items()}
    own, *others = scores.values()
    sweeps = next(iter(results.values()))[0]["tried"]
    figures = {**scores, "sweeps of quire": sweeps}
    listed = ", ".join(f"{name} {value:.4f}" for name, value in scores.items())
    text = f"held-out log-likelihood per token: {listed}; {sweeps} sweeps"
    return Quality(all(own >= other - ALLOWED for other in others), text, figures)


def speed_data(n_topics: int) -> Callable[[Context], Data]:
    """Draw a corpus whose tokens per second are measured."""

    def build(context: Context) -> Data:
        n = 2_000 if context.partial else 50_000
        corpus = make_lda_corpus(
            n, n_topics=100, n_words=20_000, mean_length=100, keep_tokens=False, random_state=0
        )
        n_tokens = int(corpus.X.sum())
        value = {"train": corpus.X, "n_topics": n_topics, "sweeps": 10}
        return Data(f"{n_tokens:,} generated tokens, 20,000 words", value, items=10 * n_tokens)

    return build


for corpus, builder in (("newsgroups", newsgroups), ("imdb", imdb)):
    for n_topics, mark in ((20, 1), (100, 3), (1000, 10)):
        register(
            Comparison(
                name=f"lda.{corpus}-{n_topics}",
                title=f"time to tomotopy's held-out likelihood, {n_topics} topics",
                data=counted(builder, n_topics),
                sides=sides("tomotopy"),
                check=as_good,
                mark=mark,
                threads=2,
                memory=False,
            )
        )
register(
    Comparison(
        name="lda.ap-100",
        title="time to tomotopy's held-out likelihood, 100 topics; one block, so one thread",
        data=associated_press(100),
        sides=sides("tomotopy"),
        check=as_good,
        threads=2,
        memory=False,
    )
)
for peer, mark in (("scikit-learn", 20), ("gensim", 30)):
    register(
        Comparison(
            name=f"lda.newsgroups-{peer.replace('scikit-learn', 'sklearn')}",
            title=f"time to the held-out likelihood of {peer}'s {PASSES} passes, 100 topics",
            data=counted(newsgroups, 100),
            sides=sides(peer),
            check=as_good,
            mark=mark,
            threads=2,
            memory=False,
        )
    )
for n_topics in (20, 100, 200, 1000):
    register(
        Comparison(
            name=f"lda.sweep-{n_topics}",
            title=f"ten sweeps from the start, {n_topics} topics; not of equal worth",
            data=speed_data(n_topics),
            sides={
                "quire": Side(lambda data, n_jobs: ours(data, n_jobs, 10)),
                "tomotopy": Side(
                    tomotopy,
                    lambda data, n_jobs: {**data, "tomotopy": _tomotopy_model(data)},
                    repeats=1,
                    requires="tomotopy",
                ),
            },
            check=lambda results: Quality(True, "speed alone", {}),
            per_item="token and sweep",
            threads=2,
            memory=False,
        )
    )


def growing(sizes: Sequence[float]) -> Iterator[tuple[float, Any]]:
    """Draw corpora of growing size; a token counts as four bytes."""
    for megabytes in sizes:
        n_documents = int(megabytes * 1e6 / 4 / 100)
        counts = make_lda_corpus(
            n_documents,
            n_topics=100,
            n_words=50_000,
            mean_length=100,
            keep_tokens=False,
            random_state=0,
        ).X
        value = {"train": counts, "n_topics": 1000}
        yield 4 * float(counts.sum()) / 1e6, value


register(
    Scaling(
        name="lda.scaling",
        title="five sweeps from the start, 1000 topics",
        description="generated tokens of 4 bytes, documents of 100 tokens, 50,000 words",
        sizes=(4, 12, 40, 120),
        quick_sizes=(0.2, 0.4),
        data=growing,
        run=lambda data, n_jobs: ours(data, n_jobs, 5),
    )
)
