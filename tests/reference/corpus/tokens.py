"""The twins of cpp/corpus: patterns among tokens, and counts of tokens."""

from collections import Counter
from collections.abc import Iterator, Sequence

Documents = Sequence[Sequence[int]]
ANY = -1


def documents_of(tokens: Sequence[int], bounds: Sequence[int]) -> list[list[int]]:
    """The tokens of each document."""
    return [list(tokens[bounds[d] : bounds[d + 1]]) for d in range(len(bounds) - 1)]


def token_matches(
    documents: Documents,
    sets_of_type: Sequence[set[int]],
    patterns: Sequence[Sequence[int]],
    *,
    longest: bool = False,
) -> list[tuple[int, int]]:
    """The first token of each match and its pattern."""
    found = list(_all_matches(documents, sets_of_type, patterns))
    if not longest:
        return found
    kept, free = [], 0
    for token in dict.fromkeys(token for token, _ in found):
        here = [pattern for at, pattern in found if at == token]
        if token < free:
            continue
        best = max(here, key=lambda pattern: (len(patterns[pattern]), -pattern))
        kept.append((token, best))
        free = token + len(patterns[best])
    return kept


def _all_matches(
    documents: Documents, sets_of_type: Sequence[set[int]], patterns: Sequence[Sequence[int]]
) -> Iterator[tuple[int, int]]:
    before = 0
    for document in documents:
        for at in range(len(document)):
            for number, pattern in enumerate(patterns):
                words = document[at : at + len(pattern)]
                if len(words) == len(pattern) and all(
                    wanted == ANY or (word >= 0 and wanted in sets_of_type[word])
                    for word, wanted in zip(words, pattern, strict=True)
                ):
                    yield before + at, number
        before += len(document)


def token_counts(documents: Documents, columns: Sequence[int]) -> list[dict[int, int]]:
    """How often each column occurs in each document."""
    counted = []
    for document in documents:
        found = Counter(columns[token] for token in document if token >= 0)
        counted.append({column: found[column] for column in sorted(found) if column >= 0})
    return counted


def token_group_counts(
    documents: Documents,
    columns: Sequence[int],
    n_columns: int,
    groups: Sequence[int],
    n_groups: int,
) -> tuple[list[list[int]], list[list[int]]]:
    """How often each column occurs in each group, and in how many of its documents."""
    tokens = [[0] * n_columns for _ in range(n_groups)]
    among = [[0] * n_columns for _ in range(n_groups)]
    for group, counts in zip(groups, token_counts(documents, columns), strict=True):
        for column, count in counts.items() if group >= 0 else ():
            tokens[group][column] += count
            among[group][column] += 1
    return tokens, among
