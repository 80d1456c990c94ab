"""The card of a fitted model: its classes and settings, and what is to be read in it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from quire._shared.pipelines import column_names
from quire._shared.term_weights import UsedTerm
from quire._shared.terminal import visible
from quire._shared.topic_models import relevant_words, topic_sizes
from quire.inspection._origins import origins_of
from quire.inspection._top_evidence import top_evidence
from quire.kinds import (
    AxisCard,
    ClusterCard,
    Inside,
    ModelCard,
    Spread,
    TopicCard,
    TreesCard,
    classes_of,
    kind_of,
    kind_of_class,
    last_step,
    look_inside,
    n_columns_of,
    steps_of,
)

__all__ = ["model_card"]

_MOST_LEAVES = 16  # of a tree that is written out


def model_card(
    model: Any, n_terms: int = 10, *, metadata: Mapping[str, Any] | None = None
) -> ModelCard:
    """Return what a fitted model is: classes, settings, and its terms, topics, clusters or trees.

    Parameters
    ----------
    model : estimator
        A model, a pipeline or a search.
    n_terms : int, default=10
        How many for each class, topic, cluster or end of an axis.
    metadata : mapping, default=None
        What its file says beside it (:func:`quire.persistence.read_info`): names and shares of
        topics, sizes of clusters.

    Returns
    -------
    ModelCard
        The parts that such a model has.

    Examples
    --------
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.inspection import model_card
    >>> from quire.naive_bayes import MultinomialNB
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(CountVectorizer(), MultinomialNB(alpha=0.5))
    >>> card = model_card(model.fit(["good film", "bad film"], ["pos", "neg"]), 1)
    >>> str(card.predicts), card.classes, card.n_features, card.settings
    ('label', ('neg', 'pos'), 3, {'alpha': 0.5})
    >>> {label: terms[0].term for label, terms in card.top_terms.items()}
    {'neg': 'bad', 'pos': 'good'}
    """
    kind = kind_of(model)
    if callable(kind.card):
        made: ModelCard = kind.card(model, n_terms, metadata or {})
        return made
    classes = classes_of(model)
    parts = {} if kind.card is None else _PARTS[kind.card](model, n_terms, metadata or {})
    return ModelCard(
        predicts=kind.predicts,
        classes=() if classes is None else tuple(np.asarray(classes).tolist()),
        n_features=n_columns_of(model),
        settings=_settings(last_step(model)),
        **parts,
    )


def _settings(model: Any) -> dict[str, Any]:
    """Return the parameters of a model that differ from their defaults."""
    parameters = inspect.signature(type(model)).parameters
    given = {name: vars(model).get(name) for name in parameters if name in vars(model)}
    return {
        name: value
        for name, value in given.items()
        if value is not parameters[name].default and repr(value) != repr(parameters[name].default)
    }


def _terms(model: Any, n_terms: int, metadata: Mapping[str, Any]) -> dict[str, Any]:
    kept = _kept_terms(model, n_terms, metadata)
    if kept is not None:
        return {"top_terms": kept}
    try:
        return {"top_terms": top_evidence(model, n_terms)}
    except TypeError:  # terms have no weights in such a model
        return {}


def _kept_terms(
    model: Any, n_terms: int, metadata: Mapping[str, Any]
) -> dict[Any, list[UsedTerm]] | None:
    """Return the terms that were written down with a model, if there are as many as are wanted."""
    rows = metadata.get("terms")
    if not rows or n_terms > max(len(terms) for _, terms in rows):
        return None
    classes = classes_of(model)
    known = {} if classes is None else {str(one): one for one in np.asarray(classes).tolist()}
    try:
        return {
            known.get(label, label): [UsedTerm(*term) for term in terms[:n_terms]]
            for label, terms in rows
        }
    except (TypeError, ValueError):  # metadata of someone else's
        return None


def _topics(model: Any, n_terms: int, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the topics, the largest first; shares and names are known if a command made it."""
    steps, topics = steps_of(model)
    names = _names(steps)
    shares, called = metadata.get("shares", {}), metadata.get("names", {})
    listed = []
    phi = topics.phi_
    known = np.array(range(phi.shape[1]) if names is None else list(names), dtype=object)
    for number, words in enumerate(relevant_words(phi, topic_sizes(topics, phi), known, n_terms)):
        key = str(number)
        listed.append(
            TopicCard(number, called.get(key, ""), shares.get(key), [str(word) for word in words])
        )
    return {"topics": sorted(listed, key=lambda topic: -(topic.share or 0.0))}


def _clusters(model: Any, n_terms: int, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the clusters, the largest first; sizes are known if a command made it."""
    steps, clusters = steps_of(model)
    sizes = metadata.get("sizes", {})
    total = sum(sizes.values())
    listed = []
    for number, terms in clusters.top_terms(n_terms, feature_names=_names(steps)).items():
        n_documents = sizes.get(str(number))
        share = n_documents / total if total and n_documents is not None else None
        words = [str(one.term) for one in terms if one.weight > 0]
        listed.append(ClusterCard(number, n_documents, share, words))
    return {"clusters": sorted(listed, key=lambda cluster: -(cluster.documents or 0))}


def _axes(model: Any, n_terms: int, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the axes with the terms at their ends; none where terms have no names."""
    from quire.decomposition import map_axes

    steps, components = steps_of(model)
    names = _names(steps)
    if names is None:
        return {}
    axes = map_axes(components, names, n_terms)
    return {"axes": [AxisCard(axis.share, axis.low, axis.high) for axis in axes]}


def _names(steps: list[Any]) -> list[str] | None:
    """Return the terms of the columns that the last of some steps makes."""
    if len(steps) == 1:
        return column_names(steps[0])
    from sklearn.pipeline import make_pipeline

    return column_names(make_pipeline(*steps)) if steps else None


def _trees(model: Any, n_terms: int, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return number and sizes of trees, the most important terms, and a small tree in words."""
    try:
        inside = look_inside(model)
    except (TypeError, ValueError):  # an average of several, or a search without a model
        return {}
    return {**_terms(model, n_terms, metadata), "trees": _tree_sizes(inside)}


def _tree_sizes(inside: Inside) -> TreesCard | None:
    deciding = inside.deciding
    if kind_of_class(type(deciding)).evidence != "trees":
        return None
    from quire.inspection._tree_evidence import is_of_trees

    if not is_of_trees(deciding):
        return None
    trees = getattr(deciding, "estimators_", [deciding])
    leaves, depth = (
        np.array([getattr(tree, name)() for tree in trees])
        for name in ("get_n_leaves", "get_depth")
    )
    is_single = trees[0] is deciding and getattr(deciding, "n_outputs_", 1) == 1
    is_small = is_single and leaves[0] <= _MOST_LEAVES
    text = _tree_text(deciding, inside.transformers) if is_small else ""
    return TreesCard(len(trees), _spread(leaves), _spread(depth), text)


def _spread(values: Any) -> Spread:
    return Spread(int(values.min()), float(values.mean()), int(values.max()))


def _tree_text(tree: Any, transformers: list[Any]) -> str:
    from quire.tree import export_text

    names = origins_of(transformers, tree, tree.n_features_in_).names
    shown = None if names is None else [visible(str(name)).replace("\n", " ") for name in names]
    depth = max(tree.get_depth(), 1)
    text: str = export_text(tree, feature_names=shown, decimals=3, max_depth=depth)
    return text.rstrip("\n")


_PARTS = {  # the names of `Kind.card`
    "terms": _terms,
    "topics": _topics,
    "clusters": _clusters,
    "axes": _axes,
    "trees": _trees,
}
