"""``quire topics``: what the documents of a corpus are about."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import _arguments as given
from quire.cli import _document_options as shared
from quire.cli import _topics as parts
from quire.cli._show import show, show_json, working
from quire.cli._tables import check_places
from quire.cli._tell import tell_seconds, tell_written, warnings_told
from quire.cli._topics_results import judged, show_parts, write_files
from quire.cli._words import read_stop_words, words_in_words

if TYPE_CHECKING:
    from quire.io import Corpus

__all__ = ["topics"]

_METHODS = ("gibbs", "batch", "online")
_MEASURES = ("npmi", "umass", "c_v", "c_uci", "none")
_FEW, _ALPHA_OF_FEW = 100, 0.1  # fewer documents are too few to learn a prior from
_MOST_SAMPLES = 5e8  # bytes of samples of shares that are kept for intervals


def _prior(text: str) -> float | str:
    """Read a prior: a positive number, or how it is learned."""
    if text in ("symmetric", "asymmetric"):
        return text
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise typer.BadParameter(f"expected a number above 0, or how to learn it; got {text!r}.")
    return value


def topics(
    file: given.File,
    n_topics: Annotated[
        int, typer.Option("--topics", "-k", min=1, metavar="N", help="Number of topics.")
    ] = 20,
    text: given.Text = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Relate topics to this column: groups, dates, numbers."
        ),
    ] = None,
    seed_words: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS", help="Words of topics: 'sport: goal match; law: court', or a file."
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(metavar="NAME", help="gibbs (sampling), or batch or online (variational)."),
    ] = "gibbs",
    iterations: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Most sweeps (500) or variational passes (10)."),
    ] = None,
    chains: Annotated[
        int, typer.Option(min=1, metavar="N", help="Chains of the sampler; the best one is kept.")
    ] = 1,
    alpha: Annotated[
        Any,
        typer.Option(
            parser=_prior,
            metavar="A",
            help="Prior of topics in documents: a number, symmetric or asymmetric (learned).",
        ),
    ] = None,
    beta: Annotated[
        Any,
        typer.Option(
            parser=_prior, metavar="B", help="Prior of words in topics: a number, or symmetric."
        ),
    ] = None,
    stop_words: shared.StopWords = "english",
    min_df: given.MinDf = None,
    max_df: shared.MaxDf = "0.5",
    ngrams: given.Ngrams = "1",
    coherence: Annotated[
        str, typer.Option(metavar="NAME", help="Measure: npmi, umass, c_v, c_uci or none.")
    ] = "npmi",
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of words for each topic.")
    ] = 10,
    seed: shared.RandomSeed = 0,
    threads: shared.ThreadCount = None,
    report: shared.ReportPath = None,
    model: shared.ModelPath = None,
    documents_out: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Write topics of documents: CSV, Parquet or NDJSON."),
    ] = None,
    encoding: given.Encoding = "utf-8",
    format: given.FileFormat = None,
    missing: given.Missing = "error",
    as_json: given.Json = False,
) -> None:
    """Find the topics of a corpus: their words, how large and how coherent they are.

    Ctrl-C ends the sampler early and keeps what it has learned. A saved model gives topics to other
    documents: quire predict.
    """
    given.check_choice(method, _METHODS, "--method")
    given.check_choice(coherence, _MEASURES, "--coherence")
    check_places(report, documents_out, model)
    words, names = ({}, {}) if seed_words is None else parts.read_seed_words(seed_words)
    left_out = read_stop_words(stop_words)
    options = {"encoding": encoding, "format": format, "missing": missing}
    corpus = shared.read_documents(file, text, None, **options)
    column = None if by is None else parts.covariate(corpus, by)
    if min_df is None:
        min_df = 1 if len(corpus) < _FEW else 2 if len(corpus) < 1000 else 5
    if alpha is None and method == "gibbs" and len(corpus) < _FEW:
        alpha = _ALPHA_OF_FEW
    with working("Loading"):
        from quire.decomposition import LatentDirichletAllocation
        from quire.feature_extraction.text import CountVectorizer
    few = 20.0 * len(corpus) * n_topics <= _MOST_SAMPLES
    estimator = LatentDirichletAllocation(
        n_topics,
        doc_topic_prior=alpha,
        topic_word_prior=beta,
        learning_method=method,
        max_iter=iterations,
        n_jobs=threads,
        random_state=seed,
        seed_words=words or None,
        n_chains=chains,
        keep_samples=by is not None and method == "gibbs" and few,
        vectorizer=CountVectorizer(
            stop_words=left_out, min_df=min_df, max_df=max_df, ngram_range=ngrams
        ),
        progress=sys.stderr.isatty() and method == "gibbs",
    )
    seconds = _fit(estimator, corpus)
    with working("Reading topics"):
        found, data = judged(
            estimator,
            corpus,
            by=column,
            names=names,
            measure=coherence,
            top=top,
            with_documents=report is not None,
            seconds=seconds,
        )
    given.tell_notes(corpus)
    wrote = write_files(
        estimator, corpus, found, data, report=report, model=model, shares=documents_out
    )
    if as_json:
        show_json({"file": file, **found})
    else:
        show(*show_parts(found, words_in_words(min_df, max_df, stop_words, ngrams)))
    tell_seconds("fitted", seconds)
    tell_written(*wrote)


def _fit(estimator: Any, corpus: Corpus) -> float:
    """Fit a model; say in one line what it has to say. Return the seconds that it took."""
    start = time.perf_counter()
    with warnings_told(lambda message: "resume()" not in message):
        if estimator.progress:
            estimator.fit(corpus.texts)
        else:
            with working("Finding topics"):
                estimator.fit(corpus.texts)
        seconds = time.perf_counter() - start
    if getattr(estimator, "_interrupted", False):
        typer.echo(
            f"quire: stopped after {estimator.n_iter_} sweeps; the topics are what was learned "
            "so far",
            err=True,
        )
    estimator.progress = False
    return seconds
