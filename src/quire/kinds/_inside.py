"""What is inside a fitted model: the steps before the decision, and the estimator that decides.

Pipelines and searches leave the answer to another model. A calibrated classifier with one
classifier inside is explained by that classifier, whose score it maps to a probability; one that
averages several has no parts that add up. So is one with a threshold of its own. Which class does
which is a fact of its kind; here is the only place where models are taken apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from quire.kinds._kind import Kind, Predicts
from quire.kinds._registry import kind_of_class

__all__ = [
    "Inside",
    "Takes",
    "classes_of",
    "first_step",
    "kind_of",
    "last_step",
    "look_inside",
    "members_of",
    "n_columns_of",
    "steps_of",
    "takes_of",
]

_BY_TYPE = {  # of scikit-learn's tags
    "classifier": Predicts.LABEL,
    "regressor": Predicts.NUMBER,
    "clusterer": Predicts.CLUSTER,
}


@dataclass(frozen=True)
class Inside:
    """A model taken apart.

    Attributes
    ----------
    before : list of transformers
        From documents to what `answering` takes.
    answering : estimator
        Has the model's ``predict`` and ``predict_proba``.
    within : list of transformers
        From what `answering` takes to what `deciding` takes; empty unless it is a wrapper.
    deciding : estimator
        Its score is the sum that is explained.
    notes : list of str
        What a reader has to know about the difference of the two.
    """

    before: list[Any]
    answering: Any
    within: list[Any]
    deciding: Any
    notes: list[str] = field(default_factory=list)

    @property
    def transformers(self) -> list[Any]:
        """All steps from documents to what `deciding` takes."""
        return self.before + self.within


@dataclass(frozen=True)
class Takes:
    """What a fitted model is asked about.

    Attributes
    ----------
    what : {"texts", "table", "matrix", ""}
        Texts; columns of a table by their names; rows of numbers; "" if that is not known.
    columns : tuple of str
        The columns of a table.
    """

    what: str
    columns: tuple[str, ...] = ()


def look_inside(model: Any, *, takes_matrix: bool = False) -> Inside:
    """Take a fitted model apart.

    Parameters
    ----------
    model : estimator
        A pipeline, a search, a calibrated classifier, or an estimator by itself.
    takes_matrix : bool, default=False
        Whether steps before it make its matrix. A model of ``fit_text`` has a vectorizer of its
        own, which is not needed then.

    Returns
    -------
    Inside
        Its steps.

    Raises
    ------
    ValueError
        For a search that kept no model.
    TypeError
        For a calibrated classifier that averages several.

    Examples
    --------
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.kinds import look_inside
    >>> from quire.naive_bayes import MultinomialNB
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(["a cat", "a dog"], [0, 1])
    >>> inside = look_inside(model)
    >>> inside.before, inside.deciding
    ([CountVectorizer()], MultinomialNB())
    """
    kind = kind_of_class(type(model))
    passed_on = None if kind.passes_on is None else kind.passes_on(model)
    if passed_on is not None:
        steps, last = passed_on
        inner = look_inside(last, takes_matrix=takes_matrix or bool(steps))
        return replace(inner, before=steps + inner.before)
    if kind.decides_by is not None:
        deciding, note = kind.decides_by(model)
        inner = look_inside(deciding)
        return Inside([], model, inner.transformers, inner.deciding, [*inner.notes, note])
    vectorizer = None if takes_matrix else _own_vectorizer(model)
    return Inside([] if vectorizer is None else [vectorizer], model, [], model)


def last_step(model: Any) -> Any:
    """Return what answers: the end of a pipeline, also within a search that has been fitted.

    Parameters
    ----------
    model : estimator
        A model, a pipeline that ends with one, or a search over either; fitted or not.

    Examples
    --------
    >>> from quire.kinds import last_step
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> last_step(make_pipeline(CountVectorizer(), MultinomialNB()))
    MultinomialNB()
    """
    return steps_of(model)[1]


def first_step(model: Any) -> Any:
    """Return what sees documents first: the first step, of an average that of its first model.

    Parameters
    ----------
    model : estimator
        Fitted.
    """
    steps, last = steps_of(model)
    first = steps[0] if steps else last
    members = members_of(first)
    return first_step(members[0][1]) if members else first


def members_of(model: Any) -> list[tuple[str, Any]]:
    """Return the models whose scores another one adds up, with their names.

    Parameters
    ----------
    model : object
        Fitted or not.

    Returns
    -------
    list of (str, estimator)
        Empty for models that are no such sum, and for one that has not been fitted.
    """
    members = kind_of_class(type(model)).members
    return [] if members is None else members(model)


def steps_of(model: Any) -> tuple[list[Any], Any]:
    """Return the transformers before the model that answers, and that model.

    Parameters
    ----------
    model : estimator
        Fitted or not. A search that has not been fitted answers itself.

    Returns
    -------
    before : list of transformers
        The steps of a pipeline, or the vectorizer of a model that was fitted to texts.
    answering : estimator
        The end of the pipeline.
    """
    before: list[Any] = []
    while True:
        pass_on = kind_of_class(type(model)).passes_on
        try:
            passed_on = None if pass_on is None else pass_on(model)
        except ValueError:  # a search that kept no model
            passed_on = None
        if passed_on is None:
            break
        before, model = before + passed_on[0], passed_on[1]
    vectorizer = None if before else _own_vectorizer(model)
    return (before if vectorizer is None else [vectorizer]), model


def kind_of(model: Any) -> Kind:
    """Return what is known about a model: that of the end of a pipeline or a search.

    Parameters
    ----------
    model : object
        Fitted or not.

    Returns
    -------
    Kind
        What it predicts, what explains it, and so on. Of a class that nobody has said anything
        about, what scikit-learn's tags say.

    Examples
    --------
    >>> from quire.decomposition import PCA
    >>> from quire.feature_extraction.text import TfidfVectorizer
    >>> from quire.kinds import kind_of
    >>> from sklearn.pipeline import make_pipeline
    >>> str(kind_of(make_pipeline(TfidfVectorizer(), PCA(2))).predicts)
    'place'
    """
    answering = last_step(model)
    kind = kind_of_class(type(answering))
    if kind.predicts is Predicts.LABEL and _is_of_sets(answering):
        return replace(kind, predicts=Predicts.LABELS)
    if kind.predicts is Predicts.NOTHING:
        from sklearn.base import BaseEstimator
        from sklearn.utils import get_tags

        if isinstance(answering, BaseEstimator):
            said = _BY_TYPE.get(str(get_tags(answering).estimator_type))
            return kind if said is None else replace(kind, predicts=said)
    return kind


def _is_of_sets(model: Any) -> bool:
    """Return whether a classifier was fitted to several labels for each row, or none.

    Those of scikit-learn say so, or have a list of the classes of each column of a matrix.
    """
    if getattr(model, "multilabel_", False) is True:
        return True
    classes = getattr(model, "classes_", None)
    return isinstance(classes, list) and all(
        np.ndim(one) == 1 and set(np.asarray(one).tolist()) <= {0, 1} for one in classes
    )


def classes_of(model: Any) -> Any:
    """Return the classes that a fitted model tells apart; ``None`` if it does not predict labels.

    Of a model of several labels for each row, the labels.

    Parameters
    ----------
    model : object
        Fitted or not.
    """
    predicts = kind_of(model).predicts
    if predicts not in (Predicts.LABEL, Predicts.LABELS, Predicts.ORDERED_LABEL):
        return None
    classes = getattr(last_step(model), "classes_", None)  # not there before it is fitted
    return np.arange(len(classes)) if isinstance(classes, list) else classes


def n_columns_of(model: Any) -> int | None:
    """Return the number of columns of the matrix that a model was fitted on, or that it makes.

    Parameters
    ----------
    model : object
        Fitted or not; a pipeline is asked at its end.

    Returns
    -------
    int or None
        ``None`` if it is not fitted; of a vectorizer the size of its vocabulary, of an average of
        models that have features of their own the number of all.
    """
    last = last_step(model)
    n_columns = getattr(last, "n_features_in_", None)  # not there before it is fitted
    if n_columns is None and (members := members_of(last)):
        each = [n_columns_of(member) for _, member in members]
        known = [n for n in each if n is not None]
        n_columns = sum(known) if len(known) == len(each) else None
    if n_columns is None and kind_of_class(type(last)).reads == "texts":
        # Quire's vectorizers have the terms before they make a dictionary of them.
        is_made = getattr(last, "_is_stale", True)
        vocabulary: Any = None if is_made else getattr(last, "_vocabulary", None)
        if vocabulary is None:
            vocabulary = getattr(last, "vocabulary_", None)
        n_columns = None if vocabulary is None else len(vocabulary)
    return None if n_columns is None else int(n_columns)


def takes_of(model: Any) -> Takes:
    """Return what a fitted model is asked about: texts, a table or rows of numbers.

    Parameters
    ----------
    model : estimator
        Fitted.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.kinds import takes_of
    >>> from quire.naive_bayes import MixedNB, MultinomialNB
    >>> takes_of(MultinomialNB().fit_text(["a cat", "a dog"], [0, 1]))
    Takes(what='texts', columns=())
    >>> table = pl.DataFrame({"text": ["a cat", "a dog"], "age": [3.0, 5.0]})
    >>> takes_of(MixedNB().fit(table, [0, 1]))
    Takes(what='table', columns=('text', 'age'))
    """
    first = first_step(model)
    names = getattr(model, "feature_names_in_", getattr(first, "feature_names_in_", None))
    if names is not None:
        return Takes("table", tuple(map(str, names)))
    reads = kind_of_class(type(first)).reads
    return Takes("matrix" if reads == "table" else reads)


def _own_vectorizer(model: Any) -> Any:
    """Return the vectorizer of a model that was fitted to texts, which not all of a kind are."""
    attribute = kind_of_class(type(model)).vectorizer
    return getattr(model, attribute, None) if attribute else None
