"""Models in files: saved whole, loaded without running any code of the file.

:func:`quire.save` and :func:`quire.load` are the same functions.
"""

from quire.exceptions import ModelFileError, ModelVersionWarning, UnsavableModelError
from quire.persistence._compare import compare_files
from quire.persistence._info import ModelInfo
from quire.persistence._save import load, load_as, load_with_info, read_info, save

__all__ = [
    "ModelFileError",
    "ModelInfo",
    "ModelVersionWarning",
    "UnsavableModelError",
    "compare_files",
    "load",
    "load_as",
    "load_with_info",
    "read_info",
    "save",
]
