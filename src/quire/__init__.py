"""Machine learning for text: a stack of documents in, a model you can trust, read and serve out.

The sub-packages follow scikit-learn's names, so that changing ``sklearn`` to ``quire`` in an import
is all that a program has to do. Nothing heavy is imported here.
"""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("quire")
