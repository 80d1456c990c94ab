"""The part of a page that classifies what a reader types, with the model of the report."""
