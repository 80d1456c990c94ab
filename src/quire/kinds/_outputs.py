"""The columns that predictions add to a table: what they are called, what is in them, and how.

Of a classifier the label, its probability and those of all classes; of one of several labels these
in one text, with the probabilities of all; of a regression a number; of a
topic model the topic that fills most of a document, and its shares; of clusters the nearest one and
how far its centre is; of components the place along each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from quire._shared.deciding import scores_of
from quire._shared.decisions import MOST_CLASSES, has_probabilities, label_columns
from quire._shared.sparse import is_sparse
from quire._shared.tables import cluster_columns, place_columns, topic_columns
from quire._shared.texts import is_texts
from quire.kinds._inside import classes_of, kind_of, last_step
from quire.kinds._kind import OutputColumn, Outputs, Predicts

__all__ = ["output_columns", "outputs_of"]


def outputs_of(model: Any, *, threshold: float | None = None) -> Outputs:
    """Return what the predictions of a fitted model add to a table.

    Parameters
    ----------
    model : estimator
        A model or a pipeline.
    threshold : float, default=None
        Of two classes, the probability of the second from which on it is predicted; a score of a
        model that has no probabilities. As the model decides if ``None``.

    Raises
    ------
    ValueError
        If it predicts nothing about documents, or a threshold does not fit it.
    """
    if threshold is not None:
        return _checked_threshold(model, threshold)
    kind = kind_of(model)
    if kind.outputs is not None and not isinstance(kind.outputs, str):
        return kind.outputs
    outputs = _KNOWN.get(kind.outputs or kind.predicts)
    if outputs is None or not _answers(outputs, last_step(model)):
        raise ValueError(
            f"{type(last_step(model)).__name__} predicts nothing for documents. Of saved models, "
            "quire neighbors takes a search and quire align a map."
        )
    return outputs


def output_columns(model: Any, *, probabilities: bool = True) -> list[OutputColumn]:
    """Return the columns that the predictions of a fitted model add to a table, in order.

    Parameters
    ----------
    model : estimator
        A model or a pipeline.
    probabilities : bool, default=True
        Whether the probability of every class, or the share of every topic, is among them.

    Returns
    -------
    list of OutputColumn
        Their names and types.

    Raises
    ------
    ValueError
        If it predicts nothing about documents.

    Examples
    --------
    >>> from quire.kinds import output_columns
    >>> from quire.naive_bayes import MultinomialNB
    >>> model = MultinomialNB().fit_text(["good film", "bad film"], ["pos", "neg"])
    >>> [column.name for column in output_columns(model)]
    ['predicted', 'probability', 'p(neg)', 'p(pos)']
    """
    return outputs_of(model).columns(last_step(model), probabilities=probabilities)


def _answers(outputs: Outputs, model: Any) -> bool:
    """Say whether a model has what its kind of prediction asks for; some clusterings do not."""
    method = "transform" if isinstance(outputs, _Topics | _Places) else "predict"
    return callable(getattr(model, method, None))


class _Labels:
    """The label of each row, its probability and those of all classes."""

    def columns(self, model: Any, *, probabilities: bool = True) -> list[OutputColumn]:
        classes = model.classes_.tolist()
        found = [OutputColumn("predicted", pl.Series(classes).dtype)]
        if probabilities and has_probabilities(model):
            found.append(OutputColumn("probability", pl.Float64()))
            if len(classes) <= MOST_CLASSES:
                found += [OutputColumn(f"p({label})", pl.Float64()) for label in classes]
        return found

    def values(self, model: Any, rows: Any, *, probabilities: bool = True) -> dict[str, Any]:
        return label_columns(model, rows, probabilities=probabilities)


class _LabelsFrom(_Labels):
    """Of two classes the second from a probability or a score on."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    def values(self, model: Any, rows: Any, *, probabilities: bool = True) -> dict[str, Any]:
        classes = np.asarray(model.classes_)
        if not has_probabilities(model):
            scores = scores_of(model, rows, classes, as_logarithms=False)
            return {"predicted": classes[(scores >= self.threshold).astype(np.intp)]}
        P = np.asarray(model.predict_proba(rows), dtype=np.float64)
        own = (P[:, 1] >= self.threshold).astype(np.intp)
        added = {"predicted": classes[own]}
        if probabilities:
            added["probability"] = np.take_along_axis(P, own[:, None], axis=1)[:, 0]
            for number, label in enumerate(classes.tolist()):
                added[f"p({label})"] = P[:, number]
        return added


def _checked_threshold(model: Any, threshold: float) -> _LabelsFrom:
    """Return predictions from a threshold on, where it fits the model."""
    last = last_step(model)
    has_classes = kind_of(model).predicts in (Predicts.LABEL, Predicts.ORDERED_LABEL)
    n_classes = len(classes_of(last)) if has_classes else 0
    if n_classes != 2:
        what = f"{n_classes} of them" if n_classes else "none"
        raise ValueError(f"threshold={threshold:g} is for models of two classes; this has {what}.")
    if has_probabilities(last) and not 0 <= threshold <= 1:
        raise ValueError(f"threshold={threshold:g} is no probability; give one from 0 to 1.")
    if not np.isfinite(threshold):
        raise ValueError(f"threshold={threshold:g} is no number to compare with.")
    return _LabelsFrom(float(threshold))


class _SeveralLabels:
    """The labels of each row as one text, and the probability of every label."""

    def columns(self, model: Any, *, probabilities: bool = True) -> list[OutputColumn]:
        found = [OutputColumn("predicted", pl.String())]
        classes = classes_of(model).tolist()
        if probabilities and has_probabilities(model) and len(classes) <= MOST_CLASSES:
            found += [OutputColumn(f"p({label})", pl.Float64()) for label in classes]
        return found

    def values(self, model: Any, rows: Any, *, probabilities: bool = True) -> dict[str, Any]:
        from quire._shared.label_sets import predicted_sets, sets_probabilities

        sets = predicted_sets(model, rows)
        added: dict[str, Any] = {"predicted": pl.Series(sets.joined(), dtype=pl.String)}
        if probabilities and len(sets.classes) <= MOST_CLASSES:
            P = sets_probabilities(model, rows)
            for number, label in enumerate([] if P is None else sets.classes.tolist()):
                assert P is not None
                added[f"p({label})"] = P[:, number]
        return added


class _Numbers:
    """A number for each row."""

    def columns(self, model: Any, *, probabilities: bool = True) -> list[OutputColumn]:
        return [OutputColumn("predicted", pl.Float64())]

    def values(self, model: Any, rows: Any, *, probabilities: bool = True) -> dict[str, Any]:
        return {"predicted": np.asarray(model.predict(rows)).ravel()}


class _Groups(_Numbers):
    """The number of a group for each row: a component of a mixture, an outlier or not."""

    def columns(self, model: Any, *, probabilities: bool = True) -> list[OutputColumn]:
        return [OutputColumn("predicted", pl.Int64())]


class _Topics:
    """The largest topic of each row, its share, and the shares of all; none of an empty row."""

    def columns(self, model: Any, *, probabilities: bool = True) -> list[OutputColumn]:
        shares = [f"topic {number}" for number in range(model.n_components)]
        named = ["share", *(shares if probabilities else [])]
        return [
            OutputColumn("topic", pl.Int64()),
            *(OutputColumn(name, pl.Float64()) for name in named),
        ]

    def values(self, model: Any, rows: Any, *, probabilities: bool = True) -> dict[str, Any]:
        vectorizer = getattr(model, "vectorizer_", None)
        counts = rows if vectorizer is None or not is_texts(rows) else vectorizer.transform(rows)
        theta = model.transform(counts)
        return topic_columns(theta, shares=probabilities, has_words=_has_terms(counts))


class _Nearest:
    """The nearest cluster of each row and the distance to its centre; none of an empty row."""

    def columns(self, model: Any, *, probabilities: bool = True) -> list[OutputColumn]:
        return [OutputColumn("cluster", pl.Int64()), OutputColumn("distance", pl.Float64())]

    def values(self, model: Any, rows: Any, *, probabilities: bool = True) -> dict[str, Any]:
        distances = np.asarray(model.transform(rows), dtype=np.float64)
        labels = np.asarray(model.predict(rows), dtype=np.int64)
        own = np.take_along_axis(distances, labels[:, None], axis=1)[:, 0]
        return cluster_columns(np.where(_has_terms(rows), labels, -1), own)


class _Places:
    """The place of each row along the components; none of an empty row."""

    def columns(self, model: Any, *, probabilities: bool = True) -> list[OutputColumn]:
        nowhere = place_columns(np.empty((0, len(model.components_))))
        return [OutputColumn(name, pl.Float64()) for name in nowhere]

    def values(self, model: Any, rows: Any, *, probabilities: bool = True) -> dict[str, Any]:
        places = model.transform(rows)
        return place_columns(np.where(_has_terms(rows)[:, None], places, np.nan))


def _has_terms(rows: Any) -> Any:
    """Return which rows are not all zeros; every dense row counts as filled."""
    if not is_sparse(rows):
        return np.ones(len(rows), dtype=bool)
    return np.asarray(abs(rows).sum(axis=1)).ravel() > 0


_KNOWN: dict[str, Outputs] = {
    Predicts.LABEL: _Labels(),
    Predicts.LABELS: _SeveralLabels(),
    Predicts.ORDERED_LABEL: _Labels(),
    Predicts.NUMBER: _Numbers(),
    Predicts.TOPIC: _Topics(),
    Predicts.CLUSTER: _Groups(),
    Predicts.PLACE: _Places(),
    "groups": _Groups(),
    "nearest": _Nearest(),
}
