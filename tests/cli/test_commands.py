"""The command line: what it prints, where, and how it exits."""

import json
import subprocess
import sys

import polars as pl
import pytest
from tests.helpers.cli import assert_failed
from typer.main import get_command

import quire
from quire.cli import app, main


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.csv"
    pl.DataFrame(
        {
            "body": [
                "goal match goal team",
                "match team referee",
                "team goal [bold] naïve",
                "vote law senate",
                "senate vote team",
                "law vote budget",
            ],
            "topic": ["sport"] * 3 + ["politics"] * 3,
        }
    ).write_csv(path)
    return str(path)


def test_version(run):
    assert run("--version") == (0, f"quire {quire.__version__}\n", "")


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help(run, arguments):
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    assert "demo" in out
    assert "terms" in out


@pytest.mark.parametrize("command", list(get_command(app).commands.values()), ids=lambda c: c.name)
def test_every_option_is_documented(command):
    parameters = command.params
    assert parameters
    assert [p.name for p in parameters if not getattr(p, "help", None)] == []


def test_help_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from quire.cli import main\n"
        "try:\n"
        "    main(['terms', '--help'])\n"
        "except SystemExit:\n"
        "    heavy = {'numpy', 'scipy', 'sklearn', 'polars', 'quire._core'} & set(sys.modules)\n"
        "    print('heavy:', sorted(heavy))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("heavy: []\n")


def test_terms_as_json(run, corpus):
    code, out, _ = run(
        "terms", corpus, "--text", "body", "--label", "topic", "--top", "2", "--json"
    )
    assert code == 0
    result = json.loads(out)
    assert result["documents"] == 6
    assert result["terms"] == 10
    politics, sport = result["classes"]
    assert (politics["label"], politics["documents"]) == ("politics", 3)
    assert politics["top_terms"][0] == {
        "term": "vote",
        "score": 6.0,
        "share_in_class": 1.0,
        "share_elsewhere": 0.0,
    }
    assert [entry["term"] for entry in sport["top_terms"]] == ["goal", "match"]


def test_terms_as_plain_text(run, corpus):
    code, out, _ = run("terms", corpus, "--text", "body", "--label", "topic", "--ngrams", "1,2")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("6 documents, ")
    assert "2 classes" in lines[0]
    assert lines[2].split() == ["class", "term", "in", "class", "elsewhere", "chi2"]
    assert lines[3].split() == ["politics", "(3)", "vote", "100.0%", "0.0%", "6.0"]
    assert any(line.split()[0:2] == ["match", "team"] for line in lines if line)
    assert all(line == line.rstrip() for line in lines)
    assert "\x1b" not in out
    assert "naïve" in out


def test_terms_keep_brackets_in_labels(run, tmp_path):
    path = tmp_path / "tags.csv"
    path.write_text("text,label\none word here,[red]\nother thing there,[/red]\n")
    code, out, _ = run("terms", str(path), "--text", "text", "--label", "label")
    assert code == 0
    assert "[red] (1)" in out
    assert "[/red] (1)" in out


def test_terms_vectorizer_options(run, corpus):
    def found(*options):
        code, out, _ = run(
            "terms", corpus, "--text", "body", "--label", "topic", "--json", *options
        )
        assert code == 0
        classes = json.loads(out)["classes"]
        return {entry["term"] for c in classes for entry in c["top_terms"]}

    assert "referee" in found()
    assert "referee" not in found("--min-df", "2")
    assert "referee" not in found("--min-df", "0.3")
    assert found("--ngrams", "2", "--top", "50") >= {"match team", "senate vote"}
    assert all(" " in term for term in found("--ngrams", "2"))


def test_terms_says_what_it_guessed_on_stderr(run, tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("text,label\nsome words,a\nother things,b\n")
    code, out, err = run("terms", str(path), "--json")
    assert code == 0
    assert json.loads(out)["documents"] == 2
    assert "column 'text'" in err
    assert "column 'label'" in err
    assert run("terms", str(path), "--text", "text", "--label", "label")[2] == ""


def test_terms_of_several_columns(run, tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text("subject,body,label\nhello,friend,a\nbye,stranger,b\n")
    code, out, _ = run(
        *("terms", str(path), "--text", "subject", "--text", "body", "--label", "label", "--json")
    )
    assert code == 0
    assert json.loads(out)["terms"] == 4


def test_terms_failures(run, corpus, tmp_path):
    missing = str(tmp_path / "nowhere.csv")
    assert_failed(run("terms", missing, "--text", "a", "--label", "b"), "nowhere.csv")
    assert_failed(run("terms", corpus, "--text", "absent", "--label", "topic"), "absent")
    one_class = tmp_path / "one.csv"
    one_class.write_text("text,label\nsome words,a\nmore words,a\n")
    assert_failed(run("terms", str(one_class), "--text", "text", "--label", "label"), "1 class")
    gap = tmp_path / "gap.csv"
    gap.write_text("text,label\nsome words,\nmore words,\nother words,?\n")
    assert_failed(
        run("terms", str(gap), "--text", "text", "--label", "label"), "no row has a label"
    )
    odd = run("terms", corpus, "--text", "body", "--label", "topic", "--missing", "guess")
    assert_failed(odd, "missing", "guess")
    unlabelled = tmp_path / "plain.csv"
    unlabelled.write_text("text\nsome words\nmore words\n")
    assert_failed(run("terms", str(unlabelled), "--text", "text"), "--label")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("terms",), "Missing argument"),
        (("terms", "x.csv", "--ngrams", "two"), "--ngrams"),
        (("terms", "x.csv", "--ngrams", "2,1"), "--ngrams"),
        (("terms", "x.csv", "--min-df", "1.5"), "--min-df"),
        (("terms", "x.csv", "--min-df", "nan"), "--min-df"),
        (("terms", "x.csv", "--top", "0"), "--top"),
        (("nonsense",), "nonsense"),
        (("demo", "--colour"), "--colour"),
    ],
)
def test_wrong_use_exits_with_2(run, arguments, part):
    assert_failed(run(*arguments), part, code=2)


def test_a_defect_is_not_hidden(run, corpus, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("a defect")

    monkeypatch.setattr("quire.inspection.top_terms", broken)
    with pytest.raises(RuntimeError, match="a defect"):
        main(["terms", corpus, "--text", "body", "--label", "topic"])


def test_interrupt_is_one_line(run, corpus, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("quire.inspection.top_terms", interrupted)
    outcome = run("terms", corpus, "--text", "body", "--label", "topic")
    assert_failed(outcome, "stopped", code=130)


def test_reader_that_leaves_early(corpus):
    # The pipe is closed before the command writes; it must stop without a traceback.
    command = [sys.executable, "-m", "quire.cli", "terms", corpus]
    process = subprocess.Popen(
        [*command, "--text", "body", "--label", "topic"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 1
    assert err == b""
