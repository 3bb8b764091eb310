"""Entry point of the command line: parses options, calls a verb, and prints its result or its error."""

from __future__ import annotations

import copy
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer
from typer.exceptions import TyperException
from typer.main import get_command
from typer.models import CommandInfo

from harness.cli import attempts, claims, evidence, handing, images, manifests, measuring, runs, scores, tapes, tokens
from harness.cli.terminal import print_data, print_error
from harness.errors import INTERRUPTED, Defect, HarnessError, InputError, Interrupted
from harness.files import translate_os_error

app = typer.Typer(
    name="harness",
    help="Reproducible, checkable LLM evaluations: lock what is meant, run it, audit what happened.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for register in (
    manifests.register_init_and_new,
    manifests.register,
    runs.register,
    evidence.register_runs,
    evidence.register,
    claims.register_claims,
    handing.register,
    measuring.register,
    measuring.register_certify,
    tapes.register_imports,
    evidence.register_upkeep,
    tapes.register_models,
    images.register,
    tapes.register,
    tapes.register_gateway,
    attempts.register_serve,
    attempts.register,
    tokens.register,
    manifests.register_schema,
    scores.register,
    scores.register_compare,
    scores.register_looking,
    manifests.register_docs,
):
    register(app)
GROUPS = {
    "keys": handing.keys_app,
    "models": tapes.models_app,
    "images": images.app,
    "tape": tapes.app,
    "attempts": attempts.app,
    "tokens": tokens.app,
}


def _name(command: CommandInfo) -> str:
    return command.name or (command.callback.__name__ if command.callback else "")


VERBS = {
    " ".join((*group, _name(command)))
    for group, one in [((), app), *(((name,), one) for name, one in GROUPS.items())]
    for command in one.registered_commands
}


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print_data({"version": version("repro-harness")}, f"harness {version('repro-harness')}", as_json=False)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Reproducible, checkable LLM evaluations: lock what is meant, run it, audit what happened."""


TRUE = {"1", "true", "t", "yes", "y", "on"}  # the words that typer takes for yes


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Entry point of `harness`: run a verb and exit with its code."""
    signal.signal(signal.SIGTERM, _stop)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a character shows another
    sys.exit(run_command_line(sys.argv[1:] if argv is None else argv))


def run_command_line(argv: Sequence[str]) -> int:
    """Run the verb that `argv` names, print its result or error, return its exit code; tracebacks need --debug."""
    as_json, debug = (_asked(argv, name) for name in ("json", "debug"))
    try:
        words = [*argv, "--help"] if list(argv) in ([], *([name] for name in GROUPS)) else list(argv)
        code = build_command(words[0])(args=words, prog_name="harness", standalone_mode=False)
        if code == INTERRUPTED:  # typer returns it without a message
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except (Exception, KeyboardInterrupt) as bad:  # every error is caught here and formatted for the user
        return print_error(_told(bad, argv), as_json, debug)


@lru_cache(64)  # bounded, because a word may be anything
def build_command(word: str) -> Callable[..., Any]:
    """Return the command line with only the requested verb or group, because making all of them takes time."""
    verbs = [one for one in app.registered_commands if _name(one) == word]
    groups = [one for one in app.registered_groups if one.name == word]
    if not verbs and not groups:
        return get_command(app)
    part = copy.copy(app)
    part.registered_commands, part.registered_groups = verbs, groups
    return get_command(part)


def _asked(argv: Sequence[str], name: str) -> bool:
    """Return whether an option that every verb has was given on the command line or by its environment variable."""
    return f"--{name}" in argv or os.environ.get(f"HARNESS_{name.upper()}", "").lower() in TRUE


def _told(bad: BaseException, argv: Sequence[str]) -> HarnessError:
    """Convert the exception that ended a verb to a HarnessError."""
    if isinstance(bad, HarnessError):
        return bad
    error: HarnessError
    if isinstance(bad, TyperException):
        verb = next((f" {words}" for words in (" ".join(argv[:2]), *argv[:1]) if words in VERBS | GROUPS.keys()), "")
        error = InputError(bad.format_message(), next=f"`harness{verb} --help` shows what it takes")
    elif isinstance(bad, RecursionError):
        error = InputError("the input is nested too deeply", next="give flatter data")
    elif isinstance(bad, KeyboardInterrupt):
        error = Interrupted("stopped", next="run again: what was finished is kept")
    elif isinstance(bad, OSError):
        error = translate_os_error(bad, bad.filename or "the disk")
    else:
        error = Defect(
            f"a defect of the harness: {type(bad).__name__}: {bad}",
            next="run it again with --debug and report what it shows; the store is as sound as before",
        )
    error.__cause__ = bad
    return error


def _stop(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
