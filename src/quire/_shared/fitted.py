"""Questions about fitted models that scikit-learn answers, and that some models need it not for.

What :mod:`quire.scoring` makes of a model file does as the estimator of that name does and is none:
it was looked at when the file was read, and scikit-learn is not there.
"""

from __future__ import annotations

from typing import Any

from quire._shared.class_names import public_name

__all__ = ["FromFile", "check_is_fitted", "derives_from", "is_classifier", "is_regressor"]


class FromFile:
    """A fitted model, or a part of one, that does as its estimator does without scikit-learn."""


def check_is_fitted(model: Any) -> None:
    """Raise scikit-learn's error if a model is not fitted.

    Parameters
    ----------
    model : object
        An estimator.
    """
    if not isinstance(model, FromFile):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)


def derives_from(model: Any, *names: str) -> bool:
    """Return whether the class of a model, or one that it derives from, has one of these names.

    Parameters
    ----------
    model : object
        Anything.
    *names : str
        Public names of classes, which need not be imported.

    Examples
    --------
    >>> from quire.naive_bayes import MultinomialNB
    >>> derives_from(MultinomialNB(), "sklearn.base.ClassifierMixin")
    True
    """
    return any(public_name(base) in names for base in type(model).__mro__)


def is_classifier(model: Any) -> bool:
    """Return whether scikit-learn's tags call a model a classifier.

    Parameters
    ----------
    model : object
        Fitted or not.
    """
    if isinstance(model, FromFile):
        return derives_from(model, "sklearn.base.ClassifierMixin")
    from sklearn.base import is_classifier

    return bool(is_classifier(model))


def is_regressor(model: Any) -> bool:
    """Return whether scikit-learn's tags call a model a regression.

    Parameters
    ----------
    model : object
        Fitted or not.
    """
    if isinstance(model, FromFile):
        return derives_from(model, "sklearn.base.RegressorMixin")
    from sklearn.base import is_regressor

    return bool(is_regressor(model))
