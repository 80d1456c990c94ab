"""Settings of all the tests: Hypothesis without deadlines, since test machines are shared."""

from hypothesis import settings

settings.register_profile("quire", deadline=None)
settings.load_profile("quire")
