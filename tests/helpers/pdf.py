"""Printed pages, read again: words with their places, and what colours there are.

Needs ``pdftotext`` and ``pdftoppm`` (Debian: ``apt-get install poppler-utils``).
"""

import html
import re
import shutil
import subprocess
from dataclasses import dataclass

import numpy as np
import pytest

__all__ = ["Word", "first_page", "needs_poppler", "words_of"]

needs_poppler = pytest.mark.skipif(
    shutil.which("pdftotext") is None or shutil.which("pdftoppm") is None,
    reason="no poppler-utils: install them to read printed pages",
)
_PAGE = re.compile(r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', re.DOTALL)
_WORD = re.compile(r'<word xMin="([-\d.]+)" .*? xMax="([-\d.]+)" .*?>(.*?)</word>')


@dataclass(frozen=True)
class Word:
    """A word: its page, from 0, and its left and right end as shares of the width of the page."""

    text: str
    page: int
    left: float
    right: float


def words_of(folder, pdf):
    """Return all words of a PDF."""
    path = folder / "printed.pdf"
    path.write_bytes(pdf)
    done = subprocess.run(
        ["pdftotext", "-bbox", path, "-"], capture_output=True, check=True, encoding="utf-8"
    )
    return [
        Word(html.unescape(text), number, float(left) / float(width), float(right) / float(width))
        for number, (width, _, inside) in enumerate(_PAGE.findall(done.stdout))
        for left, right, text in _WORD.findall(inside)
    ]


def first_page(folder, pdf):
    """Return the first page as an array of colours, of shape (height, width, 3)."""
    path = folder / "printed.pdf"
    path.write_bytes(pdf)
    command = ["pdftoppm", "-r", "40", "-f", "1", "-l", "1", path]
    picture = subprocess.run(command, capture_output=True, check=True).stdout
    kind, size, most, values = picture.split(b"\n", 3)
    assert (kind, most) == (b"P6", b"255")
    width, height = map(int, size.split())
    return np.frombuffer(values, np.uint8).reshape(height, width, 3)
