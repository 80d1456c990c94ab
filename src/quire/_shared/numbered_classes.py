"""Whole numbers as labels: whether they are codes of classes, or measures.

Numbers do not say what they are, but they behave differently. Measures (years of age, points,
counts) fill their range, or thin out towards its ends; codes (topics of bills, industries) leave
gaps beside values that are common, or are numbered through from 0 or 1 and all common. What the
column is called counts, too.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

__all__ = ["numbered_classes"]

_FEW = 20  # different values, each more than once: classes, whatever they are called
_COMMON = 5  # rows of a value that is common
_MANY = 100  # classes that are numbered through
_GAPS = 3  # one or two may part ages from -9 and -99, which stand for missing ones
_CODES = re.compile(
    r"(?<![a-z])(label|class|target)(?![a-z])|code|topic|categor|classes|labels|genre|sector|"
    r"industry|occupation|party|country|region|department|cluster"
)
_MEASURES = re.compile(
    r"amount|price|count|number|income|salary|cost|age(?![a-z])|year|length|size|score|rating|"
    r"percent|votes|points|days|hours|minutes|seconds|weight|height|total"
)


def numbered_classes(values: Any, name: str = "") -> tuple[bool, str]:
    """Say whether whole numbers are codes of classes, and why.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Numbers without fractions.
    name : str, default=""
        What the column is called.

    Returns
    -------
    is_classes : bool
        Whether they are codes; otherwise they are measures.
    reason : str
        In words.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.repeat([*range(1, 11), *range(12, 22), 23, 24, 99], 40)
    >>> numbered_classes(codes)
    (True, '23 whole numbers from 1 to 99 with gaps, about 40 rows of each')
    >>> numbered_classes(np.repeat(np.arange(18, 90), 40))
    (False, '72 whole numbers from 18 to 89 without gaps')
    """
    numbers, sizes = np.unique(np.asarray(values), return_counts=True)
    n_rows, n = int(sizes.sum()), len(numbers)
    low, high = (int(numbers[0]), int(numbers[-1])) if n else (0, 0)
    what = f"{n:,} whole numbers from {low} to {high}"
    each = f"about {n_rows / max(n, 1):,.0f} rows of each"
    if n == 2:
        return True, f"the numbers {low} and {high}"
    if 2 * n > n_rows:
        return False, f"{what}, hardly one of which comes again"
    if n <= _FEW:
        return True, f"{what}, {each}"
    title = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    if _MEASURES.search(title) and not _CODES.search(title):
        return False, f"{what} in a column called {name!r}"
    if _CODES.search(title) and n_rows >= _COMMON * n:
        return True, f"{what}, {each}, in a column called {name!r}"
    steps = np.diff(numbers)
    step = np.gcd.reduce(steps.astype(np.int64)) if n > 1 else 1
    is_gap = steps > step
    if not is_gap.any() and low in (0, 1) and n <= _MANY and int(sizes.min()) >= _COMMON:
        return True, f"{what}, numbered through, {each}"
    if int(is_gap.sum()) < _GAPS:
        return False, f"{what} {'with hardly a gap' if is_gap.any() else 'without gaps'}"
    beside = np.minimum(sizes[:-1], sizes[1:])[is_gap]
    if float(np.median(beside)) >= _COMMON and n_rows >= 2 * _COMMON * n:
        return True, f"{what} with gaps, {each}"
    return False, f"{what}, rare ones beside the gaps"
