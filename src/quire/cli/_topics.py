"""What ``quire topics`` reads and writes: seed words, stop words, columns, files, tables."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from quire.cli._results import column_of
from quire.cli._tables import check_table, write_table

if TYPE_CHECKING:
    import polars as pl

    from quire.io import Corpus

__all__ = [
    "check_places",
    "covariate",
    "read_seed_words",
    "read_stop_words",
    "words_in_words",
    "write_shares",
]

_MOST_GROUPS = 200
# What is left of "don't" and "we'll" when a text is cut at its apostrophes.
_PIECES = """ain aren couldn didn doesn don hadn hasn haven isn ll mustn needn shan shouldn ve wasn
weren won wouldn""".split()


def check_places(report: str | None, shares: str | None, *paths: str | None) -> None:
    """Raise an error before the work is done, if its results could not be written.

    Parameters
    ----------
    report, shares : str or None
        The HTML file, and the table of documents.
    *paths : str or None
        Other files.
    """
    if report is not None and find_spec("vl_convert") is None:
        raise ImportError(
            "Reports need vl-convert-python, which is not installed: pip install 'quire[report]'"
        )
    check_table(shares, "--documents-out")
    for path in (report, shares, *paths):
        if path is None:
            continue
        if Path(path).is_dir():
            raise IsADirectoryError(f"{path} is a folder; name a file in it.")
        if not Path(path).expanduser().parent.is_dir():
            raise FileNotFoundError(f"{Path(path).parent}, the folder of {path}, is not there.")


def read_stop_words(name: str) -> list[str] | None:
    """Return stop words: "english", "none", or those of a file, one or more in a line."""
    if name.lower() == "none":
        return None
    if name.lower() == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return sorted({*ENGLISH_STOP_WORDS, *_PIECES})
    if not Path(name).is_file():
        raise typer.BadParameter(
            f"expected english, none or a file of words; {name!r} is not there.",
            param_hint="--stop-words",
        )
    return sorted(set(Path(name).read_text(encoding="utf-8").lower().split()))


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
    if found.dtype == pl.String:
        known = found.drop_nulls()
        for convert in ("to_date", "to_datetime"):
            try:
                dates = getattr(known.str, convert)(strict=False)
            except pl.exceptions.ComputeError:  # no format could be inferred
                continue
            if len(known) and not dates.null_count():
                return getattr(found.str, convert)(strict=False)  # type: ignore[no-any-return]
        if known.n_unique() > _MOST_GROUPS:
            raise ValueError(
                f"--by {name} has {known.n_unique():,} different values; expected at most "
                f"{_MOST_GROUPS} groups, or dates (2026-01-31) or numbers."
            )
    return found


def words_in_words(min_df: Any, max_df: Any, stop_words: str, ngrams: tuple[int, int]) -> str:
    """Say in a sentence which words were counted."""

    def documents(value: Any) -> str:
        return f"{100 * value:g}%" if isinstance(value, float) else f"{value:,}"

    left_out = "" if stop_words.lower() == "none" else ", without stop words"
    if stop_words.lower() not in ("none", "english"):
        left_out += f" of {Path(stop_words).name}"
    elif left_out:
        left_out = ", without English stop words"
    size = "" if ngrams == (1, 1) else f", {ngrams[0]} to {ngrams[1]} words long"
    return (
        f"Terms in {documents(min_df)} or more documents and in at most {documents(max_df)} of "
        f"them{left_out}{size}."
    )


def write_shares(corpus: Corpus, theta: Any, path: str) -> None:
    """Write the shares of topics in the documents, beside the columns that are not texts."""
    from quire._table_columns import topic_columns, with_columns

    write_table(with_columns(corpus.frame.drop(corpus.text_columns), topic_columns(theta)), path)
