"""Judging topics: coherence against gensim's ``CoherenceModel``.

Both sides get the same tokens. Of a word that occurs several times in a document the first is kept,
since gensim loses count of a word that is twice in a window; the results are then equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from benchmarks.comparison import Comparison, Side
from benchmarks.data import newsgroups
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from quire.topics import coherence

TOPICS, WORDS = 50, 10
DOCUMENTS = 4_000  # the peer takes milliseconds for each
TOLERANCE = 1e-9


def tokens(context: Context) -> Data:
    """Cut posts into words; `value` is (documents, topics), topics being frequent words at random.

    How long counting takes depends on how frequent words are, not on whether they belong together.
    """
    data = newsgroups(context, subset=DOCUMENTS)
    analyze = CountVectorizer().build_analyzer()
    documents = [list(dict.fromkeys(analyze(text))) for text in data.value.texts]
    words, counts = np.unique(np.concatenate(documents), return_counts=True)
    frequent = [
        str(word)
        for word in words[np.argsort(-counts, kind="stable")[: 3 * TOPICS * WORDS]]
        if word not in ENGLISH_STOP_WORDS
    ]
    chosen = np.random.default_rng(0).permutation(frequent)[: TOPICS * WORDS]
    topics = chosen.reshape(TOPICS, WORDS).tolist()
    return Data(
        f"{TOPICS} topics of {WORDS} words, tokens of {data.description}", (documents, topics)
    )


def sides(measure: str) -> dict[str, Side]:
    """Return quire and gensim, which both give the value of each topic."""

    def ours(data: tuple[Any, Any], n_jobs: int) -> Any:
        documents, topics = data
        return coherence(topics, documents, measure=measure).per_topic

    def peer(data: tuple[Any, Any], n_jobs: int) -> Any:
        from gensim.corpora import Dictionary
        from gensim.models import CoherenceModel

        documents, topics = data
        dictionary = Dictionary(documents)
        corpus = [dictionary.doc2bow(d) for d in documents] if measure == "u_mass" else None
        model = CoherenceModel(
            topics=topics,
            texts=documents,
            corpus=corpus,
            dictionary=dictionary,
            coherence=measure,
            topn=WORDS,
            processes=n_jobs,
        )
        return np.array(model.get_coherence_per_topic())

    return {"quire": Side(ours), "gensim": Side(peer, repeats=1, requires="gensim")}


def same_values(results: Mapping[str, Any]) -> Quality:
    """Compare the values of all topics."""
    (_, first), *others = results.items()
    largest = max((float(np.abs(first - other).max()) for _, other in others), default=0.0)
    return Quality(
        largest <= TOLERANCE,
        f"mean {first.mean():.4f}, values differ by up to {largest:.1e}",
        {"mean": float(first.mean()), "largest_difference": largest},
    )


for name, measure in (("npmi", "c_npmi"), ("c-v", "c_v"), ("umass", "u_mass")):
    register(
        Comparison(
            name=f"topics.coherence-{name}",
            title=f"coherence(topics, tokens, measure={measure!r})",
            data=tokens,
            sides=sides(measure),
            check=same_values,
        )
    )
