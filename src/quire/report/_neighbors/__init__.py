"""The report on nearest documents, a file for each section."""
