"""Which columns are the texts, the label and the rest: as named, or guessed if that is obvious.

A table in which no column is prose, but some are numbers or categories, is a table without texts.
A category, few short values that come again, is never taken for the text.
"""

import difflib
from collections.abc import Sequence
from typing import Literal

import polars as pl

from quire._shared.column_kinds import ColumnKinds, kind_of_column, kinds_of_columns
from quire.exceptions import CorpusError
from quire.io._options import Notes, listing

TEXT_NAMES = (
    frozenset("text texts document documents doc".split()),
    frozenset(
        "abstract body comment content description message post question review sentence speech "
        "title transcript tweet".split()
    ),
)
LABEL_NAMES = (
    frozenset("label labels class target y".split()),
    frozenset("category party sentiment stance topic".split()),
)
_ALL_LABEL_NAMES = LABEL_NAMES[0] | LABEL_NAMES[1]
_SAMPLE = 1000
_MUCH_LONGER = 3.0
_SHOWN = 8  # columns that a note names


def named_text_column(columns: Sequence[str]) -> str | None:
    """Give the one column whose name says that it holds the texts."""
    return _one_by_name(columns, TEXT_NAMES)


def choose_text(
    frame: pl.DataFrame, text: tuple[str, ...] | None, label: object, notes: Notes
) -> tuple[str, ...]:
    """Check the columns that were named, or guess one; none for a table without texts.

    Raises
    ------
    CorpusError
        If a column does not exist or no single choice is obvious.
    """
    if text is not None:
        for column in text:
            check_column(frame, column, "text", notes.source)
        return text
    strings = [c for c, dtype in frame.schema.items() if is_text(dtype) and c != label]
    guess = named_text_column(strings)
    if guess is not None and (_is_called_text(guess) or not _is_category(frame[guess])):
        notes.add(f"texts from column {guess!r} (by its name; pass text= to choose)")
        return (guess,)
    others = [c for c in frame.columns if c != label and c.lower() not in _ALL_LABEL_NAMES]
    kinds = kinds_of_columns(frame.select(others))
    names = set(kinds.names)
    long = names.union(kinds.prose)
    candidates = [c for c in strings if c in long]
    short = [c for c in strings if c in kinds.left_out and c not in names]
    if not kinds.usable and not candidates:
        candidates = short  # a table of one row, or of one text
    guess, reason = None, ""
    if len(candidates) == 1 and (kinds.prose or not kinds.usable):
        guess, reason = candidates[0], "the only column of strings"
        if kinds.categories:
            reason = "the only column of strings that are not categories"
    elif len(candidates) > 1:
        guess, reason = _longest(frame, candidates), "by far the longest strings"
    if guess is None and kinds.usable and not kinds.prose:
        return ()
    if guess is None:
        raise CorpusError(
            f"{notes.source}: which column holds the texts is not obvious. Pass text= with one of "
            f"the columns {listing(frame.columns, 30)}, or a list of them to join."
        )
    notes.add(f"texts from column {guess!r} ({reason}; pass text= to choose)")
    return (guess,)


def choose_columns(
    frame: pl.DataFrame,
    columns: tuple[str, ...] | None,
    text: Sequence[str],
    label: str | None,
    notes: Notes,
) -> tuple[str, ...]:
    """Check the columns that were named to learn from, or find those of a table without texts.

    Raises
    ------
    CorpusError
        If a column does not exist, or is the label or a text.
    """
    if columns is not None:
        for column in columns:
            check_column(frame, column, "columns", notes.source)
            if column == label or column in text:
                what = "the label" if column == label else "the text"
                raise CorpusError(
                    f"{notes.source}: column {column!r} is named to learn from, and it is {what}"
                )
        return columns
    if text:
        return ()
    kinds = kinds_of_columns(frame.select(c for c in frame.columns if c != label))
    notes.add(f"a table without texts: {_in_words(kinds)}; pass columns= or text= to choose")
    if kinds.left_out:
        left_out = (f"{name!r} ({why})" for name, why in list(kinds.left_out.items())[:_SHOWN])
        more = len(kinds.left_out) - _SHOWN
        notes.add(f"left out: {', '.join(left_out)}{f' and {more:,} more' if more > 0 else ''}")
    usable = set(kinds.usable)
    return tuple(c for c in frame.columns if c in usable)


def _in_words(kinds: ColumnKinds) -> str:
    """Say how many numbers and categories there are, and which.

    Examples
    --------
    >>> from quire._shared.column_kinds import ColumnKinds
    >>> _in_words(ColumnKinds(numbers=["age", "income"], categories=["home"]))
    "2 numbers ('age', 'income'), 1 category ('home')"
    """
    said = []
    for names, one, several in (
        (kinds.numbers, "number", "numbers"),
        (kinds.categories, "category", "categories"),
    ):
        if names:
            noun = one if len(names) == 1 else several
            said.append(f"{len(names):,} {noun} ({listing(names, _SHOWN)})")
    return ", ".join(said)


def choose_label(
    frame: pl.DataFrame, label: str | Literal[False] | None, text: Sequence[str], notes: Notes
) -> str | None:
    """Check the label column that was named, or guess one; None means no labels.

    Raises
    ------
    CorpusError
        If the column does not exist, is one of the text columns or is nested.
    """
    if label is False:
        return None
    if label is not None:
        check_column(frame, label, "label", notes.source)
        if label in text:
            raise CorpusError(f"{notes.source}: column {label!r} is named both as text and label")
        if frame.schema[label].is_nested() and not _is_of_lists(frame.schema[label]):
            raise CorpusError(
                f"{notes.source}: label column {label!r} holds {frame.schema[label]}; expected one "
                "value per row, or a list of labels."
            )
        return label
    candidates = [c for c, dtype in frame.schema.items() if c not in text and not dtype.is_nested()]
    guess = _one_by_name(candidates, LABEL_NAMES)
    if guess is not None:
        notes.add(f"labels from column {guess!r} (by its name; label=False reads none)")
    else:
        several = [column for column in candidates if column.lower() in _ALL_LABEL_NAMES]
        if several:
            notes.add(
                f"no labels: {listing(several)} could all be the label; pass label= to choose"
            )
    return guess


def _is_of_lists(dtype: pl.DataType) -> bool:
    """Whether a column holds lists of values: several labels for a text."""
    return isinstance(dtype, pl.List) and not dtype.inner.is_nested()


def check_column(frame: pl.DataFrame, column: str, parameter: str, name: str) -> None:
    """Refuse a column that does not exist, naming those that do."""
    if column in frame.columns:
        return
    by_lower = {known.lower(): known for known in frame.columns}
    close = difflib.get_close_matches(column.lower(), by_lower, n=1)
    hint = f" Did you mean {by_lower[close[0]]!r}?" if close else ""
    raise CorpusError(
        f"{name}: {parameter}={column!r} is not a column.{hint} "
        f"The columns are {listing(frame.columns, 30)}."
    )


def is_text(dtype: pl.DataType) -> bool:
    """Whether a column of this type holds strings."""
    return dtype in (pl.String, pl.Categorical, pl.Enum)


def _is_called_text(column: str) -> bool:
    """Whether a name says that it can be nothing else."""
    return column.strip().lower() in TEXT_NAMES[0]


def _is_category(column: pl.Series) -> bool:
    return kind_of_column(column) == "category"


def _one_by_name(columns: Sequence[str], tiers: Sequence[frozenset[str]]) -> str | None:
    """Give the only column with a name of the first tier that names any."""
    for tier in tiers:
        found = [column for column in columns if column.strip().lower() in tier]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _longest(frame: pl.DataFrame, columns: Sequence[str]) -> str | None:
    """Give the column whose strings are on average several times as long as any other's."""
    sample = frame.head(_SAMPLE).select(pl.col(columns).cast(pl.String).str.len_chars().mean())
    lengths = sorted(((sample[c][0] or 0.0, c) for c in columns), reverse=True)
    if len(lengths) > 1 and lengths[0][0] >= _MUCH_LONGER * max(lengths[1][0], 10.0):
        return lengths[0][1]
    return None
