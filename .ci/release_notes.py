"""Print what the changelog says about a version, once all papers agree that it is this one.

``python .ci/release_notes.py 0.2.0`` ends with an error if ``pyproject.toml`` or ``CITATION.cff``
name another version, or if the changelog has no dated section for it.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def release_notes(version: str, root: Path = ROOT) -> str:
    """Return the section of the changelog, without its heading."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = re.search(
        r"^version: (.+)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE
    )
    for paper, said in (
        ("pyproject.toml", project["version"]),
        ("CITATION.cff", cited.group(1) if cited else "nothing"),
    ):
        if said != version:
            raise SystemExit(f"{paper} says {said}, not {version}")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = rf"^## {re.escape(version)} \(\d{{4}}-\d{{2}}-\d{{2}}\)\n"
    section = re.search(heading + r"(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if section is None:
        raise SystemExit(f"CHANGELOG.md has no dated section for {version}")
    return section.group(1).strip()


if __name__ == "__main__":
    print(release_notes(sys.argv[1]))
