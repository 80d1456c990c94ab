"""``quire topics``: what the documents of a corpus are about."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Annotated, Any

from quire._shared.how_many import how_many
from quire._shared.terminal import is_terminal
from quire.cli import _arguments as given
from quire.cli import _document_options as shared
from quire.cli import _typer as typer
from quire.cli._loading import loading
from quire.cli._provenance import data_of, is_file, read_from
from quire.cli._reading import READING, Reading, StopWords, read_documents, read_stop_words
from quire.cli._show import show, show_json, working
from quire.cli._tables import check_escape, check_places, dates_if_dates
from quire.cli._tell import tell, tell_seconds, tell_written, warnings_told
from quire.cli._topics_results import judged, show_parts, write_files

if TYPE_CHECKING:
    import polars as pl

    from quire.io import Corpus

__all__ = ["topics"]

_METHODS = ("gibbs", "batch", "online")
_KINDS = ("auto", "categorical", "linear", "smooth", "binned")
_MEASURES = ("npmi", "umass", "c_v", "c_uci", "none")
_FORMULA = re.compile(r"[+*:(~`]")
_FEW, _ALPHA_OF_FEW = 100, 0.1  # fewer documents are too few to learn a prior from
_MOST_GROUPS = 200  # of a column that topics are related to
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
            metavar="COLUMN",
            help="Relate topics to a column, or to a formula such as 'party * s(year)'.",
        ),
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="How --by is taken: auto, categorical, linear, smooth or binned."
        ),
    ] = "auto",
    every: Annotated[
        str | None,
        typer.Option(metavar="SPAN", help="The length of a period of dates: 1w, 1mo, 1q, 1y."),
    ] = None,
    time_column: Annotated[
        str | None,
        typer.Option(
            "--time", metavar="COLUMN", help="Show topics over time: a column of dates or years."
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
    stop_words: StopWords = "english",
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
        typer.Option(
            metavar="PATH",
            help="Write topics of documents: CSV, TSV, Parquet, NDJSON, JSON or Excel.",
        ),
    ] = None,
    drop_duplicates: given.DropDuplicates = False,
    reading: Reading = READING,
    escape_formulas: given.EscapeFormulas = False,
    as_json: given.Json = False,
) -> None:
    """Find the topics of a corpus: their words, how large and how coherent they are.

    Ctrl-C ends the sampler early and keeps what it has learned. A saved model gives topics to other
    documents: quire predict.
    """
    given.check_choice(method, _METHODS, "--method")
    given.check_choice(coherence, _MEASURES, "--coherence")
    given.check_choice(kind, _KINDS, "--kind")
    check_places(report, documents_out, model, inputs=[file])
    check_escape(escape_formulas, documents_out)
    words, names = ({}, {}) if seed_words is None else _seed_words(seed_words)
    left_out = read_stop_words(stop_words)
    corpus = read_documents(file, text, None, reading, drop_duplicates=drop_duplicates)
    related, columns = _related(corpus, by)
    moments = None
    if time_column is not None:
        moments = dates_if_dates(given.column_of(corpus, time_column))
        columns[time_column] = moments
    if min_df is None:
        min_df = 1 if len(corpus) < _FEW else 2 if len(corpus) < 1000 else 5
    if alpha is None and method == "gibbs" and len(corpus) < _FEW:
        alpha = _ALPHA_OF_FEW
    with loading():
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
        keep_samples=(by or time_column) is not None and method == "gibbs" and few,
        vectorizer=CountVectorizer(
            stop_words=left_out, min_df=min_df, max_df=max_df, ngram_range=ngrams
        ),
        progress=is_terminal(stderr=True) and method == "gibbs",
    )
    seconds = _fit(estimator, corpus)
    with working("Reading topics"):
        is_kept = report is not None or model is not None
        origin = data_of(corpus, columns) if is_kept else {}
        found, data = judged(
            estimator,
            corpus,
            by=related,
            time=moments,
            kind=kind,
            every=every,
            names=names,
            measure=coherence,
            top=top,
            with_documents=report is not None,
            origin=origin,
            seconds=seconds,
        )
    given.tell_notes(corpus)
    wrote = write_files(
        estimator,
        corpus,
        found,
        data,
        origin,
        report=report,
        model=model,
        shares=documents_out,
        escape=escape_formulas,
    )
    if as_json:
        show_json({"file": file, **found})
    else:
        show(*show_parts(found, shared.words_in_words(min_df, max_df, stop_words, ngrams)))
    tell_seconds("fitted", seconds)
    tell_written(*wrote)


def _fit(estimator: Any, corpus: Corpus) -> float:
    """Fit a model; say in one line what it has to say. Return the seconds that it took."""
    start = time.perf_counter()
    with warnings_told():
        try:
            if estimator.progress:
                estimator.fit(corpus.texts)
            else:
                with working("Finding topics"):
                    estimator.fit(corpus.texts)
        except KeyboardInterrupt:
            if not hasattr(estimator, "_interrupted_fit"):
                raise
            estimator.resume(stop=True)
        seconds = time.perf_counter() - start
    if getattr(estimator, "_interrupted", False):
        tell(
            f"stopped after {how_many(estimator.n_iter_, 'sweep')}; the topics are what was "
            "learned so far"
        )
    estimator.progress = False
    return seconds


def _seed_words(option: str) -> tuple[dict[int, list[str]], dict[int, str]]:
    """Return words by topic, and names of topics, from a file or from the option itself.

    Parameters
    ----------
    option : str
        The path of a file with a topic in each line, as in ``sport: goal match team``, or of JSON;
        or the same in one line, topics separated by semicolons. Words may be separated by commas.
        A number before the colon is that of the topic; a name gets the next one.

    Examples
    --------
    >>> _seed_words("sport: goal match; 3: tax, new york")
    ({0: ['goal', 'match'], 3: ['tax', 'new york']}, {0: 'sport'})
    """
    if is_file(option):
        text = given.read_text(read_from("seed_words", option))
    else:
        text = option.replace(";", "\n")
    words: dict[int, list[str]] = {}
    names: dict[int, str] = {}
    for key, value in _seed_lines(text, option):
        number = int(key) if key.isdecimal() else next(k for k in range(10**6) if k not in words)
        if not key.isdecimal():
            names[number] = key
        words[number] = value
    return words, names


def _seed_lines(text: str, option: str) -> list[tuple[str, list[str]]]:
    wrong = typer.BadParameter(
        "expected lines such as 'sport: goal match team', a file of them, or JSON; got "
        f"{option!r}.",
        param_hint="--seed-words",
    )
    if text.lstrip().startswith("{"):
        try:
            words = json.loads(text)
            return [
                (str(key), [str(word).lower() for word in value]) for key, value in words.items()
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


def _related(corpus: Corpus, by: str | None) -> tuple[Any, dict[str, Any]]:
    """Return what topics are related to, a column or a formula, and the columns of that."""
    if by is None:
        return None, {}
    if by in corpus.frame.columns or not _FORMULA.search(by):
        column = _covariate(corpus, by)
        return column, {by: column}
    from quire.topics import formula_columns

    return by, {name: given.column_of(corpus, name) for name in formula_columns(by)}


def _covariate(corpus: Corpus, name: str) -> pl.Series:
    """Return a column of a corpus to relate topics to; words that are dates become dates."""
    import polars as pl

    column: pl.Series = given.column_of(corpus, name)
    if column.drop_nulls().n_unique() < 2:
        raise ValueError(
            f"--by {name} has the same value in all rows, or none; expected two or more to compare."
        )
    column = dates_if_dates(column)
    if column.dtype == pl.String:
        known = column.drop_nulls()
        if known.n_unique() > _MOST_GROUPS:
            raise ValueError(
                f"--by {name} has {known.n_unique():,} different values; expected at most "
                f"{_MOST_GROUPS} groups, or dates (2026-01-31) or numbers."
            )
    return column
