"""Explanations of averages of models: each model by itself, and what all of them say together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.evidence import Evidence
from quire._shared.joined_evidence import JoinedColumns, join_columns, joined_evidence, row_of_zeros
from quire._shared.typing import Floats, Places
from quire.inspection._adapters import evidence_of, unexplained
from quire.inspection._origins import Origins, distinct_sources, origins_of
from quire.kinds import Inside, look_inside, members_of, n_columns_of

__all__ = ["averaged_evidence", "averaged_origins", "evidence_of_nothing"]


def averaged_evidence(model: Any, X: Any) -> Evidence:
    """Return the evidence of a weighted sum of the scores of models.

    Parameters
    ----------
    model : AveragedClassifier
        Fitted; its models are any that can be explained between classes.
    X : object
        What they take.
    """
    parts = _parts(model)
    found = []
    for _, inside in parts:
        rows = X
        for step in inside.transformers:
            rows = step.transform(rows)
        found.append(_between_classes(inside.deciding, rows))
    return joined_evidence(model.classes_, found, _weights(model), _columns(model, parts))


def evidence_of_nothing(model: Any) -> Evidence:
    """Return the evidence on one row of zeros for each of the models, with all of their columns.

    Parameters
    ----------
    model : AveragedClassifier
        Fitted.
    """
    parts = _parts(model)
    found = [
        _between_classes(inside.deciding, row_of_zeros(inside.deciding)) for _, inside in parts
    ]
    return joined_evidence(model.classes_, found, _weights(model), _columns(model, parts))


def averaged_origins(transformers: list[Any], model: Any, columns: JoinedColumns) -> Origins:
    """Follow the columns of an average from the vectorizers of its models.

    Parameters
    ----------
    transformers : list of transformers
        All steps before it.
    model : AveragedClassifier
        Fitted.
    columns : JoinedColumns
        Its columns, from its evidence.

    Returns
    -------
    Origins
        A term that several vectorizers know has several sources.
    """
    each = [
        origins_of(transformers + inside.transformers, inside.deciding, _width(inside))
        for _, inside in _parts(model)
    ]
    sources = distinct_sources([one.sources for one in each])
    number = {(id(one.vectorizer), one.field): i for i, one in enumerate(sources)}
    found: list[tuple[Places, Places]] = []
    for one, places in zip(each, columns.places, strict=True):
        # A source by its number among all; the last place is for columns without one.
        renamed = np.array([*(number[id(s.vectorizer), s.field] for s in one.sources), -1])
        source, column = np.full(columns.n_columns, -1), np.full(columns.n_columns, -1)
        if len(one.source) == len(places):  # the trail has not ended
            source[places] = renamed[one.source]
            column[places] = one.column
        found.append((source, column))
    first, *others = found
    is_missing = np.ones(columns.n_columns, dtype=bool)
    source, column = first[0].copy(), first[1].copy()
    for more in others:  # the first that has a column is what stands for it
        is_missing = source < 0
        source[is_missing], column[is_missing] = more[0][is_missing], more[1][is_missing]

    def naming() -> NDArray[Any] | None:
        if not transformers or any(one.names is None for one in each):
            return columns.names
        names = np.full(columns.n_columns, "", dtype=object)
        for one, places in zip(reversed(each), reversed(columns.places), strict=True):
            names[places] = one.names
        return names

    return Origins(sources, source, column, naming, found)


def _parts(model: Any) -> list[tuple[str, Inside]]:
    """Return the models with a weight above 0, taken apart."""
    members = zip(members_of(model), model.weights_, strict=True)
    return [(name, look_inside(member)) for (name, member), weight in members if weight > 0]


def _weights(model: Any) -> Floats:
    weights: Floats = model.weights_[model.weights_ > 0]
    return weights


def _between_classes(deciding: Any, rows: Any) -> Evidence:
    found = evidence_of(deciding, rows)
    if not isinstance(found, Evidence):  # by documents, by questions, at a threshold
        raise unexplained(deciding)
    return found


def _columns(model: Any, parts: list[tuple[str, Inside]]) -> JoinedColumns:
    members = [(name, inside.transformers, _width(inside)) for name, inside in parts]
    return join_columns(members, vars(model).get("feature_names_in_"))


def _width(inside: Inside) -> int:
    n_columns = n_columns_of(inside.deciding)
    if n_columns is None:
        raise unexplained(inside.deciding)
    return n_columns
