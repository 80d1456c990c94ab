"""The report on a comparison of models, a file for each section."""
