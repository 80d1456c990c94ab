"""What can go wrong with a model file, as classes that a program can tell apart."""

from __future__ import annotations

__all__ = ["ModelFileError", "ModelVersionWarning", "UnsavableModelError", "one_line"]


def one_line(error: Exception) -> str:
    """Return the kind and the message of an error without line breaks.

    Parameters
    ----------
    error : Exception
        Any.

    Returns
    -------
    str
        For the message of another error.
    """
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


class ModelFileError(ValueError):
    """A file that is not a whole model file which this version of quire can read.

    Examples
    --------
    >>> from quire.persistence import ModelFileError
    >>> issubclass(ModelFileError, ValueError)
    True
    """


class UnsavableModelError(ValueError):
    """A model with a part that a model file cannot hold, such as a function of your own.

    The message says which attribute it is and what to do.

    Examples
    --------
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> import quire
    >>> quire.save(CountVectorizer(tokenizer=lambda text: text.split()), "model.quire")
    Traceback (most recent call last):
    ...
    quire.persistence...UnsavableModelError: model.tokenizer is the function ...
    """


class ModelVersionWarning(UserWarning):
    """A model with parts of scikit-learn, made with another minor version than the installed one.

    Examples
    --------
    >>> from quire.persistence import ModelVersionWarning
    >>> issubclass(ModelVersionWarning, UserWarning)
    True
    """
