"""Words in context: what stands around them, in which order, and as a table."""

import numpy as np
import polars as pl
import pytest

from quire.corpus import Context, Tokens, kwic

TEXTS = ["The cat saw the dog.", "A dog: gone! A dog's life", "", "Öl — the   DOG\nbarks"]


def test_contexts_are_the_text_as_it_is_written():
    found = kwic(TEXTS, "dog*", window=2)
    assert len(found) == 4
    assert found[0] == Context(0, 4, "saw the ", "dog", "", "dog*")
    assert found[1] == Context(1, 1, "A ", "dog", ": gone! A", "dog*")
    assert found[2].left == "gone! A "
    assert found[3] == Context(3, 2, "Öl — the   ", "DOG", "\nbarks", "dog*")
    assert [one.document for one in found] == found.documents.tolist() == [0, 1, 1, 3]
    assert found[-1] == found[3]
    assert kwic(TEXTS, "dog", window=0)[0].left == ""


def test_phrases_and_several_patterns():
    found = kwic(TEXTS, ["the dog", "dog"], window=1)
    assert [(one.keyword, one.pattern) for one in found] == [
        ("the dog", "the dog"),
        ("dog", "dog"),
        ("dog", "dog"),
        ("the   DOG", "the dog"),
        ("DOG", "dog"),
    ]
    assert found[3].left == "Öl — "


def test_orders():
    found = kwic(["b x a", "a x c", "c x b", "x"], "x")
    assert [one.right for one in found.sort("right")] == ["", " a", " b", " c"]
    assert [one.left for one in found.sort("left")] == ["", "a ", "b ", "c "]
    assert found.sort("right").sort("place").starts.tolist() == found.starts.tolist()
    both = kwic(["b a"], ["b", "a"]).sort("keyword")
    assert [one.keyword for one in both] == ["a", "b"]
    with pytest.raises(ValueError, match="by is 'up'"):
        found.sort("up")
    assert len(kwic(["a"], "x").sort("left")) == 0


def test_tables_have_the_columns_of_the_source():
    frame = pl.DataFrame({"text": TEXTS, "label": ["a", "b", "c", "d"], "document": [9, 9, 9, 9]})
    table = kwic(frame, "dog", window=1).to_frame()
    names = ["document", "position", "left", "keyword", "right", "pattern", "label"]
    assert table.columns == names
    assert table["document"].to_list() == [0, 1, 3]
    assert table["label"].to_list() == ["a", "b", "d"]
    assert kwic(frame, "nothing").to_frame().columns == names
    assert len(kwic(frame, "dog").to_frame(2)) == 2


def test_it_prints_the_first_ones():
    found = kwic(["a b c"] * 30, "b")
    assert str(found).splitlines()[-1] == "... and 10 more"
    assert len(str(found).splitlines()) == 21
    assert str(kwic(["a"], "x")) == "no occurrence"
    assert "<script" not in kwic(["<script> b </script>"], "b")._repr_html_()
    assert len(found[5:8]) == 3
    assert found[np.array([0, 2])].starts.tolist() == [1, 7]


@pytest.mark.parametrize("window", [-1, 1.5, True, "2"])
def test_windows_are_numbers(window):
    with pytest.raises(ValueError, match="window is"):
        kwic(TEXTS, "dog", window=window)


def test_options_are_for_making_tokens():
    assert len(kwic(TEXTS, "dog", tokens="words+punctuation")) == 3
    with pytest.raises(TypeError, match="data has them already"):
        kwic(Tokens(TEXTS), "dog", lowercase=False)
    lines = kwic(["שלום dog עולם"], "dog")
    assert (lines[0].left, lines[0].right) == ("שלום ", " עולם")
