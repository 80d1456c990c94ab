"""The map of documents, a file for each section."""
