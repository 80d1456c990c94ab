"""What a comparison says: scores of every model on every fold, and how sure the ranking is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.label_sets import LabelSets
from quire._shared.labels import codes_among
from quire._shared.notebooks import ShownInNotebooks, named_cells
from quire._shared.number_tables import aligned
from quire._shared.plot import grid, line_style, new_axes, plain_numbers
from quire._shared.term_weights import plain
from quire._shared.typing import Floats
from quire.model_selection._compare.one_split import (
    SHARES_OF_RIGHT,
    drawn_scores,
    interval_of_draws,
    p_of_draws,
    p_of_shares,
)
from quire.model_selection._evaluate.by_class import (
    class_scores_of,
    class_table,
    label_scores_of,
)
from quire.model_selection._fold_statistics import Interval, mean_interval, p_value
from quire.model_selection._scores.catalogue import scale_of, trials_behind
from quire.model_selection._scores.held_out import HeldOut

if TYPE_CHECKING:
    import polars as pl

    from quire.checks import Findings
    from quire.feature_extraction.text import CountedDocuments

__all__ = ["Comparison", "Trial"]


@dataclass(frozen=True)
class Trial(ShownInNotebooks):
    """One model of a comparison.

    Attributes
    ----------
    name : str
        Its short name, such as ``"logistic"``.
    title : str
        Its name in words.
    estimator : object
        The whole pipeline, not fitted, with the settings that were chosen most often.
    scores : dict from str to ndarray of shape (n_folds,)
        Held-out scores by metric; larger is better for all of them (errors are negative). NaN for
        folds that were not finished.
    fit_seconds, tune_seconds, predict_seconds : ndarray of shape (n_folds,)
        Time to fit (features and model), to choose settings, and to predict the held-out documents.
    peak_mb : float or None
        Most memory that fits took above what was there before, in millions of bytes.
    predicted : ndarray of shape (n_documents,)
        What was predicted for every document while it was held out: the place of a class among
        `classes`, or a number. -1 or NaN for documents that were never held out. Of several labels
        a sparse matrix of 0 and 1, of shape (n_documents, n_labels).
    probabilities : ndarray of shape (n_documents, n_classes) or None
        The same as probabilities, in the order of the classes of the comparison, if the model has
        them.
    settings : tuple of dict
        What was chosen on each fold.
    error : str or None
        Why the model could not be fitted, if so.
    classes : ndarray of shape (n_classes,) or None
        The classes of the comparison, in order; ``None`` for numbers.
    ranking : ndarray or None
        Of one split, what ranks the documents that were held out: numbers for the second of two
        classes, or for each of more.
    decisions : ndarray of shape (n_documents,) or None
        Of two classes and a model without probabilities, what it decides by for every document
        while it was held out: the second class from 0 on, as a rule. NaN where there is none.
    """

    name: str
    title: str
    estimator: Any
    scores: dict[str, Floats]
    fit_seconds: Floats
    tune_seconds: Floats
    predict_seconds: Floats
    peak_mb: float | None
    predicted: Any
    probabilities: Floats | None
    settings: tuple[dict[str, Any], ...]
    error: str | None = None
    classes: NDArray[Any] | None = None
    ranking: Any = field(default=None, repr=False)
    decisions: Floats | None = field(default=None, repr=False)

    def _notebook_caption(self) -> str:
        return self.title

    def _notebook_cells(self) -> list[list[str]]:
        rows: dict[str, object] = {"name": self.name}
        if self.error is not None:
            rows["error"] = self.error
        for metric, scores in self.scores.items():
            rows[metric] = ", ".join(f"{score:.4f}" for score in scores)
        rows["seconds to fit"] = float(np.nansum(self.fit_seconds))
        rows["settings of the first fold"] = repr(self.settings[0]) if self.settings else ""
        return named_cells(rows)

    @property
    def predictions(self) -> Any:
        """Labels or numbers predicted while held out; ``None`` or NaN where there are none.

        Of several labels, sets of them; empty where there are none.
        """
        if self.classes is None:
            return self.predicted
        if sparse.issparse(self.predicted):
            return LabelSets(self.classes, self.predicted)
        if (self.predicted >= 0).all():
            labels: NDArray[Any] = self.classes[self.predicted]
            return labels
        known = self.predicted >= 0
        labels = np.full(len(self.predicted), None, dtype=object)
        labels[known] = self.classes[self.predicted[known]]
        return labels


@dataclass(frozen=True)
class Comparison(ShownInNotebooks):
    """Models that were fitted on the same folds, the best one first.

    Attributes
    ----------
    task : {"binary", "multiclass", "multilabel", "ordered", "continuous"}
        What is predicted.
    metric : str
        The score that ranks; a key of `Trial.scores`.
    metrics : tuple of str
        All scores.
    classes : ndarray of shape (n_classes,) or None
        The classes, in order; ``None`` for numbers.
    y : ndarray of shape (n_documents,) or LabelSets
        The labels, or numbers, as given; the sets of several labels.
    folds : list of (ndarray, ndarray)
        Rows to train on and rows held out.
    trials : tuple of Trial
        From the best mean score down; models that failed are last.
    settings : dict
        All that is needed to repeat it: arguments, features, seed, versions.
    seconds : float
        Wall time of it all.
    interrupted : bool
        Whether Ctrl-C ended it early; `trials` then has what was finished.
    notes : tuple of str
        What was decided and may surprise: the task that was found, models left out and why.
    model : object or None
        The best pipeline, fitted on all documents, unless that was not wanted.
    counted : CountedDocuments or None
        The texts and their counts, for experiments that follow, such as
        ``learning_curve(comparison.best.estimator, comparison.counted, comparison.y)``. ``None``
        if there are other columns or the counts are many; they are not pickled.
    costs : ndarray of shape (n_classes, n_classes) or None
        What it costs to predict a class (column) where another is true (row), if that was said.
    checks : Findings or None
        What the quick checks of the texts found; ``None`` if they were not wanted, or there are no
        texts.

    Examples
    --------
    >>> from quire.datasets import make_text_classification
    >>> from quire.model_selection import compare
    >>> data = make_text_classification(300, n_classes=3, separation=5.0, random_state=1)
    >>> comparison = compare(data.texts, data.y, models=["multinomial-nb", "majority"])
    >>> [trial.name for trial in comparison]
    ['multinomial-nb', 'majority']
    >>> comparison.to_frame().columns[:4]
    ['model', 'accuracy', 'low', 'high']
    >>> comparison.model.predict(data.texts[:2]).shape
    (2,)
    """

    task: str
    metric: str
    metrics: tuple[str, ...]
    classes: NDArray[Any] | None
    y: Any
    folds: list[tuple[NDArray[Any], NDArray[Any]]]
    trials: tuple[Trial, ...]
    settings: dict[str, Any]
    seconds: float
    interrupted: bool = False
    notes: tuple[str, ...] = field(default=())
    model: Any = None
    counted: CountedDocuments | None = field(default=None, repr=False, compare=False)
    costs: Floats | None = None
    checks: Findings | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "counted": None}

    def __len__(self) -> int:
        return len(self.trials)

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def __getitem__(self, name: str | int) -> Trial:
        if isinstance(name, int):
            return self.trials[name]
        for trial in self.trials:
            if trial.name == name:
                return trial
        known = ", ".join(trial.name for trial in self.trials)
        raise KeyError(f"no model is called {name!r}; there are: {known}")

    @cached_property
    def codes(self) -> Any:
        """The place of each label among the classes; ``None`` for numbers.

        Of several labels a sparse matrix of 0 and 1.
        """
        if isinstance(self.y, LabelSets):
            return self.y.indicator
        return None if self.classes is None else codes_among(self.y, self.classes)

    @property
    def best(self) -> Trial:
        """The model with the highest mean score."""
        if not self.trials or self.trials[0].error is not None:
            raise ValueError("no model was finished, so there is no best one")
        return self.trials[0]

    def interval(self, trial: Trial, metric: str | None = None) -> Interval:
        """Return the mean of a model's scores and its 95% interval, within what scores can be.

        The variance over folds is corrected for the overlap of training sets, on a scale that fits
        the score. An accuracy is known no better than a share of so many
        documents is, even where all folds have the same: 80 of 80 right are 0.954 to 1. Of one
        split other scores are computed again on documents drawn with replacement.

        Parameters
        ----------
        trial : Trial
            The model.
        metric : str, default=None
            The score; the ranking one if ``None``.
        """
        key = metric or self.metric
        scores = trial.scores[key]
        n_classes = None if self.classes is None else len(self.classes)
        trials, is_share = trials_behind(key, self._held_out_codes(scores))
        if len(self.folds) == 1 and not is_share and np.isfinite(scores).all():
            return Interval(float(scores[0]), *interval_of_draws(self._drawn(trial, key)))
        return mean_interval(
            scores,
            self.folds,
            scale=scale_of(key, self.costs, n_classes),
            trials=trials,
            is_share=is_share,
        )

    def _held_out_codes(self, scores: Floats) -> Any:
        """Return the classes of the documents that scores of folds were computed on."""
        if self.codes is None:
            return None
        rows = [test for (_, test), score in zip(self.folds, scores, strict=True) if score == score]
        codes = self.codes[np.unique(np.concatenate(rows))] if rows else self.codes[:0]
        if sparse.issparse(codes):
            return codes
        return codes[codes >= 0]

    def p_value(self, trial: Trial, metric: str | None = None) -> float:
        """Return the probability of so large a difference to the best model by chance.

        Over folds it is the corrected resampled t-test of Nadeau and Bengio. Of one split it is
        McNemar's exact test for shares of documents that are right, and from documents drawn with
        replacement for other scores.

        Parameters
        ----------
        trial : Trial
            The model.
        metric : str, default=None
            The score; the ranking one if ``None``.
        """
        key = metric or self.metric
        if len(self.folds) != 1 or trial.error is not None:
            return p_value(self.best.scores[key], trial.scores[key], self.folds)
        if key in SHARES_OF_RIGHT and not isinstance(self.y, LabelSets):
            first, second = (self._held_out(one) for one in (self.best, trial))
            return p_of_shares(first.predicted == first.codes, second.predicted == second.codes)
        return p_of_draws(self._drawn(self.best, key), self._drawn(trial, key))

    def mean(self, trial: Trial, metric: str | None = None) -> float:
        """Return the mean score of a model over the folds that were finished.

        Parameters
        ----------
        trial : Trial
            The model.
        metric : str, default=None
            The score; the ranking one if ``None``.
        """
        scores = trial.scores[metric or self.metric]
        done = np.isfinite(scores)
        return float(scores[done].mean()) if done.any() else float("nan")

    def _held_out(self, trial: Trial) -> HeldOut:
        """Return the predictions of the documents that one split holds out."""
        rows = self.folds[0][1]
        truth = self.y if self.codes is None else self.codes
        probabilities = None if trial.probabilities is None else trial.probabilities[rows]
        return HeldOut(truth[rows], trial.predicted[rows], probabilities, trial.ranking, self.costs)

    @cached_property
    def _draws(self) -> dict[tuple[str, str], Floats]:
        return {}

    def _drawn(self, trial: Trial, metric: str) -> Floats:
        """Return a score of a model on draws of the documents of one split, kept for next time."""
        key = trial.name, metric
        if key not in self._draws:
            seed = self.settings.get("random_state", 0)
            self._draws[key] = drawn_scores(metric, self._held_out(trial), seed)
        return self._draws[key]

    def class_table(self, trial: Trial | None = None) -> pl.DataFrame:
        """Return how well each class is told from the others, on documents while held out.

        Parameters
        ----------
        trial : Trial, default=None
            The model; the best one if ``None``.

        Returns
        -------
        polars.DataFrame
            A row for each class: label, precision, recall and F1 with the ends of their intervals,
            documents of the class and documents predicted to be.

        Examples
        --------
        >>> from quire.datasets import make_text_classification
        >>> from quire.model_selection import compare
        >>> data = make_text_classification(300, n_classes=3, separation=5.0, random_state=1)
        >>> found = compare(data.texts, data.y, "majority")
        >>> found.class_table().select("label", "recall", "predicted").rows()
        [(0, 1.0, 300), (1, 0.0, 0), (2, 0.0, 0)]
        """
        if self.codes is None or self.classes is None:
            raise ValueError("Numbers are predicted, so there are no classes.")
        trial = self.best if trial is None else trial
        if sparse.issparse(self.codes):
            rows = self._finished(trial)
            return class_table(
                label_scores_of(self.codes[rows], trial.predicted[rows], self.classes.tolist())
            )
        known = (trial.predicted >= 0) & (self.codes >= 0)
        scores = class_scores_of(self.codes[known], trial.predicted[known], self.classes.tolist())
        return class_table(scores)

    def _finished(self, trial: Trial) -> NDArray[np.intp]:
        """Return the documents that were held out on folds that a model has finished."""
        tests = [
            test
            for (_, test), score in zip(self.folds, trial.scores[self.metric], strict=True)
            if np.isfinite(score)
        ]
        return np.unique(np.concatenate(tests)) if tests else np.array([], dtype=np.intp)

    def to_frame(self) -> pl.DataFrame:
        """Return the ranking as a table, a row for each model.

        Returns
        -------
        polars.DataFrame
            Name, mean and 95% interval of the ranking score, p-value against the best model, means
            of the other scores, seconds to fit, to choose settings and to predict (means over
            folds), millions of bytes, and the error of a model that failed.
        """
        import polars as pl

        rows = []
        for trial in self.trials:
            mean, low, high = self.interval(trial)
            row: dict[str, Any] = {"model": trial.name, self.metric: mean, "low": low, "high": high}
            row["p_value"] = None if trial.error or trial is self.trials[0] else self.p_value(trial)
            for metric in self.metrics[1:]:
                row[metric] = self.mean(trial, metric)
            for name in ("fit_seconds", "tune_seconds", "predict_seconds"):
                values = getattr(trial, name)
                row[name] = float(values.mean()) if len(values) else None
            row["peak_mb"] = trial.peak_mb
            row["error"] = trial.error
            rows.append(row)
        kinds = {"model": pl.String, "error": pl.String}
        schema = {name: kinds.get(name, pl.Float64) for name in rows[0]} if rows else {}
        return pl.DataFrame(rows, schema=schema).with_columns(pl.selectors.float().fill_nan(None))

    def _notebook_cells(self) -> list[list[str]]:
        is_error = self.metric.startswith("neg_")  # smaller is better, and shown as it is
        sign = -1.0 if is_error else 1.0
        rows = [["model", self.metric.removeprefix("neg_"), "95% interval", "p", "fit"]]
        for trial in self.trials:
            if trial.error is not None:
                continue
            mean, *ends = (sign * value for value in self.interval(trial))
            low, high = sorted(ends)
            p = "" if trial is self.trials[0] else _p_in_words(self.p_value(trial))
            seconds = f"{trial.fit_seconds.mean():.3g} s"
            rows.append([trial.name, f"{mean:.4f}", f"{low:.4f} to {high:.4f}", p, seconds])
        return rows

    def __str__(self) -> str:
        lines = aligned(self._notebook_cells(), left=1)
        lines.extend(f"{t.name} failed: {t.error}" for t in self.trials if t.error is not None)
        lines.extend(f"note: {note}" for note in self.notes)
        return "\n".join(lines)

    def _notebook_caption(self) -> str:
        folds = "one split" if len(self.folds) == 1 else f"{len(self.folds)} folds"
        failed = [trial.name for trial in self.trials if trial.error is not None]
        failures = f"; failed: {', '.join(failed)}" if failed else ""
        return f"{len(self.trials)} models on {folds}{failures}"

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean of each model with its interval, the best on top.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        ax = new_axes(ax)
        colour = line_style(0)["color"]
        done = [trial for trial in self.trials if trial.error is None]
        for place, trial in enumerate(reversed(done)):
            mean, low, high = self.interval(trial)
            ax.plot([low, high], [place, place], color=colour, linewidth=2)
            ax.plot([mean], [place], color=colour, marker="o", linestyle="none")
        ax.set_yticks(range(len(done)), [trial.title for trial in reversed(done)])
        plain_numbers(ax.xaxis)
        grid(ax, axis="x")
        ax.set_xlabel(f"{self.metric}, mean over {len(self.folds)} folds and 95% interval")
        return ax

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking, scores of all folds and settings as plain data, ready for JSON."""
        return {
            "task": self.task,
            "metric": self.metric,
            "documents": len(self.y),
            "classes": None if self.classes is None else [plain(c) for c in self.classes],
            "folds": len(self.folds),
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "notes": list(self.notes),
            "checks": None if self.checks is None else self.checks.to_dict(),
            "settings": self.settings,
            "costs": None if self.costs is None else self.costs.tolist(),
            "models": [
                {
                    **row,
                    "title": trial.title,
                    "settings": list(trial.settings),
                    "scores": {name: _listed(values) for name, values in trial.scores.items()},
                }
                for row, trial in zip(self.to_frame().to_dicts(), self.trials, strict=True)
            ],
        }


def _p_in_words(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _listed(values: Floats) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]
