"""Tables that commands write: formats, the numbers of rows, and what they must not replace."""

import io
import json

import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from tests.helpers.cli import assert_failed

import quire
from quire._shared.workbook import write_workbook
from quire.feature_extraction.text import CountVectorizer
from quire.io import read_corpus
from quire.naive_bayes import MultinomialNB

TEXTS = ["good film", "bad film", "=1+1 good", None, "wholly new", "tab\there\x00"]


@pytest.fixture
def folder(tmp_path):
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(TEXTS[:3], ["pos", "neg", "pos"])
    quire.save(model, tmp_path / "m.quire", metadata={"text": ["text"]})
    table = pl.DataFrame({"key": list("abcdef"), "text": TEXTS})
    table.write_csv(tmp_path / "in.csv")
    return tmp_path


def read(path):
    if path.suffix == ".xlsx":
        return read_corpus(path, text="predicted", label=False).frame
    readers = {
        ".csv": pl.read_csv,
        ".tsv": lambda p: pl.read_csv(p, separator="\t"),
        ".json": lambda p: pl.DataFrame(json.loads(p.read_text())),
        ".ndjson": pl.read_ndjson,
        ".parquet": pl.read_parquet,
    }
    return readers[path.suffix](path)


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "ndjson", "parquet", "xlsx"])
@pytest.mark.parametrize("batch", [2, 100])
def test_predictions_are_written_as_the_name_says(run, folder, ending, batch):
    out = folder / f"out.{ending}"
    code, _, err = run(
        "predict", folder / "m.quire", folder / "in.csv", "-o", out, "--batch", batch
    )
    assert code == 0, err
    found = read(out)
    assert found.columns == ["key", "text", "predicted", "probability", "p(neg)", "p(pos)"]
    assert found["key"].to_list() == list("abcdef")
    assert found["predicted"].to_list()[:3] == ["pos", "neg", "pos"]
    assert found["p(pos)"].dtype == pl.Float64
    assert found["text"][2] == "=1+1 good"


def test_unknown_endings_are_refused_before_the_work(run, folder):
    outcome = run("predict", folder / "m.quire", folder / "in.csv", "-o", folder / "out.docx")
    assert_failed(outcome, ".parquet", ".xlsx", code=2)


def test_a_key_or_the_number_of_the_row_stays(run, folder):
    arguments = ("predict", folder / "m.quire", folder / "in.csv", "--missing", "drop")
    arguments += ("--no-probabilities",)
    code, out, _ = run(*arguments, "--id", "row", "--id", "key")
    assert code == 0
    assert out.splitlines()[0] == "row,key,predicted"
    assert [line.split(",")[:2] for line in out.splitlines()[3:5]] == [["2", "c"], ["4", "e"]]
    assert_failed(run(*arguments, "--id", "absent"), "no column 'absent' to keep", "key, text")


@pytest.mark.parametrize("name", ["in.csv", "m.quire"])
def test_what_is_read_is_not_replaced(run, folder, name):
    before = (folder / name).read_bytes()
    out = folder / name
    if name == "m.quire":
        out = folder / "link.csv"
        out.symlink_to(folder / name)
    assert_failed(
        run("predict", folder / "m.quire", folder / "in.csv", "-o", out), "would be replaced"
    )
    assert (folder / name).read_bytes() == before


def test_tables_of_documents_can_be_joined_back(run, tmp_path):
    rows = [{"text": f"good film number{n % 3}", "row": n} for n in range(12)]
    rows[4]["text"] = None
    pl.DataFrame(rows).write_csv(tmp_path / "in.csv")
    common = (tmp_path / "in.csv", "--missing", "drop", "--min-df", 1, "--max-df", "1.0")
    for command in (("cluster", "-k", 2), ("map", "--json")):
        out = tmp_path / f"{command[0]}.csv"
        arguments = (command[0], common[0], *command[1:], *common[1:], "--documents-out", out)
        code, _, err = run(*arguments)
        assert code == 0, err
        found = pl.read_csv(out)
        assert found.columns[0] == "row_"  # the file has a "row"
        assert found["row_"].to_list() == [0, 1, 2, 3, *range(5, 12)]
        assert found["row_"].to_list() == found["row"].to_list()


def test_documents_without_a_word_are_in_no_topic(run, tmp_path):
    texts = ["cat dog cat", "dog cat dog", "tax vote law", "law tax vote"] * 6
    texts[3], texts[8] = "x", ""
    pl.DataFrame({"text": texts}).write_ndjson(tmp_path / "in.ndjson")
    out, model = tmp_path / "topics.csv", tmp_path / "t.quire"
    code, shown, err = run(
        *("topics", tmp_path / "in.ndjson", "-k", 2, "--iterations", 30, "--json"),
        *("--documents-out", out, "--model", model),
    )
    assert code == 0, err
    said = json.loads(shown)
    assert said["empty"] == 2
    assert sum(topic["documents"] for topic in said["topics"]) == 22
    for table in (pl.read_csv(out), predicted(run, model, tmp_path / "in.ndjson")):
        nowhere = table.with_row_index("at").filter(pl.col("topic").is_null())
        assert nowhere["at"].to_list() == [3, 8]
        assert nowhere["topic 0"].null_count() == 2
        assert table["share"].drop_nulls().min() > 0.5


def predicted(run, model, path):
    code, out, err = run("predict", model, path, "--text", "text")
    assert code == 0, err
    return pl.read_csv(io.StringIO(out))


def test_a_workbook_holds_texts_and_no_formulas():
    table = pl.DataFrame(
        {"t": ["=1+1", "<a> & b", " x\x07 "], "n": [1, None, 3], "f": [0.5, float("nan"), -1e-9],
         "b": [True, False, None]}
    )  # fmt: skip
    file = io.BytesIO()
    assert write_workbook([table[:1], table[1:]], file) == 3
    found = pl.read_excel(io.BytesIO(file.getvalue()), engine="calamine")
    assert found["t"].to_list() == ["=1+1", "<a> & b", " x\ufffd "]
    assert found["n"].to_list() == [1, None, 3]
    assert found["f"].to_list() == [0.5, None, -1e-9]
    assert found["b"].to_list() == [True, False, None]
    with pytest.raises(ValueError, match="at most 32,767 letters"):
        write_workbook([pl.DataFrame({"t": ["x" * 40_000]})], io.BytesIO())
