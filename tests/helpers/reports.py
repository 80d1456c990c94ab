"""A small report of every kind: its data, and what makes a page of it."""

import dataclasses

import numpy as np
import polars as pl
from sklearn.model_selection import learning_curve
from tests.helpers.comparisons import classified, corpus, predicted_numbers, reviews
from tests.helpers.kinds_of_texts import LABELS, ODD
from tests.helpers.vector_maps import maps

from quire.alignment import compare_maps
from quire.cluster import cluster_documents
from quire.decomposition import LatentDirichletAllocation, map_documents
from quire.model_selection import compare
from quire.neighbors import TextSearch
from quire.report import (
    render,
    render_alignment,
    render_clusters,
    render_map,
    render_neighbors,
    render_topics,
    summarise,
    summarise_alignment,
    summarise_clusters,
    summarise_map,
    summarise_neighbors,
    summarise_topics,
)
from quire.topics import topic_effects

__all__ = ["KINDS"]

SETTINGS = {"command": "quire", "seconds": 2.0, "options": {"deep": ["a", None]}}


def comparison():
    texts, y = corpus(90, 3)
    texts[:3] = ["", "goal", "goal"]
    found = classified(texts, y)
    curve = learning_curve(found.best.estimator, texts, y, cv=3)
    data = summarise(found, texts, model="best", learning_curve=curve)
    return dataclasses.replace(data, notes=["a note"], settings=SETTINGS), render


def several_labels():
    texts, y = corpus(90, 3)
    other = np.roll(y, 1)
    labels = [
        sorted({a, b}) if k % 2 else [a] for k, (a, b) in enumerate(zip(y, other, strict=True))
    ]
    labels[:2] = [[], []]
    texts[:3] = ["", "goal", "goal"]
    found = compare(texts, labels, ["linear-svm", "majority"], cv=2, checks=False)
    data = summarise(found, texts)
    return dataclasses.replace(data, notes=["a note"], settings=SETTINGS), render


def numbers():
    texts, y = reviews(80)
    return summarise(predicted_numbers(texts, y), texts, model="best"), render


def topics():
    model = LatentDirichletAllocation(3, random_state=0, max_iter=20).fit(ODD)
    by = pl.Series("kind", np.where(np.arange(len(ODD)) % 2, "a", "b"))
    options = {"by": by, "names": {1: "one"}, "settings": SETTINGS}
    options["time"] = np.arange(len(ODD)) % 5 + 2000
    return summarise_topics(model, ODD, **options), render_topics


def topics_by_several():
    model = LatentDirichletAllocation(3, random_state=0, max_iter=20).fit(ODD)
    table = {"kind": np.where(np.arange(len(ODD)) % 2, "a", "b"), "n": np.arange(len(ODD))}
    effects = topic_effects(model, "kind + s(n, df=3)", data=table)
    return summarise_topics(model, ODD, by=effects, settings=SETTINGS), render_topics


def clusters():
    found = cluster_documents(ODD, [2, 3], random_state=0)
    labels = [*LABELS, None, None, None, "odd"]
    return summarise_clusters(found, ODD, labels=labels, settings=SETTINGS), render_clusters


def document_map():
    colours = {"kind": [*LABELS, None, None, None, "odd"], "size": np.arange(len(ODD)) / 7}
    found = map_documents(ODD)
    return summarise_map(found, ODD, colours=colours, settings=SETTINGS), render_map


def neighbors():
    search = TextSearch(n_neighbors=3).fit(ODD, [*LABELS, None, None, None, "odd"])
    return summarise_neighbors(search, ["cat dog", "nothing"], settings=SETTINGS), render_neighbors


def alignment():
    source, target, pairs = maps()
    found = compare_maps(source, target, [*pairs, ("none", "t&1")])
    words = found.translations[found.best.method, found.best.retrieval][:2]
    return summarise_alignment(found, words=words, settings=SETTINGS), render_alignment


KINDS = [
    comparison,
    several_labels,
    numbers,
    topics,
    topics_by_several,
    clusters,
    document_map,
    neighbors,
    alignment,
]
