"""From a search and what it found to the data of a report on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from quire.inspection._excerpts import Excerpt, excerpt, term_spans
from quire.neighbors import TextMatch, TextMatches, TextSearch, choose_k
from quire.report._data import EvidenceTerm, Piece, to_plain
from quire.report._neighbors_data import (
    NeighborCurve,
    NeighborDocument,
    NeighborQuery,
    NeighborsReportData,
)
from quire.report._provenance import installed_versions, now

__all__ = ["summarise_neighbors"]

_QUERIES = 25  # that are shown
_LONGEST = 600  # characters of a document that are shown
_TERMS = 12  # of a pair
_FAINT = 0.05  # of the largest contribution; terms with less, such as "the", are not marked
_MOST_LEFT_OUT = 20_000  # documents that are left out, each in turn
_MOST_K = 50


def summarise_neighbors(
    search: TextSearch,
    queries: str | TextMatches | Iterable[str | TextMatches],
    *,
    n_neighbors: int | None = None,
    curve: bool = True,
    title: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> NeighborsReportData:
    """Say all that a report on nearest documents says, as plain data.

    Parameters
    ----------
    search, queries, n_neighbors, curve, title, settings
        As for :func:`neighbors_report`.

    Returns
    -------
    NeighborsReportData
        Numbers, strings and lists of them.

    Examples
    --------
    >>> from quire.neighbors import TextSearch
    >>> from quire.report import summarise_neighbors
    >>> search = TextSearch().fit(["a good film", "rain tomorrow", "sun and rain"])
    >>> found = summarise_neighbors(search, "rain")
    >>> [(one.row, one.terms[0].term) for one in found.queries[0].neighbors]
    [(1, 'rain'), (2, 'rain')]
    """
    given = [queries] if isinstance(queries, str | TextMatches) else list(queries)
    shown = [
        one if isinstance(one, TextMatches) else search.search(one, n_neighbors)
        for one in given[:_QUERIES]
    ]
    notes: list[str] = []
    if len(given) > len(shown):
        notes.append(f"Of {len(given):,} queries the first {len(shown)} are shown.")
    return NeighborsReportData(
        title=title or "Nearest documents",
        created=now(),
        n_documents=len(search.texts_),
        n_terms=search.n_features_in_,
        metric=str(search.metric),
        n_neighbors=search.n_neighbors if n_neighbors is None else n_neighbors,
        n_queries=len(given),
        queries=[_query(search, one) for one in shown],
        curve=_curve(search, notes) if curve else None,
        notes=notes,
        settings=to_plain(dict(settings or {})),
        versions=installed_versions(),
    )


def _query(search: TextSearch, found: TextMatches) -> NeighborQuery:
    strongest: dict[str, float] = {}
    for match in found.matches:
        for term, part in match.terms:
            strongest[term] = max(part, strongest.get(term, 0.0))
    cut = _excerpt(search, found.query, strongest)
    return NeighborQuery(
        pieces=_pieces(cut, strongest),
        before=cut.before,
        after=cut.after,
        row=found.row,
        neighbors=[_neighbor(search, match) for match in found.matches],
        votes=[(str(label), n, share) for label, n, share in found.votes],
    )


def _neighbor(search: TextSearch, match: TextMatch) -> NeighborDocument:
    parts = dict(match.terms)
    cut = _excerpt(search, match.text, parts)
    return NeighborDocument(
        rank=match.rank,
        row=match.row,
        similarity=match.similarity,
        distance=match.distance,
        label=None if match.label is None else str(match.label),
        pieces=_pieces(cut, parts),
        before=cut.before,
        after=cut.after,
        terms=_few([EvidenceTerm(term, part) for term, part in match.terms]),
    )


def _few(terms: list[EvidenceTerm]) -> list[EvidenceTerm]:
    """Keep the largest; the others are added up, so that the sum stays what it is."""
    if len(terms) <= _TERMS:
        return terms
    rest = terms[_TERMS - 1 :]
    total = sum(term.weight for term in rest)
    return [*terms[: _TERMS - 1], EvidenceTerm(f"({len(rest)} other terms)", total)]


def _excerpt(search: TextSearch, text: str, parts: Mapping[str, float]) -> Excerpt:
    return excerpt(text, term_spans(search.vectorizer_, text, parts), _LONGEST)


def _pieces(cut: Excerpt, parts: Mapping[str, float]) -> list[Piece]:
    heaviest = max(parts.values(), default=1.0)
    shares = [(text, round(weight / heaviest, 3)) for text, weight in cut.pieces]
    return [Piece(text, share if share >= _FAINT else 0.0) for text, share in shares]


def _curve(search: TextSearch, notes: list[str]) -> NeighborCurve | None:
    """Leave documents out, each in turn, if they have labels of two kinds or more."""
    if search.labels_ is None:
        return None
    known = np.flatnonzero(search.labels_.is_not_null().to_numpy())
    if len(known) > _MOST_LEFT_OUT:
        chosen = np.random.default_rng(0).choice(known, _MOST_LEFT_OUT, replace=False)
        notes.append(
            f"The curve over k is that of {_MOST_LEFT_OUT:,} of the {len(known):,} labelled "
            "documents, drawn by chance."
        )
        known = np.sort(chosen)
    labels = search.labels_[known].cast(pl.String).to_numpy()
    if len(known) < 3 or len(np.unique(labels)) < 2:
        return None
    found = choose_k(
        search.index_._fit_X[known],
        labels,
        range(1, min(_MOST_K, len(known) - 1) + 1),
        metric=search.metric,
        task="classification",
        n_jobs=search.n_jobs,
    )
    return NeighborCurve(
        ks=found.ks.tolist(),
        errors=found.errors.tolist(),
        standard_errors=found.standard_errors.tolist(),
        best_k=found.best_k,
        within_k=found.one_standard_error_k,
        scheme=found.scheme,
    )
