"""Documents near the centres of clusters, and which of their words brought them there."""

from __future__ import annotations

from typing import Any

import polars as pl

from quire.cluster import DocumentClusters
from quire.inspection._excerpts import term_spans
from quire.report._clusters_data import ClusterDocument
from quire.report._excerpts import marked_part

__all__ = ["central_documents"]

_MARKED = 40  # terms of a cluster that are marked in its documents
_MORE = 4  # so many times as many documents are looked at, since some are there twice
_LEAST = 0.3  # weight of the faintest mark


def central_documents(
    found: DocumentClusters, texts: pl.Series, n: int
) -> dict[int, list[ClusterDocument]]:
    """Return the documents nearest to each centre, the same text once.

    Parameters
    ----------
    found : DocumentClusters
        Clusters.
    texts : polars.Series
        Their documents.
    n : int
        How many for each cluster.
    """
    terms = found.top_terms(_MARKED)
    shown: dict[int, list[ClusterDocument]] = {}
    for cluster, rows in found.central_documents(n * _MORE).items():
        marks = _marks(terms[cluster])
        seen: set[str] = set()
        for row in rows.tolist():
            text = texts[row] or ""
            if len(seen) >= n or text in seen:
                continue
            seen.add(text)
            part = marked_part(text, term_spans(found.vectorizer, text, marks))
            document = ClusterDocument(row, float(found.distances[row]), *part)
            shown.setdefault(cluster, []).append(document)
    return shown


def _marks(terms: list[Any]) -> dict[str, float]:
    """Return how strongly each term of a cluster is marked, from 0 to 1 for the heaviest."""
    if not terms:
        return {}
    most = terms[0].weight
    return {str(one.term): max(_LEAST, one.weight / most) for one in terms}
