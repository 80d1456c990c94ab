"""``quire topics``: what the documents of a corpus are about."""

from __future__ import annotations

import sys
import time
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import _arguments as given
from quire.cli import _topics as parts
from quire.cli._show import show, show_json, working
from quire.cli._tables import check_places
from quire.cli._topics_results import judged, show_parts, write_files
from quire.cli._wording import in_options
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
    stop_words: Annotated[
        str, typer.Option(metavar="NAME", help="Words to leave out: english, none or a file.")
    ] = "english",
    min_df: given.MinDf = None,
    max_df: Annotated[
        Any,
        typer.Option(
            parser=given.frequency,
            metavar="N",
            help="Leave out terms in more documents: a share such as 0.5, or a number.",
        ),
    ] = "0.5",
    ngrams: given.Ngrams = "1",
    coherence: Annotated[
        str, typer.Option(metavar="NAME", help="Measure: npmi, umass, c_v, c_uci or none.")
    ] = "npmi",
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of words for each topic.")
    ] = 10,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the random numbers.")] = 0,
    threads: Annotated[
        int | None,
        typer.Option("--threads", "--jobs", min=1, metavar="N", help="Threads; all by default."),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write an HTML report to this file.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "--save", metavar="PATH", help="Save the model to a .quire file."),
    ] = None,
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
    _check_choice(method, _METHODS, "--method")
    _check_choice(coherence, _MEASURES, "--coherence")
    check_places(report, documents_out, model)
    words, names = ({}, {}) if seed_words is None else parts.read_seed_words(seed_words)
    left_out = read_stop_words(stop_words)
    corpus = _read(file, text, encoding=encoding, format=format, missing=missing)
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
    if sys.stderr.isatty():  # elsewhere the same command prints the same
        typer.echo(f"quire: fitted in {seconds:.1f} s", err=True)
    for path in wrote:
        typer.echo(f"quire: wrote {path}", err=True)


def _check_choice(value: str, known: tuple[str, ...], option: str) -> None:
    if value not in known:
        raise typer.BadParameter(
            f"expected one of {', '.join(known)}; got {value!r}.", param_hint=option
        )


def _read(file: str, text: list[str] | None, **options: Any) -> Corpus:
    with working(f"Reading {file}"):
        from quire.io import read_corpus

        return read_corpus(file, text=text or None, label=False, **options)


def _fit(estimator: Any, corpus: Corpus) -> float:
    """Fit a model; say in one line what it has to say. Return the seconds that it took."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if estimator.progress:
            estimator.fit(corpus.texts)
        else:
            with working("Finding topics"):
                estimator.fit(corpus.texts)
    seconds = time.perf_counter() - start
    told = {str(one.message) for one in caught if "resume()" not in str(one.message)}
    for message in sorted(told):
        typer.echo(f"quire: {in_options(message)}", err=True)
    if getattr(estimator, "_interrupted", False):
        typer.echo(
            f"quire: stopped after {estimator.n_iter_} sweeps; the topics are what was learned "
            "so far",
            err=True,
        )
    estimator.progress = False
    return seconds
