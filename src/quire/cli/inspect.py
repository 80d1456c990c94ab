"""``quire inspect``: the card of a saved model."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from quire._shared.how_many import how_many
from quire.cli import _typer as typer
from quire.cli._arguments import Json
from quire.cli._loading import loading
from quire.cli._show import as_text, axis_table, new_table, percent, show, show_json
from quire.exceptions import ModelFileError

if TYPE_CHECKING:
    from quire.kinds import ClusterCard, ModelCard, TopicCard, TreesCard
    from quire.persistence import ModelInfo

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
    with loading():
        from quire.inspection import model_card
        from quire.persistence import read_info
        from quire.scoring import load_model
    card = None
    if top:
        loaded, info = load_model(model)
        card = model_card(loaded, top, metadata=info.metadata)
    else:
        info = read_info(model)
    if as_json:
        show_json(_as_plain(model, info, card))
    else:
        show(*_shown(model, info, card))


def _as_plain(path: str, info: ModelInfo, card: ModelCard | None) -> dict[str, Any]:
    """Return the card for JSON; parts that the model does not have are left out."""
    parts: dict[str, Any] = {}
    if card is not None:
        parts["topics"] = [asdict(topic) for topic in card.topics]
        parts["clusters"] = [asdict(cluster) for cluster in card.clusters]
        parts["axes"] = [asdict(axis) for axis in card.axes]
        parts["trees"] = {} if card.trees is None else asdict(card.trees)
        if card.trees is not None and not card.trees.text:
            del parts["trees"]["text"]
    top_terms = {} if card is None else card.top_terms
    return {
        "file": path,
        "model": info.model,
        "parts": list(info.parts),
        "labels": list(info.labels),
        "features": info.n_features,
        "scores": info.scores,
        "settings": info.settings,
        "metadata": {name: part for name, part in info.metadata.items() if name != "terms"},
        "versions": info.versions,
        "created": info.created.isoformat(),
        "format": info.format,
        "bytes": info.size,
        "top_evidence": {
            str(label): [asdict(weight) for weight in weights]
            for label, weights in top_terms.items()
        },
        **{name: part for name, part in parts.items() if part},
    }


def _topic_table(topics: list[TopicCard]) -> Any:
    table = new_table()
    table.add_column("topic", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("words", overflow="fold")
    for one in topics:
        share = "" if one.share is None else percent(one.share)
        name = as_text(f"{one.topic} {one.name}".strip())
        table.add_row(name, share, as_text(" ".join(one.words)))
    return table


def _cluster_table(clusters: list[ClusterCard]) -> Any:
    table = new_table()
    table.add_column("cluster", justify="right", no_wrap=True)
    table.add_column("documents", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("terms", overflow="fold")
    for one in clusters:
        documents = "" if one.documents is None else f"{one.documents:,}"
        share = "" if one.share is None else percent(one.share)
        table.add_row(str(one.cluster), documents, share, as_text(" ".join(one.terms)))
    return table


def _trees_in_words(trees: TreesCard | None) -> str:
    """Return one line on number and sizes; nothing if there are no trees.

    Examples
    --------
    >>> from quire.kinds import Spread, TreesCard
    >>> _trees_in_words(TreesCard(50, Spread(90, 101.5, 120), Spread(9, 10.0, 12)))
    '50, with 90 to 120 leaves (mean 101.5), depth 9 to 12'
    """
    if trees is None:
        return ""
    leaves, depth = trees.leaves, trees.depth
    if trees.n_trees == 1:
        noun = "leaf" if leaves.most == 1 else "leaves"
        return f"1, with {leaves.most:,} {noun}, depth {depth.most}"
    return (
        f"{trees.n_trees:,}, with {leaves.least:,} to {leaves.most:,} leaves "
        f"(mean {leaves.mean:,.1f}), depth {depth.least} to {depth.most}"
    )


def _quality(metadata: dict[str, Any]) -> str:
    """Say how good topics or clusters are, and what a map holds, as far as the file knows."""
    coherence = metadata.get("coherence") or {}
    said = []
    if coherence.get("mean") is not None:
        said.append(f"{coherence['measure']} {coherence['mean']:.3f}")
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


def _shown(path: str, info: ModelInfo, card: ModelCard | None) -> list[Any]:
    """Return what to print: facts, scores, and the parts that the model has."""
    facts = new_table()
    facts.show_header = False
    facts.add_column("fact", no_wrap=True)
    facts.add_column("value", overflow="fold")
    metadata = info.metadata
    rows: dict[str, Any] = {
        "model": metadata.get("title") or info.model.rpartition(".")[2],
        "parts": " > ".join(part.rpartition(".")[2] for part in info.parts),
        "task": metadata.get("task"),
        "labels" if metadata.get("labels") == "several" else "classes": _classes(info.labels),
        "features": None if info.n_features is None else f"{info.n_features:,}",
        "trees": _trees_in_words(card.trees) if card else None,
        "trained on": _trained(metadata),
        "quality": _quality(metadata),
        "saved": f"{info.created:%Y-%m-%d %H:%M} UTC, quire {info.versions.get('quire')}",
        "size": f"{info.size / 1e6:,.1f} MB",
        **_where_from(info),
    }
    for name, value in rows.items():
        if value:
            facts.add_row(name, as_text(value))
    shown: list[Any] = [path, facts]
    if info.scores:
        shown.append(_scores(info.scores))
    if card is not None:
        shown += _parts(card)
    return shown


def _where_from(info: ModelInfo) -> dict[str, str]:
    """Return the command, the data and the seed of a model, as far as the file says them."""
    try:
        said = info.provenance
    except ModelFileError as error:
        return {"made by": str(error)}
    if said is None:
        return {}
    files = [f"{one['name']} ({_short(one['sha256'])})" for one in said["inputs"]]
    rows = said["rows"]
    if rows is not None:
        files.append(f"{how_many(rows['n'], 'row')} ({_short(rows['sha256'])})")
    return {
        "made by": said["command"] or "",
        "of": ", ".join(files),
        "seed": "" if said["seed"] is None else str(said["seed"]),
    }


def _short(digest: str | None) -> str:
    return "SHA-256 not known" if digest is None else f"SHA-256 {digest[:16]}..."


def _parts(card: ModelCard) -> list[Any]:
    shown: list[Any] = []
    if any(card.top_terms.values()):
        terms = new_table()
        by = "label" if card.predicts == "labels" else "class"
        terms.add_column("by" if card.trees else by, overflow="fold")
        terms.add_column("most important terms" if card.trees else "top evidence", overflow="fold")
        for label, weights in card.top_terms.items():
            for_it = [one.term for one in weights if one.weight > 0 or label == "lower"]
            terms.add_row(as_text(label), as_text(" ".join(map(str, for_it))))
        shown.append(terms)
    if card.topics:
        shown.append(_topic_table(card.topics))
    if card.clusters:
        shown.append(_cluster_table(card.clusters))
    if card.axes:
        shown.append(axis_table(card.axes))
    if card.trees and card.trees.text:
        shown.append(as_text(card.trees.text, one_line=False))
    return shown


def _classes(labels: tuple[Any, ...], limit: int = 12) -> str:
    shown = ", ".join(map(str, labels[:limit]))
    more = f", and {len(labels) - limit} more" if len(labels) > limit else ""
    return f"{len(labels)}: {shown}{more}" if labels else ""


def _trained(metadata: dict[str, Any]) -> str:
    if not metadata.get("documents"):
        return ""
    source = f" of {metadata['source']}" if metadata.get("source") else ""
    columns = f", text {', '.join(metadata['text'])}" if metadata.get("text") else ""
    if metadata.get("columns"):
        columns += f", columns {', '.join(metadata['columns'])}"
    label = f", label {metadata['label']}" if metadata.get("label") else ""
    rows = "documents" if metadata.get("text") or not metadata.get("columns") else "rows"
    return f"{metadata['documents']:,} {rows}{source}{columns}{label}"


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
