"""Drawing with matplotlib, which is optional: it is imported when something is drawn, not before.

Lines differ in colour, in the form of their markers and in how they are dashed, so that they can be
told apart by people who do not see the colours and on paper without them. Colours follow the
background: :func:`themed` sets a light or a dark one, and so does a style of matplotlib's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from quire.exceptions import MissingExtraError

__all__ = [
    "dressed",
    "faint",
    "grid",
    "hatch",
    "ink",
    "line_style",
    "middle",
    "new_axes",
    "new_panels",
    "paper",
    "plain_numbers",
    "shades",
    "spread_labels",
    "themed",
    "whole_numbers",
]

# M. Okabe and K. Ito, "Color universal design", 2008; the darker ones first, no yellow on white;
# on dark the lighter ones first, and white for black.
_ON_LIGHT = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00")
_ON_DARK = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#ffffff", "#f0e442", "#d55e00")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES = ("-", "--", "-.", ":")
_HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\", "++++")

_PAPER = {"light": "#ffffff", "dark": "#131416"}
_INK = {"light": "#1a1a1a", "dark": "#e8e8e8"}
_MIDDLE = {"light": "#4d4d4d", "dark": "#b3b3b3"}
_FAINT = {"light": "#e5e5e5", "dark": "#34373b"}


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError(
            "Plots need matplotlib, which is not installed: pip install 'quire[plot]'"
        ) from error
    return pyplot


@contextmanager
def themed(theme: str) -> Iterator[None]:
    """Draw on a light or on a dark background while this is open.

    Parameters
    ----------
    theme : {"light", "dark"}
        Which.

    Raises
    ------
    ValueError
        If there is no such theme.
    ImportError
        If matplotlib is not installed; the message names the command that installs it.
    """
    if not isinstance(theme, str) or theme not in _PAPER:
        raise ValueError(f"theme is {theme!r}; expected 'light' or 'dark'.")
    _pyplot()
    import matplotlib as mpl

    sizes = {
        "font.size": 10,
        "axes.titlesize": 10.5,
        "axes.labelsize": 10,
        "xtick.labelsize": 9,
        "ytick.labelsize": 9,
        "legend.fontsize": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.formatter.useoffset": False,
        "axes.formatter.limits": (-9, 9),
        "hatch.linewidth": 0.6,
        "lines.linewidth": 1.6,
    }
    settings: Any = {**sizes, **_colours_of(theme)}
    with mpl.rc_context(settings):
        yield


def _colours_of(theme: str) -> dict[str, Any]:
    page, text = _PAPER[theme], _INK[theme]
    dark = {"text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"}
    light = {"figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor"}
    return {
        **dict.fromkeys(dark, text),
        **dict.fromkeys(light, page),
        "grid.color": _FAINT[theme],
        "legend.edgecolor": _FAINT[theme],
        "legend.framealpha": 0.9,
    }


def _theme_in_force() -> str:
    """Return which theme suits the background that matplotlib is set to."""
    mpl = sys.modules.get("matplotlib")
    if mpl is None:
        return "light"
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(mpl.rcParams["axes.facecolor"])
    return "dark" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "light"


def paper() -> str:
    """Return the colour of the background."""
    return _PAPER[_theme_in_force()]


def ink() -> str:
    """Return the colour of what is written and of lines that belong to no class."""
    return _INK[_theme_in_force()]


def middle() -> str:
    """Return the colour of lines that help to read others."""
    return _MIDDLE[_theme_in_force()]


def faint() -> str:
    """Return the colour of what stands in the background, such as a grid."""
    return _FAINT[_theme_in_force()]


def new_axes(ax: Any = None) -> Any:
    """Return the axes to draw on: those given, or those of a new figure.

    Parameters
    ----------
    ax : matplotlib.axes.Axes or None
        Where to draw. The new figure is one of pyplot's, so that notebooks show it.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ImportError
        If matplotlib is not installed; the message names the command that installs it.
    """
    pyplot = _pyplot()
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax


def new_panels(
    axes: Any,
    n: int,
    *,
    n_columns: int | None = None,
    size: tuple[float, float] = (3.4, 3.2),
    **settings: Any,
) -> Any:
    """Return several axes to draw on: those given, or those of a new figure.

    Parameters
    ----------
    axes : sequence of matplotlib.axes.Axes or None
        Where to draw.
    n : int
        How many panels.
    n_columns : int, default=None
        Panels beside each other; all of them if not given.
    size : tuple of two float, default=(3.4, 3.2)
        Width and height of a panel in inches.
    **settings
        For ``Figure.subplots``, such as ``sharex=True``.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        The axes, in one row of the array.

    Raises
    ------
    ValueError
        If another number of axes is given.
    """
    import numpy as np

    pyplot = _pyplot()
    if axes is not None:
        given = np.asarray(axes, dtype=object).ravel()
        if len(given) != n:
            raise ValueError(f"axes has {len(given)} axes; this picture has {n} panels.")
        return given
    columns = n if n_columns is None else min(n, n_columns)
    rows = -(-n // columns)
    figure = pyplot.figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    made = figure.subplots(rows, columns, squeeze=False, **settings).ravel()
    for spare in made[n:]:
        spare.remove()
    return made[:n]


def dressed(ax: Any) -> Any:
    """Give axes the colours in force, also those that were made before: text, lines, background.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes; the background of their figure changes, too.

    Returns
    -------
    matplotlib.axes.Axes
        The same.
    """
    ax.figure.set_facecolor(paper())
    ax.set_facecolor(paper())
    for spine in ax.spines.values():
        spine.set_edgecolor(ink())
    ax.tick_params(which="both", colors=ink(), labelcolor=ink())
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        text.set_color(ink())
    legend = ax.get_legend()
    if legend is not None:
        legend.get_frame().set(facecolor=paper(), edgecolor=faint())
        for text in legend.get_texts():
            text.set_color(ink())
    return ax


def line_style(number: int) -> dict[str, Any]:
    """Return the colour, marker and dashes of a line, by its number from 0.

    Parameters
    ----------
    number : int
        Lines with different numbers below 28 look different.

    Returns
    -------
    dict
        Keyword arguments for ``Axes.plot``.

    Examples
    --------
    >>> line_style(0)
    {'color': '#0072b2', 'marker': 'o', 'linestyle': '-'}
    """
    colours = _ON_DARK if _theme_in_force() == "dark" else _ON_LIGHT
    return {
        "color": colours[number % len(colours)],
        "marker": _MARKERS[number % len(_MARKERS)],
        "linestyle": _DASHES[number % len(_DASHES)],
    }


def shades() -> Any:
    """Return colours from that of the background to the strongest: more is farther from paper."""
    from matplotlib.colors import LinearSegmentedColormap

    strongest = line_style(0)["color"]
    return LinearSegmentedColormap.from_list("quire", [paper(), strongest])


def hatch(number: int) -> str:
    """Return how an area is hatched, by its number from 0, which is not at all."""
    return _HATCHES[number % len(_HATCHES)]


def grid(ax: Any, axis: str = "both") -> None:
    """Draw a faint grid behind everything."""
    ax.grid(axis=axis, color=faint())
    ax.set_axisbelow(True)


def whole_numbers(axis: Any) -> None:
    """Put ticks of an axis that counts something at whole numbers, with thousands apart.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
        ``ax.xaxis`` or ``ax.yaxis``. One that has a logarithmic scale keeps its ticks, which are
        written out.
    """
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    if axis.get_scale() == "linear":
        axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def plain_numbers(axis: Any) -> None:
    """Write the ticks of a linear axis out: no offset and no power of ten at its end.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
        ``ax.xaxis`` or ``ax.yaxis``.
    """
    from matplotlib.ticker import ScalarFormatter

    class _Plain(ScalarFormatter):  # thousands apart
        def __call__(self, x: float, pos: int | None = None) -> str:
            text: str = super().__call__(x, pos)
            return f"{x:,.0f}" if abs(x) >= 10_000 and x == round(x) else text

    formatter = _Plain(useOffset=False)
    formatter.set_scientific(False)
    axis.set_major_formatter(formatter)


def spread_labels(ax: Any, labels: Sequence[Any], *, gap: float = 1.0) -> None:
    """Move labels up or down until none is on another.

    The lowest stays where it is, and each one above is lifted as far as it must be. To be called
    when everything has been drawn and the limits of the axes are final.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where the labels are.
    labels : sequence of matplotlib.text.Text
        The labels; annotations in offset points are moved by their offset, texts by their place.
    gap : float, default=1.0
        Points between two.
    """
    figure = ax.figure
    points = 72.0 / figure.dpi
    boxes: list[Any] = []
    _make_room(ax, labels)
    for label in sorted(labels, key=lambda one: one.get_window_extent().y0):
        box = label.get_window_extent()
        lift = 0.0
        for other in sorted(boxes, key=lambda one: one.y0):
            if box.translated(0, lift).overlaps(other):
                lift = other.y1 + gap / points - box.y0
        boxes.append(box.translated(0, lift))
        if lift:
            _lift(ax, label, lift, points)


def _make_room(ax: Any, labels: Sequence[Any]) -> None:
    """Widen axes until labels do not leave them at the sides."""
    for _ in range(3):  # wider axes move the labels, but not by much
        ax.figure.draw_without_rendering()
        inside = ax.get_window_extent()
        boxes = [label.get_window_extent() for label in labels]
        left = max([inside.x0 - box.x0 for box in boxes] + [0.0])
        right = max([box.x1 - inside.x1 for box in boxes] + [0.0])
        if left + right < 1:
            return
        low, high = ax.get_xlim()
        per_pixel = (high - low) / max(inside.width - left - right, inside.width / 4)
        ax.set_xlim(low - left * per_pixel, high + right * per_pixel)


def _lift(ax: Any, label: Any, pixels: float, points: float) -> None:
    if hasattr(label, "xyann"):
        x, y = label.xyann
        label.xyann = (x, y + pixels * points)
        return
    at = ax.transData.transform(label.get_position())
    label.set_position(ax.transData.inverted().transform((at[0], at[1] + pixels)))
