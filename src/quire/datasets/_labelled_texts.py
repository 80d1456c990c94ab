"""Texts with their labels, as small corpora have them."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from quire.datasets._dataset import Dataset

__all__ = ["LabelledTexts", "labelled"]


@dataclass(frozen=True, eq=False, repr=False)
class LabelledTexts(Dataset):
    """Short texts and the label of each.

    From :func:`load_languages` and :func:`load_spam`.

    Attributes
    ----------
    texts : polars.Series
        The texts.
    labels : polars.Series
        Their labels.
    """

    texts: pl.Series
    labels: pl.Series

    @property
    def frame(self) -> pl.DataFrame:
        """Both as a table with the columns ``text`` and ``label``, such as for a file."""
        return pl.DataFrame({"text": self.texts, "label": self.labels})


def labelled(lines: dict[str, str]) -> LabelledTexts:
    """Return the lines of some labels, taking turns: parts of the data have all labels.

    Parameters
    ----------
    lines : dict of str to str
        For each label as many lines, one text each.
    """
    columns = [text.strip().splitlines() for text in lines.values()]
    texts = [line.strip() for row in zip(*columns, strict=True) for line in row]
    labels = [label for _ in columns[0] for label in lines]
    return LabelledTexts(texts=pl.Series("text", texts), labels=pl.Series("label", labels))
