"""Frames become corpora: columns get their types, texts and labels are picked, gaps are settled."""

from collections.abc import Sequence

import polars as pl

from quire.exceptions import CorpusError
from quire.io._columns import (
    check_column,
    choose_columns,
    choose_label,
    choose_text,
    is_text,
    named_text_column,
)
from quire.io._corpus import Corpus
from quire.io._options import DataType, Options, listing
from quire.io._sources import Table
from quire.io._types import conformed, infer_type, typed, without_markers


class Assembler:
    """Makes corpora of frames; what it settles on the first frame holds for the others."""

    def __init__(self, table: Table, options: Options) -> None:
        self.table = table
        self.options = options
        self.schema: dict[str, DataType] | None = None
        self.text: tuple[str, ...] = ()
        self.label: str | None = None
        self.columns: tuple[str, ...] = ()
        self.n_rows = 0  # that went before

    def assemble(self, frame: pl.DataFrame) -> Corpus:
        """Type the columns, pick the texts and labels, and settle what is missing."""
        notes, first_row = self.table.notes, self.n_rows
        self.n_rows += frame.height
        if self.schema is None:
            frame = self._settle(frame)
        else:
            if self.table.untyped:
                frame = without_markers(frame, self.schema, notes)
                frame = typed(frame, self.schema, first_row, notes.source)
            else:
                frame = typed(frame, self.options.overrides, first_row, notes.source)
            frame = conformed(frame, self.schema, first_row, notes)
        texts = pl.Series("text", [], dtype=pl.String)
        if self.text:
            texts = _join_texts(frame, self.text, self.options.join, notes.source)
        end = first_row + frame.height
        rows = pl.int_range(first_row, end, eager=True, dtype=pl.Int64).alias("row")
        if texts.has_nulls():
            keep = self._settle_missing(texts, first_row)
            frame, texts = frame.filter(keep), texts.filter(keep).fill_null("")
            rows = rows.filter(keep)
        labels = None
        if self.label is not None:
            labels = frame[self.label]
            if labels.has_nulls():
                notes.add(f"some labels are missing (null) in column {self.label!r}")
        return Corpus(
            texts=texts,
            labels=labels,
            frame=frame,
            text_columns=self.text,
            label_column=self.label,
            feature_columns=self.columns,
            source=notes.source,
            notes=tuple(notes.messages),
            rows=rows,
        )

    def _settle(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Decide on the types and columns from the first frame."""
        table, options = self.table, self.options
        notes = table.notes
        for column in options.overrides:
            check_column(frame, column, "schema_overrides", notes.source)
        schema = dict(options.overrides)
        if table.untyped:
            named = options.text_columns(frame.columns) or (named_text_column(frame.columns),)
            for column in frame.columns:
                if column not in schema:
                    is_named = column in named
                    schema[column] = pl.String() if is_named else infer_type(frame[column])
            frame = without_markers(frame, schema, notes)
        frame = typed(frame, schema, 0, notes.source)
        text = options.text_columns(frame.columns) or table.text
        label = options.label
        if label is None and table.label is not None:
            label = table.label
        if label is None and options.default_label in frame.columns:
            label = options.default_label
        columns = options.column_names
        if text is None and (columns is not None or options.default_columns is not None):
            text = ()  # a table of these columns
        self.text = choose_text(frame, text, label, notes)
        self.label = choose_label(frame, label, self.text, notes)
        if columns is None and options.default_columns is not None:
            self.columns = tuple(c for c in options.default_columns if c in frame.columns)
        else:
            self.columns = choose_columns(frame, columns, self.text, self.label, notes)
        self.schema = {
            column: pl.String() if dtype == pl.Null else dtype
            for column, dtype in frame.schema.items()
        }
        return frame

    def _settle_missing(self, texts: pl.Series, first_row: int) -> pl.Series:
        """Say which rows to keep; refuse missing texts unless told otherwise."""
        missing = texts.is_null()
        rows = (missing.arg_true() + first_row).to_list()
        column = listing(self.text)
        if self.options.missing == "error":
            raise CorpusError(
                f"{self.table.notes.source}: the text is missing (null) in {len(rows):,} of "
                f"{len(texts):,} rows of column {column}: row {listing(rows, 5)} (from 0). Pass "
                "missing='drop' to leave them out or missing='empty' to take them as empty texts."
            )
        what = "left out" if self.options.missing == "drop" else "taken as empty texts"
        self.table.notes.add(f"rows without text are {what} (the first is row {rows[0]:,}, from 0)")
        return ~missing if self.options.missing == "drop" else missing | True


def _join_texts(frame: pl.DataFrame, columns: Sequence[str], join: str, name: str) -> pl.Series:
    """Give the texts of one column, or of several joined; null where all of them are null."""
    for column in columns:
        dtype = frame.schema[column]
        if not is_text(dtype) and dtype != pl.Null:
            raise CorpusError(
                f"{name}: text column {column!r} holds {dtype}, and texts are strings. "
                "Name another column with text=, or, if these values are the texts, pass "
                f"schema_overrides={{{column!r}: polars.String}}."
            )
    if len(columns) == 1:
        return frame[columns[0]].cast(pl.String)
    parts = [pl.col(column).cast(pl.String) for column in columns]
    text = pl.concat_str(parts, separator=join, ignore_nulls=True)
    expression = pl.when(pl.all_horizontal(part.is_null() for part in parts)).then(None)
    return frame.select(expression.otherwise(text).alias("text"))["text"]
