"""``quire export``: the tables of a saved model as CSV, LaTeX and Markdown."""

from __future__ import annotations

from typing import Annotated, Any

from quire.cli import _typer as typer
from quire.cli._export import check_export, export_result
from quire.cli._loading import loading

__all__ = ["export"]


def export(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A .quire file.")],
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Where to; made if needed.")],
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Terms for each class, words for each topic.")
    ] = 20,
) -> None:
    """Write the tables of a saved model as CSV, LaTeX and Markdown.

    They are the terms that speak for each class, or the words of topics and clusters, and the
    scores that were saved with it. The tables and figures of a comparison or an evaluation come
    from quire compare --export and quire evaluate --export.
    """
    check_export(folder)
    with loading():
        from quire.inspection import model_card
        from quire.persistence import load_with_info

    loaded, info = load_with_info(model)
    try:
        card = model_card(loaded, top, metadata=info.metadata)
    except TypeError as error:
        raise ValueError(f"{model}: {error}") from error
    tables = _tables(card, info)
    if not tables:
        raise ValueError(f"{model} has no tables: neither terms nor scores.")
    export_result(tables, folder)


def _tables(card: Any, info: Any) -> dict[str, Any]:
    import polars as pl

    found = {
        "terms": [
            {"class": str(label), "rank": rank, "term": str(one.term), "weight": float(one.weight)}
            for label, terms in card.top_terms.items()
            for rank, one in enumerate(terms, start=1)
        ],
        "topics": [
            {"topic": one.topic, "name": one.name, "share": one.share, "words": " ".join(one.words)}
            for one in card.topics
        ],
        "clusters": [
            {"cluster": one.cluster, "documents": one.documents, "terms": " ".join(one.terms)}
            for one in card.clusters
        ],
        "scores": [
            {"score": name, **one} for name, one in info.scores.items() if isinstance(one, dict)
        ],
    }
    return {name: pl.DataFrame(rows) for name, rows in found.items() if rows}
