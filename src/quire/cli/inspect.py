"""``quire inspect``: the card of a saved model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quire.cli._arguments import Json
from quire.cli._model_cards import axes_of, cluster_table, clusters_of, map_table
from quire.cli._show import new_table, percent, show, show_json, working
from quire.cli._tree_cards import tree_drawing, trees_in_words, trees_of

__all__ = ["inspect"]


def inspect(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A .quire file.")],
    top: Annotated[
        int, typer.Option(min=0, metavar="N", help="Number of terms for each class or topic.")
    ] = 10,
    as_json: Json = False,
) -> None:
    """Show what a saved model is: classes, features, top evidence, scores, how it was trained.

    Of a topic model the topics are shown, the largest first, with their words; of clusters their
    terms; of a map its axes; of trees and forests their size and most important terms, and a small
    tree is written out.
    """
    with working("Loading"):
        import quire
        from quire.persistence import read_info
    info = read_info(model)
    loaded = quire.load(model) if top else None
    topics = _topics(loaded, info, top) if hasattr(loaded, "phi_") else []
    clusters = clusters_of(loaded, info, top)
    axes = axes_of(loaded, top)
    trees = trees_of(loaded)
    evidence = {} if not top or topics or clusters or axes else _evidence(loaded, top)
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
                **({"topics": topics} if topics else {}),
                **({"clusters": clusters} if clusters else {}),
                **({"axes": axes} if axes else {}),
                **({"trees": trees} if trees else {}),
            }
        )
        return
    card = _card(model, info, evidence, trees)
    tables = (_topic_table(topics), cluster_table(clusters), map_table(axes), tree_drawing(trees))
    show(*card, *(part for parts in tables for part in parts))


def _evidence(model: Any, top: int) -> dict[Any, Any]:
    from quire.inspection import top_evidence

    try:
        return top_evidence(model, top)
    except TypeError:  # terms have no weights in such a model
        return {}


def _topics(model: Any, info: Any, top: int) -> list[dict[str, Any]]:
    """Return the topics of a topic model; shares and names are known if the command made it."""
    from quire.topics import top_words

    shares, names = info.metadata.get("shares", {}), info.metadata.get("names", {})
    listed = [
        {
            "topic": number,
            "name": names.get(str(number), ""),
            "share": shares.get(str(number)),
            "words": [str(word) for word in words],
        }
        for number, words in enumerate(top_words(model, n=top))
    ]
    return sorted(listed, key=lambda topic: -(topic["share"] or 0.0))


def _topic_table(topics: list[dict[str, Any]]) -> list[Any]:
    from rich.text import Text

    if not topics:
        return []
    table = new_table()
    table.add_column("topic", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("words", overflow="fold")
    for one in topics:
        name = f"{one['topic']} {one['name']}".strip()
        share = "" if one["share"] is None else percent(one["share"])
        table.add_row(Text(name), share, Text(" ".join(one["words"])))
    return [table]


def _quality(metadata: dict[str, Any]) -> str:
    """Say how good topics or clusters are, and what a map holds, as far as the file knows."""
    found = metadata.get("coherence") or {}
    said = []
    if found.get("mean") is not None:
        said.append(f"{found['measure']} {found['mean']:.3f}")
    if metadata.get("diversity") is not None:
        said.append(f"diversity {metadata['diversity']:.2f}")
    if metadata.get("log_likelihood") is not None:
        said.append(f"log-likelihood per word {metadata['log_likelihood']:.3f}")
    if metadata.get("silhouette") is not None:
        said.append(f"mean silhouette {metadata['silhouette']:.3f}")
    if metadata.get("agreement"):
        own = metadata["agreement"]
        said.append(f"adjusted Rand {own['adjusted_rand']:.3f} with {own['column']}")
    if metadata.get("variance") is not None:
        said.append(f"{metadata['variance']:.2%} of the variance")
    return ", ".join(said)


def _card(
    path: str, info: Any, evidence: dict[Any, Any], trees: dict[str, Any] | None
) -> list[Any]:
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
        "trees": trees_in_words(trees),
        "trained on": _trained(metadata),
        "quality": _quality(metadata),
        "saved": f"{info.created:%Y-%m-%d %H:%M} UTC, quire {info.versions.get('quire')}",
        "size": f"{info.size / 1e6:,.1f} MB",
    }
    for name, value in rows.items():
        if value:
            facts.add_row(name, Text(str(value)))
    parts: list[Any] = [path, facts]
    if info.scores:
        parts.append(_scores(info.scores))
    if any(evidence.values()):
        terms = new_table()
        terms.add_column("by" if trees else "class", overflow="fold")
        terms.add_column("most important terms" if trees else "top evidence", overflow="fold")
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
