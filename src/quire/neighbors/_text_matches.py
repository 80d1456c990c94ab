"""What a search for texts returns: the nearest documents, the terms they share, the vote."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from quire._shared.notebooks import ShownInNotebooks

__all__ = ["TextMatch", "TextMatches"]

_WIDTH = 60  # characters of a text in a printed table


@dataclass(frozen=True)
class TextMatch(ShownInNotebooks):
    """A document that is near a query.

    Attributes
    ----------
    rank : int
        From 1, the nearest.
    row : int
        Its number in the corpus, from 0.
    similarity : float
        The cosine of the two, the sum of the contributions of `terms`.
    distance : float
        By the metric of the search; one less the similarity for "cosine".
    text : str
        The document.
    label : object
        Its label; ``None`` if there is none.
    terms : list of (str, float)
        The terms that both have and the products of their weights, from the largest down.
    """

    rank: int
    row: int
    similarity: float
    distance: float
    text: str
    label: Any = None
    terms: list[tuple[str, float]] = field(default_factory=list)


@dataclass(frozen=True)
class TextMatches(ShownInNotebooks):
    """The documents nearest to a query, the nearest first.

    ``print`` shows a table; ``len``, indices and loops reach the matches.

    Attributes
    ----------
    query : str
        The text that was looked for.
    matches : list of TextMatch
        What was found.
    row : int or None
        The number of the query, if it is a document of the corpus.
    """

    query: str
    matches: list[TextMatch]
    row: int | None = None

    def __len__(self) -> int:
        return len(self.matches)

    def __getitem__(self, place: int) -> TextMatch:
        return self.matches[place]

    @property
    def votes(self) -> list[tuple[Any, int, float]]:
        """The labels of the matches: how many have each, and their share; most votes first.

        Of labels with equally many votes the smallest comes first, as in
        :class:`KNeighborsClassifier`. Matches without a label do not vote.
        """
        counts = Counter(match.label for match in self.matches if match.label is not None)
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return [(label, n, n / counts.total()) for label, n in ordered]

    def to_frame(self) -> pl.DataFrame:
        """Return a table with a row for each match.

        Returns
        -------
        polars.DataFrame
            With the columns ``rank``, ``row``, ``similarity``, ``distance``, ``label``, ``terms``
            (the shared ones, in one string) and ``text``.
        """
        return pl.DataFrame(
            {
                "rank": pl.Series([m.rank for m in self.matches], dtype=pl.Int64),
                "row": pl.Series([m.row for m in self.matches], dtype=pl.Int64),
                "similarity": pl.Series([m.similarity for m in self.matches], dtype=pl.Float64),
                "distance": pl.Series([m.distance for m in self.matches], dtype=pl.Float64),
                "label": pl.Series([m.label for m in self.matches], strict=False),
                "terms": pl.Series(
                    [" ".join(term for term, _ in m.terms) for m in self.matches], dtype=pl.String
                ),
                "text": pl.Series([m.text for m in self.matches], dtype=pl.String),
            }
        )

    def __str__(self) -> str:
        if not self.matches:
            return "no document shares a term with the query"
        lines = []
        for match in self.matches:
            plain = " ".join(match.text.split())
            cut = plain if len(plain) <= _WIDTH else plain[: _WIDTH - 1] + "…"
            label = "" if match.label is None else f"{match.label}: "
            lines.append(f"{match.similarity:.3f}  row {match.row}  {label}{cut}")
        return "\n".join(lines)
