"""What classes and functions are called outside: without the private modules that hold them."""

from __future__ import annotations

from typing import Any

__all__ = ["described", "is_estimator", "public_module", "public_name"]


def public_module(name: str) -> str:
    """Return the part of a module's name before the first private part.

    Parameters
    ----------
    name : str
        Of a module.

    Examples
    --------
    >>> public_module("quire.naive_bayes._multinomial")
    'quire.naive_bayes'
    """
    parts = name.split(".")
    private = (i for i, part in enumerate(parts) if part.startswith("_"))
    return ".".join(parts[: next(private, len(parts))])


def public_name(cls: type) -> str:
    """Return the name by which a class is imported: it stays when code moves within a package.

    Parameters
    ----------
    cls : type
        Any class.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> public_name(SVC)
    'sklearn.svm.SVC'
    """
    return f"{public_module(cls.__module__)}.{cls.__qualname__}"


def is_estimator(cls: type) -> bool:
    """Return whether a class derives from scikit-learn's BaseEstimator, without importing that.

    Parameters
    ----------
    cls : type
        Any class.
    """
    return any(public_name(base) == "sklearn.base.BaseEstimator" for base in cls.__mro__)


def described(value: Any) -> str:
    """Return the full name of a class or a function, for messages and files.

    Parameters
    ----------
    value : class or callable
        Anything with a name.
    """
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", repr(value))
    return f"{getattr(value, '__module__', None) or 'builtins'}.{name}"
