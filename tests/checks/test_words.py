"""Languages, passages that a class shares, words of parts."""

import numpy as np
from tests.helpers.random_texts import random_words

from quire.checks import check_texts

SENTENCES = {
    "English": "This is what the people who were there have said about it, and they would know.",
    "German": "Das ist es, was die Leute auch über den Krieg sagten, und sie sind nicht allein.",
    "French": "Les gens qui sont dans la ville ne sont pas des amis, mais nous sommes avec eux.",
    "Spanish": "Los que están en la calle no son amigos, pero también hay más de lo que se ve.",
    "Italian": "Questo non è il libro che ho letto, ma sono anche le cose di una donna.",
    "Dutch": "Het is niet wat ik van hem dacht, maar zij zijn ook naar de stad met haar.",
    "Polish": "To nie jest tak, jak być może chce, ale już tylko dla niej oraz przez czas.",
    "Turkish": "Bu bir ev değil, ama çok daha iyi olan bir şey için her zaman var ve kadar gibi.",
    "Cyrillic": "Это было давно, и никто уже не помнит, как всё началось.",
    "Chinese": "這是一個關於城市和人們的故事。",
    "Japanese": "これは、とてもながいものがたりです。",
    "Greek": "Αυτή είναι μια ιστορία για την πόλη.",
    "Arabic": "هذه قصة عن المدينة والناس الذين يعيشون فيها",
}


def test_each_language_is_told():
    for name, sentence in SENTENCES.items():
        if name == "English":
            continue
        texts = [f"{SENTENCES['English']} {n}" for n in range(40)]
        texts += [f"{sentence} {n}" for n in range(5)]
        found = check_texts(texts, silence="QT001,QT002")["QT011"]
        assert found, name
        assert found[0].terms == ("English", name)
        assert found[0].rows.tolist() == list(range(40, 45))


def test_one_language_is_no_finding():
    for sentence in SENTENCES.values():
        assert not check_texts([f"{sentence} {n}" for n in range(40)])["QT011"]
    assert not check_texts(random_words(50, 40))["QT011"]
    names = ["Die Hard", "Le Mans", "El Dorado"]  # a name is no language
    texts = [f"{SENTENCES['English']} {names[n % 3]}" for n in range(40)]
    assert not check_texts(texts)["QT011"]


def test_a_language_that_goes_with_a_class_is_a_warning():
    texts = [f"{SENTENCES['English']} {n}" for n in range(60)]
    texts[:15] = [f"{SENTENCES['German']} {n}" for n in range(15)]
    y = ["a"] * 20 + ["b"] * 40
    (found,) = check_texts(texts, y)["QT011"]
    assert found.severity == "warning"
    assert "Of class 'a' it is 75%, of all 25%." in found.what


def test_a_passage_that_a_class_shares():
    texts = random_words(200, 60)
    y = np.array(["left", "right"] * 100)
    passage = "this message is confidential and meant for the person it is addressed to"
    for row in range(0, 160, 2):
        texts[row] += f" {passage}."
    (found,) = check_texts(texts, y)["QT012"]
    assert found.classes == ("left",)
    assert found.terms == (passage,)
    assert found.details == {"share": 0.8, "share of others": 0.0}
    assert found.rows.tolist() == list(range(0, 160, 2))


def test_a_passage_of_all_classes_is_no_finding():
    passage = "this message is confidential and meant for the person it is addressed to"
    texts = [f"{text} {passage}" for text in random_words(100, 60)]
    assert not check_texts(texts, ["a", "b"] * 50)["QT012"]


def test_parts_with_other_words():
    texts = random_words(400, 60, vocabulary=2000)
    split = np.array(["train", "test"] * 200)
    assert not check_texts(texts, split=split)["QT013"]
    for row in range(1, 400, 2):
        texts[row] += f" brexit covid {row}later new{row} words{row} here{row}"
    (found,) = check_texts(texts, split=split)["QT013"]
    assert "of the words of 'test' are not in 'train'" in found.what
    assert set(found.details["standard errors"]) == {"brexit", "covid"}
    assert found.details["unknown"] > 0.05 > found.details["at random"]
    assert "QT013" not in {one.code for one in check_texts(texts)}
