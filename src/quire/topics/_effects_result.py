"""What comes out of :func:`topic_effects`: coefficients, comparisons and marginal curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from scipy.special import stdtrit

from quire._shared.number_tables import aligned, html_table, number
from quire._shared.plot import grid, line_style, new_axes
from quire._shared.typing import Floats
from quire.topics._composition import Moments, corrected, two_sided
from quire.topics._formula import Terms

__all__ = ["TopicEffects"]

_ROWS = 20
_LINES = 6
_POINTS = 40  # of a curve
_ENDS = (0.1, 0.9)  # quantiles of numbers that are compared


class TopicEffects:
    """Effects of columns of metadata on the shares of topics, from :func:`topic_effects`.

    ``print(effects)`` shows the comparisons of all columns, the clearest first.

    Attributes
    ----------
    formula : str
        What was estimated, written out.
    n_documents : int
        How many documents were used.
    n_missing, n_empty : int
        How many were left out, since a column is missing there, and since they have no word that
        the model knows.
    n_topics : int
        How many topics there are.
    confidence : float
        The probability of the intervals.
    correction : str
        How p-values are corrected.
    """

    def __init__(
        self,
        *,
        formula: str,
        n_documents: int,
        n_missing: int,
        n_empty: int,
        n_topics: int,
        confidence: float,
        correction: str,
        terms: Terms,
        moments: Moments,
    ) -> None:
        self.formula = formula
        self.n_documents, self.n_missing, self.n_empty = n_documents, n_missing, n_empty
        self.n_topics, self.confidence, self.correction = n_topics, confidence, correction
        self._terms, self._moments = terms, moments

    @property
    def columns(self) -> list[str]:
        """The columns of the formula."""
        return self._terms.formula.columns

    @cached_property
    def coefficients(self) -> pl.DataFrame:
        """The coefficients of the regression of each topic.

        The columns ``topic``, ``term``, ``estimate``, ``error``, ``lower``, ``upper``, ``p`` and
        ``p_corrected``, corrected for all topics and terms but the intercept. Groups are compared
        with the first one.
        """
        functions = np.eye(len(self._terms.names))
        return self._table(functions, {"term": self._terms.names}, first=1)

    def contrasts(self, column: str | None = None, *, baseline: Any = None) -> pl.DataFrame:
        """Return differences of shares by a column, the others being what they are.

        Parameters
        ----------
        column : str, default=None
            One of the columns; ``None`` takes all of them, and corrects for all.
        baseline : object, default=None
            The group that others are compared with; the first one if ``None``. Of numbers and dates
            the quantiles of 10 % and 90 % are compared.

        Returns
        -------
        polars.DataFrame
            The columns ``topic``, ``column``, ``difference``, ``estimate``, ``error``, ``lower``,
            ``upper``, ``p`` and ``p_corrected``, the clearest first.
        """
        chosen = self.columns if column is None else [self._known(column)]
        functions, of_column, names = [], [], []
        for one in chosen:
            rows, differences = self._differences(one, baseline if column is not None else None)
            functions.append(rows)
            names += differences
            of_column += [one] * len(differences)
        table = self._table(np.vstack(functions), {"column": of_column, "difference": names})
        return table.sort(
            ["p", (pl.col("estimate").abs() / pl.col("error")).neg()], maintain_order=True
        )

    def marginal(
        self, column: str, values: Any = None, *, at: Mapping[str, Any] | None = None
    ) -> pl.DataFrame:
        """Return the shares of topics over a column, the others being what they are.

        Parameters
        ----------
        column : str
            One of the columns.
        values : sequence, default=None
            Its values; ``None`` takes all groups, or 40 numbers from the least to the largest.
        at : mapping from str to object, default=None
            Values that other columns are set to, as in ``at={"party": "left"}``.

        Returns
        -------
        polars.DataFrame
            The columns ``topic``, ``value``, ``share``, ``error``, ``lower`` and ``upper``.

        Examples
        --------
        >>> import numpy as np
        >>> from quire.topics import topic_effects
        >>> theta = np.random.default_rng(0).dirichlet([1, 2], 60)
        >>> year = np.arange(60) % 6 + 2000
        >>> effects = topic_effects(theta[None], "s(year, df=3)", data={"year": year})
        >>> curve = effects.marginal("year", [2000, 2005])
        >>> curve.columns, curve["value"].to_list()
        (['topic', 'value', 'share', 'error', 'lower', 'upper'], [2000, 2005, 2000, 2005])
        """
        values = self._values(self._known(column), values)
        held = {column: values}
        for name, value in (at or {}).items():
            if self._known(name) != column:
                held[name] = pl.concat([self._values(name, [value])] * len(values))
        table = self._table(self._terms.row(held), {"value": values}).drop("p", "p_corrected")
        return table.rename({"estimate": "share"})

    def levels(self, column: str) -> list[Any]:
        """Return the groups of a column, the first being the reference; none for numbers."""
        return list(self._terms.levels(self._known(column)))

    def forest(self, column: str | None = None, *, n: int = 20, ax: Any = None) -> Any:
        """Draw differences of shares with their intervals, sorted.

        Needs matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        column : str, default=None
            One of the columns; the first one if ``None``.
        n : int, default=20
            How many differences, the clearest.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            Full points have a corrected p-value below 1 less the confidence.
        """
        column = self.columns[0] if column is None else column
        table = self.contrasts(column).head(n).sort("estimate")
        ax = new_axes(ax)
        places = np.arange(len(table))
        middle, low, high = (table[name].to_numpy() for name in ("estimate", "lower", "upper"))
        colour = line_style(0)["color"]
        ax.axvline(0, color="0.5", lw=1)
        ax.hlines(places, low, high, color=colour, lw=1.5)
        sure = table["p_corrected"].to_numpy() < 1 - self.confidence
        for which, face in ((sure, colour), (~sure, "white")):
            ax.plot(middle[which], places[which], "o", color=colour, markerfacecolor=face, ms=5)
        names = [f"topic {row['topic']}: {row['difference']}" for row in table.to_dicts()]
        ax.set_yticks(places, names)
        ax.set_xlabel(f"Difference of shares by {column}")
        grid(ax)
        return ax

    def plot(
        self,
        column: str,
        topics: Sequence[int] | None = None,
        *,
        at: Mapping[str, Any] | None = None,
        ax: Any = None,
    ) -> Any:
        """Draw the shares of topics over a column with their intervals.

        Needs matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        column : str
            One of the columns.
        topics : sequence of int, default=None
            Which; ``None`` draws those with the clearest differences, six at most.
        at : mapping from str to object, default=None
            As in :meth:`marginal`.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        if topics is None:
            clearest = self.contrasts(column)["topic"].unique(maintain_order=True)
            topics = clearest.to_list()[:_LINES]
        unknown = [topic for topic in topics if topic not in range(self.n_topics)]
        if unknown:
            raise ValueError(f"topics has {unknown[0]!r}; expected 0 to {self.n_topics - 1}.")
        table = self.marginal(column, at=at)
        is_groups = bool(self.levels(column))
        ax = new_axes(ax)
        for place, topic in enumerate(topics):
            part, style = table.filter(pl.col("topic") == topic), line_style(place)
            share, low, high = (part[name].to_numpy() for name in ("share", "lower", "upper"))
            if is_groups:
                x = np.arange(len(part)) + 0.5 * (place - (len(topics) - 1) / 2) / len(topics)
                style["linestyle"] = "none"
                reach = np.maximum([share - low, high - share], 0)
                ax.errorbar(x, share, yerr=reach, label=f"topic {topic}", capsize=3, **style)
                continue
            x = part["value"].to_numpy()
            ax.plot(x, share, label=f"topic {topic}", markevery=8, **style)
            ax.fill_between(x, low, high, color=style["color"], alpha=0.2, lw=0)
        if is_groups:
            labels = list(map(str, self.levels(column)))
            ax.set_xticks(np.arange(len(labels)), labels)
        ax.set_xlabel(column)
        ax.set_ylabel("Share of the topic")
        grid(ax)
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return ax

    def _known(self, column: str) -> str:
        if column not in self.columns:
            raise ValueError(f"{column!r} is not in the formula; it has {', '.join(self.columns)}.")
        return column

    def _values(self, column: str, values: Any) -> pl.Series:
        covariate, levels = self._terms.covariates[column], self._terms.levels(column)
        if values is None and levels:
            values = pl.Series(column, levels, dtype=None if levels else covariate.column.dtype)
        elif values is None:
            numbers = covariate.numbers()
            values = covariate.values(np.linspace(numbers.min(), numbers.max(), _POINTS))
        return values if isinstance(values, pl.Series) else pl.Series(column, list(values))

    def _differences(self, column: str, baseline: Any) -> tuple[Floats, list[str]]:
        """Return functions of the coefficients, and what they are."""
        levels = self._terms.levels(column)
        if not levels:
            covariate = self._terms.covariates[column]
            ends = np.quantile(covariate.numbers(), _ENDS)
            values = covariate.values(ends)
            rows = self._terms.row({column: values})
            low, high = (
                f"{value:.4g}" if isinstance(value, float) else str(value) for value in values
            )
            return rows[1:] - rows[:1], [f"{high} - {low}"]
        if baseline is None:
            baseline = levels[0]
        if baseline not in levels:
            shown = ", ".join(map(repr, levels[:12]))
            raise ValueError(f"baseline is {baseline!r}; {column} has {shown}.")
        rows = self._terms.row({column: self._values(column, None)})
        first = levels.index(baseline)
        others = [place for place in range(len(levels)) if place != first]
        return rows[others] - rows[first], [f"{levels[place]} - {baseline}" for place in others]

    def _table(self, functions: Floats, columns: Mapping[str, Any], first: int = 0) -> pl.DataFrame:
        estimate, error, degrees = self._moments.functions(functions)
        reach = stdtrit(degrees, (1 + self.confidence) / 2) * error
        p = two_sided(estimate, error, degrees)
        right = np.full(p.shape, np.nan)
        right[first:] = corrected(p[first:], self.correction)
        n, n_topics = estimate.shape
        found: dict[str, Any] = {"topic": np.repeat(np.arange(n_topics), n)}
        for name, values in columns.items():
            one = values if isinstance(values, pl.Series) else pl.Series(name, values)
            found[name] = pl.concat([one.alias(name)] * n_topics)
        numbers = (estimate, error, estimate - reach, estimate + reach, p, right)
        names = ("estimate", "error", "lower", "upper", "p", "p_corrected")
        found |= {name: value.T.ravel() for name, value in zip(names, numbers, strict=True)}
        return pl.DataFrame(found).with_columns(pl.col("p_corrected").fill_nan(None))

    def _title(self) -> str:
        reasons = [f"{self.n_missing:,} with missing values"] if self.n_missing else []
        reasons += [f"{self.n_empty:,} without words"] if self.n_empty else []
        left_out = f" ({', '.join(reasons)} left out)" if reasons else ""
        return (
            f"effects on {self.n_topics} topics of {self.formula}, {self.n_documents:,} documents"
            f"{left_out}, {100 * self.confidence:g} % intervals"
        )

    def _cells(self) -> tuple[list[list[str]], int]:
        table = self.contrasts()
        shown = table.head(_ROWS).to_dicts()
        scale = max(abs(one[name]) for one in shown for name in ("estimate", "lower", "upper"))
        rows = [["topic", "difference", "estimate", "lower", "upper", "p corrected"]]
        for one in shown:
            numbers = [
                number(one[name], like=scale or 1.0) for name in ("estimate", "lower", "upper")
            ]
            p = one["p_corrected"]
            rows.append(
                [
                    str(one["topic"]),
                    one["difference"]
                    if len(self.columns) == 1
                    else f"{one['column']}: {one['difference']}",
                    *numbers,
                    "<0.001" if p < 0.001 else f"{p:.3f}",
                ]
            )
        return rows, len(table) - len(shown)

    def __str__(self) -> str:
        cells, hidden = self._cells()
        width = max(len(row[1]) for row in cells)
        lines = aligned([[row[0], row[1].ljust(width), *row[2:]] for row in cells])
        if hidden:
            lines.append(f"... {hidden} more")
        return "\n".join([self._title(), "", *lines])

    def __repr__(self) -> str:
        return (
            f"TopicEffects(formula={self.formula!r}, n_topics={self.n_topics}, "
            f"n_documents={self.n_documents})"
        )

    def _repr_html_(self) -> str:
        return html_table(self._title(), self._cells()[0])
