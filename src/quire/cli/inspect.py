"""``quire inspect``: the card of a saved model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quire.cli._arguments import Json
from quire.cli._show import new_table, show, show_json, working

__all__ = ["inspect"]


def inspect(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A .quire file.")],
    top: Annotated[
        int, typer.Option(min=0, metavar="N", help="Number of terms for each class.")
    ] = 10,
    as_json: Json = False,
) -> None:
    """Show what a saved model is: classes, features, top evidence, scores, how it was trained."""
    with working("Loading"):
        import quire
        from quire.persistence import read_info
    info = read_info(model)
    evidence = _evidence(quire.load(model), top) if top else {}
    if as_json:
        show_json(
            {
                "file": model,
                "model": info.model,
                "parts": list(info.parts),
                "labels": list(info.labels),
                "features": info.n_features,
                "scores": info.scores,
                "settings": info.settings,
                "metadata": info.metadata,
                "versions": info.versions,
                "created": info.created.isoformat(),
                "format": info.format,
                "bytes": info.size,
                "top_evidence": {
                    str(label): [{"term": w.term, "weight": w.weight} for w in weights]
                    for label, weights in evidence.items()
                },
            }
        )
        return
    show(*_card(model, info, evidence))


def _evidence(model: Any, top: int) -> dict[Any, Any]:
    from quire.inspection import top_evidence

    try:
        return top_evidence(model, top)
    except TypeError:  # terms have no weights in such a model
        return {}


def _card(path: str, info: Any, evidence: dict[Any, Any]) -> list[Any]:
    from rich.text import Text

    facts = new_table()
    facts.show_header = False
    facts.add_column("fact", no_wrap=True)
    facts.add_column("value", overflow="fold")
    metadata = info.metadata
    rows: dict[str, Any] = {
        "model": metadata.get("title") or info.model.rpartition(".")[2],
        "parts": " > ".join(part.rpartition(".")[2] for part in info.parts),
        "task": metadata.get("task"),
        "classes": _classes(info.labels),
        "features": None if info.n_features is None else f"{info.n_features:,}",
        "trained on": _trained(metadata),
        "saved": f"{info.created:%Y-%m-%d %H:%M} UTC, quire {info.versions.get('quire')}",
        "size": f"{info.size / 1e6:,.1f} MB",
    }
    for name, value in rows.items():
        if value:
            facts.add_row(name, Text(str(value)))
    parts: list[Any] = [path, facts]
    if info.scores:
        parts.append(_scores(info.scores))
    if evidence:
        terms = new_table()
        terms.add_column("class", overflow="fold")
        terms.add_column("top evidence", overflow="fold")
        for label, weights in evidence.items():
            terms.add_row(Text(str(label)), Text(" ".join(str(weight.term) for weight in weights)))
        parts.append(terms)
    return parts


def _classes(labels: tuple[Any, ...], limit: int = 12) -> str:
    shown = ", ".join(map(str, labels[:limit]))
    more = f", and {len(labels) - limit} more" if len(labels) > limit else ""
    return f"{len(labels)}: {shown}{more}" if labels else ""


def _trained(metadata: dict[str, Any]) -> str:
    if not metadata.get("documents"):
        return ""
    source = f" of {metadata['source']}" if metadata.get("source") else ""
    columns = f", text {', '.join(metadata['text'])}" if metadata.get("text") else ""
    label = f", label {metadata['label']}" if metadata.get("label") else ""
    return f"{metadata['documents']:,} documents{source}{columns}{label}"


def _scores(scores: dict[str, Any]) -> Any:
    table = new_table()
    table.add_column("held-out score", no_wrap=True)
    table.add_column("mean", justify="right", no_wrap=True)
    table.add_column("95% interval", justify="right", no_wrap=True)
    for name, value in scores.items():
        if isinstance(value, dict):
            low, high = value.get("low"), value.get("high")
            known = low is not None and high is not None and low == low
            interval = f"{low:.4f} - {high:.4f}" if known else ""
            table.add_row(name, f"{value['mean']:.4f}", interval)
        elif isinstance(value, float):
            table.add_row(name, f"{value:.4f}", "")
        else:
            table.add_row(name, str(value), "")
    return table
