"""The public surface: what is exported is listed, sorted and documented."""

import importlib
import pkgutil
import re
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
