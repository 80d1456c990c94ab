"""`quire.io`: which columns become texts and labels, and the corpus itself."""

import io
from dataclasses import FrozenInstanceError

import polars as pl
import pytest

from quire.exceptions import CorpusError
from quire.io import read_corpus
from quire.io._columns import LABEL_NAMES, TEXT_NAMES

LONG = "a text that is a good deal longer than the names and keys around it"


@pytest.mark.parametrize("name", sorted(TEXT_NAMES[0] | TEXT_NAMES[1]))
def test_text_by_name(name: str) -> None:
    frame = pl.DataFrame({"author": ["x"], name.title(): ["y"], "place": ["z"]})
    corpus = read_corpus(frame)
    assert corpus.texts.to_list() == ["y"]
    assert corpus.text_columns == (name.title(),)
    assert corpus.notes == (
        f"texts from column {name.title()!r} (by its name; pass text= to choose)",
    )


def test_text_goes_before_other_names() -> None:
    assert read_corpus(pl.DataFrame({"title": ["x"], "text": ["y"]})).texts.to_list() == ["y"]


def test_only_string_column() -> None:
    corpus = read_corpus(pl.DataFrame({"id": [1], "notes": ["x"], "label": ["y"]}))
    assert corpus.texts.to_list() == ["x"]
    assert corpus.notes[0].startswith("texts from column 'notes' (the only column of strings;")


def test_only_string_column_beside_a_named_label() -> None:
    corpus = read_corpus(pl.DataFrame({"notes": ["x"], "genre": ["y"]}), label="genre")
    assert corpus.text_columns == ("notes",)


def test_longest_of_several_names() -> None:
    assert read_corpus(pl.DataFrame({"title": ["x"], "body": [LONG]})).text_columns == ("body",)


def test_longest_string_column() -> None:
    corpus = read_corpus(pl.DataFrame({"id": ["x1"], "notes": [LONG], "place": ["Rome"]}))
    assert corpus.texts.to_list() == [LONG]
    assert "by far the longest strings" in corpus.notes[0]


@pytest.mark.parametrize(
    "columns",
    [
        {"left": [LONG], "right": [LONG]},
        {"name": ["x"], "place": ["y"]},
        {"body": [LONG], "abstract": [LONG]},
        {"text": ["y"], "document": ["x"]},
    ],
)
def test_no_obvious_text(columns: dict[str, list[object]]) -> None:
    first, second = columns
    message = rf"not obvious. Pass text= with one of the columns '{first}', '{second}', or a list"
    with pytest.raises(ValueError, match=message):
        read_corpus(pl.DataFrame(columns))


@pytest.mark.parametrize("name", sorted(LABEL_NAMES[0] | LABEL_NAMES[1]))
def test_label_by_name(name: str) -> None:
    frame = pl.DataFrame({"text": ["x"], name.upper(): [3]})
    corpus = read_corpus(frame)
    assert corpus.labels is not None
    assert corpus.labels.to_list() == [3]
    assert corpus.label_column == name.upper()
    assert f"labels from column {name.upper()!r}" in corpus.notes[1]
    assert read_corpus(frame, label=False).labels is None
    assert read_corpus(frame, label=False).label_column is None


def test_several_possible_labels_give_none() -> None:
    corpus = read_corpus(pl.DataFrame({"text": ["x"], "class": [1], "target": [2]}))
    assert corpus.labels is None
    assert corpus.notes[1] == (
        "no labels: 'class', 'target' could all be the label; pass label= to choose"
    )


def test_a_column_of_lists_is_a_label_if_it_is_named() -> None:
    frame = pl.DataFrame({"text": ["x", "y"], "labels": [["a", "b"], ["a"]]})
    assert read_corpus(frame).labels is None
    corpus = read_corpus(frame, label="labels")
    assert corpus.labels is not None
    assert corpus.labels.to_list() == [["a", "b"], ["a"]]
    assert "labels: 'labels', 2 labels, several of them for a text" in repr(corpus)


def test_other_nested_columns_are_no_label() -> None:
    frame = pl.DataFrame({"text": ["x"], "labels": [{"a": 1}], "deep": [[["a"]]]})
    for name in ("labels", "deep"):
        with pytest.raises(ValueError, match=f"label column {name!r} holds"):
            read_corpus(frame, label=name)


def test_no_label_column() -> None:
    corpus = read_corpus(pl.DataFrame({"text": ["x"], "year": [3]}))
    assert corpus.labels is None
    assert len(corpus.notes) == 1


def test_columns_named() -> None:
    frame = pl.DataFrame({"text": ["x"], "other": ["y"], "label": [1], "party": ["z"]})
    corpus = read_corpus(frame, text="other", label="party")
    assert corpus.texts.to_list() == ["y"]
    assert corpus.labels is not None
    assert corpus.labels.to_list() == ["z"]
    assert corpus.notes == ()


@pytest.mark.parametrize("parameter", ["text", "label"])
def test_column_that_does_not_exist(parameter: str) -> None:
    frame = pl.DataFrame({"Review": ["x"], "stars": [1]})
    with pytest.raises(
        ValueError,
        match=rf"{parameter}='reviews' is not a column\. Did you mean 'Review'\? The columns are "
        "'Review', 'stars'",
    ):
        read_corpus(frame, **{parameter: "reviews"})
    with pytest.raises(ValueError, match=r"'qqq' is not a column\. The columns are"):
        read_corpus(frame, **{parameter: "qqq"})


def test_text_and_label_are_the_same() -> None:
    with pytest.raises(ValueError, match="'text' is named both as text and label"):
        read_corpus(pl.DataFrame({"text": ["x"]}), text="text", label="text")


@pytest.mark.parametrize(
    "values", [[1, 2], [1.5, 2.5], [True, False], [b"a", b"b"], [["a"], ["b"]]]
)
def test_text_that_is_not_text(values: list[object]) -> None:
    frame = pl.DataFrame({"n": values})
    message = r"text column 'n' holds .*, and texts are strings.*schema_overrides={'n': polars.S"
    with pytest.raises(ValueError, match=message):
        read_corpus(frame, text="n")


def test_numbers_as_texts_on_request() -> None:
    frame = pl.DataFrame({"n": [1, 20]})
    corpus = read_corpus(frame, text="n", schema_overrides={"n": pl.String})
    assert corpus.texts.to_list() == ["1", "20"]


def test_several_text_columns() -> None:
    frame = pl.DataFrame({"title": ["T", None, None], "body": ["b", "c", None]})
    corpus = read_corpus(frame, text=["title", "body"], missing="empty")
    assert corpus.texts.to_list() == ["T\nb", "c", ""]
    assert corpus.text_columns == ("title", "body")
    assert read_corpus(frame[:1], text=("body", "title"), join=" / ").texts.to_list() == ["b / T"]
    with pytest.raises(ValueError, match="in 1 of 3 rows of column 'title', 'body': row 2"):
        read_corpus(frame, text=["title", "body"])


def test_joined_csv_columns_keep_their_digits() -> None:
    corpus = read_corpus(io.StringIO("code,body\n07,a\n8,b\n"), format="csv", text=["code", "body"])
    assert corpus.texts.to_list() == ["07\na", "8\nb"]


@pytest.fixture
def frame() -> pl.DataFrame:
    return pl.DataFrame({"text": list("abcd"), "label": [1, 0, 1, 1], "year": [1, 2, 3, 4]})


def test_corpus_is_a_sequence_of_texts(frame: pl.DataFrame) -> None:
    corpus = read_corpus(frame)
    assert len(corpus) == 4
    assert list(corpus) == list("abcd")
    assert corpus[-1] == "d"
    with pytest.raises(IndexError):
        corpus[4]
    with pytest.raises(FrozenInstanceError):
        corpus.texts = frame["text"]


@pytest.mark.parametrize(
    "rows", [slice(1, 3), [1, 2], pl.Series([1, 2]), pl.Series([False, True, True, False])]
)
def test_part_of_a_corpus(frame: pl.DataFrame, rows: object) -> None:
    part = read_corpus(frame)[rows]
    assert part.texts.to_list() == ["b", "c"]
    assert part.labels.to_list() == [0, 1]
    assert part.frame["year"].to_list() == [2, 3]
    assert part.text_columns == ("text",)


def test_filter(frame: pl.DataFrame) -> None:
    corpus = read_corpus(frame.with_columns(title=pl.lit("T")), text=["title", "text"], join="")
    part = corpus.filter((pl.col("year") > 1) & (pl.col("label") == 1))
    assert part.texts.to_list() == ["Tc", "Td"]
    assert part.frame.columns == ["text", "label", "year", "title"]
    assert part.labels is not None
    assert part.labels.to_list() == [1, 1]


def test_repr(frame: pl.DataFrame) -> None:
    assert repr(read_corpus(frame, text="text", label="label")) == (
        "Corpus of 4 texts from the data frame\n"
        "  texts:  'text'\n"
        "  labels: 'label', 2 classes: 1 (3), 0 (1)\n"
        "  others: 'year'"
    )
    many = pl.DataFrame({"text": list("abcdefg"), "label": list("tuvwxyz")})
    assert "7 classes: t (1), u (1), v (1), w (1), x (1), and 2 more" in repr(read_corpus(many))
    scores = pl.DataFrame({"text": list("ab"), "label": [0.5, 2.5]})
    assert "labels: 'label', Float64 from 0.5 to 2.5" in repr(read_corpus(scores))
    assert "Corpus of 1 text from" in repr(read_corpus(frame[:1]))


def test_sources_that_cannot_be_read_have_an_error_of_their_own():
    with pytest.raises(CorpusError, match="which column holds the texts"):
        read_corpus(pl.DataFrame({"first": ["a b"], "second": ["c d"]}))
