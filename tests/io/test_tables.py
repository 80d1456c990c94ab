"""`quire.io`: tables of numbers and categories, without texts."""

import io

import polars as pl
import pytest

from quire._shared.column_kinds import kind_of_column, kinds_of_columns
from quire.exceptions import CorpusError
from quire.io import Corpus, read_batches, read_corpus

CARDS = """id,marital,income,age,home,approved
1,single,30.5,23,rent,no
2,married,72.0,45,own,yes
3,single,NA,31,rent,no
4,divorced,51.2,52,own,yes
5,married,66.1,38,own,yes
6,single,28.4,27,rent,no
"""


def cards(**options: object) -> Corpus:
    return read_corpus(io.StringIO(CARDS), format="csv", label="approved", **options)


def test_a_category_is_not_taken_for_the_text() -> None:
    corpus = cards()
    assert corpus.kind == "table"
    assert corpus.text_columns == ()
    assert corpus.feature_columns == ("marital", "income", "age", "home")
    assert len(corpus) == 6
    assert corpus.frame["income"].to_list() == [30.5, 72.0, None, 51.2, 66.1, 28.4]
    assert corpus.notes == (
        "'NA' is a missing number in column 'income'",
        "a table without texts: 2 numbers ('income', 'age'), 2 categories ('marital', 'home')"
        "; pass columns= or text= to choose",
        "left out: 'id' (a number or key of the row)",
    )
    assert "Corpus of 6 rows" in repr(corpus)


def test_the_guess_can_be_changed() -> None:
    assert cards(text="marital").texts.to_list()[:2] == ["single", "married"]
    assert cards(text="marital").kind == "texts"
    assert cards(columns=["age", "home"]).feature_columns == ("age", "home")
    both = cards(text="marital", columns="age")
    assert (both.kind, both.text_columns, both.feature_columns) == ("both", ("marital",), ("age",))
    assert cards(columns=["id", "age"]).feature_columns == ("id", "age")


def test_rows_of_a_table() -> None:
    corpus = cards()
    assert len(corpus[2:4]) == 2
    assert corpus[2:4].labels.to_list() == ["no", "yes"]
    assert corpus.filter(pl.col("age") > 40).frame["id"].to_list() == [2, 4]
    with pytest.raises(TypeError, match="no texts in this table"):
        corpus[0]


def test_a_table_in_parts() -> None:
    source = io.StringIO(CARDS)
    parts = list(read_batches(source, batch_size=2, format="csv", label="approved"))
    assert [len(part) for part in parts] == [2, 2, 2]
    assert parts[1].frame["income"].to_list() == [None, 51.2]
    assert all(part.kind == "table" for part in parts)


def test_columns_that_do_not_fit() -> None:
    with pytest.raises(
        CorpusError, match=r"columns='incom' is not a column. Did you mean 'income'"
    ):
        cards(columns="incom")
    with pytest.raises(CorpusError, match="'approved' is named to learn from, and it is the label"):
        cards(columns="approved")
    with pytest.raises(ValueError, match="one or more different columns"):
        cards(columns=[])


def test_numbers_alone_are_a_table() -> None:
    corpus = read_corpus(pl.DataFrame({"n": [1, 4, 2], "m": [2.5, 0.5, 1.5]}))
    assert corpus.feature_columns == ("n", "m")
    assert corpus.labels is None


@pytest.mark.parametrize("name", ["title", "question", "description"])
def test_a_name_does_not_make_a_category_a_text(name: str) -> None:
    table = pl.DataFrame({name: ["Mr", "Mrs", "Mr", "Miss"], "age": [3, 5, 4, 5]})
    assert read_corpus(table).feature_columns == (name, "age")
    assert read_corpus(table.rename({name: "text"})).text_columns == ("text",)


def test_prose_beside_categories_and_numbers_is_the_text() -> None:
    remarks = ["He paid late in May and June.", "Always on time, and a friend of ours.", "No."]
    table = pl.DataFrame(
        {"marital": ["a", "b", "a"], "remarks": remarks, "income": [3.5, 1.5, 2.5]}
    )
    corpus = read_corpus(table)
    assert corpus.text_columns == ("remarks",)
    assert corpus.feature_columns == ()
    assert "the only column of strings that are not categories" in corpus.notes[0]


def test_names_and_keys_are_no_texts() -> None:
    table = pl.DataFrame(
        {
            "patient": [f"P{n:04}" for n in range(40)],
            "admitted": [f"2024-02-{n % 28 + 1:02}" for n in range(40)],
            "heart rate": [60.0 + n % 7 for n in range(40)],
        }
    )
    corpus = read_corpus(table)
    assert corpus.feature_columns == ("heart rate",)
    assert "'patient' (another value in nearly every row)" in corpus.notes[-1]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 5, 2], "number"),
        ([1.5, None], "number"),
        ([True, False], "category"),
        (["a", "b", "a"], "category"),
        (["own", "own", None], "category"),
        (["own", "own", "own"], "constant"),
        ([None, None], "empty"),
        (["", " "], "empty"),
        ([[1], [2]], "nested"),
        (["Ada Byron", "Alan Turing", "Grace Hopper"], "names"),
        (["I agree with all of this."] * 50 + ["I do not agree with any of it."] * 50, "category"),
        ([f"A sentence with the number {n} in it." for n in range(9)], "prose"),
    ],
)
def test_kinds_of_columns(values: list[object], kind: str) -> None:
    assert kind_of_column(pl.Series("x", values, strict=False)) == kind


def test_whole_numbers_that_number_the_rows() -> None:
    table = pl.DataFrame(
        {
            "person_id": [7, 3, 9] * 4,
            "case_id": range(100, 112),
            "n": range(1, 13),
            "year": [2000 + n for n in range(12)],
            "visits": [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8],
        }
    )
    kinds = kinds_of_columns(table)
    assert kinds.numbers == ["person_id", "year", "visits"]
    assert list(kinds.left_out) == ["case_id", "n"]
