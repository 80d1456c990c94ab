"""Which words count: stop words, and what a command says about its choice of terms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

__all__ = ["read_stop_words", "words_in_words"]

# What is left of "don't" and "we'll" when a text is cut at its apostrophes.
_PIECES = """ain aren couldn didn doesn don hadn hasn haven isn ll mustn needn shan shouldn ve wasn
weren won wouldn""".split()


def read_stop_words(name: str) -> list[str] | None:
    """Return stop words: "english", "none", or those of a file, one or more in a line."""
    if name.lower() == "none":
        return None
    if name.lower() == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return sorted({*ENGLISH_STOP_WORDS, *_PIECES})
    if not Path(name).is_file():
        raise typer.BadParameter(
            f"expected english, none or a file of words; {name!r} is not there.",
            param_hint="--stop-words",
        )
    return sorted(set(Path(name).read_text(encoding="utf-8").lower().split()))


def words_in_words(min_df: Any, max_df: Any, stop_words: str, ngrams: tuple[int, int]) -> str:
    """Say in a sentence which words were counted."""

    def documents(value: Any) -> str:
        return f"{100 * value:g}%" if isinstance(value, float) else f"{value:,}"

    left_out = "" if stop_words.lower() == "none" else ", without stop words"
    if stop_words.lower() not in ("none", "english"):
        left_out += f" of {Path(stop_words).name}"
    elif left_out:
        left_out = ", without English stop words"
    size = "" if ngrams == (1, 1) else f", {ngrams[0]} to {ngrams[1]} words long"
    return (
        f"Terms in {documents(min_df)} or more documents and in at most {documents(max_df)} of "
        f"them{left_out}{size}."
    )
