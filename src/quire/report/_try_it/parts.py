"""A fitted model taken apart into what adds up: terms, their weights, and how sums become answers.

Only what is a sum over the terms of a text has parts. They are tried on documents before they are
used: if they do not make the scores of the model, the model has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, log_softmax, ndtr, softmax

from quire._shared.evidence import Evidence, GivesEvidence
from quire._shared.evidence_terms import LinearTerms
from quire._shared.fitted import derives_from, is_regressor
from quire._shared.joined_evidence import row_of_zeros
from quire._shared.typing import Floats
from quire.calibration import CalibratedClassifier
from quire.ensemble import AveragedClassifier
from quire.feature_extraction.select import SelectTerms
from quire.feature_extraction.text import (
    BM25Transformer,
    BM25Vectorizer,
    CountVectorizer,
    Cutting,
    RelevanceTransformer,
    cutting_of,
)
from quire.kinds import members_of, steps_of
from quire.linear_model import OrdinalRegression
from quire.model_selection import ThresholdClassifier
from quire.multilabel import BinaryRelevance

__all__ = ["Answer", "Block", "NoParts", "Parts", "parts_of"]

_HUGE = 1e300  # in the place of infinity, which JSON does not know
_CLOSE = 1e-5  # relative; single precision is nearer than that
_LINEAR = (  # of scikit-learn
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
    "sklearn.linear_model.LogisticRegression",
    "sklearn.linear_model.LogisticRegressionCV",
    "sklearn.linear_model.PassiveAggressiveClassifier",
    "sklearn.linear_model.Perceptron",
    "sklearn.linear_model.RidgeClassifier",
    "sklearn.linear_model.RidgeClassifierCV",
    "sklearn.linear_model.SGDClassifier",
    "sklearn.svm.LinearSVC",
)
_NORMS = {None: 0, "l1": 1, "l2": 2}


class NoParts(Exception):
    """The model is no sum over terms that a page could make; says why in a few words."""


@dataclass(eq=False)
class Block:
    r"""Terms of one vectorizer in one model.

    A count c of term j adds :math:`g(c) a_{jr} / \lVert x \rVert` to score r; the norm is that of
    :math:`g(c) s_j` over the block.

    Attributes
    ----------
    cutting : Cutting
        How texts become terms.
    terms : ndarray of str of shape (n_terms,)
        They.
    scale : ndarray of shape (n_terms,)
        s: what counts are multiplied by before the norm.
    counter : CountVectorizer
        Cuts texts in this way, and keeps all terms; not fitted.
    given : bool
        Whether the vocabulary was given, so that it can hold what texts never have.
    weights : ndarray of shape (n_terms, n_scores)
        a: the weights of the model times the scale.
    values : csr_array of shape (n_sample, n_terms)
        Of some documents :math:`g(c) / \lVert x \rVert`.
    binary, log : bool
        Whether a count is 1, or 1 + its logarithm.
    norm : {0, 1, 2}
        Which; 0 is none.
    bm25 : tuple of (k1, b, mean length) or None
        How counts saturate.
    presence : float or None
        Above which count a term is there, where it does not matter how often.
    is_single : bool
        Whether the model works in single precision.
    """

    cutting: Cutting
    terms: NDArray[Any]
    scale: Floats
    counter: Any = None
    given: bool = False
    weights: Floats = field(default_factory=lambda: np.empty((0, 0)))
    values: Any = None
    binary: bool = False
    log: bool = False
    norm: int = 0
    bm25: tuple[float, float, float] | None = None
    presence: float | None = None
    is_single: bool = False
    kept: NDArray[np.intp] | None = None  # columns that a selection has left; all if None
    factor: float = 1.0  # of the whole block, in its row and, in the end, in its weights

    @property
    def key(self) -> tuple[Any, ...]:
        """What blocks have in common whose terms can stand in one list."""
        return self.cutting.key, self.cutting.ngram_range if self.given else None

    @property
    def is_weighted(self) -> bool:
        """Whether counts are anything but counts."""
        return self.log or self.norm != 0 or self.bm25 is not None or bool((self.scale != 1).any())


@dataclass(frozen=True)
class Answer:
    """How scores become what the model says.

    Attributes
    ----------
    kind : {"classes", "labels", "number", "ordered"}
        What is predicted.
    probability : {"", "logistic", "one against the rest", "maps"}
        How scores become probabilities.
    maps : dict
        Of a calibrated model: slopes and intercepts, scores and shares, or a factor; and "of", what
        is mapped: "scores", or log-odds "against the rest".
    threshold : dict
        Of two classes: "place" of the one that is asked for, and "best", which "usual" is replaced
        by; "share" says whether of probabilities.
    cutoffs : list of float
        Between ordered classes; of labels, the scores that theirs are above.
    link : {"", "logit", "probit"}
        Of ordered classes.
    """

    kind: str
    probability: str = ""
    maps: dict[str, Any] = field(default_factory=dict)
    threshold: dict[str, Any] = field(default_factory=dict)
    cutoffs: list[float] = field(default_factory=list)
    link: str = ""


@dataclass(frozen=True, eq=False)
class Parts:
    """A model as sums.

    Attributes
    ----------
    blocks : list of Block
        What is added up.
    offset : ndarray of shape (n_scores,)
        What every document has.
    answer : Answer
        What is made of the sums.
    scores : ndarray of shape (n_sample, n_scores)
        Of the documents of the sample.
    """

    blocks: list[Block]
    offset: Floats
    answer: Answer
    scores: Floats


def parts_of(model: Any, sample: Sequence[str]) -> Parts:
    """Take a fitted model of texts apart.

    Parameters
    ----------
    model : object
        A pipeline from texts to something that decides.
    sample : sequence of str
        Documents on which the parts are tried, and from which it is learned which terms matter.

    Raises
    ------
    NoParts
        If there are none.
    """
    answer = Answer("number" if is_regressor(model) else "classes")
    steps, deciding = steps_of(model)
    while True:
        if isinstance(deciding, ThresholdClassifier):
            inner, answer = deciding.estimator_, replace(answer, threshold=_threshold(deciding))
        elif isinstance(deciding, CalibratedClassifier):
            inner, answer = deciding.estimator_, replace(answer, **_calibrated(deciding))
        else:
            break
        if not np.array_equal(inner.classes_, deciding.classes_):
            raise NoParts("its inner model has other classes")
        more, deciding = steps_of(inner)
        steps = [*steps, *more]
    if isinstance(deciding, AveragedClassifier):
        if steps:
            raise NoParts("an average of models stands behind other steps")
        blocks, offset = _averaged(deciding, sample)
    elif isinstance(deciding, BinaryRelevance):
        if not deciding.multilabel_:
            raise NoParts("it has a model for each class against the rest")
        blocks, offset = _of_labels(deciding, steps, sample)
        answer = replace(answer, kind="labels")
    else:
        blocks, offset = _pipeline(steps, deciding, sample)
        if isinstance(deciding, OrdinalRegression):
            answer = Answer(
                "ordered",
                "logistic",
                cutoffs=np.clip(deciding.thresholds_, -_HUGE, _HUGE).tolist(),
                link=deciding.link,
            )
    scores = offset + sum(block.values @ block.weights for block in blocks)
    parts = Parts(blocks, offset, answer, np.asarray(scores))
    if not np.isfinite(parts.scores).all() or not all(
        np.isfinite(block.weights).all() and np.isfinite(block.scale).all() for block in blocks
    ):
        raise NoParts("some of its weights are infinite")
    return _tried(parts, model, sample)


def _threshold(model: Any) -> dict[str, Any]:
    place = model.classes_.tolist().index(model.pos_label_)
    share = not hasattr(model.estimator_, "decision_function") and not hasattr(
        steps_of(model.estimator_)[1], "predict_joint_log_proba"
    )
    return {
        "place": place,
        "best": float(model.best_threshold_),
        "usual": float(model.default_threshold_),
        "share": share,
    }


def _calibrated(model: Any) -> dict[str, Any]:
    maps: dict[str, Any] = {"of": "scores"}
    if hasattr(model, "inverse_temperature_"):
        maps["factor"] = float(model.inverse_temperature_)
    elif hasattr(model, "slopes_"):
        maps["slopes"] = np.asarray(model.slopes_, dtype=float).tolist()
        maps["intercepts"] = np.asarray(model.intercepts_, dtype=float).tolist()
    else:
        maps["scores"] = [np.asarray(one, dtype=float).tolist() for one in model.map_scores_]
        maps["shares"] = [np.asarray(one, dtype=float).tolist() for one in model.map_shares_]
    inner = model.estimator_
    if not hasattr(inner, "decision_function"):
        if not hasattr(steps_of(inner)[1], "predict_joint_log_proba"):
            raise NoParts("its calibrated model has no scores")
        if len(model.classes_) > 2 and "factor" not in maps:
            maps["of"] = "against the rest"
    return {"probability": "maps", "maps": maps}


# Sums ---------------------------------------------------------------------------------------------


def _pipeline(steps: list[Any], deciding: Any, sample: Any) -> tuple[list[Block], Floats]:
    """Return the blocks of a pipeline and what is added to them."""
    W, offset, presence = _weights_of(deciding)
    blocks = _blocks_of(steps)
    X = _transformed(steps, sample)
    return _weighted(blocks, X, W, presence), offset


def _weighted(blocks: list[Block], X: Any, W: Floats, presence: float | None) -> list[Block]:
    """Give blocks their values and weights."""
    n_columns = sum(len(one.terms if one.kept is None else one.kept) for one in blocks)
    if X.shape[1] != n_columns or W.shape[0] != n_columns:
        raise NoParts("its columns are not the terms of its vectorizers")
    start = 0
    for block in blocks:
        places = np.arange(len(block.terms)) if block.kept is None else block.kept
        part = X[:, start : start + len(places)]
        weights = np.zeros((len(block.terms), W.shape[1]))
        weights[places] = W[start : start + len(places)]
        start += len(places)
        block.is_single = part.dtype == np.float32
        if presence is not None:
            if block.is_weighted and not (presence == 0 and (block.scale > 0).all()):
                raise NoParts("it asks whether weighted terms are above a threshold")
            if block.factor <= 0 or (block.factor != 1 and presence != 0):
                raise NoParts("it asks whether weighted terms are above a threshold")
            part = (part > presence).astype(np.float64)
            block.factor = 1.0
            threshold = presence if not block.is_weighted else 0.0
            block.presence, block.norm, block.bm25, block.log = threshold, 0, None, False
            block.scale = np.ones(len(block.terms))
        wide = sparse.csr_array(
            (part.data.astype(np.float64), places[part.indices], part.indptr),
            shape=(part.shape[0], len(block.terms)),
        )
        safe = np.where(block.scale == 0, 1.0, block.scale * block.factor)
        block.values = wide @ sparse.diags_array(1 / safe)
        block.values = sparse.csr_array(block.values)
        block.weights = weights * (block.scale * block.factor)[:, None]
    return blocks


def _transformed(steps: list[Any], sample: Any) -> Any:
    X: Any = sample
    for step in steps:
        X = step.transform(X)
    if not sparse.issparse(X):
        raise NoParts("its features are not those of texts")
    return sparse.csr_array(X)


def _weights_of(model: Any) -> tuple[Floats, Floats, float | None]:
    """Return weights by column and score, offsets, and above which value a column is there."""
    presence = None
    if hasattr(model, "get_params"):
        presence = model.get_params(deep=False).get("binarize")
    if hasattr(model, "predict_joint_log_proba") and len(model.classes_) > 1:
        weights, offset = _naive_bayes(model)
        if len(weights) == 2:
            return (weights[1] - weights[0])[:, None], offset[1:] - offset[:1], presence
        middle = weights.mean(axis=0)
        return (weights - middle).T, offset - offset.mean(), presence
    is_linear = is_regressor(model) or derives_from(model, *_LINEAR)
    is_ours = isinstance(model, GivesEvidence)
    is_ordered = isinstance(model, OrdinalRegression)
    if (is_linear or is_ours or is_ordered) and "coef_" in vars(model):
        coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.asarray(model.coef_)
        coef = np.atleast_2d(coef.astype(np.float64))
        offset = np.zeros(len(coef))
        if not is_ordered:
            offset = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), (len(coef),))
        return coef.T, offset.astype(np.float64), presence
    raise NoParts("its decisions are no sums over terms")


def _naive_bayes(model: Any) -> tuple[Floats, Floats]:
    """Return weights by class and column, and offsets."""
    if isinstance(model, GivesEvidence):
        evidence = model.evidence(row_of_zeros(model))
        if isinstance(evidence, Evidence) and isinstance(evidence.terms, LinearTerms):
            first = evidence.classes[0]
            offset = [evidence.offset(label, first)[0] for label in evidence.classes]
            return np.asarray(evidence.terms.weights, dtype=np.float64), np.array(offset)
    elif derives_from(model, "sklearn.naive_bayes.BernoulliNB"):
        absent = np.log1p(-np.exp(model.feature_log_prob_))
        return model.feature_log_prob_ - absent, model.class_log_prior_ + absent.sum(axis=1)
    elif derives_from(model, "sklearn.naive_bayes.ComplementNB"):
        return model.feature_log_prob_, np.zeros(len(model.classes_))
    elif derives_from(model, "sklearn.naive_bayes.MultinomialNB"):
        return model.feature_log_prob_, model.class_log_prior_
    raise NoParts("its decisions are no sums over terms")


def _averaged(model: Any, sample: Any) -> tuple[list[Block], Floats]:
    blocks: list[Block] = []
    offset: Any = 0.0
    for (_, member), weight in zip(members_of(model), model.weights_, strict=True):
        if weight == 0:
            continue
        steps, deciding = steps_of(member)
        own, add = _pipeline(steps, deciding, sample)
        if len(add) > 1:  # around the mean of all classes
            add = add - add.mean()
            for block in own:
                block.weights = block.weights - block.weights.mean(axis=1, keepdims=True)
        for block in own:
            block.weights = block.weights * weight
        blocks += own
        offset = offset + weight * add
    return blocks, np.asarray(offset)


def _of_labels(model: Any, steps: list[Any], sample: Any) -> tuple[list[Block], Floats]:
    """Return a score for each label, above its threshold."""
    asked = np.flatnonzero(model.constants_ == 0)
    columns, offsets, presences = [], model.constants_.astype(np.float64), set()
    for place, inner in zip(asked, model.estimators_, strict=True):
        W, offset, presence = _weights_of(inner)
        columns.append(W[:, 0])
        offsets[place] = offset[0] - model.thresholds_[place]
        presences.add(presence)
    if not columns:
        raise NoParts("it predicts the same labels for every text")
    if len(presences) > 1:
        raise NoParts("its models look at terms in different ways")
    W = np.zeros((len(columns[0]), len(offsets)))
    W[:, asked] = np.column_stack(columns)
    return _weighted(_blocks_of(steps), _transformed(steps, sample), W, presences.pop()), offsets


# Terms --------------------------------------------------------------------------------------------


def _blocks_of(steps: list[Any]) -> list[Block]:
    """Return what a row of the steps is made of, without weights."""
    flat = [one for step in steps for one in _flat(step)]
    if not flat:
        raise NoParts("it is not one of texts")
    first, *later = flat
    if derives_from(first, "sklearn.pipeline.FeatureUnion"):
        factors = first.transformer_weights or {}
        blocks = []
        for name, part in first.transformer_list:
            if isinstance(part, str):
                if part == "drop":
                    continue
                raise NoParts("a part of its features is passed on as it is")
            for block in _blocks_of([part]):
                block.factor *= factors.get(name, 1.0)
                blocks.append(block)
    else:
        blocks = [_block_of(first)]
    for step in later:
        if isinstance(step, SelectTerms):
            _select(blocks, step)
        elif len(blocks) > 1 or blocks[0].is_weighted or blocks[0].factor != 1:
            raise NoParts("its features are weighted more than once")
        else:
            _weigh(blocks[0], step)
    return blocks


def _flat(step: Any) -> list[Any]:
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return []
    if derives_from(step, "sklearn.pipeline.Pipeline"):
        return [one for _, inner in step.steps for one in _flat(inner)]
    return [step]


def _block_of(vectorizer: Any) -> Block:
    if derives_from(vectorizer, "sklearn.feature_extraction.text.HashingVectorizer"):
        raise NoParts("its terms are hashed, so that their names are not known")
    if derives_from(vectorizer, "sklearn.compose.ColumnTransformer"):
        raise NoParts("it reads columns beside one of texts")
    if not derives_from(vectorizer, "sklearn.feature_extraction.text.CountVectorizer"):
        raise NoParts("its features are not those of a vectorizer of texts")
    cutting = cutting_of(vectorizer)
    if isinstance(cutting, str):
        raise NoParts(f"texts are cut in a way that needs Python: {cutting}")
    terms = np.asarray(vectorizer.get_feature_names_out(), dtype=object)
    if not all(isinstance(term, str) for term in terms):
        raise NoParts("its terms are no words")
    block = Block(
        cutting,
        terms,
        np.ones(len(terms)),
        _counter(vectorizer),
        vectorizer.vocabulary is not None,
        binary=bool(vectorizer.binary),
    )
    if isinstance(vectorizer, BM25Vectorizer) or derives_from(
        vectorizer, "sklearn.feature_extraction.text.TfidfVectorizer"
    ):
        _weigh(block, vectorizer)
    return block


def _counter(vectorizer: Any) -> CountVectorizer:
    """Return what cuts as a vectorizer does, and keeps all terms."""
    counter = CountVectorizer()
    every = {"min_df", "max_df", "max_features", "vocabulary", "dtype", "binary"}
    given = vectorizer.get_params(deep=False)
    known = counter.get_params(deep=False).keys() - every
    counter.set_params(**{name: given[name] for name in known & given.keys()})
    return counter


def _weigh(block: Block, step: Any) -> None:
    """Let a transformer of counts, or a vectorizer that is one as well, weigh the terms."""
    n = len(block.terms)
    if isinstance(step, BM25Transformer | BM25Vectorizer):
        block.bm25 = float(step.k1), float(step.b), float(step.mean_length_)
        block.scale = _idf(step, n)
    elif isinstance(step, RelevanceTransformer):
        block.log = bool(step.sublinear_tf)
        block.scale = np.asarray(step.relevance_, dtype=np.float64) * _idf(step, n)
    elif derives_from(
        step,
        "sklearn.feature_extraction.text.TfidfTransformer",
        "sklearn.feature_extraction.text.TfidfVectorizer",
    ):
        block.log = bool(step.sublinear_tf)
        block.scale = _idf(step, n)
    else:
        raise NoParts(f"{type(step).__name__} stands between its terms and its decision")
    block.norm = _NORMS[step.norm]


def _idf(step: Any, n: int) -> Floats:
    if not getattr(step, "use_idf", True):
        return np.ones(n)
    idf = getattr(step, "idf_", None)
    return np.ones(n) if idf is None else np.asarray(idf, dtype=np.float64)


def _select(blocks: list[Block], step: Any) -> None:
    """Leave columns out, behind what they add to a norm."""
    stays = np.asarray(step.get_support())
    start = 0
    for block in blocks:
        places = np.arange(len(block.terms)) if block.kept is None else block.kept
        mine = stays[start : start + len(places)]
        start += len(places)
        if block.is_weighted:
            block.kept = places[mine]
        else:
            block.terms, block.scale = block.terms[mine], block.scale[mine]
    if start != len(stays):
        raise NoParts("its selection of terms is of other terms")


# Trying -------------------------------------------------------------------------------------------


def _tried(parts: Parts, model: Any, sample: Sequence[str]) -> Parts:
    """Return the parts with what makes probabilities of them, if they do what the model does."""
    answer, scores = parts.answer, parts.scores
    if answer.kind == "number":
        _check(np.asarray(model.predict(sample)).reshape(len(scores), -1), scores)
        return parts
    if answer.kind == "labels":
        _check(np.asarray(model.decision_function(sample)), scores)
        if not hasattr(model, "predict_proba"):
            return parts
        P = np.asarray(model.predict_proba(sample))
        thresholds = steps_of(model)[1].thresholds_
        likely = expit(scores + thresholds)
        constants = steps_of(model)[1].constants_
        likely[:, constants != 0] = constants[constants != 0] > 0
        if np.abs(P - likely).max() > _CLOSE:
            return parts
        cutoffs = np.where(constants == 0, thresholds, constants * _HUGE).tolist()
        return replace(parts, answer=replace(answer, probability="logistic", cutoffs=cutoffs))
    if answer.probability == "maps" or answer.kind == "ordered":
        P = np.asarray(model.predict_proba(sample))
        if np.abs(P - _probabilities(answer, scores)).max() > _CLOSE:
            raise NoParts("its probabilities are made in a way that is not known")
        return parts
    deciding = model
    if answer.threshold:
        deciding = model.estimator_ if isinstance(model, ThresholdClassifier) else model
    if hasattr(deciding, "decision_function"):
        own = np.asarray(deciding.decision_function(sample), dtype=np.float64)
    elif hasattr(steps_of(deciding)[1], "predict_joint_log_proba"):
        own = np.asarray(deciding.predict_log_proba(sample))
    else:
        own = scores
    own = own.reshape(len(scores), -1)
    if own.shape[1] == 2 and scores.shape[1] == 1:
        own = own[:, 1:] - own[:, :1]
    if scores.shape[1] > 1 and not hasattr(deciding, "decision_function"):
        own = own - own.mean(axis=1, keepdims=True)
    _check(own, scores)
    if hasattr(model, "predict_proba"):
        P = np.asarray(model.predict_proba(sample))
        for kind in ("logistic", "one against the rest"):
            known = replace(answer, probability=kind)
            if np.abs(P - _probabilities(known, scores)).max() <= _CLOSE:
                return replace(parts, answer=known)
    if answer.threshold and answer.threshold["share"]:
        raise NoParts("its threshold is one of probabilities that are made in another way")
    return parts


def _check(own: Floats, scores: Floats) -> None:
    size = max(float(np.abs(own).max(initial=0.0)), 1.0)
    if own.shape != scores.shape or np.abs(own - scores).max(initial=0.0) > _CLOSE * size:
        raise NoParts("its scores are not the sums of the weights of its terms")


def _probabilities(answer: Answer, scores: Floats) -> Floats:
    """Return what the page makes of scores."""
    if answer.kind == "ordered":
        below: Any = ndtr if answer.link == "probit" else expit
        ends = np.array([-np.inf, *answer.cutoffs, np.inf])
        return np.asarray(np.diff(below(ends - scores), axis=1))
    if answer.probability == "one against the rest":
        P = expit(scores)
        if P.shape[1] == 1:
            return np.column_stack([1 - P[:, 0], P[:, 0]])
        return np.asarray(P / P.sum(axis=1, keepdims=True))
    if answer.probability == "maps":
        return _mapped(answer.maps, scores)
    if scores.shape[1] == 1:
        return np.column_stack([expit(-scores[:, 0]), expit(scores[:, 0])])
    return np.asarray(softmax(scores, axis=1))


def _mapped(maps: dict[str, Any], scores: Floats) -> Floats:
    if "factor" in maps:
        return _probabilities(Answer("classes", "logistic"), maps["factor"] * scores)
    if maps["of"] == "against the rest":
        logs = log_softmax(scores, axis=1)
        odds = np.empty_like(logs)
        for k in range(logs.shape[1]):
            others = np.delete(logs, k, axis=1)
            odds[:, k] = logs[:, k] - np.logaddexp.reduce(others, axis=1)
        scores = odds
    if "slopes" in maps:
        P = expit(scores * np.array(maps["slopes"]) + np.array(maps["intercepts"]))
    else:
        corners = zip(scores.T, maps["scores"], maps["shares"], strict=True)
        P = np.column_stack([np.interp(one, x, y) for one, x, y in corners])
    if P.shape[1] == 1:
        return np.column_stack([1 - P[:, 0], P[:, 0]])
    total = P.sum(axis=1, keepdims=True)
    even = np.full_like(P, 1 / P.shape[1])
    return np.asarray(np.divide(P, total, out=even, where=total > 0))
