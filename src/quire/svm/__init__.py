"""Support vector machines: the widest margin, linear or through a kernel."""

from quire.svm._linear_svc import LinearSVC
from quire.svm._linear_svr import LinearSVR
from quire.svm._svc import SVC
from quire.svm._svr import SVR

__all__ = ["SVC", "SVR", "LinearSVC", "LinearSVR"]
