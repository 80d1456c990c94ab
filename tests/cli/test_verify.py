"""``quire verify``: reports and models made again, and what a forged one cannot do."""

import json
import re
import shlex
from pathlib import Path

import polars as pl
import pytest

import quire
from quire._shared.page.html import script_json
from quire.cli import _repeat, app
from quire.linear_model import Ridge
from quire.neighbors import TextSearch
from quire.report import neighbors_report, read_page, verify

TEXTS = [
    f"{first} {second} and {third}"
    for first in ("a good", "a fine", "the bad", "the dull")
    for second in ("film", "plot", "scene", "song")
    for third in ("warm", "cold", "long")
]
LABELS = ["pos"] * 24 + ["neg"] * 24
YEARS = [2001, 2002, 2003, 2004] * 12


@pytest.fixture
def films(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pl.DataFrame({"text": TEXTS, "label": LABELS, "year": YEARS})
    table.write_csv("films.csv")
    return table


def vectors(path, prefix):
    rows = [f"{prefix}{i} {i % 7} {i % 5} {(i * i) % 11} 1" for i in range(40)]
    Path(path).write_text("\n".join(["40 4", *rows]) + "\n")


COMMANDS = [
    "compare films.csv --models multinomial-nb,logistic --folds 2 --report OUT.html",
    "compare films.csv --models ridge,random-forest --label year --task continuous --folds 2 "
    "--report OUT.html",
    "compare films.csv --columns year --label label --folds 2 --report OUT.html "
    "--models tree,random-forest",
    "compare films.csv --models logistic --folds 2 --costs costs.csv --label-names names.csv "
    "--stop-words words.txt --save OUT.quire --report OUT.html",
    "report films.csv --models multinomial-nb --folds 2 -o OUT.html --label-names pos=good,neg=bad",
    "fit films.csv --model linear-svm --calibrate sigmoid --folds 2 -o OUT.quire --seed 4",
    "topics films.csv --topics 2 --iterations 30 --by year --report OUT.html --model OUT.quire "
    "--seed-words seeds.txt",
    "cluster films.csv -k 2-4 --label label --report OUT.html --model OUT.quire",
    "map films.csv --label label -k 2 --report OUT.html --model OUT.quire",
    "neighbors films.csv 'a good song' --label label --report OUT.html --model OUT.quire",
    "align from.vec to.vec --pairs pairs.csv --method all --report OUT.html --model OUT.quire",
]
OTHERS = {
    "costs.csv": "label,good,bad\ngood,0,1\nbad,5,0\n",
    "names.csv": "pos,good\nneg,bad\n",
    "words.txt": "and the\n",
    "seeds.txt": "cast: film plot\nmusic: song\n",
    "pairs.csv": "".join(f"s{i},t{i}\n" for i in range(40)),
}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.partition(" --")[0])
def test_everything_is_the_same_when_it_is_made_again(run, films, tmp_path, command):
    for name, text in OTHERS.items():
        Path(name).write_text(text)
    vectors("from.vec", "s")
    vectors("to.vec", "t")
    words = shlex.split(command)
    code, _, err = run(*[word.replace("OUT", "made") for word in words])
    assert code == 0, err
    needed = [word for word in words if word in OTHERS or word in ("from.vec", "to.vec")]
    data = [] if command.startswith("align") else ["films.csv"]
    listed = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for suffix in ("html", "quire"):
        if not Path(f"made.{suffix}").exists():
            continue
        code, out, err = run("verify", f"made.{suffix}", *data, *reversed(needed), "--json")
        found = json.loads(out)
        assert found.get("differences") == [], (out, err)
        assert code == 0
        assert found["values"] > 20
        assert found["data"] == []
    assert listed == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


@pytest.fixture
def page(run, films, tmp_path):
    run(*"compare films.csv --models multinomial-nb --folds 2 --report page.html".split())
    return tmp_path / "page.html"


def change(page, name, edit):
    """Write a page anew with another block of JSON."""
    text = page.read_text("utf-8")
    start = f'<script type="application/json" id="{name}">'
    old = re.search(f"{start}(.*?)</script>", text)
    value = json.loads(old[1])
    value = edit(value) or value
    new = value if isinstance(value, str) else str(script_json(value))
    page.write_text(text.replace(old[0], f"{start}{new}</script>"), "utf-8")


def test_a_number_that_was_changed_is_found(run, page):
    def edit(data):
        data["leaderboard"][0]["mean"] += 2**-50

    change(page, "report-data", edit)
    code, out, _ = run("verify", "page.html", "films.csv")
    assert code == 1
    assert re.search(r"1 of \d+ values differs\.", out)
    assert "leaderboard[0].mean" in out
    assert "Not compared: seconds" in out
    code, out, _ = run("verify", "page.html", "films.csv", "--json")
    found = json.loads(out)
    assert code == 1
    assert [one["place"] for one in found["differences"]] == ["leaderboard[0].mean"]


def test_another_seed_is_found(run, page):
    def edit(said):
        said["command"] += " --seed 5"

    change(page, "provenance", edit)
    code, out, _ = run("verify", "page.html", "films.csv")
    assert code == 1
    assert "more; --json has all of them" in out
    _, out, _ = run("verify", "page.html", "films.csv", "--json")
    assert "settings.random_state" in [one["place"] for one in json.loads(out)["differences"]]


def test_the_same_rows_in_another_file_are_the_same(run, page, films):
    films.write_parquet("films.parquet")
    code, _, err = run("verify", "page.html", "films.parquet")
    assert code == 0
    assert "films.parquet has other bytes than films.csv had" in err
    assert "The rows are the same" in err


def test_how_a_file_is_read_is_left_out_for_another_format(run, films):
    films.write_csv("films.tsv", separator=";")
    run(*"compare films.tsv --delimiter ; --models majority --folds 2 --report page.html".split())
    code, _, err = run("verify", "page.html", "films.csv")
    assert code == 0, err
    assert "another format: delimiter left out" in err


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda t: pl.concat([t, t[:2]]), "2 more than then; texts, labels differ. The first 48"),
        (lambda t: t[:-3], "3 fewer than then; texts, labels differ"),
        (lambda t: t.with_columns(label=t["label"].reverse()), "as many as then; labels differ"),
        (lambda t: t.with_columns(text=t["text"] + "!"), "as many as then; texts differ"),
    ],
)
def test_other_rows_are_said_before_the_work(run, page, films, edit, words):
    edit(films).write_csv("other.csv")
    code, out, err = run("verify", "page.html", "other.csv")
    assert code == 2
    assert out == ""
    assert words in err
    assert "--anyway" in err
    code, out, err = run("verify", "page.html", "other.csv", "--anyway")
    assert code in (0, 1)
    assert words in err


def test_models_are_compared_array_by_array(run, films):
    run(*"fit films.csv --model multinomial-nb --folds 2 -o one.quire".split())
    model, info = quire.persistence.load_with_info("one.quire")
    model[-1].feature_log_prob_[0, 3] += 1e-15
    quire.save(
        model, "two.quire", scores=info.scores, settings=info.settings, metadata=info.metadata
    )
    code, out, _ = run("verify", "two.quire", "films.csv", "--json")
    assert code == 1
    places = [one["place"] for one in json.loads(out)["differences"]]
    assert places == ["model.steps[1][1].feature_log_prob_"]


def test_updates_are_made_again(run, films):
    run(*"fit films.csv --model multinomial-nb --folds 2 -o one.quire".split())
    films[:10].write_csv("week.csv")
    run(*"update one.quire week.csv -o two.quire".split())
    assert run("verify", "two.quire", "week.csv", "one.quire")[0] == 0
    code, _, err = run("verify", "two.quire", "week.csv")
    assert code == 2
    assert "read as" in err


def test_what_was_made_in_python_is_said(run, films, tmp_path):
    neighbors_report(TextSearch().fit(TEXTS, LABELS), "song", path="page.html")
    code, _, err = run("verify", "page.html", "films.csv")
    assert code == 2
    assert "made in Python" in err
    assert "48 rows (then 48); the texts are the same, the labels are the same" in err
    quire.save(Ridge().fit([[0.0], [1.0]], [0.0, 1.0]), "ridge.quire")
    code, _, err = run("verify", "ridge.quire", "films.csv")
    assert code == 2
    assert "does not say where it comes from" in err


def test_reports_of_python_are_compared_there(films):
    first = neighbors_report(TextSearch().fit(TEXTS), "song")
    assert verify(first, neighbors_report(TextSearch().fit(TEXTS), "song")).same
    other = verify(first, neighbors_report(TextSearch().fit([*TEXTS, "song"]), "song"))
    assert not other.same
    assert "1 more than then" in str(other)


# What a forged page cannot do


HOSTILE = {
    "another program": "sh -c 'touch owned'",
    "no command": "quire",
    "a command that writes pages of its own": "quire lesson naive-bayes -o owned",
    "a command that reads folders": "quire export one.quire owned",
    "help": "quire compare films.csv --help",
    "an option that is not there": "quire compare films.csv --run owned",
    "an open quote": "quire compare 'films.csv",
    "standard input": "quire neighbors films.csv -",
    "many folds": "quire compare films.csv --folds 1000000",
    "many topics": "quire topics films.csv --topics 100000000",
    "a number that is none": "quire compare films.csv --folds x",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_commands_that_are_not_for_us_are_not_run(run, page, tmp_path, name):
    change(page, "provenance", lambda said: {**said, "command": HOSTILE[name]})
    code, out, err = run("verify", "page.html", "films.csv")
    assert code == 2, (out, err)
    assert out == ""
    assert "cannot be run again" in err
    assert not (tmp_path / "owned").exists()


SECRET = "private words of another file"


@pytest.mark.parametrize(
    "option",
    [
        "--costs secret.txt",
        "--label-names secret.txt",
        "--stop-words secret.txt",
        "--save owned.quire",
        "--export owned",
        "--report owned.html",
    ],
)
def test_no_file_is_opened_or_written_but_those_that_were_named(
    run, page, tmp_path, monkeypatch, option
):
    (tmp_path / "secret.txt").write_text(SECRET)
    opened = []
    real = Path.open

    def spy(self, *arguments, **options):
        opened.append(Path(self).name)
        return real(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", spy)

    def edit(said):
        said["command"] = f"quire compare films.csv --models majority --folds 2 {option}"

    change(page, "provenance", edit)
    before = sorted(path.name for path in tmp_path.iterdir())
    _, out, err = run("verify", "page.html", "films.csv")
    assert "secret.txt" not in opened
    assert SECRET not in out + err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_language_is_not_taken_from_a_file_of_its_name(run, films, tmp_path):
    run(*"cluster films.csv -k 2 --report page.html".split())
    (tmp_path / "english").write_text("film plot scene song")
    assert run("verify", "page.html", "films.csv")[0] == 0


def deep(depth):
    return "[" * depth + "]" * depth


@pytest.mark.parametrize("name", ["provenance", "report-data"])
@pytest.mark.parametrize(
    "content",
    [
        *("", "null", "[]", "{", '{"a":NaN}', '{"a":1e999}', deep(100_000), deep(500)),
        *("9" * 10_000, '{"a":"' + "x" * 200_000 + '"}'),
    ],
    ids=range(10),
)
def test_damaged_pages_are_refused(run, page, name, content):
    change(page, name, lambda value: content or " ")
    code, out, err = run("verify", "page.html", "films.csv")
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    with pytest.raises(ValueError, match=r"page\.html cannot be used"):
        read_page(page)


def test_pages_with_two_blocks_and_other_files_are_refused(run, page, films):
    text = page.read_text("utf-8")
    page.write_text(text + '<script type="application/json" id="provenance">{}</script>', "utf-8")
    assert run("verify", "page.html", "films.csv")[0] == 2
    assert run("verify", "films.csv", "films.csv")[0] == 2
    assert run("verify", "nothing.html", "films.csv")[0] == 2
    assert run("verify", "page.html", "nothing.csv")[0] == 2


def test_words_of_a_page_do_not_control_the_terminal(run, page):
    change(page, "provenance", lambda said: {**said, "command": "quire \x1b]0;owned\x07 x"})
    code, out, err = run("verify", "page.html", "films.csv")
    assert code == 2
    assert "\x1b" not in out + err


def test_files_that_have_no_place_are_refused(run, page, films):
    films.write_csv("more.csv")
    films[:3].write_csv("few.csv")
    code, _, err = run("verify", "page.html", "films.csv", "few.csv")
    assert code == 2
    assert "has no place" in err


def test_every_option_of_every_command_is_in_the_table():
    """A new option is named in ``quire/cli/_repeat.py``: read, written, or a plain value."""
    from typer.main import get_command

    group = get_command(app)
    for name, table in _repeat.COMMANDS.items():
        known = {*table.reads, *table.may_read, *table.writes, *table.plain, *table.shown}
        known |= {table.page, table.model}
        options = {one.name for one in group.commands[name].params} - {"help"}
        assert options <= known, name
        written = {*table.writes, table.page, table.model} - {None}
        assert written.isdisjoint({*table.plain, *table.shown}), name
        assert not {*table.reads, *table.may_read} & {*table.plain, *table.shown}, name
    makers = {
        name
        for name, command in group.commands.items()
        if {"report", "save", "model", "output"} & {one.name for one in command.params}
    }
    others = {
        "data",
        "predict",
        "explain",
        "inspect",
        "export",
        "evaluate",
        "curve",
        "lesson",
        "audit",
    }
    assert makers - others == set(_repeat.COMMANDS)
