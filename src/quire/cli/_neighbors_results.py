"""What ``quire neighbors`` checks, shows and writes: what is near, and what is nearly the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire._shared.digests import rows_digest
from quire._shared.how_many import how_many
from quire._shared.progress import counted
from quire._shared.terminal import is_terminal, visible, width
from quire.cli import _typer as typer
from quire.cli._provenance import origins, read_from, this_command, where_from
from quire.cli._show import as_text, new_table, percent, show, show_json, working
from quire.cli._tables import write_table
from quire.cli._tell import tell_written

if TYPE_CHECKING:
    import polars as pl

    from quire.io import Corpus
    from quire.neighbors import TextMatch, TextMatches, TextSearch

__all__ = [
    "as_plain",
    "check_question",
    "load_search",
    "save_search",
    "show_parts",
    "tell_duplicates",
    "write_files",
]

_SHOWN = 20  # queries
_TERMS = 6  # of a match
_FAINT = 0.1  # of the largest contribution; terms with less are not marked
_NARROW = 100  # columns of a terminal below which there is no room for a table
_ROWS = 3  # of a group of documents that are nearly the same
_LONG, _SHORT = 240, 120  # characters of a text, on a terminal and elsewhere


def check_question(
    file: str,
    query: str | None,
    texts: str | None,
    row: int | None,
    duplicates: float | None,
    model: str | None,
    report: str | None,
) -> None:
    """Raise an error unless one thing is looked for, or an index is made to be kept."""
    asked = {"TEXT": query, "--texts": texts, "--row": row, "--duplicates": duplicates}
    names = [name for name, value in asked.items() if value is not None]
    if len(names) > 1:
        raise typer.BadParameter(f"expected one thing to look for; got {' and '.join(names)}.")
    if not names and model is None:
        raise typer.BadParameter(
            "nothing to look for. Give a TEXT, --texts FILE, --row N or --duplicates 0.9; or "
            "--model PATH to keep the index."
        )
    if report is not None and (not names or duplicates is not None):
        raise typer.BadParameter("a report shows what is near a text; give one.")
    if file == "-" and query == "-":
        raise typer.BadParameter("standard input can not be both the corpus and the text.")
    if duplicates is not None and not 0 < duplicates <= 1:
        raise typer.BadParameter(
            f"expected a cosine above 0, at most 1; got {duplicates}.", param_hint="--duplicates"
        )


def load_search(path: str, changed: dict[str, Any]) -> TextSearch:
    """Load a saved index; options that only an index in the making heeds are errors."""
    wrong = [name for name, value in changed.items() if value is not None]
    if wrong:
        raise typer.BadParameter(
            f"{', '.join(wrong)} can only be chosen when an index is made from a corpus; {path} "
            "is one already."
        )
    with working(f"Loading {path}"):
        import quire
        from quire.neighbors import TextSearch

        loaded = quire.load(read_from("file", path))
    if not isinstance(loaded, TextSearch):
        raise ValueError(
            f"{path} holds a {type(loaded).__name__}; expected an index. Make one: quire "
            "neighbors CORPUS --model PATH."
        )
    return loaded


def save_search(search: TextSearch, corpus: Corpus, path: str) -> None:
    """Save an index with what its card says."""
    import quire

    with working(f"Saving {path}"):
        quire.save(
            search,
            path,
            settings={"metric": search.metric, "neighbors": search.n_neighbors},
            metadata={
                "title": "Search in texts",
                "task": "search",
                "documents": len(corpus),
                "source": Path(corpus.source).name,
                "text": list(corpus.text_columns),
                "label": corpus.label_column,
                "provenance": where_from(_data(search), None),
            },
        )
    tell_written(path)


def as_plain(
    search: TextSearch, found: list[TextMatches], file: str, n_neighbors: int
) -> dict[str, Any]:
    """Return what was found for JSON."""
    return {
        "file": file,
        "documents": len(search.texts_),
        "terms": search.n_features_in_,
        "metric": search.metric,
        "neighbors": n_neighbors,
        "queries": [
            {
                "query": one.query,
                "row": one.row,
                "votes": [{"label": v, "votes": n, "share": share} for v, n, share in one.votes],
                "matches": [
                    {
                        "rank": match.rank,
                        "row": match.row,
                        "similarity": match.similarity,
                        "distance": match.distance,
                        "label": match.label,
                        "terms": [{"term": t, "contribution": part} for t, part in match.terms],
                        "text": match.text,
                    }
                    for match in one.matches
                ],
            }
            for one in found
        ],
    }


def write_files(
    search: TextSearch,
    found: list[TextMatches],
    file: str,
    n_neighbors: int,
    *,
    report: str | None,
    out: str | None,
    escape: bool,
) -> None:
    """Write the report and the table, if they are asked for."""
    if out is not None:
        with working(f"Writing {out}"):
            write_table(_matches_table(found), out, escape=escape)
    if report is not None:
        with working(f"Writing {report}"):
            from quire.report import neighbors_report

            name = Path(file).name
            neighbors_report(
                search,
                found,
                n_neighbors=n_neighbors,
                path=report,
                title=f"Nearest documents in {name}",
                settings={
                    "command": this_command(),
                    "data": _data(search),
                    "metric": str(search.metric),
                    "neighbors": n_neighbors,
                },
            )


def _data(search: TextSearch) -> dict[str, Any]:
    """Return what identifies the files that were read, and the rows of the index."""
    rows = rows_digest(texts=search.texts_, labels=search.labels_)
    return {"inputs": origins(), "rows": rows}


def _matches_table(found: list[TextMatches]) -> pl.DataFrame:
    import polars as pl

    frames = [
        one.to_frame().select(
            pl.lit(number, dtype=pl.Int64).alias("query"),
            pl.lit(one.query).alias("query_text"),
            pl.all().exclude("label"),
            pl.col("label").cast(pl.String),
        )
        for number, one in enumerate(found)
    ]
    return pl.concat(frames) if frames else pl.DataFrame()


def show_parts(search: TextSearch, found: list[TextMatches]) -> list[Any]:
    """Return what to print: for each query its neighbours and their vote."""
    many = len(found) > 1
    shown: list[Any] = [
        f"{how_many(len(search.texts_), 'document')}, {how_many(search.n_features_in_, 'term')}, "
        f"{search.metric}"
    ]
    for number, one in enumerate(found[:_SHOWN]):
        if many:
            plain = " ".join(one.query.split())
            shown.append(as_text(f"Query {number}: {plain[:70]}{'…' if len(plain) > 70 else ''}"))
        if not one.matches:
            shown.append("No document shares a term with it.")
            continue
        shown.append(_table(search, one))
        if one.votes:
            said = ", ".join(f"{v} {percent(share)} ({n})" for v, n, share in one.votes)
            shown.append(as_text(f"Vote: {said}"))
    if len(found) > _SHOWN:
        shown.append(f"... and {len(found) - _SHOWN:,} more queries; --out writes all of them.")
    return shown


def _table(search: TextSearch, found: TextMatches) -> Any:
    on_terminal = is_terminal()
    if on_terminal and width() < _NARROW:
        return _stacked(search, found)
    table = new_table()
    far = search.metric != "cosine"
    has_labels = any(match.label is not None for match in found.matches)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("similarity", justify="right", no_wrap=True)
    if far:
        table.add_column("distance", justify="right", no_wrap=True)
    table.add_column("row", justify="right", no_wrap=True)
    if has_labels:
        table.add_column("label", overflow="fold")
    table.add_column("text", overflow="fold")
    if not on_terminal:
        table.add_column("shared terms", overflow="fold")
    for match in found.matches:
        cells = [as_text(str(match.rank)), as_text(f"{match.similarity:.3f}")]
        if far:
            cells.append(as_text(f"{match.distance:.3f}"))
        cells.append(as_text(str(match.row)))
        if has_labels:
            cells.append(as_text("" if match.label is None else str(match.label)))
        terms = _shared_terms(match)
        shown = _marked(search, match, on_terminal)
        if on_terminal and terms:
            shown.append("\n").append_text(as_text(terms, style="dim"))
        table.add_row(*cells, shown, *([] if on_terminal else [as_text(terms)]))
    return table


def _stacked(search: TextSearch, found: TextMatches) -> Any:
    """Return the matches one below the other, for terminals too narrow for a table."""
    from rich.console import Group
    from rich.padding import Padding

    parts: list[Any] = [as_text("")]
    for match in found.matches:
        head = as_text(f"{match.rank:>2}  {match.similarity:.3f}", style="bold")
        if search.metric != "cosine":
            head.append(f"  distance {match.distance:.3f}")
        head.append(f"  row {match.row}", style="not bold")
        if match.label is not None:
            head.append(visible(f"  {match.label}", one_line=True))
        shown = _marked(search, match, on_terminal=True)
        terms = _shared_terms(match)
        if terms:
            shown.append("\n").append_text(as_text(terms, style="dim"))
        parts += [head, Padding(shown, (0, 0, 1, 4))]
    return Group(*parts)


def _shared_terms(match: TextMatch) -> str:
    terms = ", ".join(f"{term} {part:.3f}" for term, part in match.terms[:_TERMS])
    more = len(match.terms) - _TERMS
    return terms + (f", {more} more" if more > 0 else "")


def _marked(search: TextSearch, match: TextMatch, on_terminal: bool) -> Any:
    """Return a part of a text with shared terms marked: in bold, or between stars."""
    from quire._shared.excerpts import excerpt, term_spans

    parts = dict(match.terms)
    least = _FAINT * max(parts.values(), default=0.0)
    strong = {term: part for term, part in parts.items() if part >= least}
    spans = term_spans(search.vectorizer_, match.text, strong)
    cut = excerpt(match.text, spans, _LONG if on_terminal else _SHORT)
    shown = as_text("… " if cut.before else "")
    for piece, weight in cut.pieces:
        plain = " ".join(f"|{piece}|".split())[1:-1]  # one blank for each run of them
        plain = visible(plain, one_line=True)
        if shown.plain in ("", "… "):
            plain = plain.lstrip()
        if weight and on_terminal:
            shown.append(plain, style="bold cyan")
        else:
            shown.append(f"*{plain}*" if weight else plain)
    if cut.after:
        shown.append(" …")
    return shown


def tell_duplicates(
    search: TextSearch,
    file: str,
    threshold: float,
    shown: int,
    out: str | None,
    *,
    as_json: bool,
    escape: bool,
) -> None:
    """Find near-duplicates, write them and show the most similar."""
    with counted("Comparing documents") as tell:
        found = search.duplicates(threshold, progress=tell)
    n_groups = found["group"].n_unique()
    in_groups = len(set(found["row"]) | set(found["other"]))
    if out is not None:
        with working(f"Writing {out}"):
            write_table(_with_texts(search, found), out, escape=escape)
    if as_json:
        show_json(
            {
                "file": file,
                "documents": len(search.texts_),
                "threshold": threshold,
                "pairs": len(found),
                "groups": n_groups,
                "documents_in_groups": in_groups,
                "found": found.to_dicts(),
            }
        )
    else:
        show(*_duplicate_parts(search, found, threshold, n_groups, in_groups, shown))
    tell_written(out)


def _with_texts(search: TextSearch, found: pl.DataFrame) -> pl.DataFrame:
    return found.with_columns(
        search.texts_.gather(found["row"]).alias("text"),
        search.texts_.gather(found["other"]).alias("other_text"),
    )


def _duplicate_parts(
    search: TextSearch,
    found: pl.DataFrame,
    threshold: float,
    n_groups: int,
    in_groups: int,
    shown: int,
) -> list[Any]:
    documents = how_many(len(search.texts_), "document")
    if not len(found):
        return [f"{documents}, no two with a cosine of {threshold:g} or more"]
    head = (
        f"{documents}, {how_many(len(found), 'pair')} with a cosine of {threshold:g} or more: "
        f"{how_many(n_groups, 'group')} of {how_many(in_groups, 'document')}. With one of each "
        f"group kept, {in_groups - n_groups:,} could go."
    )
    table = new_table()
    for name in ("documents", "similarity", "rows"):
        table.add_column(
            name, justify="right" if name != "rows" else "left", no_wrap=name != "rows"
        )
    table.add_column("text", overflow="fold")
    few = found.filter(found["group"] < shown).sort("group", maintain_order=True)
    groups = few.partition_by("group", maintain_order=True)
    for pairs in groups:
        rows = sorted(set(pairs["row"]) | set(pairs["other"]))
        values = pairs["similarity"].to_list()
        least, most = min(values), max(values)
        spread = f"{least:.3f}" if least == most else f"{least:.3f}-{most:.3f}"
        listed = ", ".join(map(str, rows[:_ROWS])) + (" …" if len(rows) > _ROWS else "")
        plain = " ".join(search.texts_[rows[0]].split())
        cut = plain[:_SHORT] + ("…" if len(plain) > _SHORT else "")
        table.add_row(f"{len(rows):,}", spread, listed, as_text(cut))
    rest = n_groups - shown
    more = f"... and {rest:,} more groups; --out writes all pairs." if rest > 0 else ""
    return [head, table, *([more] if more else [])]
