"""Words of one part that another does not have: parts that are no samples of one corpus."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from quire._shared.typing import Floats, Ints
from quire.checks._findings import Finding
from quire.checks._material import Material, listed, percent

__all__ = ["vocabulary_drift"]

_LEAST = 20  # documents of a part
_MORE_UNKNOWN = 1.25  # times the unknown words of a division at random
_UNKNOWN = 0.005  # of all words
_STANDARD_ERRORS = 8.0
_TERMS = 10
_SEED = 0


def vocabulary_drift(material: Material) -> Iterator[Finding]:
    """QT013: the last parts against the first, beside the same division drawn at random."""
    if material.parts is None or not material.is_split or material.counts is None:
        return
    counts = sparse.csr_array(material.counts.counts)
    sizes = np.bincount(material.parts[material.parts >= 0], minlength=len(material.part_names))
    base = _training_part(material, sizes)
    known = material.parts >= 0
    for part in range(len(sizes)):
        if part == base or sizes[part] < _LEAST or sizes[base] < _LEAST:
            continue
        rows = np.flatnonzero(known & ((material.parts == base) | (material.parts == part)))
        X = counts[rows]
        is_base = material.parts[rows] == base
        unknown = _unknown_words(X, is_base)
        at_random = _unknown_words(X, np.random.default_rng(_SEED).permutation(is_base))
        z = _standard_errors(X, is_base)
        order = np.lexsort((np.arange(len(z)), -np.abs(z)))[:_TERMS]
        strong = order[np.abs(z[order]) >= _STANDARD_ERRORS]
        more = unknown >= max(_MORE_UNKNOWN * at_random, at_random + _UNKNOWN)
        if not more and len(strong) < _TERMS:
            continue
        terms = [str(material.terms[j]) for j in strong] if material.terms else []
        first, second = material.part_names[base], material.part_names[part]
        what = (
            f"{percent(unknown)} of the words of {second!r} are not in {first!r}; at random it "
            f"would be {percent(at_random)}"
        )
        if terms:
            what += f". What differs most: {listed(terms, most=_TERMS, quoted=False)}"
        yield Finding(
            "QT013",
            f"{what}.",
            "warning" if unknown >= 2 * at_random + _UNKNOWN else "note",
            terms=tuple(terms),
            details={
                "unknown": unknown,
                "at random": at_random,
                "standard errors": {
                    term: float(z[j]) for term, j in zip(terms, strong, strict=False)
                },
            },
        )


def _training_part(material: Material, sizes: Ints) -> int:
    """Return the part to learn from: the one called so, or else the largest."""
    for number, name in enumerate(material.part_names):
        if name.strip().lower() in ("train", "training", "learn"):
            return number
    return int(sizes.argmax())


def _unknown_words(X: sparse.csr_array, is_base: Ints) -> float:
    """Return the share of words of the other part that are not in the first."""
    seen = np.bincount(X[is_base].indices, minlength=X.shape[1]) > 0
    others = X[~is_base]
    return float(others.data[~seen[others.indices]].sum() / max(others.data.sum(), 1))


def _standard_errors(X: sparse.csr_array, is_base: Ints) -> Floats:
    """Return by how many standard errors the shares of documents with a term differ."""
    n, m = int((~is_base).sum()), int(is_base.sum())
    here = np.bincount(X[~is_base].indices, minlength=X.shape[1])
    there = np.bincount(X[is_base].indices, minlength=X.shape[1])
    pooled = (here + there) / (n + m)
    error = np.sqrt(np.maximum(pooled * (1 - pooled), 1e-12) * (1 / n + 1 / m))
    z: Floats = (here / n - there / m) / error
    return z
