"""Prints requirements from pyproject.toml, one per word: for pip, without building the project.

The argument is ``build``, ``build-tools`` (CMake and Ninja, where the system lacks them),
``dependencies`` or the name of an extra.
"""

import re
import sys
import tomllib
from pathlib import Path


def extra(optional: dict[str, list[str]], name: str) -> list[str]:
    """Return the requirements of an extra, with ``quire[a,b]`` replaced by those of a and b."""
    found = []
    for requirement in optional[name]:
        inner = re.fullmatch(r"quire\[(.*)\]", requirement)
        if inner:
            found += [r for part in inner[1].split(",") for r in extra(optional, part.strip())]
        else:
            found.append(requirement)
    return found


def main(what: str) -> None:
    """Print the requirements called `what`."""
    pyproject = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    if what == "build":
        wanted = pyproject["build-system"]["requires"]
    elif what == "build-tools":
        from scikit_build_core.build import get_requires_for_build_editable

        wanted = get_requires_for_build_editable({})
    elif what == "dependencies":
        wanted = pyproject["project"]["dependencies"]
    else:
        wanted = extra(pyproject["project"]["optional-dependencies"], what)
    print(*(requirement.replace(" ", "") for requirement in wanted))


if __name__ == "__main__":
    main(sys.argv[1])
