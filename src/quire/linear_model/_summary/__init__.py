"""Standard errors, tests and goodness of fit of linear models, as data and as tables."""
