"""The command line (typer): each module parses options, calls a verb of `harness.verbs` and prints its result.

`python -m harness.cli.main` puts the folder where it is started before the library; that folder may be anybody's, and
what lies in it is never imported.
"""

import os
import sys

if "-m" in sys.orig_argv and sys.path and sys.path[0] in ("", os.getcwd()) and not sys.flags.safe_path:
    del sys.path[0]
