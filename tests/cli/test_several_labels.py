"""Several labels from a file to a report: every command that learns from them, or refuses them."""

import json

import polars as pl
import pytest
from tests.helpers.cli import assert_failed

from quire.datasets import make_multilabel_texts

DATA = make_multilabel_texts(120, n_labels=4, separation=14.0, mean_length=40.0, random_state=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    joined = DATA.labels.joined()
    table = pl.DataFrame({"text": DATA.texts, "topics": joined})
    table.write_csv(folder / "train.csv")
    lists = pl.Series("topics", [list(one) for one in DATA.labels])
    table.with_columns(lists).write_parquet(folder / "lists.parquet")
    semicolons = table.with_columns(pl.col("topics").str.replace_all("|", "; ", literal=True))
    semicolons.write_csv(folder / "semicolons.csv")
    return folder


@pytest.fixture
def model(run, folder):
    path = folder / "model.quire"
    if not path.exists():
        code, _, err = run(
            "fit", folder / "train.csv", "--label", "topics", "--model", "multinomial-nb",
            "--folds", 2, "-o", path,
        )  # fmt: skip
        assert code == 0, err
    return path


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("train.csv", ()),
        ("train.csv", ("--task", "multilabel")),
        ("lists.parquet", ()),
        ("semicolons.csv", ("--label-separator", ";")),
    ],
)
def test_compare_takes_every_form(run, folder, file, options):
    command = ("compare", folder / file, "--label", "topics", "--models", "multinomial-nb,majority")
    code, out, err = run(*command, "--folds", 2, "--by-class", *options)
    assert code == 0, err
    assert "120 documents, 4 labels, 2 folds" in out
    assert "micro F1" in out
    assert "label 3" in out
    assert "have no label, and count as such" in err
    said = "--task multiclass takes each value for a class" in err
    assert said is (file == "train.csv" and not options)


def test_one_class_for_each_value_if_that_is_said(run, folder):
    command = ("compare", folder / "train.csv", "--label", "topics", "--models", "majority")
    code, out, err = run(*command, "--folds", 2, "--task", "multiclass", "--json")
    assert code == 0, err
    assert json.loads(out)["task"] == "multiclass"
    assert "rows are left out: no label" in err


def test_rare_labels_are_left_out_and_their_rows_are_kept(run, folder):
    least = int(sorted(DATA.labels.sizes)[1])
    command = ("compare", folder / "train.csv", "--label", "topics", "--models", "majority")
    code, out, err = run(*command, "--folds", 2, "--min-class", least, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["documents"], len(found["classes"])) == (120, 3)
    assert f"1 label of fewer than {least} rows left out: label 3" in err


def test_predict_writes_labels_and_their_probabilities(run, folder, model):
    code, out, err = run("predict", model, folder / "train.csv", "-o", folder / "out.csv")
    assert code == 0, err
    table = pl.read_csv(folder / "out.csv").with_columns(pl.col("predicted").fill_null(""))
    assert table.columns[2:] == ["predicted", *(f"p(label {k})" for k in range(4))]
    known = set(DATA.labels.classes)
    assert all(set(one.split("|")) <= known | {""} for one in table["predicted"])
    assert any("|" in one for one in table["predicted"])
    code, out, _ = run("predict", model, folder / "train.csv", "--json", "--no-probabilities")
    assert code == 0
    assert json.loads(out.splitlines()[0])["predicted"] == table["predicted"][0]


def test_evaluate_explain_and_inspect(run, folder, model):
    code, out, err = run("evaluate", model, folder / "train.csv")
    assert code == 0, err
    assert "micro F1" in out
    assert "hamming loss" in out
    assert "have no label, and count as such" in err
    other = run(
        "evaluate", model, folder / "semicolons.csv", "--label", "topics", "--label-separator", ";"
    )
    assert other[1] == out
    code, out, err = run("explain", model, DATA.texts[0], "--target", "label 0")
    assert code == 0, err
    assert "label 0 rather than not" in out
    code, out, err = run("explain", model, DATA.texts[0], "--json")
    assert code == 0, err
    assert all(one["target"].startswith("label") for one in json.loads(out))
    code, out, err = run("inspect", model)
    assert code == 0, err
    assert "labels      4: label 0" in out
    assert "multilabel" in out


def test_report(run, folder):
    pytest.importorskip("vl_convert")
    command = ("report", folder / "train.csv", "--label", "topics", "--folds", 2)
    page = folder / "report.html"
    code, _, err = run(*command, "--models", "linear-svm,majority", "-o", page)
    assert code == 0, err
    text = page.read_text(encoding="utf-8")
    assert "Labels that go together" in text
    assert "Superfluous" in text


def test_commands_for_one_label_say_so(run, folder):
    for command in ("audit", "cluster", "map", "terms"):
        assert_failed(run(command, folder / "lists.parquet", "--label", "topics"), "several")
    for file in ("lists.parquet", "train.csv"):
        assert_failed(run("curve", folder / file, "--label", "topics"), "several labels for a row")


def test_options_that_do_not_fit(run, folder):
    command = ("compare", folder / "train.csv", "--label", "topics", "--models", "majority")
    assert_failed(run(*command, "--threshold", "f1"), "leave --threshold out")
    assert_failed(run(*command, "--metric", "roc_auc"), "no metric called 'roc_auc'")
    assert_failed(
        run(*command, "--task", "binary", "--label-separator", ";"), "leave one of them out"
    )
