"""How the test tools behave."""

from hypothesis import settings

# A busy machine is slow, not wrong.
settings.register_profile("companion", deadline=None)
settings.load_profile("companion")
