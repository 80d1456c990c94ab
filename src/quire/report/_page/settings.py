"""Settings in words: what was set, as a person would say it, and the parameter that says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quire._shared.how_many import how_many
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.numbers import duration, number
from quire._shared.page.tables import boxed_table, cell, column_head
from quire._shared.sklearn import english_stop_words

__all__ = ["chosen_table", "in_words", "settings_table"]

_FEW = 12  # values that are listed where they stand; longer lists are folded
_NAMES = {
    "alpha": "Smoothing or penalty",
    "analyzer": "Terms are",
    "C": "Inverse of the penalty",
    "categories": "Columns of categories",
    "class": "Class",
    "class_weight": "Weights of classes",
    "components": "Components",
    "features": "Features",
    "folds": "Folds",
    "lowercase": "In lower case",
    "max_df": "A term is in at most",
    "max_features": "Most frequent terms",
    "max_iter": "Iterations at most",
    "metric": "Distance",
    "min_df": "A term is in at least",
    "model": "Model",
    "n_clusters": "Clusters",
    "n_components": "Components",
    "n_init": "Starts",
    "neighbors": "Neighbours",
    "ngram_range": "Length of a term",
    "numbers": "Columns of numbers",
    "of": "Average of",
    "random_state": "Seed",
    "seconds": "Time",
    "stemmer": "Stemming",
    "stop_words": "Stop words",
    "sublinear_tf": "Logarithms of counts",
    "texts": "Columns of texts",
    "token_pattern": "A word is",
    "tune": "Settings are chosen in each fold",
    "vectorizer": "Vectorizer",
}
_FEATURES = {
    "words": "words",
    "tokens": "words and punctuation",
    "tokens-2": "words and punctuation, one and two in a row",
    "tokens-3": "words and punctuation, up to three in a row",
    "characters": "three to five characters in a row, inside words",
}


def in_words(name: str, value: Any, among: Mapping[str, Any] | None = None) -> str:
    """Return the value of a setting in words.

    Parameters
    ----------
    name : str
        The parameter.
    value : object
        Ready for JSON.
    among : mapping, default=None
        The other parameters of the same object.

    Examples
    --------
    >>> in_words("ngram_range", [1, 2]), in_words("min_df", 2), in_words("max_df", 0.5)
    ('words 1 to 2', '2 documents', '50% of the documents')
    >>> in_words("stop_words", "english"), in_words("tune", True), in_words("C", 0.3)
    ('English stop words (318)', 'yes', '0.3')
    """
    say = _VALUES.get(name)
    if say is not None:
        said = say(value, among or {})
        if said is not None:
            return said
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:d}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {in_words(str(key), one)}" for key, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(in_words("", one) for one in value)
    return str(value)


def _length(value: Any, among: Mapping[str, Any]) -> str | None:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        return None
    kind = "characters" if str(among.get("analyzer", "")).startswith("char") else "words"
    low, high = value
    return f"{kind} {low} to {high}" if low != high else how_many(low, kind[:-1])


def _documents(value: Any, among: Mapping[str, Any]) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int):
        return how_many(value, "document")
    return f"{100 * value:.3g}% of the documents"


def _stop_words(value: Any, among: Mapping[str, Any]) -> str | None:
    if isinstance(value, str):
        words = f" ({len(english_stop_words())})" if value == "english" else ""
        return f"{value.capitalize()} stop words{words}" if value.isalpha() else None
    is_list = isinstance(value, Sequence) and all(isinstance(one, str) for one in value)
    if is_list and frozenset(value) == english_stop_words():
        return f"English stop words ({len(value)})"
    return None


def _features(value: Any, among: Mapping[str, Any]) -> str | None:
    return _FEATURES.get(value) if isinstance(value, str) else None


def _seconds(value: Any, among: Mapping[str, Any]) -> str | None:
    return duration(value) if isinstance(value, float) else None


_VALUES: dict[str, Callable[[Any, Mapping[str, Any]], str | None]] = {
    "features": _features,
    "max_df": _documents,
    "min_df": _documents,
    "ngram_range": _length,
    "seconds": _seconds,
    "stop_words": _stop_words,
}


def settings_table(settings: Mapping[str, Any]) -> Html:
    """Return a table of settings, those of objects below their name; empty ones are left out.

    Parameters
    ----------
    settings : mapping
        From names of parameters to values that are ready for JSON.
    """
    rows = [row for name, value in settings.items() for row in _rows(str(name), value)]
    if not rows:
        return NOTHING
    heads = [column_head(head) for head in ("Setting", "Value", "Parameter")]
    return boxed_table(heads, rows, "Settings", kind="settings")


def _rows(
    name: str, value: Any, depth: int = 0, among: Mapping[str, Any] | None = None
) -> list[Html]:
    if value is None or value in ("", [], {}):
        return []
    if not isinstance(value, Mapping):
        return [_row(name, _value(name, value, among), depth)]
    own = dict(value)
    head = own.pop("class", None)
    inner = [row for key, one in own.items() for row in _rows(str(key), one, depth + 1, own)]
    if head is None and not inner:
        return []
    return [_row(name, NOTHING if head is None else html("{}", head), depth), *inner]


def _row(name: str, value: Html, depth: int) -> Html:
    known = _NAMES.get(name)
    shown = known if known is not None else name.replace("_", " ")
    return html(
        '<tr><th scope="row" dir="auto" style="--depth:{:d}">{}</th><td dir="auto">{}</td>'
        "<td><code>{}</code></td></tr>",
        depth,
        shown,
        value,
        name if known is not None else "",
    )


def _value(name: str, value: Any, among: Mapping[str, Any] | None) -> Html:
    """Return a value in words; a long list is folded."""
    say = _VALUES.get(name)
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if not is_list or len(value) <= _FEW or (say is not None and say(value, among or {})):
        return html("{}", in_words(name, value, among))
    noun = "word" if name == "stop_words" else "value"
    listed = join([html("{}", in_words("", one)) for one in value], html(", "))
    return html("<details><summary>{}</summary>{}</details>", how_many(len(value), noun), listed)


def chosen_table(chosen: Mapping[str, Sequence[Mapping[str, Any]]]) -> Html:
    """Return what was chosen on the folds, one row for each choice of a model.

    Parameters
    ----------
    chosen : mapping
        For each model the settings of each fold.
    """
    rows = []
    for title, folds in chosen.items():
        places: dict[str, list[int]] = {}
        for fold, one in enumerate(folds, start=1):
            if one:
                said = "; ".join(
                    f"{_called(name)} {in_words(name, one[name], one)}" for name in one
                )
                places.setdefault(said, []).append(fold)
        for said, own in places.items():
            where = "all" if len(own) == len(folds) else ", ".join(map(number, own))
            cells = html('<td dir="auto">{}</td><td>{}</td>', said, where)
            rows.append(html('<tr><th scope="row" dir="auto">{}</th>{}</tr>', cell(title), cells))
    if not rows:
        return NOTHING
    heads = [column_head(head) for head in ("Model", "Chosen", "Folds")]
    return boxed_table(
        heads, rows, "Settings that were chosen on each fold", is_tall=len(rows) > 25
    )


def _called(name: str) -> str:
    return {"features": "features:", "of": "average of"}.get(name, name.rpartition("__")[2])
