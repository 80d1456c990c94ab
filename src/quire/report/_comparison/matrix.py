"""The confusion matrix on a page: a table whose cells are coloured, ordered and chosen.

Right predictions and errors have a colour and a scale each: errors are few beside what is right,
and would all look alike on one scale. The colour is laid over the paper, the more of it the
stronger, so that more is stronger in light and in dark. The table is complete without a script; a
script orders it anew and counts in shares.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import count
from quire._shared.page.tables import boxed_table
from quire._shared.typing import Ints
from quire.report._comparison.cells import cell_name, cells_html, cells_note

if TYPE_CHECKING:
    from quire.report._comparison.classes import Confusion

__all__ = ["Orders", "matrix_html", "orders_of"]

_FAINT, _STRONG = 0.08, 1.0  # how much of a colour the smallest and the largest count have


@dataclass(frozen=True)
class Orders:
    """Orders of classes: places, first to last.

    Attributes
    ----------
    similar : list of int
        Classes that are taken for each other stand together.
    given : list of int
        As the comparison has them: classes that have an order in this order.
    name, size : list of int
        By name, and the largest first.
    """

    similar: list[int]
    given: list[int]
    name: list[int]
    size: list[int]


def orders_of(counts: Ints, labels: list[str]) -> Orders:
    """Return orders for the classes of a confusion matrix.

    Parameters
    ----------
    counts : ndarray of shape (n_classes, n_classes)
        Rows are true classes.
    labels : list of str
        Their names.
    """
    size = counts.sum(axis=1)
    return Orders(
        similar=_by_similarity(counts),
        given=list(range(len(labels))),
        name=sorted(range(len(labels)), key=lambda k: (*_number_or_name(labels[k]), k)),
        size=np.argsort(-size, kind="stable").tolist(),
    )


def _number_or_name(label: str) -> tuple[int, float, str]:
    """Return a key that sorts numbers by their value, before names."""
    try:
        value = float(label)
    except ValueError:
        return 1, 0.0, label.casefold()
    return (0, value, "") if np.isfinite(value) else (1, 0.0, label.casefold())


def _by_similarity(counts: Ints) -> list[int]:
    """Return an order in which classes stand beside those that they are taken for.

    Similar are two classes of whose documents a large share is taken for the other. They are joined
    from the most similar pair up, by mean similarity, and the branches of the tree are turned so
    that neighbours are as similar as they can be (optimal leaf order).
    """
    n = len(counts)
    if n < 3:
        return list(range(n))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    similar = shares + shares.T
    np.fill_diagonal(similar, 0.0)
    top = float(similar.max())
    if top == 0:
        return list(range(n))
    distance = 1.0 - similar / top
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance), method="average", optimal_ordering=True)
    order: list[int] = leaves_list(tree).tolist()
    return order if order[0] <= order[-1] else order[::-1]


def matrix_html(confusion: Confusion, *, is_ordered: bool) -> Html:
    """Return the figure of a confusion matrix, with documents of its cells.

    Parameters
    ----------
    confusion : Confusion
        The matrix.
    is_ordered : bool
        Whether the classes have an order of their own.
    """
    labels, orders = confusion.labels, confusion.orders
    order = orders.given if is_ordered else orders.similar
    caption = "Rows are true classes, columns predicted ones."
    if confusion.n_classes > len(labels):
        caption += f" The {len(labels)} most confused of {confusion.n_classes} classes are shown."
    if not is_ordered and len(labels) > 2:
        caption += " Classes that are taken for each other stand together."
    return html(
        '<figure id="confusion" class="confusion" aria-labelledby="confusion-title">'
        '<h3 id="confusion-title">Confusion matrix</h3>{choices}{legend}'
        '<p class="note scrolls">This table scrolls sideways; the most frequent errors are listed '
        'below it.</p>{table}<figcaption>{caption} <span class="how">{note}</span></figcaption>'
        "{cells}</figure>",
        choices=_choices(confusion, is_ordered),
        legend=_legend(confusion),
        table=_table(confusion, order),
        caption=caption,
        note=cells_note(confusion),
        cells=cells_html(confusion),
    )


def _choices(confusion: Confusion, is_ordered: bool) -> Html:
    """Return what a script offers: what is shown, and in which order."""
    orders, names = confusion.orders, ["Documents", "Share of the true class, %"]
    names.append("Share of the predicted class, %")
    shown = join(
        html('<option value="{}">{}</option>', value, name)
        for value, name in zip(("counts", "true", "predicted"), names, strict=True)
    )
    known = [("Similar classes together", orders.similar), ("By name", orders.name)]
    known.append(("By size", orders.size))
    if is_ordered:
        known.insert(0, ("In their order", orders.given))
    ordering = NOTHING
    if len(orders.given) > 2:
        options = join(
            html('<option value="{}">{}</option>', " ".join(map(str, order)), name)
            for name, order in known
        )
        ordering = html('<label>Order <select class="order">{}</select></label>', options)
    return html(
        '<div class="controls js"><label>Show <select class="shows">{}</select></label>{}</div>',
        shown,
        ordering,
    )


def _legend(confusion: Confusion) -> Html:
    counts = np.array(confusion.counts)
    right = int(np.diag(counts).max(initial=0))
    wrong = int((counts - np.diag(np.diag(counts))).max(initial=0))

    def scale(kind: str, what: str, most: int) -> Html:
        return html(
            '<span class="scale {kind}"><span>{what}</span> <span class="n">0</span>'
            '<span class="ramp" aria-hidden="true"></span>'
            '<span class="n most">{most}</span></span>',
            kind=kind,
            what=what,
            most=count(most),
        )

    scales = [scale("right", "right", right), scale("wrong", "wrong", wrong)]
    return html('<p class="legend">{} <span class="unit">documents</span></p>', join(scales))


def _table(confusion: Confusion, order: list[int]) -> Html:
    labels, counts = confusion.labels, np.array(confusion.counts)
    linked = {
        (cell.truth, cell.predicted): cell_name(cell) for cell in confusion.cells if cell.documents
    }
    strength = _strength(counts)
    heads = [html('<th class="corner" scope="col">True class \\ predicted</th>')]
    heads += [_head(k, labels[k], confusion.predicted_totals[k], "col") for k in order]
    rows = []
    for a in order:
        cells = [
            _cell(int(counts[a, b]), float(strength[a, b]), a == b, linked.get((a, b)))
            for b in order
        ]
        head = _head(a, labels[a], confusion.true_totals[a], "row")
        rows.append(html("<tr>{}{}</tr>", head, join(cells)))
    box = boxed_table(heads, rows, "Confusion matrix", kind=f"matrix {_size(len(labels))}")
    return html('<div class="matrix-box">{}</div>', box)


def _size(n: int) -> str:
    """Return the CSS class of how large the type of a matrix can be."""
    return "few" if n <= 6 else "some" if n <= 14 else "many" if n <= 26 else "most"


def _head(place: int, label: str, total: int, scope: str) -> Html:
    return html(
        '<th scope="{scope}" title="{label}" data-place="{place}" data-total="{total}">'
        '<span dir="auto">{label}</span></th>',
        scope=scope,
        label=label,
        place=place,
        total=total,
    )


def _strength(counts: Ints) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return how strong the colour of each cell is: 0 for none, and 1 for the largest of a kind."""
    is_right = np.eye(len(counts), dtype=bool)
    most = [max(int(counts[kind].max(initial=0)), 1) for kind in (~is_right, is_right)]
    share = counts / np.where(is_right, most[1], most[0])
    return np.where(counts > 0, _FAINT + (_STRONG - _FAINT) * share, 0.0)


def _cell(times: int, strength: float, is_right: bool, name: str | None) -> Html:
    kind = ["right" if is_right else "wrong", *_shades(strength), *_none(times)]
    inside = html("{}", count(times))
    if name is not None:
        inside = html('<a href="#{}">{}</a>', name, inside)
    return html(
        '<td class="{}" data-count="{}" style="--s:{:.3f}">{}</td>',
        " ".join(kind),
        times,
        strength,
        inside,
    )


def _none(times: int) -> Iterable[str]:
    return () if times else ("zero",)


def _shades(strength: float) -> Iterable[str]:
    """Return the CSS classes of colours so strong that type on them has to change."""
    return [name for name, least in (("deep", 0.68), ("deeper", 0.8)) if strength >= least]
