"""Where a model errs: documents parted by length, language and other columns, and each part judged.

:mod:`.parts` makes parts of columns, :mod:`.measures` judges them, :mod:`.slices` has the function
and what it returns.
"""
