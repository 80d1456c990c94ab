"""Sources to read, made from random numbers: tables, mail, Parquet, JSON, workbooks, folders.

Most are sound files with damage or hostile ones that are well-formed; some are the words of a
grammar in any order.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import quopri
import zipfile
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import polars as pl

from fuzz.mutations import mutated

__all__ = ["KINDS", "compressed", "content", "folder"]

_TEXTS = [
    "A fine,\nquiet film.",
    'He said "no".',
    "  spaces \t",
    "nul \0 and \U0001f388",
    "na\u00efve",
]
_FRAME = pl.DataFrame(
    {"text": _TEXTS, "label": ["pos", "neg", "pos", "neg", "pos"], "stars": [5, 1, 4, 2, 3]}
)
_MAIL = b"""From a@b Thu Jan  1 00:00:00 2026
Subject: =?utf-8?q?caf=C3=A9?= one
From: A <a@b.example>
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary="cut"

--cut
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

A text of =E9 letters.
--cut
Content-Type: text/html; charset="utf-8"
Content-Transfer-Encoding: base64

PGh0bWw+PGI+Ym9sZDwvYj48IS0tIG5vIC0tPjwvaHRtbD4=
--cut--

From c@d Thu Jan  1 00:00:00 2026
Subject: two

Second.
>From here on.
"""
_MAIL_TOKENS = [
    b"<!--", b"-->", b"<", b">", b"&#x110000;", b"&amp", b"<![CDATA[", b"<script>", b"\nFrom ",
    b"charset*0=", b"charset*=x;", b"; charset=\xff", b'boundary="cut"', b"--cut\n", b"--cut--\n",
    b"Content-Type: multipart/mixed; boundary=cut\n", b"Content-Type: message/rfc822\n\n",
    b"Content-Transfer-Encoding: base64\n", b"Content-Transfer-Encoding: uuencode\n", b"=?x?b?",
    b"=?utf-8?q?=", b"?=", b"\n\n", b"\n ", b"\r", b"charset=utf-7", b"charset=idna", b":",
]  # fmt: skip
_CSV_TOKENS = [b",", b'"', b'""', b"\n", b"\r\n", b"\r", b";", b"\t", b"\x00", b"\xef\xbb\xbf",
               b"\xff\xfe", b",,,,,", b'"\n', b'",', b"NA", b"1e999", b"text,label\n",
               b"|"]  # fmt: skip
_JSON_TOKENS = [b"{", b"}", b"[", b"]", b",", b":", b'"', b"null", b"NaN", b"1e999", b"\\ud800",
                b'"text":', b"[" * 50, b'{"a":' * 30, b"\n", b"-", b"\\u0000", b"\\", b'\\"',
                b"9" * 40, b"\x00", b"true"]  # fmt: skip
_PARQUET_TOKENS = [b"PAR1", b"\x15\x00", b"\x00" * 8, b"\xff" * 8, b"\x80\x80\x80\x80\x08"]
_HTML_TOKENS = ["<p>", "</p>", "<!--", "-->", "<script>", "</script>", "<style", ">", "<a href='",
                '"', "'", "<template>", "</template>", "&#99999999;", "&nbsp", "&#x0;", "<br/>",
                "<td>", "\n", "words ", "<![CDATA[", "]]>", "<?xml", "<", "</", "&" * 9,
                "<title>"]  # fmt: skip
_CHARSETS = ["utf-8", "iso-8859-1", "utf-7", "utf-16", "idna", "punycode", "zip", "hex", "x" * 300,
             "big5", "\xff", "unicode_escape", "undefined", "", "rot13", "us-ascii"]  # fmt: skip
_PARAMETERS = ["charset", "charset*", "charset*0", "charset*0*", "charset*1", "boundary", "name",
               "boundary*", "boundary*0", "filename*", "format"]  # fmt: skip
_TYPES = ["text/plain", "text/html", "multipart/mixed", "multipart/alternative", "message/rfc822",
          "multipart/digest", "message/delivery-status", "text", "/", "image/png", "text/plain;",
          "multipart/related", "message/partial"]  # fmt: skip
_MANY = [300, 3_000, 30_000]


def _repeated(random: Random, words: list[bytes]) -> bytes:
    """Return words in any order, or one thing again and again."""
    if random.random() < 0.15:
        return random.choice(words) * random.choice(_MANY)
    return b"".join(random.choices(words, k=random.choice([1, 5, 30, 200])))


def _grammar(random: Random, tokens: list[bytes]) -> bytes:
    words = [*tokens, b"a", b"film", b" ", b"1", b"2.5", b"\xc3\xa9", b"x" * 70]
    return _repeated(random, words)


def _field(random: Random) -> str:
    kind = random.randrange(8)
    if kind == 0:
        return random.choice(_TEXTS)
    if kind == 1:
        return str(random.choice([0, -1, 2**63, 1e308, "007", "NA", "1e5", "true", "=1+1", ""]))
    if kind == 2:
        return "".join(random.choices("\"\n\r,;\t a\u00e9\x00'|", k=random.randrange(9)))
    return random.choice(["good film", "bad plot", "pos", "neg", "2", "3.5"])


def _csv(random: Random, delimiter: str = ",") -> bytes:
    """Return a table, most of them well-formed, and some with what never ends."""
    n_columns = random.choice([1, 2, 3, 3, 5, 60, 2_000, 12_000] if random.random() < 0.3 else [3])
    n_rows = random.choice([0, 1, 5, 40]) if n_columns < 100 else 2
    names = ["text", "label", "size"] + [f"c{i}" for i in range(3, n_columns)]
    lines = [delimiter.join(names[:n_columns])]
    for _ in range(n_rows):
        fields = [_field(random) for _ in range(min(n_columns, 60))] + ["1"] * (n_columns - 60)
        quoted = [
            '"' + one.replace('"', '""') + '"'
            if any(c in one for c in '"\r\n\t,;') and random.random() < 0.99
            else one
            for one in fields
        ]
        lines.append(delimiter.join(quoted))
    content = random.choice(["\n", "\n", "\r\n", "\r"]).join(lines)
    if random.random() < 0.1:
        content += '\n"' + random.choice(["x", "x\n", '""', "a,", "\n"]) * random.choice(_MANY)
    data = content.encode(random.choice(["utf-8"] * 6 + ["utf-16", "cp1252"]), errors="replace")
    return data if random.random() < 0.5 else mutated(random, data, _CSV_TOKENS)


def _header(random: Random) -> str:
    text = "".join(random.choices(["=?utf-8?q?=C3=A9?=", "=?x?b?AAAA?=", "plain", " ", "=?", "?=",
                                   "\n ", "=?utf-8?b?w6k=?=", "\xff", "=?utf-8?Q?"],
                                  k=random.choice([1, 3, 9, 200])))  # fmt: skip
    name = random.choice(["Subject", "From", "To", "Date", "X-Odd", "Content-Type", "Subject"])
    return f"{name}: {text}\n"


def _part(random: Random, depth: int) -> str:
    """Return a part of a mail: its headers and what it holds."""
    kind = random.choice(_TYPES)
    boundary = random.choice(["cut", "", "a" * 80, "cut--", "--", 'c"t', f"b{depth}"])
    values = [*_CHARSETS, f'"{boundary}"']
    parameters = "".join(
        f"; {random.choice(_PARAMETERS)}={random.choice(values)}"
        for _ in range(random.choice([0, 1, 2, 40]))
    )
    encoding = random.choice(["", "base64", "quoted-printable", "x-uuencode", "8bit", "odd"])
    head = f'Content-Type: {kind}; boundary="{boundary}"{parameters}\n'
    if encoding:
        head += f"Content-Transfer-Encoding: {encoding}\n"
    if random.random() < 0.1:
        head += "Content-Disposition: attachment; filename*=x''%\n"
    if kind.startswith(("multipart/", "message/")) and depth < random.choice([2, 4, 40]):
        inner = [_part(random, depth + 1) for _ in range(1 if depth > 3 else random.choice([1, 2]))]
        body = "".join(f"--{boundary}\n{one}\n" for one in inner) + f"--{boundary}--\n"
        return f"{head}\n{inner[0] if kind.startswith('message/') else body}"
    words = [one.encode() for one in _HTML_TOKENS]
    body_bytes = _repeated(random, words)
    if encoding == "base64":
        body_bytes = base64.encodebytes(body_bytes)
    elif encoding == "quoted-printable":
        body_bytes = quopri.encodestring(body_bytes)
    return f"{head}\n{body_bytes.decode('latin-1')}"


def _mbox(random: Random) -> bytes:
    kind = random.random()
    if kind < 0.3:
        return mutated(random, _MAIL, _MAIL_TOKENS)
    start = b"From a@b Thu Jan  1 00:00:00 2026\n"
    if kind < 0.5:
        return start + _grammar(random, _MAIL_TOKENS)
    mails = []
    for _ in range(random.choice([1, 1, 2, 5])):
        headers = "".join(_header(random) for _ in range(random.choice([0, 1, 4])))
        mails.append(start + (headers + _part(random, 0)).encode("latin-1", "replace") + b"\n")
    data = b"".join(mails)
    return data if random.random() < 0.7 else mutated(random, data, _MAIL_TOKENS)


def _value(random: Random, depth: int) -> Any:
    kind = random.randrange(10 if depth < random.choice([2, 3, 80]) else 7)
    if kind < 4:
        return random.choice([*_TEXTS, "pos", "neg"])
    if kind == 4:
        return random.choice([0, 1, -1, 2**63, 2**70, 1.5, 1e308, True, None])
    if kind < 7:
        return random.choice(["good film", 3, None])
    if kind == 7:
        return [_value(random, depth + 1) for _ in range(random.choice([0, 1, 3]))]
    return {
        random.choice("abc"): _value(random, depth + 1) for _ in range(random.choice([0, 1, 2]))
    }


def _objects(random: Random) -> list[Any]:
    kind = random.random()
    if kind < 0.05:  # all keys are others
        n = random.choice([50, 1_000, 20_000])
        inner = random.random() < 0.5
        return [{"text": "a", "o": {f"k{i}": i}} if inner else {f"k{i}": i} for i in range(n)]
    if kind < 0.1:
        nested: Any = 1
        for _ in range(random.choice([10, 63, 64, 65, 400])):
            nested = [nested] if random.random() < 0.5 else {"a": nested}
        return [{"text": "a", "deep": nested}]
    return [
        {key: _value(random, 0) for key in random.sample(["text", "label", "x", "y\n", ""], 3)}
        for _ in range(random.choice([0, 1, 4, 30]))
    ]


def _json(random: Random, lines: bool) -> bytes:
    if random.random() < 0.2:
        return _grammar(random, _JSON_TOKENS)
    objects = _objects(random)
    ascii_only, indent = random.random() < 0.5, random.choice([None, None, 1])
    if lines:
        text = "\n".join(json.dumps(one, ensure_ascii=ascii_only) for one in objects)
    else:
        text = json.dumps(objects, ensure_ascii=ascii_only, indent=indent)
    data = text.encode("utf-8", "replace")
    return data if random.random() < 0.4 else mutated(random, data, _JSON_TOKENS)


@cache
def _parquet_files() -> tuple[bytes, ...]:
    """Return sound files of all encodings, compressions and types."""
    import pyarrow as pa
    from pyarrow import parquet

    wide = _FRAME.with_columns(
        pl.Series("flag", [True, None, False, True, True]),
        pl.Series("size", [0.5, None, 1e300, -0.0, 2.0]),
        pl.Series("tags", [["a"], [], None, ["b", "c"], ["d"]]),
        pl.Series("who", [{"n": 1, "s": "x"}] * 5),
        pl.Series("kind", ["a", "b", "a", None, "b"], dtype=pl.Categorical),
        pl.Series("day", [1, 2, None, 4, 5]).cast(pl.Date),
        pl.Series("small", [1, 2, None, 4, 5]).cast(pl.UInt8),
    )
    found = []
    for frame in (_FRAME, wide, pl.concat([_FRAME] * 60)):
        for how in ("uncompressed", "snappy", "zstd", "gzip", "lz4", "brotli"):
            file = io.BytesIO()
            rows = 40 if how == "zstd" else None
            frame.write_parquet(file, compression=how, row_group_size=rows)
            found.append(file.getvalue())
    table = pa.table(
        {
            "text": ["a b c", "d", None, "e f"] * 20,
            "label": ["x", "y"] * 40,
            "n": list(range(80)),
            "d": [0.1 * i for i in range(80)],
        }
    )
    delta = {"text": "DELTA_BYTE_ARRAY", "label": "DELTA_LENGTH_BYTE_ARRAY",
             "n": "DELTA_BINARY_PACKED", "d": "BYTE_STREAM_SPLIT"}  # fmt: skip
    ways: list[dict[str, Any]] = [
        {"use_dictionary": True},
        {"use_dictionary": False},
        {"use_dictionary": False, "column_encoding": delta},
    ]
    for version in ("1.0", "2.0"):
        for way in ways:
            for how in ("none", "snappy", "zstd"):
                file = io.BytesIO()
                parquet.write_table(
                    table,
                    file,
                    data_page_version=version,
                    compression=how,
                    row_group_size=30,
                    **way,
                )
                found.append(file.getvalue())
    return tuple(found)


def _parquet(random: Random) -> bytes:
    """Return a file with damage: in its description, its pages, or anywhere."""
    data = random.choice(_parquet_files())
    kind = random.random()
    if kind < 0.2:
        return mutated(random, data, _PARQUET_TOKENS)
    if kind < 0.6:
        length = int.from_bytes(data[-8:-4], "little")
        description = mutated(random, data[-8 - length : -8], _PARQUET_TOKENS)
        head = data[: -8 - length] + description
        return head + len(description).to_bytes(4, "little") + b"PAR1"
    changed = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 4, 8])):
        place = random.randrange(len(changed))
        changed[place] = random.choice(
            [random.randrange(256), changed[place] ^ 1 << random.randrange(8), 0, 255, 127, 128, 1]
        )
    return bytes(changed)


_SHEETS = ["A1", "B1", "A2", "B2", "C3", "XFD1", "A1048576", "XFD1048576", "A0", "ZZZZ9", "", "1A"]
_BOOK = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
    'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
    'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override '
    'PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="'
    'application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
    'relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/'
    '2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet '
    'name="one" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/'
    '2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/'
    'officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}


def workbook(cells: list[tuple[str, str]], dimension: str = "A1:B2") -> dict[str, str]:
    """Return the parts of a workbook with these cells, by where they stand and what they hold."""
    rows = "".join(
        f'<row><c r="{place}" t="inlineStr"><is><t>{text}</t></is></c></row>'
        for place, text in cells
    )
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f'<dimension ref="{dimension}"/><sheetData>{rows}</sheetData></worksheet>'
    )
    return {**_BOOK, "xl/worksheets/sheet1.xml": sheet}


def _excel(random: Random) -> bytes:
    cells = [(random.choice(_SHEETS[:4]), random.choice(["text", "label", "1"])) for _ in range(4)]
    cells += [(random.choice(_SHEETS), "film") for _ in range(random.choice([0, 1, 3]))]
    parts = workbook(cells, random.choice(["A1:B2", "A1:XFD1048576", "A1", "x", "B2:A1"]))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            data = text.encode()
            if random.random() < 0.2:
                tokens = [b"<c ", b't="s"', b"<v>9999999</v>", b'r="XFD1048576"', b"<row>", b"&lt"]
                data = mutated(random, data, tokens)
            if random.random() < 0.98:
                archive.writestr(name, data)
    data = file.getvalue()
    return data if random.random() < 0.7 else mutated(random, data, [b"PK\x03\x04", b"PK\x01\x02"])


def _lines(random: Random) -> bytes:
    text = "\n".join(_TEXTS).encode()
    return mutated(random, text, _CSV_TOKENS)


_MAKERS: dict[str, Callable[[Random], bytes]] = {
    "csv": lambda random: (
        _csv(random) if random.random() < 0.7 else b"text,label\n" + _grammar(random, _CSV_TOKENS)
    ),
    "tsv": lambda random: _csv(random, "\t"),
    "json": lambda random: _json(random, lines=False),
    "ndjson": lambda random: _json(random, lines=True),
    "mbox": _mbox,
    "parquet": _parquet,
    "lines": _lines,
    "xlsx": _excel,
}
KINDS = (*_MAKERS, "folder")


def content(random: Random, kind: str) -> bytes:
    """Return a file of a kind."""
    return _MAKERS[kind](random)


def compressed(random: Random, data: bytes) -> bytes:
    """Return data compressed, some of it into little that becomes a lot."""
    if random.random() < 0.2:
        data += random.choice([b"0", b"a,b\n", b"\n", b'"', b'{"text":"a"}\n']) * 2_000_000
    small = gzip.compress(data, 6)
    kind = random.random()
    if kind < 0.2:
        small = gzip.compress(small)
    elif kind < 0.4:
        small += small
    elif kind < 0.7:
        small = mutated(random, small, [b"\x1f\x8b\x08"])
    return small


def folder(random: Random) -> bytes:
    """Return a folder as a zip archive; an odd comment of an entry says what else it is."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for i in range(random.randrange(7)):
            parts = [random.choice(["pos", "neg", "cur", "new", ".hidden", "p\u00f6s", "a" * 200])
                     for _ in range(random.randrange(3))]  # fmt: skip
            ending = random.choice([".txt", ".txt", ".txt.gz", ".eml", "", ".csv"])
            info = zipfile.ZipInfo("/".join([*parts, f"{i}{ending}"]))
            odd = [b"link", b"loop", b"fifo", b"locked", b"zero", b"socket", b"self"]
            info.comment = random.choice([b""] * 8 + odd)
            data = content(random, random.choice(["lines", "mbox"]))
            archive.writestr(info, gzip.compress(data) if ending == ".txt.gz" else data)
    return file.getvalue()
