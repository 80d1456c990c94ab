"""The report on maps between word vectors, a file for each section."""
