"""What the commands' arguments have in common."""

import argparse
from typing import TYPE_CHECKING

# argparse keeps the type of what `add_subparsers` returns to itself.
if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Subparsers = object
