"""Command line of `init`, `new`, `list`, `show`, `schema` and `lock`: manifests, and what they are pinned to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import (
    LOCAL,
    Debug,
    EngineName,
    Images,
    Isolation,
    Json,
    MaxErrors,
    MaxMemory,
    Models,
    StoreDir,
    project,
)
from harness.cli.scores import show_items
from harness.cli.terminal import render, short, table, watching
from harness.errors import AGREED, InputError

if TYPE_CHECKING:
    from harness.verbs.accepting import AcceptRequest, CarryResult
    from harness.verbs.pins import ModelPin
    from harness.verbs.project import Project


def carried(project: Project, json: bool, **asked: Any) -> int:
    """Carry expectations to new locks where outputs allow it, show what became of each, and return the exit code."""
    from harness.verbs.accepting import CarryRequest, carry

    with watching() as watch:
        done = carry(project, CarryRequest(**asked), watch)
    return render(done, _text(done), json)


def _text(done: CarryResult) -> str:
    """Format each expectation with its old and new lock, and the outputs that differ."""
    rows = [[one.name, one.state, short(one.old), short(one.lock)] for one in done.carried]
    text = table(["manifest", "expectation", "lock", "new lock"], rows)
    parted = [
        [
            one.name,
            out.output,
            short(out.accepted) or "-",
            short(out.made) or "-",
            "agrees, bytes differ" if out.agrees else "differs",
        ]
        for one in done.carried
        for out in one.parted
    ]
    if not parted:
        return text
    text += f"\n\n{table(['manifest', 'output', 'accepted', 'came out', 'at its level'], parted)}"
    if done.code == AGREED:
        return text
    advice = "if a difference is meant: `harness lock MANIFEST`, run it, and `harness lock --accept RUN`"
    if any(out.agrees for one in done.carried for out in one.parted):
        advice += "\nwhat agrees at its level may be another machine's arithmetic: --at-levels puts up with that"
    return f"{text}\n{advice}"


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    app.command("list")(list_)
    app.command("show")(show)
    app.command()(lock)


def list_(store: StoreDir = None, json: Json = False, debug: Debug = False) -> int:
    """List the manifests, their locks and their last verdicts."""
    from harness.verbs.pins import list_ as verb

    done = verb(project(store))
    rows = [
        [one.manifest, one.study, one.lock, one.verdict, _origin(one.derived) + one.about] for one in done.manifests
    ]
    text = table(["manifest", "study", "lock", "last verdict", "about"], rows) if rows else "no manifest in manifests/"
    return render(done, text, json)


def _origin(parent: str) -> str:
    return f"[derived from {parent}] " if parent else ""


def show(
    manifest: Annotated[
        str, typer.Argument(metavar="MANIFEST|RUN", help="A manifest file; with --items a run, or a manifest's newest.")
    ],
    items: Annotated[
        bool, typer.Option("--items", help="Page through a run's answers, beside their items and right answers.")
    ] = False,
    wrong: Annotated[
        bool, typer.Option("--wrong", help="Only answers that failed, or score in the worse half.")
    ] = False,
    model: Annotated[str, typer.Option("--model", help="Only answers of this model.")] = "",
    dataset: Annotated[str, typer.Option("--dataset", help="Only items of this dataset.")] = "",
    scorer: Annotated[str, typer.Option("--scorer", help="Only scores by this scorer.")] = "",
    item: Annotated[str, typer.Option("--item", help="Only this item.")] = "",
    page: Annotated[int, typer.Option("--page", min=1, help="Which page of answers.")] = 1,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Show what a manifest pins and would run, or a run's answers."""
    chosen: dict[str, Any] = {"wrong": wrong, "model": model, "dataset": dataset, "scorer": scorer, "item": item}
    if items:
        from harness.verbs.scoring import ShowItemsRequest

        return show_items(project(store), ShowItemsRequest(run=manifest, page=page, **chosen), json)
    if without := next((name for name, value in {**chosen, "page": page != 1}.items() if value), ""):
        raise InputError(f"--{without} says which items are shown", next=f"harness show RUN --items --{without} …")
    return _show_manifest(project(store), manifest, json)


def _show_manifest(here: Project, manifest: str, json: bool) -> int:
    from harness.verbs.pins import ShowRequest
    from harness.verbs.pins import show as verb

    done = verb(here, ShowRequest(manifest=manifest))
    lines = [f"{done.intent['name']} ({done.intent['study']}): {done.about}"]
    if origin := done.intent.get("derived"):
        lines.append(f"derived from {origin['from']} by {' '.join(origin['changes'])}")
    if said := done.intent.get("settings"):
        lines.append("settings: " + ", ".join(f"{name}: {value}" for name, value in said.items()))
    if done.lock:
        lines.append(
            f"lock {short(done.lock.sha256)}" + (f", stale: {', '.join(done.moved)}" if done.moved else ", fits")
        )
        measured = {"models": done.models, "instruments": done.instruments}
        wide = max(9, *map(len, done.lock.pins))
        for kind, pins in done.lock.pins.items():
            for name, pin in sorted(pins.items()):
                model = measured.get(kind, {}).get(name)
                files = done.data.get(name) if kind == "datasets" and "unresolved" not in pin else None
                text = _model_text(model) if model else files.text() if files else _pin_text(pin)
                lines.append(f"  {kind:{wide}} {name}: {text}")
    else:
        lines.append("no lock yet: `harness lock` resolves its names to digests")
    lines += [f"scored by {name}: {text}" for name, text in done.graders.items()]
    if done.partial:
        had = ", ".join(f"{name} {one.text()}" for name, one in done.partial.items())
        lines.append(f"expectation accepted on partial data: {had}")
    if done.carried:
        lines.append(f"expectation carried from lock {short(done.carried['from'])}")
    if done.stages:
        steps = sum(done.stages.values())
        lines.append(f"{steps} steps: " + ", ".join(f"{count} {stage}" for stage, count in done.stages.items()))
    return render(done, "\n".join(lines), json)


def _model_text(model: ModelPin) -> str:
    parts = (("weights", model.weights), ("tape", model.tape), ("answers", model.answers), ("settings", model.settings))
    return ", ".join(f"{name} {short(digest)}" for name, digest in parts if digest)


def _pin_text(pin: Any) -> str:
    if "unresolved" in pin:
        return f"unresolved: {pin['unresolved']}"
    if "image_id" in pin:
        return short(pin["image_id"].removeprefix("sha256:"))
    if "sha256" in pin:
        return short(pin["sha256"])
    return ", ".join(
        f"{name} {short(part['sha256'])} ({_rows_text(part['rows']) if 'rows' in part else 'array'})"
        for name, part in pin.items()
    )


def _rows_text(rows: int) -> str:
    return f"{rows} row{'s' * (rows != 1)}"


def lock(
    manifests: Annotated[list[Path] | None, typer.Argument(help="Manifest files.", show_default=False)] = None,
    accept: Annotated[str, typer.Option("--accept", help="Accept this run's outputs as expected.")] = "",
    failing: Annotated[
        bool, typer.Option("--failing-checks", help="Accept a run whose own checks fail; every verdict says so then.")
    ] = False,
    carry: Annotated[
        bool,
        typer.Option("--carry", help="Lock again and run; the expectation is carried along if every byte is the same."),
    ] = False,
    at_levels: Annotated[
        bool, typer.Option("--at-levels", help="With --carry: accept other bytes that agree at an output's level.")
    ] = False,
    max_errors: MaxErrors = "",
    budget: Annotated[
        float | None,
        typer.Option("--budget", min=0, help="With --accept: seconds for the audit's making again. Default: no bound."),
    ] = None,
    max_memory: MaxMemory = "",
    store: StoreDir = None,
    engine: EngineName = LOCAL,
    isolation: Isolation = "",
    images: Images = None,
    models: Models = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Pin every name to a digest, or accept a run's outputs."""
    if bool(accept) == bool(manifests) or (carry and accept):
        raise InputError("give manifests to lock, or --accept RUN", next="`harness lock --help` shows both")
    if at_levels and not carry:
        raise InputError("--at-levels goes with --carry: nothing is compared here", next="leave it out, or add --carry")
    if max_errors and not (accept or carry):
        raise InputError("--max-errors is for --accept: a lock asks nobody", next="leave it out, or add --accept RUN")
    if budget is not None and not accept:
        raise InputError("--budget is for --accept: a lock makes nothing again", next="leave it out")
    if accept:
        from harness.verbs.accepting import AcceptRequest

        asked_to = AcceptRequest(
            run=accept, max_errors=max_errors, max_memory=max_memory, failing_checks=failing, budget=budget
        )
        return _accept(asked_to, store, json)
    if carry:
        asked_of = {
            "engine": engine,
            "isolation": isolation,
            "images": images,
            "max_errors": max_errors,
            "max_memory": max_memory,
        }
        return carried(project(store), json, manifests=manifests, at_levels=at_levels, **asked_of)
    from harness.verbs.pins import LockRequest
    from harness.verbs.pins import lock as verb

    wanted = LockRequest(
        manifests=manifests or [], engine=engine, isolation=isolation, images=images, max_memory=max_memory
    )
    with watching() as watch:
        done = verb(project(store, models), wanted, watch)
    return render(done, "\n".join(one.sha256 for one in done.locks), json)


def _accept(asked: AcceptRequest, store: Path | None, json: bool) -> int:
    from harness.verbs.accepting import accept as verb

    here = project(store)
    with watching() as watch:
        done = verb(here, asked, watch)
    rows = [[one.output, short(one.old) or "-", short(one.new) or "-"] for one in done.changes]
    text = table(["output", "old", "new"], rows) if rows else "nothing moved"
    where = Path(done.expect).relative_to(here.root)
    return render(done, f"{text}\naccepted run {done.run} in {where}; its audit: {done.words}", json)


def register_schema(app: typer.Typer) -> None:
    """Add the command `schema` to the command line."""
    app.command()(schema)


def schema(
    field: Annotated[str, typer.Argument(help="Only fields whose path begins so, such as `generation`.")] = "",
    json: Json = False,
    debug: Debug = False,
) -> int:
    """List a manifest's fields; --json gives JSON Schema."""
    from harness.verbs.describing import SchemaRequest
    from harness.verbs.describing import schema as verb

    done = verb(SchemaRequest(field=field))
    rows = [[one.field, one.kind, one.default or "unset", one.about] for one in done.fields]
    return render(done, table(["field", "holds", "default", ""], rows), json)


_Columns = list[str] | None


def register_init_and_new(app: typer.Typer) -> None:
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
        name=name,
        source=source,
        models=model or [],
        input=input_ or [],
        target=target,
        options=options or [],
        group=group or [],
        encoding=encoding,
        replace=replace,
        engine=engine,
        isolation=isolation,
        images=images,
    )
    with watching() as watch:
        done = verb(project(store, models), asked, watch)
    lines = [f"{done.manifest}: {done.rows} questions of {done.file} for {', '.join(done.models)}"]
    lines += [f"  {line}" for line in done.guesses]
    lines += [f"  unresolved {pin}: {why}" for pin, why in done.unresolved.items()]
    lines.append(f"locked {short(done.lock)}; a comment in the manifest says why each part is as it is")
    lines.append(f"next: {done.next}")
    return render(done, "\n".join(lines), json)
