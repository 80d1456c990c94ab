"""Worked examples: data small enough for pencil and paper, with the numbers they must give.

Probabilities are exact fractions, so that a test can ask for equality with what an estimator
computes to the last digit that it holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from quire.datasets._dataset import Dataset

__all__ = [
    "BagOfWords",
    "ChineseDocuments",
    "DiceRolls",
    "WordTables",
    "load_bag_of_words",
    "load_chinese_documents",
    "load_dice_rolls",
    "load_word_tables",
]

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class ChineseDocuments(Dataset):
    """Four labelled documents and one to classify, from :func:`load_chinese_documents`.

    Attributes
    ----------
    texts : list of str
        The four training documents.
    labels : list of str
        Their classes, ``"c"`` or ``"not c"``.
    test_text : str
        The document to classify.
    test_label : str
        The class that naive Bayes gives it.
    priors : mapping from class to Fraction
        Share of the training documents in each class.
    likelihoods : mapping from class to mapping from term to Fraction
        P(term | class) with one added to every count (alpha = 1), for all six terms.
    joint : mapping from class to Fraction
        P(class) times the probabilities of the tokens of the test document.
    """

    texts: list[str]
    labels: list[str]
    test_text: str
    test_label: str
    priors: Mapping[str, Fraction]
    likelihoods: Mapping[str, Mapping[str, Fraction]]
    joint: Mapping[str, Fraction]


def load_chinese_documents() -> ChineseDocuments:
    """Return the classic small example of multinomial naive Bayes with add-one smoothing.

    Class c holds 8 tokens, the other class 3, and the vocabulary has 6 terms. The three
    occurrences of *Chinese* in the test document outweigh *Tokyo* and *Japan*.

    Returns
    -------
    ChineseDocuments
        Documents, classes, and every number of the solution.

    References
    ----------
    Manning, Raghavan and Schütze (2008), "Introduction to Information Retrieval", example 13.1.

    Examples
    --------
    >>> from quire.datasets import load_chinese_documents
    >>> example = load_chinese_documents()
    >>> print(example.likelihoods["c"]["chinese"], example.likelihoods["c"]["tokyo"])
    3/7 1/14
    >>> {label: round(float(p), 6) for label, p in example.joint.items()}
    {'c': 0.000301, 'not c': 0.000135}
    """
    in_c = {
        "beijing": Fraction(1, 7),
        "chinese": Fraction(3, 7),
        "japan": Fraction(1, 14),
        "macao": Fraction(1, 7),
        "shanghai": Fraction(1, 7),
        "tokyo": Fraction(1, 14),
    }
    not_in_c = {
        "beijing": Fraction(1, 9),
        "chinese": Fraction(2, 9),
        "japan": Fraction(2, 9),
        "macao": Fraction(1, 9),
        "shanghai": Fraction(1, 9),
        "tokyo": Fraction(2, 9),
    }
    return ChineseDocuments(
        texts=[
            "Chinese Beijing Chinese",
            "Chinese Chinese Shanghai",
            "Chinese Macao",
            "Tokyo Japan Chinese",
        ],
        labels=["c", "c", "c", "not c"],
        test_text="Chinese Chinese Chinese Tokyo Japan",
        test_label="c",
        priors={"c": Fraction(3, 4), "not c": Fraction(1, 4)},
        likelihoods={"c": in_c, "not c": not_in_c},
        joint={
            "c": Fraction(3, 4) * Fraction(3, 7) ** 3 * Fraction(1, 14) ** 2,
            "not c": Fraction(1, 4) * Fraction(2, 9) ** 5,
        },
    )


@dataclass(frozen=True, eq=False, repr=False)
class DiceRolls(Dataset):
    """Rolls of a die, from :func:`load_dice_rolls`.

    Attributes
    ----------
    rolls : ndarray of shape (10,)
        The faces in the order they came up.
    counts : ndarray of shape (6,)
        How often the faces 1 to 6 came up.
    probabilities : tuple of 6 Fraction
        Maximum-likelihood estimate for the faces 1 to 6: counts divided by rolls.
    """

    rolls: IntArray
    counts: IntArray
    probabilities: tuple[Fraction, ...]


def load_dice_rolls() -> DiceRolls:
    """Return ten rolls of a die that shows six every other time.

    Returns
    -------
    DiceRolls
        Rolls, counts, and the maximum-likelihood estimate: 1/10 for 1 to 5, and 1/2 for 6.

    Examples
    --------
    >>> from quire.datasets import load_dice_rolls
    >>> [float(p) for p in load_dice_rolls().probabilities]
    [0.1, 0.1, 0.1, 0.1, 0.1, 0.5]
    """
    return DiceRolls(
        rolls=np.array([1, 6, 2, 6, 3, 6, 4, 6, 5, 6]),
        counts=np.array([1, 1, 1, 1, 1, 5]),
        probabilities=(Fraction(1, 10),) * 5 + (Fraction(1, 2),),
    )


@dataclass(frozen=True, eq=False, repr=False)
class BagOfWords(Dataset):
    """Two sequences and their counts, from :func:`load_bag_of_words`.

    Attributes
    ----------
    rolls : ndarray of shape (7,)
        Rolls of a die, in order.
    roll_counts : ndarray of shape (6,)
        How often the faces 1 to 6 came up.
    roll_orderings : int
        Number of sequences with these counts: 7! / (4! 0! 1! 1! 0! 1!) = 210.
    text : str
        A document of four words, read as four rolls of a die with one face for each word.
    terms : list of str
        The different words, sorted.
    text_counts : ndarray of shape (3,)
        How often each term occurs.
    text_orderings : int
        Number of orders of the words that give these counts: 4! / (1! 1! 2!) = 12.
    """

    rolls: IntArray
    roll_counts: IntArray
    roll_orderings: int
    text: str
    terms: list[str]
    text_counts: IntArray
    text_orderings: int


def load_bag_of_words() -> BagOfWords:
    """Return two sequences that show what the multinomial coefficient counts.

    The likelihood of counts is the likelihood of one sequence times the number of sequences with
    those counts, W! / prod X_i!.

    Returns
    -------
    BagOfWords
        A sequence of rolls and a sequence of words, their counts and coefficients.

    Examples
    --------
    >>> from quire.datasets import load_bag_of_words
    >>> bag = load_bag_of_words()
    >>> dict(zip(bag.terms, bag.text_counts.tolist())), bag.text_orderings
    ({'dog': 1, 'jumped': 1, 'the': 2}, 12)
    """
    return BagOfWords(
        rolls=np.array([1, 3, 1, 4, 6, 1, 1]),
        roll_counts=np.array([4, 0, 1, 1, 0, 1]),
        roll_orderings=210,
        text="the dog jumped the",
        terms=["dog", "jumped", "the"],
        text_counts=np.array([1, 1, 2]),
        text_orderings=12,
    )


@dataclass(frozen=True, eq=False, repr=False)
class WordTables(Dataset):
    """Four documents over four terms, twice, from :func:`load_word_tables`.

    Attributes
    ----------
    terms : list of str
        The term that each column stands for.
    presence : ndarray of shape (4, 4)
        One row for each document: 1 where it contains the term.
    presence_probabilities : tuple of 4 Fraction
        Bernoulli maximum likelihood: share of the documents that contain the term.
    counts : ndarray of shape (4, 4)
        Four other documents: how often each contains the term.
    count_probabilities : tuple of 4 Fraction
        Multinomial maximum likelihood: share of all tokens.
    """

    terms: list[str]
    presence: IntArray
    presence_probabilities: tuple[Fraction, ...]
    counts: IntArray
    count_probabilities: tuple[Fraction, ...]


def load_word_tables() -> WordTables:
    """Return a table of presence and a table of counts, with the estimates each gives.

    Returns
    -------
    WordTables
        The tables, documents as rows, and the Bernoulli and multinomial estimates.

    Examples
    --------
    >>> from quire.datasets import load_word_tables
    >>> tables = load_word_tables()
    >>> print(*tables.presence_probabilities)
    3/4 1/2 3/4 1/2
    >>> print(*tables.count_probabilities)
    13/41 8/41 12/41 8/41
    """
    return WordTables(
        terms=["the", "hello", "and", "happy"],
        presence=np.array([[1, 0, 1, 1], [0, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1]]),
        presence_probabilities=(Fraction(3, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1, 2)),
        counts=np.array([[9, 0, 6, 2], [3, 5, 2, 5], [1, 3, 2, 1], [0, 0, 2, 0]]),
        count_probabilities=(
            Fraction(13, 41),
            Fraction(8, 41),
            Fraction(12, 41),
            Fraction(8, 41),
        ),
    )
