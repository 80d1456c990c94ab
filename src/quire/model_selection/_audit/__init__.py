"""Labels audited: documents whose label a model that has not seen them speaks against.

A way to leave documents out is a file: exactly, where all that is learned are counts
(:mod:`.naive_bayes`); through the hat matrix for least squares and one Newton step for logistic
regression (:mod:`.hat_matrix`); by folds for any model (:mod:`.out_of_fold`). Each gives
:class:`.left_out.LeftOut`: scores of all classes, and the words of a few documents.
"""
