"""A picture of a tree that needs no programming to read: questions, answers, shares as bars.

The root stands at the left and its leaves below each other at the right, so that the picture is as
wide as the tree is deep, whatever the number of its leaves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.replaced_file import replaced_file
from quire._shared.text_width import text_width, wrapped
from quire.tree._text import node_sets

__all__ = ["TreePicture", "tree_picture"]

_SIZE = 12.0  # of letters
_LINE = 16
_PAD = 9
_LEAST, _MOST = 118.0, 196.0  # width of what is written in a box
_LINES = 3  # of a question or a class
_BAR = 9
_GAP_X, _GAP_Y = 58, 12
_N_COLOURS = 8
_LETTER_HEIGHT = 11

# The colours of quire's pages, for themselves: a picture is also a file that other programs show.
_STYLE = Html("""
.quire-tree { background: #fff; }
.quire-tree .box { fill: #fff; stroke: #8a939c; } .quire-tree .leaf { fill: #f1f4f7; }
.quire-tree text { fill: #1b1f24; } .quire-tree .soft { fill: #5a6470; }
.quire-tree .way { stroke: #a9b2bb; fill: none; } .quire-tree .rest { fill: #d5dae0; }
.quire-tree .answer { stroke: #fff; stroke-width: 4px; paint-order: stroke; }
.quire-tree .k0 { fill: #0072b2; } .quire-tree .k1 { fill: #d55e00; }
.quire-tree .k2 { fill: #00805f; } .quire-tree .k3 { fill: #b0518a; }
.quire-tree .k4 { fill: #4d4d4d; } .quire-tree .k5 { fill: #56b4e9; }
.quire-tree .k6 { fill: #b07800; } .quire-tree .k7 { fill: #6a4fb0; }
@media (prefers-color-scheme: dark) {
.quire-tree { background: #14171b; }
.quire-tree .box { fill: #14171b; stroke: #77828d; } .quire-tree .leaf { fill: #242b33; }
.quire-tree text { fill: #e8ebee; } .quire-tree .soft { fill: #a3adb8; }
.quire-tree .way { stroke: #56616c; } .quire-tree .rest { fill: #39414b; }
.quire-tree .answer { stroke: #14171b; }
.quire-tree .k0 { fill: #56a9e0; } .quire-tree .k1 { fill: #f08a45; }
.quire-tree .k2 { fill: #3fc49c; } .quire-tree .k3 { fill: #e291c0; }
.quire-tree .k4 { fill: #c8ccd0; } .quire-tree .k5 { fill: #9ad4f5; }
.quire-tree .k6 { fill: #e8b84a; } .quire-tree .k7 { fill: #b09cf0; }
}
""")
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
body {{ margin: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff; }}
svg {{ max-width: 100%; height: auto; }}
h1 {{ font-size: 1.2rem; font-weight: 600; }}
ul {{ padding-left: 1.1rem; }}
.words {{ overflow-wrap: anywhere; }}
@media (max-width: 44rem) {{ figure {{ display: none; }} details > summary {{ display: none; }} }}
@media (prefers-color-scheme: dark) {{ body {{ color: #e8ebee; background: #14171b; }} }}
figure {{ margin: 0 0 1rem; }}
</style></head>
<body><h1 dir="auto">{title}</h1>
<figure>{svg}</figure>
<details open class="words"><summary>The tree in words</summary>
<ul>{words}</ul></details>
</body></html>
"""


@dataclass(frozen=True)
class TreePicture:
    """A picture of a tree: shown by notebooks, saved with :meth:`save`.

    It follows the light or dark scheme of where it is shown.

    Attributes
    ----------
    svg : str
        The drawing.
    title : str
        What it shows, in words.
    words : str
        The same questions and answers as a list of HTML, for narrow screens and for those who do
        not see the drawing.
    """

    svg: str = field(repr=False)
    title: str
    words: str = field(repr=False, default="")

    def _repr_svg_(self) -> str:
        return self.svg

    def to_html(self) -> str:
        """Return a page that opens without a network; on a phone it has the tree in words."""
        return str(html(_PAGE, title=self.title, svg=Html(self.svg), words=Html(self.words)))

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
    counts: bool | None = None,
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
        Whether columns are words: questions are then about what a text contains.
    counts : bool, default=None
        Whether columns hold whole numbers: a question is then "at least 2" and not "more than 1.5".
        ``None`` takes `terms` for counts if every threshold lies where those of counts do, in the
        middle between whole numbers or on one.

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
    drawing = _Drawing(_Words(tree, names, terms=terms, counts=counts), max_depth)
    n_leaves = int(tree.tree_.n_leaves)
    n_samples = int(tree.tree_.n_node_samples[0])
    leaves, samples = _counted(n_leaves, "leaf", "leaves"), _counted(n_samples, "sample")
    title = f"A tree with {leaves}, grown on {samples}"
    return TreePicture(str(drawing.svg(title)), title, str(drawing.in_words()))


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


def _counted(number: int, one: str, several: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"


class _Words:
    """What is said of the nodes of a tree."""

    def __init__(self, tree: Any, names: list[str], *, terms: bool, counts: bool | None) -> None:
        self.nodes = tree.tree_
        self.classes = [str(c) for c in tree.classes_] if is_classifier(tree) else None
        self._names, self._terms = names, terms
        self._sets = node_sets(tree)
        self._counts = (terms and self._halves()) if counts is None else counts
        values = self.nodes.value[:, 0, 0]
        self.range = float(values.min()), float(values.max())

    def _halves(self) -> bool:
        """Return whether all thresholds lie where those of whole numbers can."""
        asked = self.nodes.threshold[self.nodes.children_left >= 0]
        asked = asked[np.isfinite(asked)]
        return bool(asked.size and np.all(asked * 2 == np.round(asked * 2)) and asked.min() > 0)

    def largest(self, most: int) -> list[int]:
        """Return the classes that most samples have, in their own order."""
        if self.classes is None:
            return []
        return sorted(np.argsort(-self.nodes.value[0, 0], kind="stable")[:most].tolist())

    def is_leaf(self, node: int) -> bool:
        return bool(self.nodes.children_left[node] < 0)

    def children(self, node: int) -> tuple[int, int]:
        return int(self.nodes.children_left[node]), int(self.nodes.children_right[node])

    def question(self, node: int) -> str:
        name = self._names[self.nodes.feature[node]]
        threshold = float(self.nodes.threshold[node])
        if node in self._sets:
            return f"{name} is one of {', '.join(self._sets[node][1])}?"
        if np.isinf(threshold):
            return f"{name} missing?"
        if self._counts:
            least = int(np.floor(threshold)) + 1
            if not self._terms:
                return f"{name} at least {least:,}?"
            return f"contains '{name}' at least {'once' if least == 1 else f'{least:,} times'}?"
        if self._terms:
            return f"weight of '{name}' above {threshold:.3g}?"
        return f"{name} more than {threshold:.4g}?"

    def answer(self, node: int) -> str:
        value = self.nodes.value[node, 0]
        if self.classes is None:
            return f"{value[0]:.4g}"
        return self.classes[int(np.argmax(value))]

    def size(self, node: int) -> str:
        return _counted(int(self.nodes.n_node_samples[node]), "sample")

    def below(self, node: int) -> str:
        """Return how many questions are not drawn, from this node on."""
        n_questions, stack = 0, [node]
        while stack:
            one = stack.pop()
            if not self.is_leaf(one):
                n_questions += 1
                stack += self.children(one)
        return "" if not n_questions else f"{_counted(n_questions, 'question')} more below"

    def shares(self, node: int) -> str:
        value = self.nodes.value[node, 0]
        if self.classes is None:
            return f"mean {value[0]:.6g}"
        shares = value / value.sum()
        order = np.argsort(-shares, kind="stable")[:8]
        return ", ".join(f"{self.classes[k]} {shares[k]:.0%}" for k in order if shares[k] > 0)


@dataclass
class _Box:
    """A node where it stands."""

    lines: list[str]
    notes: list[str]
    depth: int
    x: float = 0.0
    y: float = 0.0  # of its middle

    @property
    def height(self) -> float:
        return 2 * _PAD + _LINE * (len(self.lines) + len(self.notes)) + _BAR + 2

    @property
    def inner(self) -> float:
        wide = [text_width(line, _SIZE, bold=True) for line in self.lines]
        return max([*wide, *(text_width(note, _SIZE) for note in self.notes), _LEAST])


class _Drawing:
    """Boxes at their places: a level beside the other, leaves below each other."""

    def __init__(self, words: _Words, max_depth: int) -> None:
        self._words, self._max_depth = words, max_depth
        self._coloured = words.largest(_N_COLOURS)
        self._boxes: dict[int, _Box] = {}
        self._widths: list[float] = []
        self._height = self._lay_out()

    def _drawn_children(self, node: int, depth: int) -> tuple[int, ...]:
        if self._words.is_leaf(node) or depth >= self._max_depth:
            return ()
        return self._words.children(node)

    def _box_of(self, node: int, depth: int) -> _Box:
        words = self._words
        first = words.answer(node) if words.is_leaf(node) else words.question(node)
        lines = wrapped(first, _MOST, _LINES, _SIZE, bold=True)
        hidden = "" if self._drawn_children(node, depth) else words.below(node)
        notes = [words.size(node), *([hidden] if hidden else [])]
        return _Box(lines, notes, depth)

    def _lay_out(self) -> float:
        next_y = 0.0
        stack = [(0, 0, False)]
        while stack:
            node, depth, is_done = stack.pop()
            children = self._drawn_children(node, depth)
            if not is_done:
                self._boxes[node] = self._box_of(node, depth)
            box = self._boxes[node]
            if not children:
                box.y = next_y + box.height / 2
                next_y += box.height + _GAP_Y
            elif is_done:
                box.y = sum(self._boxes[child].y for child in children) / 2
            else:
                stack.append((node, depth, True))
                stack += [(child, depth + 1, False) for child in reversed(children)]
        self._keep_apart()
        n_levels = max(box.depth for box in self._boxes.values()) + 1
        inner = [0.0] * n_levels
        for box in self._boxes.values():
            inner[box.depth] = max(inner[box.depth], box.inner)
        self._widths = [width + 2 * _PAD for width in inner]
        for box in self._boxes.values():
            box.x = sum(self._widths[: box.depth]) + _GAP_X * box.depth
        return max(box.y + box.height / 2 for box in self._boxes.values())

    def _keep_apart(self) -> None:
        """Move the picture down if a tall box in the middle reaches above its top."""
        top = min(box.y - box.height / 2 for box in self._boxes.values())
        for box in self._boxes.values():
            box.y -= top

    def svg(self, title: str) -> Html:
        width = sum(self._widths) + _GAP_X * (len(self._widths) - 1) + 2
        legend, legend_height = self._legend(width)
        height = self._height + 2 + legend_height
        parts = [self._ways(node) for node in sorted(self._boxes)]
        parts += [self._drawn(node) for node in sorted(self._boxes)]
        return html(
            '<svg xmlns="http://www.w3.org/2000/svg" class="quire-tree" '
            'viewBox="-1 -1 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
            'style="max-width:100%;height:auto" role="img" font-family="sans-serif" '
            'font-size="{size:g}"><title>{title}</title>\n<style>{style}</style>\n{parts}\n'
            '<g transform="translate(0 {below:.0f})">{legend}</g></svg>',
            width=width + 1,
            height=height + 1,
            size=_SIZE,
            title=title,
            style=_STYLE,
            parts=join(parts, html("\n")),
            below=self._height + 12,
            legend=legend,
        )

    def _ways(self, node: int) -> Html:
        """Return the lines to the answers: the more samples take one, the wider it is."""
        box = self._boxes[node]
        whole = float(self._words.nodes.n_node_samples[0])
        ways = []
        children = self._drawn_children(node, box.depth)
        for child, answer in zip(children, ("no", "yes"), strict=False):
            end = self._boxes[child]
            x1, x2 = box.x + self._widths[box.depth], end.x
            middle = (x1 + x2) / 2
            share = float(self._words.nodes.n_node_samples[child]) / whole
            ways.append(
                html(
                    '<path class="way" d="M{:.0f} {:.1f}C{:.0f} {:.1f} {:.0f} {:.1f} {:.0f} {:.1f}"'
                    ' stroke="#a9b2bb" fill="none" stroke-width="{:.2f}"/>'
                    '<text class="answer" x="{:.0f}" y="{:.1f}" text-anchor="end">{}</text>',
                    *(x1, box.y, middle, box.y, middle, end.y, x2, end.y),
                    1.0 + 7.0 * share,
                    x2 - 6,
                    end.y - 5,
                    answer,
                )
            )
        return join(ways)

    def _drawn(self, node: int) -> Html:
        box, words = self._boxes[node], self._words
        width = self._widths[box.depth]
        lines = [
            html(
                '<text x="{}" y="{}" font-weight="600">{}</text>',
                _PAD,
                _PAD + _LETTER_HEIGHT + _LINE * number,
                line,
            )
            for number, line in enumerate(box.lines)
        ]
        lines += [
            html(
                '<text class="soft" x="{}" y="{}">{}</text>',
                _PAD,
                _PAD + _LETTER_HEIGHT + _LINE * number,
                line,
            )
            for number, line in enumerate(box.notes, start=len(box.lines))
        ]
        asked = "" if words.is_leaf(node) else f"{words.question(node)} "
        return html(
            '<g transform="translate({:.0f} {:.1f})"><title>{}{}</title><rect class="{}" '
            'width="{:.0f}" height="{:.0f}" rx="6" fill="#fff" stroke="#8a939c"/>{}{}</g>',
            box.x,
            box.y - box.height / 2,
            asked,
            words.shares(node),
            "box leaf" if words.is_leaf(node) else "box",
            width,
            box.height,
            join(lines),
            self._bar(node, width - 2 * _PAD, box.height - _PAD - _BAR),
        )

    def _bar(self, node: int, room: float, y: float) -> Html:
        """Class shares side by side, or where a mean lies between the smallest and the largest."""
        words = self._words
        value = words.nodes.value[node, 0]
        if words.classes is None:
            low, high = words.range
            at = 0.5 if high == low else (value[0] - low) / (high - low)
            return html(
                '<rect class="rest" x="{}" y="{:.0f}" width="{:.0f}" height="4" rx="2"/>'
                '<circle class="k0" cx="{:.1f}" cy="{:.0f}" r="5"/>',
                _PAD,
                y + 3,
                room,
                _PAD + at * room,
                y + 5,
            )
        shares = value / value.sum()
        begin, parts = float(_PAD), []
        for k in np.flatnonzero(shares > 0):
            size = float(shares[k]) * room
            parts.append(
                html(
                    '<rect class="{}" x="{:.2f}" y="{:.0f}" width="{:.2f}" height="{}"/>',
                    self._colour(int(k)),
                    begin,
                    y,
                    size,
                    _BAR,
                )
            )
            begin += size
        return join(parts)

    def _colour(self, number: int) -> str:
        """Return the colour of a class; all but the eight largest share one."""
        return f"k{self._coloured.index(number)}" if number in self._coloured else "rest"

    def _legend(self, width: float) -> tuple[Html, float]:
        """Return the colours of the classes in lines, and how much room they take."""
        classes = self._words.classes
        if classes is None:
            return NOTHING, 0.0
        entries = [(classes[number], self._colour(number)) for number in self._coloured]
        more = len(classes) - _N_COLOURS
        if more > 0:
            entries.append((_counted(more, "other class", "other classes"), "rest"))
        x, y, parts = 0.0, 0, []
        for name, colour in entries:
            line = wrapped(name, min(_MOST, width - 20), 1, _SIZE)[0]
            size = 34 + text_width(line, _SIZE)
            if x and x + size - 16 > width:
                x, y = 0.0, y + 20
            parts.append(
                html(
                    '<rect class="{}" x="{:.0f}" y="{}" width="12" height="12"/>'
                    '<text x="{:.0f}" y="{}">{}</text>',
                    colour,
                    x,
                    y,
                    x + 17,
                    y + 11,
                    line,
                )
            )
            x += size
        return join(parts), y + 28.0

    def in_words(self) -> Html:
        """Return the tree as lists inside of lists."""
        words = self._words
        written: dict[int, Html] = {}
        for node in sorted(self._boxes, key=lambda one: -self._boxes[one].depth):
            children = self._drawn_children(node, self._boxes[node].depth)
            said = f"{words.size(node)}: {words.shares(node)}"
            if children:
                inner = join(
                    html("<li>{}: {}</li>", answer, written[child])
                    for child, answer in zip(children, ("no", "yes"), strict=True)
                )
                written[node] = html("{} ({})<ul>{}</ul>", words.question(node), said, inner)
            elif words.is_leaf(node):
                written[node] = html("<b>{}</b> ({})", words.answer(node), said)
            else:
                written[node] = html("{} ({}; {})", words.answer(node), said, words.below(node))
        return html("<li>{}</li>", written[0])
