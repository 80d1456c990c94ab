"""Predicted numbers: errors, predicted against true, residuals; learning curves and paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from quire._shared.typing import Floats
from quire.report._corpus import histogram
from quire.report._data import Learning, Path, Regression
from quire.report._outcomes import Outcomes

__all__ = ["learning", "paths", "regression"]

_MOST_POINTS = 800
_CELLS = 40
_MOST_OUTPUTS = 4
_MOST_TERMS = 8
_LEARNING_NAMES = (
    ("train_sizes", "sizes", "n_documents"),
    ("train_scores", "training_scores"),
    ("test_scores", "held_out_scores", "validation_scores"),
)


def regression(outcomes: Outcomes) -> Regression | None:
    """Return errors of predicted numbers; many documents are counted in cells, few are points."""
    truth, predicted = outcomes.numbers[outcomes.known], outcomes.predicted_numbers[outcomes.known]
    if len(truth) < 2:
        return None
    few = len(truth) <= _MOST_POINTS
    return Regression(
        mae=float(mean_absolute_error(truth, predicted)),
        rmse=float(root_mean_squared_error(truth, predicted)),
        r2=float(r2_score(truth, predicted)),
        bias=float(np.mean(predicted - truth)),
        points=list(zip(truth.tolist(), predicted.tolist(), strict=True)) if few else [],
        cells=[] if few else _cells(truth, predicted),
        residuals=histogram(truth - predicted),
    )


def _cells(truth: Floats, predicted: Floats) -> list[tuple[float, float, float, float, int]]:
    counts, x, y = np.histogram2d(truth, predicted, bins=_CELLS)
    return [
        (float(x[i]), float(x[i + 1]), float(y[j]), float(y[j + 1]), int(counts[i, j]))
        for i, j in np.argwhere(counts > 0)
    ]


def learning(curve: Any) -> Learning | None:
    """Return a learning curve from an object, a mapping or scikit-learn's tuple.

    Parameters
    ----------
    curve : object, mapping, tuple or None
        Numbers of training documents, training scores and held-out scores, the latter of shape
        (n_sizes, n_folds) or (n_sizes,): attributes or keys ``train_sizes``, ``train_scores`` and
        ``test_scores``, or the tuple that ``sklearn.model_selection.learning_curve`` returns.
    """
    if curve is None:
        return None
    sizes, train, test = (np.asarray(part, dtype=np.float64) for part in _learning_parts(curve))
    train, test = (part.reshape(len(part), -1) for part in (train, test))
    if not len(sizes) == len(train) == len(test):
        raise ValueError(
            f"learning_curve has {len(sizes)} sizes, {len(train)} rows of training scores and "
            f"{len(test)} rows of held-out scores; expected as many of each."
        )
    return Learning(
        sizes=[int(size) for size in sizes],
        train=train.mean(axis=1).tolist(),
        held_out=test.mean(axis=1).tolist(),
        train_spread=train.std(axis=1).tolist(),
        held_out_spread=test.std(axis=1).tolist(),
    )


def _learning_parts(curve: Any) -> list[Any]:
    if isinstance(curve, tuple) and not hasattr(curve, "_fields"):
        return list(curve[:3])
    parts = []
    for names in _LEARNING_NAMES:
        for name in names:
            if isinstance(curve, Mapping) and name in curve:
                parts.append(curve[name])
                break
            if not isinstance(curve, Mapping) and hasattr(curve, name):
                parts.append(getattr(curve, name))
                break
        else:
            raise TypeError(
                f"learning_curve is {type(curve).__name__} without {names[0]!r}; expected what "
                "sklearn.model_selection.learning_curve returns, or train_sizes, train_scores and "
                "test_scores as attributes or keys."
            )
    return parts


def paths(path: Any, label_names: dict[str, str]) -> list[Path]:
    """Return the strongest terms of a regularisation path, for each of a few outputs."""
    if path is None:
        return []
    missing = [name for name in ("penalties", "coefs", "terms") if not hasattr(path, name)]
    if missing:
        raise TypeError(
            f"regularization_path is {type(path).__name__} without {missing[0]!r}; expected what "
            "quire.model_selection.regularization_path returns."
        )
    coefs = np.asarray(path.coefs, dtype=np.float64)
    found = []
    for number, output in enumerate(path.outputs[:_MOST_OUTPUTS]):
        sizes = np.abs(coefs[:, number]).max(axis=0)
        order = np.argsort(-sizes, kind="stable")[:_MOST_TERMS]
        order = order[sizes[order] > 0]
        name = None if output is None else label_names.get(str(output), str(output))
        found.append(
            Path(
                output=name,
                label=str(path.label),
                penalties=np.asarray(path.penalties, dtype=np.float64).tolist(),
                terms=[str(path.terms[j]) for j in order],
                coefs=coefs[:, number, order].T.tolist(),
            )
        )
    return found
