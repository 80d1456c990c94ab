"""Counts with their nouns, and that pages and commands have no other ones."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

import quire
from quire._shared.how_many import how_many

SOURCE = Path(quire.__file__).parent
NOUNS = (
    "documents|texts|rows|terms|words|topics|clusters|classes|labels|models|folds|columns|queries|"
    "pairs|files|iterations|sweeps|neighbours|points"
)
AFTER = re.compile(rf" (?:held-out )?(?:{NOUNS})\b")
OF_MANY = re.compile(r"\b(?:of|than|to|among|first) (?:the )?$", re.IGNORECASE)
IN_TEMPLATE = re.compile(rf"([\w ]*)\{{[\w.]+:,\}} (?:held-out )?(?:{NOUNS})\b")


def shown_strings(tree):
    """Yield the strings of a file; those of errors are of lengths that differ."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Raise | ast.IfExp):  # these ask whether it is one
            continue
        if isinstance(node, ast.JoinedStr):
            yield node
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node
        else:
            yield from shown_strings(node)


def is_count(value):
    text = ast.unparse(value.value)
    spec = ast.unparse(value.format_spec) if value.format_spec else ""
    return ":," in spec or "," in spec or re.match(r"(len|count)\(|(\w+\.)*n_\w+$", text)


def fixed_plurals(node):
    """Yield numbers with nouns that are there for more than one, whatever the number is."""
    if isinstance(node, ast.Constant):
        for match in IN_TEMPLATE.finditer(node.value):
            if not OF_MANY.search(match[1]):
                yield match.group()
        return
    before = ""
    for value, after in pairwise([*node.values, ast.Constant("")]):
        if isinstance(value, ast.Constant):
            before = value.value
            continue
        noun = AFTER.match(after.value) if isinstance(after, ast.Constant) else None
        if noun and is_count(value) and not OF_MANY.search(before):
            yield f"{ast.unparse(value.value)}{noun.group()}"
        before = ""


@pytest.mark.parametrize(
    ("n", "noun", "said"),
    [
        (1, "text", "1 text"),
        (0, "text", "0 texts"),
        (2, "class", "2 classes"),
        (1, "class", "1 class"),
        (12345, "held-out query", "12,345 held-out queries"),
    ],
)
def test_one_is_no_plural(n, noun, said):
    assert how_many(n, noun) == said


@pytest.mark.parametrize("folder", ["report", "cli"])
def test_no_count_stands_before_a_fixed_plural(folder):
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {what}"
        for path in sorted((SOURCE / folder).rglob("*.py"))
        for node in shown_strings(ast.parse(path.read_text(encoding="utf-8")))
        for what in fixed_plurals(node)
    ]
    assert found == []


def test_fixed_plurals_are_seen():
    bad = 'show(f"{len(rows):,} rows", html("{n:,} texts"), f"{n_topics} topics", f"of {n:,} rows")'
    seen = [what for node in shown_strings(ast.parse(bad)) for what in fixed_plurals(node)]
    assert sorted(seen) == ["len(rows) rows", "n_topics topics", "{n:,} texts"]
