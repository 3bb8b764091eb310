"""Command line of what recorded runs prove (`get`, `audit`, `diff`, `explain`, `runs`), and of upkeep.

The verbs of upkeep are `doctor`, `fsck` and `gc`.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer

from harness.cli import terminal
from harness.cli.options import GivenOptions, with_request_options
from harness.verbs import requests

if TYPE_CHECKING:
    from harness.verbs.published import ListedRun
    from harness.verbs.review import AuditResult


SHOWN = 5  # lines of an edited file
NOTES = 10


def register(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    for verb in (get, audit, diff, explain):
        app.command()(verb)


@with_request_options(requests.GetRequest)
def get(given: GivenOptions) -> int:
    """Get one output file of a run, its bytes checked."""
    from harness.verbs.review import get as verb
    from harness.verbs.review import stream_output

    here, asked = given.project, given.request(requests.GetRequest)
    done = verb(here, asked)
    if asked.to or given.json:
        made = f"{done.size} bytes, {done.sha256}{_array(done.array)}{terminal.limit_suffix(done.limit)}"
        return given.show(
            done, f"{done.file}: {made}\n  of {terminal.join_lines(done.manifest)}, run {done.run} of {done.started}"
        )
    if done.limit:
        terminal.print_message(f"run {done.run}{terminal.limit_suffix(done.limit)}")
    if done.array and terminal.on_terminal():
        terminal.print_message(f"-o FILE writes its bytes; {done.size} of them are in {done.file}")
        return given.show(done, terminal.join_lines(f"{asked.output}{_array(done.array)}"))
    terminal.write_bytes(stream_output(here, asked, done))
    return done.code


@with_request_options(requests.AuditRequest)
def audit(given: GivenOptions) -> int:
    """Check that manifest, lock, record and store agree."""
    from harness.verbs.review import audit as verb

    asked = given.request(requests.AuditRequest)
    with terminal.show_progress() as watch:
        done = verb(given.project, asked, watch)
    flaws = [check for check in done.checks if check.verdict != "pass"]
    rows = [[check.verdict, check.id, check.subject, check.detail] for check in flaws]
    passed = len(done.checks) - len(flaws)
    word = done.words + (", its own checks fail" if done.self_checks == "fail" else "")
    word += f", {done.by_tolerance}" if done.by_tolerance else ""
    word += f"; {done.cause.text}" if done.cause else ""
    text = f"{terminal.join_lines(done.coverage.text)}\n" if done.coverage else ""
    counts = f"{passed} checks passed, {len(flaws)} did not (level {done.level})"
    text += f"run {done.run}{terminal.limit_suffix(done.limit)}: {terminal.join_lines(word)}; {counts}"
    text += "".join(f"\n{terminal.join_lines(line)}" for line in _beside(done))
    told = terminal.format_table(["verdict", "check", "subject", "detail"], rows) + "\n\n" if rows else ""
    return given.show(done, told + text)


def _beside(done: AuditResult) -> Iterator[str]:
    """Yield the lines shown with a verdict: the store and the harness that judged, stand-ins, notes, data, checks."""
    under = f" against the files of {done.judged.project}" if done.judged.project else ""
    where = f"the bundle {done.judged.bundle}" if done.judged.bundle else f"the store {done.judged.store}"
    yield f"judged in {where}{under} by {done.harness.text}"
    if done.stand_ins:
        yield f"stand-ins, and no models: {terminal.stand_in_text(done.stand_ins)}"
    yield from (f"note: {note}" for note in done.notes[:NOTES])
    if len(done.notes) > NOTES:
        yield f"note: {len(done.notes) - NOTES} more (--json shows all)"
    yield from (f"data: {name} {one.text()}" for name, one in done.data.items())
    told = {"resources.bounded": "memory", "damage.healed": "store"}
    yield from (f"{told[check.id]}: {check.detail}" for check in done.checks if check.id in told)


@with_request_options(requests.DiffRequest)
def diff(given: GivenOptions) -> int:
    """Find where two runs first differ, why, and in which rows."""
    from harness.verbs.review import diff as verb

    done = verb(given.project, given.request(requests.DiffRequest))
    lines = [f"level: {done.level}"]
    if done.first:
        lines.append(terminal.join_lines(f"first: {done.first['stage']}: {done.first['subject']}"))
        lines.append(terminal.join_lines(f"cause: {done.cause}"))
        shown = [[s.stage, s.verdict, ", ".join(s.changed[:3]) + _more(len(s.changed) - 3)] for s in done.stages]
        lines += ["", terminal.format_table(["stage", "verdict", "changed"], shown)]
    elif done.level == "bytes":
        lines.append("no difference: every output has the same bytes")
    lines += ["", terminal.words_text(done.words)] if done.words else []
    for row in done.rows:
        name = row.row if row.row.startswith("row ") else f"row {row.row}"  # a row without an id is named by its number
        lines += ["", terminal.join_lines(f"{row.step}, {name}: {', '.join(row.fields) or 'in one run only'}")]
        lines += [terminal.join_lines(f"  - {row.left}"), terminal.join_lines(f"  + {row.right}")]
    lines += [f"{_more(done.more_rows).strip()} rows differ"] if done.more_rows else []
    for text in done.texts[:SHOWN]:
        lines += [
            "",
            *map(terminal.join_lines, (f"{text.file}, line {text.line}:", f"  - {text.left}", f"  + {text.right}")),
        ]
    lines += [f"{_more(len(done.texts) - SHOWN).strip()} lines differ"] if len(done.texts) > SHOWN else []
    return given.show(done, "\n".join(lines))


@with_request_options(requests.ExplainRequest)
def explain(given: GivenOptions) -> int:
    """Show the parts of a key, and why a step ran or did not."""
    from harness.verbs.review import explain as verb

    done = verb(given.project, given.request(requests.ExplainRequest))
    whys = done.steps
    if given.step and len(whys) == 1:
        why = whys[0]
        lines = [f"{why.step}: {why.state}, because {why.reason}", f"key {why.key}"]
        lines += [f"  {name}: {_part(value)}" for name, value in why.parts.items() if name != "type"]
        lines = [terminal.flat_lines(lines)]
    else:
        grouped = Counter((why.step.rpartition("/part-")[0] or why.step, why.state, why.reason) for why in whys)
        rows: list[list[Any]] = [[name, count, state, reason] for (name, state, reason), count in grouped.items()]
        lines = [terminal.format_table(["step", "shards", "state", "because"], rows)]
        for why in whys[:1]:
            one = shlex.join((given.run, why.step))
            terminal.print_message(
                f"name one step to see the parts of its key, such as `harness explain {terminal.join_lines(one)}`"
            )
    return given.show(done, "\n".join(lines))


def _array(told: str) -> str:
    return f", {told}" if told else ""


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def _part(value: Any) -> str:
    if isinstance(value, str):
        return terminal.short_digest(value) if len(value) == 64 else value
    if isinstance(value, list) and len(value) > 4:
        return f"{len(value)} parts"
    if isinstance(value, dict):
        return ", ".join(f"{name}={_part(item)}" for name, item in value.items())
    return str(value)


def register_upkeep(app: typer.Typer) -> None:
    """Add verbs of this module to the command line."""
    for verb in (doctor, fsck, gc):
        app.command()(verb)


@with_request_options()
def doctor(given: GivenOptions) -> int:
    """Check what this machine can do, and how to improve it."""
    from harness.verbs.upkeep import doctor as verb

    done = verb(given.project)
    rows = [[one.state, one.subject, one.found] for one in done.findings]
    notes = [one.advice and f"next: {one.advice}" for one in done.findings]
    return given.show(done, terminal.format_table(["", "what", "found"], rows, notes))


@with_request_options()
def fsck(given: GivenOptions) -> int:
    """Read every byte of the store and report damage."""
    from harness.verbs.upkeep import fsck as verb

    done = verb(given.project)
    text = terminal.format_table(
        ["check", "subject", "detail"], [[flaw.id, flaw.subject, flaw.detail] for flaw in done.flaws]
    )
    return given.show(done, text if done.flaws else f"the store {given.project.store} is sound")


@with_request_options(requests.GcRequest)
def gc(given: GivenOptions) -> int:
    """List what no run uses; --delete deletes it."""
    from harness.verbs.upkeep import gc as verb

    done = verb(given.project, given.request(requests.GcRequest))
    text = f"{'deleted' if given.delete else 'may go'}: {len(done.entries)} entries, {len(done.blobs)} blobs"
    text += f" ({done.bytes} bytes), {len(done.folders)} temporary"
    return given.show(done, text + ("" if given.delete else "; `harness gc --delete` lets them go"))


def register_runs(app: typer.Typer) -> None:
    """Add the command `runs` to the command line."""
    app.command()(runs)


@with_request_options(requests.RunsRequest)
def runs(given: GivenOptions) -> int:
    """List the runs of the store, the newest first."""
    from harness.verbs.published import runs as verb

    done = verb(given.project, given.request(requests.RunsRequest))
    rows = [
        [one.run, one.manifest or "-", one.engine or "-", one.status, _steps(one.steps), _remarks(one)]
        for one in done.runs
    ]
    text = terminal.format_table(["run", "manifest", "engine", "ended", "steps", ""], rows) if rows else "no runs"
    return given.show(done, text + (f"\n{done.more} older ones: --most 0 shows all" if done.more else ""))


def _steps(counts: dict[str, int]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in ("executed", "cached", "failed") if counts.get(name)) or "-"


def _remarks(one: ListedRun) -> str:
    told = (
        f"limited to {one.limit} items" if one.limit else "",
        f"asked for by {one.asked['principal']} as {one.asked['key']}" if one.asked else "",
        one.healed_text,
        *(each.text for each in one.failures),
    )
    return ", ".join(filter(None, told))
