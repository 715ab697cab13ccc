"""What is exported and imported is so by the commands."""

from tests.companion.cli.conftest import here

__all__ = ["here"]
