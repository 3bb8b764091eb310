"""The command line (typer): each module parses options, calls a verb of `harness.verbs` and prints its result.

With `python -m`, Python searches the current folder for modules before the library. That folder may belong to anyone,
so it is removed from `sys.path` here and nothing in it is imported.
"""

import os
import sys

if "-m" in sys.orig_argv and sys.path and sys.path[0] in ("", os.getcwd()) and not sys.flags.safe_path:
    del sys.path[0]
