"""Data to learn and to test with: worked examples, a real corpus, generators that know the truth.

Nothing here is downloaded and nothing is shipped as a file. The examples are small enough to write
down, :func:`load_docstrings` reads what is already installed, and the generators draw what they
return from a stated model and a `random_state`.
"""

from quire.datasets._corpus import make_corpus
from quire.datasets._docstrings import Docstrings, load_docstrings
from quire.datasets._gaussian_mixture import GaussianMixtureSample, make_gaussian_mixture
from quire.datasets._sklearn import load_sklearn
from quire.datasets._text_classification import TextClassification, make_text_classification
from quire.datasets._topics import TopicCorpus, TopicCounts, make_lda_corpus
from quire.datasets._worked import (
    BagOfWords,
    ChineseDocuments,
    DiceRolls,
    WordTables,
    load_bag_of_words,
    load_chinese_documents,
    load_dice_rolls,
    load_word_tables,
)

__all__ = [
    "BagOfWords",
    "ChineseDocuments",
    "DiceRolls",
    "Docstrings",
    "GaussianMixtureSample",
    "TextClassification",
    "TopicCorpus",
    "TopicCounts",
    "WordTables",
    "load_bag_of_words",
    "load_chinese_documents",
    "load_dice_rolls",
    "load_docstrings",
    "load_sklearn",
    "load_word_tables",
    "make_corpus",
    "make_gaussian_mixture",
    "make_lda_corpus",
    "make_text_classification",
]
