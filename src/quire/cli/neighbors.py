"""``quire neighbors``: the documents of a corpus that are nearest to a text."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from quire._shared.how_many import how_many
from quire.cli import _arguments as given
from quire.cli import _document_options as shared
from quire.cli import _neighbors_results as parts
from quire.cli import _typer as typer
from quire.cli._reading import KEEP_EMPTY, Reading, StopWords, read_documents, read_stop_words
from quire.cli._show import show, show_json, working
from quire.cli._tables import check_escape, check_places, check_table
from quire.cli._tell import tell_written

if TYPE_CHECKING:
    from quire.neighbors import TextMatches, TextSearch

__all__ = ["neighbors"]

_METRICS = ("cosine", "euclidean", "manhattan")


def neighbors(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Corpus: CSV, Parquet, JSON, Excel, a folder; or a .quire file."
        ),
    ],
    query: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="What to look for; - for stdin.")
    ] = None,
    n_neighbors: Annotated[
        int, typer.Option("--neighbors", "-k", min=1, metavar="N", help="Documents to find.")
    ] = 10,
    text: given.Text = None,
    label: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Show this column, and let the neighbours vote."),
    ] = None,
    texts: Annotated[
        str | None, typer.Option(metavar="FILE", help="Look for all texts of this file.")
    ] = None,
    row: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help="Look for documents like this one of the corpus, from 0."
        ),
    ] = None,
    duplicates: Annotated[
        float | None,
        typer.Option(metavar="COSINE", help="Find all pairs at least so similar, such as 0.9."),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="cosine (default), euclidean or manhattan."),
    ] = None,
    stop_words: StopWords = "none",
    min_df: given.MinDf = "1",
    ngrams: given.Ngrams = "1",
    threads: given.Threads = None,
    report: shared.ReportPath = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "--save", metavar="PATH", help="Save the index to a .quire file."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Write all that was found: CSV, TSV, Parquet, NDJSON, JSON or Excel.",
        ),
    ] = None,
    reading: Reading = KEEP_EMPTY,
    escape_formulas: given.EscapeFormulas = False,
    as_json: given.Json = False,
) -> None:
    """Find the documents of a corpus that are nearest to a text, and the terms that they share.

    Texts become tf-idf weights; the cosine of two is a sum over the terms that both have. A saved
    index is used without the corpus: quire neighbors index.quire TEXT.
    """
    parts.check_question(file, query, texts, row, duplicates, model, report)
    check_places(report, None, model, out, inputs=[file])
    check_table(out, "--out")
    check_escape(escape_formulas, out)
    if file.lower().endswith(".quire"):
        changed = {
            "--text": text if texts is None else None,
            "--label": label,
            "--metric": metric,
            "--stop-words": None if stop_words == "none" else stop_words,
            "--min-df": None if min_df == 1 else min_df,
            "--ngrams": None if ngrams == (1, 1) else ngrams,
            "--model": model,
        }
        search = parts.load_search(file, changed)
        search.n_jobs = search.index_.n_jobs = threads
    else:
        search = _indexed(
            file,
            text,
            label,
            reading,
            metric=metric or "cosine",
            n_neighbors=n_neighbors,
            n_jobs=threads,
            vectorizer={
                "stop_words": read_stop_words(stop_words),
                "min_df": min_df,
                "ngram_range": ngrams,
                # N.B.A. and N.H.L. are no copies: words of one letter count there.
                "tokens": "words" if duplicates is not None else None,
            },
            model=model,
        )
    if duplicates is not None:
        parts.tell_duplicates(
            search, file, duplicates, n_neighbors, out, as_json=as_json, escape=escape_formulas
        )
        return
    queries = _queries(query, texts, text, reading)
    found = _search(search, queries, row, n_neighbors)
    if found or out is not None:
        parts.write_files(
            search, found, file, n_neighbors, report=report, out=out, escape=escape_formulas
        )
    if as_json:
        show_json(parts.as_plain(search, found, file, n_neighbors))
    elif found:
        show(*parts.show_parts(search, found))
    tell_written(report, out)


def _indexed(
    file: str,
    text: list[str] | None,
    label: str | None,
    reading: Reading,
    *,
    vectorizer: dict[str, Any],
    model: str | None,
    **settings: Any,
) -> TextSearch:
    """Read a corpus and index it; save the index if asked to."""
    given.check_choice(settings["metric"], _METRICS, "--metric")
    corpus = read_documents(file, text, label, reading)
    given.tell_notes(corpus)
    with working(f"Indexing {how_many(len(corpus), 'document')}"):
        from quire.feature_extraction.text import TfidfVectorizer
        from quire.neighbors import TextSearch

        search = TextSearch(vectorizer=TfidfVectorizer(**vectorizer), **settings)
        search.fit(corpus.texts, corpus.labels)
    if model is not None:
        parts.save_search(search, corpus, model)
    return search


def _queries(
    query: str | None, texts: str | None, text: list[str] | None, reading: Reading
) -> list[str]:
    if texts is not None:
        return read_documents(texts, text, None, reading, role="texts").texts.to_list()
    if query == "-":
        query = sys.stdin.read()
    if query is None:
        return []
    if not query.strip():
        raise typer.BadParameter("expected some words to look for; got none.", param_hint="TEXT")
    return [query]


def _search(
    search: TextSearch, queries: list[str], row: int | None, n_neighbors: int
) -> list[TextMatches]:
    if row is not None:
        with working("Searching"):
            return [search.search_row(row, n_neighbors)]
    from quire._shared.progress import counted

    found = []
    with counted("Searching") as tell:
        for one in search.search_all(queries, n_neighbors):
            found.append(one)
            tell(len(found), len(queries))
    return found
