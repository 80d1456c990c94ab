"""Whole numbers as labels: codes where they behave like codes, measures otherwise."""

import numpy as np
import pytest

from quire._shared.numbered_classes import numbered_classes
from quire.model_selection import compare, guess_task
from quire.model_selection._compare.task import target_of

# The major topics of the Comparative Agendas Project: gaps at 11, 22, 25, 30 and up to 99.
TOPICS = [*range(1, 11), *range(12, 22), 23, 24, 26, 27, 28, 29, 31, 99]
rng = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (rng.choice(TOPICS, 3104), ""),
        (rng.choice(TOPICS, 3104).astype(float), "major"),
        (rng.choice(500, 20_000), "industry_code"),
        (np.arange(300) % 30, ""),  # numbered through, each ten times
        (np.repeat([1, 2, 3], 5), "age"),  # so few that they are groups
        (np.array([0, 1]), ""),
    ],
)
def test_codes_are_classes(values, name):
    assert numbered_classes(values, name)[0]


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (rng.integers(18, 90, 30_000), "age"),
        (rng.integers(18, 90, 30_000), ""),
        (np.append(rng.integers(18, 90, 30_000), [-99] * 500 + [-9] * 500), ""),  # missing codes
        (rng.poisson(9, 5000), ""),
        (rng.geometric(0.02, 20_000), ""),  # gaps, but only among rare values
        (rng.integers(1, 400, 500) * 5, "price"),
        (rng.choice([5, 10, 20, 25, 30, 50, 75, *range(100, 2000, 100)], 9000), "amount"),
        (rng.integers(1900, 2021, 50_000) // 4 * 4, ""),  # every fourth: no gaps
        (np.arange(15), ""),  # none comes again
    ],
)
def test_measures_are_numbers(values, name):
    assert not numbered_classes(values, name)[0]


def test_the_decision_is_said_with_its_reason_and_the_other_choice():
    task, reason = guess_task(rng.choice(TOPICS, 3104), name="major")
    assert task == "multiclass"
    assert "28 whole numbers from 1 to 99 with gaps" in reason
    assert "111 rows of each" in reason
    assert "task='ordered' or task='continuous'" in reason
    task, reason = guess_task(rng.integers(18, 90, 3000), name="age")
    assert (task, "task='multiclass'" in reason) == ("continuous", True)
    assert guess_task(["a", "b", "a"]) == ("binary", "")


def test_guesses_are_those_of_compare():
    for y in (rng.choice(TOPICS, 3104), rng.poisson(9, 500), [0.5, 1.5], ["x", "y", "z"]):
        assert guess_task(y)[0] == target_of(y).task


def test_notes_are_told_before_the_work_and_a_guessed_task_is_named_in_errors():
    texts = [f"word{n % 7} word{n % 5}" for n in range(200)]
    y = rng.integers(18, 90, 200)
    told = []
    with pytest.raises(ValueError, match=r"cannot do the task 'continuous'.*The task was guessed"):
        compare(texts, y, models=["multinomial-nb"], tell=told.append)
    found = compare(texts, y, models=["mean"], tell=told.append, checks=False)
    assert told == list(found.notes)
    assert "task: continuous" in told[0]
