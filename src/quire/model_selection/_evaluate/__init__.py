"""A fitted model on documents that it has not seen: how good it is, and how sure that is."""
