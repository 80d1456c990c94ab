"""``quire neighbors``: what is found, what is written, saved indices, and what goes wrong."""

import io
import json

import polars as pl
import pytest

from quire.neighbors import TextSearch

ROWS = [
    ("the cat chased the dog", "pets"),
    ("a dog and a cat 🐈 in the garden", "pets"),
    ("parliament voted on the tax", "law"),
    ("the tax divides parliament", "law"),
    ("The tax divides Parliament!", "law"),
    ("", "law"),
    ("[bold] naïve café " + "filler " * 80 + "the tax at the end", "odd"),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("neighbors") / "corpus.parquet"
    pl.DataFrame(ROWS, schema=["text", "kind"], orient="row").write_parquet(path)
    return path


@pytest.fixture(scope="module")
def search():
    return TextSearch().fit([text for text, _ in ROWS], [kind for _, kind in ROWS])


def test_neighbours_are_shown_plainly(run, corpus, search):
    code, out, err = run(
        "neighbors", corpus, "a cat and tax", "--text", "text", "--label", "kind", "-k", 3
    )
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"7 documents, {search.n_features_in_} terms, cosine"
    assert lines[2].split() == ["similarity", "row", "label", "text", "shared", "terms"]
    expected = search.search("a cat and tax", 3)
    assert len(lines) == 8
    for line, match in zip(lines[3:6], expected.matches, strict=True):
        assert line.split()[:4] == [
            str(match.rank),
            f"{match.similarity:.3f}",
            str(match.row),
            match.label,
        ]
        term, part = match.terms[0]
        assert f"{term} {part:.3f}" in line
        assert "*cat*" in line or "*tax*" in line
    assert lines[-1] == "Vote: pets 66.7% (2), law 33.3% (1)"
    assert "\x1b" not in out


def test_a_long_text_is_cut_around_shared_terms(run, corpus):
    _, out, _ = run("neighbors", corpus, "naïve end", "--text", "text", "-k", 1)
    assert "[bold] *naïve*" in out or "at the *end*" in out
    _, out, _ = run("neighbors", corpus, "at end", "--text", "text", "-k", 1)
    assert "… filler" in out
    assert "the *at*" not in out
    assert "*at* the *end*" in out


def test_json_and_standard_input(run, corpus, search, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("the cat\nand the dog\n"))
    code, out, _ = run("neighbors", corpus, "-", "--text", "text", "--label", "kind", "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["documents"], found["metric"], found["neighbors"]) == (7, "cosine", 10)
    (query,) = found["queries"]
    assert query["query"] == "the cat\nand the dog\n"
    matches = search.search(query["query"]).matches
    assert [m["row"] for m in query["matches"]] == [m.row for m in matches]
    first = query["matches"][0]
    total = sum(term["contribution"] for term in first["terms"])
    assert total == pytest.approx(first["similarity"])
    assert query["votes"][0]["label"] == "law"
    assert (
        run("neighbors", corpus, "cat", "--text", "text", "--threads", 1, "--json")[1]
        == run("neighbors", corpus, "cat", "--text", "text", "--threads", 3, "--json")[1]
    )


def test_a_row_of_the_corpus_leaves_itself_out(run, corpus):
    _, out, _ = run("neighbors", corpus, "--row", 3, "--text", "text", "--json")
    query = json.loads(out)["queries"][0]
    assert query["row"] == 3
    assert query["query"] == "the tax divides parliament"
    assert [m["row"] for m in query["matches"]][:2] == [4, 2]
    assert query["matches"][0]["similarity"] == pytest.approx(1)
    code, _, err = run("neighbors", corpus, "--row", 99, "--text", "text")
    assert code == 1
    assert "expected the number of a document, 0 to 6" in err


@pytest.mark.parametrize("ending", ["csv", "parquet", "ndjson"])
def test_many_queries_to_a_file(run, corpus, tmp_path, ending):
    queries = tmp_path / "queries.csv"
    pl.DataFrame({"text": ["the cat", "nothing known", "a tax"]}).write_csv(queries)
    out = tmp_path / f"found.{ending}"
    code, shown, err = run(
        "neighbors", corpus, "--texts", queries, "--text", "text", "-k", 2, "--out", out
    )
    assert code == 0
    assert err == f"quire: wrote {out}\n"
    assert "Query 1: nothing known\n\nNo document shares a term with it." in shown
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "ndjson": pl.read_ndjson}[ending]
    table = read(out)
    assert table.columns[:4] == ["query", "query_text", "rank", "row"]
    assert table["query"].to_list() == [0, 0, 2, 2]
    assert table["query_text"].to_list()[-1] == "a tax"


def test_a_saved_index_is_used_without_the_corpus(run, corpus, tmp_path):
    path = tmp_path / "index.quire"
    arguments = ["--text", "text", "--label", "kind", "--ngrams", "1,2"]
    code, out, err = run("neighbors", corpus, *arguments, "--model", path)
    assert (code, out) == (0, "")
    assert err == f"quire: wrote {path}\n"
    fresh = run("neighbors", corpus, "tax divides", *arguments, "--json")[1]
    again = run("neighbors", path, "tax divides", "--json")[1]
    assert json.loads(again)["queries"] == json.loads(fresh)["queries"]
    assert json.loads(run("neighbors", path, "--duplicates", 0.9, "--json")[1])["pairs"] == 1
    code, _, err = run("neighbors", path, "tax", "--metric", "euclidean", "--label", "kind")
    assert code == 2
    assert "--label, --metric can only be chosen when an index is made" in err
    code, out, _ = run("inspect", path)
    assert code == 0
    assert "Search in texts" in out
    assert "7 documents of corpus.parquet" in out


def test_other_models_are_no_index(run, corpus, tmp_path):
    import quire
    from quire.feature_extraction.text import CountVectorizer

    path = quire.save(CountVectorizer().fit(["a word"]), tmp_path / "m.quire")
    code, _, err = run("neighbors", path, "word")
    assert code == 1
    assert "holds a CountVectorizer; expected an index" in err


def test_near_duplicates(run, corpus, tmp_path):
    out = tmp_path / "pairs.csv"
    arguments = ["neighbors", corpus, "--text", "text", "--duplicates", 0.9]
    code, shown, _ = run(*arguments, "--out", out)
    assert code == 0
    assert shown.startswith(
        "7 documents, 1 pair with a cosine of 0.9 or more: 1 group of 2 documents."
    )
    assert shown.splitlines()[3].split()[:4] == ["2", "1.000", "3,", "4"]
    table = pl.read_csv(out)
    assert table.columns == ["row", "other", "similarity", "group", "text", "other_text"]
    assert table.row(0)[:2] == (3, 4)
    found = json.loads(run(*arguments, "--json")[1])
    assert (found["pairs"], found["groups"], found["documents_in_groups"]) == (1, 1, 2)
    none = run("neighbors", corpus, "--text", "text", "--min-df", 1, "--duplicates", 1.0)[1]
    assert "1 pair " in none
    few = ["neighbors", corpus, "--text", "text", "--stop-words", "english", "--duplicates", 0.999]
    assert run(*few)[0] == 0


def test_report_is_written(run, corpus, tmp_path):
    path = tmp_path / "page.html"
    code, _, err = run(
        "neighbors", corpus, "a cat", "--text", "text", "--label", "kind", "--report", path
    )
    assert code == 0
    assert err == f"quire: wrote {path}\n"
    page = path.read_text(encoding="utf-8")
    assert "Nearest documents in corpus.parquet" in page
    assert "chart-k" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to look for"),
        (["word", "--row", "1"], "expected one thing to look for; got TEXT and --row"),
        (["word", "--metric", "jaccard"], "expected one of cosine, euclidean, manhattan"),
        (["word", "--out", "x.txt"], "should end in .csv, .tsv, .parquet"),
        (["--duplicates", "2"], "expected a cosine above 0, at most 1; got 2.0"),
        (["--duplicates", "0.9", "--report", "x.html"], "a report shows what is near a text"),
        (["  "], "expected some words to look for"),
    ],
)
def test_wrong_use(run, corpus, arguments, message):
    code, out, err = run("neighbors", corpus, *arguments, "--text", "text")
    assert (code, out) == (2, "")
    assert message in err


def test_wrong_files(run, corpus, tmp_path):
    code, _, err = run("neighbors", tmp_path / "none.csv", "word")
    assert code == 1
    assert "none.csv" in err
    code, _, err = run("neighbors", corpus, "cat", "--text", "text", "--label", "colour")
    assert code == 1
    assert "colour" in err
    code, _, err = run("neighbors", corpus, "cat", "--model", tmp_path / "no" / "m.quire")
    assert code == 1
    assert "is not there" in err


def test_other_metrics_show_distances(run, corpus):
    _, out, _ = run(
        "neighbors", corpus, "the cat", "--text", "text", "--metric", "euclidean", "-k", 2
    )
    assert out.splitlines()[2].split()[:3] == ["similarity", "distance", "row"]


@pytest.mark.parametrize("columns", [60, 140])
def test_on_a_terminal_it_fits_the_width(corpus, columns):
    """A pseudo-terminal of some width; lines are not longer, and shared terms are in bold."""
    import os
    import re
    import subprocess
    import sys

    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    master, slave = pty.openpty()
    query = ["neighbors", str(corpus), "a cat and tax", "--text", "text", "--label", "kind"]
    done = subprocess.Popen(
        [sys.executable, "-m", "quire.cli", *query],
        stdout=slave,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"},
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    assert done.wait() == 0, done.stderr.read()
    done.stderr.close()
    os.close(master)
    text = shown.decode()
    assert "\x1b[1;36mcat\x1b[0m" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert max(map(len, plain.splitlines())) <= columns
    assert ("similarity" in plain) is (columns == 140)
    assert "Vote: law 50.0%" in plain


def test_letters_tell_copies_apart(run, tmp_path):
    path = tmp_path / "leagues.csv"
    texts = ["N.B.A. PLAYOFFS", "N.H.L. PLAYOFFS", "N.B.A. Playoffs", "something else"]
    pl.DataFrame({"text": texts}).write_csv(path)
    code, out, _ = run("neighbors", path, "--duplicates", 0.9, "--json")
    assert code == 0
    assert [(one["row"], one["other"]) for one in json.loads(out)["found"]] == [(0, 2)]
