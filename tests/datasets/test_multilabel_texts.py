"""Generated texts of several labels: their model, what is drawn, what is refused."""

import numpy as np
import pytest

from quire.datasets import make_multilabel_texts


def test_labels_have_their_shares_and_their_words():
    data = make_multilabel_texts(4000, n_labels=6, mean_labels=1.2, together=1.0, random_state=0)
    Y = data.labels.indicator.toarray() == 1
    assert Y.shape == (4000, 6)
    assert len(data.texts) == data.X.shape[0] == 4000
    sizes = Y.sum(axis=0)
    assert sizes[0] > sizes[2] > sizes[4]
    assert (Y[Y[:, 1], 0]).all()  # an odd label always brings the one before it
    assert (~Y.any(axis=1)).sum() > 100
    np.testing.assert_allclose(data.phi.sum(axis=1), 1.0)
    for label in range(6):
        rates = np.asarray(data.X[:, data.label_words[label]].sum(axis=1)).ravel()
        assert rates[Y[:, label]].mean() > 2 * rates[~Y[:, label]].mean()


def test_the_same_seed_draws_the_same():
    one, other = (make_multilabel_texts(50, random_state=3) for _ in range(2))
    assert one.texts == other.texts
    assert list(one.labels) == list(other.labels)
    assert make_multilabel_texts(50, random_state=4).texts != one.texts


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_labels": 50}, "n_words is 2000"),
        ({"separation": 0}, "separation must be positive"),
        ({"together": 2}, "together is a probability"),
        ({"mean_labels": 0}, "mean_labels must be positive"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        make_multilabel_texts(10, **options)
