"""What comes out of :func:`bias_variance`: the parts of an expected loss, by document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.plot import new_axes
from quire._shared.typing import Floats
from quire.model_selection._tables import aligned, html_table, number

__all__ = ["BiasVariance"]


_COLOURS = {"up": "#0072b2", "down": "#009e73", "total": "0.35"}


@dataclass(frozen=True, eq=False, repr=False)
class BiasVariance:
    """The expected loss of a model in parts that add up, from :func:`bias_variance`.

    ``print(result)`` shows a table and :meth:`plot` draws it. `loss`, `bias`, `variance`,
    `net_variance`, `noise` and `chance` are means over the test documents; the arrays by document
    have the same names with ``_by_document``.

    Attributes
    ----------
    model : str
        The kind of model.
    loss_name : str
        "squared error", "share of errors" or "Brier score".
    rows : ndarray of shape (n_documents,)
        The rows of X that were tested on. With cross-validation these are all, in the order of the
        folds.
    main_prediction : ndarray of shape (n_documents,) or (n_documents, n_outputs)
        The mean of the predictions, or the class that was predicted most often.
    loss_by_document : ndarray of shape (n_documents,)
        The loss, mean over the resamples.
    bias_by_document : ndarray of shape (n_documents,)
        The loss of the main prediction: **squared** bias for squared error, 0 or 1 for 0/1 loss.
        It contains the noise where `noise` is ``None``.
    variance_by_document : ndarray of shape (n_documents,)
        How much predictions differ from the main prediction: their variance, or how often they
        are another class.
    net_variance_by_document : ndarray of shape (n_documents,)
        What the variance adds to the loss. The same for squared error. For 0/1 loss it is below
        zero where the main prediction is wrong: there, to differ from it may be right.
    noise_by_document : ndarray of shape (n_documents,) or None
        What the noise of the targets adds to the loss; ``None`` if it is not known.
    chance_by_document : ndarray of shape (n_documents,)
        What is left because these targets are one draw. It is zero in expectation, and there only
        if ``y_true`` was given for squared error.
    resampling : str
        How training documents were drawn.
    n_resamples : int
        How often.
    n_training : int
        How many documents were drawn each time; the mean if that varies.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.linear_model import Ridge
    >>> from quire.model_selection import bias_variance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X[:, 0] + rng.normal(size=200)
    >>> result = bias_variance(Ridge(), X, y, random_state=0)
    >>> bool(abs(result.bias + result.variance - result.loss) < 1e-12)
    True
    """

    model: str
    loss_name: str
    rows: NDArray[np.int64]
    main_prediction: NDArray[Any]
    loss_by_document: Floats
    bias_by_document: Floats
    variance_by_document: Floats
    net_variance_by_document: Floats
    noise_by_document: Floats | None
    chance_by_document: Floats
    resampling: str
    n_resamples: int
    n_training: int

    @property
    def loss(self) -> float:
        """The expected loss: the mean over resamples and test documents."""
        return float(self.loss_by_document.mean())

    @property
    def bias(self) -> float:
        """The mean bias; squared bias for squared error."""
        return float(self.bias_by_document.mean())

    @property
    def variance(self) -> float:
        """The mean variance."""
        return float(self.variance_by_document.mean())

    @property
    def net_variance(self) -> float:
        """What the variance adds to the expected loss."""
        return float(self.net_variance_by_document.mean())

    @property
    def noise(self) -> float | None:
        """What the noise adds to the expected loss; ``None`` if it is not known."""
        return None if self.noise_by_document is None else float(self.noise_by_document.mean())

    @property
    def chance(self) -> float:
        """What this draw of the targets adds to the expected loss."""
        return float(self.chance_by_document.mean())

    def parts(self) -> dict[str, Floats]:
        """Return the parts by document, which add up to `loss_by_document`.

        Returns
        -------
        dict of str to ndarray of shape (n_documents,)
            Squared error and Brier score have "noise" and "bias²" (or "bias² + noise"),
            "variance" and, with ``y_true``, "chance". 0/1 loss has "noise" (if known), "bias",
            "unbiased variance" and "biased variance", which is never above zero.
        """
        parts: dict[str, Floats] = {}
        if self.noise_by_document is not None:
            parts["noise"] = self.noise_by_document
        if self.loss_name == "share of errors":
            wrong = self.bias_by_document > 0
            parts["bias"] = self.bias_by_document
            parts["unbiased variance"] = np.where(wrong, 0.0, self.net_variance_by_document)
            parts["biased variance"] = np.where(wrong, self.net_variance_by_document, 0.0)
            return parts
        name = "bias² + noise" if self.noise_by_document is None else "bias²"
        parts[name] = self.bias_by_document
        parts["variance"] = self.variance_by_document
        if self.chance_by_document.any():
            parts["chance"] = self.chance_by_document
        return parts

    def table(self) -> pl.DataFrame:
        """Return the mean of every part, and of the loss in the last row.

        Returns
        -------
        polars.DataFrame
            The columns ``part``, ``mean``, ``share`` (of the loss) and ``standard_error`` (of the
            mean over documents, with the samples as they are).
        """
        columns = {**self.parts(), self.loss_name: self.loss_by_document}
        means = np.array([part.mean() for part in columns.values()])
        n = len(self.rows)
        errors = [part.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan for part in columns.values()]
        shares = means / self.loss if self.loss else np.full(len(means), np.nan)
        return pl.DataFrame(
            {
                "part": list(columns),
                "mean": means,
                "share": shares,
                "standard_error": np.array(errors),
            }
        )

    def to_frame(self) -> pl.DataFrame:
        """Return the parts of every document.

        Returns
        -------
        polars.DataFrame
            A row for each test document, with the columns ``row`` (in X), ``main_prediction``,
            ``loss``, ``bias``, ``variance``, ``net_variance``, ``noise`` and ``chance``. The main
            prediction is a list where there are several outputs.
        """
        noise = self.noise_by_document
        return pl.DataFrame(
            {
                "row": self.rows,
                "main_prediction": self.main_prediction.tolist(),
                "loss": self.loss_by_document,
                "bias": self.bias_by_document,
                "variance": self.variance_by_document,
                "net_variance": self.net_variance_by_document,
                "noise": pl.Series(
                    [None] * len(self.rows) if noise is None else noise, dtype=pl.Float64
                ),
                "chance": self.chance_by_document,
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the parts as bars, each from where the one before it ends, and their sum.

        Needs matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        ax = new_axes(ax)
        names = [*self.parts(), self.loss_name]
        means = [float(part.mean()) for part in self.parts().values()]
        ends = np.cumsum(means)
        for place, (mean, end) in enumerate(zip(means, ends, strict=True)):
            colour = _COLOURS["up" if mean >= 0 else "down"]
            ax.barh(place, mean, left=end - mean, color=colour)
            ax.annotate(f" {number(mean, self.loss)}", (max(end, end - mean), place), va="center")
        ax.barh(len(means), self.loss, color=_COLOURS["total"])
        ax.annotate(f" {number(self.loss)}", (self.loss, len(means)), va="center")
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        ax.margins(x=0.15)
        ax.set_xlabel(f"{self.loss_name[:1].upper()}{self.loss_name[1:]} of {self.model}")
        ax.grid(axis="x", color="0.9")
        ax.set_axisbelow(True)
        return ax

    def _title(self) -> str:
        kind = {"bootstrap": "bootstrap samples", "subsample": "subsamples"}
        samples = kind.get(self.resampling, "training samples")
        return (
            f"{self.loss_name} of {self.model} on {len(self.rows):,} documents, "
            f"{self.n_resamples:,} {samples} of {self.n_training:,}"
        )

    def _cells(self) -> list[list[str]]:
        rows = [["part", "mean", "share"]]
        for name, mean, share in self.table().select("part", "mean", "share").iter_rows():
            shown = "" if np.isnan(share) else f"{share:.1%}"
            rows.append([name, number(mean, self.loss), shown])
        return rows

    def __str__(self) -> str:
        return "\n".join([self._title(), "", *aligned(self._cells(), left=1)])

    def __repr__(self) -> str:
        return (
            f"BiasVariance(model={self.model!r}, loss={self.loss:.4g}, bias={self.bias:.4g}, "
            f"variance={self.variance:.4g}, n_documents={len(self.rows)}, "
            f"n_resamples={self.n_resamples})"
        )

    def _repr_html_(self) -> str:
        return html_table(self._title(), self._cells())
