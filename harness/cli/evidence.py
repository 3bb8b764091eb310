"""The reviewer's verbs: get, audit, diff, explain."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Debug, Images, Jobs, Json, Run, StoreDir, open_run, store_root
from harness.cli.terminal import give, progress, say, short, show, table
from harness.digest import CHUNK
from harness.errors import AGREED, DISAGREED, InputError

if TYPE_CHECKING:
    from harness.evidence.checks import Report
    from harness.store.store import Store

BUDGET = 300.0  # seconds, as `harness.evidence.again` has it: help is shown without loading it
SHOWN = 8  # names of outputs in a message


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    for verb in (get, audit, diff, explain):
        app.command()(verb)


def get(
    run: Run,
    output: Annotated[str, typer.Argument(help="The name of an output.")],
    to: Annotated[Path | None, typer.Option("-o", "--to", envvar="HARNESS_TO", help="Write to this file.")] = None,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Give one output file of a run, its bytes checked."""
    from harness.evidence.record import read_record
    from harness.files import told

    where, found = open_run(store, run)
    outputs = read_record(where, found).outputs
    if output not in outputs:
        raise _no_output(where, found, output, sorted(outputs))
    path = where.blobs.deliver(outputs[output]["sha256"])
    data = {"run": found, "output": output, **{name: outputs[output][name] for name in ("sha256", "size")}}
    if to:
        with told(to):
            if to.is_dir() or not to.absolute().parent.is_dir():
                raise InputError(
                    "this file cannot be written", where=str(to), next="name a file in a folder that is there"
                )
            shutil.copyfile(path, to)
        show({**data, "file": str(to)}, f"{to}: {outputs[output]['size']} bytes, {outputs[output]['sha256']}", json)
    elif json:
        show({**data, "file": str(path)}, "", json)
    else:
        with open(path, "rb") as file:
            give(iter(partial(file.read, CHUNK), b""))


def _no_output(store: Store, run: str, output: str, has: Sequence[str]) -> InputError:
    from harness.run.project import manifest_name

    of = f" of {name}" if (name := manifest_name(store, run)) else ""
    more = f" and {len(has) - SHOWN} more" if len(has) > SHOWN else ""
    return InputError(
        f"run {run}{of} has no output {output!r}", next=f"it has: {', '.join(has[:SHOWN]) or 'none'}{more}"
    )


def audit(
    subject: Annotated[
        str, typer.Argument(metavar="RUN|MANIFEST", help="A run, or a manifest whose newest run is meant.")
    ],
    level: Annotated[
        str,
        typer.Option("--level", help="What is made again: full (all that is deterministic), rescore, derive, hashes."),
    ] = "full",
    rerun: Annotated[
        int, typer.Option("--rerun", min=0, help="Make a sample of N other steps again, answers of local models too.")
    ] = 0,
    budget: Annotated[
        float, typer.Option("--budget", min=0, help="Seconds for making again; what is left out then is named.")
    ] = BUDGET,
    jobs: Jobs = 0,
    images: Images = None,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Say whether manifest, lock, record and store agree."""
    from harness.evidence.again import LEVELS, How
    from harness.run.project import audit_files, audited, loaded_manifest, newest_run
    from harness.store.store import Store

    if level not in LEVELS:
        known = "; ".join(f"{name} ({about})" for name, about in LEVELS.items())
        raise InputError(f"no level is called {level!r}", next=f"choose one of: {known}")
    path = Path(subject)
    loaded = None
    if path.suffix in (".yaml", ".yml"):
        loaded = loaded_manifest(path)
        where = Store.open(store_root(store, loaded.root))
        run = newest_run(where, loaded.manifest.name)
    else:
        where, run = open_run(store, subject)
    with progress(f"audit {run}") as bar:
        how = How(level=level, rerun=rerun, budget=budget, jobs=jobs or len(os.sched_getaffinity(0)), progress=bar)
        report = audited(where, run, images.absolute() if images else None, how)
    if loaded:
        audit_files(where, run, loaded, report)
    _show_report(run, level, report, json)
    return AGREED if report.verdict == "agreed" else DISAGREED


def _show_report(run: str, level: str, report: Report, json: bool) -> None:
    flaws = [check for check in report.checks if check.verdict != "pass"]
    data = {
        "run": run,
        "verdict": report.verdict,
        "level": level,
        "packages": dict(report.packages),
        "self_checks": report.self_checks or "none",
        "coverage": report.coverage.as_data() if report.coverage else None,
        "checks": [{"id": c.id, "verdict": c.verdict, "subject": c.subject, "detail": c.detail} for c in report.checks],
    }
    rows = [[check.verdict, check.id, check.subject, check.detail] for check in flaws]
    passed = len(report.checks) - len(flaws)
    coverage = f"{report.coverage.text()}\n" if report.coverage else ""
    word = report.verdict + (", its own checks fail" if report.self_checks == "fail" else "")
    text = f"{coverage}run {run}: {word}; {passed} checks passed, {len(flaws)} did not (level {level})"
    show(data, (table(["verdict", "check", "subject", "detail"], rows) + "\n\n" if rows else "") + text, json)


def diff(
    left: Run,
    right: Run,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Say where two runs first part, why, and in which rows."""
    import harness.evidence.diff as differ
    from harness.evidence.trail import follow

    parted = differ.diff(follow(*open_run(store, left)), follow(*open_run(store, right)))
    stages = [{"stage": one.stage, "verdict": one.verdict, "changed": one.changed} for one in parted.stages]
    data = {"level": parted.level, "first": parted.first, "cause": parted.cause, "stages": stages, "rows": parted.rows}
    lines = [f"level: {parted.level}"]
    if parted.first:
        lines.append(f"first: {parted.first['stage']}: {parted.first['subject']}")
        lines.append(f"cause: {parted.cause}")
        shown = [
            [s.stage, s.verdict, ", ".join(s.changed[:3]) + (" …" if len(s.changed) > 3 else "")] for s in parted.stages
        ]
        lines += ["", table(["stage", "verdict", "changed"], shown)]
    elif parted.level == "bytes":
        lines.append("no difference: every output has the same bytes")
    for row in parted.rows:
        lines += ["", f"{row['step']}, row {row['row']}: {', '.join(row['fields']) or 'in one run only'}"]
        lines += [f"  - {row['left']}", f"  + {row['right']}"]
    show(data, "\n".join(lines), json)
    return AGREED if parted.level == "bytes" else DISAGREED


def explain(
    run: Run,
    step: Annotated[str, typer.Argument(help="A step, or the beginning of several names.")] = "",
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the parts of a key, and why a step ran or did not."""
    import harness.evidence.explain as explainer

    where, found = open_run(store, run)
    whys = list(explainer.explain(where, found, step))
    data = {"run": found, "steps": [vars(why) for why in whys]}
    if step and len(whys) == 1:
        why = whys[0]
        lines = [f"{why.step}: {why.state}, because {why.reason}", f"key {why.key}"]
        lines += [f"  {name}: {_part(value)}" for name, value in why.parts.items() if name != "type"]
    else:
        grouped = Counter((why.step.rpartition("/part-")[0] or why.step, why.state, why.reason) for why in whys)
        rows: list[list[Any]] = [[name, count, state, reason] for (name, state, reason), count in grouped.items()]
        lines = [table(["step", "shards", "state", "because"], rows)]
        for why in whys[:1]:
            say(f"name one step to see the parts of its key, such as `harness explain {run} {why.step}`")
    show(data, "\n".join(lines), json)


def _part(value: Any) -> str:
    if isinstance(value, str):
        return short(value) if len(value) == 64 else value
    if isinstance(value, list) and len(value) > 4:
        return f"{len(value)} parts"
    if isinstance(value, dict):
        return ", ".join(f"{name}={_part(item)}" for name, item in value.items())
    return str(value)
