"""Messages of the library in the words of the command line: ``encoding=`` is ``--encoding``."""

from __future__ import annotations

import re

__all__ = ["in_options", "score_title"]

_OPTIONS = {
    "calibrate": "calibrate",
    "class_weight": "class-weight",
    "columns": "columns",
    "costs": "costs",
    "cv": "folds",
    "delimiter": "delimiter",
    "doc_topic_prior": "alpha",
    "encoding": "encoding",
    "every": "every",
    "folds": "folds",
    "format": "format",
    "groups": "groups",
    "kind": "kind",
    "label": "label",
    "label_separator": "label-separator",
    "limits": "limits",
    "learning_method": "method",
    "max_df": "max-df",
    "method": "method",
    "metric": "metric",
    "min_df": "min-df",
    "min_class": "min-class",
    "missing": "missing",
    "models": "models",
    "n_clusters": "clusters",
    "n_components": "topics",
    "pattern": "pattern",
    "sheet": "sheet",
    "silence": "silence",
    "split": "split",
    "stop_words": "stop-words",
    "task": "task",
    "text": "text",
    "threshold": "threshold",
    "topic_word_prior": "beta",
}
_SCORES = {
    "average_precision": "average precision",
    "brier": "Brier score",
    "brier_score": "Brier score",
    "f1": "F1",
    "f1_macro": "macro F1",
    "average_precision_micro": "micro average precision",
    "f1_micro": "micro F1",
    "f1_samples": "F1 of documents",
    "f1_weighted": "weighted F1",
    "label_ranking_average_precision": "ranking of labels",
    "mae": "mean abs. error",
    "matthews_corrcoef": "Matthews corr.",
    "mean_absolute_error": "mean abs. error",
    "r2": "R2",
    "rank_error": "mean error in ranks",
    "rmse": "RMS error",
    "roc_auc": "ROC AUC",
    "root_mean_squared_error": "RMS error",
}
_PARAMETER = re.compile(rf"(?<![\w.,])(?<!\w\()({'|'.join(_OPTIONS)})=('[^']*'|\"[^\"]*\"|\w+)?")
_SENTENCES = (
    (r"label=False reads none", "--label chooses another"),
    (r"header=False", "--no-header"),
    (r"quotechar=None", "--quote none"),
    (r"schema_overrides=\{column: polars\.String\}", "--as-text COLUMN"),
    (r"schema_overrides=\{'([^']*)': polars\.String\}", r"--as-text '\1'"),
    (r", or another type that fits all", ""),
    (r": use corpus\.frame", ""),
    (r"source must be a path, '-' for.*?data frame; ", ""),
    (
        r"source must be a file, a folder, '-' for standard input, a file object or a frame",
        "give a file, a folder or - for standard input",
    ),
)


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
    for ours, theirs in _SENTENCES:
        message = re.sub(ours, theirs, message)

    def option(found: re.Match[str]) -> str:
        value = (found[2] or "").strip("'\"")
        return f"--{_OPTIONS[found[1]]}" + (f" {value}" if value else "")

    return _PARAMETER.sub(option, message)


def score_title(name: str) -> str:
    """Return a score in words; an error loses its minus sign.

    Examples
    --------
    >>> score_title("neg_log_loss"), score_title("f1_macro")
    ('log loss', 'macro F1')
    """
    name = name.removeprefix("neg_")
    return _SCORES.get(name, name.replace("_", " "))
