"""`quire.io`: mail that was made to be hard to read is read, or an error names it."""

import io
import re

import pytest
from tests.helpers.processes import run_python

from quire.io import read_corpus
from quire.io._html import html_to_text
from quire.io._mime import MOST_NESTED

# Each would take minutes or hours if the time grew with the square of the length.
PAGES = """{
    "open comments": "<!--" * 500_000,
    "open declarations": "<!" * 500_000,
    "instructions": "<?" * 500_000,
    "tags": "<a " * 500_000,
    "open quotes": "<a b='" * 300_000,
    "both quotes": "<a b='c" * 200_000 + '<a b="c' * 200_000,
    "less than": "<" * 1_000_000,
    "ends": "</" * 500_000,
    "open scripts": "<script>" * 200_000,
    "ends of scripts": "<script>" + "</scrip" * 300_000,
    "titles": "<title>" * 200_000,
    "templates": "<template>" * 200_000,
    "equals": "<a " + "= " * 500_000,
    "blanks": "<a =" + " " * 1_000_000,
    "ampersands": "&" * 1_000_000,
    "numbers": "&#" + "1" * 1_000_000 + ";",
    "brackets": "<![" * 300_000,
}"""


def test_any_page_takes_time_by_its_length() -> None:
    lengths = run_python(
        f"from quire.io._html import html_to_text\npages = {PAGES}\n"
        "for name, page in pages.items():\n"
        "    print(name, len(html_to_text('before ' + page)))\n"
    )
    assert len(lengths.splitlines()) == PAGES.count('": ')


HEADERS = """{
    "words": b"Subject: " + b"=?a?q?" * 300_000,
    "starts": b"Subject: " + b"=?" * 500_000,
    "parameters": b"Content-Type: text/plain" + b";a=b" * 300_000,
    "quoted": b'Content-Type: text/plain; a="' + b";" * 1_000_000,
    "boundaries": b"Content-Type: multipart/mixed; boundary=b\\n\\n" + b"--b\\n" * 100_000,
    "no boundaries": b"Content-Type: multipart/mixed; boundary=b\\n\\n" + b" --b" * 500_000,
    "many headers": b"X: y\\n" * 300_000,
    "one line": b"x" * 5_000_000,
    "colons": b":" * 1_000_000,
    "blank lines": b"\\r" * 1_000_000,
    "from": b"From: " + b"(" * 500_000,
    "date": b"Date: " + b"1 " * 500_000,
}"""


def test_any_header_takes_time_by_its_length() -> None:
    n = run_python(
        f"import io\nfrom quire.io import read_corpus\nmails = {HEADERS}\n"
        "for name, mail in mails.items():\n"
        "    mail = b'From a b\\n' + mail + b'\\n\\nhello\\n'\n"
        "    n = len(read_corpus(io.BytesIO(mail), format='mbox', missing='empty'))\n"
        "    print(name, n)\n"
    )
    assert set(re.findall(r"\d+$", n, re.MULTILINE)) == {"1"}
    assert "date 1" in n


def nested(depth: int, kind: str) -> bytes:
    start = b"".join(
        b"Content-Type: message/rfc822\n\n"
        if kind == "message"
        else f"Content-Type: multipart/{kind}; boundary=b{i}\n\n--b{i}\n".encode()
        for i in range(depth)
    )
    return b"From a b\nSubject: s\n" + start + b"Content-Type: text/plain\n\ninside\n"


@pytest.mark.parametrize("kind", ["mixed", "alternative", "message"])
def test_parts_inside_parts(kind: str) -> None:
    corpus = read_corpus(io.BytesIO(nested(MOST_NESTED, kind)), format="mbox", text="body")
    assert corpus.texts.to_list() == ["inside\n" if kind == "message" else "inside"]
    assert corpus.notes == ()
    for depth in (MOST_NESTED + 1, 1_000, 5_000):
        corpus = read_corpus(io.BytesIO(nested(depth, kind)), format="mbox", text="body")
        assert corpus.texts.to_list() == [""]
        assert corpus.notes == ("parts nested more than 30 deep were left out of 1 messages",)


@pytest.mark.parametrize(
    "parameters",
    [
        "charset*=x; charset*0=y",
        "charset*0=y; charset*=x; charset*1=z",
        "charset*1*=%%%; charset*0*='",
        "charset=\x00",
        "charset*=nonsense'x'%ff",
        "boundary*=x; boundary*0=y",
        "=;=;=",
    ],
)
@pytest.mark.parametrize("kind", ["text/plain", "multipart/mixed"])
def test_parameters_against_all_rules(parameters: str, kind: str) -> None:
    raw = f"From a b\nContent-Type: {kind}; {parameters}\n\nhello\n".encode()
    corpus = read_corpus(io.BytesIO(raw), format="mbox", text="body", missing="empty")
    assert corpus.texts.to_list() == ["hello\n" if kind == "text/plain" else ""]


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ("=?utf-8?q?Gr=C3?= =?utf-8?q?=BC=C3=9Fe?= x", "Grüße x"),
        ("=?utf-8?q?What??= now", "What? now"),
        ("=?utf-8?b?w6k?=", "é"),
        ("a =?utf-8?q?b?=", "a b"),
        ("=?utf-8*en?q?b_c?=", "b c"),
        ("=?utf-8?q?never", "=?utf-8?q?never"),
        ("=?utf-8?q?a?=\n =?latin-1?q?=E9?=", "aé"),
    ],
)
def test_encoded_words(header: str, text: str) -> None:
    raw = f"From a b\nSubject: {header}\n\nbody\n".encode()
    corpus = read_corpus(io.BytesIO(raw), format="mbox", text="subject")
    assert corpus.texts.to_list() == [text]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a<!-- b > c -->d", "ad"),
        ("a<!-->b", "ab"),
        ("a<!-- never closed", "a"),
        ("<p title='a>b'>c</p>", "c"),
        ('<p title="never closed>c</p>', "c"),
        ("1 < 2 and 3 </ 4", "1 < 2 and 3 </ 4"),
        ("<SCRIPT>a</b></Script >c", "c"),
        ("<template>a<template>b</template>c</template>d", "d"),
        ("<title>a<b>c</title>d", "d"),
        ("&#00000000000065;&#x000000000041;", "AA"),
        ("&#" + "9" * 5_000 + ";", "\ufffd"),
        ("&#xd800;", "\ufffd"),
    ],
)
def test_markup_that_is_odd(html: str, text: str) -> None:
    assert html_to_text(html) == text


def test_headers_without_end_are_cut_and_the_body_is_read() -> None:
    headers = b"Subject: one\n" + b'{"text":"a"}\n' * 100_000 + b"To: nobody\n"
    corpus = read_corpus(io.BytesIO(b"From a b\n" + headers + b"\nsome words\n"), format="mbox")
    row = corpus.frame.row(0, named=True)
    assert (row["subject"], row["to"], row["body"]) == ("one", None, "some words\n")
