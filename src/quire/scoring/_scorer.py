"""From a model file to something that answers, without scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from quire._shared.fitted import FromFile, derives_from
from quire._shared.notebooks import ShownInNotebooks, named_cells
from quire._shared.typing import Floats
from quire.exceptions import UnscorableModelError
from quire.inspection import explain
from quire.kinds import kind_of_class, members_of, steps_of
from quire.persistence import ModelInfo, load_as, load_with_info
from quire.scoring._models import CLASSES

__all__ = ["Scorer", "load_model", "load_scorer"]


class Scorer(ShownInNotebooks):
    """A saved model of texts that answers without scikit-learn, from :func:`load_scorer`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    info : ModelInfo
        What its file says about it.
    model : object
        What was made of the file; :func:`quire.inspection.explain` and
        :func:`quire.prediction.predict_batches` take it as they take the estimator.

    Examples
    --------
    >>> import io
    >>> import quire
    >>> from quire.naive_bayes import MultinomialNB
    >>> from quire.scoring import load_scorer
    >>> model = MultinomialNB().fit_text(["good film", "bad film"], ["pos", "neg"])
    >>> quire.save(model.to_pipeline(), file := io.BytesIO())
    >>> _ = file.seek(0)
    >>> scorer = load_scorer(file)
    >>> scorer.predict(["a good one"]), scorer.predict_proba(["a good one"]).round(3)
    (array(['pos'], dtype='<U3'), array([[0.333, 0.667]]))
    >>> print(scorer.explain("a good one").table(1))
       +0.6931  pos rather than neg (probability 0.6667)
       +0.0000  before anything is read
       +0.6931  good
    1 of 2 words is not known to the model.
    """

    def __init__(self, model: Any, info: ModelInfo) -> None:
        self.model = model
        self.info = info
        self._steps, self._answering = steps_of(model)

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes."""
        classes: NDArray[Any] = self._answering.classes_
        return classes

    def __repr__(self) -> str:
        return f"<Scorer of {self.info.model}: {len(self.classes_)} classes>"

    def _notebook_cells(self) -> list[list[str]]:
        return named_cells(
            {"model": self.info.model, "classes": ", ".join(map(str, self.classes_))}
        )

    def predict(self, texts: Any) -> NDArray[Any]:
        """Return the class of each text.

        Parameters
        ----------
        texts : sequence of str, or column of a table
            The texts.

        Returns
        -------
        ndarray of shape (n_texts,)
            Classes, as the estimator predicts them.
        """
        return np.asarray(self._answering.predict(self._rows(texts)))

    def predict_proba(self, texts: Any) -> Floats:
        """Return the probability of each class, if the model has probabilities.

        Parameters
        ----------
        texts : sequence of str, or column of a table
            The texts.

        Returns
        -------
        ndarray of shape (n_texts, n_classes)
            In the order of ``classes_``.
        """
        found: Floats = self._method("predict_proba")(self._rows(texts))
        return found

    def decision_function(self, texts: Any) -> Floats:
        """Return the scores of each text, if the model has scores besides probabilities.

        Parameters
        ----------
        texts : sequence of str, or column of a table
            The texts.

        Returns
        -------
        ndarray of shape (n_texts,) or (n_texts, n_classes)
            As the estimator returns them.
        """
        found: Floats = self._method("decision_function")(self._rows(texts))
        return found

    def explain(
        self, text: Any, *, target: Any = None, against: Any = None, n_terms: int | None = None
    ) -> Any:
        """Say why the model decides so about a text, as :func:`quire.inspection.explain` does.

        Parameters
        ----------
        text, target, against, n_terms
            As there.

        Returns
        -------
        Explanation or Explanations
            As there.
        """
        return explain(self.model, text, target=target, against=against, n_terms=n_terms)

    def _method(self, name: str) -> Any:
        if not hasattr(self._answering, name):
            raise AttributeError(f"A {type(self._answering).__name__} has no {name}.")
        return getattr(self._answering, name)

    def _rows(self, texts: Any) -> Any:
        is_read_once = isinstance(texts, Iterable) and not hasattr(texts, "__len__")
        rows = list(texts) if is_read_once else texts
        for step in self._steps:
            rows = step.transform(rows)
        return rows


def load_scorer(path: str | os.PathLike[str] | BinaryIO) -> Scorer:
    """Load a model of texts that answers without scikit-learn, SciPy and pandas.

    Naive Bayes, linear classifiers (logistic regression, least squares, linear machines, with
    weights by log-count ratios or without), linear discriminants, averages of them, and calibrated
    models and thresholds around them; over any of quire's vectorizers and unions of them. Labels,
    scores, probabilities and evidence have the bits of the estimator.

    Parameters
    ----------
    path : str, path or binary file object
        The file. All of it is checked as by :func:`quire.load`.

    Returns
    -------
    Scorer
        Has ``predict``, ``predict_proba``, ``decision_function`` and ``explain``.

    Raises
    ------
    UnscorableModelError
        If the model is of another kind, or has settings that only scikit-learn's code knows: load
        it with :func:`quire.load`. A ``ValueError``.
    ModelFileError, OSError
        As :func:`quire.load`.

    See Also
    --------
    quire.load : Any model, as the estimator that was saved.
    """
    model, info = load_as(path, CLASSES)
    _check_texts(model)
    return Scorer(model, info)


def load_model(path: str | os.PathLike[str]) -> tuple[Any, ModelInfo]:
    """Load a model to be asked: without scikit-learn if that can be, and else as an estimator.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    model : object
        For :func:`quire.inspection.explain`, :func:`quire.inspection.model_card` and
        :func:`quire.prediction.predict_batches`.
    info : ModelInfo
        What the file says about it.
    """
    try:
        scorer = load_scorer(path)
    except UnscorableModelError:
        return load_with_info(path)
    return scorer.model, scorer.info


def _check_texts(model: Any) -> None:
    """Refuse what does not take texts, and parts that say that they cannot be asked."""
    if not isinstance(model, FromFile):
        raise UnscorableModelError("the file holds no model of texts")
    for part in _parts_of(model):
        config = vars(part).get("_sklearn_output_config")
        if config and set(config.values()) - {None, "default"}:
            raise UnscorableModelError("a part of the model returns tables of other libraries")
        if hasattr(part, "check_served"):
            part.check_served()
    answering = steps_of(model)[1]
    if not (_reads_texts(model) and derives_from(answering, "sklearn.base.ClassifierMixin")):
        raise UnscorableModelError(f"{type(answering).__name__} is no model of texts")


def _reads_texts(model: Any) -> bool:
    """Return whether all that is asked first are vectorizers."""
    first = [*steps_of(model)[0], model][0]
    state = vars(first)
    inner = [part for _, part in state.get("transformer_list", ()) if not isinstance(part, str)]
    inner += [member for _, member in members_of(first)]
    inner += [state[name] for name in ("estimator_",) if name in state]
    if first is not model:
        inner += [step for _, step in state.get("steps", ())][:1]
    if inner:
        return all(map(_reads_texts, inner))
    return kind_of_class(type(first)).reads == "texts"


def _parts_of(model: Any) -> Iterator[Any]:
    """Yield a fitted model and all that it asks."""
    yield model
    state = vars(model)
    steps = [*state.get("steps", ()), *state.get("transformer_list", ())]
    inner = [part for _, part in [*steps, *members_of(model)]]
    inner += [
        state[name] for name in ("estimator_", "vectorizer_", "_tfidf", "_bm25") if name in state
    ]
    for part in inner:
        if isinstance(part, FromFile):
            yield from _parts_of(part)
        elif part is not None and not isinstance(part, str):
            raise UnscorableModelError(f"a {type(part).__name__} is not scored from its file")
