"""Command line of the reviewer's verbs (`get`, `audit`, `diff`, `explain`) and of upkeep (`doctor`, `fsck`, `gc`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Debug, Images, Jobs, Json, MaxMemory, Run, StoreDir, project
from harness.cli.terminal import flat, give, limited, on_terminal, render, say, short, stand_in_text, table, watching

if TYPE_CHECKING:
    from harness.verbs.review import AuditResult


SHOWN = 5  # lines of an edited file
NOTES = 10
BUDGET = 300.0  # seconds, as `harness.evidence.audit.reexecution` has it: help is shown without loading it


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    for verb in (get, audit, diff, explain):
        app.command()(verb)


def get(
    run: Run,
    output: Annotated[str, typer.Argument(help="The name of an output.")],
    to: Annotated[Path | None, typer.Option("-o", "--to", help="Write to this file.")] = None,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Get one output file of a run, its bytes checked."""
    from harness.verbs.review import GetRequest, stream_output
    from harness.verbs.review import get as verb

    here, asked = project(store), GetRequest(run=run, output=output, to=to)
    done = verb(here, asked)
    if to or json:
        return render(
            done, f"{done.file}: {done.size} bytes, {done.sha256}{_array(done.array)}{limited(done.limit)}", json
        )
    if done.limit:
        say(f"run {done.run}{limited(done.limit)}")
    if done.array and on_terminal():
        say(f"-o FILE writes its bytes; {done.size} of them are in {done.file}")
        return render(done, f"{output}{_array(done.array)}", json)
    give(stream_output(here, asked, done))
    return done.code


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
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Draw steps and rows as an audit did that named this seed.")
    ] = None,
    jobs: Jobs = 0,
    max_memory: MaxMemory = "",
    images: Images = None,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Check that manifest, lock, record and store agree."""
    from harness.verbs.review import AuditRequest
    from harness.verbs.review import audit as verb

    asked = AuditRequest(
        subject=subject,
        level=level,
        rerun=rerun,
        budget=budget,
        seed=seed,
        jobs=jobs,
        max_memory=max_memory,
        images=images,
    )
    with watching() as watch:
        done = verb(project(store), asked, watch)
    flaws = [check for check in done.checks if check.verdict != "pass"]
    rows = [[check.verdict, check.id, check.subject, check.detail] for check in flaws]
    passed = len(done.checks) - len(flaws)
    word = done.words + (", its own checks fail" if done.self_checks == "fail" else "")
    word += f", {done.by_tolerance}" if done.by_tolerance else ""
    word += f"; {done.cause.text}" if done.cause else ""
    text = f"{flat(done.coverage.text)}\n" if done.coverage else ""
    counts = f"{passed} checks passed, {len(flaws)} did not (level {level})"
    text += f"run {done.run}{limited(done.limit)}: {flat(word)}; {counts}"
    text += "".join(f"\n{flat(line)}" for line in _beside(done))
    told = table(["verdict", "check", "subject", "detail"], rows) + "\n\n" if rows else ""
    return render(done, told + text, json)


def _beside(done: AuditResult) -> Iterator[str]:
    """Say what stands beside a verdict: who judged what, what was no model, and what else there is to know."""
    under = f" against the files of {done.judged.project}" if done.judged.project else ""
    yield f"judged in the store {done.judged.store}{under} by {done.harness.text}"
    if done.stand_ins:
        yield f"stand-ins, and no models: {stand_in_text(done.stand_ins)}"
    yield from (f"note: {note}" for note in done.notes[:NOTES])
    if len(done.notes) > NOTES:
        yield f"note: {len(done.notes) - NOTES} more (--json shows all)"
    yield from (f"data: {name} {one.text()}" for name, one in done.data.items())
    told = {"resources.bounded": "memory", "damage.healed": "store"}
    yield from (f"{told[check.id]}: {check.detail}" for check in done.checks if check.id in told)


def diff(
    left: Run,
    right: Run,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Find where two runs first differ, why, and in which rows."""
    from harness.verbs.review import DiffRequest
    from harness.verbs.review import diff as verb

    done = verb(project(store), DiffRequest(left=left, right=right))
    lines = [f"level: {done.level}"]
    if done.first:
        lines.append(f"first: {done.first['stage']}: {done.first['subject']}")
        lines.append(f"cause: {done.cause}")
        shown = [[s.stage, s.verdict, ", ".join(s.changed[:3]) + _more(len(s.changed) - 3)] for s in done.stages]
        lines += ["", table(["stage", "verdict", "changed"], shown)]
    elif done.level == "bytes":
        lines.append("no difference: every output has the same bytes")
    for row in done.rows:
        name = row.row if row.row.startswith("row ") else f"row {row.row}"  # what has no id is called by its number
        lines += ["", f"{row.step}, {name}: {', '.join(row.fields) or 'in one run only'}"]
        lines += [f"  - {row.left}", f"  + {row.right}"]
    lines += [f"{_more(done.more_rows).strip()} rows differ"] if done.more_rows else []
    for text in done.texts[:SHOWN]:
        lines += ["", f"{text.file}, line {text.line}:", f"  - {text.left}", f"  + {text.right}"]
    lines += [f"{_more(len(done.texts) - SHOWN).strip()} lines differ"] if len(done.texts) > SHOWN else []
    return render(done, "\n".join(lines), json)


def explain(
    run: Run,
    step: Annotated[str, typer.Argument(help="A step, or the beginning of several names.")] = "",
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Show the parts of a key, and why a step ran or did not."""
    from harness.verbs.review import ExplainRequest
    from harness.verbs.review import explain as verb

    done = verb(project(store), ExplainRequest(run=run, step=step))
    whys = done.steps
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
    return render(done, "\n".join(lines), json)


def _array(told: str) -> str:
    return f", {told}" if told else ""


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def _part(value: Any) -> str:
    if isinstance(value, str):
        return short(value) if len(value) == 64 else value
    if isinstance(value, list) and len(value) > 4:
        return f"{len(value)} parts"
    if isinstance(value, dict):
        return ", ".join(f"{name}={_part(item)}" for name, item in value.items())
    return str(value)


def register_upkeep(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    for verb in (doctor, fsck, gc):
        app.command()(verb)


def doctor(store: StoreDir = None, json: Json = False, debug: Debug = False) -> int:
    """Check what this machine can do, and how to improve it."""
    from harness.verbs.upkeep import doctor as verb

    done = verb(project(store))
    rows = [[one.state, one.subject, one.found] for one in done.findings]
    notes = [one.advice and f"next: {one.advice}" for one in done.findings]
    return render(done, table(["", "what", "found"], rows, notes), json)


def fsck(store: StoreDir = None, json: Json = False, debug: Debug = False) -> int:
    """Read every byte of the store and report damage."""
    from harness.verbs.upkeep import fsck as verb

    where = project(store)
    done = verb(where)
    text = table(["check", "subject", "detail"], [[flaw.id, flaw.subject, flaw.detail] for flaw in done.flaws])
    return render(done, text if done.flaws else f"the store {where.store} is sound", json)


def gc(
    delete: Annotated[bool, typer.Option("--delete", help="Delete it; without this option it is only listed.")] = False,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """List what no run uses; --delete deletes it."""
    from harness.verbs.upkeep import GcRequest
    from harness.verbs.upkeep import gc as verb

    done = verb(project(store), GcRequest(delete=delete))
    text = f"{'deleted' if delete else 'may go'}: {len(done.entries)} entries, {len(done.blobs)} blobs"
    text += f" ({done.bytes} bytes), {len(done.folders)} temporary"
    return render(done, text + ("" if delete else "; `harness gc --delete` lets them go"), json)
