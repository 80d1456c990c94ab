"""`quire.report.export`: tables and figures as files."""

import csv
import io
import json

import numpy as np
import polars as pl
import pytest

import quire
from quire.io import read_corpus
from quire.model_selection import compare, evaluate
from quire.report import export

TABLES = ["models", "folds", "classes", "confusion", "predictions"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "corpus.csv"
    rows = [(f"{word} film {n}", word) for n in range(12) for word in ("50%_good", "ba|d")]
    rows.insert(3, (None, "ba|d"))
    pl.DataFrame(rows, schema=["text", "label"], orient="row").write_csv(path)
    return path


@pytest.fixture(scope="module")
def comparison(file):
    corpus = read_corpus(file, missing="drop")
    return compare(corpus, models=["multinomial-nb", "majority"], cv=3, checks=False)


def test_tables_of_a_comparison(comparison, tmp_path):
    files = export(comparison, tmp_path / "new", figures=())
    assert [path.name for path in files] == [
        f"{n}.{e}" for n in TABLES for e in ("csv", "tex", "md")
    ]
    models = pl.read_csv(tmp_path / "new" / "models.csv")
    assert models["accuracy"].to_list() == comparison.to_frame()["accuracy"].to_list()
    folds = pl.read_csv(tmp_path / "new" / "folds.csv").filter(pl.col("model") == "majority")
    np.testing.assert_array_equal(folds["accuracy"], comparison["majority"].scores["accuracy"])
    confusion = pl.read_csv(tmp_path / "new" / "confusion.csv")
    assert confusion.drop("label").to_numpy().sum() == 24
    predicted = pl.read_csv(tmp_path / "new" / "predictions.csv")
    right = (predicted["label"] == predicted["predicted"]).sum()
    assert right == np.trace(confusion.drop("label").to_numpy())


def test_marks_of_latex_and_markdown_are_escaped(comparison, tmp_path):
    export(comparison, tmp_path, figures=(), tables=("tex", "md"))
    latex = (tmp_path / "classes.tex").read_text()
    assert r"50\%\_good" in latex
    assert "ba|d" in latex
    assert latex.startswith("\\begin{tabular}{lrrrr")
    assert len({line.count("&") for line in latex.splitlines() if "&" in line}) == 1
    page = (tmp_path / "classes.md").read_text().splitlines()
    assert any("ba\\|d" in line for line in page)
    assert len({line.replace("\\|", "").count("|") for line in page}) == 1


def test_figures_are_the_same_bytes_again(comparison, tmp_path):
    pytest.importorskip("matplotlib")
    made = [export(comparison, tmp_path / name, tables=()) for name in ("one", "two")]
    assert [path.name for path in made[0]] == ["models.svg", "models.pdf", "models.png"]
    for one, two in zip(*made, strict=True):
        assert one.read_bytes() == two.read_bytes()
    assert made[0][0].read_text().startswith("<?xml")
    assert made[0][1].read_bytes().startswith(b"%PDF")


def test_an_evaluation_a_model_and_frames(comparison, file, tmp_path):
    corpus = read_corpus(file, missing="drop")
    found = evaluate(comparison.model, corpus)
    names = {path.stem for path in export(found, tmp_path / "e", figures=())}
    assert names == {"scores", "classes", "confusion", "calibration"}
    terms = export(comparison.model, tmp_path / "m", tables=["csv"])
    rows = list(csv.DictReader(io.StringIO(terms[0].read_text())))
    assert {row["class"] for row in rows} == {"50%_good", "ba|d"}
    long = pl.DataFrame({"n": range(501)})
    files = export({"short": long[:2], "long": long}, tmp_path / "f")
    assert [path.name for path in files] == ["short.csv", "short.tex", "short.md", "long.csv"]
    with pytest.raises(ValueError, match="figures is"):
        export(found, tmp_path, figures="svg")


def test_the_commands_export(run, file, tmp_path):
    folder, model = tmp_path / "out", tmp_path / "m.quire"
    options = ("--models", "multinomial-nb", "--folds", 3, "--missing", "drop")
    code, _, err = run("compare", file, *options, "--export", folder, "--save", model)
    assert code == 0, err
    assert "files to" in err
    predicted = pl.read_csv(folder / "predictions.csv")
    assert predicted["row"].to_list() == [0, 1, 2, *range(4, 25)]  # as in the file
    assert run("evaluate", model, file, "--export", tmp_path / "e")[0] == 0
    assert (tmp_path / "e" / "scores.tex").is_file()
    assert run("terms", file, "--missing", "drop", "--export", tmp_path / "t")[0] == 0
    assert pl.read_csv(tmp_path / "t" / "terms.csv")["class"].n_unique() == 2
    assert run("export", model, tmp_path / "x", "--top", 2)[0] == 0
    words = pl.read_csv(tmp_path / "x" / "terms.csv").group_by("class").agg("term").sort("class")
    assert words["term"].to_list() == [["50", "_good"], ["ba"]]  # none that says nothing
    assert quire.load(model) is not None
    code, out, err = run("export", model, file)
    assert (code, out) == (1, "")
    assert "is a file; --export needs a folder" in err
    assert json.loads(run("evaluate", model, file, "--json")[1])["documents"] == 25
