"""The twin of the index of tokens: each with its form and its place."""

import re
from collections.abc import Sequence
from typing import NamedTuple


class Index(NamedTuple):
    """What `index_tokens` returns, with forms as strings."""

    forms: list[str]
    tokens: list[int]
    gaps: list[int]
    bounds: list[int]


def index_tokens(texts: Sequence[str], pattern: str = r"\w+") -> Index:
    """Cut texts by a regular expression; gaps are bytes from the end of the token before."""
    words, gaps, bounds = [], [], [0]
    for text in texts:
        end = 0
        for match in re.finditer(pattern, text):
            begin = len(text[: match.start()].encode("utf-8", "surrogatepass"))
            gaps.append(begin - end)
            words.append(match.group())
            end = begin + len(match.group().encode("utf-8", "surrogatepass"))
        bounds.append(len(words))
    forms = sorted(set(words))
    return Index(forms, [forms.index(word) for word in words], gaps, bounds)
