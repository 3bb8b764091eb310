"""Entry point of `python -m harness_tools`: the server of agents' tools, as `harness serve` starts it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from harness.errors import HarnessError
from harness_tools.http_door import RATE, open_door
from harness_tools.pipe import Answering


def parse_options(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the command line of the server."""
    parser = argparse.ArgumentParser("harness_tools", description="Serves agents over stdio or HTTP.")
    parser.add_argument("manifests", nargs="*", help="manifests that are served; default: all that allow it")
    parser.add_argument("--project", default=".", help="a folder of the project")
    parser.add_argument("--store", default=None, help="the store; default: .harness in the project's root")
    parser.add_argument("--engine", default=None, help="where steps run that make views and scores")
    parser.add_argument("--isolation", default=None, help="how steps are isolated")
    parser.add_argument("--images", default=None, help="the store that holds the images")
    parser.add_argument("--profile", choices=("answer", "run", "operate", "audit"), default="answer")
    parser.add_argument("--agent-uid", type=int, default=None, help="user that the answering process becomes")
    parser.add_argument("--http", default="", help="[ADDRESS:]PORT to listen at, instead of standard input and output")
    parser.add_argument("--allow-host", action="append", default=[], help="a name by which clients call this server")
    parser.add_argument("--allow-origin", action="append", default=[], help="an origin whose web pages may call")
    parser.add_argument("--rate", type=float, default=RATE, help="requests a second of one principal")
    asked = parser.parse_args(argv)
    asked.project = os.path.join(os.getcwd(), os.path.expanduser(asked.project))
    return asked


def main(argv: Sequence[str]) -> int:
    """Serve agents until the client goes away, or over HTTP until this process is told to end."""
    asked = parse_options(argv)
    try:
        door = open_door(asked) if asked.http else None
    except HarnessError as bad:
        sys.stderr.write(f"{bad}\n")
        return bad.code
    begun = None
    if asked.agent_uid is None and (door is None or door.rules.loopback):  # else users or tokens are checked first
        begun = Answering(asked.profile, None, (door.listening, door.rules.as_text()) if door else None)
    from harness_tools.supervisor import serve_agents  # noqa: PLC0415 - while the other process starts

    return serve_agents(asked, begun, door)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
