"""``quire check``: what it prints, writes and returns."""

import json

import polars as pl
import pytest
from tests.helpers.cli import assert_failed
from tests.helpers.random_texts import random_words

from quire.checks import check_texts


@pytest.fixture
def file(tmp_path):
    texts = random_words(60, 30)
    texts[40] = texts[3]
    split = ["train"] * 30 + ["test"] * 30
    path = tmp_path / "c.csv"
    pl.DataFrame({"text": texts, "label": ["a", "b"] * 30, "split": split}).write_csv(path)
    return path


def test_check_prints_what_was_found(run, file):
    code, out, err = run("check", file)
    assert code == 0, err
    assert out.startswith("60 documents: 1 error, 1 warning\n")
    for finding in check_texts(file):
        assert finding.what in out
        assert finding.why in out
    assert "hold each group" not in out
    assert "--groups." in out
    assert "quire: parts: column 'split'" in err


def test_check_json_and_rows(run, file, tmp_path):
    rows = tmp_path / "rows.csv"
    code, out, err = run("check", file, "--json", "--documents-out", rows)
    assert code == 0, err
    found = json.loads(out)
    assert found["file"] == str(file)
    assert [one["code"] for one in found["findings"]] == ["QT003", "QT001"]
    assert pl.read_csv(rows)["row"].to_list() == [3, 40, 3, 40]


def test_silence_and_strict(run, file):
    assert run("check", file, "--strict")[0] == 1
    code, out, _ = run("check", file, "--strict", "--silence", "QT003,QT001")
    assert code == 0
    assert out == "60 documents: nothing was found\n"
    assert_failed(run("check", file, "--silence", "QT1"), "There is no check QT1")


def test_parts_can_be_named(run, file, tmp_path):
    table = pl.read_csv(file).with_columns(split=pl.lit("all"), half=pl.col("split"))
    table.write_csv(tmp_path / "d.csv")
    assert (
        "in more than one of 'train', 'test'"
        in run("check", tmp_path / "d.csv", "--split", "half")[1]
    )
    assert "10 random folds" in run("check", tmp_path / "d.csv", "--folds", 10)[1]
    assert_failed(run("check", file, "--split", "no"), "no column 'no'")
    assert_failed(run("check", file, "--label", "no"), "no")


def test_texts_are_needed(run, tmp_path):
    pl.DataFrame({"a": [1, 2, 3], "b": [1.5, 2.5, 3.5]}).write_csv(tmp_path / "n.csv")
    assert_failed(run("check", tmp_path / "n.csv"), "no texts")
