"""What commands on whole corpora share: their options, which words count, how long it took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._loading import loading
from quire.cli._reading import languages_of
from quire.cli._tell import warnings_told

if TYPE_CHECKING:
    from quire.io import Corpus

__all__ = [
    "DocumentsOut",
    "MaxDf",
    "ModelPath",
    "RandomSeed",
    "ReportPath",
    "Stopwatch",
    "ThreadCount",
    "source_name",
    "tfidf",
    "timed",
    "words_in_words",
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
    typer.Option(
        metavar="PATH",
        help="Write a row for each document: CSV, TSV, Parquet, NDJSON, JSON or Excel.",
    ),
]


def words_in_words(min_df: Any, max_df: Any, stop_words: str, ngrams: tuple[int, int]) -> str:
    """Say in a sentence which words were counted."""

    def documents(value: Any) -> str:
        return f"{100 * value:g}%" if isinstance(value, float) else f"{value:,}"

    left_out = "" if stop_words.lower() == "none" else ", without stop words"
    if left_out:
        language = languages_of(stop_words)
        name = Path(stop_words).name
        left_out = (
            f"{left_out} of {name}"
            if language is None
            else f", without {language.capitalize()} stop words"
        )
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
    with loading():
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
