"""``quire data``: what comes with quire, as files."""

import polars as pl
import pytest

from quire.datasets import load_spam, load_table, table_names


def test_tables_are_listed_and_written(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, out, _ = run("data")
    assert all(name in out for name in table_names())
    code, out, _ = run("data", "spam")
    assert code == 0
    assert out == "80 rows; columns text, label\n"
    written = pl.read_csv("spam.csv")
    assert written["text"].to_list() == load_spam().texts.to_list()


def test_parts_have_no_row_in_common(run, tmp_path):
    parts = []
    for part in ("1/3", "2/3", "3/3"):
        path = tmp_path / f"{part[0]}.parquet"
        assert run("data", "spam", "--part", part, "-o", path)[0] == 0
        parts.append(pl.read_parquet(path))
        assert parts[-1]["label"].n_unique() == 2
    together = pl.concat(parts).sort("text")
    assert together.equals(load_table("spam").sort("text"))


@pytest.mark.parametrize("part", ["0/3", "4/3", "1", "a/b"])
def test_what_is_wrong_is_said(run, part):
    assert run("data", "spam", "--part", part)[0] == 2
    assert run("data", "nothing")[0] == 1
    assert run("data", "spam", "-o", "spam.doc")[0] == 2


@pytest.mark.parametrize("name", ["languages", "credit-cards", "icu"])
def test_tables_say_how_many_rows_they_have(name):
    words = table_names()[name].split()[0].replace(",", "")
    assert load_table(name).height == int(words)
