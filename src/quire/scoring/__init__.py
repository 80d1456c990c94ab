"""Models scored from their files, with NumPy and the compiled core alone.

Most of the time that a short answer takes is the time to import scikit-learn, and most of the
models that people save decide by a sum: naive Bayes and linear models over the words of a text.
:func:`load_scorer` makes of the file of such a model what answers as the estimator does, to the
last bit, and imports neither scikit-learn nor SciPy.

A file is looked at as :func:`quire.load` does it: by the same decoder, against the same tables. The
classes of the estimators are represented by stand-ins that state what the checks ask of a class
(:func:`quire.kinds.stand_in`); what is made in the end are objects of the classes here, which have
the attributes of the estimators and call the same functions as they.
"""

from quire.exceptions import UnscorableModelError
from quire.scoring._lines import predict_lines
from quire.scoring._scorer import Scorer, load_model, load_scorer

__all__ = ["Scorer", "UnscorableModelError", "load_model", "load_scorer", "predict_lines"]
