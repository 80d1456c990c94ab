"""Maps of documents: places are principal components, whatever the documents."""

import numpy as np
import pytest
from sklearn.decomposition import PCA as SklearnPCA
from tests.helpers.kinds_of_texts import ODD

from quire.decomposition import map_documents
from quire.feature_extraction.text import TfidfVectorizer


@pytest.fixture(scope="module")
def placed():
    return map_documents(ODD)


def test_places_are_principal_components(placed):
    is_in = ~np.isnan(placed.points[:, 0])
    assert np.flatnonzero(~is_in).tolist() == [120, 121, 122]
    X = placed.vectorizer.transform(ODD)[is_in].toarray()
    expected = SklearnPCA(2).fit(X)
    own = placed.points[is_in]
    theirs = expected.transform(X)
    signs = np.sign((own * theirs).sum(axis=0))
    np.testing.assert_allclose(own, theirs * signs, atol=1e-8)
    axes = placed.axes(3)
    np.testing.assert_allclose(
        [axis.share for axis in axes], expected.explained_variance_ratio_, atol=1e-10
    )
    names = placed.vectorizer.get_feature_names_out()
    order = np.argsort(placed.pca.components_[0], kind="stable")
    assert [one.term for one in axes[0].low] == names[order[:3]].tolist()
    assert [one.term for one in axes[0].high] == names[order[::-1][:3]].tolist()


def test_one_string_is_not_a_corpus():
    with pytest.raises(TypeError, match="one string"):
        map_documents("cat dog")


def test_maps_without_two_directions():
    same = ["cat dog bird"] * 5
    with pytest.raises(ValueError, match="same terms"):
        map_documents(same, vectorizer=TfidfVectorizer())
    with pytest.raises(ValueError, match="at least three"):
        map_documents(["cat dog", "law tax"])
    two = map_documents(["cat dog bird", "law tax vote"] * 5, vectorizer=TfidfVectorizer())
    first, second = two.axes()
    assert first.share == pytest.approx(1)
    assert {term.term for term in first.low} in ({"cat", "dog", "bird"}, {"law", "tax", "vote"})
    assert second.low == second.high == []


def test_places_do_not_depend_on_threads(placed):
    again = map_documents(ODD, n_jobs=1)
    np.testing.assert_array_equal(placed.points, again.points)
