"""``quire audit``: what it prints and writes."""

import json

import numpy as np
import polars as pl
import pytest
from tests.helpers.cli import assert_failed

from quire.datasets import make_text_classification
from quire.model_selection import audit_labels


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    data = make_text_classification(120, n_classes=2, separation=16.0, random_state=1)
    y = np.where(np.asarray(data.y) == np.unique(data.y)[0], "first", "second").astype(object)
    y[7] = {"first": "second", "second": "first"}[y[7]]
    y[50], y[51] = "?", None
    path = tmp_path_factory.mktemp("audit") / "c.csv"
    table = {"key": [f"k{n}" for n in range(120)], "text": list(data.texts), "label": list(y)}
    pl.DataFrame(table).write_csv(path)
    return path


def test_audit_prints_the_most_doubtful_first(run, file):
    code, out, err = run("audit", file, "--top", 3)
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].startswith("118 labels, ")
    assert lines[2].split() == ["row", "against", "label", "suggested", "words", "text"]
    assert lines[3].split()[0] == "7"
    assert len(lines) == 6
    assert "quire: left out, since they have no label: 2 of 120" in err


def test_audit_json(run, file):
    code, out, err = run("audit", file, "--json", "--top", 2, "--model", "logistic")
    assert code == 0, err
    found = json.loads(out)
    assert found["labels"][0]["row"] == 7
    assert found["how"] == "one Newton step for each document"
    assert len(found["labels"]) == 2


def test_documents_are_written_beside_their_rows(run, file, tmp_path):
    out = tmp_path / "rows.csv"
    code, _, err = run("audit", file, "--documents-out", out)
    assert code == 0, err
    written = pl.read_csv(out)
    assert written["row"].to_list() == list(range(120))
    assert written["key"].to_list() == [f"k{n}" for n in range(120)]
    assert written["rank"][7] == 1
    assert written["rank"].null_count() == 2
    labels = pl.read_csv(file)["label"].to_list()
    labels[50] = None
    audit = audit_labels(pl.read_csv(file)["text"], labels)
    assert written.filter(pl.col("rank") == 2)["row"].item() == audit.rows[1]


def test_folds_and_groups(run, file):
    code, out, err = run("audit", file, "--method", "folds", "--folds", 4)
    assert code == 0, err
    assert "left out by folds, 4 of them" in out
    assert "by folds" in run("audit", file, "--groups", "key")[1]


def test_what_does_not_fit_is_said(run, file, tmp_path):
    assert_failed(run("audit", file, "--model", "forest"), "naive-bayes", code=2)
    assert_failed(run("audit", file, "--method", "loo"), "leave-one-out", code=2)
    assert_failed(run("audit", file, "--groups", "no"), "no column 'no'")
    pl.DataFrame({"text": ["some words here", "others"]}).write_csv(tmp_path / "n.csv")
    assert_failed(run("audit", tmp_path / "n.csv"), "--label")
    assert_failed(run("audit", file, "--documents-out", "x.txt"), "x.txt", code=2)
