"""The largest entries of rows and columns, by sorting all of them."""

import numpy as np


def tile_top_k(tile, first_column, penalty, best, ids):
    """Return the new best values of each row and their columns."""
    k = best.shape[1]
    values = np.hstack([best, tile - penalty if len(penalty) else tile])
    columns = np.broadcast_to(first_column + np.arange(tile.shape[1]), tile.shape)
    order = np.argsort(-values, axis=1, kind="stable")[:, :k]
    return (
        np.take_along_axis(values, order, 1),
        np.take_along_axis(np.hstack([ids, columns]), order, 1),
    )


def tile_top_k_columns(tile, first_row, best, ids):
    """Return the new best values of each column and their rows."""
    k = best.shape[1]
    values = np.hstack([best, tile.T])
    rows = np.broadcast_to(first_row + np.arange(len(tile)), tile.T.shape)
    rows = np.hstack([ids, rows])
    order = np.lexsort((rows, -values), axis=1)[:, :k]
    return np.take_along_axis(values, order, 1), np.take_along_axis(rows, order, 1)
