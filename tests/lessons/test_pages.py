"""Every lesson: whole, small, offline, labelled, with code that runs; the list; all at once."""

import inspect
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from tests.helpers.lessons import NAMES, embedded, lesson
from tests.helpers.pages import Page

from quire import lessons
from quire._shared.page.html import Html

HOSTILE = "<script>alert(\"x\")</script> </script><!-- & 'law' </template> 😀 \x00\x07"


def signature(name):
    return inspect.signature(getattr(lessons, name))


ADDRESS = re.compile(r"(https?:)?//[\w-]+\.\w|@import|url\(")


@pytest.mark.parametrize("name", NAMES)
def test_page_is_well_formed_and_labelled(name):
    page = Page(lesson(name).html)
    assert page.problems == []
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= set(page.ids)
    assert page.headings.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(page.headings[:-1], page.headings[1:], strict=True))
    for tag, attributes in page.tags:
        if tag == "svg":
            assert attributes.get("aria-label") or attributes["aria-hidden"] == "true"
        if tag == "th":
            assert attributes["scope"] in ("row", "col")
    assert any(attributes.get("aria-live") == "polite" for _, attributes in page.tags)


@pytest.mark.parametrize("name", NAMES)
def test_page_is_small_and_fetches_nothing(name):
    made = lesson(name)
    page = Page(made.html)
    assert len(made.html.encode()) < 2e6
    assert all(link.startswith("#") for link in page.references)
    assert not ADDRESS.search(made.html)
    policy = next(a["content"] for _, a in page.tags if "http-equiv" in a)
    assert policy.startswith("default-src 'none'")
    assert "nan" not in re.sub("[a-z]*nan[a-z]+", "", " ".join(page.text).lower()).split()


@pytest.mark.parametrize("name", NAMES)
def test_lesson_is_complete(name):
    made = lesson(name)
    assert made.name == name.replace("_", "-")
    assert made.idea
    assert made.formulas
    assert made.data
    assert made.guide
    assert len(made.start.steps) > 2
    assert len(made.runs) > 1
    for run in made.runs:
        assert list(run.result) == list(made.start.result)
        assert all(step.caption and (step.picture or step.table) for step in run.steps)
        assert all(isinstance(step.picture, Html) for step in run.steps)
    for setting in made.settings:
        assert len(set(setting.labels)) == len(setting.values)
        assert setting.start in setting.values
    assert any(step.numbers for step in made.start.steps)


@pytest.mark.parametrize("name", NAMES)
def test_all_steps_can_be_read_without_a_script(name):
    made = lesson(name)
    page = Page(made.html.split("<template")[0].rsplit("<article", 1)[0])
    classes = [a.get("class", "").split() for tag, a in page.tags if tag == "article"]
    assert len(classes) == len(made.start.steps) - 1
    assert all("step" in one for one in classes)
    whole = [a["class"] for tag, a in Page(made.html).tags if tag == "article"]
    assert len(whole) == sum(len(run.steps) for run in made.runs)
    assert 2 <= sum("printed" in one for one in whole[: len(made.start.steps)]) <= 8


@pytest.mark.parametrize("name", NAMES)
def test_page_has_the_numbers_of_its_steps(name):
    made = lesson(name)
    assert embedded(made) == made.to_dict()
    assert len({str(run["result"]) for run in made.to_dict()["runs"]}) > 1


@pytest.mark.parametrize("name", NAMES)
def test_code_runs(name):
    made = lesson(name)
    assert len(made.code.splitlines()) <= 4
    assert "quire" in made.code
    exec(made.code, dict(made.given))


@pytest.mark.parametrize("name", NAMES)
def test_guide_pages_are_there(name, request):
    pages = (request.config.rootpath / "docs" / "guide").glob("*.md")
    titles = {re.search("^# (.*)$", p.read_text(encoding="utf-8"), re.M).group(1) for p in pages}
    assert set(lesson(name).guide) <= titles


def test_names_are_there_and_nothing_else_is():
    assert set(NAMES) < set(dir(lessons))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        lessons.nothing  # noqa: B018


def test_listing_loads_no_estimator():
    program = "import sys, quire.lessons; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "sklearn" not in done.stdout.split()


def test_lesson_in_a_notebook_is_escaped():
    page = Page(lesson("naive_bayes")._repr_html_())
    assert [tag for tag, _ in page.tags] == ["iframe"]
    assert page.tags[0][1]["sandbox"] == "allow-scripts allow-downloads"


def test_save(tmp_path):
    made = lesson("naive_bayes")
    path = made.save(tmp_path / "a lesson.html")
    assert path.read_text(encoding="utf-8") == made.html
    with pytest.raises(OSError, match="there is no folder"):
        made.save(tmp_path / "not there" / "x.html")


def test_all_lessons_and_their_index(tmp_path, monkeypatch):
    monkeypatch.setattr(lessons._write_all, "LESSONS", {"naive_bayes": ""})
    written = lessons.write_all(tmp_path / "new")
    assert [path.name for path in written] == ["naive-bayes.html", "index.html"]
    page = Page(written[-1].read_text(encoding="utf-8"))
    assert page.problems == []
    assert "naive-bayes.html" in page.references


def hostile_frame(taken):
    """Return a table of what a lesson takes, with hostile names, classes and texts."""
    rng = np.random.default_rng(0)
    classes = [f"a{HOSTILE}", "b"] * 20
    if "text" in taken:
        texts = [f"{HOSTILE} law senate", "goal match team"] * 20
        frame = pl.DataFrame({"text": texts})
    else:
        frame = pl.DataFrame({f"{HOSTILE} {k}": rng.normal(size=40) for k in range(3)})
    if "label" in taken:
        frame = frame.with_columns(pl.Series("label", classes))
    elif "target" in taken:
        frame = frame.with_columns(pl.Series("target", rng.normal(size=40)))
    return frame


@pytest.mark.parametrize("name", [n for n in NAMES if "file" in signature(n).parameters])
def test_what_a_file_says_is_escaped(name):
    taken = signature(name).parameters
    frame = hostile_frame(taken)
    options = {}
    if "columns" in taken:
        options["columns"] = frame.columns[:2]
    if "document" in taken:
        options["document"] = f"law goal {HOSTILE}"
    made = getattr(lessons, name)(frame, **options)
    page = Page(made.html)
    assert page.problems == []
    assert [tag for tag, _ in page.tags].count("script") == 4
    assert 'alert("x")' not in "".join(text for _, text in page.scripts)
    assert "alert(" in "".join(page.text)
    assert "\x00" not in made.html
    assert len(made.html.encode()) < 2e6


ROWS = np.arange(20.0)
ODD = {
    "few rows": {"a": [0.0, 1, 5, 6], "b": [0.5, 1, 5, 7], "label": ["x", "x", "y", "y"]},
    "rows twice": {"a": [0.0, 0, 5, 5] * 5, "b": [0.5, 0.5, 5, 5] * 5, "label": [*"xxyy"] * 5},
    "a constant column": {"a": ROWS, "b": [1.5] * 20, "label": ["x", "y"] * 10},
    "large and small": {"a": ROWS * 1e9, "b": np.sin(ROWS) * 1e-6, "label": ["x", "y"] * 10},
    "one row of a class": {"a": np.sin(ROWS), "b": np.cos(ROWS), "label": ["x"] * 19 + ["y"]},
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize(
    "name", ["gaussian_naive_bayes", "k_means", "mixture", "nearest_neighbors"]
)
def test_odd_numbers_make_pages(name, kind):
    frame = pl.DataFrame(ODD[kind])
    if "label" not in signature(name).parameters:
        frame = frame.drop("label")
    made = getattr(lessons, name)(frame, columns=["a", "b"])
    assert Page(made.html).problems == []
    assert not re.search(r'="-?(nan|inf)', made.html)


@pytest.mark.parametrize("name", ["naive_bayes", "bernoulli_naive_bayes", "topics"])
def test_a_large_vocabulary_makes_a_small_page(name):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{k}" for k in rng.integers(0, 3000, 60)) for _ in range(300)]
    frame = pl.DataFrame({"text": texts, "label": rng.choice([*"abcdefgh"], 300)})
    made = getattr(lessons, name)(frame if name != "topics" else frame.drop("label"))
    assert len(made.html.encode()) < 1.5e6
