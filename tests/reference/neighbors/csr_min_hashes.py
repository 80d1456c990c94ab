"""The signature of each row, one column after the other."""

import numpy as np

NOTHING = 2**32 - 1


def scrambled(x):
    """The finaliser of MurmurHash3."""
    x ^= x >> 33
    x = x * 0xFF51AFD7ED558CCD % 2**64
    x ^= x >> 33
    x = x * 0xC4CEB9FE1A85EC53 % 2**64
    return x ^ (x >> 33)


def place_of(h, n_hashes):
    """The place of a hash: its upper half, scaled."""
    return ((h >> 32) * n_hashes) >> 32


def csr_min_hashes(X, n_hashes):
    """Return the smallest hash of each place, with empty places filled from others."""
    found = np.full((len(X), n_hashes), NOTHING, dtype=np.uint32)
    for row, signature in zip(X, found, strict=True):
        places = {}
        for column in np.flatnonzero(row).tolist():
            h = scrambled(column + 1)
            place = place_of(h, n_hashes)
            places[place] = min(places.get(place, NOTHING), h % 2**32, NOTHING - 1)
        for p in range(n_hashes if places else 0):
            source, attempt = p, 1
            while source not in places:
                source = place_of(scrambled((p << 32) + attempt), n_hashes)
                attempt += 1
            signature[p] = places[source]
    return found
