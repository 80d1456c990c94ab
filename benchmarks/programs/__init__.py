"""Programs that one writes by hand with scikit-learn, to be run as scripts beside quire."""
