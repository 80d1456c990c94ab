"""The twin of marking words behind a negation."""

import re
from collections.abc import Collection, Sequence

MARK = "not_"
ENDS = set(".,:;!?()\u060c\u061b\u061f\u0964\u2026\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f")


def negation_marks(
    text: str, spans: Sequence[tuple[int, int]], negations: Collection[str]
) -> list[str]:
    """The tokens at these places, with a mark where a negation holds."""
    tokens = []
    at, marks_from = 0, None
    for start, end in spans:
        token = text[start:end]
        if ENDS & set(text[at:start]) or token in ENDS:
            marks_from = None
        marked = marks_from is not None and start >= marks_from and re.match(r"\w", token)
        tokens.append(MARK + token if marked else token)
        rest = re.compile("['\u2019][tT](?!\\w)").match(text, end)
        if re.search("[nN]$", token) and rest:
            marks_from = rest.end()
        elif token in negations or re.search("[nN]['\u2019][tT]\\Z", token):
            marks_from = end
        at = end
    return tokens
