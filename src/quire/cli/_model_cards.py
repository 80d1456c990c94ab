"""What the card of a saved model says about clusters and maps."""

from __future__ import annotations

from typing import Any

from quire.cli._show import new_table, percent

__all__ = ["axes_of", "cluster_table", "clusters_of", "map_table"]


def _steps(model: Any) -> tuple[Any, Any]:
    """Return the first and the last step of a pipeline; of anything else, nothing and itself."""
    steps = getattr(model, "steps", None)
    return (steps[0][1], steps[-1][1]) if steps and len(steps) > 1 else (None, model)


def clusters_of(model: Any, info: Any, top: int) -> list[dict[str, Any]]:
    """Return the clusters of a saved k-means, the largest first; none of another model.

    Parameters
    ----------
    model : object
        As loaded.
    info : ModelInfo
        Sizes are known if the command made it.
    top : int
        Terms for each.
    """
    vectorizer, last = _steps(model)
    if not (hasattr(last, "cluster_centers_") and hasattr(last, "top_terms")):
        return []
    named = hasattr(vectorizer, "get_feature_names_out")
    names = vectorizer.get_feature_names_out() if named else None
    sizes = info.metadata.get("sizes", {})
    total = sum(sizes.values())
    listed = [
        {
            "cluster": number,
            "documents": sizes.get(str(number)),
            "share": sizes[str(number)] / total if total and str(number) in sizes else None,
            "terms": [str(one.term) for one in terms if one.weight > 0],
        }
        for number, terms in last.top_terms(top, feature_names=names).items()
    ]
    return sorted(listed, key=lambda one: -(one["documents"] or 0))


def cluster_table(clusters: list[dict[str, Any]]) -> list[Any]:
    """Return the clusters as a table; nothing if there are none."""
    from rich.text import Text

    if not clusters:
        return []
    table = new_table()
    table.add_column("cluster", justify="right", no_wrap=True)
    table.add_column("documents", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("terms", overflow="fold")
    for one in clusters:
        documents = "" if one["documents"] is None else f"{one['documents']:,}"
        share = "" if one["share"] is None else percent(one["share"])
        table.add_row(str(one["cluster"]), documents, share, Text(" ".join(one["terms"])))
    return [table]


def axes_of(model: Any, top: int) -> list[dict[str, Any]]:
    """Return the axes of a saved map with the terms at their ends; none of another model."""
    vectorizer, last = _steps(model)
    is_map = hasattr(last, "explained_variance_ratio_") and hasattr(last, "components_")
    if not is_map or not hasattr(vectorizer, "get_feature_names_out"):
        return []
    from quire.decomposition import map_axes

    return [
        {
            "share": axis.share,
            "low": [{"term": one.term, "weight": one.weight} for one in axis.low],
            "high": [{"term": one.term, "weight": one.weight} for one in axis.high],
        }
        for axis in map_axes(last, vectorizer.get_feature_names_out(), top)
    ]


def map_table(axes: list[dict[str, Any]]) -> list[Any]:
    """Return the axes as a table; nothing if there are none."""
    from quire.cli._map import axis_table

    return [axis_table(axes)] if axes else []
