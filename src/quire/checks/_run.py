"""The checks in their order, and the one way to run them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from quire._shared.progress import progress
from quire._shared.typing import Ints
from quire.checks._catalogue import CHECKS, QUICK, SEVERITIES, known_codes
from quire.checks._copies import (
    copies_with_other_labels,
    equal_texts,
    near_copies,
    texts_on_both_sides,
)
from quire.checks._damage import damaged_characters, empty_texts, extreme_lengths, markup
from quire.checks._drift import vocabulary_drift
from quire.checks._findings import Finding, Findings
from quire.checks._labels import (
    class_sizes,
    classes_of_parts,
    label_spellings,
    missing_marks,
    several_labels,
)
from quire.checks._languages import several_languages
from quire.checks._leaks import (
    groups_on_both_sides,
    label_names,
    telling_columns,
    time_and_labels,
)
from quire.checks._material import Material, material_of
from quire.checks._passages import shared_passages

__all__ = ["check_texts"]


class _Looked:
    """A corpus, and which of its texts are equal."""

    def __init__(self, material: Material) -> None:
        self.material = material

    @cached_property
    def equal(self) -> Ints:
        return equal_texts(self.material)


_Look = Callable[[_Looked], Iterator[Finding]]


def _of_material(check: Callable[[Material], Iterator[Finding]]) -> _Look:
    return lambda looked: check(looked.material)


def _of_copies(check: Callable[[Material, Ints], Iterator[Finding]]) -> _Look:
    return lambda looked: check(looked.material, looked.equal)


_LOOKS: dict[str, _Look] = {
    "QT001": _of_copies(texts_on_both_sides),
    "QT002": _of_copies(near_copies),
    "QT003": _of_copies(copies_with_other_labels),
    "QT004": _of_material(label_names),
    "QT005": _of_material(telling_columns),
    "QT006": _of_material(groups_on_both_sides),
    "QT007": _of_material(time_and_labels),
    "QT008": _of_material(class_sizes),
    "QT009": _of_material(label_spellings),
    "QT010": _of_material(missing_marks),
    "QT011": _of_material(several_languages),
    "QT012": _of_material(shared_passages),
    "QT013": _of_material(vocabulary_drift),
    "QT014": _of_material(damaged_characters),
    "QT015": _of_material(markup),
    "QT016": _of_material(empty_texts),
    "QT017": _of_material(extreme_lengths),
    "QT018": _of_material(several_labels),
    "QT019": _of_material(classes_of_parts),
}
_OF_CLASSES = frozenset("QT003 QT004 QT005 QT007 QT008 QT009 QT010 QT012 QT018 QT019".split())


def check_texts(
    texts: Any,
    y: Any = None,
    *,
    text: Any = None,
    split: Any = None,
    folds: Any = None,
    groups: Any = None,
    columns: Any = None,
    silence: Iterable[str] | str = (),
    quick: bool = False,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Findings:
    """Look at a corpus before a model learns from it: what would make its scores untrue.

    Parameters
    ----------
    texts : iterable of str, Corpus, DataFrame, path or CountedDocuments
        The documents. A file is read by :func:`quire.io.read_corpus`; of a table the columns of
        texts and labels are found if they are clear.
    y : array-like of shape (n_documents,), or str, default=None
        Labels, or the name of their column. Without them, and where they are measurements, checks
        of classes are left out.
    text : str or sequence of str, default=None
        Columns of a table that are texts.
    split : array-like of shape (n_documents,), or str, default=None
        Which part each document is in ("train", "test"), or the name of that column. ``None`` takes
        a column called split, subset, partition or fold, if there is one.
    folds : iterable of (train, test), or int, default=None
        Folds instead of parts; a number means that many random ones. Five random ones if there is
        no `split` either.
    groups : array-like of shape (n_documents,), or str, default=None
        What is held out together: an author, a case.
    columns : mapping, DataFrame, or names, default=None
        Other columns to look at: authors, sources, times. All columns of a table if ``None``.
    silence : iterable of str, or str, default=()
        Codes that are not looked for: ``["QT003"]`` or ``"QT003,QT007"``.
    quick : bool, default=False
        Whether to leave out what reads every text again: near copies, languages, passages, words
        of parts, markup, groups and times.
    n_jobs : int, default=None
        Threads; ``None`` means as many as may be used.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    Findings
        What was found, the gravest first.

    Raises
    ------
    ValueError
        If there are no documents, lengths differ, or a code or a column is unknown.

    Notes
    -----
    Cost grows with the size of the texts. Near copies are found by signatures of their runs of
    three words, 320 bytes for each text, and every pair that is reported has been measured; of
    pairs that share 80 % of them 0.2 % are missed. Passages are looked for in a sample of each
    class.

    Examples
    --------
    >>> from quire.checks import check_texts
    >>> texts = ["buy it now", "see you at noon", "see you at  Noon", "win money"]
    >>> findings = check_texts(texts, ["spam", "ham", "spam", "N/A"], silence="QT001,QT008")
    >>> for finding in findings:
    ...     print(finding.code, finding.severity, finding.rows, finding.classes)
    QT003 error [1 2] ('ham', 'spam')
    QT010 error [3] ('N/A',)
    >>> print(findings[0].what)
    1 text has more than one label: 2 documents of 'ham', 'spam'. For example rows 1 and 2, 'see you
    at noon'.
    """
    silenced = known_codes(silence)
    material = material_of(
        texts,
        y,
        text=text,
        split=split,
        folds=folds,
        groups=groups,
        columns=columns,
        n_jobs=n_jobs,
    )
    codes = [
        check.code
        for check in CHECKS
        if check.code not in silenced
        and (not quick or check.code in QUICK)
        and (material.codes is not None or check.code not in _OF_CLASSES)
    ]
    looked = _Looked(material)
    found: list[Finding] = []
    with progress("Checking", len(codes), shown=verbose) as advance:
        for code in codes:
            found += _LOOKS[code](looked)
            advance(1)
    found.sort(key=lambda one: (SEVERITIES.index(one.severity), one.code))
    return Findings(
        tuple(found),
        len(material),
        tuple(codes),
        tuple(sorted(silenced)),
        tuple(dict.fromkeys(material.notes)),
    )
