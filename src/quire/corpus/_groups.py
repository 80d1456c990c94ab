"""Groups of documents: by a column of their source, by labels, or one part and the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus._tokens import Tokens

__all__ = ["groups_of", "tokens_of"]


def tokens_of(data: Any, options: dict[str, Any]) -> Tokens:
    """Return tokens as they are, or made of anything else.

    Parameters
    ----------
    data : Tokens, Corpus, path, data frame, or sequence of str
        Texts.
    options : dict
        For :class:`Tokens`, if they are to be made.
    """
    if not isinstance(data, Tokens):
        return Tokens(data, **options)
    if options:
        names = ", ".join(sorted(options))
        raise TypeError(f"{names}: options for making tokens, and data has them already.")
    return data


def groups_of(tokens: Tokens, by: Any) -> tuple[NDArray[np.int32], list[Any]]:
    """Return the group of each document and what the groups are called, in their order.

    Parameters
    ----------
    tokens : Tokens
        The documents.
    by : str or sequence
        A column of the source, or a value for each document. Documents without one are in no
        group (-1).

    Raises
    ------
    ValueError
        If there is no such column, or another number of values.
    """
    if isinstance(by, str):
        if by not in tokens.frame.columns:
            known = ", ".join(map(repr, tokens.frame.columns)) or "none"
            raise ValueError(f"There is no column {by!r}; the source has {known}.")
        values = tokens.frame[by]
    else:
        values = by if isinstance(by, pl.Series) else pl.Series(list(by))
    if len(values) != len(tokens):
        raise ValueError(f"by has {len(values):,} values for {len(tokens):,} documents.")
    present = values.drop_nulls()
    if present.dtype.is_float():
        present = present.drop_nans()
    names = present.unique().sort().to_list()
    places = {name: number for number, name in enumerate(names)}
    codes = [places.get(value, -1) for value in values.to_list()]
    return np.array(codes, dtype=np.int32), names
