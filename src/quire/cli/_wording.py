"""Messages of the library in the words of the command line: ``encoding=`` is ``--encoding``."""

from __future__ import annotations

import re

__all__ = ["in_options"]

_OPTIONS = {
    "columns": "columns",
    "cv": "folds",
    "doc_topic_prior": "alpha",
    "encoding": "encoding",
    "format": "format",
    "groups": "groups",
    "label": "label",
    "limits": "limits",
    "learning_method": "method",
    "max_df": "max-df",
    "metric": "metric",
    "min_df": "min-df",
    "missing": "missing",
    "models": "models",
    "n_clusters": "clusters",
    "n_components": "topics",
    "task": "task",
    "text": "text",
    "topic_word_prior": "beta",
}
_PARAMETER = re.compile(rf"(?<![\w.(])({'|'.join(_OPTIONS)})=('[^']*'|\"[^\"]*\"|\w+)?")
_NOTES = {"label=False reads none": "--label chooses another"}


def in_options(message: str) -> str:
    """Return a message with options in the place of parameters.

    Parameters
    ----------
    message : str
        An error or a note.

    Examples
    --------
    >>> in_options("Pass encoding= with a name, such as encoding='cp1252'; or use cv=3.")
    'Pass --encoding with a name, such as --encoding cp1252; or use --folds 3.'
    """
    for ours, theirs in _NOTES.items():
        message = message.replace(ours, theirs)

    def option(found: re.Match[str]) -> str:
        value = (found[2] or "").strip("'\"")
        return f"--{_OPTIONS[found[1]]}" + (f" {value}" if value else "")

    return _PARAMETER.sub(option, message)
