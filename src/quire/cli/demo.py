"""``quire demo``: read the built-in corpus, turn it into numbers, show what is in it."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated, Any

import typer

from quire.cli._show import new_table, percent, show, show_json, working

__all__ = ["demo"]


def demo(
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of terms for each class.")
    ] = 8,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Show quire at work on a corpus that is already here.

    The corpus is the documentation inside Python and the packages that quire uses; the class of a
    document is its package. Nothing is downloaded.
    """
    result = _measure(top)
    if as_json:
        show_json(result)
    else:
        _show(result)


def _measure(top: int) -> dict[str, Any]:
    """Read, vectorise and compare the classes; return what was found and how long it took."""
    with working("Loading"):
        from quire import __version__
        from quire.datasets import load_docstrings
        from quire.feature_extraction.text import CountVectorizer
        from quire.inspection import top_terms
    with working("Reading documentation"):
        start = perf_counter()
        corpus = load_docstrings()
        read = perf_counter()
    with working("Counting words"):
        vectorizer = CountVectorizer()
        X = vectorizer.fit_transform(corpus.texts)
        vectorised = perf_counter()
        found = top_terms(X, corpus.labels, vectorizer.get_feature_names_out(), n_terms=top)
        compared = perf_counter()
    sizes = dict(corpus.labels.value_counts().iter_rows())
    return {
        "version": __version__,
        "documents": X.shape[0],
        "terms": X.shape[1],
        "nonzeros": int(X.nnz),
        "bytes": int(corpus.texts.str.len_bytes().sum()),
        "seconds": {
            "read": read - start,
            "vectorise": vectorised - read,
            "top_terms": compared - vectorised,
        },
        "classes": [
            {
                "label": label,
                "version": corpus.versions[label],
                "documents": sizes[label],
                "top_terms": [score.term for score in scores],
            }
            for label, scores in found.items()
        ],
    }


def _show(result: dict[str, Any]) -> None:
    seconds, documents = result["seconds"], result["documents"]
    megabytes = result["bytes"] / 1e6
    steps = new_table()
    steps.add_column("step")
    steps.add_column("result")
    steps.add_column("seconds", justify="right", no_wrap=True)
    rows = [
        ("read", f"{documents:,} documents, {megabytes:.1f} MB", "read"),
        (
            "vectorise",
            f"{documents:,} x {result['terms']:,}, {result['nonzeros']:,} counts",
            "vectorise",
        ),
        ("compare", f"{len(result['classes'])} classes", "top_terms"),
    ]
    for step, outcome, key in rows:
        steps.add_row(step, outcome, f"{seconds[key]:.3f}")

    classes = new_table()
    classes.add_column("class", no_wrap=True)
    classes.add_column("documents", justify="right", no_wrap=True)
    classes.add_column("share", justify="right", no_wrap=True)
    classes.add_column("top terms", overflow="fold")
    for entry in result["classes"]:
        classes.add_row(
            f"{entry['label']} {entry['version']}",
            f"{entry['documents']:,}",
            percent(entry["documents"] / documents),
            " ".join(entry["top_terms"]),
        )
    title = f"quire {result['version']}: documentation by package"
    show(title, steps, classes)
