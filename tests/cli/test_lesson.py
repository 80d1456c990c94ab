"""``quire lesson``: the list, one page, all pages, and what goes wrong."""

import json

import pytest
from tests.helpers.cli import assert_failed

from quire import lessons


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_list(run):
    code, out, err = run("lesson")
    assert (code, err) == (0, "")
    for name, about in lessons.LESSONS.items():
        assert name.replace("_", "-") in out
        assert about in out
    code, out, _ = run("lesson", "--json")
    assert [one["name"].replace("-", "_") for one in json.loads(out)] == list(lessons.LESSONS)


def test_one_page(run, folder):
    assert run("lesson", "naive-bayes") == (0, "", "quire: wrote naive-bayes.html\n")
    page = (folder / "naive-bayes.html").read_text(encoding="utf-8")
    assert page == lessons.naive_bayes().html
    code, out, err = run("lesson", "naive_bayes", "-o", "x.html", "--json")
    assert (code, err) == (0, "quire: wrote x.html\n")
    assert json.loads(out)["page"] == "x.html"


def test_a_file_of_ones_own(run, folder):
    rows = "body,kind\ngoal match,sport\nvote law,law\ngoal team,sport\nsenate law,law\n"
    (folder / "x.csv").write_text(rows)
    options = ("--text", "body", "--label", "kind", "--document", "goal law")
    code, _, err = run("lesson", "naive-bayes", folder / "x.csv", *options)
    assert (code, err) == (0, "quire: wrote naive-bayes.html\n")
    page = (folder / "naive-bayes.html").read_text(encoding="utf-8")
    assert "senate" in page
    assert "documents from x.csv" in page
    assert str(folder) not in page


def test_all_pages(run, folder, monkeypatch):
    monkeypatch.setattr(lessons._write_all, "LESSONS", {"naive_bayes": ""})
    code, out, _ = run("lesson", "all", "--json", "-o", "pages")
    assert code == 0
    assert json.loads(out)["pages"] == ["pages/naive-bayes.html", "pages/index.html"]
    assert (folder / "pages" / "index.html").is_file()


def test_open(run, monkeypatch):
    opened = []
    monkeypatch.setattr("typer.launch", opened.append)
    run("lesson", "naive-bayes", "--open")
    assert [one.split("/")[-1] for one in opened] == ["naive-bayes.html"]


def test_what_goes_wrong(run):
    assert_failed(run("lesson", "naive-bays"), "Did you mean naive-bayes?", code=2)
    assert_failed(run("lesson", "zzz"), "quire lesson lists them", code=2)
    wrong = run("lesson", "naive-bayes", "--column", "x")
    assert_failed(wrong, "does not take --column", code=2)
    assert_failed(run("lesson", "all", "x.csv"), "does not take a file", code=2)
    assert_failed(run("lesson", "naive-bayes", "-o", "no/x.html"), "not there")
    assert_failed(run("lesson", "naive-bayes", "not-there.csv"), "not-there.csv")
