"""Copies and near copies: on both sides of a division, and with different labels."""

import numpy as np
from tests.helpers.random_texts import random_words

from quire.checks import check_texts
from quire.feature_extraction.text import CountedDocuments, CountVectorizer


def codes(findings):
    return [finding.code for finding in findings]


def documents(n=60, n_words=80, seed=0):
    return random_words(n, n_words, seed)


def test_copies_count_where_they_are_on_both_sides():
    texts = documents()
    texts[40] = "  " + texts[3].upper().replace(" ", "\n ", 1)
    apart = ["train"] * 30 + ["test"] * 30
    found = check_texts(texts, split=apart)["QT001"]
    assert len(found) == 1
    assert found[0].rows.tolist() == [3, 40]
    assert "'train', 'test'" in found[0].what
    together = ["train"] * 50 + ["test"] * 10
    assert not check_texts(texts, split=together)["QT001"]
    assert len(check_texts(texts)["QT001"]) == 1  # random folds would divide them


def test_a_few_texts_again_and_again():
    found = check_texts(["one", "two", "three"] * 20, split=["train", "test"] * 30)["QT001"]
    assert found[0].rows.tolist() == list(range(60))
    assert found[0].details == {"groups": 3, "documents": 60, "largest": 20}


def test_folds_are_sides_too():
    texts = documents()
    texts[40] = texts[3]
    rows = np.arange(60)
    apart = [(np.delete(rows, slice(0, 30)), rows[:30]), (rows[:30], rows[30:])]
    assert len(check_texts(texts, folds=apart)["QT001"]) == 1
    together = [(rows[rows % 37 != k], rows[rows % 37 == k]) for k in range(37)]
    assert not check_texts(texts, folds=together)["QT001"]
    one = [(rows[:30], rows[30:])]
    assert len(check_texts(texts, folds=one)["QT001"]) == 1


def test_one_letter_words_tell_texts_apart():
    texts = ["N.B.A. playoffs tonight", "N.H.L. playoffs tonight", "N.B.A. playoffs tonight"]
    found = check_texts(texts)["QT001"]
    assert found[0].rows.tolist() == [0, 2]


def test_case_matters_to_a_vectorizer_and_not_to_copies():
    texts = documents()
    texts[40] = texts[3].upper()
    counted = CountedDocuments(texts, CountVectorizer(lowercase=False))
    assert check_texts(counted)["QT001"][0].rows.tolist() == [3, 40]


def test_copies_with_other_labels():
    texts = documents()
    texts[40], texts[42] = texts[3], texts[4]
    y = ["a", "b"] * 30  # rows 4 and 42 have the same
    found = check_texts(texts, y)["QT003"]
    assert found[0].rows.tolist() == [3, 40]
    assert found[0].classes == ("a", "b")


def test_empty_texts_are_no_copies():
    texts = [*documents(20), "", "  ", "\n", ""]
    found = check_texts(texts, ["a", "b"] * 12)
    assert not found["QT001"]
    assert not found["QT003"]
    assert found["QT016"][0].rows.tolist() == [20, 21, 22, 23]


def test_near_copies_are_found_and_others_are_not():
    texts = documents(100, 120)
    words = texts[5].split()
    words[60] = "changed"
    texts[70] = " ".join(words)  # 3 of 118 runs differ
    words = texts[6].split()
    texts[71] = " ".join(words[:60] + texts[8].split()[60:])  # half of it
    split = ["train"] * 50 + ["test"] * 50
    found = check_texts(texts, split=split)["QT002"]
    assert len(found) == 1
    assert found[0].rows.tolist() == [5, 70]
    assert found[0].details["groups"] == 1
    assert "rows 5 and 70, 95% the same" in found[0].what


def test_exact_copies_alone_are_no_near_copies():
    texts = documents()
    texts[40] = texts[3]
    assert "QT002" not in codes(check_texts(texts))


def test_near_copies_agree_with_all_pairs():
    rng = np.random.default_rng(3)
    texts = documents(80, 100, seed=4)
    for row in range(40):
        words = texts[row].split()
        for place in rng.choice(100, row // 4, replace=False):
            words[place] = f"w{rng.integers(10**9)}"
        texts[40 + row] = " ".join(words)

    def runs(text):
        words = text.split()
        return {tuple(words[i : i + 3]) for i in range(len(words) - 2)}

    sets = [runs(text) for text in texts]
    near = {
        row
        for a in range(80)
        for b in range(a + 1, 80)
        if sets[a] != sets[b] and len(sets[a] & sets[b]) >= 0.8 * len(sets[a] | sets[b])
        for row in (a, b)
    }
    found = check_texts(texts)["QT002"]
    assert len(near) > 10
    assert set(found[0].rows.tolist()) == near


def test_threads_do_not_change_what_is_found():
    texts = documents(300, 60)
    texts[200:220] = [text + " more" for text in texts[:20]]
    one, two = (check_texts(texts, n_jobs=n).to_dict() for n in (1, 3))
    assert one == two
