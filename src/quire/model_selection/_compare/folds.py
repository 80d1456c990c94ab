"""The work of a comparison: every model on every fold, settings chosen inside the fold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, replace
from itertools import takewhile
from threading import Event
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from quire._shared.convergence import UnfinishedFits
from quire._shared.deciding import scores_of
from quire._shared.decisions import decisions
from quire._shared.label_folds import label_folds
from quire._shared.labels import codes_among
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire.model_selection._compare.average import Member, average_of, decisions_of
from quire.model_selection._compare.budget import Budget, most_promising_first
from quire.model_selection._compare.features import Features, FoldFeatures, weight_and_view
from quire.model_selection._compare.memory_meter import memory_peak
from quire.model_selection._compare.models import (
    AVERAGE,
    VIEW_SETTING,
    Candidate,
    settings_of,
)
from quire.model_selection._compare.set_models import held_out_sets, inner_set_scores
from quire.model_selection._compare.task import Target
from quire.model_selection._compare.views import WORDS
from quire.model_selection._scores.asking import ranking_of
from quire.model_selection._scores.catalogue import (
    held_out_scores,
    needs_probabilities,
    needs_ranking,
)

__all__ = ["Outcome", "choose_settings", "choose_view", "run_folds"]

Folds = list[tuple[NDArray[Any], NDArray[Any]]]

_TOO_FEW = 20  # documents: with fewer, and a class of one or two, nothing is chosen
_STOPPED = "stopped before it was finished"
_ONE_SPLIT_FROM = 2000  # documents: with fewer, settings are chosen by three folds


@dataclass
class Outcome:
    """What is known of one model so far; lists have an entry for each finished fold."""

    candidate: Candidate
    scores: list[dict[str, float]] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    tune_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    settings: list[dict[str, Any]] = field(default_factory=list)
    predicted: list[NDArray[Any]] = field(default_factory=list)
    probabilities: list[Any] = field(default_factory=list)
    rankings: list[Any] = field(default_factory=list)
    decisions: list[Any] = field(default_factory=list)
    averages: list[dict[str, float]] = field(default_factory=list)  # weights of members
    peak_mb: float | None = None
    error: str | None = None
    member: Member | None = None  # of the fold's average; of one fold only


@dataclass
class _Chosen:
    """The best settings of a model inside a fold."""

    settings: dict[str, Any]
    score: float = float("nan")
    inner: Any = None  # decisions on the documents held out inside


_LISTS = [one.name for one in fields(Outcome) if one.default_factory is list]


def run_folds(
    features: Features,
    target: Target,
    candidates: list[Candidate],
    folds: Folds,
    metrics: tuple[str, ...],
    seed: int,
    tune: bool,
    advance: Callable[[float], None],
    budget: Budget,
    unfinished: UnfinishedFits,
) -> tuple[list[Outcome], int, bool]:
    """Fit and score all models on all folds.

    On a small corpus models run side by side, each on one thread: its matrices are too small to
    divide the work on them. The result is the same.

    Returns
    -------
    outcomes : list of Outcome
        One for each model.
    n_finished : int
        Folds that all models have finished. If Ctrl-C came in the first, it counts as finished by
        those that were; the others have an error.
    interrupted : bool
        Whether Ctrl-C ended it early.
    """
    stop = Event()
    averages = any(candidate.kind == AVERAGE for candidate in candidates)
    minutes = budget.minutes

    def run(fold: FoldFeatures, candidate: Candidate, n_threads: int | None = None) -> Outcome:
        if stop.is_set():
            raise KeyboardInterrupt
        outcome = Outcome(candidate)
        if candidate.kind == AVERAGE:  # made of the others when they are finished
            pass
        elif budget.allows(candidate.name):
            threads = nullcontext() if n_threads is None else threadpool_limits(n_threads)
            with threads, unfinished.of(candidate.name):
                start = perf_counter()
                _run_one(outcome, fold, target, metrics, seed, tune, joins=averages)
                if len(folds) > 1:  # nobody asks for them again
                    outcome.rankings.clear()
                score = outcome.scores[-1][metrics[0]] if outcome.scores else -np.inf
                fit_seconds = outcome.fit_seconds[-1] if outcome.fit_seconds else 0.0
                budget.spent(candidate.name, perf_counter() - start, score, fit_seconds)
        else:
            outcome.error = f"left out for want of time: --minutes {minutes:g}"
        advance(1.0)
        return outcome

    n_threads = effective_threads()
    finished: list[list[Outcome]] = []
    if features.is_small and n_threads > 1:
        finished = _side_by_side(features, candidates, folds, n_threads, run, stop)
        for outcomes, (train, test) in zip(finished, folds, strict=False):
            _add_average(outcomes, features.divide(train, test), target, metrics, seed)
    else:
        names = [candidate.name for candidate in candidates]
        order = most_promising_first(names) if budget.is_limited else range(len(names))
        done: dict[int, Outcome] = {}
        try:
            for train, test in folds:
                fold, done = features.divide(train, test), {}
                for place in order:
                    done[place] = run(fold, candidates[place])
                outcomes = [done[place] for place in range(len(names))]
                _add_average(outcomes, fold, target, metrics, seed)
                finished.append(outcomes)
                budget.plan()
        except KeyboardInterrupt:
            stop.set()
            finished = finished or _begun_fold(candidates, done)
    return _joined(candidates, finished), len(finished), stop.is_set()


def _begun_fold(candidates: list[Candidate], done: Mapping[int, Outcome]) -> list[list[Outcome]]:
    """Return the outcomes of a fold in which some models were finished, if there are any."""
    there = {place for place in done if candidates[place].kind != AVERAGE}
    outcomes = [
        done[place] if place in there else Outcome(candidate, error=_STOPPED)
        for place, candidate in enumerate(candidates)
    ]
    return [outcomes] if there else []


def _side_by_side(
    features: Features,
    candidates: list[Candidate],
    folds: Folds,
    n_threads: int,
    run: Callable[[FoldFeatures, Candidate, int | None], Outcome],
    stop: Event,
) -> list[list[Outcome]]:
    """Run models of several folds at once; return the outcomes of the first folds, all finished.

    After Ctrl-C in the first fold it has what was finished of it.
    """
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(n_threads) as pool:
        tasks = []
        for train, test in folds:
            fold = features.divide(train, test)
            # Those with the most work stand last in the table: begun first, they end together.
            begun = [pool.submit(run, fold, candidate, 1) for candidate in reversed(candidates)]
            tasks.append(begun[::-1])
        everything = [future for futures in tasks for future in futures]
        try:
            while not all(future.done() for future in everything):
                wait(everything, timeout=0.1)
        except KeyboardInterrupt:
            stop.set()
            for future in everything:
                future.cancel()
    whole = list(takewhile(lambda futures: all(map(_has_result, futures)), tasks))
    if len(whole) < len(tasks):
        stop.set()
        if not whole:
            first = enumerate(tasks[0])
            return _begun_fold(
                candidates, {n: one.result() for n, one in first if _has_result(one)}
            )
    return [[future.result() for future in futures] for futures in whole]


def _has_result(future: Future[Outcome]) -> bool:
    if future.cancelled() or not future.done():
        return False
    error = future.exception()
    if error is not None and not isinstance(error, KeyboardInterrupt):
        raise error
    return error is None


def _joined(candidates: list[Candidate], folds: list[list[Outcome]]) -> list[Outcome]:
    """Return what is known of each model from all folds."""
    joined = [Outcome(candidate) for candidate in candidates]
    for outcomes in folds:
        for whole, part in zip(joined, outcomes, strict=True):
            for name in _LISTS:
                getattr(whole, name).extend(getattr(part, name))
            if part.peak_mb is not None:
                whole.peak_mb = max(whole.peak_mb or 0.0, part.peak_mb)
            whole.error = whole.error or part.error
    return joined


def _run_one(
    outcome: Outcome,
    fold: FoldFeatures,
    target: Target,
    metrics: tuple[str, ...],
    seed: int,
    tune: bool,
    *,
    joins: bool = False,
) -> None:
    candidate = outcome.candidate
    joins = joins and candidate.joins_average and candidate.around is None
    y = target.learned_by(candidate)
    if _is_one_class(target, fold.train):
        _predict_the_only_class(outcome, fold, target, metrics)
        return
    try:
        with memory_peak() as peak:
            begun = perf_counter()
            view, judges = _view_and_models(candidate, fold, target, metrics[0], seed, tune=tune)
            candidate = candidate if view is None else candidate.in_view(view)
            viewed = perf_counter()
            X_train, X_test = fold.of(candidate.kind)
            made = perf_counter()
            chosen = _Chosen(settings_of(candidate)[0])
            if tune and (len(candidate.grid) > 0 or joins):
                chosen = _choose(
                    candidate, fold, target, metrics[0], seed, joins=joins, begun=judges
                )
            settings = chosen.settings
            tuned = perf_counter()
            model = candidate.finished(_new_model(candidate, settings, target))
            model.fit(X_train, y[fold.train])
            fitted = perf_counter()
            predicted, probabilities, ranking = _held_out(
                candidate, model, X_test, target, metrics, kept=True
            )
            done = perf_counter()
            without = None
            if probabilities is None and target.classes is not None and not target.is_of_sets:
                without = _decisions_of_two(model, X_test, _classes_of(candidate, target))
            if joins and chosen.inner is not None:
                centred = decisions_of(model, X_test, _classes_of(candidate, target))
                seconds = fold.seconds[candidate.kind] + fitted - tuned, done - fitted
                if centred is not None:
                    outcome.member = Member(
                        candidate.name, chosen.score, chosen.inner, centred, seconds
                    )
    except (ValueError, TypeError, MemoryError, ArithmeticError) as error:
        outcome.error = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return
    outcome.scores.append(
        held_out_scores(
            metrics, target.codes[fold.test], predicted, probabilities, ranking, target.costs
        )
    )
    shown = {} if view is None or fold.features.views == (WORDS,) else {VIEW_SETTING: view}
    outcome.settings.append({**shown, **settings})
    outcome.fit_seconds.append(fold.seconds[candidate.kind] + fitted - tuned)
    outcome.tune_seconds.append(tuned - made + viewed - begun)
    outcome.predict_seconds.append(done - fitted)
    outcome.predicted.append(predicted)
    outcome.probabilities.append(probabilities)
    outcome.rankings.append(ranking)
    outcome.decisions.append(without)
    outcome.peak_mb = peak.mb


def _decisions_of_two(model: Any, X: Any, classes: NDArray[Any]) -> Floats | None:
    """Return what a model of two classes decides by, if it says so."""
    if len(classes) != 2 or not hasattr(model, "decision_function"):
        return None
    return scores_of(model, X, classes, as_logarithms=False)


def _is_one_class(target: Target, rows: NDArray[Any]) -> bool:
    if target.classes is None or target.is_of_sets:  # no label at all can be learned, too
        return False
    return len(np.unique(target.codes[rows])) == 1


def _predict_the_only_class(
    outcome: Outcome, fold: FoldFeatures, target: Target, metrics: tuple[str, ...]
) -> None:
    """Take down what any model predicts that has seen one class: nothing has to be fitted."""
    assert target.classes is not None
    predicted = np.full(len(fold.test), target.codes[fold.train[0]], dtype=np.int32)
    probabilities = None
    if hasattr(outcome.candidate.make(), "predict_proba"):
        probabilities = np.zeros((len(predicted), len(target.classes)))
        probabilities[:, predicted[0]] = 1.0
    ranking = np.zeros(len(predicted))  # none before another
    if len(target.classes) > 2:
        ranking = np.zeros((len(predicted), len(target.classes)))
    scores = held_out_scores(
        metrics, target.codes[fold.test], predicted, probabilities, ranking, target.costs
    )
    outcome.scores.append(scores)
    outcome.settings.append(settings_of(outcome.candidate)[0])
    for seconds in (outcome.fit_seconds, outcome.tune_seconds, outcome.predict_seconds):
        seconds.append(0.0)
    outcome.predicted.append(predicted)
    outcome.probabilities.append(probabilities)
    outcome.rankings.append(ranking)
    outcome.decisions.append(None if probabilities is not None else np.zeros(len(predicted)))


def _new_model(candidate: Candidate, settings: dict[str, Any], target: Target) -> Any:
    model = candidate.make().set_params(**settings)
    if target.task == "ordered" and "categories" in model.get_params():
        assert target.classes is not None
        n_classes = len(target.classes)
        categories = list(range(n_classes)) if candidate.reads_codes else target.classes.tolist()
        model.set_params(categories=categories)
    return model


def _classes_of(candidate: Candidate, target: Target) -> NDArray[Any]:
    assert target.classes is not None
    return np.arange(len(target.classes)) if candidate.reads_codes else target.classes


def choose_view(
    candidate: Candidate,
    fold: FoldFeatures,
    target: Target,
    metric: str,
    seed: int,
    *,
    tune: bool = True,
) -> str | None:
    """Return the way of cutting texts into terms that is best inside a fold.

    A quick model is fitted on each, and scored on what is held out inside the training documents.

    Parameters
    ----------
    candidate : Candidate
        The model.
    fold : FoldFeatures
        The documents.
    target : Target
        All labels.
    metric : str
        The score.
    seed : int
        How to divide them.
    tune : bool, default=True
        Whether to choose; otherwise it is the first.
    """
    return _view_and_models(candidate, fold, target, metric, seed, tune=tune)[0]


def _view_and_models(
    candidate: Candidate,
    fold: FoldFeatures,
    target: Target,
    metric: str,
    seed: int,
    *,
    tune: bool,
) -> tuple[str | None, list[Any]]:
    """Return the view, and the models that judged it: one for each division inside the fold."""
    views = [view for view in candidate.views if view in fold.features.views]
    if not views or fold.features.is_table:
        return None, []
    if len(views) == 1 or not tune:
        return views[0], []
    judge = candidate if candidate.judge is None else replace(candidate, make=candidate.judge)
    weight = weight_and_view(candidate.kind)[0]
    key = (candidate.judge or candidate.name, weight, tuple(views), candidate.reads_codes)

    def best() -> tuple[str, list[Any]]:
        chosen, most, models = views[0], -np.inf, None
        for view in views:
            fitted: list[Any] = []
            one = judge.in_view(view)
            score = _inner_scores(one, [{}], fold, target, metric, seed, fitted=fitted)[0]
            if models is None or score > most:
                chosen, models = view, fitted
                most = score if np.isfinite(score) else -np.inf
        return chosen, models or []

    found: tuple[str, list[Any]] = fold.remember(key, best)
    return found


def choose_settings(
    candidate: Candidate, fold: FoldFeatures, target: Target, metric: str, seed: int
) -> dict[str, Any]:
    """Return the settings with the best score inside the training documents of a fold.

    A fifth of them is held out once more, or three folds are made of few documents. All that
    features learn is learned from the rest, as a grid search over the pipeline would do it.

    Parameters
    ----------
    candidate : Candidate
        The model.
    fold : FoldFeatures
        The documents.
    target : Target
        All labels.
    metric : str
        The score.
    seed : int
        How to divide them.
    """
    return _choose(candidate, fold, target, metric, seed).settings


def _choose(
    candidate: Candidate,
    fold: FoldFeatures,
    target: Target,
    metric: str,
    seed: int,
    *,
    joins: bool = False,
    begun: Sequence[Any] = (),
) -> _Chosen:
    """Return the best settings, and, for what may join an average, decisions made with them.

    Models that are fitted already, one for each division, are not fitted again.
    """
    choices = settings_of(candidate)
    if len(choices) == 1 and not joins:
        return _Chosen(choices[0])
    kept: list[list[Any]] | None = [[] for _ in choices] if joins else None
    scores = _inner_scores(candidate, choices, fold, target, metric, seed, kept, begun)
    best = int(np.nanargmax(scores)) if np.isfinite(scores).any() else 0
    inner = None
    if kept is not None and kept[best] and all(part is not None for part in kept[best]):
        inner = np.vstack(kept[best])
    return _Chosen(choices[best], float(scores[best]), inner)


def _inner_scores(
    candidate: Candidate,
    choices: list[dict[str, Any]],
    fold: FoldFeatures,
    target: Target,
    metric: str,
    seed: int,
    kept: list[list[Any]] | None = None,
    begun: Sequence[Any] = (),
    fitted: list[Any] | None = None,
) -> NDArray[np.float64]:
    """Return the sum of the scores of each choice over the divisions inside a fold.

    `kept` takes the decisions of each choice, and `fitted` the models, where there is one choice.
    `begun` are models that are fitted already, one for each division.
    """
    scores = np.zeros(len(choices))
    if target.is_of_sets:
        return inner_set_scores(candidate, choices, _inside(fold, target, seed), target, metric)
    for place, inner in enumerate(_inside(fold, target, seed)):
        X_train, X_test = inner.of(candidate.kind)
        y = target.learned_by(candidate)[inner.train]
        there = begun[place] if place < len(begun) else None
        models = _models(candidate, choices, target, X_train, y, there)
        for number, model in enumerate(models):
            if fitted is not None:
                fitted.append(model)
            found = _held_out(candidate, model, X_test, target, (metric,))
            codes_there = target.codes[inner.test]
            held_out = held_out_scores((metric,), codes_there, *found, target.costs)
            scores[number] += held_out[metric]
            if kept is not None:
                kept[number].append(decisions_of(model, X_test, _classes_of(candidate, target)))
    return scores


def _inside(fold: FoldFeatures, target: Target, seed: int) -> list[FoldFeatures]:
    """Return the divisions of the training documents, without those that learn one class."""
    codes = target.codes[fold.train]
    found = fold.inside(seed, lambda: _inner_splits(codes, target.task, seed))
    return [inner for inner in found if not _is_one_class(target, inner.train)]


def _add_average(
    outcomes: list[Outcome],
    fold: FoldFeatures,
    target: Target,
    metrics: tuple[str, ...],
    seed: int,
) -> None:
    """Fill in the outcome of the average of a fold from those of its members."""
    members = [outcome.member for outcome in outcomes if outcome.member is not None]
    for outcome in outcomes:
        outcome.member = None
        if outcome.candidate.kind != AVERAGE or outcome.error is not None:
            continue
        if _is_one_class(target, fold.train):
            _predict_the_only_class(outcome, fold, target, metrics)
            outcome.settings[-1] = {}
            continue
        # The same divisions as the members had, in their order.
        codes = [target.codes[inner.test] for inner in _inside(fold, target, seed)]
        found = average_of(members, np.concatenate(codes)) if codes else None
        if found is None:
            outcome.error = "There are no two models whose scores can be averaged."
            continue
        D, P = found.decisions, found.probabilities
        ranking = D[:, 1] - D[:, 0] if D.shape[1] == 2 else D
        predicted = D.argmax(axis=1).astype(np.int32)
        y = target.codes[fold.test]
        scores = held_out_scores(metrics, y, predicted, P, ranking, target.costs)
        outcome.scores.append(scores)
        outcome.settings.append({"of": " + ".join(found.weights)})
        outcome.averages.append(found.weights)
        outcome.fit_seconds.append(found.seconds[0])
        outcome.tune_seconds.append(0.0)
        outcome.predict_seconds.append(found.seconds[1])
        outcome.predicted.append(predicted)
        outcome.probabilities.append(P)
        outcome.rankings.append(ranking)
        outcome.decisions.append(None)


def _models(
    candidate: Candidate,
    choices: list[dict[str, Any]],
    target: Target,
    X: Any,
    y: NDArray[Any],
    begun: Any = None,
) -> Iterator[Any]:
    """Yield a fitted model for each of the settings; that which is fitted already, as it is."""
    *others, last = candidate.grid or [""]
    if candidate.path is not None and choices[0] and others in ([], ["class_weight"]):
        values = candidate.grid[last]
        for settings in choices[:: len(values)]:
            first = {name: settings[name] for name in others}
            yield from candidate.path(_new_model(candidate, first, target), values, X, y)
        return
    for settings in choices:
        model = _new_model(candidate, settings, target)
        is_begun = type(begun) is type(model) and begun.get_params() == model.get_params()
        yield begun if is_begun else model.fit(X, y)


def _inner_splits(codes: Any, task: str, seed: int) -> Folds:
    one = codes.shape[0] >= _ONE_SPLIT_FROM
    if task == "multilabel":
        if codes.shape[0] < 3:
            return []
        fold_of = label_folds(codes, [0.2, 0.8] if one else 3, random_state=seed)
        places = range(1 if one else 3)
        return [(np.flatnonzero(fold_of != k), np.flatnonzero(fold_of == k)) for k in places]
    if task == "continuous":
        splitter: Any = (
            ShuffleSplit(1, test_size=0.2, random_state=seed)
            if one
            else KFold(3, shuffle=True, random_state=seed)
        )
        return list(splitter.split(codes)) if len(codes) >= 3 else []
    smallest = int(np.bincount(codes)[np.unique(codes)].min())
    if one:
        kind = StratifiedShuffleSplit if smallest >= 2 else ShuffleSplit
        splitter = kind(1, test_size=0.2, random_state=seed)
    elif smallest >= 3:
        splitter = StratifiedKFold(3, shuffle=True, random_state=seed)
    elif len(codes) >= _TOO_FEW:  # a class with so few documents cannot be divided
        splitter = KFold(3, shuffle=True, random_state=seed)
    else:
        return []
    return list(splitter.split(codes, codes))


def _held_out(
    candidate: Candidate,
    model: Any,
    X: Any,
    target: Target,
    metrics: tuple[str, ...],
    *,
    kept: bool = False,
) -> tuple[Any, Any, Any]:
    """Return predicted codes, or numbers; probabilities and what ranks documents, if there are any.

    Parameters
    ----------
    candidate : Candidate
        What `model` was made from.
    model : estimator
        Fitted to what `target` gives such a candidate to learn.
    X : matrix or documents
        What to predict.
    target : Target
        All labels.
    metrics : tuple of str
        What the model will be judged by; what none of them needs is left out.
    kept : bool, default=False
        Whether probabilities are of use beyond that.
    """
    if target.classes is None:
        return np.asarray(model.predict(X), dtype=np.float64).ravel(), None, None
    if target.is_of_sets:
        return held_out_sets(model, X, metrics, kept=kept)
    classes = np.arange(len(target.classes)) if candidate.reads_codes else target.classes
    ranked, probabilities = needs_ranking(metrics), None
    if (kept or ranked or needs_probabilities(metrics)) and hasattr(model, "predict_proba"):
        places = codes_among(model.classes_, classes)
        found, P = decisions(model, X)
        predicted = places[np.asarray(found)]
        probabilities = np.zeros((len(P), len(classes)))
        probabilities[:, places] = P
    else:
        predicted = codes_among(model.predict(X), classes)
    ranking = ranking_of(model, X, classes) if ranked else None
    return predicted, probabilities, ranking
