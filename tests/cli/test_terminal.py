"""Labels, texts, names and messages that would take over a terminal are shown with marks."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from tests.helpers.screens import HOSTILE, MARKED, OWN_MOVES, obeyed, on_a_terminal

import quire
from quire.cli._commands import COMMANDS as ALL_COMMANDS
from quire.cli._show import as_text
from quire.feature_extraction.text import CountVectorizer
from quire.naive_bayes import MultinomialNB

TEXT, LABEL = f"te{HOSTILE}xt", f"la{HOSTILE}bel"
CSV, MODEL = f"file{HOSTILE}.csv", f"model{HOSTILE}.quire"
GOOD, BAD = f"go{HOSTILE}od", f"ba{HOSTILE}d"
WORDS = [("film plot great", GOOD), ("story cast dull", BAD)]
VECTORS = "4 2\nein 1 0\nzwei 0 1\ndrei 1 1\n{0} 0.5 -1\n"

RUN_ALL = """
import json, sys
from quire.cli import main
for arguments in json.loads({commands!r}):
    print("##", ascii(arguments[0])[1:-1], flush=True)
    try:
        main(arguments)
    except SystemExit as ended:
        print("##", ended.code, flush=True)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    rows = [
        (f"{text} {HOSTILE} number{i % 4} of", label) for i in range(8) for text, label in WORDS
    ]
    pl.DataFrame(rows, schema=[TEXT, LABEL], orient="row").write_csv(folder / CSV)
    pattern = r"(?u)\S{2,}"  # words with all that stands in them
    model = make_pipeline(CountVectorizer(token_pattern=pattern), MultinomialNB())
    texts, labels = zip(*rows, strict=True)
    model.fit(list(texts), list(labels))
    quire.save(model, folder / MODEL, metadata={
        "title": HOSTILE, "source": HOSTILE, "text": [TEXT], "label": LABEL, "documents": 16,
    }, scores={HOSTILE: {"mean": 0.5, "low": 0.4, "high": 0.6}})  # fmt: skip
    for name in ("one.vec", "two.vec"):
        (folder / name).write_text(VECTORS.format(re.sub(r"\s", "", HOSTILE)), encoding="utf-8")
    (folder / "pairs.csv").write_text(
        f"ein,ein\nzwei,zwei\ndrei,drei\n{HOSTILE},{HOSTILE}\nno{HOSTILE},zwei\n", encoding="utf-8"
    )
    return folder


COLUMNS = ["--text", TEXT, "--label", LABEL]
# Each command with what it shows of the data: every one of them must show some.
COMMANDS = {
    "check": ["check", CSV, *COLUMNS],
    "audit": ["audit", CSV, *COLUMNS, "--top", "3"],
    "curve": ["curve", CSV, "--text", TEXT, "--label", HOSTILE],
    "compare": ["compare", CSV, *COLUMNS, "--models", "majority,multinomial-nb", "--folds", "2",
                "--min-class", "2"],
    "fit": ["fit", CSV, *COLUMNS, "--model", "majority", "--folds", "2", "-o", f"m{HOSTILE}.quire"],
    "predict": ["predict", MODEL, CSV],
    "verify": ["verify", MODEL, CSV],
    "evaluate": ["evaluate", MODEL, CSV, *COLUMNS],
    "update": ["update", MODEL, CSV, *COLUMNS, "-o", f"u{HOSTILE}.quire"],
    "export": ["export", MODEL, f"out{HOSTILE}"],
    "explain": ["explain", MODEL, f"film {HOSTILE} plot"],
    "inspect": ["inspect", MODEL],
    "report": ["report", CSV, *COLUMNS, "-o", f"nowhere/{HOSTILE}/x.html"],
    "terms": ["terms", CSV, *COLUMNS],
    "topics": ["topics", CSV, "--text", TEXT, "--topics", "2", "--iterations", "5", "--by", LABEL,
               "--documents-out", f"t{HOSTILE}.csv"],
    "cluster": ["cluster", CSV, "--text", TEXT, "--label", LABEL, "--clusters", "2"],
    "map": ["map", CSV, "--text", TEXT, "--documents-out", f"m{HOSTILE}.csv"],
    "neighbors": ["neighbors", CSV, "--text", TEXT, "--label", LABEL, f"film {HOSTILE}"],
    "align": ["align", "one.vec", "two.vec", "--pairs", "pairs.csv", "--words", HOSTILE],
    "lesson": ["lesson", "no" + HOSTILE],
}  # fmt: skip


@pytest.mark.parametrize("columns", [60, 200])
def test_no_command_lets_data_take_over_a_terminal(folder, columns):
    commands = [*COMMANDS.values(), [HOSTILE], ["terms", HOSTILE], ["terms", CSV, "--" + HOSTILE],
                ["neighbors", CSV, "--text", TEXT, "--duplicates"],
                ["predict", MODEL, CSV, "--json"], ["inspect", MODEL, "--json"],
                ["terms", CSV, "--text", HOSTILE]]  # fmt: skip
    sent = on_a_terminal(RUN_ALL.format(commands=json.dumps(commands)), folder, columns)
    assert obeyed(sent) == set()
    shown = OWN_MOVES.sub("", sent)
    for name in COMMANDS:
        said = shown.partition(f"## {name}\r\n")[2].partition("## ")[0]
        assert "␛" in said or r"\x1b" in said, (name, said)
    assert "Traceback" not in shown
    if columns == 200:  # wide enough that it is not folded
        assert MARKED in shown


def test_every_command_is_tried():
    assert set(COMMANDS) | {"data", "demo"} == set(ALL_COMMANDS)  # these two take no data


def test_a_defect_is_shown_with_marks(folder):
    code = (
        "import quire.inspection\nfrom quire.cli import main\n"
        f"def broken(*args, **options):\n    raise RuntimeError({HOSTILE!r})\n"
        f"quire.inspection.top_terms = broken\nmain({['terms', CSV, *COLUMNS]!r})\n"
    )
    sent = on_a_terminal(code, folder, status=1)
    assert f"RuntimeError: {MARKED}" in sent
    assert obeyed(sent) == set()


def test_warnings_and_prints_while_a_bar_is_shown(tmp_path):
    code = (
        "import sys, warnings\nfrom quire._shared.progress import named, shown_bar\n"
        f"text = {HOSTILE!r}\n"
        "with shown_bar(text, 2) as bar:\n"
        "    bar.at(1, name=text, note=text)\n"
        "    print(text)\n    warnings.warn(text)\n    print(text, end='', file=sys.stderr)\n"
        "with named(text) as tell:\n    tell(text + '!')\n    print(text)\n"
    )
    sent = on_a_terminal(code, tmp_path)
    assert obeyed(sent) == set()
    assert OWN_MOVES.sub("", sent).count(MARKED) >= 5


def test_what_is_piped_to_people_is_marked_and_data_is_exact(folder, run, monkeypatch):
    monkeypatch.chdir(folder)
    code, out, err = run("terms", CSV, *COLUMNS)
    assert code == 0
    assert f"{GOOD.replace(HOSTILE, MARKED)} (8)" in out
    assert obeyed(out + err) == set()
    code, out, err = run("terms", CSV, *COLUMNS, "--json")
    assert [one["label"] for one in json.loads(out)["classes"]] == [BAD, GOOD]
    assert obeyed(out + err) == set()
    code, out, _ = run("predict", MODEL, CSV)
    frame = pl.read_csv(out.encode())
    assert frame[LABEL].to_list() == frame["predicted"].to_list() == [GOOD, BAD] * 8
    code, out, _ = run("predict", MODEL, CSV, "--json")
    assert json.loads(out.splitlines()[0])["predicted"] == GOOD
    run("predict", MODEL, CSV, "-o", "out.csv")
    assert pl.read_csv("out.csv")["predicted"].to_list() == [GOOD, BAD] * 8


def test_nothing_of_the_command_line_prints_past_the_one_place():
    root = Path(quire.__file__).parent
    ways = re.compile(r"typer\.(?:echo|secho)|\bConsole\(|rich\.(?:print|console import Console)")
    files = {*(root / "cli").rglob("*.py"), *(root / "_shared").rglob("*.py")}
    found = {path.name for path in files if ways.search(path.read_text(encoding="utf-8"))}
    assert found == {"console.py", "terminal.py"}


@pytest.mark.parametrize("text", ["two\nlines", "a\tb", "over\rwritten"])
def test_cells_are_one_line(text):
    assert as_text(text).plain == text.replace("\n", "␊").replace("\t", "␉").replace("\r", "␍")
