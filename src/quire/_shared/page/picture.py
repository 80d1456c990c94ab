"""Small pictures as SVG, drawn by Python: no library, and colours that follow the page.

A :class:`Picture` has a plane with axes, and what is drawn on it is given in the numbers of the
plane. Colours are numbers from 0 (``var(--c1)`` of the page and so on, told apart by people who do
not see all colours) or names of the page's own: ``"ink"``, ``"soft"``, ``"line"``, ``"paper"``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from quire._shared.page.contours import contour_lines
from quire._shared.page.html import NOTHING, Html, html, join

__all__ = ["Picture", "bars", "legend", "span", "ticks"]

Colour = int | str
Pair = tuple[float, float]

_N_COLOURS = 8
_LETTER = 6.6  # about the width of a letter, in units of the picture
_LONGEST = 18  # letters of a name beside a bar
_SHAPES = 4


def _paint(colour: Colour) -> str:
    name = colour if isinstance(colour, str) else f"c{colour % _N_COLOURS + 1}"
    return f"var(--{name})"


def span(values: Any, margin: float = 0.08) -> Pair:
    """Return a range that holds all values, and a margin on both sides.

    Examples
    --------
    >>> span([0, 10], margin=0.1)
    (-1.0, 11.0)
    """
    numbers = np.asarray(values, dtype=float)
    numbers = numbers[np.isfinite(numbers)]
    low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 1.0)
    room = (high - low) * margin if high > low else max(abs(low), 1.0) * 0.5
    return low - room, high + room


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between two numbers: steps of 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> ticks(0, 1), ticks(-3.2, 11)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 5.0, 10.0])
    """
    if not high > low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(k * power for k in (1, 2, 5, 10) if k * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, -math.floor(math.log10(step)))
    return [round(k * step, digits) + 0.0 for k in range(first, last + 1)]


def _short(number: float) -> str:
    return f"{number:g}".replace("-", "−")


class Picture:
    """A plane with axes, and what is drawn on it, in order.

    Parameters
    ----------
    label : str
        What there is to see, for people who do not.
    x, y : (float, float)
        The range of each axis.
    x_title, y_title : str, default=""
        Names of the axes.
    width, height : int, default=400, 300
        Size in its own units: letters have 12 of them, and a phone shows it a little smaller.
    x_ticks, y_ticks : sequence of float or of (float, str), default=None
        Where the axes have numbers; round ones if ``None``, and none at all if empty.
    same_scale : bool, default=False
        Widen one of the ranges, so that a step to the right is as long as one upward.
    axes : bool, default=True
        Whether there are axes; without them the plane fills the picture.
    """

    def __init__(
        self,
        label: str,
        x: Pair,
        y: Pair,
        *,
        x_title: str = "",
        y_title: str = "",
        width: int = 400,
        height: int = 300,
        x_ticks: Sequence[Any] | None = None,
        y_ticks: Sequence[Any] | None = None,
        same_scale: bool = False,
        axes: bool = True,
    ) -> None:
        self._label = label
        self._width, self._height = width, height
        has_y = y_ticks is None or len(y_ticks) > 0
        has_x = x_ticks is None or len(x_ticks) > 0
        self._left = 8 + (34 if has_y else 0) + (16 if y_title else 0)
        self._bottom = 8 + (16 if has_x else 0) + (18 if x_title else 0)
        self._right, self._top = 10, 10
        if not axes:
            self._left = self._bottom = 10
        if same_scale:
            x, y = self._widened(x, y)
        self.x, self.y = x, y
        self._parts: list[Html] = []
        self._axes = self._drawn_axes(x_ticks, y_ticks, x_title, y_title) if axes else []

    def _widened(self, x: Pair, y: Pair) -> tuple[Pair, Pair]:
        across = (x[1] - x[0]) / (self._width - self._left - self._right)
        upward = (y[1] - y[0]) / (self._height - self._top - self._bottom)
        scale = max(across, upward)

        def widened(pair: Pair, by: float) -> Pair:
            more = (pair[1] - pair[0]) * (by - 1) / 2
            return pair[0] - more, pair[1] + more

        return widened(x, scale / across), widened(y, scale / upward)

    def at(self, x: float, y: float) -> Pair:
        """Return where a point of the plane is in the picture."""
        inner = self._width - self._left - self._right
        tall = self._height - self._top - self._bottom
        across = self._left + (x - self.x[0]) / (self.x[1] - self.x[0]) * inner
        down = self._top + (self.y[1] - y) / (self.y[1] - self.y[0]) * tall
        return across, down

    def _drawn_axes(self, x_ticks: Any, y_ticks: Any, x_title: str, y_title: str) -> list[Html]:
        floor = self._height - self._bottom
        end = self._width - self._right
        lines, across, upward = [], [], []
        for value, shown in _named(x_ticks, self.x):
            place, _ = self.at(value, self.y[0])
            lines.append(f"M{place:.1f} {self._top}V{floor}")
            across.append(html('<text x="{:.1f}" y="{}">{}</text>', place, floor + 15, shown))
        for value, shown in _named(y_ticks, self.y):
            _, place = self.at(self.x[0], value)
            lines.append(f"M{self._left} {place:.1f}H{end}")
            upward.append(
                html('<text x="{}" y="{:.1f}">{}</text>', self._left - 5, place + 4, shown)
            )
        parts = [
            html(
                '<path d="{}" stroke="var(--line)" opacity=".6"/>'
                '<g fill="var(--soft)"><g text-anchor="middle">{}</g>'
                '<g text-anchor="end">{}</g></g>'
                '<path d="M{} {}V{}H{}" fill="none" stroke="var(--soft)"/>',
                "".join(lines),
                join(across),
                join(upward),
                self._left,
                self._top,
                floor,
                end,
            )
        ]
        if x_title:
            middle = (self._left + end) / 2
            parts.append(
                html(
                    '<text x="{:.0f}" y="{}" text-anchor="middle" fill="var(--ink)">{}</text>',
                    middle,
                    self._height - 5,
                    x_title,
                )
            )
        if y_title:
            middle = (self._top + floor) / 2
            parts.append(
                html(
                    '<text transform="translate(13 {:.0f}) rotate(-90)" text-anchor="middle" '
                    'fill="var(--ink)">{}</text>',
                    middle,
                    y_title,
                )
            )
        return parts

    def points(
        self,
        xy: Any,
        colours: Colour | Sequence[Colour] = 0,
        *,
        size: float = 4.0,
        shapes: Sequence[int] | int = 0,
        opacity: float = 1.0,
        outlined: bool = False,
    ) -> None:
        """Draw points: circles, squares, triangles or diamonds by the numbers in `shapes`."""
        places = np.asarray(xy, dtype=float).reshape(-1, 2)
        paints = [colours] * len(places) if isinstance(colours, int | str) else list(colours)
        forms = [shapes] * len(places) if isinstance(shapes, int) else list(shapes)
        groups: dict[tuple[Colour, int], list[str]] = {}
        for (x, y), paint, form in zip(places, paints, forms, strict=True):
            if math.isfinite(x) and math.isfinite(y):
                one = _shape(form % _SHAPES, *self.at(x, y), size)
                groups.setdefault((paint, form % _SHAPES), []).append(one)
        for (paint, form), shown in groups.items():
            path = "".join(shown)
            if outlined:
                self._parts.append(_marks(path, form, "var(--ink)", size, 3.0, 1.0))
            self._parts.append(_marks(path, form, _paint(paint), size, 0.0, opacity))

    def line(
        self,
        xy: Any,
        colour: Colour = 0,
        *,
        width: float = 2.0,
        dashes: str = "",
        opacity: float = 1.0,
        closed: bool = False,
        fill: float = 0.0,
    ) -> None:
        """Draw a line through points; `fill` is how strongly the inside is coloured."""
        places = [self.at(x, y) for x, y in np.asarray(xy, dtype=float).reshape(-1, 2)]
        if not places:
            return
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places) + ("Z" if closed else "")
        self._parts.append(
            html(
                '<path d="{path}" fill="{fill}" fill-opacity="{depth:g}" stroke="{paint}" '
                'stroke-width="{width:g}" stroke-linejoin="round" opacity="{opacity:g}"{dashes}/>',
                path=path,
                fill=_paint(colour) if fill else "none",
                depth=fill,
                paint=_paint(colour),
                width=width,
                opacity=opacity,
                dashes=html(' stroke-dasharray="{}"', dashes) if dashes else NOTHING,
            )
        )

    def segments(
        self,
        starts: Any,
        ends: Any,
        colour: Colour = "soft",
        *,
        width: float = 1.0,
        dashes: str = "",
        opacity: float = 1.0,
    ) -> None:
        """Draw a line from each start to its end."""
        parts = []
        for (x0, y0), (x1, y1) in zip(
            np.asarray(starts, dtype=float).reshape(-1, 2),
            np.asarray(ends, dtype=float).reshape(-1, 2),
            strict=True,
        ):
            a, b = self.at(x0, y0), self.at(x1, y1)
            parts.append(f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}")
        self._parts.append(
            html(
                '<path d="{}" fill="none" stroke="{}" stroke-width="{:g}" opacity="{:g}"{}/>',
                "".join(parts),
                _paint(colour),
                width,
                opacity,
                html(' stroke-dasharray="{}"', dashes) if dashes else NOTHING,
            )
        )

    def arrow(self, start: Any, end: Any, colour: Colour = "ink", *, width: float = 2.0) -> None:
        """Draw an arrow."""
        (x0, y0), (x1, y1) = self.at(*start), self.at(*end)
        length = math.hypot(x1 - x0, y1 - y0)
        if length < 1e-6:
            return
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        back = min(9.0, length)
        bx, by = x1 - back * dx, y1 - back * dy
        head = (
            f"M{x1:.1f} {y1:.1f}L{bx - 4 * dy:.1f} {by + 4 * dx:.1f}"
            f"L{bx + 4 * dy:.1f} {by - 4 * dx:.1f}Z"
        )
        self._parts.append(
            html(
                '<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="{}" stroke-width="{:g}"/>'
                '<path d="{}" fill="{}"/>',
                x0,
                y0,
                bx,
                by,
                _paint(colour),
                width,
                head,
                _paint(colour),
            )
        )

    def ellipse(
        self,
        center: Any,
        covariance: Any,
        colour: Colour = 0,
        *,
        deviations: float = 1.0,
        width: float = 2.0,
        dashes: str = "",
        fill: float = 0.0,
    ) -> None:
        """Draw the points that are so many standard deviations from the centre of a normal."""
        values, vectors = np.linalg.eigh(np.asarray(covariance, dtype=float))
        angles = np.linspace(0, 2 * np.pi, 49)[:-1]
        circle = np.column_stack([np.cos(angles), np.sin(angles)])
        around = circle * (deviations * np.sqrt(np.maximum(values, 0))) @ vectors.T
        self.line(
            around + np.asarray(center), colour, width=width, dashes=dashes, closed=True, fill=fill
        )

    def regions(self, xs: Any, ys: Any, classes: Any, *, opacity: float = 0.18) -> None:
        """Colour the plane: `classes` has a row for each of `ys` and a column for each of `xs`.

        `xs` and `ys` are centres of cells, evenly spaced; the class -1 has no colour.
        """
        xs, ys, classes = np.asarray(xs, float), np.asarray(ys, float), np.asarray(classes)
        wide, tall = (xs[1] - xs[0]) / 2, (ys[1] - ys[0]) / 2
        paths: dict[int, list[str]] = {}
        for y, row in zip(ys, classes, strict=True):
            cuts = [0, *(np.flatnonzero(np.diff(row)) + 1).tolist(), len(row)]
            for first, last in pairwise(cuts):
                if row[first] < 0:
                    continue
                x0, y0 = self.at(max(xs[first] - wide, self.x[0]), min(y + tall, self.y[1]))
                x1, y1 = self.at(min(xs[last - 1] + wide, self.x[1]), max(y - tall, self.y[0]))
                paths.setdefault(int(row[first]), []).append(
                    f"M{x0:.1f} {y0:.1f}H{x1:.1f}V{y1:.1f}H{x0:.1f}"
                )
        for number, path in sorted(paths.items()):
            self._parts.append(
                html(
                    '<path d="{}" fill="{}" opacity="{:g}" shape-rendering="crispEdges"/>',
                    "".join(path),
                    _paint(number),
                    opacity,
                )
            )

    def shades(
        self, xs: Any, ys: Any, values: Any, colour: Colour = 0, *, most: float = 0.85
    ) -> None:
        """Shade the plane: the larger the value of a cell, from 0 to 1, the stronger the colour."""
        levels = np.round(np.clip(np.asarray(values, float), 0, 1) * 12).astype(int) - 1
        for level in np.unique(levels[levels >= 0]):
            cells = np.where(levels == level, colour if isinstance(colour, int) else 0, -1)
            self.regions(xs, ys, cells, opacity=round(most * (level + 1) / 12, 3))

    def contour(
        self,
        xs: Any,
        ys: Any,
        values: Any,
        level: float,
        colour: Colour = "ink",
        *,
        width: float = 2.0,
        dashes: str = "",
        opacity: float = 1.0,
    ) -> None:
        """Draw the lines on which a function has a value; `values` as in :meth:`regions`."""
        paths = []
        for line in contour_lines(xs, ys, values, level):
            places = (self.at(x, y) for x, y in line)
            paths.append("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places))
        if paths:
            self._parts.append(
                html(
                    '<path d="{}" fill="none" stroke="{}" stroke-width="{:g}" opacity="{:g}" '
                    'stroke-linejoin="round"{}/>',
                    "".join(paths),
                    _paint(colour),
                    width,
                    opacity,
                    html(' stroke-dasharray="{}"', dashes) if dashes else NOTHING,
                )
            )

    def text(
        self,
        x: float,
        y: float,
        shown: str,
        colour: Colour = "ink",
        *,
        anchor: str = "middle",
        shift: Pair = (0.0, 0.0),
        bold: bool = False,
        size: int = 12,
    ) -> None:
        """Write on the plane; `shift` moves the text, in units of the picture."""
        across, down = self.at(x, y)
        self._parts.append(
            html(
                '<text x="{:.1f}" y="{:.1f}" text-anchor="{}" fill="{}" font-size="{}"{}>{}</text>',
                across + shift[0],
                down + shift[1] + 4,
                anchor,
                _paint(colour),
                size,
                html(' font-weight="600"') if bold else NOTHING,
                shown,
            )
        )

    def svg(self) -> Html:
        """Return the picture."""
        return _svg(self._label, self._width, self._height, [*self._axes, *self._parts])


def _svg(label: str, width: float, height: float, parts: Iterable[Html]) -> Html:
    return html(
        '<svg class="picture" role="img" aria-label="{}" viewBox="0 0 {:g} {:g}" '
        'style="max-width:{:g}px" font-size="12">{}</svg>',
        label,
        width,
        height,
        width * 1.4,
        join(parts),
    )


def _named(given: Sequence[Any] | None, around: Pair) -> list[tuple[float, str]]:
    values = ticks(*around) if given is None else given
    return [one if isinstance(one, tuple) else (one, _short(one)) for one in values]


def _shape(form: int, x: float, y: float, size: float) -> str:
    """Return the path of a mark; circles and squares are dots of a pen that has their form."""
    if form < 2:
        return f"M{x:.1f} {y:.1f}h.01"
    side = size * 1.15
    if form == 2:
        return f"M{x:.1f} {y - side:.1f}l{side:g} {2 * side:g}h{-2 * side:g}z"
    return f"M{x:.1f} {y - side:.1f}l{side:g} {side:g}l{-side:g} {side:g}l{-side:g} {-side:g}z"


def _marks(path: str, form: int, paint: str, size: float, margin: float, opacity: float) -> Html:
    """Return marks of one form: a path keeps a picture of many points small."""
    if form < 2:
        return html(
            '<path d="{}" stroke="{}" stroke-width="{:g}" stroke-linecap="{}" opacity="{:g}"/>',
            path,
            paint,
            size * (2, 1.75)[form] + margin,
            ("round", "square")[form],
            opacity,
        )
    return html(
        '<path d="{}" fill="{}" stroke="{}" stroke-width="{:g}" opacity="{:g}"/>',
        path,
        paint,
        paint,
        margin,
        opacity,
    )


def legend(items: Iterable[tuple[Colour, str]], *, shapes: bool = False) -> Html:
    """Return what colours mean, and shapes, for the line below a picture."""
    parts = []
    for number, (colour, name) in enumerate(items):
        form = number % _SHAPES if shapes else 0
        mark = _marks(_shape(form, 7, 7, 5), form, _paint(colour), 5, 0.0, 1.0)
        parts.append(
            html(
                '<span><svg class="mark" viewBox="0 0 14 14" width="14" height="14" '
                'aria-hidden="true">{}</svg> {}</span>',
                mark,
                name,
            )
        )
    return html('<p class="legend">{}</p>', join(parts, html(" ")))


def bars(
    label: str,
    names: Sequence[str],
    series: Any,
    shown: Sequence[Sequence[str]],
    *,
    colours: Sequence[Colour] | None = None,
    width: int = 400,
    limits: Pair | None = None,
) -> Html:
    """Return horizontal bars, a group for each name, from zero to the right and to the left.

    Parameters
    ----------
    label : str
        What there is to see, for people who do not.
    names : sequence of str
        What stands at the left of each group.
    series : sequence of arrays
        The lengths of the bars, one array for each bar of a group; those that are not finite
        reach the end.
    shown : sequence of sequences of str
        What is written after each bar.
    colours : sequence, default=None
        Of the series; with one series of both signs, two colours: for above and below zero.
    width : int, default=400
        Of the picture.
    limits : (float, float), default=None
        The range of the lengths; that of all bars if ``None``.
    """
    lengths = np.asarray(series, dtype=float)
    finite = lengths[np.isfinite(lengths)]
    low, high = limits or (min(0.0, *finite, 0.0), max(0.0, *finite, 0.0))
    if high <= low:
        high = low + 1
    is_signed = low < 0 or bool((lengths < 0).any())
    left = 14 + _LETTER * min(_LONGEST, max((len(name) for name in names), default=1))
    letters = max((len(text) for one in shown for text in one), default=0)
    room = 8 + _LETTER * letters
    before = room if is_signed else 0.0
    after = room if high > 0 else 8.0
    scale = (width - left - before - after) / (high - low)
    zero = left + before - low * scale
    thick = 15 if len(lengths) == 1 else 13
    step = thick * len(lengths) + 9
    parts = []
    for row, name in enumerate(names):
        top = 6 + row * step
        short = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
        parts.append(
            html(
                '<text x="{:.1f}" y="{:.1f}" text-anchor="end" fill="var(--ink)">'
                "<title>{}</title>{}</text>",
                left - 6,
                top + (step - 9) / 2 + 4,
                name,
                short,
            )
        )
        for k, values in enumerate(lengths):
            value = float(np.clip(values[row], low, high))
            if math.isnan(value):
                continue
            chosen = list(colours or range(len(lengths)))
            is_second = len(lengths) == 1 and value < 0 and len(chosen) > 1
            paint = chosen[1] if is_second else chosen[k]
            begin, end = sorted((zero, zero + value * scale))
            beside = end + 4 if value >= 0 else begin - 4
            parts.append(
                html(
                    '<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}" rx="2" fill="{}"/>'
                    '<text x="{:.1f}" y="{:.1f}" text-anchor="{}" fill="var(--soft)">{}</text>',
                    begin,
                    top + k * thick,
                    max(end - begin, 0.6),
                    thick - 2,
                    _paint(paint),
                    beside,
                    top + k * thick + thick / 2 + 3,
                    "start" if value >= 0 else "end",
                    shown[k][row],
                )
            )
    height = 8 + step * len(names)
    parts.append(html('<path d="M{0:.1f} 2V{1:.1f}" stroke="var(--soft)"/>', zero, height - 4))
    return _svg(label, width, height, parts)
