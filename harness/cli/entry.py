"""Entry point of the program `harness`.

A verdict is given by a clean process. The server of agents' tools takes this process' place; an agent waits for it, so
nothing large is loaded here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import NoReturn

from harness.clean_start import VERDICTS, clean_command, clean_environment, is_clean

PROFILES = ("answer", "operate", "audit")
VALUES = ("profile", "agent-uid", "engine", "isolation", "images", "store")  # options of `serve` that take a value
PACKAGES = ("mcp", "harness_tools")


def installed() -> bool:
    """Whether the packages are here that serve agents."""
    return all(find_spec(name) is not None for name in PACKAGES)


def become_server(manifests: Sequence[str], values: Mapping[str, str]) -> NoReturn:
    """Become the server of these manifests; `values` are those of the options by their names."""
    words = [word for name, value in values.items() for word in (f"--{name}", value)]
    program = [sys.executable, "-P", "-m", "harness_tools", "--project", os.getcwd(), *words]
    named = [os.path.join(os.getcwd(), manifest) for manifest in manifests]
    sys.stdout.flush()
    os.execv(sys.executable, [*program, "--", *named])  # noqa: S606 - the server takes this process' place


def judge_cleanly(argv: Sequence[str]) -> None:
    """Become a clean process where a command line gives a verdict, so that nothing else has a word in it."""
    if argv and argv[0] in VERDICTS and not is_clean():
        sys.stdout.flush()
        command = clean_command("harness.cli.main:main", argv)
        os.execve(sys.executable, command, clean_environment())  # noqa: S606 - it takes this process' place


def serve_plainly(argv: Sequence[str]) -> None:
    """Become the server at once where a command line is `serve`, with nothing that asks for more than that.

    Whatever is to be explained, refused or looked up in the environment is left to the command line proper.
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
    uid = values.get("agent-uid", "1")
    if plain and values.get("profile", "answer") in PROFILES and uid.isdecimal() and uid != "0" and installed():
        become_server(manifests, values)


def main() -> None:
    """Run the command line: a verdict in a clean process; what can be served at once, before options are parsed."""
    judge_cleanly(sys.argv[1:])
    serve_plainly(sys.argv[1:])
    from harness.cli.main import main as parse

    parse()


if __name__ == "__main__":
    main()
