"""Maps compared: pairs from files, their split, precision against VectorMap, missing words."""

import numpy as np
import pytest

from quire.alignment import VectorMap, WordVectors, compare_maps, read_pairs, split_pairs

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 8))
TURN = np.linalg.qr(RNG.normal(size=(8, 8)))[0]
SOURCE = WordVectors([f"s{i}" for i in range(120)], X)
TARGET = WordVectors([f"t{i}" for i in range(120)], X @ TURN + 0.3 * RNG.normal(size=X.shape))
PAIRS = [(f"s{i}", f"t{i}") for i in range(90)]


def write(tmp_path, text, name="pairs.txt"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_files_of_all_kinds(tmp_path):
    expected = [("Côte d'Ivoire", "Yamoussoukro"), ("Peru", "Lima")]
    body = "Côte d'Ivoire{0}Yamoussoukro\nPeru{0}Lima\n\nPeru{0}Lima\n"
    assert read_pairs(write(tmp_path, body.format(","))) == expected
    assert read_pairs(write(tmp_path, body.format("\t"))) == expected
    assert read_pairs(write(tmp_path, "\ufeffcountry,capital\n" + body.format(","))) == expected
    more = 'a,b\n"New York, NY",Albany,3\n'
    assert read_pairs(write(tmp_path, more)) == [("New York, NY", "Albany")]
    assert read_pairs(write(tmp_path, "cat chat\ncat  minou\n")) == [
        ("cat", "chat"),
        ("cat", "minou"),
    ]


def test_headers(tmp_path):
    path = write(tmp_path, "Land,Stadt\ns1,t1\n")
    assert len(read_pairs(path)) == 2
    assert read_pairs(path, vocabularies=(SOURCE, TARGET)) == [("s1", "t1")]
    assert read_pairs(path, header=True) == [("s1", "t1")]
    assert len(read_pairs(write(tmp_path, "source,target\ns1,t1\n"), header=False)) == 2
    assert len(read_pairs(write(tmp_path, "source target\ns1 t1\n"))) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b\nc\n", r"line 2: expected two words, got 'c'\. Words with blanks need"),
        ("a b c\n", "line 1: expected two words"),
        ("a,b\nc,\n", "line 2: expected two words"),
        ("\n \n", "holds no pairs"),
    ],
)
def test_wrong_files(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_pairs(write(tmp_path, text))


def test_files_that_are_not_text(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_bytes(b"a,\xff\n")
    with pytest.raises(ValueError, match=r"is not UTF-8 \(byte 2\)"):
        read_pairs(path)


def test_split_keeps_words_together():
    pairs = [(f"s{i % 20}", f"t{i}") for i in range(60)]
    train, test = split_pairs(pairs, 0.25, random_state=3)
    assert len({s for s, _ in test}) == 5
    assert not {s for s, _ in train} & {s for s, _ in test}
    assert sorted(train + test) == sorted(pairs)
    assert split_pairs(pairs, 0.25, random_state=3) == (train, test)
    assert split_pairs(pairs, 0.25, random_state=4) != (train, test)
    assert [len(part) for part in split_pairs(pairs[:2], 0.99)] == [1, 1]
    with pytest.raises(ValueError, match="expected two or more"):
        split_pairs(pairs[:1])
    with pytest.raises(ValueError, match="test_share is 1"):
        split_pairs(pairs, 1)


def test_precision_is_that_of_the_map_itself():
    told = []
    found = compare_maps(SOURCE, TARGET, PAIRS, ks=(1, 3), progress=told.append)
    train, test = split_pairs(PAIRS)
    assert (found.train_pairs, found.test_pairs) == (train, test)
    assert len(found.scores) == 8
    assert told[:2] == ["Fitting orthogonal", "Searching: orthogonal, csls"]
    for score in found.scores:
        alpha = (0.01, 0.1, 1.0, 10.0, 100.0) if score.method == "ridge" else 1.0
        model = VectorMap(score.method, alpha=alpha).fit(SOURCE, TARGET, train)
        expected = model.precision_at_k(test, (1, 3), retrieval=score.retrieval)
        assert score.precision == pytest.approx(expected)
    best = max(tuple(score.precision.values()) for score in found.scores)
    assert tuple(found.best.precision.values()) == best
    assert found.best_model.method == found.best.method
    table = found.to_frame()
    assert table.columns == ["method", "retrieval", "precision@1", "precision@3", "seconds"]
    assert str(found).count("best") == 1
    assert repr(found).endswith("n_test=30)")


def test_several_partners_and_ranks():
    pairs = [("s1", "t1"), ("s1", "t2"), ("s3", "t3")]
    found = compare_maps(
        SOURCE, TARGET, PAIRS[10:], test_pairs=pairs, methods=["orthogonal"], retrievals=["nearest"]
    )
    listed = found.translations["orthogonal", "nearest"]
    assert [one.word for one in listed] == ["s1", "s3"]
    assert listed[0].right == ["t1", "t2"]
    assert len(listed[0].candidates) == 10
    for one in listed:
        words = [word for word, _ in one.candidates]
        places = [words.index(word) + 1 for word in one.right if word in words]
        assert one.rank == (min(places) if places else None)


def test_missing_words_are_named_and_left_out():
    extra = [("none", "t1"), ("s1", "nothing"), ("none", "nothing")]
    found = compare_maps(SOURCE, TARGET, PAIRS + extra, methods=["orthogonal"])
    assert found.missing_source == ["none"]
    assert found.missing_target == ["nothing"]
    assert len(found.train_pairs) + len(found.test_pairs) == len(PAIRS)
    with pytest.raises(ValueError, match=r"None of the 1 pairs \(none t1\) has vectors for both"):
        compare_maps(SOURCE, TARGET, extra[:1])
    with pytest.raises(ValueError, match="None of the 3 pairs"):
        compare_maps(SOURCE, TARGET, PAIRS, test_pairs=extra)


def test_a_word_is_not_its_own_partner_within_one_space():
    both = WordVectors(
        [*SOURCE.words, *(f"p{i}" for i in range(120))], np.vstack([X, X + 2 * np.eye(8)[0]])
    )
    pairs = [(f"s{i}", f"p{i}") for i in range(60)]
    options = {"methods": ["orthogonal"], "retrievals": ["nearest"], "normalize": False}
    apart = compare_maps(both, both, pairs, **options)
    allowed = compare_maps(both, both, pairs, exclude_self=False, **options)
    words = [
        word for one in apart.translations["orthogonal", "nearest"] for word, _ in one.candidates
    ]
    assert all(
        one.word not in [word for word, _ in one.candidates]
        for one in apart.translations["orthogonal", "nearest"]
    )
    assert len(words) == 10 * 20
    assert apart.best.precision[1] > allowed.best.precision[1]


def test_gradient_takes_the_steps_of_the_notes():
    A, B = X[:40, :5], TARGET.vectors[:40, :4]
    model = VectorMap("gradient", normalize=False, learning_rate=0.002, max_iter=60, tol=0)
    with pytest.warns(UserWarning, match="VectorMap"):
        model.fit(A, B)
    R, losses = np.zeros((5, 4)), []
    for _ in range(60):
        losses.append(float(np.sum((A @ R - B) ** 2)))
        R = R - 0.002 * 2 * A.T @ (A @ R - B)
    np.testing.assert_allclose(model.losses_, losses, rtol=1e-10)
    np.testing.assert_allclose(model.R_, R, atol=1e-12)
