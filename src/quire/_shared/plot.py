"""Drawing with matplotlib, which is optional: it is imported when something is drawn, not before.

Lines differ in colour, in the form of their markers and in how they are dashed, so that they can be
told apart by people who do not see the colours and on paper without them.
"""

from __future__ import annotations

from typing import Any

from quire.exceptions import MissingExtraError

__all__ = ["line_style", "new_axes"]

# M. Okabe and K. Ito, "Color universal design", 2008; the darker ones first, no yellow on white.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES = ("-", "--", "-.", ":")


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
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError(
            "Plots need matplotlib, which is not installed: pip install 'quire[plot]'"
        ) from error
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax


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
    return {
        "color": _COLOURS[number % len(_COLOURS)],
        "marker": _MARKERS[number % len(_MARKERS)],
        "linestyle": _DASHES[number % len(_DASHES)],
    }
