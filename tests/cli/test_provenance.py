"""What commands write says which command it was, and of which data."""

import hashlib
import json
import re

import polars as pl
import pytest

from quire._shared.digests import rows_digest
from quire.persistence import read_info

TEXTS = ["a good film", "a fine plot", "a bad film", "no plot at all"] * 5
LABELS = ["pos", "pos", "neg", "neg"] * 5
YEARS = [2001, 2002, 2003, 2004] * 5


@pytest.fixture
def films(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"text": TEXTS, "label": LABELS, "year": YEARS}).write_csv("films.csv")
    return hashlib.sha256((tmp_path / "films.csv").read_bytes()).hexdigest()


def page_provenance(path):
    return json.loads(re.search('id="provenance">(.*?)</script>', path.read_text("utf-8"))[1])


COMMANDS = {
    "compare films.csv --models multinomial-nb --folds 2": (True, {}),
    "compare films.csv --models ridge --task continuous --label year --folds 2": ("year", {}),
    "topics films.csv --topics 2 --iterations 20 --by year": (False, {"year": YEARS}),
    "cluster films.csv -k 2 --label label": (True, {}),
    "cluster films.csv -k 2": (False, {}),
    "map films.csv --label label": (False, {"label": LABELS}),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_pages_and_models_say_the_command_and_the_data(run, films, tmp_path, command):
    labels, columns = COMMANDS[command]
    flags = {"compare": "--save", "topics": "--model"}
    arguments = [*command.split(), "--report", "page.html"]
    arguments += [flags.get(arguments[0], "--model"), "one.quire", "--seed", "3"]
    code, _, err = run(*arguments)
    assert code == 0, err
    labels = {True: LABELS, "year": YEARS, False: None}[labels]
    for said in (page_provenance(tmp_path / "page.html"), read_info("one.quire").provenance):
        assert said["command"] == " ".join(["quire", *arguments])
        assert said["inputs"] == [{"role": "file", "name": "films.csv", "sha256": films}]
        assert said["rows"] == rows_digest(texts=TEXTS, labels=labels, columns=columns)
        assert said["seed"] == 3


def test_tables_are_the_columns_that_models_learn_from(run, films, tmp_path):
    run("fit", "films.csv", "--columns", "year", "--label", "label", "-o", "one.quire",
        "--model", "mixed-nb", "--folds", "2")  # fmt: skip
    rows = rows_digest(labels=LABELS, columns={"year": YEARS})
    assert read_info("one.quire").provenance["rows"] == rows


def test_rows_are_the_same_from_another_format(run, films, tmp_path):
    pl.read_csv("films.csv").write_parquet("films.parquet")
    for name in ("films.csv", "films.parquet"):
        run("fit", name, "--model", "multinomial-nb", "--folds", "2", "-o", f"{name}.quire")
    one, other = (read_info(f"{name}.quire").provenance for name in ("films.csv", "films.parquet"))
    assert one["rows"] == other["rows"]
    assert one["inputs"] != other["inputs"]


def test_other_files_are_inputs_too(run, films, tmp_path):
    (tmp_path / "names.csv").write_text("pos,good\nneg,bad\n")
    (tmp_path / "words.txt").write_text("a at\n")
    (tmp_path / "costs.csv").write_text("label,good,bad\ngood,0,1\nbad,5,0\n")
    code, _, err = run(
        *"fit films.csv -o one.quire --model multinomial-nb --folds 2".split(),
        *"--label-names names.csv --stop-words words.txt --costs costs.csv".split(),
    )
    assert code == 0, err
    said = read_info("one.quire").provenance
    assert [(one["role"], one["name"]) for one in said["inputs"]] == [
        ("file", "films.csv"),
        ("label_names", "names.csv"),
        ("costs", "costs.csv"),
        ("stop_words", "words.txt"),
    ]


def test_updates_name_the_old_model(run, films):
    run(*"fit films.csv -o one.quire --model multinomial-nb --folds 2".split())
    run(*"update one.quire films.csv -o two.quire".split())
    said = read_info("two.quire").provenance
    assert [one["role"] for one in said["inputs"]] == ["model", "file"]
    assert said["command"] == "quire update one.quire films.csv -o two.quire"


def test_inspect_shows_it(run, films):
    run(*"fit films.csv -o one.quire --model multinomial-nb --folds 2 --seed 4".split())
    _, out, _ = run("inspect", "one.quire")
    assert "made by     quire fit films.csv -o one.quire" in out
    assert f"films.csv (SHA-256 {films[:16]}...)" in out
    assert re.search("seed +4", out)
    _, out, _ = run("inspect", "one.quire", "--json")
    assert json.loads(out)["metadata"]["provenance"]["inputs"][0]["sha256"] == films
