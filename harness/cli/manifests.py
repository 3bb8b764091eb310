"""Command line of `init`, `new`, `list`, `show`, `lock`, `schema` and `docs`: manifests, and what explains them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import GivenOptions, with_request_options
from harness.cli.scores import show_items
from harness.cli.terminal import flat_lines, format_table, short_digest, show_progress
from harness.errors import AGREED, InputError
from harness.verbs import requests

if TYPE_CHECKING:
    from harness.verbs.accepting import CarryResult
    from harness.verbs.pins import ModelPin


def _carried(given: GivenOptions) -> int:
    """Carry expectations to new locks if outputs allow it, show the outcome of each, and return the exit code."""
    from harness.verbs.accepting import carry

    with show_progress() as watch:
        done = carry(given.project, given.request(requests.CarryRequest), watch)
    return given.show(done, _text(done))


def _text(done: CarryResult) -> str:
    """Format each expectation with its old and new lock, and the outputs that differ."""
    rows = [[one.name, one.state, short_digest(one.old), short_digest(one.lock)] for one in done.carried]
    text = format_table(["manifest", "expectation", "lock", "new lock"], rows)
    parted = [
        [
            one.name,
            out.output,
            short_digest(out.accepted) or "-",
            short_digest(out.made) or "-",
            "agrees, bytes differ" if out.agrees else "differs",
        ]
        for one in done.carried
        for out in one.parted
    ]
    if not parted:
        return text
    text += f"\n\n{format_table(['manifest', 'output', 'accepted', 'came out', 'at its level'], parted)}"
    if done.code == AGREED:
        return text
    advice = "if a difference is meant: `harness lock MANIFEST`, run it, and `harness lock --accept RUN`"
    if any(out.agrees for one in done.carried for out in one.parted):
        advice += "\nwhat agrees at its level may be another machine's arithmetic: --at-levels puts up with that"
    return f"{text}\n{advice}"


def register(app: typer.Typer) -> None:
    """Add verbs of this module to the command line."""
    app.command("list")(list_)
    app.command("show")(show)
    app.command()(lock)


@with_request_options()
def list_(given: GivenOptions) -> int:
    """List the manifests, their locks and their last verdicts."""
    from harness.verbs.pins import list_ as verb

    done = verb(given.project)
    rows = [
        [one.manifest, one.study, one.lock, one.verdict, _origin(one.derived) + one.about] for one in done.manifests
    ]
    text = (
        format_table(["manifest", "study", "lock", "last verdict", "about"], rows)
        if rows
        else "no manifest in manifests/"
    )
    return given.show(done, text)


def _origin(parent: str) -> str:
    return f"[derived from {parent}] " if parent else ""


@with_request_options(requests.ShowItemsRequest)
def show(
    given: GivenOptions,
    items: Annotated[
        bool, typer.Option("--items", help="Page through a run's answers, beside their items and right answers.")
    ] = False,
) -> int:
    """Show what a manifest pins and would run, or a run's answers."""
    if items:
        return show_items(given)
    asked = given.request(requests.ShowItemsRequest)
    plain = requests.ShowItemsRequest(run=asked.run)
    if without := next((name for name, value in vars(asked).items() if value != getattr(plain, name)), ""):
        raise InputError(f"--{without} says which items are shown", next=f"harness show RUN --items --{without} …")
    return _show_manifest(given, asked.run)


def _show_manifest(given: GivenOptions, manifest: str) -> int:
    from harness.verbs.pins import show as verb

    done = verb(given.project, requests.ShowRequest(manifest=manifest))
    lines = [f"{done.intent['name']} ({done.intent['study']}): {done.about}"]
    if origin := done.intent.get("derived"):
        lines.append(f"derived from {origin['from']} by {' '.join(origin['changes'])}")
    if said := done.intent.get("settings"):
        lines.append("settings: " + ", ".join(f"{name}: {value}" for name, value in said.items()))
    if done.lock:
        lines.append(
            f"lock {short_digest(done.lock.sha256)}" + (f", stale: {', '.join(done.moved)}" if done.moved else ", fits")
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
        lines.append(f"expectation carried from lock {short_digest(done.carried['from'])}")
    if done.stages:
        steps = sum(done.stages.values())
        lines.append(f"{steps} steps: " + ", ".join(f"{count} {stage}" for stage, count in done.stages.items()))
    return given.show(done, flat_lines(lines))


def _model_text(model: ModelPin) -> str:
    parts = (("weights", model.weights), ("tape", model.tape), ("answers", model.answers), ("settings", model.settings))
    return ", ".join(f"{name} {short_digest(digest)}" for name, digest in parts if digest)


def _pin_text(pin: Any) -> str:
    if "unresolved" in pin:
        return f"unresolved: {pin['unresolved']}"
    if "image_id" in pin:
        return short_digest(pin["image_id"].removeprefix("sha256:"))
    if "sha256" in pin:
        return short_digest(pin["sha256"])
    return ", ".join(
        f"{name} {short_digest(part['sha256'])} ({_rows_text(part['rows']) if 'rows' in part else 'array'})"
        for name, part in pin.items()
    )


def _rows_text(rows: int) -> str:
    return f"{rows} row{'s' * (rows != 1)}"


@with_request_options(
    requests.LockRequest,
    requests.AcceptRequest,
    requests.CarryRequest,
    optional=("manifests", "run"),
    without=("jobs",),
    models=True,
)
def lock(
    given: GivenOptions,
    carry: Annotated[
        bool,
        typer.Option("--carry", help="Lock again and run; the expectation is carried along if every byte is the same."),
    ] = False,
) -> int:
    """Pin every name to a digest, or accept a run's outputs."""
    if bool(given.run) == bool(given.manifests) or (carry and given.run):
        raise InputError("give manifests to lock, or --accept RUN", next="`harness lock --help` shows both")
    if given.at_levels and not carry:
        raise InputError("--at-levels goes with --carry: nothing is compared here", next="leave it out, or add --carry")
    if given.max_errors and not (given.run or carry):
        raise InputError("--max-errors is for --accept: a lock asks nobody", next="leave it out, or add --accept RUN")
    if given.budget is not None and not given.run:
        raise InputError("--budget is for --accept: a lock makes nothing again", next="leave it out")
    if given.run:
        return _accept(given)
    if carry:
        return _carried(given)
    from harness.verbs.pins import lock as verb

    with show_progress() as watch:
        done = verb(given.project, given.request(requests.LockRequest), watch)
    root = given.project.folder
    return given.show(done, "\n".join(f"{one.sha256}  {os.path.relpath(one.lock, root)}" for one in done.locks))


def _accept(given: GivenOptions) -> int:
    from harness.verbs.accepting import accept as verb

    with show_progress() as watch:
        done = verb(given.project, given.request(requests.AcceptRequest), watch)
    rows = [[one.output, short_digest(one.old) or "-", short_digest(one.new) or "-"] for one in done.changes]
    text = format_table(["output", "old", "new"], rows) if rows else "nothing moved"
    where = Path(done.expect).relative_to(given.project.root)
    return given.show(done, f"{text}\naccepted run {done.run} in {where}; its audit: {done.words}")


def register_schema(app: typer.Typer) -> None:
    """Add the command `schema` to the command line."""
    app.command()(schema)


@with_request_options(requests.SchemaRequest, store=False)
def schema(given: GivenOptions) -> int:
    """List a manifest's fields; --json gives JSON Schema."""
    from harness.verbs.describing import schema as verb

    done = verb(given.request(requests.SchemaRequest))
    rows = [[one.field, one.kind, one.default or "unset", one.about] for one in done.fields]
    return given.show(done, format_table(["field", "holds", "default", ""], rows))


def register_init_and_new(app: typer.Typer) -> None:
    """Add verbs of this module to the command line."""
    app.command()(init)
    app.command()(new)


@with_request_options(requests.InitRequest, store=False)
def init(given: GivenOptions) -> int:
    """Make a folder a project of your own."""
    from harness.verbs.starting import init as verb

    folder = Path(given.folder)
    done = verb(given.project, given.request(requests.InitRequest))
    lines = [f"{folder} is a project: {len(done.written)} files written"]
    if done.kept:
        lines.append(f"kept, though not as this version ships them: {', '.join(done.kept)}")
    where = "" if folder.resolve() == Path.cwd() else f"cd {folder}, then "
    lines.append(f"next: {where}`harness new NAME --from FILE.csv`")
    return given.show(done, "\n".join(lines))


@with_request_options(requests.NewRequest, without=("max_memory",), models=True)
def new(given: GivenOptions) -> int:
    """Write a manifest for a file of questions, and lock it."""
    from harness.verbs.starting import new as verb

    with show_progress() as watch:
        done = verb(given.project, given.request(requests.NewRequest), watch)
    lines = [f"{done.manifest}: {done.rows} questions of {done.file} for {', '.join(done.models)}"]
    lines += [f"  {line}" for line in done.guesses]
    lines += [f"  unresolved {pin}: {why}" for pin, why in done.unresolved.items()]
    lines.append(f"locked {short_digest(done.lock)}; a comment in the manifest says why each part is as it is")
    lines.append(f"next: {done.next}")
    return given.show(done, "\n".join(lines))


def register_docs(app: typer.Typer) -> None:
    """Add the command `docs` to the command line."""
    app.command()(docs)


@with_request_options(requests.ShowDocRequest, optional=("page",), store=False)
def docs(given: GivenOptions) -> int:
    """List the pages of the documentation, or print one."""
    from harness.verbs import upkeep

    if given.page:
        shown = upkeep.show_doc(given.request(requests.ShowDocRequest))
        return given.show(shown, shown.text.rstrip("\n"))
    found = upkeep.list_docs()
    return given.show(found, format_table(["page", "about"], [[one.name, one.title] for one in found.pages]))
