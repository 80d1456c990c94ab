"""Features that folds choose, the average of the best models, one split, and limits."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from quire.datasets import make_text_classification
from quire.ensemble import AveragedClassifier
from quire.model_selection import compare
from quire.model_selection._compare import budget as budget_module
from quire.model_selection._compare import folds as folds_module
from quire.model_selection._compare.average import Member, average_of, most_common_average
from quire.model_selection._compare.budget import Budget, most_promising_first
from quire.model_selection._compare.models import _KNOWN
from quire.model_selection._compare.views import VIEWS, views_of

DATA = make_text_classification(150, n_classes=3, separation=4.0, random_state=3)
TEXTS, LABELS = list(DATA.texts), np.array(["a", "b", "c"])[DATA.y]
RNG = np.random.default_rng(5)


def orders():
    """Texts whose words are the same in both classes, in another order."""
    words = [f"w{k}" for k in range(30)]
    texts, labels = [], []
    for k in range(160):
        filler = RNG.choice(words, 6).tolist()
        pair = ["good", "not"] if k % 2 else ["not", "good"]
        texts.append(" ".join([*filler[:3], *pair, *filler[3:]]))
        labels.append("yes" if k % 2 else "no")
    return texts, labels


PAIRS = [
    (model, view)
    for model in ("linear-svm", "multinomial-nb", "nb-logistic", "relevance-svm", "character-svm")
    for view in _KNOWN[model].views
]


@pytest.mark.parametrize(("model", "view"), PAIRS)
def test_a_fold_gives_what_the_pipeline_gives(model, view):
    found = compare(TEXTS, LABELS, model, cv=3, features=[view], tune=False, refit=False)
    trial = found[model]
    for train, test in found.folds:
        fitted = clone(trial.estimator).fit([TEXTS[row] for row in train], LABELS[train])
        expected = fitted.predict([TEXTS[row] for row in test])
        np.testing.assert_array_equal(np.array(trial.predictions)[test], expected)


def test_n_grams_are_chosen_where_order_matters():
    texts, labels = orders()
    found = compare(texts, labels, ["linear-svm", "nb-logistic", "multinomial-nb"], cv=4)
    for name in ("linear-svm", "multinomial-nb"):
        assert {one["features"] for one in found[name].settings} == {"tokens-2"}
        assert found[name].scores["accuracy"].mean() > 0.9
    words = compare(texts, labels, "linear-svm", cv=4, features="words")
    assert words.best.scores["accuracy"].mean() < 0.7
    assert "features" not in words.best.settings[0]
    assert (found.model.predict(texts) == np.array(labels)).mean() > 0.95


def test_the_same_bits_with_any_number_of_threads():
    one, two = (compare(TEXTS, LABELS, cv=3, n_jobs=n, refit=False) for n in (1, 2))
    assert [trial.name for trial in one] == [trial.name for trial in two]
    for first, second in zip(one, two, strict=True):
        assert first.settings == second.settings
        np.testing.assert_array_equal(first.predictions, second.predictions)


def test_the_average_is_one_model():
    found = compare(TEXTS, LABELS, ["linear-svm", "multinomial-nb", "logistic", "average"], cv=3)
    trial = found["average"]
    assert isinstance(trial.estimator, AveragedClassifier)
    names = [name for name, _ in trial.estimator.estimators]
    assert 2 <= len(names) <= 3
    assert any(set(one["of"].split(" + ")) == set(names) for one in trial.settings)
    np.testing.assert_allclose(trial.probabilities.sum(axis=1), 1.0)
    train, test = found.folds[0]
    if set(trial.settings[0]["of"].split(" + ")) == set(names):
        fitted = clone(trial.estimator).fit([TEXTS[row] for row in train], LABELS[train])
        agree = fitted.predict([TEXTS[row] for row in test]) == np.array(trial.predictions)[test]
        assert agree.mean() > 0.9  # settings and weights are those of most folds
    json.dumps(found.to_dict())
    assert str(found)


def test_an_average_needs_two_models():
    found = compare(TEXTS, LABELS, ["logistic", "average"], cv=3, refit=False)
    assert "no two models" in found["average"].error
    assert "average" not in [t.name for t in compare(TEXTS, LABELS, cv=3, features="words")]


def test_members_of_an_average_are_made_equally_loud():
    codes = np.array([0, 1] * 50)
    truth = np.where(codes == 1, 1.0, -1.0)
    quiet, loud = truth + RNG.normal(size=100), 1000 * (truth + RNG.normal(size=100))
    members = [
        Member(name, score, np.column_stack([-s, s]) / 2, np.column_stack([-s, s]) / 2, (1.0, 2.0))
        for name, score, s in (("quiet", 0.9, quiet), ("loud", 0.8, loud))
    ]
    found = average_of(members, codes)
    assert found.weights["quiet"] / found.weights["loud"] == pytest.approx(
        loud.std() / quiet.std(), rel=0.1
    )
    assert found.seconds == (2.0, 4.0)
    own = found.probabilities[np.arange(100), codes]
    for factor in (0.5, 2.0):  # no other scale says the classes better
        P = 1 / (1 + np.exp(-factor * (found.decisions[:, 1] - found.decisions[:, 0]) * truth))
        assert np.log(own).mean() > np.log(P).mean()
    assert average_of(members[:1], codes) is None
    flat = Member("flat", 1.0, np.zeros((100, 2)), np.zeros((100, 2)), (0.0, 0.0))
    assert average_of([flat, members[0]], codes) is None


def test_most_folds_decide_what_is_averaged():
    folds = [{"a": 1.0, "b": 2.0}, {"b": 4.0, "a": 3.0}, {"a": 9.0, "c": 9.0}]
    assert most_common_average(folds) == {"a": 2.0, "b": 3.0}


def test_own_ways_of_counting_are_kept():
    for own in ({"ngram_range": (1, 2)}, {"min_df": 3}, {"max_features": 50}):
        found = compare(TEXTS, LABELS, ["logistic", "linear-svm"], cv=3, refit=False, **own)
        assert all("features" not in one for trial in found for one in trial.settings)


def test_what_does_not_fit_is_said():
    with pytest.raises(ValueError, match="no features called 'token'; choose 'auto' or from words"):
        compare(TEXTS, LABELS, features="token")
    with pytest.raises(ValueError, match="features is empty"):
        compare(TEXTS, LABELS, features=[])


def test_features_beyond_the_memory_are_left_out():
    texts = [pl.Series(TEXTS)]
    given = VIEWS["tokens"].vectorizer(
        __import__("quire").feature_extraction.text.CountVectorizer()
    )
    everything, notes = views_of("auto", texts, given, is_own=False, memory=1e12)
    assert everything == tuple(VIEWS)
    assert notes == []
    few, notes = views_of("auto", texts, given, is_own=False, memory=1.0)
    assert few == ("words",)
    assert "left out for want of memory: tokens (about" in notes[-1]


class Clock:
    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(budget_module, "perf_counter", lambda: self.now)


def test_models_go_on_from_the_best_down(monkeypatch):
    clock = Clock(monkeypatch)
    budget = Budget(1.0, 3)
    for name, seconds, score in (("a", 5.0, 0.9), ("b", 10.0, 0.7), ("c", 20.0, 0.8)):
        assert budget.allows(name)
        clock.now += seconds
        budget.spent(name, seconds, score)
    budget.plan()  # 35 of 60 seconds are gone, and two folds are left
    assert [budget.allows(name) for name in "abc"] == [True, False, False]


def test_the_first_fold_ends_when_the_time_is_up(monkeypatch):
    clock = Clock(monkeypatch)
    budget = Budget(0.5, 5)
    assert budget.allows("a")
    clock.now = 31.0
    budget.spent("a", 31.0, 0.5)
    assert not budget.allows("b")
    free = Budget(None, 5)
    clock.now = 1e9
    assert free.allows("b")


def test_time_is_kept_for_the_longest_model_and_the_last_fit(monkeypatch):
    clock = Clock(monkeypatch)
    budget = Budget(1.0, 1, start=-10.0, growth=2.0)  # ten seconds were taken before
    assert budget.allows("a")
    clock.now = 15.0
    budget.spent("a", 15.0, 0.5, fit_seconds=5.0)
    assert budget.allows("b")  # 25 + 15 + 2 x 5 of 60
    clock.now = 26.0
    budget.spent("b", 11.0, 0.5, fit_seconds=1.0)
    assert not budget.allows("c")  # 36 + 15 + 2 x 6


def test_most_promising_first():
    names = ["majority", "mine", "multinomial-nb", "linear-svm"]
    assert most_promising_first(names) == [3, 2, 0, 1]


def test_the_most_promising_have_their_turn_first_within_minutes():
    models = ["multinomial-nb", "logistic", "linear-svm"]
    found = compare(TEXTS, LABELS, models, cv=3, minutes=1e-9, n_jobs=1)
    assert found.best.name == "linear-svm"
    assert [trial.name for trial in found if trial.error is None] == ["linear-svm"]


def test_a_comparison_within_minutes():
    found = compare(TEXTS, LABELS, ["multinomial-nb", "logistic"], cv=3, minutes=1e-9, n_jobs=1)
    assert found["logistic"].error is None
    assert "left out for want of time" in found["multinomial-nb"].error


def test_one_split():
    split = np.array(["train"] * 100 + ["test"] * 50)
    found = compare(TEXTS, LABELS, ["linear-svm", "multinomial-nb", "average"], split=split)
    assert len(found.folds) == 1
    np.testing.assert_array_equal(found.folds[0][1], np.arange(100, 150))
    assert all(len(trial.scores["accuracy"]) == 1 for trial in found)
    interval = found.interval(found.best)
    assert 0 <= interval.low < found.best.scores["accuracy"][0] < interval.high <= 1
    table = pl.DataFrame({"text": TEXTS, "label": LABELS, "part": split})
    named = compare(table, "label", ["linear-svm", "multinomial-nb", "average"], split="part")
    np.testing.assert_array_equal(named.best.predictions, found.best.predictions)


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (["train"] * 150, "says 'train' of every document"),
        (["train"] * 100 + ["dev"] * 50, "split says 'dev'; expected 'train' or 'test'"),
        (["train", "test"], "150 documents and 2 entries"),
    ],
)
def test_no_split(split, message):
    with pytest.raises(ValueError, match=message):
        compare(TEXTS, LABELS, "logistic", split=split)


def test_columns_beside_texts_have_views_too():
    table = pl.DataFrame({"text": TEXTS, "x": RNG.normal(size=150), "y": LABELS})
    found = compare(table, "y", cv=3)
    assert "relevance-svm" not in [trial.name for trial in found]
    assert all(trial.error is None for trial in found)
    assert len(found.model.predict(table.drop("y"))) == 150


def test_models_that_judged_features_are_not_fitted_again(monkeypatch):
    models = ["linear-svm", "relevance-svm", "nb-logistic", "average"]
    fits = []
    original = folds_module._models

    def counted(candidate, choices, target, X, y, begun=None):
        for model in original(candidate, choices, target, X, y, begun):
            fits.append(model is begun)
            yield model

    monkeypatch.setattr(folds_module, "_models", counted)
    found = compare(TEXTS, LABELS, models, cv=3, n_jobs=1)
    assert 0 < sum(fits) < len(fits)
    known = folds_module._view_and_models
    monkeypatch.setattr(
        folds_module,
        "_view_and_models",
        lambda *given, **options: (known(*given, **options)[0], []),
    )
    fits.clear()
    again = compare(TEXTS, LABELS, models, cv=3, n_jobs=1)
    assert not any(fits)
    for one in found:
        other = again[one.name]
        assert one.settings == other.settings
        np.testing.assert_array_equal(one.scores["accuracy"], other.scores["accuracy"])
