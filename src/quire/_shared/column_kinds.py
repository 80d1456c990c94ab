"""What a column of a table holds: a number, a category, prose, names, or nothing to learn from.

A category is one of few short values that come again; prose is sentences; what is neither, and
another in nearly every row, is a name or a key. Reading and comparisons go by the same rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

__all__ = ["ColumnKinds", "kind_of_column", "kinds_of_columns"]

_SEEN = 10_000  # rows that are looked at
_FEW = 10  # as many different values can be categories however few the rows are
_PROSE_WORDS, _PROSE_LETTERS = 5.0, 40.0  # in the mean
_FEW_SENTENCES = 50  # answers to choose from may be sentences
_KEY_NAMES = frozenset("id index key no nr number row rowid uuid".split())

_LEFT_OUT = {
    "names": "another value in nearly every row",
    "key": "a number or key of the row",
    "constant": "one value only",
    "empty": "no value at all",
    "time": "dates or times",
    "nested": "lists or structures",
}


@dataclass(frozen=True)
class ColumnKinds:
    """The columns of a table by what they hold.

    Attributes
    ----------
    prose, names, categories, numbers : list of str
        Sentences; short strings that hardly ever come again; few values; numbers.
    left_out : dict from str to str
        Columns that nothing can be learned from, and why.
    """

    prose: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def usable(self) -> list[str]:
        """Numbers and categories."""
        return [*self.numbers, *self.categories]


def kinds_of_columns(table: pl.DataFrame) -> ColumnKinds:
    """Return what the columns of a table hold.

    Parameters
    ----------
    table : polars.DataFrame
        All columns, or those that are to be learned from.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"id": [7, 8, 9], "age": [31, 54, 31], "home": ["own", "rent", "own"]})
    >>> kinds = kinds_of_columns(table)
    >>> kinds.numbers, kinds.categories, kinds.left_out
    (['age'], ['home'], {'id': 'a number or key of the row'})
    """
    kinds = ColumnKinds()
    of = {"prose": kinds.prose, "category": kinds.categories, "number": kinds.numbers}
    for column in table.iter_columns():
        kind = kind_of_column(column)
        if kind == "names":
            kinds.names.append(column.name)
        if kind in of:
            of[kind].append(column.name)
        else:
            kinds.left_out[column.name] = _LEFT_OUT[kind]
    return kinds


def kind_of_column(column: pl.Series) -> str:
    """Return what a column holds.

    Parameters
    ----------
    column : polars.Series
        Of any type.

    Returns
    -------
    {"number", "category", "prose", "names", "key", "constant", "empty", "time", "nested"}
        What it is.

    Examples
    --------
    >>> import polars as pl
    >>> kind_of_column(pl.Series("marital", ["single", "married", "single", "married"]))
    'category'
    >>> kind_of_column(pl.Series("remarks", ["He paid late in May.", "Never late with a payment."]))
    'prose'
    """
    dtype = column.dtype
    if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
        return "nested"
    if dtype.is_temporal():
        return "time"
    seen = column.head(_SEEN).drop_nulls()
    if dtype.is_float():
        seen = seen.drop_nans()
    if dtype in (pl.Categorical, pl.Enum, pl.String):
        seen = seen.cast(pl.String).str.strip_chars()
        seen = seen.filter(seen != "")
    if not len(seen):
        return "empty"
    n_distinct = seen.n_unique()
    if n_distinct == 1 and len(seen) > 1:
        return "constant" if len(seen) == min(len(column), _SEEN) else "category"
    if dtype.is_numeric():
        return "key" if _is_key(column.name, seen, n_distinct) else "number"
    if dtype in (pl.Boolean, pl.Categorical, pl.Enum):
        return "category"
    return _kind_of_strings(seen, n_distinct)


def _kind_of_strings(seen: pl.Series, n_distinct: int) -> str:
    n = len(seen)
    words = float(seen.str.count_matches(r"\S+").mean())  # type: ignore[arg-type]
    letters = float(seen.str.len_chars().mean())  # type: ignore[arg-type]
    is_prose = words >= _PROSE_WORDS or letters >= _PROSE_LETTERS
    if is_prose and not n_distinct <= min(_FEW_SENTENCES, n // 20):
        return "prose"
    is_few = n_distinct < n and n_distinct <= max(_FEW, n // 2)
    return "category" if is_few else "names"


def _is_key(name: str, seen: pl.Series, n_distinct: int) -> bool:
    """Return whether whole numbers only number the rows."""
    if not seen.dtype.is_integer() or n_distinct < len(seen):
        return False
    plain = name.strip().lower()
    if plain in _KEY_NAMES or plain.endswith(("_id", " id", "-id")) or plain in ("", "unnamed: 0"):
        return True
    is_counted = seen[0] in (0, 1) and bool((seen.diff().drop_nulls() == 1).all())
    return len(seen) > _FEW and is_counted
