"""A report on a comparison: one HTML file, and the numbers in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import polars as pl

from quire.model_selection import Comparison
from quire.report._data import ReportData
from quire.report._extra_curves import automatic_learning_curve, automatic_path
from quire.report._page import Page, kept
from quire.report._render import render
from quire.report._summarise import summarise

__all__ = ["Report", "report"]


@dataclass(frozen=True, eq=False, repr=False)
class Report(Page):
    """A report, from :func:`report`.

    In a notebook it shows itself; :meth:`save` writes it to a file.

    Attributes
    ----------
    data : ReportData
        All that it says, as plain data.
    html : str
        The page.
    """

    data: ReportData
    html: str

    def _says(self) -> str:
        return f"{len(self.data.leaderboard)} models, best {self.data.best!r}"


def report(
    comparison: Comparison,
    texts: Any,
    *,
    model: Any = None,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    label_names: Any = None,
    learning_curve: Any = None,
    regularization_path: Any = None,
    top_terms: int = 15,
    n_mistakes: int = 10,
    n_examples: int = 5,
) -> Report:
    """Make one HTML file of all that a comparison found; it opens without a network.

    Needs vl-convert-python, which holds the libraries that draw the charts:
    ``pip install 'quire[report]'``.

    Parameters
    ----------
    comparison : Comparison
        The models, compared.
    texts : sequence of str, Series, Corpus or DataFrame
        The documents that were compared, in the same order. Of a table, all columns of strings are
        shown as the text.
    model : object, default=None
        A fitted model: it says which terms speak for a class and which words led to a mistake.
        ``None`` takes the best one that the comparison fitted on all documents, if it kept it;
        ``"best"`` fits it here. Without a model these words are not shown.
    path : str or path, default=None
        Where to write it; nothing is written if ``None``.
    title : str, default=None
        The heading.
    label_names : list of str or dict, default=None
        What to call the classes: names in the order of ``comparison.classes``, or by class.
    learning_curve : object, default=None
        What :func:`quire.model_selection.learning_curve` or scikit-learn's returns, or an object or
        dict with ``train_sizes``, ``train_scores`` and ``test_scores``. ``"auto"`` makes that of
        the best model, from a sample of the documents if there are many.
    regularization_path : RegularizationPath, default=None
        What :func:`quire.model_selection.regularization_path` returns. ``"auto"`` makes that of the
        best model with a penalty, from a sample of the documents and the most frequent terms.
    top_terms : int, default=15
        Terms shown for each class.
    n_mistakes : int, default=10
        Mistakes shown, the most confident first.
    n_examples : int, default=5
        Repeated documents shown.

    Returns
    -------
    Report
        With ``html``, ``data`` and ``save(path)``.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed.
    ValueError
        If there are other documents than were compared, or no model was finished.
    OSError
        If the file can not be written.

    See Also
    --------
    summarise : The numbers without the page.
    """
    if isinstance(learning_curve, str) or isinstance(regularization_path, str):
        series = texts if isinstance(texts, pl.Series) else pl.Series("text", list(texts))
        series = series.fill_null("")
        if learning_curve == "auto":
            learning_curve = automatic_learning_curve(comparison, series)
        if regularization_path == "auto":
            regularization_path = automatic_path(comparison, series)
    data = summarise(
        comparison,
        texts,
        model=model,
        title=title,
        label_names=label_names,
        learning_curve=learning_curve,
        regularization_path=regularization_path,
        top_terms=top_terms,
        n_mistakes=n_mistakes,
        n_examples=n_examples,
    )
    return kept(Report(data, render(data)), path)
