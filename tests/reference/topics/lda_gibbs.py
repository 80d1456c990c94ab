"""The twin of cpp/lda_gibbs for documents as rows, and the posterior by enumeration.

One part only: then the sampler is exact, and every number it uses can be written down. Weights are
added up in sixteen lanes in 32 bits, as the kernel does.
"""

from itertools import product

import numpy as np
from scipy.special import gammaln

LANES = 16
NO_TOPIC = 0xFFFF


class Xoshiro:
    """xoshiro256++ and its uniform numbers of 24 bits."""

    def __init__(self, state):
        self.s = [int(word) for word in state]
        self.s[0] |= 1

    def uniform(self):
        s, mask = self.s, (1 << 64) - 1

        def rotate(x, by):
            return ((x << by) | (x >> (64 - by))) & mask

        result = (rotate((s[0] + s[3]) & mask, 23) + s[0]) & mask
        t = (s[1] << 17) & mask
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)
        return np.float32(result >> 40) * np.float32(2.0**-24)


def block_generator(seed, sweep, epoch, block):
    """The generator of a block: the words of Philox at the counter (epoch, block, 1, 0)."""
    counter = epoch + (block << 64) + (1 << 128) - 1  # NumPy counts before it encrypts
    return Xoshiro(np.random.Philox(key=[seed, sweep], counter=counter).random_raw(4))


def running_lanes(sums):
    """Running sums over the lanes by doubling."""
    lanes = sums.copy()
    for step in (1, 2, 4, 8):
        shifted = np.zeros_like(lanes)
        shifted[step:] = lanes[:-step]
        lanes = lanes + shifted
    return lanes


def draw(weights, stay, uniform):
    """Draw a topic: None to stay, else its number."""
    chunks = weights.reshape(-1, LANES)
    running = np.cumsum(chunks, axis=0, dtype=np.float32)
    lanes = running_lanes(running[-1])
    drawn = uniform * (stay + lanes[-1])
    if drawn < stay:
        return None
    r = np.float32(drawn - stay)
    lane = min(int((lanes <= r).sum()), LANES - 1)
    if lane > 0:
        r = np.float32(r - lanes[lane - 1])
    chunk = int((running[:-1, lane] <= r).sum())
    return chunk * LANES + lane


def lda_gibbs(X, topics, alpha, beta, seed, sweep):
    """One sweep over the tokens of X (dense counts), word by word; beta may have one for each.

    `topics` has the topics of the tokens in the order of the rows; returns them after the sweep.
    """
    f = np.float32
    n_docs, n_words = X.shape
    n_topics = len(alpha)
    width = -(-n_topics // LANES) * LANES
    padded = np.zeros(width, dtype=f)
    padded[:n_topics] = alpha
    rows, columns = np.nonzero(X)
    doc = np.repeat(rows, X[rows, columns])
    word = np.repeat(columns, X[rows, columns])
    topics = topics.copy()
    n_dk = np.zeros((n_docs, width), dtype=np.int64)
    n_wk = np.zeros((n_words, width), dtype=np.int64)
    known = topics != NO_TOPIC
    np.add.at(n_dk, (doc[known], topics[known]), 1)
    np.add.at(n_wk, (word[known], topics[known]), 1)
    n_k = n_dk.sum(axis=0)
    beta_sum = f(np.sum(beta) if np.ndim(beta) else beta * n_words)
    betas = np.broadcast_to(np.asarray(beta, dtype=f), n_words)
    random = block_generator(seed, sweep, 0, 0)
    for token in np.lexsort((doc, word)):
        d, w, old = doc[token], word[token], topics[token]
        beta = betas[w]
        reciprocal = f(1) / (n_k.astype(f) + beta_sum)
        q = (n_wk[w].astype(f) + beta) * reciprocal
        q[n_topics:] = 0
        weights = (n_dk[d].astype(f) + padded) * q
        stay = f(0)
        if old != NO_TOPIC:
            weights[old] = 0
            less = f(1) / (f(n_k[old] - 1) + beta_sum)
            stay = (f(n_dk[d, old] - 1) + padded[old]) * ((f(n_wk[w, old] - 1) + beta) * less)
        new = draw(weights, stay, random.uniform())
        if new is None:
            continue
        new = min(new, n_topics - 1)
        for count, at in ((n_dk, d), (n_wk, w)):
            if old != NO_TOPIC:
                count[at, old] -= 1
            count[at, new] += 1
        if old != NO_TOPIC:
            n_k[old] -= 1
        n_k[new] += 1
        topics[token] = new
    return topics


def log_joint(doc, word, topics, alpha, beta):
    """log p(words, topics); beta is topics x words."""
    n_topics, n_words = beta.shape
    n_docs = doc.max() + 1
    n_dk = np.zeros((n_docs, n_topics))
    n_kw = np.zeros((n_topics, n_words))
    np.add.at(n_dk, (doc, topics), 1)
    np.add.at(n_kw, (topics, word), 1)

    def part(counts, prior):
        prior = np.broadcast_to(prior, counts.shape)
        return (
            (gammaln(counts + prior) - gammaln(prior)).sum()
            + gammaln(prior.sum(axis=1)).sum()
            - gammaln((counts + prior).sum(axis=1)).sum()
        )

    return part(n_dk, alpha) + part(n_kw, beta)


def posterior(doc, word, alpha, beta):
    """All assignments of topics to the tokens, and their probabilities."""
    states = np.array(list(product(range(len(beta)), repeat=len(doc))))
    logs = np.array([log_joint(doc, word, state, alpha, beta) for state in states])
    p = np.exp(logs - logs.max())
    return states, p / p.sum()
