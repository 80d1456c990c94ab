"""What comes out of :func:`coherence`: a value for each topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.number_tables import aligned, html_table, number

__all__ = ["Coherence"]

_SHOWN = 8  # words


@dataclass(frozen=True, eq=False, repr=False)
class Coherence:
    """The coherence of topics, from :func:`coherence`.

    ``print(result)`` shows a table.

    Attributes
    ----------
    measure : {"npmi", "umass", "c_v", "c_uci"}
        What was measured; more is better.
    per_topic : ndarray of shape (n_topics,)
        The value of each topic; NaN for one with fewer than two words that occur.
    words : list of lists
        The words that were looked at, or their columns where names are not known.
    missing : list of lists
        Those of them that never occur in the corpus.
    n_windows : int
        How many documents, or windows of documents, were counted.
    """

    measure: str
    per_topic: NDArray[np.float64]
    words: list[list[Any]]
    missing: list[list[Any]]
    n_windows: int

    @property
    def mean(self) -> float:
        """The mean over the topics that have a value."""
        return float(np.nanmean(self.per_topic))

    @property
    def table(self) -> pl.DataFrame:
        """A row for each topic: ``topic``, the measure, ``words`` and ``missing``."""
        return pl.DataFrame(
            {
                "topic": np.arange(len(self.per_topic)),
                self.measure: self.per_topic,
                "words": [[str(word) for word in words] for words in self.words],
                "missing": [[str(word) for word in words] for words in self.missing],
            },
            schema_overrides={"words": pl.List(pl.String), "missing": pl.List(pl.String)},
        )

    def _title(self) -> str:
        n_words = max(map(len, self.words))
        return (
            f"{self.measure} of {len(self.per_topic)} topics, mean {self.mean:.2f} "
            f"({n_words} words each, {self.n_windows:,} windows)"
        )

    def _rows(self) -> list[list[str]]:
        absent = any(self.missing)
        rows = [["topic", self.measure, *(["missing"] if absent else []), "words"]]
        scale = max(1.0, float(np.nanmax(np.abs(self.per_topic))))
        for topic, value in enumerate(self.per_topic):
            words = " ".join(map(str, self.words[topic][:_SHOWN]))
            missing = [str(len(self.missing[topic]))] if absent else []
            rows.append([str(topic), number(value, like=scale), *missing, words])
        return rows

    def __str__(self) -> str:
        rows = self._rows()
        numbers = aligned([row[:-1] for row in rows])
        lines = [f"{line}  {row[-1]}" for line, row in zip(numbers, rows, strict=True)]
        return "\n".join([self._title(), "", *lines])

    def __repr__(self) -> str:
        return (
            f"Coherence(measure={self.measure!r}, n_topics={len(self.per_topic)}, "
            f"mean={self.mean:.4g})"
        )

    def _repr_html_(self) -> str:
        return html_table(self._title(), self._rows())
