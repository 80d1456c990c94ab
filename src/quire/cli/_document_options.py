"""What commands on whole corpora share: their options, which words count, how long it took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import _arguments as given
from quire.cli._show import working
from quire.cli._tell import warnings_told

if TYPE_CHECKING:
    from quire.io import Corpus

__all__ = [
    "DocumentsOut",
    "MaxDf",
    "ModelPath",
    "RandomSeed",
    "ReportPath",
    "StopWords",
    "Stopwatch",
    "ThreadCount",
    "read_documents",
    "read_stop_words",
    "source_name",
    "tfidf",
    "timed",
    "words_in_words",
]

# What is left of "don't" and "we'll" when a text is cut at its apostrophes.
_PIECES = """ain aren couldn didn doesn don hadn hasn haven isn ll mustn needn shan shouldn ve wasn
weren won wouldn""".split()

StopWords = Annotated[
    str, typer.Option(metavar="NAME", help="Words to leave out: english, none or a file.")
]
MaxDf = Annotated[
    Any,
    typer.Option(
        parser=given.frequency,
        metavar="N",
        help="Leave out terms in more documents: a share such as 0.5, or a number.",
    ),
]
RandomSeed = Annotated[int, typer.Option(metavar="N", help="Seed of the random numbers.")]
ThreadCount = Annotated[
    int | None,
    typer.Option("--threads", "--jobs", min=1, metavar="N", help="Threads; all by default."),
]
ReportPath = Annotated[
    str | None, typer.Option(metavar="PATH", help="Write an HTML report to this file.")
]
ModelPath = Annotated[
    str | None,
    typer.Option("--model", "--save", metavar="PATH", help="Save the model to a .quire file."),
]
DocumentsOut = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="Write a row for each document: CSV, Parquet or NDJSON."),
]


def read_documents(file: str, text: list[str] | None, label: str | None, **options: Any) -> Corpus:
    """Read a corpus; no label is read unless one is named.

    Parameters
    ----------
    file : str
        Path, or "-".
    text, label, **options
        Options of the command.
    """
    with working(f"Reading {file}"):
        from quire.io import read_corpus

        corpus = read_corpus(file, text=text or None, label=label or False, **options)
    given.check_texts(corpus)
    given.check_one_label(corpus)
    return corpus


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
    return sorted(set(given.read_text(name).lower().split()))


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


def tfidf(
    stop_words: list[str] | None,
    min_df: Any,
    max_df: Any,
    ngrams: tuple[int, int],
    n_documents: int,
) -> Any:
    """Return the vectorizer that clusters and maps are made with.

    Parameters
    ----------
    stop_words, min_df, max_df, ngrams
        Options of the command; a `min_df` of ``None`` is chosen by the number of documents.
    n_documents : int
        How many documents there are.
    """
    with working("Loading"):
        from quire.feature_extraction.text import TfidfVectorizer, least_documents

    if min_df is None:
        min_df = least_documents(n_documents)
    return TfidfVectorizer(
        stop_words=stop_words, min_df=min_df, max_df=max_df, ngram_range=ngrams, sublinear_tf=True
    )


class Stopwatch:
    """Seconds that something took; 0 until it is done."""

    seconds: float = 0.0


@contextmanager
def timed() -> Iterator[Stopwatch]:
    """Measure what is done inside, and say its warnings in one line each on standard error."""
    watch, start = Stopwatch(), time.perf_counter()
    with warnings_told():
        yield watch
        watch.seconds = time.perf_counter() - start


def source_name(corpus: Corpus) -> str:
    """Return the name of the file that a corpus came from, without its folder."""
    return Path(corpus.source).name
