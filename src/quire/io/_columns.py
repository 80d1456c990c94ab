"""Which columns are the texts and the label: as named, or guessed when one choice is obvious."""

import difflib
from collections.abc import Sequence
from typing import Literal

import polars as pl

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


def named_text_column(columns: Sequence[str]) -> str | None:
    """Give the one column whose name says that it holds the texts."""
    return _one_by_name(columns, TEXT_NAMES)


def choose_text(
    frame: pl.DataFrame, text: tuple[str, ...] | None, label: object, notes: Notes
) -> tuple[str, ...]:
    """Check the columns that were named, or guess one.

    Raises
    ------
    CorpusError
        If a column does not exist or no single choice is obvious.
    """
    if text is not None:
        for column in text:
            check_column(frame, column, "text", notes.source)
        return text
    strings = [c for c in frame.columns if is_text(frame.schema[c]) and c != label]
    guess = named_text_column(strings)
    reason = "by its name"
    if guess is None:
        candidates = [c for c in strings if c.lower() not in _ALL_LABEL_NAMES]
        if len(candidates) == 1:
            guess, reason = candidates[0], "the only column of strings"
        else:
            guess, reason = _longest(frame, candidates), "by far the longest strings"
    if guess is None:
        raise CorpusError(
            f"{notes.source}: which column holds the texts is not obvious. Pass text= with one of "
            f"the columns {listing(frame.columns, 30)}, or a list of them to join."
        )
    notes.add(f"texts from column {guess!r} ({reason}; pass text= to choose)")
    return (guess,)


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
        if frame.schema[label].is_nested():
            raise CorpusError(
                f"{notes.source}: label column {label!r} holds {frame.schema[label]}; expected one "
                "value per row. Labels of several values per text are not read: use corpus.frame."
            )
        return label
    candidates = [c for c in frame.columns if c not in text and not frame.schema[c].is_nested()]
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
