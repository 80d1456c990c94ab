"""Curves over the folds: scores and losses by documents, parameters, penalties, leaves and terms.

:mod:`.fold_curve` holds what all of them share; a file for each kind of curve holds its experiment
and what its result has more.
"""
