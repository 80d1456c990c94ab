"""Formulas such as ``party * s(year, df=4)``, read into terms and those into columns of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from quire._shared.typing import Bools, Floats
from quire.topics._covariate import Covariate, covariate_of, values_of
from quire.topics._splines import Spline

__all__ = ["Formula", "Part", "Terms", "formula_columns", "read_formula", "terms_of_formula"]

_KINDS = ("s", "bs", "ns", "factor", "C")
_DF = {"s": 4, "bs": 4, "ns": 3}  # a "s" is a natural spline
_TOKEN = re.compile(r"\s*(`[^`]+`|[^\W\d][\w.]*|\d+|[~+*:(),=])")
_MOST_LEVELS, _MOST_COLUMNS = 100, 300
_NAME = re.compile(r"[^\W\d][\w.]*\Z")


@dataclass(frozen=True)
class Part:
    """A column as it stands in a formula: as it is, as a spline, or as groups."""

    column: str
    kind: str = ""
    df: int | None = None

    def __str__(self) -> str:
        name = self.column if _NAME.match(self.column) else f"`{self.column}`"
        if not self.kind:
            return name
        return f"{self.kind}({name}{'' if self.df is None else f', df={self.df}'})"


Term = tuple[Part, ...]


@dataclass(frozen=True)
class Formula:
    """Terms, each a product of parts; the intercept is always there.

    Attributes
    ----------
    terms : tuple of tuples of Part
        Main effects first, then products of two, and so on.
    """

    terms: tuple[Term, ...]

    @property
    def columns(self) -> list[str]:
        """The columns, in the order in which they are met."""
        return list(dict.fromkeys(part.column for term in self.terms for part in term))

    def __str__(self) -> str:
        return " + ".join(":".join(map(str, term)) for term in self.terms)


def read_formula(formula: str | Sequence[str]) -> Formula:
    """Read a formula, or the names of columns, which are then added.

    Parameters
    ----------
    formula : str or sequence of str
        ``a + b`` adds, ``a:b`` is an interaction, ``a * b`` is ``a + b + a:b``; ``s(x, df=4)`` and
        ``ns(x, df=4)`` are natural cubic splines, ``bs(x, df=4)`` is a cubic B-spline,
        ``factor(x)`` takes numbers for groups. Names with other signs stand in backquotes. What
        stands before ``~`` is left out.

    Raises
    ------
    ValueError
        If it cannot be read, with what was expected.

    Examples
    --------
    >>> str(read_formula("party * s(year, df=4)"))
    'party + s(year, df=4) + party:s(year, df=4)'
    >>> str(read_formula(["party", "home town"]))
    'party + `home town`'
    """
    if not isinstance(formula, str):
        names = list(formula)
        if not names or not all(isinstance(name, str) for name in names):
            raise ValueError(f"expected names of columns or a formula; got {formula!r}.")
        return Formula(tuple((Part(name),) for name in dict.fromkeys(names)))
    return _Reader(formula).read()


def formula_columns(formula: str | Sequence[str]) -> list[str]:
    """Return the columns that a formula of :func:`topic_effects` names.

    Parameters
    ----------
    formula : str or sequence of str
        The formula, or names.

    Returns
    -------
    list of str
        Each once, in the order in which they are met.

    Examples
    --------
    >>> from quire.topics import formula_columns
    >>> formula_columns("party * s(year, df=4) + `home town`")
    ['party', 'year', 'home town']
    """
    return read_formula(formula).columns


class _Reader:
    """Reads a formula from left to right: a sum of products of interactions of parts."""

    def __init__(self, text: str) -> None:
        self.text = text
        right = text.rpartition("~")[2] if "`" not in text else text
        self.tokens = self._tokens(right)
        self.at = 0

    def _tokens(self, text: str) -> list[str]:
        tokens, place = [], 0
        text = text.rstrip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise self.wrong(f"{text[place:].strip()[:12]!r}")
            tokens.append(match.group(1))
            place = match.end()
        return tokens

    def wrong(self, at: str) -> ValueError:
        return ValueError(
            f"the formula {self.text!r} cannot be read at {at}; expected names of columns with +, "
            "* and :, such as 'party * s(year, df=4)'. Other names stand in `backquotes`."
        )

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *expected: str) -> str:
        token = self.peek()
        if not token or (expected and token not in expected):
            raise self.wrong(repr(token) if token else "its end")
        self.at += 1
        return token

    def read(self) -> Formula:
        if self.peek() == "~":
            self.take()
        terms = list(self.product())
        while self.peek() == "+":
            self.take()
            terms += self.product()
        if self.peek():
            raise self.wrong(repr(self.peek()))
        unique = {frozenset(term): term for term in reversed(terms)}
        ordered = sorted(
            unique.values(), key=lambda term: (len(term), terms.index(unique[frozenset(term)]))
        )
        mains = {term[0] for term in ordered if len(term) == 1}
        for term in ordered:
            if len({part.column for part in term}) < len(term):
                raise ValueError(f"the formula {self.text!r} has a column twice in one product.")
            for part in term:
                if part not in mains:
                    raise ValueError(
                        f"the formula {self.text!r} has an interaction of {part} without {part} "
                        f"itself; write {' * '.join(map(str, term))}."
                    )
        columns = [term[0].column for term in ordered if len(term) == 1]
        if len(set(columns)) < len(columns):
            raise ValueError(f"the formula {self.text!r} has a column in two ways; choose one.")
        return Formula(tuple(ordered))

    def product(self) -> list[Term]:
        factors = [self.interaction()]
        while self.peek() == "*":
            self.take()
            factors.append(self.interaction())
        chosen = range(1, len(factors) + 1)
        return [
            tuple(part for factor in some for part in factor)
            for n in chosen
            for some in combinations(factors, n)
        ]

    def interaction(self) -> Term:
        parts = [self.part()]
        while self.peek() == ":":
            self.take()
            parts.append(self.part())
        return tuple(parts)

    def part(self) -> Part:
        token = self.take()
        following = self.peek()
        if token in _KINDS and following == "(":
            self.take("(")
            column = self.name(self.take())
            df = None
            if self.peek() == ",":
                self.take(",")
                if self.peek() == "df":
                    self.take("df")
                    self.take("=")
                number = self.take()
                if not number.isdecimal() or token not in _DF:
                    raise self.wrong(repr(number))
                df = int(number)
            self.take(")")
            return Part(column, "factor" if token == "C" else token, df)
        return Part(self.name(token))

    def name(self, token: str) -> str:
        if token.startswith("`"):
            return token[1:-1]
        if not _NAME.match(token):
            raise self.wrong(repr(token))
        return token


@dataclass(frozen=True, eq=False)
class _Block:
    """The columns of a part: groups less the first, a number, or a spline of it."""

    part: Part
    covariate: Covariate
    levels: list[Any] = field(default_factory=list)
    spline: Spline | None = None

    @property
    def is_groups(self) -> bool:
        return bool(self.levels)

    @property
    def names(self) -> list[str]:
        if self.is_groups:
            return [f"{self.part.column}={level}" for level in self.levels[1:]]
        if self.spline is not None:
            return [f"{self.part}.{number + 1}" for number in range(self.spline.df)]
        return [self.part.column]

    def columns(self, values: pl.Series) -> Floats:
        """Return the columns for values of the column, one row for each."""
        if self.is_groups:
            known = {level: number for number, level in enumerate(self.levels)}
            codes = []
            for value in values.to_list():
                if value not in known:
                    shown = ", ".join(map(repr, self.levels[:12]))
                    raise ValueError(f"{self.part.column} has no value {value!r}; it has {shown}.")
                codes.append(known[value])
            return np.eye(len(self.levels))[np.array(codes, dtype=np.int64)][:, 1:]
        numbers = Covariate("", values, self.covariate.rows, self.covariate.what).numbers()
        if self.spline is not None:
            return self.spline.columns(numbers)
        return numbers[:, None]


class Terms:
    """A formula with its data: the matrix of a regression, and rows of it for chosen values.

    Attributes
    ----------
    names : list of str
        What the columns of the matrix are.
    matrix : ndarray of shape (n_kept, p)
        The first column is the intercept.
    rows : ndarray of int
        The documents that are kept: none of their values is missing.
    covariates : dict from str to Covariate
        The columns of data, of the documents that are kept.
    """

    def __init__(self, formula: Formula, covariates: dict[str, Covariate]) -> None:
        self.formula, self.covariates = formula, covariates
        self.rows = next(iter(covariates.values())).rows
        self._blocks = {part: _block(part, covariates[part.column]) for part in _parts(formula)}
        self._values = {
            part: block.columns(block.covariate.column) for part, block in self._blocks.items()
        }
        pieces, self.names = [np.ones((len(self.rows), 1))], ["(intercept)"]
        for term in formula.terms:
            pieces.append(_products([self._values[part] for part in term]))
            self.names += _joined([self._blocks[part].names for part in term])
        if len(self.names) > _MOST_COLUMNS:
            raise ValueError(
                f"the formula {formula} makes {len(self.names)} coefficients; expected at most "
                f"{_MOST_COLUMNS}. Merge groups, or leave out interactions."
            )
        self.matrix = np.hstack(pieces)

    def levels(self, column: str) -> list[Any]:
        """Return the groups of a column, the reference first; none for numbers and dates."""
        return next(block.levels for part, block in self._blocks.items() if part.column == column)

    def row(self, at: Mapping[str, pl.Series]) -> Floats:
        """Return mean rows of the matrix, some columns set to one value after the other.

        Parameters
        ----------
        at : mapping from str to Series
            Values of columns, as many for each. The others keep those of every document, over
            which the mean is taken.

        Returns
        -------
        ndarray of shape (n_values, p)
        """
        n = len(next(iter(at.values()))) if at else 1
        pieces = [np.ones((n, 1))]
        for term in self.formula.terms:
            set_to = [part for part in term if part.column in at]
            free = [part for part in term if part.column not in at]
            sizes = {part: self._values[part].shape[1] for part in term}
            mean = (
                _products([self._values[part] for part in free]).mean(axis=0)
                if free
                else np.ones(1)
            )
            held = [self._blocks[part].columns(at[part.column]) for part in set_to]
            outer = _products([*held, np.repeat(mean[None], n, axis=0)])
            shape = [n, *(sizes[part] for part in [*set_to, *free])]
            order = [0, *(1 + [*set_to, *free].index(part) for part in term)]
            pieces.append(outer.reshape(shape).transpose(order).reshape(n, -1))
        return np.hstack(pieces)


def terms_of_formula(formula: Formula, data: Any, n_documents: int, has_words: Bools) -> Terms:
    """Return the terms of a formula with the columns of a table.

    Parameters
    ----------
    formula : Formula
        Its columns are looked up.
    data : DataFrame or mapping
        With a row for each document.
    n_documents : int
        How many there must be.
    has_words : ndarray of bool of shape (n_documents,)
        Which documents may be used.
    """
    columns = {name: values_of(name, data, n_documents) for name in formula.columns}
    kept = has_words.copy()
    for column in columns.values():
        kept &= column.is_not_null().to_numpy()
    rows = np.flatnonzero(kept)
    mask = pl.Series(kept)
    covariates = {name: covariate_of(column.filter(mask), rows) for name, column in columns.items()}
    return Terms(formula, covariates)


def _parts(formula: Formula) -> Iterable[Part]:
    return dict.fromkeys(part for term in formula.terms for part in term)


def _block(part: Part, covariate: Covariate) -> _Block:
    if covariate.what == "words" or part.kind == "factor":
        if part.kind not in ("", "factor"):
            raise ValueError(f"{part.column} has words; {part} needs numbers or dates.")
        column = covariate.column
        if isinstance(column.dtype, pl.Enum):
            present = set(column.unique().to_list())
            levels = [level for level in column.dtype.categories.to_list() if level in present]
        else:
            levels = column.unique().sort().to_list()
        if len(levels) > _MOST_LEVELS:
            raise ValueError(
                f"{part.column} has {len(levels):,} groups; expected at most {_MOST_LEVELS}."
            )
        return _Block(part, covariate, levels=levels)
    if part.kind in _DF:
        df = _DF[part.kind] if part.df is None else part.df
        spline = Spline.fit(covariate.numbers(), df, is_natural=part.kind != "bs", name=part.column)
        return _Block(part, covariate, spline=spline)
    return _Block(part, covariate)


def _products(blocks: list[Floats]) -> Floats:
    """Return all products of a column of each block, those of the last changing fastest."""
    found = blocks[0]
    for block in blocks[1:]:
        found = (found[:, :, None] * block[:, None, :]).reshape(len(found), -1)
    return found


def _joined(names: list[list[str]]) -> list[str]:
    found = names[0]
    for more in names[1:]:
        found = [f"{one}:{other}" for one in found for other in more]
    return found
