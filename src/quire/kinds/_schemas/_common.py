"""What the tables of many classes share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quire.kinds._language import Mismatch, Spec, class_of, has_object, state_of
from quire.kinds._schema import Rule, Schema

__all__ = ["COLUMNS", "n_terms", "of_columns", "rows_of_classes", "same_width", "width_of"]

# K classes, P columns, N training rows, T targets, R rows of coefficients, D components.
COLUMNS: dict[str, Spec] = {"n_features_in_": "int = P", "feature_names_in_?": "str[P]"}


def of_columns(
    fitted: Mapping[str, Spec] | None = None, *rules: Rule, **parameters: Spec
) -> Schema:
    """Return the schema of an estimator that was fitted to columns of numbers.

    Parameters
    ----------
    fitted : mapping
        Its other attributes.
    *rules : callables
        What holds between them.
    **parameters : specs
        Parameters that the class does not look at closely enough.
    """
    return Schema({**COLUMNS, **(fitted or {})}, rules, parameters)


def rows_of_classes(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """There is one row of coefficients for each class, and one for two classes."""
    if "K" in sizes and "R" in sizes and sizes["R"] != (1 if sizes["K"] == 2 else sizes["K"]):
        raise Mismatch(f"{sizes['R']} rows of coefficients do not fit {sizes['K']} classes")


def width_of(vectorizer: Any) -> int | None:
    """Return how many columns a vectorizer makes, if that can be told without asking it."""
    state = state_of(vectorizer)
    if has_object(vectorizer, "text.HashingVectorizer"):
        n_features: int = state.get("n_features", 1 << 20)
        return n_features
    return n_terms(state) if has_object(vectorizer, "text.CountVectorizer") else None


def n_terms(state: Mapping[str, Any]) -> int | None:
    """Return how many terms a vectorizer with these attributes knows."""
    if state.get("vocabulary_") is not None:
        return len(state["vocabulary_"])
    if state.get("_vocabulary") is None:
        return None
    known = state_of(state["_vocabulary"])
    if known["mapping"] is not None:
        return len(known["mapping"])
    return len(state_of(known["terms"])["document_frequency"])


def same_width(attribute: str, size: str = "P") -> Rule:
    """Return the rule that a vectorizer makes as many columns as the model knows.

    Parameters
    ----------
    attribute : str
        Where the vectorizer is.
    size : str
        What the table calls the number of columns.
    """

    def rule(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        vectorizer = state.get(attribute)
        width = None if vectorizer is None else width_of(vectorizer)
        if width is not None and size in sizes and width != sizes[size]:
            raise Mismatch(
                f"{attribute} is a {class_of(vectorizer).__name__} of {width} columns, and there "
                f"are {sizes[size]}"
            )

    return rule
