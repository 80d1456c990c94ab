"""Models as their files hold them: they decide as the estimators do, by the same functions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.deciding import AveragedDecisions, CalibratedDecisions, ThresholdDecisions
from quire._shared.decisions import one_vs_rest_decisions
from quire._shared.fitted import FromFile
from quire._shared.linear import LinearClassifier, LogisticClassifier
from quire._shared.naive_bayes import BernoulliScores, ComplementScores, MultinomialScores
from quire._shared.presence import presence
from quire._shared.sparse import CsrRows
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire.exceptions import UnscorableModelError
from quire.feature_extraction.text import FROM_FILES

__all__ = ["CLASSES"]


class _Part(FromFile):
    """Attributes from a file; what they must be has been looked at."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


class _Model(_Part):
    """A classifier."""

    classes_: NDArray[Any]
    n_jobs: int | None

    def check_served(self) -> None:
        """Refuse what is not fitted, or to one class alone."""
        if len(vars(self).get("classes_", ())) < 2:
            raise UnscorableModelError(f"the {type(self).__name__} has not learned two classes")

    def _threads(self) -> int:
        # Several documents have had joblib count the cores already; one does not wait for that.
        return effective_threads(self.n_jobs) if "joblib" in sys.modules else 1


# Linear models ----------------------------------------------------------------------------------


class _Linear(_Model, LinearClassifier):
    """A linear classifier without probabilities."""

    def _checked(self, X: Any, *, for_kernels: bool = True) -> Any:
        return X  # our vectorizers made it

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each sample."""
        if len(self.coef_) > 1:
            return super().predict(X)
        labels: NDArray[Any] = self.classes_[(self.decision_function(X) > 0).astype(np.intp)]
        return labels


class _Logistic(_Linear, LogisticClassifier):
    """LogisticRegression, LogisticRegressionCV, LinearDiscriminantAnalysis."""


class _NBSVM(_Linear):
    """NBSVM."""

    binarize: float | None

    def _weighed(self, X: Any) -> Any:
        return presence(X, self.binarize)


class _NBLogistic(_NBSVM):
    """NBLogistic."""

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class."""
        return self._codes_and_probabilities(X)[1]

    def _codes_and_probabilities(self, X: Any) -> tuple[Any, Floats]:
        return one_vs_rest_decisions(self.decision_function(X))


# Naive Bayes ------------------------------------------------------------------------------------


class _Counted(_Model):
    """Naive Bayes on rows that our vectorizers made."""

    def _check_X(self, X: Any) -> Any:
        return X


class _Multinomial(_Counted, MultinomialScores):
    """MultinomialNB."""


class _Complement(_Counted, ComplementScores):
    """ComplementNB."""


class _Bernoulli(_Counted, BernoulliScores):
    """BernoulliNB."""


class _Presence(_Part):
    """Weights that a Bernoulli model makes when it is first asked."""

    log_prob: Floats | None = None
    weights: tuple[Floats, Floats]


# Around models ----------------------------------------------------------------------------------


class _Averaged(_Model, AveragedDecisions):
    """AveragedClassifier."""


class _Calibrated(_Model, CalibratedDecisions):
    """CalibratedClassifier."""


class _Threshold(_Model, ThresholdDecisions):
    """ThresholdClassifier; it has the methods that its model has."""

    @property
    def predict_proba(self) -> Callable[[Any], Floats]:
        """The probabilities of the model; the threshold does not change them."""
        ask = self.estimator_.predict_proba
        return lambda X: np.asarray(ask(X), dtype=np.float64)

    @property
    def decision_function(self) -> Callable[[Any], Floats]:
        """The decisions of the model; the threshold does not change them."""
        ask = self.estimator_.decision_function
        return lambda X: np.asarray(ask(X), dtype=np.float64)


# Steps ------------------------------------------------------------------------------------------


class _Selection(_Part):
    """SelectTerms."""

    support_: NDArray[np.bool_]

    def get_support(self) -> NDArray[np.bool_]:
        """Return which columns stay."""
        return self.support_

    def get_feature_names_out(self, input_features: Any) -> NDArray[np.object_]:
        """Return the names of the columns that stay."""
        return np.asarray(input_features, dtype=object)[self.support_]

    def transform(self, X: CsrRows) -> CsrRows:
        """Return the columns that stay."""
        place = np.cumsum(self.support_) - 1
        stays = self.support_[X.indices]
        before = np.append(0, np.cumsum(stays))
        indptr = before[X.indptr].astype(X.indptr.dtype)
        indices = place[X.indices[stays]].astype(X.indices.dtype)
        return CsrRows(X.data[stays], indices, indptr, int(self.support_.sum()))


class _Pipeline(_Part):
    """Pipeline; it has the methods that its last step has."""

    steps: list[tuple[str, Any]]

    def check_served(self) -> None:
        """Refuse steps that want more than rows."""
        if vars(self).get("transform_input") is not None or not vars(self).get("steps"):
            raise UnscorableModelError("the pipeline of the file is not one of texts alone")

    def __getitem__(self, steps: slice) -> _Pipeline:
        part = object.__new__(type(self))
        vars(part).update(vars(self), steps=self.steps[steps])
        return part

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes of the last step."""
        classes: NDArray[Any] = self.steps[-1][1].classes_
        return classes

    @property
    def n_features_in_(self) -> int:
        """The number of columns that the first step takes."""
        n: int = self.steps[0][1].n_features_in_
        return n

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the columns that the first step takes."""
        names: NDArray[Any] = self.steps[0][1].feature_names_in_
        return names

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return what the last step calls its columns."""
        names = input_features
        for _, step in self.steps:
            if not _is_passed(step):
                names = step.get_feature_names_out(names)
        return names

    def transform(self, X: Any) -> Any:
        """Return what all steps make of rows."""
        for _, step in self.steps:
            X = X if _is_passed(step) else step.transform(X)
        return X

    @property
    def predict(self) -> Callable[[Any], Any]:
        """The classes of documents."""
        return self._asked(self.steps[-1][1].predict)

    @property
    def predict_proba(self) -> Callable[[Any], Any]:
        """The probabilities of documents."""
        return self._asked(self.steps[-1][1].predict_proba)

    @property
    def decision_function(self) -> Callable[[Any], Any]:
        """The scores of documents."""
        return self._asked(self.steps[-1][1].decision_function)

    def _asked(self, ask: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda X: ask(self[:-1].transform(X))


class _Union(_Part):
    """FeatureUnion."""

    transformer_list: list[tuple[str, Any]]

    def check_served(self) -> None:
        """Refuse parts that are weighted, or take rows as they are."""
        parts = [part for _, part in self.transformer_list if part != "drop"]
        weighted = vars(self).get("transformer_weights") is not None
        if weighted or not parts or any(isinstance(part, str) for part in parts):
            raise UnscorableModelError("the union of the file is not one of vectorizers alone")

    def _parts(self) -> list[tuple[str, Any]]:
        return [(name, part) for name, part in self.transformer_list if part != "drop"]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns of all parts, with those of the parts before them."""
        each = [(n, part.get_feature_names_out(input_features)) for n, part in self._parts()]
        if vars(self).get("verbose_feature_names_out", True):
            return np.asarray([f"{n}__{one}" for n, names in each for one in names], dtype=object)
        together = np.concatenate([names for _, names in each])
        if len(set(together)) < len(together):
            raise ValueError("Output feature names are not unique.")
        return together

    def transform(self, X: Any) -> CsrRows:
        """Return the columns of all parts side by side."""
        blocks = [part.transform(X) for _, part in self._parts()]
        starts = np.cumsum([0, *(block.shape[1] for block in blocks)])
        rows = [np.repeat(np.arange(one.shape[0]), np.diff(one.indptr)) for one in blocks]
        order = np.argsort(np.concatenate(rows), kind="stable")
        data = np.concatenate([block.data for block in blocks])[order]
        columns = [one.indices + start for one, start in zip(blocks, starts[:-1], strict=True)]
        indptr: NDArray[Any] = np.add.reduce([block.indptr.astype(np.int64) for block in blocks])
        return CsrRows(data, np.concatenate(columns)[order].astype(np.int64), indptr, starts[-1])


def _is_passed(step: Any) -> bool:
    return step is None or isinstance(step, str)


CLASSES: dict[str, type] = {
    **FROM_FILES,
    "quire.calibration.CalibratedClassifier": _Calibrated,
    "quire.discriminant_analysis.LinearDiscriminantAnalysis": _Logistic,
    "quire.ensemble.AveragedClassifier": _Averaged,
    "quire.feature_extraction.select.SelectTerms": _Selection,
    "quire.linear_model.LeastSquaresClassifier": _Linear,
    "quire.linear_model.LogisticRegression": _Logistic,
    "quire.linear_model.LogisticRegressionCV": _Logistic,
    "quire.linear_model.NBLogistic": _NBLogistic,
    "quire.model_selection.ThresholdClassifier": _Threshold,
    "quire.naive_bayes.BernoulliNB": _Bernoulli,
    "quire.naive_bayes.ComplementNB": _Complement,
    "quire.naive_bayes.MultinomialNB": _Multinomial,
    "quire.naive_bayes._Presence": _Presence,
    "quire.svm.LinearSVC": _Linear,
    "quire.svm.NBSVM": _NBSVM,
    "sklearn.pipeline.FeatureUnion": _Union,
    "sklearn.pipeline.Pipeline": _Pipeline,
}
