"""A corpus looked at before models learn from it: copies, leaks, labels, languages, damage.

What is found has a code that stays the same (``QT001``), so that it can be silenced, and says what
it is, where, why it matters and what to do. A file holds the checks of one subject;
``_catalogue`` has the list of all, and ``_run`` the one way to run them.

Cost grows with the size of the texts, not with the number of pairs: near copies are found by
signatures (``_shared/near_sets``).
"""

from quire.checks._catalogue import CHECKS, Check
from quire.checks._findings import Finding, Findings
from quire.checks._languages import guess_languages
from quire.checks._run import check_texts

__all__ = ["CHECKS", "Check", "Finding", "Findings", "check_texts", "guess_languages"]
