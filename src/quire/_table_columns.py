"""Tables as models take them: in `compare`, which fits them, and in prediction, which asks them."""

from __future__ import annotations

import polars as pl

__all__ = ["cleaned_columns"]

_MISSING = "(missing)"


def cleaned_columns(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with missing texts empty, and categories and truth values as words.

    Parameters
    ----------
    table : polars.DataFrame
        Any columns; numbers are left alone.

    Examples
    --------
    >>> import polars as pl
    >>> cleaned_columns(pl.DataFrame({"text": ["a", None], "flag": [True, None]})).rows()
    [('a', 'true'), ('', '(missing)')]
    """
    words = pl.col(pl.Boolean, pl.Categorical, pl.Enum).cast(pl.String).fill_null(_MISSING)
    return table.with_columns(pl.col(pl.String).fill_null(""), words)
