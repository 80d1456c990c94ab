"""The twin of cpp/lda_documents: documents under known topics, by enumeration and in NumPy."""

from itertools import product

import numpy as np
from scipy.special import gammaln, logsumexp


def log_likelihood(words, phi, alpha):
    """log p(words), summed over all assignments of topics."""
    if len(words) == 0:
        return 0.0
    logs = []
    for topics in product(range(len(alpha)), repeat=len(words)):
        n = np.bincount(topics, minlength=len(alpha))
        prior = gammaln(alpha.sum()) - gammaln(alpha.sum() + len(words))
        prior += (gammaln(alpha + n) - gammaln(alpha)).sum()
        logs.append(prior + np.log(phi[list(topics), words]).sum())
    return float(logsumexp(logs))


lda_left_to_right = log_likelihood  # of which it is an estimate


def lda_completion(seen, scored, phi, alpha):
    """log p of each scored word given the seen ones, added up."""
    return sum(np.log(predictive(word, seen, phi, alpha)) for word in scored)


def predictive(word, seen, phi, alpha):
    """p(word | seen words)."""
    both = log_likelihood([*seen, word], phi, alpha)
    return np.exp(both - log_likelihood(list(seen), phi, alpha))


def posterior_mean(words, phi, alpha):
    """E[theta | words], from p(topic of one more token)."""
    total, weights = 0.0, np.zeros(len(alpha))
    for topics in product(range(len(alpha)), repeat=len(words)):
        n = np.bincount(topics, minlength=len(alpha))
        p = np.exp((gammaln(alpha + n) - gammaln(alpha)).sum()) * phi[list(topics), words].prod()
        total += p
        weights += p * (n + alpha)
    return weights / total / (len(words) + alpha.sum())


def lda_infer(counts, phi, alpha, max_iter, tol):
    """Shares of topics of one document by CVB0; words in the order of their columns."""
    words = np.flatnonzero(counts)
    expected, shares = np.zeros(len(alpha)), np.zeros((len(words), len(alpha)))
    for _ in range(max_iter):
        changed = 0.0
        for i, word in enumerate(words):
            new = (expected - shares[i] + alpha) * phi[:, word]
            new /= new.sum()
            changed += counts[word] * np.abs(new - shares[i]).sum()
            expected += counts[word] * (new - shares[i])
            shares[i] = new
        if changed <= tol * counts.sum():
            break
    return (expected + alpha) / (counts.sum() + alpha.sum())
