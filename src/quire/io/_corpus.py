"""The corpus: texts, their labels, and the table that they came from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, overload

import polars as pl

from quire._shared.notebooks import ShownInNotebooks, listed_cells
from quire.io._origin import Origin

_Rows: TypeAlias = slice | Sequence[int] | pl.Series


@dataclass(frozen=True, eq=False, repr=False, kw_only=True, slots=True)
class Corpus(ShownInNotebooks):
    """Texts with their labels, if there are any, and the other columns of their source.

    A table of numbers and categories is a corpus, too: one without texts. Models learn from its
    `feature_columns`.

    A corpus is what `read_corpus` returns. It behaves as a sequence of texts: ``len(corpus)``,
    ``corpus[0]`` and ``for text in corpus`` work, and so does giving it to a vectorizer;
    ``corpus.texts`` goes there faster, since it never becomes Python strings.

    Attributes
    ----------
    texts : polars.Series
        The documents, strings without nulls, exactly as in the source. Empty, whatever the
        number of rows, for a table without texts.
    labels : polars.Series or None
        The label of each text with the type that it has in the source, or None.
    frame : polars.DataFrame
        All columns of the source, row by row beside ``texts``; memory is shared, not copied.
    text_columns : tuple of str
        The columns of ``frame`` that the texts come from; none for a table without texts.
    label_column : str or None
        The column of ``frame`` that the labels come from.
    feature_columns : tuple of str
        The columns of numbers and categories to learn from: those of a table without texts, or
        those that were asked for.
    source : str
        Where the corpus was read from, for messages.
    rows : polars.Series
        For each row its number in the source, from 0; rows that were left out leave gaps.
    notes : tuple of str
        What was guessed or changed on the way, one line each. The same lines go to the logger
        ``quire.io`` at level INFO.
    origin : Origin or None
        Which bytes it was read from, with their SHA-256; None for a data frame.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.io import read_corpus
    >>> table = pl.DataFrame({"text": ["good", "bad", "fine"], "label": [1, 0, 1]})
    >>> corpus = read_corpus(table)
    >>> len(corpus), corpus[0]
    (3, 'good')
    >>> corpus[1:].texts.to_list()
    ['bad', 'fine']
    >>> corpus.filter(pl.col("label") == 1).texts.to_list()
    ['good', 'fine']
    """

    texts: pl.Series
    labels: pl.Series | None
    frame: pl.DataFrame
    text_columns: tuple[str, ...]
    label_column: str | None = None
    feature_columns: tuple[str, ...] = ()
    source: str = ""
    notes: tuple[str, ...] = field(default=())
    rows: pl.Series = field(default_factory=lambda: pl.Series("row", [], dtype=pl.Int64))
    origin: Origin | None = None

    def __post_init__(self) -> None:
        if len(self.rows) != self.frame.height:
            numbers = pl.int_range(self.frame.height, eager=True, dtype=pl.Int64).alias("row")
            object.__setattr__(self, "rows", numbers)

    @property
    def kind(self) -> str:
        """What there is to learn from: "texts", "table" (numbers, categories) or "both"."""
        if not self.text_columns:
            return "table"
        return "both" if self.feature_columns else "texts"

    def __len__(self) -> int:
        return self.frame.height

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    @overload
    def __getitem__(self, rows: int) -> str: ...
    @overload
    def __getitem__(self, rows: _Rows) -> "Corpus": ...
    def __getitem__(self, rows: int | _Rows) -> "str | Corpus":
        """Give one text for an integer, or the corpus of a slice, a list of rows or a mask."""
        if isinstance(rows, int):
            if not self.text_columns:
                raise TypeError(
                    "There are no texts in this table; corpus.frame has its rows, and corpus[:10] "
                    "is the corpus of some of them."
                )
            text: str = self.texts[rows]
            return text
        if isinstance(rows, pl.Series) and rows.dtype == pl.Boolean:
            return self.filter(rows)
        texts = self.texts[rows] if self.text_columns else self.texts
        return self._with(texts, self.frame[rows], self.rows[rows])

    def filter(self, condition: pl.Expr | pl.Series) -> "Corpus":
        """Keep the rows where a condition on the columns of ``frame`` holds.

        Parameters
        ----------
        condition : polars.Expr or polars.Series of bool
            For example ``polars.col("year") > 2000``.

        Returns
        -------
        Corpus
            The rows where the condition is true.

        Raises
        ------
        polars.exceptions.PolarsError
            If the condition names a column that does not exist or is not true or false.

        Examples
        --------
        >>> import polars as pl
        >>> from quire.io import read_corpus
        >>> table = pl.DataFrame({"text": ["old", "new"], "year": [1901, 2001]})
        >>> read_corpus(table).filter(pl.col("year") > 2000).texts.to_list()
        ['new']
        """
        beside = [self.rows.alias(_ROWS)]
        if self.text_columns:
            beside.append(self.texts.alias(_TEXTS))
        kept = self.frame.with_columns(beside).filter(condition)
        texts = kept[_TEXTS].alias(self.texts.name) if self.text_columns else self.texts
        rows = kept[_ROWS].alias(self.rows.name)
        return self._with(texts, kept.drop([column.name for column in beside]), rows)

    def __repr__(self) -> str:
        one, several = ("text", "texts") if self.text_columns else ("row", "rows")
        lines = [f"Corpus of {len(self):,} {one if len(self) == 1 else several}"]
        if self.source:
            lines[0] += f" from {self.source}"
        if self.text_columns:
            lines.append(f"  texts:  {', '.join(map(repr, self.text_columns))}")
        if self.feature_columns:
            lines.append(f"  columns: {', '.join(map(repr, self.feature_columns))}")
        if self.labels is not None:
            lines.append(f"  labels: {self.label_column!r}, {_summary(self.labels)}")
        others = {*self.frame.columns} - {
            *self.text_columns,
            *self.feature_columns,
            self.label_column,
        }
        if others:
            names = [column for column in self.frame.columns if column in others]
            lines.append(f"  others: {', '.join(map(repr, names))}")
        lines.extend(f"  note:   {note}" for note in self.notes)
        return "\n".join(lines)

    def _notebook_caption(self) -> str:
        return repr(self).splitlines()[0]

    def _notebook_cells(self) -> list[list[str]]:
        first = self.frame.head(_SHOWN)
        columns = [first[name].to_list() for name in first.columns]
        rows = [list(row) for row in zip(self.rows.head(_SHOWN).to_list(), *columns, strict=True)]
        return listed_cells(["row", *first.columns], rows)

    def _with(self, texts: pl.Series, frame: pl.DataFrame, rows: pl.Series) -> "Corpus":
        labels = None if self.label_column is None else frame[self.label_column]
        return replace(self, texts=texts, labels=labels, frame=frame, rows=rows)


_SHOWN = 5  # rows in a notebook
_TEXTS, _ROWS = "\0texts", "\0rows"  # column names that no file has


def _summary(labels: pl.Series, limit: int = 5) -> str:
    """Write the classes with their sizes, largest first, or the range of a numeric outcome."""
    if labels.dtype.is_float():
        return f"{labels.dtype} from {labels.min()!r} to {labels.max()!r}"
    if labels.dtype.is_nested():
        one = labels.explode()
        return f"{one.drop_nulls().n_unique():,} labels, several of them for a text"
    counts = labels.value_counts(name="count_").sort(
        "count_", labels.name, descending=[True, False], nulls_last=True
    )
    rows = counts.head(limit).iter_rows()
    shown = ", ".join(f"{label} ({count:,})" for label, count in rows)
    more = f", and {counts.height - limit:,} more" if counts.height > limit else ""
    return f"{counts.height:,} {'class' if counts.height == 1 else 'classes'}: {shown}{more}"
