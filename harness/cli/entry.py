"""Entry point of the program `harness`."""

from __future__ import annotations

import sys

from harness.cli.becoming import judge_cleanly, serve_plainly


def main() -> None:
    """Run the command line: a verdict in a clean process; what can be served at once, before options are parsed."""
    judge_cleanly(sys.argv[1:])
    serve_plainly(sys.argv[1:])
    from harness.cli.main import main as parse

    parse()


if __name__ == "__main__":
    main()
