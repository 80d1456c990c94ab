"""What comes out of :func:`sweep`: scores against the number of topics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.number_tables import aligned, html_table, number
from quire._shared.plot import grid, line_style, middle, new_axes
from quire._shared.typing import Floats

__all__ = ["Sweep"]


_LABELS = {
    "held_out": "Held-out log-likelihood per token",
    "npmi": "Coherence (NPMI)",
    "umass": "Coherence (UMass)",
    "c_v": "Coherence (C_v)",
    "c_uci": "Coherence (C_uci)",
    "diversity": "Topic diversity",
    "exclusivity": "Exclusivity (FREX)",
}


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """Scores of topic models by their number of topics, from :func:`sweep`.

    ``print(result)`` shows a table and :meth:`plot` draws it. More is better in all scores.

    Attributes
    ----------
    n_topics : ndarray of shape (n_models,)
        The numbers of topics, increasing.
    scores : dict from str to ndarray of shape (n_models,)
        What was measured.
    document_likelihoods : ndarray of shape (n_models, n_validation) or None
        The log-likelihood of each validation document, if "held_out" was measured.
    document_lengths : ndarray of shape (n_validation,)
        The tokens of these documents.
    seconds : ndarray of shape (n_models,)
        How long each fit took.
    models : dict from int to model
        The fitted models, if they were kept.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.topics import Sweep
    >>> rng = np.random.default_rng(0)
    >>> documents = -700 + rng.normal(0, 20, 50)
    >>> gains = np.array([[0.0], [30.0], [30.7]]) + rng.normal(0, 4, (3, 50))
    >>> likelihoods = documents + gains
    >>> result = Sweep(
    ...     n_topics=np.array([5, 10, 20]),
    ...     scores={"held_out": likelihoods.sum(axis=1) / 5000},
    ...     document_likelihoods=likelihoods,
    ...     document_lengths=np.full(50, 100.0),
    ...     seconds=np.array([1.0, 2.0, 4.0]),
    ... )
    >>> print(result)
    3 numbers of topics, 50 validation documents
    <BLANKLINE>
    topics  held out           gain  seconds
         5    -6.973                     1.0
        10    -6.673  0.300 ± 0.007      2.0  suggested
        20    -6.672  0.001 ± 0.007      4.0  best
    >>> result.suggested
    10
    """

    n_topics: NDArray[np.int64]
    scores: dict[str, Floats]
    document_likelihoods: Floats | None
    document_lengths: Floats
    seconds: Floats
    models: dict[int, Any] = field(default_factory=dict)

    @property
    def table(self) -> pl.DataFrame:
        """A row for each model.

        The columns are ``n_topics``, the scores and ``seconds``. With "held_out" there are also
        ``held_out_error``, the standard error of that score, ``gain`` over the model with the next
        fewer topics, and ``gain_error``, the standard error of the gain.
        """
        columns: dict[str, Any] = {"n_topics": self.n_topics}
        for name, values in self.scores.items():
            columns[name] = values
            if name == "held_out":
                gains = [self._gain(i - 1, i) for i in range(1, len(self.n_topics))]
                columns["held_out_error"] = self._errors()
                columns["gain"] = [None, *(gain for gain, _ in gains)]
                columns["gain_error"] = [None, *(error for _, error in gains)]
        columns["seconds"] = self.seconds
        for name in {"gain", "gain_error"} & columns.keys():
            columns[name] = pl.Series(columns[name], dtype=pl.Float64)
        return pl.DataFrame(columns)

    @property
    def best(self) -> int:
        """The number of topics with the best first score; of equal ones the smallest."""
        return int(self.n_topics[self._best()])

    @property
    def suggested(self) -> int:
        """The smallest number of topics that is about as good as the best.

        Its held-out likelihood is below that of the best by no more than the standard error of
        their difference over documents. Where "held_out" was not measured it is :attr:`best`.
        """
        return int(self.n_topics[self._suggested()])

    def plot(self, metric: str | None = None, ax: Any = None) -> Any:
        """Draw the scores against the number of topics.

        An upright line stands at the suggested number. Bars at the held-out likelihood reach one
        standard error of the difference to the best model to either side. Needs matplotlib:
        ``pip install 'quire[plot]'``.

        Parameters
        ----------
        metric : str, default=None
            Which score; ``None`` draws all of them below each other, or the first of them where
            `ax` is given.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes or ndarray of Axes
            The axes; several, if there are several scores.
        """
        if metric is not None and metric not in self.scores:
            raise ValueError(f"metric is {metric!r}; there are {', '.join(self.scores)}.")
        shown = list(self.scores) if metric is None else [metric]
        first = new_axes(ax)
        if ax is not None or len(shown) == 1:
            self._draw(first, shown[0], 0)
            first.set_xlabel("Number of topics")
            return first
        figure = first.figure
        first.remove()
        figure.set_figheight(2.2 * len(shown) + 0.6)
        axes = figure.subplots(len(shown), 1, sharex=True)
        for place, name in enumerate(shown):
            self._draw(axes[place], name, place)
        axes[-1].set_xlabel("Number of topics")
        return axes

    def _draw(self, ax: Any, name: str, place: int) -> None:
        style = line_style(place)
        values = self.scores[name]
        if name == "held_out":
            best = self._best()
            errors = [self._gain(i, best)[1] for i in range(len(values))]
            ax.errorbar(self.n_topics, values, yerr=errors, capsize=3, markersize=5, **style)
        else:
            ax.plot(self.n_topics, values, markersize=5, **style)
        if "held_out" in self.scores:
            label = f"suggested: {self.suggested}"
            ax.axvline(self.suggested, color=middle(), linestyle=":", lw=1.5, label=label)
            if place == 0:
                ax.legend()
        if self.n_topics[-1] >= 10 * self.n_topics[0]:
            ax.set_xscale("log")
        ax.set_xticks(self.n_topics, [str(n_topics) for n_topics in self.n_topics])
        ax.set_xticks([], minor=True)
        ax.set_ylabel(_LABELS.get(name, name).replace(" per token", "\nper token"))
        grid(ax)

    def _gain(self, one: int, other: int) -> tuple[float, float]:
        """Return by how much a model is better than another one per token, and the error of it."""
        assert self.document_likelihoods is not None
        likelihoods, lengths = self.document_likelihoods, self.document_lengths
        return _ratio(likelihoods[other] - likelihoods[one], lengths)

    def _errors(self) -> Floats:
        assert self.document_likelihoods is not None
        rows = self.document_likelihoods
        return np.array([_ratio(row, self.document_lengths)[1] for row in rows])

    def _best(self) -> int:
        first = next(iter(self.scores.values()))
        values = self.scores.get("held_out", first)
        return int(np.argmax(np.nan_to_num(values, nan=-np.inf)))

    def _suggested(self) -> int:
        best = self._best()
        if self.document_likelihoods is None:
            return best
        for place in range(best):
            gain, error = self._gain(place, best)
            if gain <= error:
                return place
        return best

    def _title(self) -> str:
        n = len(self.n_topics)
        return (
            f"{n} number{'s' if n > 1 else ''} of topics, "
            f"{len(self.document_lengths):,} validation documents"
        )

    def _rows(self) -> list[list[str]]:
        head = ["topics"]
        for name in self.scores:
            head += ["held out", "gain"] if name == "held_out" else [name]
        rows = [[*head, "seconds", ""]]
        for place, n_topics in enumerate(self.n_topics):
            cells = [str(n_topics)]
            for name, values in self.scores.items():
                scale = float(np.abs(values).max())
                cells.append(number(float(values[place]), like=scale))
                if name == "held_out":
                    gain = self._gain(place - 1, place) if place else None
                    cells.append("" if gain is None else f"{gain[0]:.3f} ± {gain[1]:.3f}")
            marks = []
            if "held_out" in self.scores and place == self._suggested():
                marks.append("suggested")
            if place == self._best():
                marks.append("best")
            rows.append([*cells, f"{self.seconds[place]:.1f}", ", ".join(marks)])
        return rows

    def __str__(self) -> str:
        rows = self._rows()
        lines = aligned([row[:-1] for row in rows])
        marked = [f"{line}  {row[-1]}".rstrip() for line, row in zip(lines, rows, strict=True)]
        return "\n".join([self._title(), "", *marked])

    def __repr__(self) -> str:
        return f"Sweep(n_topics={self.n_topics.tolist()}, scores={list(self.scores)})"

    def _repr_html_(self) -> str:
        return html_table(self._title(), self._rows())


def _ratio(sums: Floats, lengths: Floats) -> tuple[float, float]:
    """Return the mean per token of what documents add up to, and its standard error."""
    total, n = lengths.sum(), len(lengths)
    mean = sums.sum() / total
    if n < 2:
        return float(mean), float("nan")
    spread = np.sum((sums - mean * lengths) ** 2) * n / (n - 1)
    return float(mean), float(np.sqrt(spread) / total)
