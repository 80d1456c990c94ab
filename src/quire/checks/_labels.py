"""Labels: how they are written, how many documents they have, and in which parts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from quire._shared.texts import MISSING_MARKS
from quire.checks._findings import Finding
from quire.checks._material import Material, listed, of_documents

__all__ = ["class_sizes", "classes_of_parts", "label_spellings", "missing_marks", "several_labels"]

# What may be a class of its own, too.
_WORDS = frozenset("none missing unknown unk undefined unlabeled unlabelled (missing) tbd".split())
_JOINTS = re.compile(r"\s*[|;]\s*")


def class_sizes(material: Material) -> Iterator[Finding]:
    """QT008: classes with one document, or with fewer than there are folds."""
    assert material.labels is not None
    assert material.codes is not None
    small = np.flatnonzero((material.sizes > 0) & (material.sizes < material.n_folds))
    if not len(small):
        return
    names = [material.labels[k] for k in small]
    rows = np.flatnonzero(np.isin(material.codes, small))
    n_single = int((material.sizes[small] == 1).sum())
    if n_single:
        single = [material.labels[k] for k in small if material.sizes[k] == 1]
        noun = "1 class has" if n_single == 1 else f"{n_single:,} classes have"
        what = f"{noun} one document: {listed(single)}"
        if len(small) > n_single:
            what += f"; {len(small) - n_single:,} more have fewer than {material.n_folds}"
    else:
        noun = "1 class has" if len(small) == 1 else f"{len(small):,} classes have"
        what = f"{noun} fewer than {material.n_folds} documents: {listed(names)}"
    yield Finding(
        "QT008",
        f"{what}.",
        "warning",
        rows,
        classes=tuple(names),
        details={"sizes": {material.labels[k]: int(material.sizes[k]) for k in small[:100]}},
    )


def label_spellings(material: Material) -> Iterator[Finding]:
    """QT009: labels that are one but for case, blanks, hyphens and underscores."""
    assert material.labels is not None
    assert material.codes is not None
    forms: dict[str, list[int]] = defaultdict(list)
    for place, label in enumerate(material.labels):
        forms[" ".join(re.sub(r"[_\-\s]+", " ", label.casefold()).split())].append(place)
    several = [places for places in forms.values() if len(places) > 1]
    if not several:
        return
    shown = [" = ".join(repr(material.labels[k]) for k in places) for places in several]
    used = [k for places in several for k in places]
    # The most frequent way to write a label is not what has to change.
    odd = [k for places in several for k in places if k != max(places, key=material.sizes.item)]
    rows = np.flatnonzero(np.isin(material.codes, odd))
    yield Finding(
        "QT009",
        f"{listed(shown, quoted=False)}. {of_documents(len(rows))} with the rarer form.",
        "error",
        rows,
        classes=tuple(material.labels[k] for k in used),
        details={"forms": [[material.labels[k] for k in places] for places in several]},
    )


def missing_marks(material: Material) -> Iterator[Finding]:
    """QT010: NA, null, "-" and the like as labels."""
    assert material.labels is not None
    assert material.codes is not None
    kinds = (
        (MISSING_MARKS, "error", "a label that stands for none"),
        (_WORDS, "warning", "a label that may stand for none"),
    )
    for words, severity, what in kinds:
        marks = [k for k, label in enumerate(material.labels) if label.strip().casefold() in words]
        if not marks or len(marks) == len(material.labels):
            continue
        rows = np.flatnonzero(np.isin(material.codes, marks))
        names = [material.labels[k] for k in marks]
        yield Finding(
            "QT010",
            f"{of_documents(len(rows))} with {what}: {listed(names)}.",
            severity,
            rows,
            classes=tuple(names),
        )


def several_labels(material: Material) -> Iterator[Finding]:
    """QT018: labels such as ``a|b`` whose pieces are labels, too."""
    assert material.labels is not None
    assert material.codes is not None
    pieces = {k: _JOINTS.split(label.strip()) for k, label in enumerate(material.labels)}
    alone = {names[0] for names in pieces.values() if len(names) == 1}
    counts: dict[str, int] = defaultdict(int)
    for names in pieces.values():
        for name in names:
            counts[name] += 1
    joint = [
        k
        for k, names in pieces.items()
        if len(names) > 1 and all(name and (name in alone or counts[name] > 1) for name in names)
    ]
    if not joint:
        return
    names = [material.labels[k] for k in joint]
    rows = np.flatnonzero(np.isin(material.codes, joint))
    yield Finding(
        "QT018",
        f"{of_documents(len(rows))} have several labels in one: {listed(names)}.",
        "warning",
        rows,
        classes=tuple(names),
    )


def classes_of_parts(material: Material) -> Iterator[Finding]:
    """QT019: classes that one of the parts does not have."""
    assert material.labels is not None
    assert material.codes is not None
    if material.parts is None or not material.is_split:
        return
    n_parts = len(material.part_names)
    known = (material.codes >= 0) & (material.parts >= 0)
    there = np.zeros((len(material.labels), n_parts), dtype=bool)
    there[material.codes[known], material.parts[known]] = True
    lacking = np.flatnonzero(there.any(axis=1) & ~there.all(axis=1))
    if not len(lacking):
        return
    shown = []
    for k in lacking:
        absent = [material.part_names[p] for p in np.flatnonzero(~there[k])]
        shown.append(f"{material.labels[k]!r} is not in {listed(absent, quoted=False)}")
    rows = np.flatnonzero(np.isin(material.codes, lacking))
    yield Finding(
        "QT019",
        f"{listed(shown, quoted=False)}.",
        "warning",
        rows,
        classes=tuple(material.labels[k] for k in lacking),
    )
