"""The twin of MixedNB: the model as it is written, one row, class and value at a time."""

import math
from collections import Counter

LEAST_VARIANCE = 2.2250738585072014e-308


def missing(value):
    return value is None or value != value


class ReferenceMixedNB:
    """Log P(x | k) for rows that are dicts; kinds is a dict from column to kind."""

    def __init__(self, kinds, alpha=1.0, var_smoothing=1e-9):
        self.kinds = kinds
        self.alpha = alpha
        self.var_smoothing = var_smoothing

    def fit(self, rows, y, weights=None):
        self.rows, self.y = rows, y
        self.weights = [1.0] * len(rows) if weights is None else weights
        self.classes = sorted(set(y))
        self.epsilon = {
            column: self.var_smoothing * self.normal(column, None, weighted=False)[1]
            for column, kind in self.kinds.items()
            if kind == "continuous"
        }
        return self

    def values(self, column, k):
        """Values of a column in a class (None: in all), with weights."""
        return [
            (row[column], weight)
            for row, label, weight in zip(self.rows, self.y, self.weights, strict=True)
            if (k is None or label == k) and not missing(row[column])
        ]

    def normal(self, column, k, weighted=True):
        pairs = [(x, w if weighted else 1.0) for x, w in self.values(column, k)]
        n = sum(w for _, w in pairs)
        if n == 0:
            return (0.0, 0.0) if k is None else self.normal(column, None, weighted)
        mean = math.fsum(w * x for x, w in pairs) / n
        return mean, math.fsum(w * (x - mean) ** 2 for x, w in pairs) / n

    def share(self, counts, key, keys):
        """Smoothed share of a key in counts."""
        total = sum(counts.values()) + self.alpha * len(keys)
        return 1 / len(keys) if total == 0 else (counts[key] + self.alpha) / total

    def log_likelihood(self, row, k):
        total = 0.0
        for column, kind in self.kinds.items():
            x = row[column]
            if missing(x):
                continue
            if kind == "continuous":
                if not self.values(column, None):
                    continue
                if self.var_smoothing and self.epsilon[column] == 0:
                    continue  # a column that is the same everywhere
                mean, variance = self.normal(column, k)
                variance = max(variance + self.epsilon[column], LEAST_VARIANCE)
                total -= 0.5 * (math.log(2 * math.pi * variance) + (x - mean) ** 2 / variance)
            elif kind == "categorical":
                known = {value for value, _ in self.values(column, None)}
                if x in known:
                    counts = Counter()
                    for value, weight in self.values(column, k):
                        counts[value] += weight
                    total += log(self.share(counts, x, known))
            elif kind == "text":
                known = {word for text, _ in self.values(column, None) for word in text.split()}
                counts = Counter()
                for text, weight in self.values(column, k):
                    for word in text.split():
                        counts[word] += weight
                total += sum(log(self.share(counts, w, known)) for w in x.split() if w in known)
            elif kind == "presence":
                pairs = self.values(column, k)
                n, there = sum(w for _, w in pairs), sum(w for value, w in pairs if value > 0)
                p = (there + self.alpha) / (n + 2 * self.alpha)
                total += log(p if x > 0 else 1 - p)
        counted = [column for column, kind in self.kinds.items() if kind == "counts"]
        counts = Counter()
        for column in counted:
            counts[column] = sum(w * value for value, w in self.values(column, k))
        return total + sum(
            row[column] * log(self.share(counts, column, counted))
            for column in counted
            if row[column]
        )


def log(x):
    return math.log(x) if x > 0 else -math.inf
