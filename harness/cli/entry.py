"""Entry point of the program `harness`.

Verbs that give a verdict run in a clean process. The server of agents' tools takes this process' place. An agent waits
for the server, so nothing large is imported here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import NoReturn

from harness.clean_start import VERDICTS, clean_command, clean_environment, is_clean

PROFILES = ("answer", "run", "operate", "audit")
# Options of `serve` that take a value.
VALUES = ("profile", "agent-uid", "engine", "isolation", "images", "store", "project", "http", "rate")
PACKAGES = ("mcp", "harness_tools")


def has_server_packages() -> bool:
    """Return whether the packages that serve agents are installed."""
    return all(find_spec(name) is not None for name in PACKAGES)


def become_server(manifests: Sequence[str], values: Mapping[str, str], more: Sequence[str] = ()) -> NoReturn:
    """Replace this process with the server of these manifests; `values` are its options by name, `more` other words."""
    words = [word for name, value in {"project": os.getcwd(), **values}.items() for word in (f"--{name}", value)]
    program = [sys.executable, "-P", "-m", "harness_tools", *words, *more]
    named = [manifest_place(manifest, values.get("project", "")) for manifest in manifests]
    sys.stdout.flush()
    os.execv(sys.executable, [*program, "--", *named])  # noqa: S606 - the server takes this process' place


def manifest_place(manifest: str, project: str) -> str:
    """Return the absolute path of a manifest, which is named from here or else from the project's folder."""
    here = os.path.join(os.getcwd(), os.path.expanduser(manifest))
    there = os.path.join(os.getcwd(), os.path.expanduser(project), manifest)
    return there if os.path.exists(there) and not os.path.exists(here) else here


def judge_cleanly(argv: Sequence[str]) -> None:
    """Replace this process with a clean one if the verb gives a verdict, so that no other code can influence it."""
    if argv and argv[0] in VERDICTS and not is_clean():
        sys.stdout.flush()
        command = clean_command("harness.cli.main:main", argv)
        os.execve(sys.executable, command, clean_environment())  # noqa: S606 - it takes this process' place


def serve_plainly(argv: Sequence[str]) -> None:
    """Replace this process with the server at once if the command line is a plain `serve`; else return.

    Help, errors and environment variables are left to the full command line.
    """
    if argv[:1] != ["serve"] or any(f"HARNESS_{name.upper().replace('-', '_')}" in os.environ for name in VALUES):
        return
    words, values, manifests = iter(argv[1:]), dict[str, str](), list[str]()
    for word in words:
        if not word.startswith("-"):
            manifests.append(word)
        elif word[2:] in VALUES and word[2:] not in values and word.startswith("--"):
            values[word[2:]] = next(words, "")
        else:
            return
    plain = all(values.values()) and not any(value.startswith("-") for value in values.values())
    plain = plain and "rate" not in values
    uid = values.get("agent-uid", "1")
    if (
        plain
        and values.get("profile", "answer") in PROFILES
        and uid.isdecimal()
        and uid != "0"
        and has_server_packages()
    ):
        become_server(manifests, values)


def main() -> None:
    """Run the command line: verdicts in a clean process, a plain `serve` at once, everything else after parsing."""
    judge_cleanly(sys.argv[1:])
    serve_plainly(sys.argv[1:])
    from harness.cli.main import main as parse

    parse()


if __name__ == "__main__":
    main()
