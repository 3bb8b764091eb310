"""Entry point of `python -m harness_tools.run_process PROJECT STORE RUN`: the process of a run that an agent asked for.

A worker starts it and does not wait for it. It says how the run stands in the store alone.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from harness_tools.child_start import paused_collection

with paused_collection():
    from harness.verbs.agent_runs import perform_asked
    from harness.verbs.project import Project


def main(argv: Sequence[str]) -> None:
    """Execute the run that an agent asked for; `argv` has the project, the store and the run's id."""
    project, store, run = argv
    perform_asked(Project.at(project, store), run)


if __name__ == "__main__":
    main(sys.argv[1:])
