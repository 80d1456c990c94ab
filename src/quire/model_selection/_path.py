"""What comes out of :func:`regularization_path`: the coefficients under every penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.plot import line_style, new_axes
from quire._shared.typing import Floats

__all__ = ["RegularizationPath"]

_MOST_LINES = 500  # beside the labelled ones


@dataclass(frozen=True, eq=False, repr=False)
class RegularizationPath:
    """Coefficients of a model by the strength of its penalty, from :func:`regularization_path`.

    ``print(path)`` shows a table and :meth:`plot` draws the coefficients.

    Attributes
    ----------
    penalties : ndarray of shape (n_penalties,)
        Strengths, from strong to weak: values of alpha, or of 1 / C.
    coefs : ndarray of shape (n_penalties, n_outputs, n_features)
        Coefficients; an output is a target, a class, or the only one there is.
    intercepts : ndarray of shape (n_penalties, n_intercepts)
        Intercepts, or the thresholds of a model of ordered outcomes.
    risks : ndarray of shape (n_penalties,)
        Mean loss on the training data, without the penalty.
    terms : ndarray of shape (n_features,)
        Names of the features.
    outputs : tuple
        The targets or classes; one ``None`` if there is one output only.
    param_name : str
        The parameter that was varied.
    label : str
        What the strengths are: "alpha" or "1 / C".
    loss : str
        What `risks` are.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.linear_model import Lasso
    >>> from quire.model_selection import regularization_path
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 2.0]])
    >>> path = regularization_path(Lasso(), X, [0.0, 1.0, 2.0, 4.0], penalties=[2, 1, 0.1])
    >>> print(path)
    coefficients of 2 terms by alpha
    <BLANKLINE>
    alpha  not zero  sum of |coef|  squared error
        2         0          0.000        2.18750
        1         1          0.500        0.87500
      0.1         2          1.300        0.06167
    """

    penalties: Floats
    coefs: Floats
    intercepts: Floats
    risks: Floats
    terms: NDArray[Any]
    outputs: tuple[Any, ...]
    param_name: str
    label: str
    loss: str

    def n_nonzero(self) -> NDArray[np.int64]:
        """Return how many coefficients are not zero.

        With the L1 penalty and squared error that is the number of degrees of freedom.

        Returns
        -------
        ndarray of shape (n_penalties,)
            Counts over all outputs.
        """
        counts: NDArray[np.int64] = np.count_nonzero(self.coefs, axis=(1, 2))
        return counts

    def norms(self, order: int = 1) -> Floats:
        """Return the norm of all coefficients.

        Parameters
        ----------
        order : {1, 2}, default=1
            Sum of absolute values, or root of the sum of squares.

        Returns
        -------
        ndarray of shape (n_penalties,)
            Norms.
        """
        if order == 1:
            total: Floats = np.abs(self.coefs).sum(axis=(1, 2))
        elif order == 2:
            total = np.sqrt((self.coefs**2).sum(axis=(1, 2)))
        else:
            raise ValueError(f"order is {order!r}; expected 1 or 2.")
        return total

    def strongest(self, n_terms: int = 10, output: Any = None) -> list[str]:
        """Return the terms with the largest coefficients anywhere on the path.

        Parameters
        ----------
        n_terms : int, default=10
            How many; terms that are zero everywhere are never among them.
        output : object, default=None
            The target or class; ``None`` means the first.

        Returns
        -------
        list of str
            From the largest absolute value down.
        """
        return [str(self.terms[j]) for j in self._order(n_terms, self._number(output))]

    def to_frame(self) -> pl.DataFrame:
        """Return the coefficients as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each penalty, output and term, with the columns ``penalty``, ``output`` (where
            there are several), ``term`` and ``coef``.
        """
        n_penalties, n_outputs, n_features = self.coefs.shape
        columns: dict[str, Any] = {"penalty": np.repeat(self.penalties, n_outputs * n_features)}
        if n_outputs > 1:
            each = pl.Series(list(self.outputs)).to_frame("output")
            repeated = np.tile(np.repeat(np.arange(n_outputs), n_features), n_penalties)
            columns["output"] = each["output"].gather(repeated)
        names = pl.Series([str(term) for term in self.terms])
        columns["term"] = names.gather(np.tile(np.arange(n_features), n_penalties * n_outputs))
        columns["coef"] = self.coefs.ravel()
        return pl.DataFrame(columns)

    def plot(self, ax: Any = None, n_terms: int = 10, output: Any = None) -> Any:
        """Draw the coefficients against the penalty, on a logarithmic axis.

        The strongest terms are named, the others are grey. Needs matplotlib:
        ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.
        n_terms : int, default=10
            How many terms to name.
        output : object, default=None
            The target or class; ``None`` means the first.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        number = self._number(output)
        named = self._order(n_terms, number)
        others = self._order(n_terms + _MOST_LINES, number)[n_terms:]
        ax = new_axes(ax)
        coefs = self.coefs[:, number]
        if others:
            ax.plot(self.penalties, coefs[:, others], color="0.8", linewidth=0.8, zorder=1)
        weakest = coefs[-1]
        for place, j in enumerate(sorted(named, key=lambda j: -weakest[j])):
            style = line_style(place)
            ax.plot(
                self.penalties,
                coefs[:, j],
                label=str(self.terms[j]),
                markersize=4,
                markevery=max(1, len(self.penalties) // 8),
                **style,
            )
        ax.axhline(0, color="0.3", linewidth=0.8, zorder=1)
        ax.set_xscale("log")
        ax.set_xlabel(f"Penalty ({self.label})")
        what = self.outputs[number]
        ax.set_ylabel("Coefficient" if what is None else f"Coefficient for {what}")
        ax.grid(color="0.9")
        ax.set_axisbelow(True)
        if named:
            ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        return ax

    def __str__(self) -> str:
        rows = [[self.label, "not zero", "sum of |coef|", self.loss]]
        for penalty, count, norm, risk in zip(
            self.penalties, self.n_nonzero(), self.norms(), self.risks, strict=True
        ):
            rows.append([f"{penalty:.4g}", f"{count:,}", f"{norm:,.3f}", f"{risk:.5f}"])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)) for row in rows]
        several = f" and {len(self.outputs)} outputs" if len(self.outputs) > 1 else ""
        title = f"coefficients of {len(self.terms):,} terms{several} by {self.label}"
        return "\n".join([title, "", *lines])

    def __repr__(self) -> str:
        return (
            f"RegularizationPath(param_name={self.param_name!r}, "
            f"n_penalties={len(self.penalties)}, n_outputs={len(self.outputs)}, "
            f"n_features={len(self.terms)})"
        )

    def _number(self, output: Any) -> int:
        if output is None:
            return 0
        if output not in self.outputs:
            there = ", ".join(map(repr, self.outputs))
            raise ValueError(f"there is no output {output!r} in this path; there are: {there}.")
        return self.outputs.index(output)

    def _order(self, n_terms: int, output: int) -> list[int]:
        """Return the numbers of the terms that are not zero everywhere, the largest first."""
        sizes = np.abs(self.coefs[:, output]).max(axis=0)
        order = np.argsort(-sizes, kind="stable")[: max(n_terms, 0)]
        return [int(j) for j in order if sizes[j] > 0]
