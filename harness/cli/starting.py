"""Command line of `init` and `new`: a project of one's own, and its first manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options import LOCAL, Debug, EngineName, Images, Isolation, Json, Models, StoreDir, project
from harness.cli.terminal import render, short, watching

_Columns = list[str] | None


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    app.command()(init)
    app.command()(new)


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder, which may be new.")] = Path(),
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Make a folder a project of your own."""
    from harness.verbs.starting import InitRequest
    from harness.verbs.starting import init as verb

    done = verb(project(), InitRequest(folder=folder))
    lines = [f"{folder} is a project: {len(done.written)} files written"]
    if done.kept:
        lines.append(f"kept, though not as this version ships them: {', '.join(done.kept)}")
    where = "" if folder.resolve() == Path.cwd() else f"cd {folder}, then "
    lines.append(f"next: {where}`harness new NAME --from FILE.csv`")
    return render(done, "\n".join(lines), json)


def new(
    name: Annotated[str, typer.Argument(help="The manifest's name.")],
    source: Annotated[Path, typer.Option("--from", metavar="FILE", help="A file of questions: .csv, .tsv, .jsonl.")],
    model: Annotated[
        list[str] | None,
        typer.Option("-m", "--model", metavar="[NAME=]PROVIDER/MODEL", help="A model; default: shipped ones."),
    ] = None,
    input_: Annotated[_Columns, typer.Option("--input", metavar="COLUMN", help="A column that is asked.")] = None,
    target: Annotated[str, typer.Option("--target", metavar="COLUMN", help="The column of right answers.")] = "",
    options: Annotated[
        _Columns, typer.Option("--options", metavar="COLUMN", help="A column of options; one for each of them.")
    ] = None,
    group: Annotated[
        _Columns, typer.Option("--group", metavar="COLUMN", help="A column by which scores are told apart.")
    ] = None,
    encoding: Annotated[str, typer.Option("--encoding", help="How the file is encoded.")] = "utf-8",
    replace: Annotated[bool, typer.Option("--replace", help="Write it again where there is one.")] = False,
    store: StoreDir = None,
    engine: EngineName = LOCAL,
    isolation: Isolation = "",
    images: Images = None,
    models: Models = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Write a manifest for a file of questions, and lock it."""
    from harness.verbs.starting import NewRequest
    from harness.verbs.starting import new as verb

    asked = NewRequest(
        name=name, source=source, models=model or [], input=input_ or [], target=target, options=options or [],
        group=group or [], encoding=encoding, replace=replace, engine=engine, isolation=isolation, images=images,
    )  # fmt: skip
    with watching() as watch:
        done = verb(project(store, models), asked, watch)
    lines = [f"{done.manifest}: {done.rows} questions of {done.file} for {', '.join(done.models)}"]
    lines += [f"  {line}" for line in done.guesses]
    lines += [f"  unresolved {pin}: {why}" for pin, why in done.unresolved.items()]
    lines.append(f"locked {short(done.lock)}; a comment in the manifest says why each part is as it is")
    lines.append(f"next: {done.next}")
    return render(done, "\n".join(lines), json)
