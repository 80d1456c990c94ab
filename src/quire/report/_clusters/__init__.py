"""The report on clusters of documents, a file for each section."""
