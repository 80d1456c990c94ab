"""What comes out of :func:`prevalence`: shares of topics by a column, and their differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quire._shared.number_tables import aligned, html_table, number
from quire._shared.plot import grid, line_style, new_axes

__all__ = ["Prevalence"]

_ROWS = 20
_LINES = 6


@dataclass(frozen=True, eq=False, repr=False)
class Prevalence:
    """Shares of topics by a column of metadata, from :func:`prevalence`.

    ``print(result)`` shows the differences, the largest first, and :meth:`plot` draws the shares.

    Attributes
    ----------
    by : str
        The column.
    kind : {"categorical", "linear", "smooth", "binned"}
        How it was looked at.
    table : polars.DataFrame
        The columns ``topic``, ``value`` (of the column), ``share``, ``lower`` and ``upper``; for
        groups also ``n_documents``. Periods of time have their first day for a value, ranges of
        numbers their mean.
    contrasts : polars.DataFrame
        The columns ``topic``, ``difference`` (what is compared), ``estimate``, ``lower``,
        ``upper``, ``positive``, the probability that it is above zero, ``p`` (two-sided, by
        Student's t) and ``p_corrected``, Holm's correction for all differences of the table.
    n_documents : int
        How many documents were used.
    n_missing : int
        How many were left out, since the column is missing there.
    n_empty : int
        How many of the others were left out, since they have no word that the model knows.
    confidence : float
        The probability of the intervals.
    """

    by: str
    kind: str
    table: pl.DataFrame
    contrasts: pl.DataFrame
    n_documents: int
    n_missing: int
    confidence: float
    n_empty: int = 0

    @property
    def n_topics(self) -> int:
        """How many topics there are."""
        return int(self.table["topic"].n_unique())

    def clearest(self, n: int | None = None) -> pl.DataFrame:
        """Return the differences, those that are surely large first.

        The order is that of the end of the interval that is nearer to zero; then come those whose
        interval holds zero.

        Parameters
        ----------
        n : int, default=None
            How many; ``None`` is all.

        Returns
        -------
        polars.DataFrame
            Rows of ``contrasts``.
        """
        least = pl.max_horizontal(pl.col("lower"), -pl.col("upper"), pl.lit(0.0))
        keys = [least, pl.col("estimate").abs()]
        ordered = self.contrasts.sort(keys, descending=True, maintain_order=True)
        return ordered if n is None else ordered.head(n)

    def plot(self, topics: Sequence[int] | None = None, ax: Any = None) -> Any:
        """Draw the shares of topics with their intervals.

        Needs matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        topics : sequence of int, default=None
            Which; ``None`` draws those with the clearest differences, six at most.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        if topics is None:
            topics = self.clearest()["topic"].unique(maintain_order=True).to_list()[:_LINES]
        unknown = [topic for topic in topics if topic not in range(self.n_topics)]
        if unknown:
            raise ValueError(f"topics has {unknown[0]!r}; expected 0 to {self.n_topics - 1}.")
        ax = new_axes(ax)
        for place, topic in enumerate(topics):
            part = self.table.filter(pl.col("topic") == topic)
            self._draw(ax, part, topic, place, len(topics))
        if self.kind == "categorical":
            labels = self.table.filter(pl.col("topic") == 0)["value"].to_list()
            ax.set_xticks(np.arange(len(labels)), [str(label) for label in labels])
        ax.set_xlabel(self.by)
        ax.set_ylabel("Share of the topic")
        grid(ax)
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))  # beside the bars, not on them
        return ax

    def _draw(self, ax: Any, part: pl.DataFrame, topic: int, place: int, n: int) -> None:
        style, label = line_style(place), f"topic {topic}"
        share, lower, upper = (part[name].to_numpy() for name in ("share", "lower", "upper"))
        if self.kind == "categorical":
            x = np.arange(len(part)) + 0.5 * (place - (n - 1) / 2) / n
            style["linestyle"] = "none"
        else:
            x = part["value"].to_numpy()
        if self.kind in ("categorical", "binned"):
            reach = np.maximum([share - lower, upper - share], 0)
            ax.errorbar(x, share, yerr=reach, label=label, capsize=3, markersize=5, **style)
            return
        ax.plot(x, share, label=label, markersize=5, markevery=8, **style)
        ax.fill_between(x, lower, upper, color=style["color"], alpha=0.2, lw=0)

    def _title(self) -> str:
        reasons = [f"{self.n_missing:,} without it"] if self.n_missing else []
        reasons += [f"{self.n_empty:,} without words"] if self.n_empty else []
        left_out = f" ({', '.join(reasons)})" if reasons else ""
        return (
            f"share of {self.n_topics} topics by {self.by}, {self.n_documents:,} documents"
            f"{left_out}, {100 * self.confidence:g} % intervals"
        )

    def _cells(self) -> list[list[str]]:
        rows = [["topic", "difference", "estimate", "lower", "upper"]]
        shown = self.clearest(_ROWS)
        largest = shown.select("estimate", "lower", "upper").to_numpy()
        scale = float(np.abs(largest).max()) or 1.0
        chosen = ["topic", "difference", "estimate", "lower", "upper"]
        for topic, name, *numbers in shown.select(chosen).rows():
            rows.append([str(topic), name, *(number(value, like=scale) for value in numbers)])
        return rows

    def __str__(self) -> str:
        cells = self._cells()
        width = max(len(row[1]) for row in cells)
        lines = aligned([[row[0], row[1].ljust(width), *row[2:]] for row in cells])
        hidden = len(self.contrasts) - _ROWS
        if hidden > 0:
            lines.append(f"... {hidden} more")
        return "\n".join([self._title(), "", *lines])

    def __repr__(self) -> str:
        return (
            f"Prevalence(by={self.by!r}, kind={self.kind!r}, n_topics={self.n_topics}, "
            f"n_documents={self.n_documents})"
        )

    def _repr_html_(self) -> str:
        return html_table(self._title(), self._cells())
