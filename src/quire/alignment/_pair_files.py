"""Pairs of words in files, and their split into those to learn from and those to judge by."""

from __future__ import annotations

import csv
from collections.abc import Container, Iterable
from os import PathLike
from pathlib import Path

import numpy as np

from quire.alignment._raw_files import refuse_device

__all__ = ["read_pairs", "split_pairs"]

Pair = tuple[str, str]

# What people call such columns; a first row of these is a header.
_HEADS = frozenset(
    """a answer b capital country dst en english fr french from german it italian key l1 l2 left
    query right source source_word spanish src target target_word tgt to translation value word
    word1 word2 words""".split()
)


def read_pairs(
    path: str | PathLike[str],
    *,
    header: bool | None = None,
    vocabularies: tuple[Container[str], Container[str]] | None = None,
) -> list[Pair]:
    r"""Read pairs of words: CSV, TSV, or two words in a line with blanks between.

    Parameters
    ----------
    path : path
        The file, in UTF-8. Commas or tabs in its first line part the columns, of which the first
        two count; otherwise blanks do, as in the dictionaries of MUSE. Empty lines are left out.
    header : bool, default=None
        Whether the first row of a file with commas or tabs holds names of columns. ``None`` goes
        by what it says: usual names such as source and target, or two words that are not in
        `vocabularies`.
    vocabularies : pair of containers of str, default=None
        The words of source and target, such as two :class:`WordVectors`.

    Returns
    -------
    list of (str, str)
        The pairs, in order; those that come twice are there once.

    Raises
    ------
    ValueError
        If a line does not hold two words (the message has its number), or the file is a device.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from quire.alignment import read_pairs
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pairs.csv"
    ...     _ = path.write_text("country,capital\nFrance,Paris\nPeru,Lima\n")
    ...     read_pairs(path)
    [('France', 'Paris'), ('Peru', 'Lima')]
    """
    path = Path(path)
    refuse_device(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 (byte {error.start}). Convert it first.") from error
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    mark = "\t" if "\t" in first else "," if "," in first else None
    pairs: dict[Pair, None] = {}
    is_first = True
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        parts = line.split() if mark is None else next(csv.reader([line], delimiter=mark))
        parts = [part.strip() for part in parts]
        if len(parts) < 2 or not parts[0] or not parts[1] or (mark is None and len(parts) > 2):
            blanks = " Words with blanks need commas or tabs between them." if not mark else ""
            raise ValueError(f"{path}, line {number}: expected two words, got {line!r}.{blanks}")
        pair = parts[0], parts[1]
        if is_first and mark is not None and _is_header(pair, header, vocabularies):
            is_first = False
            continue
        is_first = False
        pairs.setdefault(pair)
    if not pairs:
        raise ValueError(f"{path} holds no pairs; expected two words in each line.")
    return list(pairs)


def _is_header(
    pair: Pair,
    header: bool | None,
    vocabularies: tuple[Container[str], Container[str]] | None,
) -> bool:
    if header is not None:
        return header
    if pair[0].lower() in _HEADS and pair[1].lower() in _HEADS:
        return True
    return vocabularies is not None and not any(
        word in known for word, known in zip(pair, vocabularies, strict=True)
    )


def split_pairs(
    pairs: Iterable[Pair], test_share: float = 1 / 3, random_state: int = 0
) -> tuple[list[Pair], list[Pair]]:
    """Part pairs in two by chance; all pairs of a source word go to the same side.

    Parameters
    ----------
    pairs : iterable of (str, str)
        Words that belong together.
    test_share : float, default=1/3
        The share of source words to judge by.
    random_state : int, default=0
        Seed.

    Returns
    -------
    train, test : list of (str, str)
        In the order in which they were given.

    Examples
    --------
    >>> from quire.alignment import split_pairs
    >>> train, test = split_pairs([("a", "x"), ("a", "y"), ("b", "z"), ("c", "w")])
    >>> len({s for s, _ in train}), len({s for s, _ in test})
    (2, 1)
    """
    listed = list(pairs)
    words = list(dict.fromkeys(s for s, _ in listed))
    if not 0 < test_share < 1:
        raise ValueError(f"test_share is {test_share}; expected a share between 0 and 1.")
    if len(words) < 2:
        raise ValueError(
            f"There are {len(words)} words with a pair; expected two or more, to learn from some "
            "and judge by the others."
        )
    n_test = min(max(round(test_share * len(words)), 1), len(words) - 1)
    order = np.random.default_rng(random_state).permutation(len(words))
    held_out = {words[place] for place in order[:n_test]}
    train = [pair for pair in listed if pair[0] not in held_out]
    return train, [pair for pair in listed if pair[0] in held_out]
