r"""Words behind a negation get a mark: "not so good." has the words not, not_so and not_good.

A negation holds until the next punctuation that ends a part of a sentence. Words that end with n't
negate wherever a pattern cuts them ("don" and "t", or "don't"). The kernels do the same
(``negation.hpp``); this is for what Python does.

Reference: Das and Chen (2001), Yahoo! for Amazon; Pang, Lee and Vaithyanathan (2002), Thumbs up?
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

__all__ = ["MARK", "marked", "negating_words", "with_marked"]

MARK = "not_"
_ENGLISH = (
    "not no never none nobody nothing nowhere neither nor cannot without hardly barely scarcely"
).split()
_ENDS = frozenset(
    ".,:;!?()\u060c\u061b\u061f\u0964\u2026\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f"
)
_END = re.compile(f"[{re.escape(''.join(sorted(_ENDS)))}]")
_REST = re.compile(r"['\u2019][tT](?!\w)")
_WHOLE = re.compile(r"[nN]['\u2019][tT]\Z")


def negating_words(negation: Any, *, lowercase: bool) -> list[str]:
    """Return the words that negate those behind them.

    Parameters
    ----------
    negation : str or collection of str
        "english", or the words.
    lowercase : bool
        Whether texts are lower-cased; if not, words may be capitalised.
    """
    if isinstance(negation, str) and negation != "english":
        raise ValueError(
            f"there are no negating words of {negation!r}. Only 'english' is built in; or pass the "
            "words themselves in a list."
        )
    words = _ENGLISH if isinstance(negation, str) else sorted(negation)
    if lowercase:
        return list(words)
    return [form for word in words for form in (word, word.capitalize(), word.upper())]


def marked(text: str, spans: Sequence[tuple[int, int]], words: Collection[str]) -> list[str]:
    """Return the tokens at places of a text, with the mark where a negation holds."""
    known = frozenset(words)
    tokens = []
    at, begins = 0, -1  # where marks begin; -1: no negation holds
    for start, end in spans:
        token = text[start:end]
        if token in _ENDS or _END.search(text, at, start):
            begins = -1
        holds = 0 <= begins <= start and (token[:1].isalnum() or token[:1] == "_")
        tokens.append(MARK + token if holds else token)
        rest = _REST.match(text, end) if token[-1:] in ("n", "N") else None
        if rest is not None:
            begins = rest.end()
        elif token in known or _WHOLE.search(token):
            begins = end
        at = end
    return tokens


def with_marked(words: Collection[Any]) -> list[Any]:
    """Return words, and the same with the mark."""
    return [*words, *(MARK + word for word in words if isinstance(word, str))]
