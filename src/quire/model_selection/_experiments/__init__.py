"""Experiments with many samples: why a model errs, and how much a tree changes with its data."""
