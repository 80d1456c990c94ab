"""The formulas of the lecture notes, worked out by hand beside what quire computes."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import laplace, norm
from sklearn.model_selection import train_test_split

from quire.cluster import KMeans
from quire.datasets import load_chinese_documents, load_word_tables, make_lda_corpus
from quire.decomposition import PCA
from quire.feature_extraction.text import CountVectorizer
from quire.linear_model import (
    ElasticNet,
    Lasso,
    LogisticRegression,
    OrdinalRegression,
    Ridge,
)
from quire.mixture import GaussianMixture
from quire.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from quire.neighbors import KNeighborsRegressor
from quire.optimize import LogisticLoss
from quire.svm import SVC, SVR
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor

TEXTS = ["a b a c", "b b c", "c a d d", "a a a b c"]
CLASSES = ["x", "y", "y", "x"]


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def two_classes(n=60, seed=0):
    """Rows of three columns and noisy classes 0 and 1, which no plane tells apart."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X @ [1.0, -1.0, 0.5] + rng.logistic(size=n) > 0).astype(int)
    return X, y


def counted(alpha=1.0, **options):
    """The documents above as lists of tokens and as a fitted model."""
    vectorizer = CountVectorizer(token_pattern=r"\w")
    X = vectorizer.fit_transform(TEXTS)
    model = MultinomialNB(alpha=alpha, **options).fit(X, CLASSES)
    return [text.split() for text in TEXTS], X, model, list(vectorizer.get_feature_names_out())


# Topics.


def test_high_alpha_mixes_topics_and_high_beta_makes_them_alike():
    def draw(alpha, beta):
        return make_lda_corpus(400, n_topics=5, n_words=50, alpha=alpha, beta=beta, random_state=0)

    few, many = draw(0.05, 0.1), draw(5.0, 0.1)
    assert few.theta.max(axis=1).mean() > 0.85
    assert many.theta.max(axis=1).mean() < 0.4
    apart, alike = draw(0.1, 0.05), draw(0.1, 50.0)

    def overlap(phi):
        return np.mean([np.minimum(phi[i], phi[j]).sum() for i in range(5) for j in range(i)])

    assert overlap(alike.phi) > 0.8 > 0.4 > overlap(apart.phi)


# Naive Bayes.


def test_a_document_feature_matrix_counts_tokens():
    tokens, X, _, terms = counted()
    for row, words in zip(X.toarray(), tokens, strict=True):
        assert row.tolist() == [Counter(words)[term] for term in terms]


def test_maximum_likelihood_is_the_share_of_tokens():
    tokens, _, model, terms = counted(alpha=0.0)
    for k, label in enumerate(model.classes_):
        words = [w for ws, y in zip(tokens, CLASSES, strict=True) if y == label for w in ws]
        share = [words.count(term) / len(words) for term in terms]
        np.testing.assert_allclose(np.exp(model.feature_log_prob_[k]), share, rtol=1e-13)


@pytest.mark.parametrize("lam", [0.3, 1.0, 7.0])
def test_smoothing_adds_lambda_to_every_word(lam):
    tokens, _, model, terms = counted(alpha=lam)
    for k, label in enumerate(model.classes_):
        words = [w for ws, y in zip(tokens, CLASSES, strict=True) if y == label for w in ws]
        smooth = [(words.count(t) + lam) / (len(words) + len(terms) * lam) for t in terms]
        np.testing.assert_allclose(np.exp(model.feature_log_prob_[k]), smooth, rtol=1e-13)


def test_a_document_is_the_product_of_its_tokens():
    tokens, X, model, terms = counted()
    joint = np.empty((len(tokens), 2))
    for d, words in enumerate(tokens):
        for k in range(2):
            p = np.exp(model.feature_log_prob_[k])
            joint[d, k] = 0.5 * math.prod(p[terms.index(word)] for word in words)
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(X)), joint, rtol=1e-12)
    np.testing.assert_allclose(
        model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-12
    )


def test_the_class_has_the_largest_sum_of_logarithms():
    _, X, model, _ = counted()
    score = X.toarray() @ model.feature_log_prob_.T + model.class_log_prior_
    assert model.predict(X).tolist() == model.classes_[score.argmax(axis=1)].tolist()
    # The posterior needs the other scores less one's own.
    for d, s in enumerate(score):
        for k in range(2):
            others = sum(math.exp(s[m] - s[k]) for m in range(2) if m != k)
            np.testing.assert_allclose(model.predict_proba(X)[d, k], 1 / (1 + others), rtol=1e-12)


def test_logarithms_do_not_underflow():
    _, _, model, _ = counted()
    long = np.array([[900, 900, 900, 900]])
    assert np.prod(np.exp(model.feature_log_prob_[0]) ** long[0]) == 0
    assert np.isfinite(model.predict_joint_log_proba(long)).all()
    assert model.predict_proba(long).sum() == pytest.approx(1)


def test_evidence_is_the_prior_and_a_weight_for_each_token():
    example = load_chinese_documents()
    model = MultinomialNB().fit_text(example.texts, example.labels)
    X = model.vectorizer_.transform([example.test_text])
    evidence = model.evidence(X)
    parts = evidence.contributions("c", "not c").toarray()[0]
    column = model.vectorizer_.vocabulary_
    assert parts[column["chinese"]] == pytest.approx(3 * math.log((3 / 7) / (2 / 9)))
    assert parts[column["tokyo"]] == pytest.approx(math.log((1 / 14) / (2 / 9)))
    total = math.log((3 / 4) / (1 / 4)) + parts.sum()
    assert evidence.log_odds("c", "not c")[0] == pytest.approx(total)


def test_the_ratio_of_two_classes():
    _, X, model, _ = counted()
    p = model.predict_proba(X)
    ratio = p[:, 0] / p[:, 1]
    by_hand = np.exp(
        X.toarray() @ (model.feature_log_prob_[0] - model.feature_log_prob_[1])
        + model.class_log_prior_[0]
        - model.class_log_prior_[1]
    )
    np.testing.assert_allclose(ratio, by_hand, rtol=1e-12)
    assert (model.predict(X) == np.where(ratio > 1, *model.classes_)).all()


def test_presence_of_every_word_in_one_model_for_each_class():
    tables = load_word_tables()
    other = np.array([[0, 0, 1, 0], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]])
    X, y = np.vstack([tables.presence, other]), [1] * 4 + [-1] * 4
    model = BernoulliNB(alpha=0.5, class_prior="uniform").fit(X, y)
    score = {}
    for label in (1, -1):
        rows = X[np.array(y) == label]
        a = (rows.sum(axis=0) + 0.5) / (len(rows) + 1)
        score[label] = np.prod(a**X * (1 - a) ** (1 - X), axis=1)
    assert model.predict(X).tolist() == np.where(score[1] > score[-1], 1, -1).tolist()
    np.testing.assert_allclose(np.exp(model.log_likelihood(X)[:, 1]), score[1], rtol=1e-12)


def test_the_share_is_the_maximum_under_the_constraint():
    counts = np.array([1, 1, 1, 1, 1, 5])
    best = np.exp(MultinomialNB(alpha=0).fit([counts], [0]).feature_log_prob_[0])
    np.testing.assert_allclose(counts / best, counts.sum())  # one multiplier for all
    rng = np.random.default_rng(0)
    for other in rng.dirichlet(np.ones(6), size=200):
        assert counts @ np.log(other) < counts @ np.log(best)


def test_log_likelihood_of_counted_documents():
    tables = load_word_tables()
    model = MultinomialNB(alpha=0).fit(tables.counts, [0] * 4)
    p = np.exp(model.feature_log_prob_[0])
    for X, found in zip(tables.counts, model.log_likelihood(tables.counts), strict=True):
        orders = math.factorial(int(X.sum())) / math.prod(math.factorial(int(x)) for x in X)
        assert math.exp(found[0]) == pytest.approx(orders * np.prod(p**X))


def test_posterior_of_categories_is_prior_times_shares_over_evidence():
    X = np.array([[0, 1], [0, 0], [1, 1], [1, 1], [1, 0]])
    y = np.array(["red", "red", "green", "green", "green"])
    model = CategoricalNB(alpha=0).fit(X, y)
    x = [1, 0]
    joint = []
    for label in model.classes_:
        rows = X[y == label]
        joint.append(len(rows) / 5 * np.prod([(rows[:, j] == x[j]).mean() for j in range(2)]))
    np.testing.assert_allclose(model.predict_proba([x])[0], np.array(joint) / sum(joint))
    assert model.predict([x])[0] == model.classes_[np.argmax(joint)]


def test_columns_that_are_not_independent_are_counted_twice():
    X, y = two_classes(400)
    twice = np.column_stack([X[:, 0], X[:, 0], X[:, 1:]])
    once_sure = np.abs(GaussianNB().fit(X, y).predict_log_proba(X)[:, 1]).mean()
    twice_sure = np.abs(GaussianNB().fit(twice, y).predict_log_proba(twice)[:, 1]).mean()
    assert twice_sure > 1.1 * once_sure
    plain = LogisticRegression(C=1e6, tol=1e-8).fit(X, y).predict_proba(X)
    copied = LogisticRegression(C=1e6, tol=1e-8).fit(twice, y).predict_proba(twice)
    np.testing.assert_allclose(copied, plain, atol=1e-5)


def test_a_pseudocount_for_each_value_of_x():
    # Three values, two classes: the denominator has 3 alpha, not 2 alpha.
    x = np.array([0, 0, 1, 2, 2, 2])
    y = np.array([0, 0, 0, 1, 1, 1])
    model = CategoricalNB(alpha=2.0, min_categories=3).fit(x[:, None], y)
    smooth = [[(np.sum(x[y == k] == v) + 2) / (3 + 3 * 2) for v in range(3)] for k in range(2)]
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0]), smooth)


@pytest.mark.parametrize("alpha", [1, 3])
def test_a_pseudocount_is_as_many_more_trials(alpha):
    X = np.array([[0], [0], [1], [2], [2]])
    y = np.array([0, 0, 0, 1, 1])
    smooth = CategoricalNB(alpha=alpha).fit(X, y)
    more = np.tile(np.array([[v, k] for v in range(3) for k in range(2)]), (alpha, 1))
    longer = CategoricalNB(alpha=0).fit(np.vstack([X, more[:, :1]]), np.append(y, more[:, 1]))
    np.testing.assert_allclose(smooth.feature_log_prob_[0], longer.feature_log_prob_[0])


def test_measurements_have_a_normal_density_in_each_class():
    X, y = two_classes(80)
    model = GaussianNB(var_smoothing=0).fit(X, y)
    joint = np.column_stack(
        [
            np.mean(y == k)
            * norm.pdf(X, X[y == k].mean(axis=0), X[y == k].std(axis=0)).prod(axis=1)
            for k in (0, 1)
        ]
    )
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(X)), joint, rtol=1e-10)


def test_opinions_are_told_by_their_words():
    texts = ["a warm film", "warm and clever", "a dull plot", "dull and long"]
    model = MultinomialNB().fit_text(texts, ["for", "for", "against", "against"])
    assert model.to_pipeline().predict(["so warm", "so dull"]).tolist() == ["for", "against"]
    assert [terms[0].term for terms in model.top_terms(1).values()] == ["dull", "warm"]


# Logistic regression.


def test_softmax_and_its_log_likelihood():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), np.arange(90) % 3
    X[:, 0] += y
    model = LogisticRegression(C=1.0, tol=1e-10).fit(X, y)

    def log_likelihood(W, b):
        scores = X @ W.T + b
        return (scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))[np.arange(90), y]

    W, b = model.coef_, model.intercept_
    np.testing.assert_allclose(
        log_likelihood(W, b), model.predict_log_proba(X)[np.arange(90), y], rtol=1e-10
    )
    best = log_likelihood(W, b).sum() - (W**2).sum() / 2
    for step in rng.normal(scale=0.05, size=(50, 3, 4)):
        other = log_likelihood(W + step[:, :3], b + step[:, 3]).sum()
        assert other - ((W + step[:, :3]) ** 2).sum() / 2 < best


def test_log_odds_are_linear_and_probabilities_a_sigmoid():
    X, y = two_classes()
    model = LogisticRegression().fit(X, y)
    p = model.predict_proba(X)[:, 1]
    beta, beta_0 = model.coef_[0], model.intercept_[0]
    np.testing.assert_allclose(np.log(p / (1 - p)), X @ beta + beta_0, atol=1e-12)
    np.testing.assert_allclose(p, sigmoid(X @ beta + beta_0), rtol=1e-12)


def test_the_boundary_of_logistic_regression_is_a_plane():
    X, y = two_classes()
    model = LogisticRegression().fit(X, y)
    w, w_0 = model.coef_[0], model.intercept_[0]
    on_it = X - np.outer((X @ w + w_0) / (w @ w), w)
    np.testing.assert_allclose(model.predict_proba(on_it), 0.5, atol=1e-12)
    assert (model.predict(X) == (X @ w + w_0 > 0)).all()


@pytest.mark.parametrize("lam", [0.05, 0.7])
def test_a_normal_prior_is_a_square_penalty(lam):
    X, y = two_classes()
    model = LogisticRegression(C=1 / (2 * lam), tol=1e-10).fit(X, y)

    def log_posterior(beta, intercept):
        likelihood = np.log(sigmoid(np.where(y == 1, 1, -1) * (X @ beta + intercept))).sum()
        return likelihood + norm.logpdf(beta, scale=math.sqrt(1 / (2 * lam))).sum()

    best = log_posterior(model.coef_[0], model.intercept_[0])
    for step in np.random.default_rng(0).normal(scale=0.02, size=(200, 4)):
        assert log_posterior(model.coef_[0] + step[:3], model.intercept_[0] + step[3]) < best


@pytest.mark.parametrize("lam", [0.5, 4.0])
def test_a_laplace_prior_is_an_absolute_penalty(lam):
    X, y = two_classes()
    model = LogisticRegression(C=1 / lam, l1_ratio=1.0, solver="auto", tol=1e-10).fit(X, y)

    def log_posterior(beta, intercept):
        likelihood = np.log(sigmoid(np.where(y == 1, 1, -1) * (X @ beta + intercept))).sum()
        return likelihood + laplace.logpdf(beta, scale=1 / lam).sum()

    best = log_posterior(model.coef_[0], model.intercept_[0])
    for step in np.random.default_rng(0).normal(scale=0.02, size=(200, 4)):
        assert log_posterior(model.coef_[0] + step[:3], model.intercept_[0] + step[3]) < best


def test_an_absolute_penalty_sets_coefficients_to_zero():
    X, y = two_classes()
    X = np.column_stack([X, np.random.default_rng(1).normal(size=(60, 5))])
    lam = 6.0
    model = LogisticRegression(C=1 / lam, l1_ratio=1.0, solver="auto", tol=1e-10).fit(X, y)
    slope = X.T @ (y - model.predict_proba(X)[:, 1])
    zero = model.coef_[0] == 0
    assert 2 <= zero.sum() < 8
    assert (np.abs(slope[zero]) <= lam + 1e-6).all()
    np.testing.assert_allclose(slope[~zero], lam * np.sign(model.coef_[0][~zero]), atol=1e-4)


def test_the_elastic_net_has_both_penalties():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6))
    y = X[:, 0] - X[:, 1] + 0.2 * rng.normal(size=50)
    model = ElasticNet(alpha=0.2, l1_ratio=0.4, tol=1e-12, fit_intercept=False).fit(X, y)
    w = model.coef_
    slope = X.T @ (y - X @ w) / 50 - 0.2 * 0.6 * w
    used = w != 0
    np.testing.assert_allclose(slope[used], 0.2 * 0.4 * np.sign(w[used]), atol=1e-8)
    assert (np.abs(slope[~used]) <= 0.2 * 0.4 + 1e-8).all()
    both = LogisticRegression(C=0.1, l1_ratio=0.5, solver="auto").fit(X, y > 0)
    assert 0 < np.count_nonzero(both.coef_) < 6


@pytest.mark.parametrize("lam", [0.05, 0.7])
def test_the_lambda_of_a_summed_likelihood_is_half_of_one_over_c(lam):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 3)), np.arange(80) % 3
    X[:, 0] += y
    share = np.eye(3)[y]
    square = LogisticRegression(C=1 / (2 * lam), tol=1e-10).fit(X, y)
    slope = (share - square.predict_proba(X)).T @ X - 2 * lam * square.coef_
    np.testing.assert_allclose(slope, 0, atol=1e-6)
    absolute = LogisticRegression(C=1 / lam, l1_ratio=1.0, solver="auto", tol=1e-10).fit(X, y)
    slope = (share - absolute.predict_proba(X)).T @ X
    used = absolute.coef_ != 0
    np.testing.assert_allclose(slope[used], lam * np.sign(absolute.coef_[used]), atol=1e-3)
    assert (np.abs(slope) <= lam + 1e-3).all()


def test_the_error_of_labels_plus_and_minus_one():
    X, y = two_classes()
    t = np.where(y == 1, 1, -1)
    loss = LogisticLoss(X, y, fit_intercept=False)
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10).fit(X, y)
    rng = np.random.default_rng(0)
    for w in (np.zeros(3), rng.normal(size=3), model.coef_[0]):
        likelihood = sigmoid(t * (X @ w))  # of each row, whichever its label is
        np.testing.assert_allclose(likelihood, np.where(y == 1, sigmoid(X @ w), sigmoid(-X @ w)))
        error = np.log(1 + np.exp(-t * (X @ w))).sum()
        assert error == pytest.approx(-np.log(likelihood).sum())
        assert loss.value(w) == pytest.approx(error / len(y))
    for other in rng.normal(size=(50, 3)):  # the maximum of the likelihood is the minimum of this
        assert loss.value(other) > loss.value(model.coef_[0])
        middle = (other + model.coef_[0]) / 2  # and convex
        assert loss.value(middle) <= (loss.value(other) + loss.value(model.coef_[0])) / 2


def test_gradient_and_hessian_of_the_error():
    X, y = two_classes()
    t = np.where(y == 1, 1, -1)
    for w in np.random.default_rng(0).normal(size=(5, 3)):
        point = LogisticLoss(X, y, fit_intercept=False).at(w)
        s = sigmoid(t * (X @ w))
        with_signs = -((1 - s) * t) @ X
        with_zeros = (sigmoid(X @ w) - y) @ X  # the second form: labels 0 and 1
        np.testing.assert_allclose(with_signs, with_zeros)
        np.testing.assert_allclose(point.gradient * len(y), with_signs)
        np.testing.assert_allclose(point.hessian() * len(y), (X.T * (s * (1 - s))) @ X)


@pytest.mark.parametrize("lam", [0.1, 2.0])
def test_the_regularised_error_of_labels_plus_and_minus_one(lam):
    X, y = two_classes()
    t = np.where(y == 1, 1, -1)
    model = LogisticRegression(C=1 / (2 * lam), fit_intercept=False, tol=1e-10).fit(X, t)
    w = model.coef_[0]
    gradient = -((1 - sigmoid(t * (X @ w))) * t) @ X + 2 * lam * w
    np.testing.assert_allclose(gradient, 0, atol=1e-6)


@pytest.mark.parametrize(("link", "F"), [("logit", sigmoid), ("probit", norm.cdf)])
def test_thresholds_cut_a_latent_scale(link, F):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.digitize(X @ [1.0, -0.5] + rng.logistic(size=120), [-1, 0.5])
    model = OrdinalRegression(link=link).fit(X, y)
    below = F(model.thresholds_ - (X @ model.coef_)[:, None])
    np.testing.assert_allclose(model.predict_proba(X).cumsum(axis=1)[:, :2], below, atol=1e-10)


# Least squares.


def some_numbers():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 5))
    return X, X @ [2.0, -1.0, 0, 0, 0.3] + rng.normal(size=40)


@pytest.mark.parametrize("lam", [0.01, 0.5])
def test_ridge_needs_the_number_of_rows(lam):
    X, y = some_numbers()
    N = len(y)
    theta = Ridge(alpha=N * lam, fit_intercept=False).fit(X, y).coef_
    np.testing.assert_allclose(theta, np.linalg.solve(X.T @ X + N * lam * np.eye(5), X.T @ y))
    # The gradient of the regularised risk with 1/(2N) in front, and with 1/n and no half.
    np.testing.assert_allclose(-X.T @ (y - X @ theta) / N + lam * theta, 0, atol=1e-12)
    np.testing.assert_allclose(2 * X.T @ (X @ theta - y) / N + 2 * lam * theta, 0, atol=1e-12)
    without_n = np.linalg.solve(X.T @ X + lam * np.eye(5), X.T @ y)
    assert np.abs(-X.T @ (y - X @ without_n) / N + lam * without_n).max() > 0.3 * lam


def test_a_penalty_raises_the_empirical_risk():
    X, y = some_numbers()
    risks = []
    for lam in (0.0, 0.01, 0.1, 1.0, 10.0):
        theta = Ridge(alpha=len(y) * lam, fit_intercept=False).fit(X, y).coef_
        risks.append(np.mean((y - X @ theta) ** 2))
    assert (np.diff(risks) > 0).all()


@pytest.mark.parametrize("lam", [0.1, 1.0])
def test_the_lasso_of_the_mean_square(lam):
    X, y = some_numbers()
    w = Lasso(alpha=lam / 2, fit_intercept=False, tol=1e-12).fit(X, y).coef_
    slope = 2 * X.T @ (y - X @ w) / len(y)
    used = w != 0
    np.testing.assert_allclose(slope[used], lam * np.sign(w[used]), atol=1e-8)
    assert (np.abs(slope[~used]) <= lam + 1e-8).all()
    assert (~used).any()


# Support vectors and neighbours.


def kernel_by_hand(name, X, Z):
    if name == "linear":
        return X @ Z.T
    if name == "poly":
        return (1 + X @ Z.T) ** 2
    sigma = 0.8
    return np.array([[math.exp(-((x - z) @ (x - z)) / (2 * sigma**2)) for z in Z] for x in X])


KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0},
    "rbf": {"kernel": "rbf", "gamma": 1 / (2 * 0.8**2)},
}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_as_written(name):
    X, y = two_classes(40)
    model = SVC(C=2.0, **KERNELS[name]).fit(X, y)
    K = kernel_by_hand(name, X, model.support_vectors_)
    by_hand = K @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), by_hand, atol=1e-5)
    assert (model.predict(X) == (by_hand > 0)).all()


@pytest.mark.parametrize("name", KERNELS)
def test_the_dual_as_it_should_be(name):
    X, y = two_classes(40)
    model = SVC(C=2.0, tol=1e-8, **KERNELS[name]).fit(X, y)
    signed = model.dual_coef_[0]  # a_d y_d
    a = np.abs(signed)
    assert abs(signed.sum()) < 1e-8
    assert (a <= 2.0 + 1e-8).all()
    K = kernel_by_hand(name, model.support_vectors_, model.support_vectors_)
    assert a.sum() - signed @ K @ signed / 2 == pytest.approx(
        float(model.dual_objective_[0]), rel=1e-5
    )


def test_regression_pays_for_rows_outside_of_a_tube():
    X, y = some_numbers()
    C, epsilon = 0.5, 0.3
    model = SVR(kernel="linear", C=C, epsilon=epsilon, tol=1e-8).fit(X, y)
    w, b = model.coef_[0], model.intercept_[0]
    np.testing.assert_allclose(model.predict(X), X @ w + b, atol=1e-6)

    def objective(w, b):
        return w @ w / 2 + C * np.maximum(np.abs(y - X @ w - b) - epsilon, 0).sum()

    best = objective(w, b)
    for step in np.random.default_rng(0).normal(scale=0.02, size=(300, 6)):
        assert objective(w + step[:5], b + step[5]) > best - 1e-6
    inside = np.abs(y - X @ w - b) < epsilon - 1e-3
    assert inside.any()
    assert not inside[model.support_].any()  # rows inside of the tube are no support vectors
    np.testing.assert_allclose(model.dual_coef_[0] @ model.support_vectors_, w, atol=1e-6)


def test_neighbours_predict_the_mean_of_the_nearest():
    X, y = some_numbers()
    new = np.random.default_rng(5).normal(size=(20, 5))
    for k in (1, 3, 7):
        nearest = np.argsort(((new[:, None] - X) ** 2).sum(axis=2), axis=1)[:, :k]
        found = KNeighborsRegressor(k).fit(X, y).predict(new)
        np.testing.assert_allclose(found, y[nearest].mean(axis=1))


# Without labels.


def test_k_means_alternates_assignment_and_means():
    X = np.random.default_rng(0).normal(size=(80, 2))
    centres = X[:4].copy()
    model = KMeans(4, init=centres, n_init=1, tol=0, max_iter=300).fit(X)
    for _ in range(300):
        labels = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        means = np.array([X[labels == j].mean(axis=0) for j in range(4)])
        if np.allclose(means, centres):
            break
        centres = means
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_allclose(model.cluster_centers_, centres, atol=1e-10)


def line():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(0, 1, 60), rng.normal(4, 0.7, 40)])


@pytest.mark.filterwarnings("ignore:Best performing")
def mixture_after(n_steps):
    start = {"weights_init": [0.6, 0.4], "means_init": [[-1.0], [2.0]]}
    start["precisions_init"] = [[[1.0]], [[0.25]]]
    return GaussianMixture(2, **start, reg_covar=0, tol=0, max_iter=n_steps).fit(line()[:, None])


@pytest.mark.filterwarnings("ignore:Best performing")
def test_two_bells_and_their_log_likelihood():
    model = mixture_after(5)
    y = line()
    pi = model.weights_[1]
    mu, sd = model.means_[:, 0], np.sqrt(model.covariances_[:, 0, 0])
    density = (1 - pi) * norm.pdf(y, mu[0], sd[0]) + pi * norm.pdf(y, mu[1], sd[1])
    np.testing.assert_allclose(np.exp(model.score_samples(y[:, None])), density, rtol=1e-10)
    assert model.score(y[:, None]) == pytest.approx(np.log(density).mean())


@pytest.mark.filterwarnings("ignore:Best performing")
def test_responsibilities():
    model = mixture_after(5)
    y = line()
    pi = model.weights_[1]
    mu, sd = model.means_[:, 0], np.sqrt(model.covariances_[:, 0, 0])
    first, second = norm.pdf(y, mu[0], sd[0]), norm.pdf(y, mu[1], sd[1])
    gamma = pi * second / ((1 - pi) * first + pi * second)
    np.testing.assert_allclose(model.predict_proba(y[:, None])[:, 1], gamma, atol=1e-12)


@pytest.mark.filterwarnings("ignore:Best performing")
def test_the_maximisation_step_takes_weighted_means():
    y = line()
    first, second = norm.pdf(y, -1, 1), norm.pdf(y, 2, 2)
    gamma = 0.4 * second / (0.6 * first + 0.4 * second)
    model = mixture_after(1)
    assert model.weights_[1] == pytest.approx(gamma.sum() / len(y))
    assert model.means_[1, 0] == pytest.approx((gamma @ y) / gamma.sum())
    assert model.means_[0, 0] == pytest.approx(((1 - gamma) @ y) / (1 - gamma).sum())
    spread = gamma @ (y - model.means_[1, 0]) ** 2 / gamma.sum()
    assert model.covariances_[1, 0, 0] == pytest.approx(spread)


def test_components_split_the_variance_in_order():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4)) @ rng.normal(size=(4, 4))
    model = PCA().fit(X)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(4), atol=1e-12)
    projected = model.transform(X).var(axis=0, ddof=1)
    assert (np.diff(projected) < 0).all()
    assert projected.sum() == pytest.approx(X.var(axis=0, ddof=1).sum())


def test_no_direction_has_more_variance_than_the_first():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4)) @ rng.normal(size=(4, 4))
    model = PCA(2).fit(X)
    assert model.transform(X).shape == (100, 2)
    largest = model.transform(X)[:, 0].var()
    for direction in rng.normal(size=(500, 4)):
        assert (X @ direction / np.linalg.norm(direction)).var() <= largest + 1e-12


# Trees, and judging.


def test_a_leaf_has_the_shares_of_its_region():
    X, y = two_classes(200)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    leaf = tree.apply(X)
    for m in np.unique(leaf):
        share = np.mean(y[leaf == m] == 1)
        np.testing.assert_allclose(tree.predict_proba(X[leaf == m])[:, 1], share)
        if share != 0.5:
            assert (tree.predict(X[leaf == m]) == (share > 0.5)).all()


def test_a_leaf_has_the_mean_of_its_region():
    X, y = some_numbers()
    tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    leaf = tree.apply(X)
    for m in np.unique(leaf):
        np.testing.assert_allclose(tree.predict(X[leaf == m]), y[leaf == m].mean())


def test_accuracy_is_the_share_of_unseen_rows_that_are_right():
    X, y = two_classes(300)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    model = LogisticRegression().fit(X_train, y_train)
    right = sum(int(a == b) for a, b in zip(model.predict(X_test), y_test, strict=True))
    assert model.score(X_test, y_test) == right / len(y_test)
