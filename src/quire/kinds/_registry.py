"""The registry: facts about classes, and the kind of a model put together from them.

Classes are known by their public names, so that nothing has to be imported to know about them. A
model has the facts of its class and of the classes that it derives from; where two state the same
fact, the nearer one counts.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from quire._shared.class_names import public_name
from quire.kinds._kind import Kind
from quire.kinds._known import KNOWN

__all__ = ["kind_of_class", "register"]

_FACTS = frozenset(fact.name for fact in fields(Kind))
_BY_NAME: dict[str, dict[str, Any]] = {name: dict(facts) for name, facts in KNOWN.items()}
_BY_CLASS: dict[type, dict[str, Any]] = {}
_KINDS: dict[type, Kind] = {}  # put together already


def register(model_class: type | str, **facts: Any) -> None:
    """State facts about a class of models, for everything that asks what a model is.

    Parameters
    ----------
    model_class : type or str
        The class, or the name by which it is imported, so that it need not be imported yet. Its
        subclasses are meant too, where they state nothing else.
    **facts
        Any of the attributes of :class:`Kind`. What is not stated stays as it was.

    See Also
    --------
    quire.inspection.register_evidence : The same for ``evidence`` alone.

    Examples
    --------
    A model of one's own that finds the language of a text, and says so in a column ``language``:

    >>> import numpy as np
    >>> import polars as pl
    >>> from quire.io import read_corpus
    >>> from quire.kinds import OutputColumn, Predicts, register
    >>> from quire.prediction import predict_table
    >>> class Languages:
    ...     def guess(self, texts):
    ...         return np.array(["de" if "ß" in text else "en" for text in texts])
    >>> class LanguageColumn:
    ...     def columns(self, model, *, probabilities=True):
    ...         return [OutputColumn("language", pl.String())]
    ...     def values(self, model, rows, *, probabilities=True):
    ...         return {"language": model.guess(rows)}
    >>> register(Languages, predicts=Predicts.LABEL, reads="texts", outputs=LanguageColumn())
    >>> corpus = read_corpus(pl.DataFrame({"text": ["Straße", "street"]}))
    >>> predict_table(Languages(), corpus).rows()
    [('Straße', 'de'), ('street', 'en')]
    """
    if not isinstance(model_class, type | str):
        raise TypeError(
            f"register expects a class of models, got {model_class!r}. Pass the class, not a "
            "fitted model."
        )
    unknown = sorted(facts.keys() - _FACTS)
    if unknown:
        raise TypeError(
            f"A kind of model has no {unknown[0]!r}; it has: {', '.join(sorted(_FACTS))}."
        )
    stated: dict[Any, dict[str, Any]] = _BY_NAME if isinstance(model_class, str) else _BY_CLASS
    stated[model_class] = stated.get(model_class, {}) | facts
    _KINDS.clear()


def kind_of_class(model_class: type) -> Kind:
    """Return what is known about the models of a class.

    Parameters
    ----------
    model_class : type
        Any class.

    Examples
    --------
    >>> from quire.kinds import kind_of_class
    >>> from quire.naive_bayes import MultinomialNB
    >>> kind = kind_of_class(MultinomialNB)
    >>> kind.predicts, kind.features, kind.evidence
    (<Predicts.LABEL: 'label'>, 'counts', 'own')
    """
    if model_class not in _KINDS:
        known: dict[str, Any] = {}
        for base in reversed(model_class.__mro__):
            if "evidence" in vars(base):  # the protocol GivesEvidence
                known["evidence"] = "own"
            known |= _BY_NAME.get(public_name(base), {}) | _BY_CLASS.get(base, {})
        _KINDS[model_class] = Kind(**known)
    return _KINDS[model_class]
