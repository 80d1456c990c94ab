"""Several labels for a document, or none: models of sets of labels out of models for classes.

Two ways lead there. *Binary relevance* asks about each label by itself: a model for two classes
says whether a document has it, and a threshold that is learned from held-out documents says from
which score on (:class:`BinaryRelevance`). A *label powerset* takes each set of labels that occurs
for a class of its own, and knows therefore which labels go together (:class:`LabelPowerset`).

:func:`label_sets` reads labels of any kind: matrices of 0 and 1, lists, columns of lists, and texts
such as ``rain|wind``.
"""

from quire._shared.label_sets import LabelSets, label_sets
from quire.multilabel._binary_relevance import BinaryRelevance
from quire.multilabel._powerset import LabelPowerset

__all__ = ["BinaryRelevance", "LabelPowerset", "LabelSets", "label_sets"]
