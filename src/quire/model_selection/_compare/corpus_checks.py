"""The quick checks of texts that go before a comparison, and the notes that they leave."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from quire.checks import Findings, check_texts
from quire.model_selection._compare.features import Features
from quire.model_selection._compare.folds import Folds
from quire.model_selection._compare.task import Target

__all__ = ["checked_corpus", "notes_of"]

_SAID_ELSEWHERE = "QT008"  # classes that are smaller than the folds


def checked_corpus(
    features: Features, target: Target, folds: Folds, silence: Iterable[str] | str
) -> Findings | None:
    """Return what the quick checks find, or ``None`` of a table without texts.

    Parameters
    ----------
    features : Features
        The documents, whose counts are used again; of several columns of texts the first.
    target : Target
        Labels.
    folds : list of (train, test)
        The folds of the comparison.
    silence : iterable of str, or str
        Codes that are not looked for.
    """
    if features.is_table:
        return None
    columns = None
    if isinstance(features.data, pl.DataFrame):
        columns = features.data.select([*features.categories, *features.numbers])
    silenced = [silence] if isinstance(silence, str) else list(silence)
    return check_texts(
        next(iter(features.texts.values())),
        None if target.classes is None or target.is_of_sets else target.y,
        folds=folds,
        columns=columns if columns is not None and columns.width else None,
        silence=",".join([*silenced, _SAID_ELSEWHERE]),
        quick=True,
    )


def notes_of(found: Findings | None) -> list[str]:
    """Return errors and warnings as notes, each in one line.

    Parameters
    ----------
    found : Findings or None
        What was found.
    """
    if found is None:
        return []
    return [f"{one.code}: {one.what}" for one in found if one.severity != "note"]
