"""Start of a server: its options, and the answering process, for which an agent waits and which is begun first.

The standard library alone, so that the process that takes longest to start is started before anything else is loaded.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence

from harness_tools.pipe import pair

TOLD = ("LANG", "LC_ALL", "TZ", "PYTHONPATH", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE")  # what the child may know
PATIENCE = 5  # seconds that it gets to end by itself


def options(argv: Sequence[str]) -> argparse.Namespace:
    """Read the command line of the server."""
    parser = argparse.ArgumentParser("harness_tools", description="Serves agents over stdio.")
    parser.add_argument("manifests", nargs="*", help="manifests that are served; default: all that allow it")
    parser.add_argument("--project", default=".", help="a folder of the project")
    parser.add_argument("--store", default=None, help="the store; default: .harness in the project's root")
    parser.add_argument("--engine", default=None, help="where steps run that make views and scores")
    parser.add_argument("--isolation", default=None, help="how steps are isolated")
    parser.add_argument("--images", default=None, help="the store that holds the images")
    parser.add_argument("--profile", choices=("answer", "operate", "audit"), default="answer")
    parser.add_argument("--agent-uid", type=int, default=None, help="user that the answering process becomes")
    asked = parser.parse_args(argv)
    asked.project = os.path.join(os.getcwd(), os.path.expanduser(asked.project))
    return asked


class Answering:
    """The answering process, which has the wire, one end of a pipe, and nothing that names a file of ours."""

    def __init__(self, profile: str, agent_uid: int | None) -> None:
        self.pipe, theirs = pair()
        told = {name: os.environ[name] for name in TOLD if name in os.environ}
        if "PYTHONPATH" in told:
            told["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, told["PYTHONPATH"].split(os.pathsep)))
        command = [sys.executable, "-P", "-m", "harness_tools.answering", str(theirs.fileno()), profile]
        command += [str(agent_uid)] if agent_uid is not None else []
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=told, cwd="/")
        theirs.close()

    def end(self, patience: float = PATIENCE) -> int:
        """Close the pipe, at which it ends by itself, and wait for it; gives its exit code."""
        self.pipe.close()
        try:
            return self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
