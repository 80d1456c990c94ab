"""The documentation says what is so: commands, links, sessions and the map of methods."""

import importlib
import re
import runpy
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = sorted(p for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts)
PAGES = [*sorted(ROOT.glob("*.md")), *DOCS]


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def test_command_line_page_is_what_the_commands_say() -> None:
    render = runpy.run_path(str(ROOT / "docs" / "generate_cli.py"))["render"]
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == render(), "run: .venv/bin/python docs/generate_cli.py"


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if not re.match(r"https?:|#", target):
            path, _, anchor = target.partition("#")
            assert (page.parent / path).exists(), target
            assert not anchor or anchor in anchors(page.parent / path), target


def anchors(page: Path) -> set[str]:
    """The names of the headings of a page in links."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_python_examples_run_as_doctests(page: Path) -> None:
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        assert block.startswith(">>>"), block
        assert block.endswith("\n\n"), f"leave a line empty before the fence:\n{block}"


def sessions(page: Path) -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [block for block in blocks if "$ quire " in block]


@pytest.mark.parametrize("page", [p for p in PAGES if sessions(p)], ids=page_id)
def test_console_sessions_print_what_they_show(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Write the files that are shown with cat, run each quire command, compare its output."""
    from quire.cli import main

    monkeypatch.chdir(tmp_path)
    for session in sessions(page):
        for step in session.split("$ ")[1:]:
            line, _, shown = step.partition("\n")
            program, *arguments = shlex.split(line, comments=True)
            if program == "cat" and not Path(arguments[0]).exists():
                Path(arguments[0]).write_text(shown, encoding="utf-8")
                continue
            if program == "cat":  # what a command has written
                assert Path(arguments[0]).read_text(encoding="utf-8") == shown
                continue
            assert program == "quire"
            with pytest.raises(SystemExit) as exited:
                main(arguments)
            assert exited.value.code == 0
            assert steady(capsys.readouterr().out) == steady(shown)


def steady(shown: str) -> str:
    """Output without what is another time the next time: seconds, and the columns they stand in."""
    without = re.sub(r"\d+(\.\d+)? (us|ms|s)\b", "TIME", shown)
    without = re.sub(r'"[a-z_]*seconds": [\d.e-]+', "TIME", without)
    without = re.sub(r"All [\d,]+ values", "All values", without)  # of a report that grows
    return re.sub(r" {2,}", " ", without) if without != shown else shown


def methods() -> list[tuple[str, str]]:
    page = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    return re.findall(r"^\| .* \| `(quire[\w.]+)` \| (\S.*?) \|$", page, re.MULTILINE)


@pytest.mark.parametrize(("name", "state"), methods())
def test_map_of_methods_tells_what_is_there(name: str, state: str) -> None:
    assert state in {"**now**", "not yet"}
    assert is_importable(name) == (state == "**now**")


def is_importable(name: str) -> bool:
    """Whether a dotted name is a module, or leads from a module to something inside it."""
    parts = name.split(".")
    found: object = None
    for n_parts in range(1, len(parts) + 1):
        try:
            found = importlib.import_module(".".join(parts[:n_parts]))
        except ModuleNotFoundError:
            n_parts -= 1
            break
    for part in parts[n_parts:]:
        found = getattr(found, part, None)
    return found is not None
