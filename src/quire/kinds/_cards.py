"""The card of a model as data: what is known about it beside its file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from quire._shared.notebooks import ShownInNotebooks, named_cells, words_of
from quire._shared.term_weights import TermWeight
from quire.kinds._kind import Predicts

__all__ = ["AxisCard", "ClusterCard", "ModelCard", "Spread", "TopicCard", "TreesCard"]


@dataclass(frozen=True)
class TopicCard:
    """A topic.

    Attributes
    ----------
    topic : int
        Its number.
    name : str
        Its name, where it has one.
    share : float or None
        Its share of the training documents, where that is known.
    words : list of str
        Its words, the most relevant first, as in :func:`quire.topics.top_words` with
        ``by="relevance"``.
    """

    topic: int
    name: str
    share: float | None
    words: list[str]


@dataclass(frozen=True)
class ClusterCard:
    """A cluster.

    Attributes
    ----------
    cluster : int
        Its number.
    documents : int or None
        Training documents in it, where that is known.
    share : float or None
        Their share of all.
    terms : list of str
        The terms that mark it, the heaviest first.
    """

    cluster: int
    documents: int | None
    share: float | None
    terms: list[str]


@dataclass(frozen=True)
class AxisCard:
    """An axis of a map.

    Attributes
    ----------
    share : float
        Its share of the variance.
    low, high : list of TermWeight
        The terms at its ends.
    """

    share: float
    low: list[TermWeight]
    high: list[TermWeight]


@dataclass(frozen=True)
class Spread:
    """The least, the mean and the most of several numbers."""

    least: int
    mean: float
    most: int


@dataclass(frozen=True)
class TreesCard:
    """The trees of a tree or a forest.

    Attributes
    ----------
    n_trees : int
        How many.
    leaves, depth : Spread
        Their sizes.
    text : str
        A single small tree in words; "" for others.
    """

    n_trees: int
    leaves: Spread
    depth: Spread
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class ModelCard(ShownInNotebooks):
    """What a fitted model is, from :func:`quire.inspection.model_card`.

    Attributes
    ----------
    predicts : Predicts
        What it says about a document.
    classes : tuple
        The classes that it tells apart; empty if it does not predict labels.
    n_features : int or None
        Columns of the matrix that the last step was fitted on.
    settings : dict from str to object
        Parameters of the last step that differ from their defaults.
    top_terms : dict from object to list of TermWeight
        The strongest terms by class, as from :func:`quire.inspection.top_evidence`.
    topics : list of TopicCard
        Of a topic model, the largest first.
    clusters : list of ClusterCard
        Of clusters, the largest first.
    axes : list of AxisCard
        Of a map.
    trees : TreesCard or None
        Of a tree or a forest.
    """

    predicts: Predicts
    classes: tuple[Any, ...] = ()
    n_features: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    top_terms: dict[Any, list[TermWeight]] = field(default_factory=dict)
    topics: list[TopicCard] = field(default_factory=list)
    clusters: list[ClusterCard] = field(default_factory=list)
    axes: list[AxisCard] = field(default_factory=list)
    trees: TreesCard | None = None

    def _notebook_cells(self) -> list[list[str]]:
        rows: dict[str, object] = {
            "predicts": str(self.predicts),
            "classes": ", ".join(map(str, self.classes)),
            "features": self.n_features,
            "settings": ", ".join(f"{name} = {value!r}" for name, value in self.settings.items()),
        }
        rows |= {f"terms of {label}": words_of(terms) for label, terms in self.top_terms.items()}
        rows |= {"topics": len(self.topics), "clusters": len(self.clusters), "axes": len(self.axes)}
        if self.trees is not None:
            rows["trees"] = self.trees
        return named_cells({name: value for name, value in rows.items() if value})
