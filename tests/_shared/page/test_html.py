"""HTML that is known to be HTML: text is escaped on its way in, and never mixed with it unseen."""

import ast
import json
import re
from pathlib import Path

import pytest

import quire
from quire._shared.page.html import NOTHING, Html, escape, html, join, script_json

HOSTILE = "<script>alert('x')</script> & \"y\""
ESCAPED = "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; &amp; &quot;y&quot;"
SOURCE = Path(quire.__file__).parent
PAGES = [
    path
    for path in sorted(SOURCE.rglob("*.py"))
    if "quire._shared.page.html import" in path.read_text(encoding="utf-8")
]
# Where files of the package are wrapped as they are, and what html() made comes back as text.
RAW = {"html.py", "page.py", "shell.py", "_picture.py"}


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_text_is_escaped_and_html_is_not():
    assert str(html("<p>{}</p>", HOSTILE)) == f"<p>{ESCAPED}</p>"
    assert str(html("<p>{text}</p>", text=html("<b>{}</b>", HOSTILE))) == f"<p><b>{ESCAPED}</b></p>"
    assert str(html('<p title="{one.name}">', one=type("One", (), {"name": HOSTILE}))) == (
        f'<p title="{ESCAPED}">'
    )
    assert str(html("{:.1%} {:,} {!r:>4}", 0.25, 1234, "<")) == "25.0% 1,234  &#x27;&lt;&#x27;"


def test_control_signs_and_lone_surrogates_become_a_sign():
    assert escape("a\x00\x1b\x9f\ud800\uffffb\n\t") == "a\ufffd\ufffd\ufffd\ufffd\ufffdb\n\t"


@pytest.mark.parametrize(
    "mixed",
    [
        lambda: html("<br>") + "text",
        lambda: "text" + html("<br>"),
        lambda: html("<br>") + None,
        lambda: join([html("<br>"), "text"]),
        lambda: join("text"),
        lambda: join([html("<br>")] * 2, ", "),
        lambda: "".join([html("<br>")]),
        lambda: f"{html('<br>')}",
        lambda: "{}".format(html("<br>")),
        lambda: html("{:>9}", html("<br>")),
        lambda: html("{}", None),
        lambda: html("<br>", "no place for it"),
        lambda: html("<br>", name="no place for it"),
        lambda: Html(html("<br>")),
        lambda: Html(None),
    ],
)
def test_mixing_html_with_anything_else_is_an_error(mixed):
    with pytest.raises(TypeError):
        mixed()


def test_pieces_join_and_compare():
    assert html("<i>") + html("</i>") == html("<i></i>")
    assert join([html("a"), html("b")], html("<br>")) == html("a<br>b")
    assert html("a") != "a"
    assert hash(html("a")) == hash(html("{}", "a"))
    assert not NOTHING
    assert html("a")


@pytest.mark.parametrize("text", ["</script>", "<!--", "<script>", "]]>", "\u2028", HOSTILE])
def test_data_of_a_script_can_not_end_it(text):
    data = str(script_json({"key " + text: [text, {"deep": text}]}))
    assert not re.search("[<>&\u2028]", data)
    assert json.loads(data) == {"key " + text: [text, {"deep": text}]}


def calls(tree, name):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_templates_are_literals_and_no_other_string_holds_values_in_tags(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and is_text(node.value)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.isupper()
    }
    for call in calls(tree, "html"):
        template = call.args[0]
        is_constant = isinstance(template, ast.Name) and template.id in constants
        assert is_constant or is_text(template), ast.unparse(call)
    if path.name not in RAW:
        assert not list(calls(tree, "Html"))
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(part.value for part in node.values if isinstance(part, ast.Constant))
            assert not re.search(r"</?[a-z]|&\w+;", text), ast.unparse(node)
