"""How often words occur: in a corpus, or in groups of its documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.plot import grid, line_style, new_axes
from quire.corpus._groups import groups_of, tokens_of

__all__ = ["Frequencies", "frequencies"]


@dataclass(frozen=True, eq=False, repr=False)
class Frequencies(ShownInNotebooks):
    """How often each word occurs, from :func:`frequencies`.

    Attributes
    ----------
    table : polars.DataFrame
        A row for each word (of each group): ``term``, ``count``, ``share`` of all tokens,
        ``documents``, ``document_share`` and ``rank``; the most frequent first.
    by : str or None
        What the groups are.
    n_documents : int
        Documents that were counted.
    """

    table: pl.DataFrame
    by: str | None
    n_documents: int

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        grouped = "" if self.by is None else f" by {self.by}"
        return f"<Frequencies: {len(self):,} rows{grouped}, {self.n_documents:,} documents>"

    def _notebook_caption(self) -> str:
        return f"Words of {self.n_documents:,} documents"

    def to_frame(self) -> pl.DataFrame:
        """Return the table."""
        return self.table

    def top(self, n: int = 10) -> pl.DataFrame:
        """Return the most frequent words (of each group).

        Parameters
        ----------
        n : int, default=10
            How many.
        """
        return self.table.filter(pl.col("rank") <= n)

    def plot(self, ax: Any = None) -> Any:
        """Draw frequency against rank on logarithmic axes, a line for each group.

        Words follow Zipf's law where the line is straight with a slope of -1.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        ax = new_axes(ax)
        parts: list[tuple[Any, pl.DataFrame]] = [("all", self.table)]
        if self.by is not None:
            parts = [
                (key[0], part) for key, part in self.table.group_by("group", maintain_order=True)
            ]
        for number, (name, part) in enumerate(parts):
            style = {**line_style(number), "marker": None}
            ax.plot(part["rank"], part["count"], label=str(name), **style)
        ax.set(xscale="log", yscale="log", xlabel="rank", ylabel="count")
        grid(ax)
        if len(parts) > 1:
            ax.legend()
        return ax


def frequencies(data: Any, *, by: Any = None, **options: Any) -> Frequencies:
    """Count words, and the documents in which they occur.

    Parameters
    ----------
    data : Tokens, Corpus, path, data frame, or sequence of str
        Texts; see :class:`Tokens`.
    by : str or sequence, default=None
        A column of the source, or a value for each document: words are counted for each of its
        values. Documents without a value are left out.
    **options
        For :class:`Tokens`, if they are to be made.

    Returns
    -------
    Frequencies
        The table, and a plot.

    Raises
    ------
    ValueError
        If there is no such column.

    Examples
    --------
    >>> from quire.corpus import frequencies
    >>> found = frequencies(["a rose is a rose", "a dog"])
    >>> found.top(2).select("term", "count", "documents", "rank").rows()
    [('a', 3, 2, 1), ('rose', 2, 1, 2)]
    """
    tokens = tokens_of(data, options)
    if by is None:
        groups, names = np.zeros(len(tokens), dtype=np.int32), [None][: len(tokens)]
    else:
        groups, names = groups_of(tokens, by)
    counts, documents = tokens.group_counts(groups, len(names))
    sizes = np.bincount(groups[groups >= 0], minlength=len(names))
    terms = pl.Series("term", tokens.types, dtype=pl.String)
    parts = []
    for number, name in enumerate(names):
        count, among = counts[number], documents[number]
        order = np.lexsort((np.arange(len(count)), -count))
        order = order[count[order] > 0]
        part = pl.DataFrame(
            {
                "term": terms[order],
                "count": count[order],
                "share": count[order] / max(int(count.sum()), 1),
                "documents": among[order],
                "document_share": among[order] / max(int(sizes[number]), 1),
                "rank": np.arange(1, len(order) + 1),
            }
        )
        if by is not None:
            part = part.select(pl.lit(name).alias("group"), pl.all())
        parts.append(part)
    schema = {"term": pl.String, "count": pl.Int64, "share": pl.Float64, "documents": pl.Int64,
              "document_share": pl.Float64, "rank": pl.Int64}  # fmt: skip
    table = pl.concat(parts) if parts else pl.DataFrame(schema=schema)
    kind = None if by is None else (by if isinstance(by, str) else "group")
    return Frequencies(table, kind, int(sizes.sum()))
