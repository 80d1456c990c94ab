"""What the papers say of a release agrees."""

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
release_notes = runpy.run_path(str(ROOT / ".ci" / "release_notes.py"))["release_notes"]


def project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_all_papers_name_the_same_version_and_the_changelog_dates_it() -> None:
    notes = release_notes(project()["version"])
    assert re.search(r"^### (Added|Changed|Fixed)$", notes, re.MULTILINE)


def test_a_version_that_the_papers_do_not_name_has_no_notes(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"pyproject\.toml says"):
        release_notes("9.9.9")
    for paper in ("pyproject.toml", "CITATION.cff"):
        (tmp_path / paper).write_text((ROOT / paper).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="no dated section"):
        release_notes(project()["version"], tmp_path)


def test_releases_are_dated_and_newest_first() -> None:
    headings = re.findall(
        r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    dated = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) \((\d{4}-\d{2}-\d{2})\)", h) for h in headings]
    assert all(dated[1:]), headings  # the first may be what is not released yet
    assert dated[0] or headings[0] == "Unreleased"
    versions = [tuple(map(int, match.groups()[:3])) for match in dated if match]
    assert versions == sorted(versions, reverse=True)


def test_readme_fits_one_screen_and_shows_a_report() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80
    picture = re.search(r"!\[[^\]]+\]\((docs/_static/[^)]+)\)", text)
    assert picture
    assert (ROOT / picture.group(1)).is_file()
