"""The twin of cpp/labels."""

from collections.abc import Sequence


def factorize(items: Sequence[object]) -> tuple[list[int], list[int]]:
    """Number items in the order in which they are met; also where each was met first."""
    numbers: dict[object, int] = {}
    first = []
    for i, item in enumerate(items):
        if item not in numbers:
            numbers[item] = len(numbers)
            first.append(i)
    return [numbers[item] for item in items], first
