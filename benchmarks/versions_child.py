"""The process of one checkout: prepares workloads and runs quire's side of them when told.

Started by `benchmarks.versions`. Questions and answers are lines of JSON.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.comparison import Comparison
from benchmarks.measure import Timed, time_once
from benchmarks.registry import Context, find, load


def main(given: str) -> None:
    """Answer until standard input ends."""
    options = json.loads(given)
    options["modules"] = tuple(options["modules"])
    context = Context(**options)
    load(context.modules)
    answers, sys.stdout = sys.stdout, sys.stderr  # what a workload prints is no answer
    call: Any = None
    threads = context.threads
    for line in sys.stdin:
        question = json.loads(line)
        answer: dict[str, Any] = {}
        try:
            if question["do"] == "prepare":
                call = None  # freed before the next data are made
                workload = find(question["workload"])
                if not isinstance(workload, Comparison):
                    raise TypeError(f"{workload.name} has no sides")
                threads = workload.threads or context.threads
                side = next(iter(workload.sides.values()))
                with threadpool_limits(threads):
                    prepared = side.prepared(workload.data(context).value, threads)
                call = partial(side.run, prepared, threads)
            else:
                with threadpool_limits(threads):
                    seconds, result = time_once(call)
                answer["seconds"] = result.seconds if isinstance(result, Timed) else seconds
                del result
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
