"""What can go wrong, as classes that a program can tell apart.

All of quire's own errors have one root, and each is also the built-in type that people who know
scikit-learn catch::

    QuireError
    ├── CorpusError (ValueError)              a source that cannot be read as documents
    ├── MissingExtraError (ImportError)       an optional package is not installed; says which
    ├── ModelFileError (ValueError)           not a whole model file that this version can read
    ├── NotSeparableError (ValueError)        a hard margin was asked for, and there is none
    ├── UnsavableModelError (ValueError)      a model with a part that a file cannot hold
    └── UnscorableModelError (ValueError)     a model that needs scikit-learn to be asked
    ModelVersionWarning (UserWarning)         made with another minor version of scikit-learn

Wrong parameters, wrong shapes and models that are not fitted raise scikit-learn's own errors
(``InvalidParameterError``, ``ValueError``, ``NotFittedError``), and fits that stop early its
``ConvergenceWarning``, so that programs need not tell the two libraries apart. Ctrl-C is always
``KeyboardInterrupt``.
"""

from __future__ import annotations

__all__ = [
    "CorpusError",
    "MissingExtraError",
    "ModelFileError",
    "ModelVersionWarning",
    "NotSeparableError",
    "QuireError",
    "UnsavableModelError",
    "UnscorableModelError",
]


class QuireError(Exception):
    """The root of quire's own errors.

    Examples
    --------
    >>> import quire
    >>> from quire.exceptions import QuireError
    >>> try:
    ...     quire.load("README.md")
    ... except QuireError as error:
    ...     print(type(error).__name__)
    ModelFileError
    """


class CorpusError(QuireError, ValueError):
    """A source that cannot be read as documents: its form, its encoding or a column is not right.

    The message says where, and which option helps.
    """


class MissingExtraError(QuireError, ImportError):
    """An optional package is needed and not installed; the message has the command for it."""


class ModelFileError(QuireError, ValueError):
    """A file that is not a whole model file which this version of quire can read.

    Examples
    --------
    >>> from quire.exceptions import ModelFileError
    >>> issubclass(ModelFileError, ValueError)
    True
    """


class NotSeparableError(QuireError, ValueError):
    """A margin without slack (``C=inf``) was asked for, and there is none."""


class UnsavableModelError(QuireError, ValueError):
    """A model with a part that a model file cannot hold, such as a function of your own.

    The message says which attribute it is and what to do.

    Examples
    --------
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> import quire
    >>> quire.save(CountVectorizer(tokenizer=lambda text: text.split()), "model.quire")
    Traceback (most recent call last):
    ...
    quire.exceptions.UnsavableModelError: model.tokenizer is the function ...
    """


class UnscorableModelError(QuireError, ValueError):
    """A saved model that :mod:`quire.scoring` cannot score from its file; :func:`quire.load` may.

    Examples
    --------
    >>> from quire.exceptions import UnscorableModelError
    >>> issubclass(UnscorableModelError, ValueError)
    True
    """


class ModelVersionWarning(UserWarning):
    """A model with parts of scikit-learn, made with another minor version than the installed one.

    Examples
    --------
    >>> from quire.exceptions import ModelVersionWarning
    >>> issubclass(ModelVersionWarning, UserWarning)
    True
    """
