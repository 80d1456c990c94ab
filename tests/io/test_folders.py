"""`quire.io`: folders of texts, and mail in mbox files and Maildir folders."""

import gzip
import io
import mailbox
import sys
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest

from quire.io import read_batches, read_corpus
from quire.io._html import html_to_text

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def make(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def test_sub_folders_are_classes(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            "pos/10.txt": " ten\n",
            "pos/9.TXT": "nine\r\n",
            "neg/deep/1.txt": "one\0",
            "neg/.hidden.txt": "no",
            ".git/x.txt": "no",
            "pos/readme.md": "no",
        },
    )
    corpus = read_corpus(tmp_path)
    assert corpus.texts.to_list() == ["one\0", "nine\r\n", " ten\n"]
    assert corpus.labels is not None
    assert corpus.labels.to_list() == ["neg", "pos", "pos"]
    assert corpus.frame["file"].to_list() == ["neg/deep/1.txt", "pos/9.TXT", "pos/10.txt"]
    assert corpus.notes == ("labels are the names of 2 sub-folders: 'neg', 'pos'",)
    assert read_corpus(tmp_path, label=False).labels is None
    assert len(read_corpus(tmp_path, pattern="*.md")) == 1
    batches = list(read_batches(tmp_path, batch_size=2))
    assert [batch.texts.to_list() for batch in batches] == [["one\0", "nine\r\n"], [" ten\n"]]


def test_flat_folder(tmp_path: Path) -> None:
    make(tmp_path, {"b10.txt": "3", "b9.txt": "2", "a.txt": "1", "c.txt": "é"})
    corpus = read_corpus(tmp_path)
    assert corpus.texts.to_list() == ["1", "2", "3", "é"]
    assert corpus.labels is None
    assert corpus.notes == ()


def test_compressed_texts_in_a_folder(tmp_path: Path) -> None:
    make(tmp_path, {"a.txt.gz": gzip.compress(b"a"), "b.txt.zst": zstd.compress(b"b")})
    assert read_corpus(tmp_path).texts.to_list() == ["a", "b"]


def test_empty_file_in_a_folder_is_an_empty_text(tmp_path: Path) -> None:
    make(tmp_path, {"a.txt": "", "b.txt": "b"})
    assert read_corpus(tmp_path).texts.to_list() == ["", "b"]


def test_texts_beside_classes(tmp_path: Path) -> None:
    make(tmp_path, {"pos/1.txt": "a", "neg/1.txt": "b", "readme.txt": "c"})
    with pytest.raises(
        ValueError, match=r"2 text files lie in sub-folders and 1 beside them. Pass"
    ):
        read_corpus(tmp_path)
    assert len(read_corpus(tmp_path, format="folders")) == 2
    assert len(read_corpus(tmp_path, format="texts")) == 3


@pytest.mark.parametrize(
    ("files", "format", "message"),
    [
        ({}, None, r"expected text files \(\*.txt\); the folder holds no files"),
        ({"a.md": "", "b.md": ""}, None, r"it holds files 2 with .md. Pass pattern="),
        ({"a.txt": ""}, "folders", r"expected sub-folders with text files .* files 1 with .txt"),
        ({"a.txt": ""}, "maildir", "expected a Maildir with messages"),
        ({"a.txt": ""}, "csv", "format='csv' reads a file, and this is a folder"),
    ],
)
def test_folder_without_texts(
    tmp_path: Path, files: dict[str, str | bytes], format: None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read_corpus(make(tmp_path, files), format=format)


def test_pattern_without_files(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected files that match '[*].rst'; it holds files 1"):
        read_corpus(make(tmp_path, {"a.txt": ""}), pattern="*.rst")


def test_encodings_in_a_folder(tmp_path: Path) -> None:
    german = "Der große Bär fährt über die Brücke, und Mädchen hören schöne Lieder. " * 20
    make(tmp_path, {"a.txt": "é", "b.txt": f"x\n{german}".encode("cp1252")})
    with pytest.raises(
        ValueError, match=r"b.txt, line 2: byte 0xdf at offset 9 is not valid utf-8"
    ):
        read_corpus(tmp_path)
    corpus = read_corpus(tmp_path, encoding="auto")
    assert corpus.texts.to_list() == ["é", f"x\n{german}"]
    assert corpus.notes[0].startswith("some files are read as ")
    assert read_corpus(tmp_path, encoding="cp1252").texts[0] == "Ã©"


def mail(subject: str | None = "Greetings", body: str = "Hello,\nthere.\n") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Zoë <zoe@example.org>"
    message["To"] = "bob@example.org"
    message["Date"] = "Mon, 02 Jan 2023 10:00:00 +0200"
    message["Message-ID"] = "<1@example.org>"
    if subject is not None:
        message["Subject"] = subject
    message.set_content(body)
    return message


def mbox(*messages: EmailMessage | bytes) -> bytes:
    raw = [m if isinstance(m, bytes) else m.as_bytes() for m in messages]
    return b"".join(b"From a@example.org Mon Jan  2 2023\n" + message + b"\n" for message in raw)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, zstd.compress])
def test_mbox(tmp_path: Path, compress: "type[bytes]") -> None:
    path = tmp_path / "list.mbox"
    path.write_bytes(compress(mbox(mail("Grüße"), mail(None, "no subject\n\n>From me\n"))))
    corpus = read_corpus(path)
    assert corpus.texts.to_list() == ["Grüße\nHello,\nthere.\n", "no subject\n\n>From me\n"]
    assert corpus.text_columns == ("subject", "body")
    assert corpus.frame.row(0, named=True) == {
        "message_id": "<1@example.org>",
        "date": datetime(2023, 1, 2, 8, tzinfo=UTC),
        "from": "Zoë <zoe@example.org>",
        "to": "bob@example.org",
        "subject": "Grüße",
        "body": "Hello,\nthere.\n",
    }
    assert corpus.labels is None
    assert read_corpus(path, text="body").texts[0] == "Hello,\nthere.\n"
    assert [len(batch) for batch in read_batches(path, batch_size=1)] == [1, 1]
    assert read_corpus(io.BytesIO(path.read_bytes())).texts.to_list() == corpus.texts.to_list()


def test_mbox_written_by_the_standard_library(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "x.mbox")
    for i in range(3):
        box.add(mail(f"number {i}", f"From here on\n\nFrom there {i}\n"))
    box.close()
    corpus = read_corpus(tmp_path / "x.mbox")
    assert corpus.frame["subject"].to_list() == ["number 0", "number 1", "number 2"]
    assert corpus.frame["body"][2] == ">From here on\n\n>From there 2\n"


def test_not_an_mbox() -> None:
    with pytest.raises(ValueError, match=r"line 2: an mbox file begins with a line 'From address"):
        read_corpus(io.BytesIO(b"\nSubject: x\n\nbody\n"), format="mbox")


def test_maildir(tmp_path: Path) -> None:
    box = mailbox.Maildir(tmp_path / "mail", create=True)
    box.add(mail("one"))
    box.add(mail("two"))
    box.close()
    corpus = read_corpus(tmp_path / "mail")
    assert sorted(corpus.frame["subject"].to_list()) == ["one", "two"]
    assert corpus.texts[0].endswith("\nHello,\nthere.\n")
    assert [len(batch) for batch in read_batches(tmp_path / "mail", batch_size=1)] == [1, 1]


def read_body(message: EmailMessage | bytes) -> str:
    body: str = read_corpus(io.BytesIO(mbox(message)), format="mbox", text="body").texts[0]
    return body


def test_plain_text_goes_before_html() -> None:
    message = mail(body="plain\n")
    message.add_alternative("<p>html</p>", subtype="html")
    assert read_body(message) == "plain\n"


def test_html_alone_and_attachments() -> None:
    message = EmailMessage()
    message["Subject"] = "x"
    message.set_content("<html><head><title>t</title></head><p>Fish &amp; chips", subtype="html")
    message.add_attachment("attached", filename="a.txt")
    message.add_attachment(b"\x00\x01", maintype="image", subtype="png", filename="a.png")
    assert read_body(message) == "Fish & chips"


def test_forwarded_message() -> None:
    message = mail(body="see below\n")
    message.add_attachment(mail("inner", "inside\n"))
    assert "see below" in read_body(message)


def test_encoded_and_mislabelled_bodies() -> None:
    quoted = b"Content-Type: text/plain; charset=latin-1\nContent-Transfer-Encoding: "
    assert read_body(quoted + b"quoted-printable\n\ncaf=E9\n") == "café\n"
    assert read_body(b"Content-Type: text/plain; charset=nonsense\n\ncaf\xc3\xa9\n") == "café\n"
    raw = mbox(b"Subject: caf\xe9\nContent-Type: text/plain; charset=utf-8\n\ncaf\xe9\n")
    corpus = read_corpus(io.BytesIO(raw))
    assert corpus.texts.to_list() == ["caf�\ncaf�\n"]
    assert "replaced by U+FFFD in 1 messages" in corpus.notes[0]
    fixed = read_corpus(io.BytesIO(raw), encoding="cp1252")
    assert fixed.texts.to_list() == ["café\ncafé\n"]
    assert fixed.notes == ()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"Date: never\n\nx\n",
        b"Subject: =?utf-8?b?####?=\n\nx\n",
        b"Subject: =?nonsense?q?x?=\n\nx\n",
        b"To: =?utf-8?b?base64=?utf-8?b??=\n\nx\n",
        b"Content-Type: multipart/mixed\n\nx\n",
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n",
        b"Content-Type: text/plain; charset=utf-7\n\n+2AA-\n",
        b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n!!!\n",
        b"Date: Mon, 99 Jan 99999 10:00:00 +9999\n\nx",
    ],
)
def test_broken_mail_is_read(raw: bytes) -> None:
    corpus = read_corpus(io.BytesIO(mbox(raw)), format="mbox", missing="empty")
    assert len(corpus) == 1
    assert corpus.frame["date"].to_list() == [None]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a</p><p>b</p>", "a\nb"),
        ("a<br>b<script>x < y</script> c", "a\nb c"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ("&lt;b&gt; &#233; &nbsp;x", "<b> é \xa0x"),
        ("line\nbreak   and <b>bold</b>", "line break and bold"),
        ("<style>p{}</style>", ""),
        ("<![if !mso]>kept<![endif]>", "kept"),
        ("a &amp; b<![nonsense[ x ]]>", "a & b"),
    ],
)
def test_html_to_text(html: str, text: str) -> None:
    assert html_to_text(html) == text
