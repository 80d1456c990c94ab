"""An explanation in the colours of a terminal: blue speaks for, orange against.

The two hues can be told apart with any kind of colour vision. Every background has a text colour of
its own, so that it can be read in light and dark terminals.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from quire._shared.terminal import visible
from quire.inspection._as_text import headline, largest_score, runs, sides, term_label

if TYPE_CHECKING:
    from quire.inspection._explanation import Explanation

__all__ = ["to_rich"]

_FOR = ("#000000 on #cfe4f3", "#000000 on #8fc3e6", "#ffffff on #2178b5", "#ffffff on #004f82")
_AGAINST = ("#000000 on #fde0c8", "#000000 on #f7b27e", "#000000 on #e6832f", "#ffffff on #a34700")
_LEAST = 0.02  # below this share of the largest score a word has no colour


def to_rich(
    explanation: Explanation, width: int | None, n_terms: int | None, max_chars: int | None = None
) -> Any:
    """Return coloured text and table.

    Parameters
    ----------
    explanation : Explanation
        What to show.
    width : int or None
        The most columns to use.
    n_terms : int or None
        How many terms the table has.
    max_chars : int, default=None
        About how much is shown of each text.

    Returns
    -------
    rich.console.RenderableType
        A group.
    """
    from rich.console import Group
    from rich.constrain import Constrain
    from rich.table import Table
    from rich.text import Text

    shown: list[Any] = []
    if any(passage.words for passage in explanation.passages):
        for_it, against_it = sides(explanation)
        shown.append(Text.assemble((for_it, _FOR[2]), " ", (against_it, _AGAINST[2])))
    largest = largest_score(explanation)
    for passage in explanation.passages:
        text = Text()
        if passage.field is not None:
            text.append(f"{visible(str(passage.field))}: ", style="bold")
        for piece, score in runs(passage, max_chars):
            text.append(visible(piece), style=_style(score, largest))
        shown += [text, Text()]
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(f"{explanation.score:+.4f}", Text(headline(explanation)), style="bold")
    table.add_row(f"{explanation.offset:+.4f}", "before anything is read", style="dim")
    terms, n_rest, rest = explanation.shown(n_terms)
    sizes = [abs(term.contribution) for term in terms if math.isfinite(term.contribution)]
    heaviest = max(sizes, default=0.0) or 1.0
    for term in terms:
        number = Text(f"{term.contribution:+.4f}", style=_style(term.contribution, heaviest))
        table.add_row(number, Text(term_label(term)))
    if n_rest:
        table.add_row(
            f"{rest:+.4f}", f"{n_rest} other {explanation.part_noun}{'s' if n_rest > 1 else ''}"
        )
    shown.append(table)
    shown += [Text(note, style="italic") for note in explanation.notes]
    return Constrain(Group(*shown), width)


def _style(score: float | None, largest: float) -> str:
    if score is None or math.isnan(score) or abs(score) < _LEAST * largest or score == 0:
        return ""
    level = min(int(4 * min(abs(score) / largest, 1.0)), 3)
    return (_FOR if score > 0 else _AGAINST)[level]
