"""Support vector machines: the widest margin, linear or through a kernel.

- **Linear machines** (``csr_svm_descent``). Dual coordinate descent for up to sixteen one-vs-rest
  problems at once: a stored value of a row meets the weights of all classes side by side. Classes
  shrink and stop by themselves, by the duality gap. Few columns and squared losses go to Newton's
  method.
- **Kernel machines** (``smo``). Working sets of second order over a kernel matrix in single
  precision, slacks in double. The matrix of all rows is made once, where it fits, and shared by all
  pairs of classes; ``csr_gram`` makes it from sparse rows. Otherwise rows are made for working sets
  of a thousand variables.
"""

from quire.svm._linear_svc import LinearSVC
from quire.svm._linear_svr import LinearSVR
from quire.svm._nb_svm import NBSVM
from quire.svm._polynomial_map import PolynomialMap
from quire.svm._steps import SmoStep
from quire.svm._svc import SVC
from quire.svm._svr import SVR

__all__ = ["NBSVM", "SVC", "SVR", "LinearSVC", "LinearSVR", "PolynomialMap", "SmoStep"]
