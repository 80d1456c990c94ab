"""A picture of a tree that needs no programming to read: questions, answers, shares as bars."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from quire._shared.replaced_file import replaced_file
from quire.tree._text import node_sets

__all__ = ["TreePicture", "tree_picture"]

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y = 230, 76, 18, 46
_LONGEST = 36  # characters of a line in a box
_COLORS = "#4269d0 #efb118 #ff725c #6cc5b0 #3ca951 #ff8ab7 #a463f2 #97bbf5 #9c6b4e #9498a0".split()


@dataclass(frozen=True)
class TreePicture:
    """A picture of a tree: shown by notebooks, saved with :meth:`save`.

    Attributes
    ----------
    svg : str
        The drawing.
    title : str
        What it shows, in words.
    """

    svg: str = field(repr=False)
    title: str

    def _repr_svg_(self) -> str:
        return self.svg

    def to_html(self) -> str:
        """Return a page that opens without a network."""
        return (
            "<!doctype html>\n<html lang='en'><meta charset='utf-8'>"
            f"<title>{escape(self.title)}</title>"
            "<body style='margin:1rem;font-family:sans-serif;background:#fff'>"
            f"{self.svg}</body></html>\n"
        )

    def save(self, path: str | Path) -> Path:
        """Write the picture: a page if the name ends in ``.html``, else the drawing.

        Parameters
        ----------
        path : str or Path
            Where to.

        Returns
        -------
        Path
            The file.
        """
        target = Path(path)
        text = self.to_html() if target.suffix.lower() in (".html", ".htm") else self.svg
        with replaced_file(target) as file:
            file.write(text.encode())
        return target


def tree_picture(
    tree: Any,
    *,
    feature_names: Any = None,
    max_depth: int = 4,
    terms: bool = False,
) -> TreePicture:
    """Draw a fitted tree.

    Parameters
    ----------
    tree : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree of one output, ours or scikit-learn's.
    feature_names : array-like of str, default=None
        Names of the columns; ``None`` means those the tree was fitted with, or "column 3".
    max_depth : int, default=4
        How many levels of questions are drawn.
    terms : bool, default=False
        Whether columns are weights of words: questions are then about what a text contains.

    Returns
    -------
    TreePicture
        With ``svg``, and ``save``.

    Raises
    ------
    ValueError
        If the tree has several outputs, or names are too few.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from quire.tree import DecisionTreeClassifier, tree_picture
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> picture = tree_picture(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    >>> picture
    TreePicture(title='A tree with 3 leaves, grown on 150 samples')
    """
    check_is_fitted(tree)
    if tree.n_outputs_ != 1:
        raise ValueError(f"The tree has {tree.n_outputs_} outputs; a picture shows one.")
    names = _names(tree, feature_names)
    drawing = _Drawing(tree, names, max_depth, terms)
    nodes = tree.tree_
    title = f"A tree with {nodes.n_leaves} leaves, grown on {nodes.n_node_samples[0]:,} samples"
    return TreePicture(drawing.svg(title), title)


def _names(tree: Any, given: Any) -> list[str]:
    if given is None:
        given = getattr(tree, "feature_names_in_", None)
    if given is None:
        return [f"column {j}" for j in range(tree.n_features_in_)]
    names = [str(name) for name in given]
    if len(names) != tree.n_features_in_:
        raise ValueError(
            f"feature_names has {len(names)} names; the tree was fitted on {tree.n_features_in_} "
            "columns. Give one name for each."
        )
    return names


class _Drawing:
    """Boxes at their places, leaves side by side and parents above the middle of their children."""

    def __init__(self, tree: Any, names: list[str], max_depth: int, terms: bool) -> None:
        self._nodes = tree.tree_
        self._names, self._max_depth, self._terms = names, max_depth, terms
        self._sets = node_sets(tree)
        self._classes = [str(c) for c in tree.classes_] if is_classifier(tree) else None
        values = self._nodes.value[:, 0, 0]
        self._range = float(values.min()), float(values.max())
        self._place: dict[int, tuple[float, int]] = {}  # of a node: x, depth
        self._lay_out()

    def _children(self, node: int, depth: int) -> tuple[int, int] | None:
        left, right = self._nodes.children_left[node], self._nodes.children_right[node]
        return None if left < 0 or depth >= self._max_depth else (int(left), int(right))

    def _lay_out(self) -> None:
        next_x = 0.0
        stack = [(0, 0, False)]
        while stack:
            node, depth, is_done = stack.pop()
            children = self._children(node, depth)
            if children is None:
                self._place[node] = next_x, depth
                next_x += _WIDTH + _GAP_X
            elif is_done:
                self._place[node] = sum(self._place[c][0] for c in children) / 2, depth
            else:
                stack.append((node, depth, True))
                stack += [(child, depth + 1, False) for child in reversed(children)]

    def svg(self, title: str) -> str:
        width = max(x for x, _ in self._place.values()) + _WIDTH + 2
        depth = max(d for _, d in self._place.values())
        legend = self._legend()
        height = (depth + 1) * (_HEIGHT + _GAP_Y) - _GAP_Y + (30 if legend else 2)
        parts = [self._edges(node) + self._box(node) for node in sorted(self._place)]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}" role="img" font-family="sans-serif" '
            f'font-size="12"><title>{escape(title)}</title>\n'
            + "\n".join(parts)
            + f'\n<g transform="translate(0 {height - 16:g})">{legend}</g></svg>'
        )

    def _edges(self, node: int) -> str:
        x, depth = self._place[node]
        lines = []
        for child, answer in zip(self._children(node, depth) or (), ("no", "yes"), strict=False):
            to_x, to_depth = self._place[child]
            x1, y1 = x + _WIDTH / 2, depth * (_HEIGHT + _GAP_Y) + _HEIGHT
            x2, y2 = to_x + _WIDTH / 2, to_depth * (_HEIGHT + _GAP_Y)
            lines.append(
                f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="#888" fill="none"/>'
                f'<text x="{(x1 + x2) / 2:g}" y="{(y1 + y2) / 2:g}" text-anchor="middle" '
                f'stroke="#fff" stroke-width="4" paint-order="stroke" fill="#333">{answer}</text>'
            )
        return "".join(lines)

    def _box(self, node: int) -> str:
        x, depth = self._place[node]
        is_leaf = self._nodes.children_left[node] < 0
        first = self._answer(node) if is_leaf else self._question(node)
        more = "" if is_leaf or self._children(node, depth) else ", and more below"
        samples = f"{self._nodes.n_node_samples[node]:,} samples{more}"
        return (
            f'<g transform="translate({x:g} {depth * (_HEIGHT + _GAP_Y):g})">'
            f"<title>{escape(self._describe(node))}</title>"
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="6" '
            f'fill="{"#f2f6ee" if is_leaf else "#fff"}" stroke="#888"/>'
            f'<text x="10" y="20" font-weight="600" fill="#111">{escape(_short(first))}</text>'
            f'<text x="10" y="38" fill="#444">{samples}</text>'
            f"{self._bar(node)}</g>"
        )

    def _question(self, node: int) -> str:
        name = self._names[self._nodes.feature[node]]
        threshold = self._nodes.threshold[node]
        if node in self._sets:
            return f"{name} is one of {', '.join(self._sets[node][1])}?"
        if np.isinf(threshold):
            form = "{} missing?"
        elif self._terms:
            form = f"contains '{{}}' more than {threshold:.3g}?"
        else:
            form = f"{{}} more than {threshold:.4g}?"
        return form.format(_short(name, _LONGEST + 2 - len(form)))

    def _answer(self, node: int) -> str:
        value = self._nodes.value[node, 0]
        if self._classes is None:
            return f"{value[0]:.4g}"
        return self._classes[int(np.argmax(value))]

    def _describe(self, node: int) -> str:
        """Return what a pointer over the box shows."""
        question = f"{self._question(node)} " if node in self._sets else ""
        return question + self._shares(node)

    def _shares(self, node: int) -> str:
        value = self._nodes.value[node, 0]
        if self._classes is None:
            return f"mean {value[0]:.6g}"
        order = np.argsort(-value, kind="stable")[:8]
        return ", ".join(f"{self._classes[k]} {value[k]:.0%}" for k in order if value[k] > 0)

    def _bar(self, node: int) -> str:
        """Class shares side by side, or where a mean lies between the smallest and the largest."""
        value, room = self._nodes.value[node, 0], _WIDTH - 20
        if self._classes is None:
            low, high = self._range
            at = 0.5 if high == low else (value[0] - low) / (high - low)
            return (
                f'<rect x="10" y="54" width="{room}" height="4" fill="#ddd"/>'
                f'<circle cx="{10 + at * room:.4g}" cy="56" r="6" fill="{_COLORS[0]}"/>'
            )
        shares = value / value.sum()
        begin, parts = 10.0, []
        for k in np.flatnonzero(shares > 0):
            size = shares[k] * room
            color = _COLORS[k % len(_COLORS)]
            parts.append(
                f'<rect x="{begin:.5g}" y="48" width="{size:.5g}" height="16" fill="{color}"/>'
            )
            begin += size
        return "".join(parts)

    def _legend(self) -> str:
        """Return the colours of the classes, if they are few enough to be told apart."""
        if self._classes is None or len(self._classes) > len(_COLORS):
            return ""
        x, parts = 0, []
        for name, color in zip(self._classes, _COLORS, strict=False):
            parts.append(
                f'<rect x="{x}" y="0" width="12" height="12" fill="{color}"/>'
                f'<text x="{x + 17}" y="11" fill="#333">{escape(_short(name, 18))}</text>'
            )
            x += 34 + 7 * min(len(name), 18)
        return "".join(parts)


def _short(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
