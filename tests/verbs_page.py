"""Writes docs/verbs.md from the command line: each verb, its options, and the requests of Python that they become.

`python tests/verbs_page.py --write` writes the page; without `--write` it is printed.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manifest_page import cell
from typer.models import ArgumentInfo, CommandInfo

from harness.cli.main import GROUPS, app
from harness.cli.options import RequestCommand

PAGE = Path(__file__).resolve().parents[1] / "docs" / "verbs.md"
HEAD = """# The verbs

Each verb of the command line with its arguments and options. An option with a variable is also set by that variable of
the environment. Every verb also takes `--json` and `--debug`, except `serve`, which has no `--json`. "In Python" names
the request of [the Python interface](python.md) that has the same fields. [The README](../README.md) says what each
verb is for.

<!-- written by tests/verbs_page.py -->
"""
USUAL = ("json", "debug")  # options that all have


def commands() -> Iterator[tuple[str, RequestCommand]]:
    """Yield each command with its words, those of groups behind the others."""

    def named(group: str, one: CommandInfo) -> tuple[str, RequestCommand]:
        command: Any = one.callback
        assert isinstance(command, RequestCommand)
        return f"{group}{one.name or command.__name__}", command

    yield from (named("", one) for one in app.registered_commands)
    for name, part in GROUPS.items():
        yield from (named(f"{name} ", one) for one in part.registered_commands)


def flags_of(parameter: inspect.Parameter) -> str:
    """Write an argument's name, or an option's flags."""
    info = parameter.annotation.__metadata__[0]
    if isinstance(info, ArgumentInfo):
        return info.metavar or parameter.name.upper()
    flags = ", ".join(dict.fromkeys((info.default, *(info.param_decls or ()))))
    return f"{flags} {info.metavar}" if info.metavar else flags


def rows_of(command: RequestCommand) -> Iterator[str]:
    """Write a row for each argument and option of a command."""
    for one in inspect.signature(command).parameters.values():
        if one.name in USUAL:
            continue
        info, default = one.annotation.__metadata__[0], one.default
        shown = "required" if default is inspect.Parameter.empty else f"`{default}`" if default else ""
        variable = f"`{info.envvar}`" if info.envvar else ""
        yield f"| `{cell(flags_of(one))}` | {shown} | {variable} | {cell(info.help or '')} |"


def page() -> str:
    """Write the whole page."""
    parts = [HEAD]
    for words, command in commands():
        text = inspect.getdoc(command) or ""
        asked = ", ".join(f"`{kind.__name__}`" for kind in command.requests)
        parts.append(f"## {words}\n\n{text}" + (f" In Python: {asked}.\n" if asked else "\n"))
        if rows := list(rows_of(command)):
            parts.append("\n".join(["| option | default | variable | meaning |", "|---|---|---|---|", *rows]) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        sys.stdout.write(page())
