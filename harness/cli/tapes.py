"""The verbs of tapes: ls, verify, import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.options import Debug, Json
from harness.cli.terminal import short, show, table
from harness.errors import AGREED, DISAGREED, InputError

app = typer.Typer(
    name="tape", help="List, check and fill tapes: recorded responses of models.", rich_markup_mode=None
)  # fmt: skip
Folder = Annotated[Path, typer.Argument(help="The tape: a folder of segments.", show_default=False)]


def register(parent: typer.Typer) -> None:
    """Add these verbs to the command line, below `tape`."""
    app.command()(ls)
    app.command()(verify)
    app.command(name="import")(import_)
    parent.add_typer(app)


def ls(folder: Folder, json: Json = False, debug: Debug = False) -> None:
    """List what a tape holds, by model."""
    from harness.models.tape import Tape

    found: dict[tuple[str, str], dict[str, Any]] = {}
    with Tape.open(_there(folder)) as tape:
        for one in tape.requests():
            names = (one.provider, str(one.body.get("model", "")))
            row = found.setdefault(names, {"exchanges": 0, "bytes": 0, "first": one.at, "last": one.at})
            row["exchanges"] += 1
            row["bytes"] += len(one.response)
            row["first"], row["last"] = min(row["first"], one.at), max(row["last"], one.at)
        digest, count = tape.digest(), len(tape)
    models = [{"provider": provider, "model": model, **row} for (provider, model), row in sorted(found.items())]
    size = sum(path.stat().st_size for path in folder.glob("segment-*.jsonl"))
    data = {"digest": digest, "exchanges": count, "bytes": size, "models": models}
    columns = ("provider", "model", "exchanges", "bytes", "first", "last")
    text = table(columns, [[one[name] for name in columns] for one in models]) if models else "an empty tape"
    show(data, f"{text}\n{count} exchanges, {size} bytes on disk, tape {short(digest)}", json)


def verify(folder: Folder, json: Json = False, debug: Debug = False) -> int:
    """Read every byte of a tape and name what is damaged."""
    from harness.models.tape_verify import verify as check

    found = check(_there(folder))
    verdict = "disagreed" if found.flaws else "agreed"
    data = {**vars(found), "verdict": verdict, "flaws": [vars(flaw) for flaw in found.flaws]}
    rows = [[flaw.file, flaw.line or "", flaw.detail] for flaw in found.flaws]
    summary = f"{found.exchanges} exchanges in {found.segments} segments, {found.bytes} bytes: "
    lines = [table(["file", "line", "what is wrong"], rows)] if rows else []
    lines += [found.torn] if found.torn else []
    lines.append(summary + ("the tape is sound" if not rows else "the tape is damaged; restore it from its source"))
    show(data, "\n".join(lines), json)
    return DISAGREED if rows else AGREED


def import_(
    file: Annotated[Path, typer.Argument(help="JSON Lines of request and response.", show_default=False)],
    folder: Folder,
    provider: Annotated[
        str, typer.Option("--provider", envvar="HARNESS_PROVIDER", help="Who answered: openai, anthropic, …")
    ],
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Tape recorded exchanges from JSON Lines; again adds nothing."""
    from harness.models.tape_import import import_lines

    done = import_lines(file, folder, provider)
    data = {"read": done.read, "added": done.added, "known": done.read - done.added}
    show(data, f"{done.read} exchanges read: {done.added} taped, {done.read - done.added} were on the tape", json)


def _there(folder: Path) -> Path:
    """Refuse a folder that is not there, which a library takes for an empty tape and a person did not mean."""
    if not folder.is_dir():
        raise InputError("there is no tape here", where=str(folder), next="name the folder that holds its segments")
    return folder
