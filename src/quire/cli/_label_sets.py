"""Several labels for a row, as the commands read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quire.cli._tell import tell

if TYPE_CHECKING:
    from quire.io import Corpus

__all__ = ["check_one_label", "has_several", "large_labels", "named_sets", "with_sets"]


def has_several(corpus: Corpus, task: str, separator: str | None) -> bool:
    """Return whether a row has several labels: since that was said, or since it looks so.

    Parameters
    ----------
    corpus : Corpus
        With labels.
    task, separator : str
        What was said.
    """
    import polars as pl

    from quire._shared.label_sets import parts_that_recur

    labels = corpus.labels
    assert labels is not None
    if task == "multilabel" or separator is not None:
        return True
    if task != "auto":
        return False
    if labels.dtype.is_nested():
        return True
    return labels.dtype == pl.String and bool(parts_that_recur(labels.drop_nulls().to_list()))


def with_sets(corpus: Corpus) -> Corpus:
    """Return the rows whose labels are known; an empty field is a row without labels.

    Parameters
    ----------
    corpus : Corpus
        With labels.
    """
    import polars as pl

    labels = corpus.labels
    assert labels is not None
    is_known = labels.is_not_null()
    if not labels.dtype.is_nested():
        labels = labels.cast(pl.String).fill_null("")
        is_known = labels.str.strip_chars() != "?"
    n = len(corpus) - int(is_known.sum())
    if n == len(corpus):
        raise ValueError(f"{corpus.source}: no row has a label in column {corpus.label_column!r}.")
    if n:
        rows = "1 row is" if n == 1 else f"{n:,} rows are"
        tell(f"{rows} left out: labels are missing, or '?'")
    return _with_labels(corpus.filter(is_known), labels.filter(is_known))


def large_labels(corpus: Corpus, least: int, separator: str | None) -> Corpus:
    """Return the corpus without labels that few rows have; the rows stay.

    Parameters
    ----------
    corpus : Corpus
        With labels.
    least : int
        So many rows a label has to have.
    separator : str or None
        What stands between labels.
    """
    if least <= 1:
        return corpus
    import polars as pl

    from quire._shared.label_sets import SEPARATOR, label_sets

    sets = label_sets(corpus.labels, separator=separator or SEPARATOR)
    small = [name for name, n in zip(sets.classes.tolist(), sets.sizes, strict=True) if n < least]
    if not small:
        return corpus
    shown = ", ".join(map(str, small[:10])) + (", ..." if len(small) > 10 else "")
    labels = "1 label" if len(small) == 1 else f"{len(small):,} labels"
    tell(f"{labels} of fewer than {least} rows left out: {shown}")
    gone = set(small)
    kept = [[str(name) for name in one if name not in gone] for one in sets]
    return _with_labels(corpus, pl.Series(kept, dtype=pl.List(pl.String)))


def _with_labels(corpus: Corpus, labels: Any) -> Corpus:
    """Return a corpus with other labels in the column of its labels."""
    from dataclasses import replace

    name = corpus.label_column
    assert name is not None
    labels = labels.alias(name)
    return replace(corpus, labels=labels, frame=corpus.frame.with_columns(labels))


def named_sets(corpus: Corpus, names: dict[str, str], separator: str | None) -> Corpus:
    """Return the corpus with names in the place of labels; one without a name stays.

    Parameters
    ----------
    corpus : Corpus
        With labels.
    names : dict from str to str
        A name for each label.
    separator : str or None
        What stands between labels.
    """
    import polars as pl

    from quire._shared.label_sets import SEPARATOR, label_sets

    sets = label_sets(corpus.labels, separator=separator or SEPARATOR)
    known = [str(label) for label in sets.classes.tolist()]
    if not any(label in names for label in known):
        raise ValueError(
            f"--label-names has none of the labels of column {corpus.label_column!r}: "
            f"{', '.join(known[:10])}{', ...' if len(known) > 10 else ''}."
        )
    kept = [[names.get(str(label), str(label)) for label in one] for one in sets]
    return _with_labels(corpus, pl.Series(kept, dtype=pl.List(pl.String)))


def check_one_label(corpus: Corpus) -> None:
    """Raise an error if a row has a list of labels, and the command is for one.

    Parameters
    ----------
    corpus : Corpus
        What was read.
    """
    if corpus.labels is not None and corpus.labels.dtype.is_nested():
        raise ValueError(
            f"{corpus.source}: column {corpus.label_column!r} has several labels for a row, and "
            "this is for one. Choose another column with --label."
        )
