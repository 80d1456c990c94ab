"""Damaged characters, markup, empty and very long texts."""

import pytest
from tests.helpers.random_texts import random_words

from quire.checks import check_texts

GOOD = "Das Café im Süden: „gut“, it’s naïve — señor, Àngel, ÂGE, Ça va, 東京, Привет 😀 £5 10°C"


def look(*texts):
    return check_texts([*random_words(30, 10), *texts])


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@pytest.mark.parametrize("text", ["Café au lait", "it’s „gut“", "naïve señor", "über Straße"])
def test_text_read_in_another_encoding(text, encoding):
    bad = text.encode("utf-8").decode(encoding, errors="ignore")
    if encoding == "cp1252" and len(bad) < len(text.encode("utf-8")):
        pytest.skip("cp1252 has no character for one of the bytes")
    (found,) = look(bad, "in order: Café")["QT014"]
    assert found.rows.tolist() == [30]
    if encoding == "cp1252":
        assert found.details["read in another encoding"] == 1


def test_the_word_is_given_as_it_was():
    (found,) = look("CafÃ© au lait")["QT014"]
    assert "CafÃ© for Café" in found.what


def test_lost_and_control_characters():
    (found,) = look("Caf\ufffd", "it\x92s")["QT014"]
    assert found.rows.tolist() == [30, 31]
    assert found.details["lost characters"] == 1
    assert found.details["control characters"] == 1


@pytest.mark.parametrize("text", [GOOD, "ÃO, ÃES", "Â£ is no word but Ã alone is", "line\x85break"])
def test_sound_texts_are_left_alone(text):
    found = look(text)["QT014"]
    assert not found or text.startswith("Â£")  # that one is a pound sign read twice


def test_markup():
    (found,) = look("tea &amp; cake<br /><br>", "<p class='x'>hello</p>", "3 &#233; 4")["QT015"]
    assert found.rows.tolist() == [30, 31, 32]
    assert found.details == {"entities": 2, "tags": 2}
    assert not look("a < b & c > d; x<y", "R&D; AT&T", "<3 <-- <-> <table of contents")["QT015"]


def test_empty_texts():
    (found,) = look("", " \t\n", "\u00a0\u2003", " " * 500)["QT016"]
    assert found.rows.tolist() == [30, 31, 32, 33]
    assert found.severity == "error"
    assert not look(".")["QT016"]


def test_texts_of_extreme_length():
    (found,) = look("word " * 50_000)["QT017"]
    assert found.rows.tolist() == [30]
    assert not look("word " * 5_000)["QT017"]
