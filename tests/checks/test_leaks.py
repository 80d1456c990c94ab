"""What gives labels away: names in texts, columns, groups, time."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.random_texts import random_words

from quire.checks import check_texts


def corpus(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return random_words(n, 30, seed), np.where(rng.random(n) < 0.5, "spam", "wanted mail")


def test_the_name_of_a_label_in_the_text():
    texts, y = corpus()
    spam = np.flatnonzero(y == "spam")
    for row in spam[:20]:
        texts[row] += " Spam!"
    (found,) = check_texts(texts, y)["QT004"]
    assert found.rows.tolist() == spam[:20].tolist()
    assert found.classes == ("spam",)
    assert found.details["names"] == {"spam": {"documents": 20, "of the class": 20}}
    right = 20 + (y != "spam").sum() if (y != "spam").sum() >= 100 else len(spam)
    assert found.details["accuracy"] == pytest.approx(right / 200)


def test_a_name_of_several_words_stands_side_by_side():
    texts, y = corpus()
    wanted = np.flatnonzero(y == "wanted mail")
    for row in wanted[:60]:
        texts[row] += " wanted - MAIL" if row % 2 else " mail that is wanted"
    (found,) = check_texts(texts, y)["QT004"]
    assert found.rows.tolist() == [row for row in wanted[:60].tolist() if row % 2]


def test_a_name_that_does_not_go_with_the_label_is_no_finding():
    texts, y = corpus()
    texts = [text + " spam" if row % 2 else text for row, text in enumerate(texts)]
    assert not check_texts(texts, y)["QT004"]
    texts, y = corpus()
    row = int(np.flatnonzero(y == "spam")[0])
    texts[row] += " spam"  # once is chance
    assert not check_texts(texts, y)["QT004"]


def test_a_name_within_a_word_is_none():
    texts, y = corpus()
    texts = [
        text + " spammer" if label == "spam" else text for text, label in zip(texts, y, strict=True)
    ]
    assert not check_texts(texts, y)["QT004"]


def test_a_column_that_tells_the_label():
    texts, y = corpus()
    stars = np.where(y == "spam", 1, 5)
    stars[::10] = 3
    random = np.arange(200) % 4
    columns = {"stars": stars, "random": random, "id": np.arange(200)}
    (found,) = check_texts(texts, y, columns=columns)["QT005"]
    assert found.terms == ("stars",)
    assert 0.9 < found.details["accuracy"] < 1


def test_what_a_column_tells_is_told_by_other_documents():
    """Against the loop: each document by the majority of the others with its value."""
    from quire.checks._leaks import _told_by
    from quire.checks._material import material_of

    rng = np.random.default_rng(1)
    y = rng.integers(3, size=120)
    values = np.where(rng.random(120) < 0.5, y, rng.integers(25, size=120))
    material = material_of(
        ["x"] * 120, y, text=None, split=None, folds=None, groups=None, columns=None, n_jobs=1
    )
    sizes = np.bincount(y)
    right = 0.0
    for row in range(120):
        others = np.flatnonzero((values == values[row]) & (np.arange(120) != row))
        if len(others) == 0:
            right += y[row] == sizes.argmax()
            continue
        counts = np.bincount(y[others], minlength=3)
        top = np.flatnonzero(counts == counts.max())
        if y[row] in top:
            right += 1 if len(top) == 1 else 0.5
    assert _told_by(material, values).accuracy == pytest.approx(right / 120)


def groups(y, seed=0):
    """Authors with about ten documents each, who write of one class as a rule."""
    rng = np.random.default_rng(seed)
    half = rng.integers(10, size=len(y))
    return [f"author {h + 10 * (label == 'spam')}" for h, label in zip(half, y, strict=True)]


def test_groups_that_random_folds_would_divide():
    texts, y = corpus()
    (found,) = check_texts(texts, y, columns={"author": groups(y)})["QT006"]
    assert found.terms == ("author",)
    assert "would be divided" in found.what
    shuffled = np.random.default_rng(0).permutation(groups(y))
    assert not check_texts(texts, y, columns={"author": shuffled})["QT006"]


def test_groups_that_parts_divide():
    texts, y = corpus()
    authors = groups(y)
    split = np.where(np.arange(200) < 100, "train", "test")
    (found,) = check_texts(texts, y, groups=authors, split=split)["QT006"]
    assert found.severity == "error"
    by_author = np.where(np.isin(authors, sorted(set(authors))[:10]), "train", "test")
    assert not check_texts(texts, y, groups=authors, split=by_author)["QT006"]
    assert not check_texts(texts, y, groups=authors)["QT006"]  # folds will keep them together


def test_labels_that_change_with_time():
    texts, y = corpus()
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 7, 18), eager=True)
    order = np.argsort(np.where(y == "spam", 0, 1) + np.random.default_rng(0).normal(0, 0.3, 200))
    texts, y = [texts[i] for i in order], y[order]
    (found,) = check_texts(texts, y, columns={"date": days})["QT007"]
    assert found.terms == ("date",)
    written = {"date": days.cast(pl.String)}
    assert check_texts(texts, y, columns=written)["QT007"][0].what == found.what
    split = np.where(np.arange(200) < 150, "train", "test")
    assert not check_texts(texts, y, columns={"date": days}, split=split)["QT007"]
    mixed = np.where(np.arange(200) % 3, "train", "test")
    assert check_texts(texts, y, columns={"date": days}, split=mixed)["QT007"]
    shuffled = np.random.default_rng(1).permutation(y)
    assert not check_texts(texts, shuffled, columns={"date": days})["QT007"]
