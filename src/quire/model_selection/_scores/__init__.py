"""Scores of predictions: what each is called, what it needs, its scale, how it is computed.

Everything that is said of a score is said once, in :mod:`.catalogue`. A score is a function of how
often every document counts, so that one definition serves a fold, a bootstrap and a report.
"""
