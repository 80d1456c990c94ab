"""Starts of texts, cut at words."""

import pytest

from quire._shared.excerpts import cut


@pytest.mark.parametrize(
    ("text", "n", "expected"),
    [
        ("short", 10, "short"),
        ("a  b\n c", 10, "a b c"),
        ("one two three", 9, "one two…"),
        ("abcdefghijkl", 6, "abcde…"),
        ("", 5, ""),
    ],
)
def test_texts_are_cut_at_words(text, n, expected):
    assert cut(text, n) == expected
    assert len(cut(text, n)) <= n
