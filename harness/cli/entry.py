"""Entry point of the program `harness`."""

from __future__ import annotations

import sys

from harness.cli.becoming import serve_plainly


def main() -> None:
    """Run the command line; what can be served at once is, before the parser of options is loaded."""
    serve_plainly(sys.argv[1:])
    from harness.cli.main import main as parse

    parse()
