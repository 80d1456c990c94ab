"""Options of reading that all commands share, and messages that speak of options that exist."""

import ast
import io
import json
import re
import sys
from pathlib import Path

import polars as pl
import pytest
from tests.helpers.cli import assert_failed

import quire
from quire.cli._wording import in_options
from quire.io import read_corpus

TERMS = ("terms", "--top", "50", "--json")


@pytest.fixture
def write(tmp_path):
    def write(text, name="corpus.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def terms_of(outcome):
    code, out, err = outcome
    assert code == 0, err
    return {
        one["label"]: {term["term"] for term in one["top_terms"]}
        for one in json.loads(out)["classes"]
    }


def test_a_delimiter_is_taken_as_it_is_given(run, write):
    path = write("text;label\ngood, fine film;pos\nbad, dull film;neg\n")
    assert terms_of(run(*TERMS, path, "--delimiter", ";"))["pos"] == {"good", "fine"}
    path = write("text\tlabel\ngood\tpos\nbad\tneg\n", "table.txt")
    assert terms_of(run(*TERMS, path, "--delimiter", "tab"))["neg"] == {"bad"}
    assert_failed(run(*TERMS, path, "--delimiter", "::"), "one character", code=2)


def test_a_file_without_a_header_has_numbered_columns(run, write):
    path = write("7,good film,pos\n8,bad film,neg\n")
    found = terms_of(run(*TERMS, path, "--no-header", "--text", "2", "--label", "3"))
    assert found == {"neg": {"bad"}, "pos": {"good"}}
    frame = read_corpus(path, header=False, text="2", label="3").frame
    assert frame.columns == ["1", "2", "3"]
    assert frame.height == 2
    with pytest.raises(ValueError, match="header=False is for csv"):
        read_corpus(io.StringIO('{"text": "a"}\n'), format="ndjson", header=False)


def test_names_that_come_twice_lead_to_the_option(run, write):
    path = write("good film,a,a\nbad film,b,b\n")
    assert_failed(run("terms", path), "--no-header if the file has no header")


def test_quotes_that_enclose_nothing(run, write):
    path = write('text,label\nthe "good" film,pos\n"bad film,neg\n')
    assert_failed(run("terms", path), "--quote none")
    assert terms_of(run(*TERMS, path, "--quote", "none"))["pos"] == {"the", "good"}


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_the_first_line_of_standard_input_tells_a_table(run, monkeypatch, delimiter):
    rows = [["id", "text", "label"], ["1", "good film", "pos"], ["2", "bad film", "neg"]]
    data = "\n".join(delimiter.join(row) for row in rows) + "\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data.encode())))
    outcome = run(*TERMS, "-")
    assert terms_of(outcome) == {"neg": {"bad"}, "pos": {"good"}}
    assert "--format to choose" in outcome[2]


@pytest.mark.parametrize("start", ["Well, this is a sentence.", "one word", "a, b", "text,text"])
def test_prose_is_not_taken_for_a_table(run, monkeypatch, start):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{start}\nmore\n".encode())))
    assert_failed(run("terms", "-"), "does not tell the format", "--format")


def test_numbers_can_be_read_as_text(run, write):
    path = write("code,label\n10 20,a\n30 40,b\n")
    assert run("terms", path, "--text", "code")[0] == 0
    path = write("code,label\n10,a\n30,b\n")
    columns = ("--text", "code", "--label", "label")
    assert run(*TERMS, path, *columns)[0] == 0
    path.with_suffix(".ndjson").write_text('{"code": 10, "label": "a"}\n{"code": 3, "label": "b"}')
    path = path.with_suffix(".ndjson")
    assert_failed(run("terms", path, *columns), "--as-text 'code'")
    assert terms_of(run(*TERMS, path, *columns, "--as-text", "code"))["a"] == {"10"}


def test_an_address_is_no_file(run):
    assert_failed(run("terms", "https://example.org/corpus.csv"), "is an address, and only files")


def test_copies_are_left_out_and_counted(run, write):
    path = write("text,label\ngood film,pos\nbad film,neg\ngood film,pos\ngood film,neg\n")
    code, out, err = run(*TERMS, path, "--drop-duplicates")
    assert code == 0
    assert json.loads(out)["documents"] == 2
    assert "2 copies are left out" in err
    assert "1 text has another label there" in err
    assert json.loads(run(*TERMS, path)[1])["documents"] == 4


@pytest.mark.parametrize("mark", ["NA", "NaN", "null", "?", "n/a"])
def test_marks_of_missing_labels_are_no_class(run, write, mark):
    path = write(f"text,label\ngood film,pos\nbad film,neg\nany film,{mark}\nsome film,\n")
    code, out, err = run(*TERMS, path)
    assert code == 0
    assert set(terms_of((code, out, err))) == {"neg", "pos"}
    assert f"2 rows are left out: no label, or {mark!r}" in err
    kept = terms_of(run(*TERMS, path, "--missing-labels", "keep"))
    assert set(kept) == {"neg", "pos", mark}
    assert_failed(run("terms", path, "--missing-labels", "all"), "--missing-labels", code=2)


def test_codes_get_names(run, write, tmp_path):
    path = write("text,label\ntax cut,1\nnew school,2\ntax law,1\nhospital bed,9\n")
    code, out, err = run(*TERMS, path, "--label-names", "1=Economy, 2=Education")
    assert set(terms_of((code, out, err))) == {"Economy", "Education", "9"}
    assert "1 label has no name and stay: 9" not in err
    assert "1 label has no name and stays: 9" in err
    table = write("code,name\n1,Economy\n2,Education\n9,Health\n", "names.csv")
    assert set(terms_of(run(*TERMS, path, "--label-names", table))) == {
        "Economy", "Education", "Health",
    }  # fmt: skip
    model = tmp_path / "m.quire"
    options = ("--model", "multinomial-nb", "--folds", 2, "--label-names", table)
    assert run("fit", path, *options, "-o", model)[0] == 0
    assert quire.load(model).predict(["tax law"]).tolist() == ["Economy"]
    assert_failed(run("terms", path, "--label-names", "7=Other"), "has none of the labels")
    assert_failed(run("terms", path, "--label-names", "Other"), "1=Economy", code=2)


def test_small_classes_are_dropped_or_merged(run, write):
    rows = "".join("good film,pos\nbad film,neg\n" for _ in range(3))
    path = write(f"text,label\n{rows}odd one,7\nother one,8\n")
    code, out, err = run(*TERMS, path, "--min-class", 2, "--rare", "merge")
    assert set(terms_of((code, out, err))) == {"neg", "other", "pos"}
    assert "2 documents of 2 classes with fewer than 2 merged into 'other': 7, 8" in err
    code, out, err = run(*TERMS, path, "--min-class", 2)
    assert set(terms_of((code, out, err))) == {"neg", "pos"}
    assert "left out: 7, 8" in err
    assert_failed(run("terms", path, "--rare", "keep"), "--rare", code=2)


def test_stop_words_by_language_file_or_none(run, write):
    path = write("text,label\nder gute Film und ich,pos\nder schlechte Film und ich,neg\n")
    everything = terms_of(run(*TERMS, path))
    assert everything == {"pos": {"gute"}, "neg": {"schlechte"}}
    words = write("gute schlechte\n", "words.txt")
    assert terms_of(run(*TERMS, path, "--stop-words", words)) == {"pos": set(), "neg": set()}
    common = ("--models", "multinomial-nb", "--folds", 2, "--json")
    for name, count in (("german", 54), ("none", None)):
        code, out, _ = run("compare", path, *common, "--stop-words", name)
        assert code == 0
        said = json.loads(out)["settings"]["vectorizer"].get("stop_words")
        assert (said is None) == (count is None)
        assert count is None or said.endswith(" words")
    assert_failed(run("terms", path, "--stop-words", "klingon"), "--stop-words", code=2)


def test_characters_are_terms(run, write):
    path = write("text,label\nabc,pos\nxyz,neg\n")
    assert terms_of(run(*TERMS, path, "--analyzer", "char", "--ngrams", "2"))["pos"] == {"ab", "bc"}
    assert terms_of(run(*TERMS, path, "--analyzer", "char"))["pos"] == {"abc"}
    assert_failed(run("terms", path, "--analyzer", "letters"), "--analyzer", code=2)


def test_measures_are_no_classes(run, write):
    rows = "".join(f"some words,{18 + n % 71}\n" for n in range(300))
    path = write(f"text,age\n{rows}")
    assert_failed(
        run("terms", path, "--text", "text", "--label", "age"),
        "71 whole numbers from 18 to 88 in a column called 'age'",
        "--task multiclass",
    )
    assert run("terms", path, "--text", "text", "--label", "age", "--task", "multiclass")[0] == 0


def test_sets_of_models_stand_among_names(run, write):
    rows = "".join(f"good film {n},pos\nbad film {n},neg\n" for n in range(6))
    path = write(f"text,label\n{rows}")
    options = ("--models", "linear, majority,multinomial-nb", "--folds", 2, "--json")
    code, out, _ = run("compare", path, *options)
    assert code == 0
    names = {one["model"] for one in json.loads(out)["models"]}
    assert names == {"logistic", "majority", "multinomial-nb"}


def written(node):
    """The text of an argument; what is put into it is called x."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.FormattedValue):
        return "'x'" if node.conversion == ord("r") else "x"
    return "".join(map(written, node.values)) if isinstance(node, ast.JoinedStr) else ""


def messages():
    """The texts of all errors and notes of the packages that commands read and judge with."""
    root = Path(quire.__file__).parent
    for package in ("io", "checks", "topics", "model_selection/_compare", "model_selection/_audit"):
        for path in sorted((root / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                called = node.exc if isinstance(node, ast.Raise) else node
                if not isinstance(called, ast.Call):
                    continue
                is_note = getattr(called.func, "attr", "") in ("add", "append")
                if isinstance(node, ast.Raise) or is_note:
                    yield from ((path.name, written(argument)) for argument in called.args)


# Only Python can give these, and commands never do; the limits are parts of --limits.
# Degrees of freedom stand inside a formula.
NOT_GIVEN = {"analyzer", "data", "df", "keep_samples", "lengths", "theta", "vocabulary", "x"}
LIMITS = {"record", "columns", "expansion"}


def test_no_error_advises_a_parameter_that_is_no_option():
    found = [(name, in_options(message)) for name, message in messages()]
    assert len(found) > 100
    left = {
        (name, match)
        for name, message in found
        for match in re.findall(r"(?<![\w.('{-])([a-z_]+)=", message)
        if match not in NOT_GIVEN and (name, match in LIMITS) != ("_limits.py", True)
    }
    assert left == set()


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("pass header=False if the file has none.", "pass --no-header if the file has none."),
        ("this file, pass quotechar=None", "this file, pass --quote none"),
        ("(pass delimiter= if this is wrong)", "(pass --delimiter if this is wrong)"),
        ("Pass schema_overrides={'n': polars.String} to", "Pass --as-text 'n' to"),
        ("Take longer periods (every=)", "Take longer periods (--every)"),
        ("use kind='linear'.", "use --kind linear."),
    ],
)
def test_parameters_become_options(message, said):
    assert in_options(message) == said


def test_a_frame_keeps_the_numbers_of_its_rows():
    table = pl.DataFrame({"text": ["a b", None, "c d", "e f"], "label": [1, 2, 3, 4]})
    corpus = read_corpus(table, text="text", label="label", missing="drop")
    assert corpus.rows.to_list() == [0, 2, 3]
    assert corpus[1:].rows.to_list() == [2, 3]
    assert corpus.filter(pl.col("label") > 3).rows.to_list() == [3]
