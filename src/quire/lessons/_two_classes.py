"""Steps that the lessons on naive Bayes share: two classes side by side, sums of evidence.

A lesson compares two classes: both, if there are two, and else the two most probable ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.page.html import Html, join
from quire._shared.page.picture import bars, legend
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.lessons._lesson import Step
from quire.lessons._wording import fraction, listed, plain, share, signed

__all__ = ["TwoClasses", "most_probable"]

_FEW_TERMS = 60  # up to which a page holds the numbers of all of them


def most_probable(model: Any, x: Any) -> tuple[int, int]:
    """Return the places of two classes: of two, both; of more, the most probable for a row."""
    if len(model.classes_) == 2:
        return 0, 1
    order = np.argsort(-model.predict_joint_log_proba(x)[0], kind="stable")
    return int(order[0]), int(order[1])


@dataclass(frozen=True)
class TwoClasses:
    """A fitted model, a row that it classifies, and the places of the classes to compare."""

    model: Any
    x: Any
    pair: tuple[int, int]

    @property
    def names(self) -> tuple[str, str]:
        """The classes."""
        first, second = self.pair
        return str(self.model.classes_[first]), str(self.model.classes_[second])

    def of(self, values: Any) -> Floats:
        """Return the rows of the two classes."""
        rows: Floats = np.asarray(values, dtype=float)[list(self.pair)]
        return rows

    def legend(self) -> Html:
        """Return what the colours mean."""
        return legend(list(enumerate(self.names)))

    def ratio(self, log_probabilities: Any) -> Floats:
        """Return by how much the first is above the second; where both are impossible, nothing."""
        first, second = self.of(log_probabilities)
        with np.errstate(invalid="ignore"):
            difference: Floats = np.where(np.isinf(first) & np.isinf(second), 0, first - second)
        return difference

    def numbers_of(self, terms: list[str], shown: list[int], **arrays: Any) -> dict[str, Any]:
        """Return arrays with a column for each term, and the terms.

        Of a large vocabulary only the terms that are shown, and the classes that are compared, so
        that the page stays small.
        """
        if len(terms) <= _FEW_TERMS:
            return {"terms": terms, **arrays}
        few = {
            name: (self.of(array)[:, shown] if np.ndim(array) == 2 else np.asarray(array)[shown])
            for name, array in arrays.items()
        }
        return {"terms": [terms[column] for column in shown], "classes": self.names, **few}

    def prior_step(self, prior: Floats, why: str, counted: dict[str, Any], title: str) -> Step:
        """Return the step that begins with the classes.

        Parameters
        ----------
        prior : ndarray
            Of all classes.
        why : str
            Where it comes from.
        counted : dict
            From heads of columns to counts of all classes.
        title : str
            Of the step.
        """
        shown = [fraction(p) for p in self.of(prior)]
        said = listed([f"P({name}) = {p}" for name, p in zip(self.names, shown, strict=True)])
        n_classes = len(self.model.classes_)
        others = f" Of {n_classes} classes, the two most probable are shown." * (n_classes > 2)
        columns = [[int(count) for count in self.of(counts)] for counts in counted.values()]
        rows = [list(row) for row in zip(self.names, *columns, shown, strict=True)]
        return Step(
            title,
            f"{why}: {said}.{others}",
            bars("Prior of each class", self.names, [self.of(prior)], [shown], limits=(0, 1)),
            table(["Class", *counted, "P(k)"], rows, "Classes and their priors"),
            {**{name.lower(): counts for name, counts in counted.items()}, "prior": prior},
        )

    def per_term(
        self,
        title: str,
        said: str,
        names: Sequence[str],
        values: Floats,
        write: Callable[[float], str],
        *,
        n_terms: int,
        numbers: dict[str, Any],
        sums: Floats | None = None,
    ) -> Step:
        """Return a step with a number for each term and class.

        Parameters
        ----------
        title, said : str
            Of the step.
        names : sequence of str
            The terms that are shown.
        values : ndarray of shape (2, n_shown)
            Their numbers.
        write : callable
            Writes a number down.
        n_terms : int
            How many terms there are.
        numbers : dict
            Of the step.
        sums : ndarray of shape (2,), default=None
            The last row of the table.
        """
        texts = [[write(float(value)) for value in row] for row in values]
        picture = bars(f"{title}: {listed(self.names)}", names, values, texts)
        rows: list[list[Any]] = [[name, texts[0][k], texts[1][k]] for k, name in enumerate(names)]
        if sums is not None:
            rows.append(["Sum", *[write(float(value)) for value in sums]])
        is_part = n_terms > len(names)
        heads = [f"Term ({len(names)} of {n_terms:,})" if is_part else "Term", *self.names]
        return Step(
            title,
            said,
            join([picture, self.legend()]),
            table(heads, rows, title, kind="" if sums is None else "last"),
            numbers,
        )

    def running(self, names: list[str], parts: list[float]) -> list[Step]:
        """Return a step for each part that is added to the log-odds; the first is the prior's."""
        first, second = self.names
        limits = _limits(parts)
        steps = []
        for n in range(1, len(parts) + 1):
            total = _sum(parts[:n])
            if n == 1:
                title = "Begin with the prior"
                said = f"log P({first}) / P({second}) = {signed(parts[0])}: the log-odds so far."
            else:
                title = f"Read {names[n - 1]}"
                said = (
                    f"It adds {signed(parts[n - 1])}; the log-odds of {first} are now "
                    f"{signed(total)}, so {_leaning(total, first, second)}."
                )
            later = len(parts) - n
            values = [[*parts[:n], *[np.nan] * later, total]]
            texts = [[*map(signed, parts[:n]), *[""] * later, signed(total)]]
            rows = list(zip([*names, "sum"], texts[0], strict=True))
            picture = bars(
                "What was added so far, and the sum",
                [*names, "sum"],
                values,
                texts,
                colours=[0, 1],
                limits=limits,
            )
            steps.append(
                Step(
                    title,
                    said,
                    join([picture, self.legend()]),
                    table(["Part", "Log-odds"], rows, "What was added", kind="last"),
                    {"added": parts[n - 1], "log_odds": total},
                )
            )
        return steps

    def posterior_step(self, what: str) -> Step:
        """Return the step that decides.

        Parameters
        ----------
        what : str
            What is multiplied.
        """
        posterior = self.model.predict_proba(self.x)[0]
        log_joint = self.model.predict_joint_log_proba(self.x)[0]
        joint = np.exp(log_joint)
        best = str(self.model.classes_[int(posterior.argmax())])
        shown = [plain(float(p)) for p in self.of(joint)]
        shares = [share(float(p)) for p in self.of(posterior)]
        rows = list(zip(self.names, shown, shares, strict=True))
        products = [f"{p} for {name}" for p, name in zip(shown, self.names, strict=True)]
        if joint.max() > 0:
            said = (
                f"{what}: {listed(products)}. Divided by their sum over the classes they are the "
                f"posterior. The class is {best}."
            )
        elif np.isfinite(log_joint).any():
            said = f"Divided by their sum, the joint probabilities are the posterior: {best}."
        else:
            said = f"No class can produce this document, so the prior decides: {best}."
        values = self.of(posterior)
        return Step(
            "The posterior",
            said,
            bars("Posterior of each class", self.names, [values], [shares], limits=(0, 1)),
            table(["Class", "Joint", "Posterior"], rows, "Joint and posterior probabilities"),
            {"joint": joint, "posterior": posterior, "class": best},
        )

    def result(self) -> dict[str, Any]:
        """Return what came out, for the table of all runs."""
        posterior = self.model.predict_proba(self.x)[0]
        joint = np.exp(self.model.predict_joint_log_proba(self.x)[0])
        result = {"Class": str(self.model.classes_[int(posterior.argmax())])}
        for name, p in zip(self.names, self.of(posterior), strict=True):
            result[f"P({name} | d)"] = share(float(p))
        result["Joint probabilities"] = listed([plain(float(p)) for p in self.of(joint)])
        return result


def _limits(parts: list[float]) -> tuple[float, float]:
    """Return the range of the parts and of their sums; what has no end needs room on its side."""
    finite = [part for part in parts if np.isfinite(part)]
    reached = [0.0, *finite, *np.cumsum(finite).tolist()]
    if len(finite) < len(parts):
        reached += [-1.0, 1.0]
    return min(reached), max(reached)


def _sum(parts: list[float]) -> float:
    """Return the sum; where infinities of both signs meet, there is none."""
    with np.errstate(invalid="ignore"):
        return float(np.sum(parts))


def _leaning(total: float, first: str, second: str) -> str:
    if np.isnan(total):
        return "both classes are ruled out"
    if total == 0:
        return "neither class is ahead"
    return f"{first if total > 0 else second} is ahead"
