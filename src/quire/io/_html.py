"""The text of an HTML page, in one walk from its start to its end.

Every search that fails ends the walk or is never made again, so the time grows with the length of
the page and with nothing else, whatever the page holds.
"""

import re
from html import unescape

_BLOCKS = frozenset(
    "address article blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 "
    "header hr li main nav ol p pre section table td th tr ul".split()
)
_RAW = frozenset(("script", "style", "title"))  # tags inside them are not tags
_NAME = re.compile(r"[^\s/>]+")
_END_OR_VALUE = re.compile(r""">|=\s*["']""")
_LONG_NUMBER = re.compile(r"&#(?:([0-9]{8,})|[xX]([0-9a-fA-F]{8,}));?")
_BLANKS = re.compile(r"[ \t\r\f\v]+")
_LINES = re.compile(r"\n{2,}")


def html_to_text(html: str) -> str:
    r"""Give the text that a reader of the page would see, one line per block.

    Examples
    --------
    >>> html_to_text("<style>p {}</style><p>Fish &amp; <b>chips</b></p><p>Tea</p>")
    'Fish & chips\nTea'
    """
    lines = (_BLANKS.sub(" ", line).strip() for line in _Walk(html).text().split("\n"))
    return _LINES.sub("\n", "\n".join(lines)).strip("\n")


class _Walk:
    """One page on the way: where it stands, and which quotes are known not to come again."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.parts: list[str] = []
        self.templates = 0  # that are open: what they hold is not shown
        self.missing: set[str] = set()  # quotes that do not come again

    def text(self) -> str:
        """Give the text, with a line break where a block begins or ends."""
        html, place = self.html, 0
        while place < len(html):
            start = html.find("<", place)
            while start >= 0 and not self._is_markup(start):
                start = html.find("<", start + 1)
            self._say(html[place : start if start >= 0 else len(html)])
            if start < 0:
                break
            place = self._after(start)
        return "".join(self.parts)

    def _is_markup(self, start: int) -> bool:
        """Whether the ``<`` there begins something other than text."""
        mark = self.html[start + 1 : start + 2]
        if mark == "/":
            return self.html[start + 2 : start + 3].strip() != ""
        return mark in ("!", "?") or (mark.isascii() and mark.isalpha())

    def _after(self, start: int) -> int:
        """Take what begins at ``start`` and return where it ends."""
        html = self.html
        if html.startswith("<!--", start):
            if html.startswith(("<!-->", "<!--->"), start):
                return html.index(">", start) + 1
            return _past(html, "-->", start + 4)
        mark = html[start + 1]
        if mark in "!?":
            return _past(html, ">", start)
        is_end = mark == "/"
        name = _NAME.match(html, start + 1 + is_end)
        if name is None:  # "</>"
            return _past(html, ">", start)
        return self._tag(name[0].lower(), is_end, self._tag_end(name.end()))

    def _tag(self, name: str, is_end: bool, end: int) -> int:
        """Take a tag that ends at ``end``; return where the text after it begins."""
        if name in _BLOCKS:
            self.parts.append("\n")
        if name == "template":
            self.templates = max(0, self.templates + (-1 if is_end else 1))
        if name in _RAW and not is_end:
            closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self.html, end)
            return len(self.html) if closing is None else _past(self.html, ">", closing.end())
        return end

    def _tag_end(self, place: int) -> int:
        """Return where a tag ends: past its ``>``, which may also stand in a quoted value."""
        html = self.html
        while (match := _END_OR_VALUE.search(html, place)) is not None:
            if match[0] == ">":
                return match.end()
            quote, place = match[0][-1], match.end()
            closing = -1 if quote in self.missing else html.find(quote, place)
            if closing < 0:  # then it encloses nothing
                self.missing.add(quote)
            else:
                place = closing + 1
        return len(html)

    def _say(self, text: str) -> None:
        if text and not self.templates:
            self.parts.append(unescape(_LONG_NUMBER.sub(_shorter, text)).replace("\n", " "))


def _past(html: str, mark: str, place: int) -> int:
    """Return where ``mark`` ends, or the end of the page: what is never closed holds the rest."""
    at = html.find(mark, place)
    return at + len(mark) if at >= 0 else len(html)


def _shorter(match: re.Match[str]) -> str:
    """Give a character's number without the zeros before it; no character has eight digits."""
    decimal, hexadecimal = match[1], match[2]
    digits = (decimal or hexadecimal).lstrip("0")
    if len(digits) > 7:
        return "\ufffd"
    return f"&#{'' if decimal else 'x'}{digits or '0'};"
