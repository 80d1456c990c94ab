"""What ``quire topics`` reads and writes: seed words, columns, shares of documents."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from quire.cli._results import column_of
from quire.cli._tables import dates_if_dates, write_columns

if TYPE_CHECKING:
    import polars as pl

    from quire.io import Corpus

__all__ = [
    "covariate",
    "read_seed_words",
    "write_shares",
]

_MOST_GROUPS = 200


def read_seed_words(given: str) -> tuple[dict[int, list[str]], dict[int, str]]:
    """Return words by topic, and names of topics, from a file or from the option itself.

    Parameters
    ----------
    given : str
        The path of a file with a topic in each line, as in ``sport: goal match team``, or of JSON;
        or the same in one line, topics separated by semicolons. Words may be separated by commas.
        A number before the colon is that of the topic; a name gets the next one.

    Examples
    --------
    >>> read_seed_words("sport: goal match; 3: tax, new york")
    ({0: ['goal', 'match'], 3: ['tax', 'new york']}, {0: 'sport'})
    """
    try:
        is_file = Path(given).is_file()
    except OSError:  # too long for the name of a file
        is_file = False
    text = Path(given).read_text(encoding="utf-8") if is_file else given.replace(";", "\n")
    words: dict[int, list[str]] = {}
    names: dict[int, str] = {}
    for key, value in _seed_lines(text, given):
        number = int(key) if key.isdecimal() else next(k for k in range(10**6) if k not in words)
        if not key.isdecimal():
            names[number] = key
        words[number] = value
    return words, names


def _seed_lines(text: str, given: str) -> list[tuple[str, list[str]]]:
    wrong = typer.BadParameter(
        f"expected lines such as 'sport: goal match team', a file of them, or JSON; got {given!r}.",
        param_hint="--seed-words",
    )
    if text.lstrip().startswith("{"):
        try:
            found = json.loads(text)
            return [
                (str(key), [str(word).lower() for word in value]) for key, value in found.items()
            ]
        except (TypeError, ValueError) as error:
            raise wrong from error
    lines = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, rest = line.partition(":")
        words = re.split(r"\s*,\s*" if "," in rest else r"\s+", rest.strip().lower())
        if not colon or not name.strip() or not any(words):
            raise wrong
        lines.append((name.strip(), [word for word in words if word]))
    if not lines:
        raise wrong
    return lines


def covariate(corpus: Corpus, name: str) -> pl.Series:
    """Return a column of a corpus to relate topics to; words that are dates become dates."""
    import polars as pl

    found: pl.Series = column_of(corpus, name)
    if found.drop_nulls().n_unique() < 2:
        raise ValueError(
            f"--by {name} has the same value in all rows, or none; expected two or more to compare."
        )
    found = dates_if_dates(found)
    if found.dtype == pl.String:
        known = found.drop_nulls()
        if known.n_unique() > _MOST_GROUPS:
            raise ValueError(
                f"--by {name} has {known.n_unique():,} different values; expected at most "
                f"{_MOST_GROUPS} groups, or dates (2026-01-31) or numbers."
            )
    return found


def write_shares(corpus: Corpus, theta: Any, path: str) -> None:
    """Write the shares of topics in the documents, beside the columns that are not texts."""
    from quire._shared.tables import topic_columns

    write_columns(corpus, topic_columns(theta), path)
