r"""Formulas as MathML, which browsers draw by themselves: no script, no font, no network.

:func:`formula` reads the part of TeX that formulas of this package need: letters and numbers,
``\frac``, ``\sqrt``, ``^`` and ``_``, sums and products with their limits, Greek letters, accents,
``\left`` and ``\right``, ``\text``. Anything else is an error, not a formula with a hole in it.
"""

from __future__ import annotations

import re

from quire._shared.page.html import NOTHING, Html, html, join

__all__ = ["formula"]

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:[.,]\d+)*|\s+|.", re.DOTALL)
_GREEK = (
    "alpha:α beta:β gamma:γ delta:δ epsilon:ε varepsilon:ε zeta:ζ eta:η theta:θ kappa:κ lambda:λ "
    "mu:μ nu:ν xi:ξ pi:π rho:ρ sigma:σ tau:τ phi:φ varphi:φ chi:χ psi:ψ omega:ω Gamma:Γ Delta:Δ "
    "Theta:Θ Lambda:Λ Xi:Ξ Pi:Π Sigma:Σ Phi:Φ Psi:Ψ Omega:Ω ell:ℓ infty:∞ partial:∂ nabla:∇"
)
_LETTERS = dict(pair.split(":") for pair in _GREEK.split())
_SIGNS = {
    "cdot": "⋅",
    "times": "×",
    "pm": "±",
    "le": "≤",
    "leq": "≤",
    "ge": "≥",
    "geq": "≥",
    "ne": "≠",
    "neq": "≠",
    "approx": "≈",
    "sim": "∼",
    "propto": "∝",
    "in": "∈",
    "notin": "∉",
    "to": "→",
    "leftarrow": "←",
    "mapsto": "↦",
    "ldots": "…",
    "cdots": "⋯",
    "mid": "∣",
    "forall": "∀",
    "top": "⊤",
    "cap": "∩",
    "cup": "∪",
    "|": "‖",
    "lVert": "‖",
    "rVert": "‖",
    "lbrace": "{",
    "rbrace": "}",
    "{": "{",
    "}": "}",
}
_LARGE = {"sum": "∑", "prod": "∏", "int": "∫"}
_NAMES = {"log", "exp", "max", "min", "arg", "det", "tr", "sign", "softmax", "Var", "Dir", "Cat"}
_BELOW = {"max", "min"}  # what stands below them is not an index
_ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303"}  # they join the letter before
_SPACES = {",": "0.17em", ";": "0.28em", " ": "0.25em", "quad": "1em", "qquad": "2em"}
_STYLED = {"mathbf": 0x1D400, "mathcal": 0x1D49C}
_ITALIC = 0x1D434
_HOLES = {
    0x1D455: "ℎ",
    0x1D49D: "ℬ",
    0x1D4A0: "ℰ",
    0x1D4A1: "ℱ",
    0x1D4A3: "ℋ",
    0x1D4A4: "ℐ",
    0x1D4A7: "ℒ",
}


def formula(tex: str, *, block: bool = True) -> Html:
    r"""Return a formula as MathML.

    Parameters
    ----------
    tex : str
        The formula, as TeX writes it.
    block : bool, default=True
        Whether it stands by itself; else it stands in a line of text.

    Raises
    ------
    ValueError
        If there is something that is not known here.

    Examples
    --------
    >>> print(formula(r"\frac{1}{N_k}", block=False))
    <math alttext="\frac{1}{N_k}"><mfrac><mn>1</mn><msub><mi>N</mi><mi>k</mi></msub></mfrac></math>
    """
    inside = _Reader(tex).whole()
    shape = html(' display="block"') if block else NOTHING
    return html('<math{} alttext="{}">{}</math>', shape, tex, inside)


class _Reader:
    """Goes through the tokens of one formula."""

    def __init__(self, tex: str) -> None:
        self._tex = tex
        self._tokens = [one for one in _TOKEN.findall(tex) if not one.isspace()]
        self._place = 0

    def whole(self) -> Html:
        pieces = self._row(None)
        return join(pieces)

    def _peek(self) -> str | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _next(self) -> str:
        token = self._peek()
        if token is None:
            raise ValueError(f"The formula {self._tex!r} ends too early.")
        self._place += 1
        return token

    def _row(self, end: str | None) -> list[Html]:
        """Read up to a token, which is read, too."""
        pieces = []
        while (token := self._peek()) != end:
            if token is None:
                raise ValueError(f"The formula {self._tex!r} has no {end!r}.")
            pieces.append(self._scripted())
        if end is not None:
            self._next()
        return pieces

    def _group(self) -> Html:
        """Read what belongs together: braces, or one token."""
        if self._peek() != "{":
            return self._atom()[0]
        self._next()
        pieces = self._row("}")
        return pieces[0] if len(pieces) == 1 else html("<mrow>{}</mrow>", join(pieces))

    def _word(self) -> str:
        """Read text in braces as it stands."""
        if self._next() != "{":
            raise ValueError(f"The formula {self._tex!r} has a text without braces.")
        begin = self._tex.index("{", self._position(self._place - 1))
        end = self._tex.index("}", begin)
        while self._next() != "}":
            pass
        return self._tex[begin + 1 : end]

    def _position(self, place: int) -> int:
        """Return where a token begins in the formula, spaces counted."""
        seen = -1
        for found in _TOKEN.finditer(self._tex):
            seen += not found.group().isspace()
            if seen == place:
                return found.start()
        raise AssertionError("the token is one of the formula")

    def _scripted(self) -> Html:
        """Read one thing with what stands above and below it; names of functions keep apart."""
        first = self._peek() or ""
        piece = self._with_scripts()
        if first[1:] in _NAMES and self._peek() not in (None, "(", "[", "}", "\\left", "\\,"):
            return piece + html('<mspace width="0.17em"></mspace>')
        return piece

    def _with_scripts(self) -> Html:
        base, is_large = self._atom()
        below = above = None
        while (token := self._peek()) in ("_", "^", "'"):
            self._next()
            if token == "'":
                above = html("<mo>′</mo>")
            elif token == "_":
                below = self._group()
            else:
                above = self._group()
        if below is not None and above is not None:
            if is_large:
                return html("<munderover>{}{}{}</munderover>", base, below, above)
            return html("<msubsup>{}{}{}</msubsup>", base, below, above)
        if below is not None:
            if is_large:
                return html("<munder>{}{}</munder>", base, below)
            return html("<msub>{}{}</msub>", base, below)
        if above is not None:
            if is_large:
                return html("<mover>{}{}</mover>", base, above)
            return html("<msup>{}{}</msup>", base, above)
        return base

    def _atom(self) -> tuple[Html, bool]:
        """Read one thing; return it, and whether its limits stand above and below it."""
        token = self._next()
        if token == "{":
            self._place -= 1
            return self._group(), False
        if token.startswith("\\"):
            return self._command(token[1:])
        if token[0].isdigit():
            return html("<mn>{}</mn>", token), False
        if token.isalpha():
            return html("<mi>{}</mi>", token), False
        if token in "()[]|":
            return html('<mo stretchy="false">{}</mo>', token), False
        if token in "+-=<>,.:;/*!":
            sign = {"-": "−", "*": "∗"}.get(token, token)
            return html("<mo>{}</mo>", sign), False
        raise ValueError(f"The formula {self._tex!r} has {token!r}, which is not known.")

    def _command(self, name: str) -> tuple[Html, bool]:
        if name in _LETTERS:
            return html("<mi>{}</mi>", _LETTERS[name]), False
        if name in _LARGE:
            return html("<mo>{}</mo>", _LARGE[name]), name != "int"
        if name in _NAMES:
            return html("<mi>{}</mi>", name), name in _BELOW
        if name in _SPACES:
            return html('<mspace width="{}"></mspace>', _SPACES[name]), False
        if name in _SIGNS:
            return html('<mo stretchy="false">{}</mo>', _SIGNS[name]), False
        if name == "frac":
            return html("<mfrac>{}{}</mfrac>", self._group(), self._group()), False
        if name == "sqrt":
            return html("<msqrt>{}</msqrt>", self._group()), False
        if name in _ACCENTS:
            return self._accented(_ACCENTS[name]), False
        if name in ("text", "operatorname"):
            word = self._word()
            is_text = name == "text"
            return html("<mtext>{}</mtext>", word) if is_text else html("<mi>{}</mi>", word), False
        if name in _STYLED:
            return html("<mi>{}</mi>", _styled(self._word(), _STYLED[name])), False
        if name == "left":
            return self._between(), False
        raise ValueError(f"The formula {self._tex!r} has \\{name}, which is not known.")

    def _accented(self, accent: str) -> Html:
        letter = re.fullmatch("<mi>(.)</mi>", str(self._group()))
        if letter is None:
            raise ValueError(f"The formula {self._tex!r} has an accent over more than a letter.")
        # Two signs in one element would be set upright: the letter is taken from the slanted ones.
        return html("<mi>{}{}</mi>", _styled(letter.group(1), _ITALIC), accent)

    def _fence(self) -> str:
        token = self._next()
        if token == ".":
            return ""
        return _SIGNS.get(token[1:], token) if token.startswith("\\") else token

    def _between(self) -> Html:
        first = self._fence()
        inside = self._row("\\right")
        last = self._fence()
        return html(
            '<mrow><mo fence="true">{}</mo>{}<mo fence="true">{}</mo></mrow>',
            first,
            join(inside),
            last,
        )


def _styled(letters: str, first: int) -> str:
    """Return Latin letters in another alphabet of Unicode, which begins at `first`."""

    def one(letter: str) -> str:
        if not (letter.isascii() and letter.isalpha()):
            return letter
        place = first + ord(letter) - (ord("A") if letter.isupper() else ord("a") - 26)
        return _HOLES.get(place, chr(place))

    return "".join(map(one, letters))
