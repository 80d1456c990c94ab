"""The pages about the lecture notes: what they name is there, and their words can be found."""

import ast
import importlib
import re
import runpy
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
NOTES = tomllib.loads((DOCS / "notes.toml").read_text(encoding="utf-8"))
THINGS = NOTES["thing"]


def thing_id(thing):
    return f"{thing['set']}: {thing['what'][:40]}"


@cache
def functions_of(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@cache
def public_names():
    """What the packages of quire export, by name."""
    names = {}
    for page in sorted((DOCS / "api").glob("*.md")):
        if page.stem != "index":
            module = importlib.import_module(f"quire.{page.stem}")
            names |= {name: getattr(module, name) for name in module.__all__}
    return names


def check_call(call):
    """Every function that is called is public, and so is what is asked of a class of ours."""
    tree = ast.parse(call, mode="eval")
    roots = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            roots += 1
            assert node.func.id in public_names(), call
        if isinstance(node, ast.Attribute):
            made = node.value
            while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute):
                if made.func.attr not in {"fit", "fit_text"}:
                    break
                made = made.func.value
            if isinstance(made, ast.Call) and isinstance(made.func, ast.Name):
                maker = public_names()[made.func.id]
                if isinstance(maker, type):
                    assert hasattr(maker, node.attr) or f"{node.attr} :" in maker.__doc__, call
    assert roots, f"nothing of quire is called: {call}"


def test_the_table_is_written_from_its_file():
    render = runpy.run_path(str(DOCS / "generate_notes.py"))["render"]
    written = (DOCS / "notes-table.md").read_text(encoding="utf-8")
    assert written == render(), "run: .venv/bin/python docs/generate_notes.py"


def test_every_thing_is_there_once():
    assert len(THINGS) == 124
    assert len({(t["set"], t["section"], t["what"]) for t in THINGS}) == 124
    assert {t["set"] for t in THINGS} == set(NOTES["sets"]) == set("ABCDE")


@pytest.mark.parametrize("thing", THINGS, ids=thing_id)
def test_what_shows_a_thing_exists(thing):
    assert thing["tests"], "nothing shows it"
    for test in thing["tests"]:
        path, name = test.split("::")
        assert name.startswith("test_")
        assert name in functions_of(path), test
    assert (DOCS / thing["page"]).exists()


@pytest.mark.parametrize("thing", THINGS, ids=thing_id)
def test_the_call_of_a_thing_is_public(thing):
    call = thing["call"]
    if call.startswith("quire "):
        commands = (DOCS / "cli.md").read_text(encoding="utf-8")
        assert f"## {' '.join(call.split()[:2])}\n" in commands
    else:
        check_call(call)


PAGE = (DOCS / "from-your-notes.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.*?) ?\| (.*?) ?\| (`.*) \|$", PAGE, re.MULTILINE)
CALLS = [call for row in ROWS for call in re.findall(r"`([^`]+)`", row[2])]


@pytest.fixture(name="symbols", scope="module")
def fixture_symbols():
    """What the page defines at its top, and all that is public."""
    from quire import lessons

    names = {**public_names(), "lessons": lessons}
    lines = re.findall(r"^>>> (.*)$", PAGE.split("## Set A")[0], re.MULTILINE)
    exec("\n".join(lines), names)
    return names


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("call", CALLS)
def test_every_call_of_the_page_runs(call, symbols):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert eval(call, symbols) is not None
    pyplot.close("all")


def test_every_row_leads_on():
    assert len(ROWS) > 80
    n_titles = 0
    for section, formula, links in ROWS:
        assert formula.strip() or section
        n_titles += bool(section)
        assert re.search(r"\]\([\w/.#-]+\)", links), section
    assert n_titles > 45


GLOSSARY = (DOCS / "glossary.md").read_text(encoding="utf-8")
ENTRIES = GLOSSARY.split(":::{glossary}\n")[1].split("\n:::")[0].split("\n\n")


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def spellings(entry):
    return [line for line in entry.split("\n") if not line.startswith(" ")]


def test_the_glossary_has_every_term_in_order():
    first = [spellings(entry)[0] for entry in ENTRIES]
    assert first == NOTES["terms"]
    assert len(first) == 108
    assert first == sorted(first, key=str.lower)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: spellings(entry)[0])
def test_an_entry_explains_its_term_and_leads_to_where_it_is_used(entry):
    """The search of the site finds pages that have all words of a query."""
    definition = " ".join(line for line in entry.split("\n") if line.startswith("  "))
    assert 40 < len(re.sub(r"\]\(.*?\)", "]", definition)) < 420
    targets = re.findall(r"\]\(([\w/.-]+\.md)(?:#[\w-]+)?\)", definition)
    assert targets
    pages = [words((DOCS / target).read_text(encoding="utf-8")) for target in targets]
    term = spellings(entry)[0]
    assert any(all({word, f"{word}s"} & page for word in words(term)) for page in pages), (
        f"{term!r} is not on {targets}"
    )
