"""The report on topics, a file for each section."""
