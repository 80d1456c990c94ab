"""Data to learn and to test with: worked examples, a real corpus, generators that know the truth.

Nothing here is downloaded and nothing is shipped as a file. The examples are small enough to write
down or drawn from a stated model with a fixed seed, :func:`load_docstrings` reads what is already
installed, and the generators draw what they return from a stated model and a `random_state`.
"""

from quire.datasets._applications import load_credit_cards, load_icu
from quire.datasets._corpus import make_corpus
from quire.datasets._docstrings import Docstrings, load_docstrings
from quire.datasets._gaussian_mixture import GaussianMixtureSample, make_gaussian_mixture
from quire.datasets._labelled_texts import LabelledTexts
from quire.datasets._languages import load_languages
from quire.datasets._multilabel_texts import MultilabelTexts, make_multilabel_texts
from quire.datasets._regimes import RegimeRatings, make_regimes
from quire.datasets._sklearn import load_sklearn
from quire.datasets._spam import load_spam
from quire.datasets._tables import load_table, table_names
from quire.datasets._text_classification import TextClassification, make_text_classification
from quire.datasets._topics import TopicCorpus, TopicCounts, make_lda_corpus
from quire.datasets._word_pairs import WordPairs, load_capitals, load_translation
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
    "LabelledTexts",
    "MultilabelTexts",
    "RegimeRatings",
    "TextClassification",
    "TopicCorpus",
    "TopicCounts",
    "WordPairs",
    "WordTables",
    "load_bag_of_words",
    "load_capitals",
    "load_chinese_documents",
    "load_credit_cards",
    "load_dice_rolls",
    "load_docstrings",
    "load_icu",
    "load_languages",
    "load_sklearn",
    "load_spam",
    "load_table",
    "load_translation",
    "load_word_tables",
    "make_corpus",
    "make_gaussian_mixture",
    "make_lda_corpus",
    "make_multilabel_texts",
    "make_regimes",
    "make_text_classification",
    "table_names",
]
