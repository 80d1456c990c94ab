"""How a sampler tells how far it is: a bar, lines, or a function of the caller's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from quire._shared.progress import shown_bar

__all__ = ["reporting"]


@contextmanager
def reporting(
    progress: Any, verbose: int, n_sweeps: int, chain_number: int, n_chains: int
) -> Iterator[Callable[[Any], None]]:
    """Give a function to call with the chain at every point of its trace.

    Parameters
    ----------
    progress : bool or callable
        Whether to show a bar on standard error; or what to call with a dictionary of
        ``"chain"``, ``"sweep"``, ``"n_sweeps"`` and ``"log_likelihood"``.
    verbose : int
        Whether to print a line.
    n_sweeps : int
        Sweeps that are planned.
    chain_number, n_chains : int
        Which chain, from 0, and of how many.
    """

    def tell(chain: Any) -> None:
        sweep, value = chain.trace[-1]
        if callable(progress):
            progress(
                {
                    "chain": chain_number,
                    "sweep": sweep,
                    "n_sweeps": n_sweeps,
                    "log_likelihood": value,
                }
            )
        if verbose:
            print(f"iteration: {sweep} of max_iter: {n_sweeps}, log-likelihood: {value:.4f}")

    if callable(progress) or not progress:
        yield tell
        return
    name = "sweeps" if n_chains == 1 else f"chain {chain_number + 1} of {n_chains}"
    with shown_bar(name, n_sweeps) as bar:

        def show(chain: Any) -> None:
            tell(chain)
            sweep, value = chain.trace[-1]
            bar.at(sweep, note=f"{sweep}/{n_sweeps} log-likelihood {value:.4f}")

        yield show
