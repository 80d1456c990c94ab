"""``quire align``: a map from one space of word vectors to another, and how good it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from quire._shared.progress import counted, named
from quire.cli import _align_results as parts
from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._document_options import ReportPath
from quire.cli._provenance import read_from
from quire.cli._show import show, show_json
from quire.cli._tables import check_places, check_table
from quire.cli._tell import tell_written, warnings_told

if TYPE_CHECKING:
    from quire.alignment import MapComparison, WordVectors

__all__ = ["align"]


def align(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", help="Word vectors: .vec, .bin, .txt, .parquet, .npy; or a .quire."
        ),
    ],
    target: Annotated[
        str | None,
        typer.Argument(metavar="TARGET", help="Word vectors to map to; may be the same file."),
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Pairs of words: CSV, TSV, or two in a line."),
    ] = None,
    test_pairs: Annotated[
        str | None, typer.Option(metavar="FILE", help="Pairs to judge by; else some are held out.")
    ] = None,
    test_share: Annotated[
        float, typer.Option(metavar="SHARE", help="The share of words that are held out.")
    ] = 0.3333,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="orthogonal, least_squares, ridge, gradient, or all to compare."
        ),
    ] = "orthogonal",
    retrieval: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="csls, nearest (by cosine) or both."),
    ] = None,
    refine: Annotated[
        int, typer.Option(min=0, metavar="N", help="Times to learn again from mutual neighbours.")
    ] = 0,
    normalize: Annotated[bool, typer.Option(help="Scale vectors to length 1 first.")] = True,
    center: Annotated[bool, typer.Option(help="Take the mean of each space away first.")] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Read only the first N words.")
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="Translate these, commas between: king,queen."),
    ] = None,
    top: Annotated[
        int, typer.Option("--top", "-k", min=1, metavar="N", help="Words to find for each.")
    ] = 5,
    translate_all: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Translate all words: CSV, TSV, Parquet, NDJSON, JSON or Excel."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="How pairs are held out.")] = 0,
    threads: given.Threads = None,
    report: ReportPath = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "--save", metavar="PATH", help="Save the map to a .quire file."),
    ] = None,
    as_json: given.Json = False,
) -> None:
    """Learn a map between word vectors from pairs of words, and judge it by pairs held out.

    What is kept and what translates is the best map, learned from all pairs. A saved one
    translates by itself: quire align map.quire --words king,queen.
    """
    check_places(report, None, model, translate_all)
    check_table(translate_all, "--translate-all")
    if source.lower().endswith(".quire"):
        if target or pairs or test_pairs or report or model:
            raise typer.BadParameter(
                f"{source} is a map already: it takes --words, --translate-all and --top alone."
            )
        parts.use_saved(source, words, top, translate_all, retrieval, threads, as_json=as_json)
        return
    if target is None or pairs is None:
        raise typer.BadParameter("expected SOURCE, TARGET and --pairs FILE.")
    methods, retrievals = parts.chosen(method, retrieval)
    if not 0 < test_share < 1:
        raise typer.BadParameter("expected a share between 0 and 1.", param_hint="--test-share")
    before, after = _vectors(source, target, limit)
    options = {
        "n_refinements": refine,
        "normalize": normalize,
        "center": center,
        "n_jobs": threads,
    }
    from quire.alignment import read_pairs

    known = read_pairs(read_from("pairs", pairs), vocabularies=(before, after))
    judged = None
    if test_pairs is not None:
        judged = read_pairs(read_from("test_pairs", test_pairs), vocabularies=(before, after))
    comparison = _compared(
        before,
        after,
        known,
        test_pairs=judged,
        test_share=test_share,
        methods=methods,
        retrievals=retrievals,
        random_state=seed,
        **options,
    )
    parts.tell_missing(comparison, source, target)
    wanted = parts.listed_words(words, before)
    settings = {
        "method": method,
        "retrieval": comparison.best.retrieval,
        "test_share": None if judged is not None else test_share,
        "seed": seed,
        "limit": limit,
        "refine": refine,
        "normalize": normalize,
        "center": center,
    }
    names = Path(source).name, Path(target).name
    found = parts.finish(
        comparison,
        names=names,
        whole=judged is None,
        wanted=wanted,
        top=top,
        translate_all=translate_all,
        model=model,
        report=report,
        settings=settings,
    )
    if as_json:
        show_json(parts.as_plain(comparison, source, target, found, settings))
    else:
        show(*parts.show_parts(comparison, found))
    tell_written(report, model, translate_all)


def _vectors(source: str, target: str, limit: int | None) -> tuple[WordVectors, WordVectors]:
    """Read two files of vectors; the same file once."""
    from quire.alignment import WordVectors

    read = []
    for path in dict.fromkeys((source, target)):
        if not Path(path).is_file():
            raise FileNotFoundError(f"{path} is not there; expected a file of word vectors.")
        with counted(f"Reading {Path(path).name}") as tell:
            read_from("source" if path == source else "target", path)
            read.append(WordVectors.load(path, limit=limit, progress=tell))
    return read[0], read[-1]


def _compared(before: WordVectors, after: WordVectors, known: Any, **options: Any) -> MapComparison:
    """Compare maps; say in one line what they have to say."""
    from quire.alignment import compare_maps

    with warnings_told(), named("Fitting") as tell:
        return compare_maps(before, after, known, progress=tell, **options)
