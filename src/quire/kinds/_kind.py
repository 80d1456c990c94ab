"""What is known about a kind of model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Kind", "OutputColumn", "Outputs", "Predicts", "Saving"]


class Predicts(StrEnum):
    """What a fitted model says about a document."""

    LABEL = "label"
    LABELS = "labels"
    ORDERED_LABEL = "ordered label"
    NUMBER = "number"
    TOPIC = "topic"
    CLUSTER = "cluster"
    PLACE = "place"
    NEIGHBORS = "neighbors"
    TRANSLATION = "translation"
    NOTHING = "nothing"


@dataclass(frozen=True)
class OutputColumn:
    """A column that a prediction adds to a table.

    Attributes
    ----------
    name : str
        What it is called, if no column of the table is called so.
    dtype : polars.DataType
        What is in it.
    """

    name: str
    dtype: pl.DataType


class Outputs(Protocol):
    """The columns of a prediction, before and after it is made."""

    def columns(self, model: Any, *, probabilities: bool = True) -> list[OutputColumn]:
        """Return the columns that a fitted model adds, in order."""

    def values(self, model: Any, rows: Any, *, probabilities: bool = True) -> dict[str, Any]:
        """Return these columns for some rows: arrays or polars columns by their names."""


@dataclass(frozen=True, kw_only=True)
class Saving:
    """How the attributes of an object go into a model file.

    Attributes
    ----------
    left_out : tuple of str
        Attributes that are made again when they are needed, or mean nothing elsewhere.
    bulky : tuple of str
        Attributes that grow with the training documents and that no method needs.
    at_rest : callable or None
        From the attributes to those of a model that is doing nothing and belongs to no machine.
    plain : callable or None
        From an object to plain Python that is saved in its place.
    compacted : callable or None
        From an object to a copy without what only growing needs.
    fits : callable or None
        For a class that the caller of :func:`quire.load` vouches for: from the attributes in a file
        to whether they fit together.
    what : str
        What the attributes are those of, in errors.
    """

    left_out: tuple[str, ...] = ()
    bulky: tuple[str, ...] = ()
    at_rest: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
    plain: Callable[[Any], Any] | None = None
    compacted: Callable[[Any], Any] | None = None
    fits: Callable[[Mapping[str, Any]], bool] | None = None
    what: str = "a model"


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What is known about a model by its class, from :func:`kind_of`.

    Attributes
    ----------
    predicts : Predicts
        What it says about a document.
    reads : {"texts", "table", "matrix", ""}
        What it is fitted to and asked about: texts; columns of a table by their names; rows of
        numbers. "" where the class does not tell.
    vectorizer : str
        The attribute with a vectorizer of its own, for models that may be fitted to texts.
    outputs : Outputs, str or None
        The columns of its predictions; ``None`` for those that all models of `predicts` have.
    evidence : str, callable or None
        What explains its decisions: the name of an adapter of :mod:`quire.inspection`, "own" for
        its method ``evidence``, or a function from model and rows; see
        :func:`quire.inspection.register_evidence`.
    card : str, callable or None
        What :func:`quire.inspection.model_card` shows: "terms", "trees", "topics", "clusters" or
        "axes"; or a function from model, number of terms and metadata to a :class:`ModelCard`.
    features : str
        What a comparison gives it where nothing else is said: "tfidf" or "counts".
    starts_warm : bool
        Whether a fit may start from the last one and still has the same optimum.
    penalty : str
        The parameter that a path of penalties varies; "" for models without such a path.
    passes_on : callable or None
        For pipelines and searches, which leave the answer to another model: a function from the
        fitted model to the transformers before it and that one; ``None`` while there is none.
    members : callable or None
        For classifiers whose score is a weighted sum of those of others, each with features of its
        own: a function from the fitted model to these, with their names; an empty list while there
        are none.
    decides_by : callable or None
        For classifiers that map the score of another one: a function from the fitted model to that
        one and what a reader has to know about it.
    saving : Saving
        How its attributes are saved.
    """

    predicts: Predicts = Predicts.NOTHING
    reads: str = ""
    vectorizer: str = ""
    outputs: Outputs | str | None = None
    evidence: str | Callable[[Any, Any], Any] | None = None
    card: str | Callable[[Any, int, Mapping[str, Any]], Any] | None = None
    features: str = "tfidf"
    starts_warm: bool = False
    penalty: str = ""
    passes_on: Callable[[Any], tuple[list[Any], Any] | None] | None = None
    members: Callable[[Any], list[tuple[str, Any]]] | None = None
    decides_by: Callable[[Any], tuple[Any, str]] | None = None
    saving: Saving = field(default_factory=Saving)
