"""One side of one workload, once, in a process of its own: prints its time or memory as JSON.

Started by `benchmarks.fresh`. Data and preparation come before the measurement, so that the figure
is what the call itself needs.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from functools import partial
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.comparison import Comparison
from benchmarks.measure import time_once
from benchmarks.memory import peak_during
from benchmarks.registry import Context, find, load


def main(task: str) -> None:
    """Run the task that the parent process wrote down."""
    given = json.loads(task)
    given["context"]["modules"] = tuple(given["context"]["modules"])
    context = Context(**given["context"])
    load(context.modules)
    workload = find(given["workload"])
    if not isinstance(workload, Comparison):
        raise TypeError(f"{workload.name} has no sides whose memory could be measured.")
    side = workload.sides[given["side"]]
    with threadpool_limits(context.threads):
        prepared = side.prepared(workload.data(context).value, context.threads)
        call = partial(side.run, prepared, context.threads)
        if given["wanted"] == "seconds":
            found: dict[str, Any] = {"seconds": time_once(call)[0]}
        else:
            found = asdict(peak_during(call))
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
