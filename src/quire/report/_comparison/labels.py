"""Several labels for a document: scores of each label, and labels that go together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.label_sets import joined_labels
from quire._shared.page.charts import COLOURS, Chart, base, names, quantity
from quire._shared.page.html import NOTHING, Html
from quire._shared.page.numbers import number
from quire._shared.page.sections import Section, paragraph, section, titled
from quire._shared.page.tables import table
from quire.model_selection import Comparison, Trial
from quire.report._comparison.classes import ClassScores, class_table_of
from quire.report._comparison.outcomes import Outcomes, finished_rows

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = [
    "SetOutcomes",
    "Together",
    "label_scores",
    "labels_section",
    "set_outcomes_of",
    "together_of",
]

_MOST_LABELS = 25  # rows of a matrix that can still be read
_MOST_TEXT = 12  # labels up to which cells have their counts written in them
_MOST_PAIRS = 15
_MOST_SIZES = 12  # labels of one document


@dataclass(frozen=True)
class Together:
    """How often two labels are on one document; on the diagonal, how often each label is there.

    `shares` are of the documents with the label of the row. With many labels only the most frequent
    are in it, and `n_labels` is larger than the number of `labels`. `pairs` are those that are
    together most beyond chance: documents with both, and how many there would be if labels were
    independent. `sizes` says for a number of labels how many documents have so many, and for how
    many so many are predicted.
    """

    labels: list[str]
    counts: list[list[int]]
    shares: list[list[float]]
    n_labels: int
    pairs: list[tuple[str, str, int, float]]
    sizes: list[tuple[str, int, int]]


@dataclass(frozen=True)
class SetOutcomes(Outcomes):
    """Truth and prediction of documents with several labels.

    `codes` and `predicted` are numbers of sets of labels: equal where all labels are right.

    Attributes
    ----------
    true, guessed : csr_array of shape (n_documents, n_labels)
        1 where a document has a label, or is predicted to have it.
    """

    true: Any
    guessed: Any

    def class_counts(self) -> list[tuple[str, int]]:
        """Return how many documents each label has."""
        counts = np.asarray(self.true.astype(np.int64).sum(axis=0)).ravel()
        return list(zip(self.labels, counts.tolist(), strict=True))

    def names_of(self, rows: Any) -> list[str]:
        """Return the different sets of some rows, a few of them."""
        found = dict.fromkeys(self.written(self.true[np.asarray(rows)]))
        shown = [one or "none" for one in list(found)[:5]]
        return shown if len(found) <= 5 else [*shown, f"{len(found) - 5} more"]

    def written(self, indicator: Any) -> list[str]:
        """Return sets of labels as texts."""
        return joined_labels(indicator, np.array(self.labels, dtype=object), ", ")

    def labels_at(self, indicator: Any, row: int) -> list[int]:
        """Return the numbers of the labels of one row."""
        start, stop = indicator.indptr[row : row + 2]
        return [int(k) for k in indicator.indices[start:stop]]


def set_outcomes_of(comparison: Comparison, trial: Trial, labels: list[str]) -> SetOutcomes:
    """Return truth and predictions of one model of several labels.

    Parameters
    ----------
    comparison : Comparison
        Of several labels.
    trial : Trial
        The model.
    labels : list of str
        Names of the labels to show.
    """
    finished = finished_rows(comparison, trial)
    true, guessed = comparison.codes, trial.predicted
    number: dict[tuple[int, ...], int] = {}

    def codes(Y: Any) -> NDArray[np.int64]:
        ends = Y.indptr.tolist()
        keys = (tuple(Y.indices[a:b].tolist()) for a, b in pairwise(ends))
        return np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)

    truth = codes(true)
    predicted = np.where(finished, codes(guessed), -1)
    nothing = np.zeros(0)
    everywhere = np.ones(len(truth), dtype=bool)
    return SetOutcomes(
        labels, truth, predicted, nothing, nothing, everywhere, finished, true, guessed
    )


def label_scores(comparison: Comparison, labels: list[str]) -> list[ClassScores]:
    """Return scores of every label and, last, their mean; 0 where none was predicted.

    Parameters
    ----------
    comparison : Comparison
        Whose best model it is.
    labels : list of str
        Names of the labels to show.
    """
    found = [
        ClassScores(
            label,
            float(row["precision"] or 0.0),
            float(row["recall"] or 0.0),
            float(row["f1"] or 0.0),
            int(row["documents"]),
            row["f1_low"],
            row["f1_high"],
        )
        for label, row in zip(labels, comparison.class_table().to_dicts(), strict=True)
    ]
    mean = ClassScores(
        "Mean of labels",
        float(np.mean([one.precision for one in found])),
        float(np.mean([one.recall for one in found])),
        float(np.mean([one.f1 for one in found])),
        sum(one.support for one in found),
    )
    return [*found, mean]


def together_of(outcomes: SetOutcomes) -> Together:
    """Return which labels are on one document.

    Parameters
    ----------
    outcomes : SetOutcomes
        The labels, and what was predicted.
    """
    true = outcomes.true.astype(np.int64)
    n, n_labels = true.shape
    sizes = np.asarray(true.sum(axis=0)).ravel()
    shown = np.sort(np.argsort(-sizes, kind="stable")[:_MOST_LABELS])
    both = (true[:, shown].T @ true[:, shown]).toarray()
    names = [outcomes.labels[k] for k in shown.tolist()]
    return Together(
        labels=names,
        counts=both.tolist(),
        shares=(both / np.maximum(np.diag(both)[:, None], 1)).tolist(),
        n_labels=n_labels,
        pairs=_pairs(true, sizes, n, outcomes.labels),
        sizes=_sizes(outcomes),
    )


def _pairs(true: Any, sizes: Any, n: int, labels: list[str]) -> list[tuple[str, str, int, float]]:
    both = (true.T @ true).tocoo()
    upper = both.row < both.col
    rows, columns, counts = both.row[upper], both.col[upper], both.data[upper]
    expected = sizes[rows] * sizes[columns] / max(n, 1)
    order = np.argsort(-(counts - expected), kind="stable")[:_MOST_PAIRS]
    return [
        (labels[rows[i]], labels[columns[i]], int(counts[i]), float(expected[i]))
        for i in order.tolist()
        if counts[i] > expected[i]
    ]


def _sizes(outcomes: SetOutcomes) -> list[tuple[str, int, int]]:
    known = np.flatnonzero(outcomes.known)
    parts = [
        np.bincount(np.diff(Y[known].indptr).clip(max=_MOST_SIZES), minlength=_MOST_SIZES + 1)
        for Y in (outcomes.true, outcomes.guessed)
    ]
    last = int(np.flatnonzero(parts[0] + parts[1]).max(initial=0))
    return [
        (f"{k} or more" if k == _MOST_SIZES else f"{k}", int(parts[0][k]), int(parts[1][k]))
        for k in range(last + 1)
    ]


def labels_section(report: ReportData) -> Section:
    """Return the scores of the labels, and which go together."""
    name, title = "labels", "Labels"
    together = report.together
    if together is None:
        return section(name, title)
    intro = paragraph(
        f"{report.best}, on documents while they were held out. Each label is judged by itself: "
        "a document has it, or has it not."
    )
    caption = (
        "Each row has the documents with a label, and how many of them have the label of the "
        "column, too; the stronger the colour, the larger the share of the row."
    )
    if together.n_labels > len(together.labels):
        caption += (
            f" The {len(together.labels)} most frequent of {together.n_labels:,} labels are shown."
        )
    scores = class_table_of(report.class_scores, "label", "labels")
    charts = [_together_chart(together, caption), _sizes_chart(together)]
    return section(name, title, intro, scores, *charts, _pairs_table(together))


def _pairs_table(together: Together) -> Html:
    if not together.pairs:
        return NOTHING
    rows = [[a, b, times, number(expected)] for a, b, times, expected in together.pairs]
    heads = ["Label", "Other label", "Documents with both", "If independent"]
    title = "Pairs beyond chance"
    return titled(title, table(heads, rows, title))


def _together_chart(together: Together, caption: str) -> Chart:
    """Return a heat map of how often labels are on one document."""
    size = len(together.labels)
    values = [
        {"label": label, "other": other, "count": count, "share": round(share, 4)}
        for label, counts, shares in zip(
            together.labels, together.counts, together.shares, strict=True
        )
        for other, count, share in zip(together.labels, counts, shares, strict=True)
    ]
    few = size <= _MOST_TEXT
    cell = 44 if few else 26
    title = "Labels that go together"
    spec = base(values, f"{title}. {caption}", cell * size)
    spec["encoding"] = {
        "y": names("label") | {"title": "Label", "axis": {"labelLimit": 110}},
        "x": names("other")
        | {
            "title": "Other label",
            "axis": {"labelLimit": 90, "labelAngle": 0 if size < 5 else -40},
        },
        "tooltip": [
            names("label") | {"title": "Label"},
            names("other") | {"title": "Other label"},
            quantity("count", "Documents with both", format=",d"),
            quantity("share", "Share of the label", format=".1%"),
        ],
    }
    opacity = quantity("share", "", scale={"domain": [0, 1], "range": [0.04, 1]}, legend=None)
    spec["layer"] = [
        {
            "mark": {"type": "rect", "fill": COLOURS[0], "cornerRadius": 2},
            "encoding": {"fillOpacity": opacity},
        }
    ]
    if few:
        dark = {"test": "datum.share > 0.5", "value": "var(--on-c1)"}
        spec["layer"].append(
            {
                "mark": {"type": "text", "fontSize": 12, "aria": False},
                "encoding": {
                    "text": quantity("count", "", format=",d"),
                    "color": {"condition": dark, "value": "var(--ink)"},
                },
            }
        )
    rows: list[list[Any]] = [
        [label, *counts] for label, counts in zip(together.labels, together.counts, strict=True)
    ]
    heads = ["Label \\ other", *together.labels]
    width = 180 + (90 if few else 32) * size
    return Chart("chart-together", title, caption, spec, heads, rows, width)


def _sizes_chart(together: Together) -> Chart:
    """Return how many labels documents have, and how many are predicted."""
    caption = "Documents by the number of their labels, and by the number that is predicted."
    parts = ("True", "Predicted")
    values = [
        {"size": size, "part": part, "count": count}
        for size, *counts in together.sizes
        for part, count in zip(parts, counts, strict=True)
    ]
    title = "Labels of a document"
    spec = base(values, f"{title}. {caption}", 220)
    spec["mark"] = {"type": "bar"}
    spec["encoding"] = {
        "x": names("size", axis={"labelAngle": 0}) | {"title": "Labels"},
        "xOffset": names("part"),
        "y": quantity("count", "Documents", axis={"tickCount": 4, "format": ",d"}),
        "color": names(
            "part",
            scale={"domain": list(parts), "range": [COLOURS[0], COLOURS[1]]},
            legend={"orient": "bottom"},
        ),
        "tooltip": [
            names("size") | {"title": "Labels"},
            names("part") | {"title": "Part"},
            quantity("count", "Documents", format=",d"),
        ],
    }
    rows: list[list[Any]] = [list(row) for row in together.sizes]
    return Chart("chart-set-sizes", title, caption, spec, ["Labels", *parts], rows)
