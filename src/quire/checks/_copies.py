"""Texts that are there more than once, and nearly so."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quire._shared.near_sets import (
    connected_groups,
    near_candidates,
    overlaps,
    signatures,
)
from quire._shared.typing import AnyArray, Floats, Ints
from quire.checks._findings import Finding
from quire.checks._material import Material, listed, of_documents, percent
from quire.feature_extraction.text import HashingVectorizer

__all__ = ["copies_with_other_labels", "equal_texts", "near_copies", "texts_on_both_sides"]

_THRESHOLD = 0.8  # of shingles in common
_SHINGLE = 3  # words
_BLOCK = 20_000  # documents that are hashed at a time
_PAIRS = 20_000  # that are measured at a time
_COLUMNS = 2**30


def equal_texts(material: Material) -> Ints:
    """Return the number of the group of each text; texts alike but for case and blanks are one.

    The number is the first row of the group. Empty texts have -1. Only texts with the same words
    are compared letter by letter.
    """
    rows = _with_equal_words(material)
    texts = material.texts.gather(rows)
    plain = texts.str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()
    _, first, group = np.unique(
        plain.hash(seed=0).to_numpy(), return_index=True, return_inverse=True
    )
    # The number of a group is its first row: hashes may differ between versions.
    found: Ints = np.arange(len(material))
    found[rows] = rows[first[group]]
    found[material.is_empty] = -1
    return found


def _with_equal_words(material: Material) -> Ints:
    """Return the rows whose words are those of another one, each as often."""
    counts = material.counts
    if counts is None or not getattr(counts.vectorizer, "lowercase", False):
        return np.arange(len(material))  # texts that differ by case would not be among them
    X = counts.counts
    of_term = np.random.default_rng(0).integers(1 << 63, size=X.shape[1], dtype=np.uint64)
    terms = of_term[X.indices] * X.data.astype(np.uint64)
    ends = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
    sums = ends[X.indptr[1:]] - ends[X.indptr[:-1]]  # modulo 2**64
    _, group, sizes = np.unique(sums, return_inverse=True, return_counts=True)
    return np.flatnonzero(sizes[group] > 1)


def texts_on_both_sides(material: Material, equal: Ints) -> Iterator[Finding]:
    """QT001: copies that are, or will be, on both sides of a fold."""
    sizes = np.bincount(equal[equal >= 0], minlength=len(material))
    several = sizes > 1
    if material.parts is not None:
        several &= material.spans_parts(equal)[: len(sizes)] > 1
    rows = np.flatnonzero(several[equal] & (equal >= 0))
    if not len(rows):
        return
    n_groups = int(several.sum())
    share = len(rows) / len(material)
    texts = "1 text is" if n_groups == 1 else f"{n_groups:,} texts are"
    what = f"{texts} there more than once: {of_documents(len(rows))}, {percent(share)} of all"
    if material.parts is None:
        what += f". {material.n_folds} random folds would divide most of them"
    else:
        what += _where(material)
    longest = _examples(material, rows, equal)
    yield Finding(
        "QT001",
        f"{what}. For example {longest}.",
        "error" if share >= 0.05 else "warning",
        rows,
        details={"groups": n_groups, "documents": len(rows), "largest": int(sizes.max())},
    )


def copies_with_other_labels(material: Material, equal: Ints) -> Iterator[Finding]:
    """QT003: the same text under two labels."""
    if material.codes is None or material.labels is None:
        return
    known = np.flatnonzero((equal >= 0) & (material.codes >= 0))
    n_labels = len(material.labels)
    pairs = np.unique(equal[known] * n_labels + material.codes[known])
    n_of_group = np.bincount(pairs // n_labels, minlength=int(equal.max(initial=0)) + 1)
    torn = n_of_group > 1
    rows = known[torn[equal[known]]]
    if not len(rows):
        return
    n_groups = int(torn.sum())
    texts = "1 text has" if n_groups == 1 else f"{n_groups:,} texts have"
    classes = [material.labels[k] for k in np.unique(material.codes[rows])]
    yield Finding(
        "QT003",
        f"{texts} more than one label: {of_documents(len(rows))} of {listed(classes)}. "
        f"For example {_examples(material, rows, equal)}.",
        "error",
        rows,
        classes=tuple(classes),
        details={"groups": n_groups, "documents": len(rows)},
    )


def near_copies(material: Material, equal: Ints) -> Iterator[Finding]:
    """QT002: texts with most of their runs of three words in common."""
    rows = np.flatnonzero(equal == np.arange(len(material)))  # one of each text
    if not len(rows):
        return
    left, right, similar = _near_pairs(material, rows)
    group = np.full(len(material), -1, dtype=np.int64)
    group[rows] = connected_groups(left, right, len(rows))
    sizes = np.bincount(group[rows], minlength=1)
    several = sizes > 1
    # A copy is in the group of its text.
    group = np.where(equal >= 0, group[equal], -1)
    if material.parts is not None:
        several &= material.spans_parts(group)[: len(sizes)] > 1
    found = np.flatnonzero((group >= 0) & several[group])
    if not len(found):
        return
    n_groups = int(several.sum())
    what = (
        f"{of_documents(len(found))} of {len(material):,} are nearly the same as another: "
        f"{n_groups:,} {'group' if n_groups == 1 else 'groups'} of texts that share at least "
        f"{_THRESHOLD:.0%} of their runs of {_SHINGLE} words"
    )
    if material.parts is not None:
        what += _where(material)
    kept = several[group[rows[left]]]
    pair = int(np.argmax(np.where(kept, similar, -1.0)))
    a, b = rows[left[pair]], rows[right[pair]]
    yield Finding(
        "QT002",
        f"{what}. For example rows {a:,} and {b:,}, {similar[pair]:.0%} the same.",
        "error" if len(found) >= 0.05 * len(material) else "warning",
        found,
        details={"groups": n_groups, "documents": len(found), "largest": int(sizes.max())}
        | _torn(material, group, several),
    )


def _where(material: Material) -> str:
    """Say between which parts copies are divided."""
    if not material.is_split:
        return ", on both sides of a fold"
    return f", in more than one of {listed(material.part_names, most=3)}"


def _torn(material: Material, group: Ints, several: AnyArray) -> dict[str, int]:
    """Return how many groups of near copies have more than one label."""
    if material.codes is None:
        return {}
    known = np.flatnonzero((group >= 0) & (material.codes >= 0))
    n_labels = len(material.labels or ())
    pairs = np.unique(group[known] * n_labels + material.codes[known])
    n_of_group = np.bincount(pairs // n_labels, minlength=len(several))
    return {"groups with several labels": int(((n_of_group > 1) & several).sum())}


def _near_pairs(material: Material, rows: Ints) -> tuple[Ints, Ints, Floats]:
    """Return pairs of places among rows, and what they share."""
    hashed = HashingVectorizer(
        ngram_range=(_SHINGLE, _SHINGLE),
        n_features=_COLUMNS,
        alternate_sign=False,
        norm=None,
        binary=True,
        dtype=np.float32,
        n_jobs=material.n_jobs,
    )
    signed = [np.empty((0, 80), dtype=np.uint32)]
    for start in range(0, len(rows), _BLOCK):
        block = material.texts.gather(rows[start : start + _BLOCK])
        signed.append(signatures(hashed.transform(block), material.n_jobs))
    left, right = near_candidates(np.concatenate(signed), _THRESHOLD)
    shares = np.empty(len(left))
    for start in range(0, len(left), _PAIRS):
        part = slice(start, start + _PAIRS)
        used, places = np.unique(np.stack([left[part], right[part]]), return_inverse=True)
        X = hashed.transform(material.texts.gather(rows[used]))
        one, other = places.reshape(2, -1)
        shares[part] = overlaps(X, one, other)
    near = shares >= _THRESHOLD
    return left[near], right[near], shares[near]


def _examples(material: Material, rows: Ints, equal: Ints) -> str:
    """Return two rows of the group that begins first, with the start of their text."""
    same = rows[equal[rows] == equal[rows[0]]][:2]
    text = " ".join(material.texts[int(same[0])].split())
    shown = text if len(text) <= 50 else f"{text[:47]}..."
    return f"rows {same[0]:,} and {same[1]:,}, {shown!r}"
