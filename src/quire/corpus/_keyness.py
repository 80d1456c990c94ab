r"""Keyness: which words are more frequent in one part of a corpus than in another.

With a word that occurs :math:`a` times among the :math:`A` tokens of the target and :math:`b` times
among the :math:`B` of the reference, the table of observed numbers is :math:`(a, A - a; b, B - b)`,
and that of expected ones has the same margins. Measures are signed: above zero where
:math:`a/A > b/B`.

- ``"g2"``: the log-likelihood ratio :math:`2 \sum O \log(O/E)` over the four cells; ``"rayson"``:
  over the two cells of the word alone, as in Rayson and Garside.
- ``"chi2"``: :math:`\sum (O - E)^2 / E`.
- ``"exact"``: Fisher's exact test; the measure is :math:`-\log_{10} p`.
- ``"log_ratio"``: :math:`\log_2 \frac{(a + 1/2)/(A + 1)}{(b + 1/2)/(B + 1)}`, how much, and not how
  surely; half a word is added so that words of one part alone have a finite one.
- ``"difference"``: :math:`100 (a/A - b/B) / (b/B)` per cent.

References
----------
T. Dunning, "Accurate methods for the statistics of surprise and coincidence", Computational
Linguistics 19, 1993. P. Rayson and R. Garside, "Comparing corpora using frequency profiling", 2000.
Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", 1995.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy import stats
from scipy.special import xlogy

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.plot import line_style, new_axes
from quire._shared.typing import Floats
from quire.corpus._groups import groups_of, tokens_of

__all__ = ["Keyness", "keyness"]

_MEASURES = ("g2", "rayson", "chi2", "exact", "log_ratio", "difference")


@dataclass(frozen=True, eq=False, repr=False)
class Keyness(ShownInNotebooks):
    """Which words mark one part of a corpus against another, from :func:`keyness`.

    Attributes
    ----------
    table : polars.DataFrame
        A row for each word (of each target): ``term``, the measure, ``p`` and ``q`` (the false
        discovery rate at which it would be taken), ``count`` and ``share`` of target and reference,
        ``log_ratio``; those that mark the target most come first, those of the reference last.
    measure : str
        What the words are ordered by.
    target : str
        What the target is called; ``"each"`` if every group is compared with the others.
    """

    table: pl.DataFrame
    measure: str
    target: str

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return f"<Keyness of {self.target}: {len(self):,} words by {self.measure}>"

    def _notebook_caption(self) -> str:
        return f"Words of {self.target} against the others, by {self.measure}"

    def to_frame(self) -> pl.DataFrame:
        """Return the table."""
        return self.table

    def plot(self, n: int = 15, ax: Any = None) -> Any:
        """Draw the words that mark either side most, as bars.

        Parameters
        ----------
        n : int, default=15
            How many for each side.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        ValueError
            If several targets were compared: choose one.
        """
        if "group" in self.table.columns:
            raise ValueError("There are several targets; give keyness(target=...) one to draw.")
        finite = self.table.filter(pl.col(self.measure).is_finite())
        above = finite.filter(pl.col(self.measure) > 0).head(n)
        below = finite.filter(pl.col(self.measure) < 0).tail(n)
        shown = pl.concat([above, below]).reverse()
        ax = new_axes(ax)
        values = shown[self.measure].to_numpy()
        colours = [line_style(0 if value > 0 else 1)["color"] for value in values]
        ax.barh(range(len(shown)), values, color=colours)
        ax.set_yticks(range(len(shown)), shown["term"].to_list())
        ax.set_xlabel(f"{self.measure}, {self.target} to the right")
        ax.axvline(0, color="grey", linewidth=0.8)
        return ax


def keyness(
    data: Any,
    *,
    by: Any = None,
    target: Any = None,
    reference: Any = None,
    measure: str = "g2",
    min_count: int = 1,
    **options: Any,
) -> Keyness:
    """Compare the words of a part of a corpus with those of another part.

    Parameters
    ----------
    data : Tokens, Corpus, path, data frame, or sequence of str
        Texts; see :class:`Tokens`.
    by : str or sequence, default=None
        A column of the source, or a value for each document.
    target : object or sequence of bool, default=None
        The value of `by` that is compared; ``None`` compares each value with all others. Without
        `by`: for each document whether it is part of the target.
    reference : object, default=None
        The value of `by` that it is compared with; ``None`` means all others.
    measure : {"g2", "rayson", "chi2", "exact", "log_ratio", "difference"}, default="g2"
        What words are ordered by; formulas are in the guide.
    min_count : int, default=1
        Words that occur less often in both parts together are left out.
    **options
        For :class:`Tokens`, if they are to be made.

    Returns
    -------
    Keyness
        The table, and a plot.

    Raises
    ------
    ValueError
        If there is no such column or value, or a part has no words.

    Examples
    --------
    >>> from quire.corpus import keyness
    >>> texts = ["a cat and a cat", "the cat sat", "a dog and a dog", "the dog sat"]
    >>> found = keyness(texts, by=["cats", "cats", "dogs", "dogs"], target="cats")
    >>> found.to_frame().select("term", "g2", "count_target", "count_reference").rows()[0]
    ('cat', 4.857..., 3, 0)
    """
    if measure not in _MEASURES:
        known = ", ".join(map(repr, _MEASURES))
        raise ValueError(f"measure is {measure!r}; expected one of {known}.")
    tokens = tokens_of(data, options)
    if by is None:
        if target is None:
            raise ValueError("Name a column with `by`, or say of each document if it is in target.")
        is_target = np.asarray(target)
        if is_target.dtype != bool or is_target.shape != (len(tokens),):
            raise ValueError("Without `by`, target is True or False for each document.")
        groups, names = np.where(is_target, 0, 1).astype(np.int32), ["target", "the others"]
        target = "target"
    else:
        groups, names = groups_of(tokens, by)
    counts = (
        tokens.group_counts(groups, len(names))[0] if names else np.zeros((0, 0), dtype=np.int64)
    )
    rest = None if reference is None else counts[_place(reference, names, "reference")]
    terms = pl.Series("term", tokens.types, dtype=pl.String)
    if target is not None:
        place = _place(target, names, "target")
        other = counts.sum(axis=0) - counts[place] if rest is None else rest
        table = _table(terms, counts[place], other, measure, min_count, str(target))
        return Keyness(table, measure, str(target))
    parts = []
    for place, name in enumerate(names):
        other = counts.sum(axis=0) - counts[place] if rest is None else rest
        part = _table(terms, counts[place], other, measure, min_count, str(name))
        parts.append(part.select(pl.lit(name).alias("group"), pl.all()))
    if not parts:
        raise ValueError("No document has a value of `by`.")
    return Keyness(pl.concat(parts), measure, "each")


def _place(value: Any, names: list[Any], what: str) -> int:
    if value not in names:
        known = ", ".join(map(repr, names[:20]))
        raise ValueError(f"{what} is {value!r}; the documents have {known}.")
    return names.index(value)


def _table(
    terms: pl.Series, a: Any, b: Any, measure: str, min_count: int, name: str
) -> pl.DataFrame:
    A, B = int(a.sum()), int(b.sum())
    if not A or not B:
        part = name if not A else f"what {name} is compared with"
        raise ValueError(f"There are no words in {part}.")
    kept = np.flatnonzero(a + b >= max(min_count, 1))
    a, b = a[kept].astype(float), b[kept].astype(float)
    values, p = _measured(a, b, A, B, measure)
    log_ratio = np.log2((a + 0.5) / (A + 1)) - np.log2((b + 0.5) / (B + 1))
    columns: dict[str, Any] = {"term": terms[kept], measure: values, "p": p}
    columns["q"] = stats.false_discovery_control(p) if len(p) else p
    columns |= {
        "count_target": a.astype(np.int64),
        "count_reference": b.astype(np.int64),
        "share_target": a / A,
        "share_reference": b / B,
        "log_ratio": log_ratio,
    }
    order = np.lexsort((kept, -np.nan_to_num(values, posinf=np.inf)))
    return pl.DataFrame(columns)[order]


def _measured(a: Floats, b: Floats, A: int, B: int, measure: str) -> tuple[Floats, Floats]:
    """Return the measure with its sign, and the p-value of the test that goes with it."""
    sign = np.sign(a / A - b / B)
    observed = np.stack([a, A - a, b, B - b])
    words = a + b
    expected = np.stack([words * A, (A + B - words) * A, words * B, (A + B - words) * B]) / (A + B)
    with np.errstate(divide="ignore", invalid="ignore"):
        cells = xlogy(observed, observed) - xlogy(observed, expected)
        g2 = 2.0 * np.maximum(cells.sum(axis=0), 0.0)
        chi2 = np.nansum((observed - expected) ** 2 / expected, axis=0)
        difference = 100.0 * (a / A - b / B) / (b / B)
    if measure == "exact":
        p = _fisher(a, b, A, B)
        return sign * -np.log10(p), p
    if measure == "rayson":
        size = 2.0 * np.maximum(cells[[0, 2]].sum(axis=0), 0.0)
        return sign * size, stats.chi2.sf(size, 1)
    if measure == "chi2":
        return sign * chi2, stats.chi2.sf(chi2, 1)
    p = stats.chi2.sf(g2, 1)
    if measure == "g2":
        return sign * g2, p
    if measure == "log_ratio":
        return np.log2((a + 0.5) / (A + 1)) - np.log2((b + 0.5) / (B + 1)), p
    return difference, p


def _fisher(a: Floats, b: Floats, A: int, B: int) -> Floats:
    """Return the two-sided p-values of Fisher's exact test; equal tables are computed once."""
    pairs, place = np.unique(np.stack([a, b], axis=1), axis=0, return_inverse=True)
    p = [stats.fisher_exact([[x, A - x], [y, B - y]]).pvalue for x, y in pairs.astype(int).tolist()]
    return np.array(p)[place.ravel()]
