"""The public surface: what is exported is listed, sorted and documented."""

import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import quire

API = Path(__file__).parents[1] / "docs" / "api"
FOR_PEOPLE = "quire.cli"  # documented by docs/cli.md


def public_modules() -> list[str]:
    found = pkgutil.walk_packages(quire.__path__, "quire.")
    names = [module.name for module in found if "._" not in module.name]
    return [name for name in names if not name.startswith(FOR_PEOPLE)]


def documented_in(module: str) -> list[str]:
    page = (API / f"{module.removeprefix('quire.')}.md").read_text(encoding="utf-8")
    assert f".. currentmodule:: {module}\n" in page
    return re.findall(r"^(?:   |\.\. data:: )(\w+)$", page, re.MULTILINE)


@pytest.mark.parametrize("name", public_modules())
def test_exports_are_complete_sorted_and_documented(name: str) -> None:
    module = importlib.import_module(name)
    if name == "quire.feature_extraction":  # only a folder for its modules, as in scikit-learn
        return
    exported = module.__all__
    defined = {
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and getattr(value, "__module__", "").startswith(name)
    }
    assert defined <= set(exported)
    assert list(exported) == sorted(exported, key=_constants_then_classes)
    assert documented_in(name) == list(exported)
    for key in exported:
        assert getattr(module, key).__doc__, f"{name}.{key} has no docstring"


def _constants_then_classes(name: str) -> tuple[bool, bool, str]:
    return not name.isupper(), not name[0].isupper(), name


def test_every_api_page_is_a_module() -> None:
    pages = {f"quire.{page.stem}" for page in API.glob("*.md")} - {"quire.index"}
    assert pages == set(public_modules()) - {"quire.feature_extraction"}


def test_importing_quire_loads_nothing_heavy() -> None:
    program = "import sys, quire; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "quire" in loaded
    assert not loaded & {"numpy", "scipy", "sklearn", "polars", "typer", "rich", "joblib"}


def test_verbs_and_sub_packages_are_there_by_name() -> None:
    top = {name.split(".")[1] for name in public_modules()} | {"cli"}
    assert top == quire._SUBPACKAGES
    for name in top:
        assert getattr(quire, name) is importlib.import_module(f"quire.{name}")
    for name in quire.__all__:
        assert name in dir(quire)
        if name != "__version__":
            assert callable(getattr(quire, name))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        quire.nothing  # noqa: B018


def test_errors_have_one_root_and_a_built_in_type() -> None:
    root = quire.exceptions.QuireError
    for name in quire.exceptions.__all__:
        error = getattr(quire.exceptions, name)
        assert issubclass(error, root) or issubclass(error, Warning)
        assert error is root or issubclass(error, (ValueError, ImportError, Warning))
        assert name in quire.exceptions.__doc__
