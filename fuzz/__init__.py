"""Hostile and random input, made without end: see CONTRIBUTING.md, "A fuzz target".

``python -m fuzz --help`` lists the targets. Each makes inputs from a seed and checks one after the
other in worker processes, which may crash, hang or grow without harm to the run (`fuzz.runner`).
"""
