"""What the card of a saved model says about trees: how many, how large, and a small one whole."""

from __future__ import annotations

from typing import Any

__all__ = ["tree_drawing", "trees_in_words", "trees_of"]

_MOST_LEAVES = 16  # of a tree that is written out


def trees_of(model: Any) -> dict[str, Any] | None:
    """Return the sizes of the trees of a saved tree or forest; ``None`` of another model.

    Parameters
    ----------
    model : object
        As loaded.

    Returns
    -------
    dict or None
        ``n_trees``, ``leaves`` and ``depth`` (each the least, the mean and the most), and the
        ``text`` of a single tree that is small.
    """
    if model is None:
        return None
    import numpy as np

    from quire.inspection._tree_evidence import is_of_trees
    from quire.inspection._unwrap import look_inside

    try:
        inside = look_inside(model)
    except (TypeError, ValueError):  # an average of several, or a search without a model
        return None
    deciding = inside.deciding
    if not is_of_trees(deciding):
        return None
    trees = getattr(deciding, "estimators_", [deciding])
    sizes = {
        "leaves": np.array([tree.get_n_leaves() for tree in trees]),
        "depth": np.array([tree.get_depth() for tree in trees]),
    }
    found: dict[str, Any] = {"n_trees": len(trees)}
    for name, values in sizes.items():
        found[name] = {
            "least": int(values.min()),
            "mean": float(values.mean()),
            "most": int(values.max()),
        }
    is_single = trees[0] is deciding and getattr(deciding, "n_outputs_", 1) == 1
    if is_single and sizes["leaves"][0] <= _MOST_LEAVES:
        found["text"] = _text(deciding, inside.transformers)
    return found


def _text(tree: Any, transformers: list[Any]) -> str:
    from quire.inspection._as_text import printable
    from quire.inspection._origins import origins_of
    from quire.tree import export_text

    names = origins_of(transformers, tree, tree.n_features_in_).names
    shown = None if names is None else [printable(str(name)).replace("\n", " ") for name in names]
    depth = max(tree.get_depth(), 1)
    text: str = export_text(tree, feature_names=shown, decimals=3, max_depth=depth)
    return text.rstrip("\n")


def trees_in_words(trees: dict[str, Any] | None) -> str:
    """Return one line on number and sizes; nothing if there are no trees.

    Parameters
    ----------
    trees : dict or None
        From :func:`trees_of`.

    Examples
    --------
    >>> trees_in_words({
    ...     "n_trees": 50,
    ...     "leaves": {"least": 90, "mean": 101.5, "most": 120},
    ...     "depth": {"least": 9, "mean": 10.0, "most": 12},
    ... })
    '50, with 90 to 120 leaves (mean 101.5), depth 9 to 12'
    """
    if trees is None:
        return ""
    leaves, depth = trees["leaves"], trees["depth"]
    if trees["n_trees"] == 1:
        noun = "leaf" if leaves["most"] == 1 else "leaves"
        return f"1, with {leaves['most']:,} {noun}, depth {depth['most']}"
    return (
        f"{trees['n_trees']:,}, with {leaves['least']:,} to {leaves['most']:,} leaves "
        f"(mean {leaves['mean']:,.1f}), depth {depth['least']} to {depth['most']}"
    )


def tree_drawing(trees: dict[str, Any] | None) -> list[Any]:
    """Return the text of a small tree; nothing for others.

    Parameters
    ----------
    trees : dict or None
        From :func:`trees_of`.
    """
    from rich.text import Text

    return [Text(trees["text"])] if trees and trees.get("text") else []
