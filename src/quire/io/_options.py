"""What the caller asked for, checked once, and the notes on what was decided without asking."""

import codecs
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import polars as pl

from quire.io._limits import Limits

Format: TypeAlias = Literal[
    "csv",
    "tsv",
    "ndjson",
    "json",
    "parquet",
    "excel",
    "lines",
    "folders",
    "texts",
    "mbox",
    "maildir",
]
Missing: TypeAlias = Literal["error", "drop", "empty"]
DataType: TypeAlias = pl.DataType | type[pl.DataType]

_log = logging.getLogger("quire.io")


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """The keyword arguments of `read_corpus`, checked.

    See `read_corpus` for what each of them means.
    """

    text: str | Sequence[str] | None = None
    label: str | Literal[False] | None = None
    format: Format | None = None
    join: str = "\n"
    missing: Missing = "error"
    encoding: str = "utf-8"
    delimiter: str | None = None
    quotechar: str | None = '"'
    names: Sequence[str] | None = None
    header: bool = True
    sheet: str | int | None = None
    pattern: str | None = None
    schema_overrides: Mapping[str, DataType] | None = None
    default_text: Sequence[str] | None = None
    columns: str | Sequence[str] | None = None
    default_columns: Sequence[str] | None = None
    default_label: str | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        _check_choice("format", self.format, (None, *get_args(Format)))
        _check_choice("missing", self.missing, get_args(Missing))
        if isinstance(self.label, bool) and self.label:
            raise TypeError(
                "label must be a column name, None (guess) or False (no labels); got True"
            )
        if self.text is not None and not isinstance(self.text, str):
            columns = list(self.text)
            if not columns or len(set(columns)) < len(columns):
                raise ValueError(f"text must name one or more different columns; got {columns}")
        named = self.column_names
        if named is not None and (not named or len(set(named)) < len(named)):
            raise ValueError(f"columns must name one or more different columns; got {list(named)}")
        for parameter in ("delimiter", "quotechar"):
            value: str | None = getattr(self, parameter)
            if value is not None and (len(value) != 1 or not value.isascii() or value in "\r\n"):
                raise ValueError(f"{parameter} must be one ASCII character; got {value!r}")
        if self.delimiter is not None and self.delimiter == self.quotechar:
            raise ValueError(f"delimiter and quotechar are both {self.delimiter!r}")
        if self.names is not None and len(set(self.names)) < len(self.names):
            raise ValueError(f"names holds a column name twice: {list(self.names)}")
        if self.encoding != "auto":
            try:
                is_text = codecs.lookup(self.encoding)._is_text_encoding
            except LookupError:
                is_text = False
            if not is_text:
                raise ValueError(
                    f"encoding {self.encoding!r} is not one that Python knows. Common ones are "
                    "'utf-8', 'cp1252', 'latin-1', 'utf-16'; 'auto' detects."
                )

    def text_columns(self, columns: Sequence[str]) -> tuple[str, ...] | None:
        """Give the columns named as text, or None when they are to be guessed.

        ``default_text`` counts where a source with these ``columns`` has all of it.
        """
        if self.text is None:
            default = self.default_text
            return tuple(default) if default and set(default) <= set(columns) else None
        return (self.text,) if isinstance(self.text, str) else tuple(self.text)

    @property
    def column_names(self) -> tuple[str, ...] | None:
        """The columns to learn from, or None when they are to be found."""
        if self.columns is None:
            return None
        return (self.columns,) if isinstance(self.columns, str) else tuple(self.columns)

    @property
    def overrides(self) -> Mapping[str, DataType]:
        """The types asked for, column by column."""
        return self.schema_overrides or {}


@dataclass(slots=True)
class Notes:
    """One-line messages about guesses: kept for `Corpus.notes` and sent to the logger once each."""

    source: str
    messages: list[str] = field(default_factory=list)

    def add(self, message: str) -> None:
        """Keep and log ``message``, unless it has been said already."""
        if message not in self.messages:
            self.messages.append(message)
            _log.info("%s: %s", self.source, message)


def listing(items: Sequence[object], limit: int = 10) -> str:
    """Write ``items`` as a list for a person, shortened past ``limit``.

    Examples
    --------
    >>> listing(["a", "b", "c"])
    "'a', 'b', 'c'"
    >>> listing([1, 2, 3, 4], limit=2)
    '1, 2 and 2 more'
    """
    shown = ", ".join(repr(item) for item in items[:limit])
    return shown if len(items) <= limit else f"{shown} and {len(items) - limit:,} more"


def _check_choice(parameter: str, value: object, choices: Sequence[object]) -> None:
    if value not in choices:
        raise ValueError(f"{parameter} must be one of {listing(choices, 20)}; got {value!r}")
