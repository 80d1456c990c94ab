"""Models compared on the same folds: what is predicted, features, the models, the work, the result.

A comparison goes fold by fold, all models in each: memory is that of one fold, and Ctrl-C leaves
whole folds that can still be compared. Texts are counted once for all folds; what depends on the
training documents is made from the counts of their rows (:mod:`._documents`, :mod:`.features`),
which a test holds equal to pipelines that are fitted anew. Settings are chosen inside the training
documents of the fold, with features of the inner ones, as a grid search over the pipeline would
(also a test). All settings of a model come from one piece of work where that is less
(:mod:`.paths`): counts smoothed anew, one Krylov space for all ridge penalties, a path of logistic
fits, one search for all numbers of neighbours. The folds of a small corpus run side by side, one
thread each.

Linear models get tf-idf with 1 + log tf, which was better than plain tf on all four corpora that
quire is measured on. A model joins by a line in the table of :mod:`.models`, or by
:func:`~quire.model_selection.register_model`. Intervals and tests correct for the overlap of
training sets.
"""
