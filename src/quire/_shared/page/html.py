"""HTML that is known to be HTML: a type that no plain text can be taken for.

:func:`html` fills a template that stands in the code: plain text is escaped on its way in, and what
is :class:`Html` already goes in as it is. Joining the two in any other way is an error, so that
nothing from data reaches a page without being escaped, and nothing is escaped twice. Control
characters, which HTML does not allow, become a sign for them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape as escape_signs
from string import Formatter
from typing import Any

__all__ = ["NOTHING", "Html", "escape", "html", "join", "script_json"]

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


class Html:
    """A piece of HTML.

    To make one, use :func:`html`; only files of this package, such as scripts, are wrapped as they
    are. ``str(piece)`` is its text, for writing it out.

    Parameters
    ----------
    markup : str
        HTML from a source that is trusted.

    Examples
    --------
    >>> html("<b>{}</b>", "a < b") + html("<br>")
    Html('<b>a &lt; b</b><br>')
    >>> html("<br>") + "text"
    Traceback (most recent call last):
    TypeError: 'text' is plain text; expected Html. Use html("{}", text) to escape it.
    """

    __slots__ = ("_markup",)

    def __init__(self, markup: str) -> None:
        if not isinstance(markup, str):
            raise TypeError(f"markup is {type(markup).__name__}; expected a string.")
        self._markup = markup

    def __str__(self) -> str:
        return self._markup

    def __repr__(self) -> str:
        return f"Html({self._markup!r})"

    def __bool__(self) -> bool:
        return bool(self._markup)

    def __eq__(self, other: object) -> bool:
        return self._markup == other._markup if isinstance(other, Html) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._markup)

    def __add__(self, other: Html) -> Html:
        return Html(self._markup + _markup_of(other))

    def __format__(self, spec: str) -> str:
        raise TypeError(
            f"{self!r} would become plain text in a formatted string. Put it in a template with "
            "html(), or use str() to write it out."
        )


NOTHING = Html("")


def _markup_of(piece: Html) -> str:
    if not isinstance(piece, Html):
        raise TypeError(
            f'{piece!r} is plain text; expected Html. Use html("{{}}", text) to escape it.'
        )
    return str(piece)


def escape(text: object) -> str:
    """Return text that is safe between tags and in quoted attributes.

    Examples
    --------
    >>> escape("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return escape_signs(_CONTROL.sub("\ufffd", str(text)), quote=True)


class _Escaping(Formatter):
    """Formats a template; what goes into it is escaped unless it is HTML."""

    def format_field(self, value: Any, spec: str) -> str:
        if isinstance(value, Html):
            if spec:
                raise TypeError(f"{value!r} is HTML, and cannot be formatted as {spec!r}.")
            return str(value)
        if value is None:
            raise TypeError("None has no place in a page; use NOTHING to leave a part out.")
        return escape(format(value, spec))

    def check_unused_args(
        self, used: set[int | str], parts: Sequence[Any], named: Mapping[str, Any]
    ) -> None:
        unused = {*range(len(parts)), *named} - used
        if unused:
            raise TypeError(f"The template has no place for {sorted(map(str, unused))}.")


_ESCAPING = _Escaping()


def html(template: str, /, *parts: object, **named: object) -> Html:
    """Fill a template: ``{}`` and ``{name}`` with an optional format, as in ``str.format``.

    Parameters
    ----------
    template : str
        HTML that stands in the code; places for values are between tags or in quoted attributes.
    *parts, **named : object
        What goes in. Html goes in as it is, anything else is formatted and escaped.

    Examples
    --------
    >>> html('<p title="{name}">{share:.0%} {more}</p>', name='"x"', share=0.5, more=html("<br>"))
    Html('<p title="&quot;x&quot;">50% <br></p>')
    """
    return Html(_ESCAPING.vformat(template, parts, named))


def join(pieces: Iterable[Html], between: Html = NOTHING) -> Html:
    """Return pieces of HTML as one; plain text among them is an error.

    Parameters
    ----------
    pieces : iterable of Html
        In their order.
    between : Html, default=NOTHING
        What stands between them.

    Examples
    --------
    >>> join([html("<i>a</i>"), html("<i>b</i>")], html(", "))
    Html('<i>a</i>, <i>b</i>')
    """
    return Html(_markup_of(between).join(_markup_of(piece) for piece in pieces))


def script_json(value: object) -> Html:
    r"""Return data as JSON for a script element, which no text inside it can break out of.

    Examples
    --------
    >>> print(script_json({"text": "</script>"}))
    {"text":"\u003c/script\u003e"}
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Html(text)
