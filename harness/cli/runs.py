"""Command line of the researcher's verbs `plan`, `run` and `reproduce`, whose results are printed as tables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli import terminal
from harness.cli.options import GivenOptions, Verbose, open_project, with_request_options
from harness.cli.scores import score_text
from harness.cli.tapes import NAME_SERVER
from harness.errors import AGREED, MISSING, InputError
from harness.verbs.requests import PlanRequest, ReproduceRequest, RunRequest

if TYPE_CHECKING:
    from harness.verbs.run_data import RunData
    from harness.verbs.running import DryRunResult, PlanData, PlanReason


UNNAMED = "replayed from lines that name no server"
FURTHER = " on several answers and groups"  # lines of the table besides the means over all answers


def register(app: typer.Typer) -> None:
    """Add verbs of this module to the command line."""
    app.command()(plan)
    app.command()(run)
    app.command()(reproduce)


@with_request_options(PlanRequest, models=True)
def plan(given: GivenOptions) -> int:
    """Say what a run would make again, why, and at what cost."""
    from harness.verbs.running import plan as verb

    with terminal.show_progress() as watch:
        done = verb(given.project, given.request(PlanRequest), watch)
    return given.show(done, "\n\n".join("\n".join(_planned(one)) for one in done.plans))


UNLESS = "unless what it reads comes out as before"


def _planned(one: PlanData) -> Iterator[str]:
    """Yield the lines that show the plan of one manifest."""
    against = f"compared with run {one.compared_with}" if one.compared_with else "no finished run to compare with"
    yield f"{one.manifest}: {', '.join(f'{count:,} {action}' for action, count in one.steps.items())}; {against}"
    yield from (f"  run {run} is newer, and cannot be read" for run in one.unread)
    if one.lock:
        moved = ", ".join(one.lock[:8]) + (f" and {len(one.lock) - 8} more" if len(one.lock) > 8 else "")
        yield f"  the lock no longer fits ({moved}); this is the plan of the lock that `harness lock` would write"
    if one.groups:
        rows = [
            [
                each.action,
                each.steps,
                each.count,
                "" if each.items is None else each.items,
                each.time,
                "; ".join(filter(None, [_why(each.reasons), "" if each.sure else UNLESS])),
            ]
            for each in one.groups
        ]
        yield f"\n{terminal.format_table(['what', 'steps', 'count', 'items', 'time', 'why'], rows)}"
    if one.items:
        items = [[each.dataset, each.model, each.rerun, each.rescored, each.reused] for each in one.items]
        yield f"\n{terminal.format_table(['dataset', 'model', 'items rerun', 'rescored', 'reused'], items)}"
    if one.every:
        steps = [[each.action, each.step, _why(each.reasons)] for each in one.every]
        yield f"\n{terminal.format_table(['what', 'step', 'why'], steps)}"
    yield ""
    yield from (each.text + (f"; money: {each.money}" if each.money else "") for each in one.asking)
    yield f"time:  {one.time.text}"
    yield f"money: {one.money.text}"
    yield f"shard: {one.shard.text}"
    yield "nothing was run, and nothing was written"


def _why(reasons: Sequence[PlanReason]) -> str:
    return "; ".join(f"{one.kind}: {one.text}" if one.text else one.kind for one in reasons)


@with_request_options(RunRequest, models=True)
def run(
    given: GivenOptions,
    dry_run: Annotated[
        bool, typer.Option("-n", "--dry-run", help="Say what would be made and what is in the store; run nothing.")
    ] = False,
    verbose: Verbose = False,
) -> int:
    """Run what is not in the store yet, and write the record."""
    from harness.verbs import running

    asked = given.request(RunRequest)
    if dry_run and asked.relock:
        raise InputError(
            "-n writes no lock, and --relock would",
            where="--relock",
            next="leave one of them out, or `harness lock MANIFEST` first",
        )
    with terminal.show_progress() as watch:
        if dry_run:
            return _foreseen(running.dry_run(given.project, asked, watch), given.json)
        done = running.run(given.project, asked, watch)
    code = given.show(done, _ended(done.runs, verbose))
    _remark(done.runs, asked.max_errors)
    return code


def _foreseen(found: DryRunResult, json: bool) -> int:
    """Show what a run would do, and return the exit code."""
    rows = [[one.manifest, stage.stage, stage.cached, stage.executed] for one in found.runs for stage in one.stages]
    whole = sum(stage.executed for one in found.runs for stage in one.stages)
    text = terminal.format_table(["manifest", "stage", "in the store", "to be made"], rows)
    asking = "".join(f"{one.manifest}: {each.text}\n" for one in found.runs for each in one.asking)
    return terminal.print_result(found, f"{text}\n\n{asking}{whole} steps would be made; nothing was run", json)


@with_request_options(ReproduceRequest, models=True, store=False)
def reproduce(given: GivenOptions, verbose: Verbose = False) -> int:
    """Run in a fresh store and compare with what is expected."""
    from harness.verbs.running import reproduce as verb

    usual = os.environ.get("HARNESS_STORE")  # --store is the fresh one
    here, asked = (
        open_project(Path(usual) if usual else None, given.common["models_dir"]),
        given.request(ReproduceRequest),
    )
    with terminal.show_progress() as watch:
        done = verb(here, asked, watch)
    code = given.show(done, _table(done.runs, verbose))
    _remark(done.runs, asked.max_errors)
    for ran in done.runs:
        if carry := _carried(ran):
            terminal.print_message(f"{ran.manifest}: {carry}")
    for one in done.left_out:
        terminal.print_message(f"{one.manifest}: left out: {one.what}" + (f"\n  next:  {one.next}" if one.next else ""))
    if done.store:
        terminal.print_message(f"the store of this reproduction stays in {done.store}")
    elif code in (AGREED, MISSING):
        many = len(done.runs)
        whole = many + len(done.left_out)
        terminal.print_message(
            f"reproduced: {many} of {whole} manifests agree with what is expected; the fresh store is gone"
        )
    if done.reports:
        terminal.print_message(f"their reports: {done.reports}")
    return code


def _ended(found: Sequence[RunData], verbose: bool) -> str:
    """Format what a person sees of runs that ended: scores first, then outputs that disagree, verdicts, what is next.

    A run that is not as accepted begins with the reason, in one line.
    """
    summary = [line for one in found for line in (*_verdict(one), *_next(one))]
    shown = [_causes(found), *map(_scores, found), _outputs(found, verbose), terminal.flat_lines(summary)]
    return "\n\n".join(filter(None, shown))


def _table(found: Sequence[RunData], verbose: bool) -> str:
    """Format why runs are not as accepted, the outputs that do not agree, and a line for each run that agrees.

    Of a run that does not, the certificates of its graders are included; with `verbose` of all, and all outputs.
    """
    short_ones = () if verbose else [one for one in found if one.verdict == "agreed"]
    summary = [line for one in found for line in _verdict(one)[: 1 if one in short_ones else None]]
    return "\n\n".join(filter(None, [_causes(found), _outputs(found, verbose), terminal.flat_lines(summary)]))


def _causes(found: Sequence[RunData]) -> str:
    return terminal.flat_lines(f"{one.manifest}: {one.cause.text}" for one in found if one.cause)


def _outputs(found: Sequence[RunData], verbose: bool) -> str:
    """Format the outputs that are not as accepted, or all if `verbose`; none of a run that was compared with nothing.

    A remark that is true of every output of a run stands in the line of its verdict.
    """
    rows: list[list[str]] = []
    for one in found:
        compared = any(output.verdict != "unconfirmed" for output in one.outputs)
        shared = _shared(one)
        for output in one.outputs:
            if verbose or (compared and output.verdict != "agreed"):
                verdict, remark = output.verdict, "" if shared == output.detail else output.detail
                if output.by_tolerance:
                    verdict, remark = output.detail, ""
                rows.append(
                    [
                        one.manifest,
                        output.name,
                        terminal.short_digest(output.sha256),
                        terminal.level_text(output.level),
                        verdict,
                        remark,
                    ]
                )
    return terminal.format_table(["manifest", "output", "sha256", "level", "verdict", ""], rows) if rows else ""


def _shared(run: RunData) -> str:
    """Return the remark that all outputs of a run share; empty if there is none."""
    remarks = {output.detail for output in run.outputs if not output.by_tolerance}
    return remarks.pop() if len(remarks) == 1 else ""


def _verdict(run: RunData) -> list[str]:
    """Return the line with a run's verdict and what it rests on, and those with the certificates of its graders."""
    failing = ", its own checks fail" if run.self_checks == "fail" else ""
    cut = f", only the first {run.limit} of each dataset were asked (--limit)" if run.limit else ""
    verdict = f"{run.verdict}{cut}{failing}" + "".join(f", {text}" for text in (run.by_tolerance, _shared(run)) if text)
    graders = [f"{run.manifest}: scored by {name}: {text}" for name, text in run.graders.items()]
    return [f"{run.manifest}: {verdict} ({_counts(run)}; {_surroundings(run)})", *graders]


def _next(run: RunData) -> list[str]:
    """Return the line that says what to do with a run of this verdict; none where it agrees or lacks answers."""
    if run.lacks_answers or run.limit:
        return []
    if run.derived:
        return [
            f"  next:  no run of a derived manifest is accepted; to keep {run.derived}, copy it to a name of its own"
        ]
    keep = f"`harness lock --accept {run.run}`"
    said = {
        "unconfirmed": _carried(run) or f"{keep} makes these outputs the expected ones; `harness run -v` lists them",
        "disagreed": f"if that was meant, {keep} takes these outputs as right from now on",
    }
    return [f"  next:  {said[run.verdict]}"] if run.verdict in said else []


def _carried(run: RunData) -> str:
    """Say how to keep the expectation of a run that made every accepted output under another lock; else empty."""
    alike = run.cause is not None and not run.cause.step
    return "`harness lock --carry MANIFEST` moves what is expected to this lock" if alike else ""


def _counts(run: RunData) -> str:
    """Return the number of a run's outputs and, if only some do not agree, the number of those."""
    many = len(run.outputs)
    other = sum(output.verdict != "agreed" for output in run.outputs)
    some = f"{other} of " if 0 < other < many else ""
    return f"{some}{many} output{'s' * (many != 1)}"


def _scores(run: RunData) -> str:
    """Format the scores of a run, or the first of them with a line on how to see all; empty if it has none."""
    if not run.scores:
        return ""
    left = [f"{count} more{what}" for count, what in ((run.more_scores, ""), (run.more_further, FURTHER)) if count]
    more = f"\n{', '.join(left)}: `harness scores {run.run}` shows all" if left else ""
    head = f"{run.manifest}: scores of run {run.run}{terminal.limit_suffix(run.limit)}"
    return f"{head}\n{score_text(run.scores, run.further)}{more}"


def _surroundings(run: RunData) -> str:
    """List what a verdict rests on: engine, image, device, and stand-ins that were shown the answers."""
    words = [f"engine {run.engine}", f"isolation {run.isolation}"]
    words += [run.healed_text] if run.healed else []
    if run.image_state != "none":
        words.append(f"image: {run.image_state} {terminal.short_digest(run.image.removeprefix('sha256:'))}")
    if run.device != "cpu":
        words.append(f"device: {run.device}")
    words += [f"{model}: {_calls(model, told)}" for model, told in run.calls.items()]
    if run.sees_gold:
        many = len(run.sees_gold)
        words.append(f"stand-ins were shown the answers in {many} step{'s' if many > 1 else ''}")
    if run.data:
        words.append("data: " + ", ".join(f"{name} {one.text()}" for name, one in run.data.items()))
    words += [f"answers of {each.model} imported from {each.source}" for each in run.imported]
    if run.bounded:
        words.append(f"memory: {run.bounded}")
    if run.trials:
        words.append(f"code tried: {', '.join(f'{count} {end}' for end, count in run.trials.items())}")
    return ", ".join(words)


def _calls(model: str, told: Mapping[str, Any]) -> str:
    """Format the counts of one model's answers; those of another address, or of none that is known, are apart."""
    moved = {f"replayed from lines of {server} (same_as)": many for server, many in told.get("moved", {}).items()}
    apart: dict[str, int] = {**moved, UNNAMED: told.get("unnamed", 0)}
    counts: dict[str, int] = {
        "replayed": told["replayed"] - sum(apart.values()),
        **apart,
        "recorded": told["recorded"],
        "live": told["live"] - told["recorded"],  # what was recorded was live, too
        "refused": told.get("refused", 0),
    }
    counts["without an answer"] = sum(int(many) for many in told["errors"].values()) - counts["refused"]
    text = ", ".join(f"{many} {part}" for part, many in counts.items() if many) or "not asked"
    other = sorted({*told.get("models", {})} - {model})
    return f"{text}, answered as {' and '.join(other)}" if other else text


def _remark(found: Sequence[RunData], max_errors: str) -> None:
    """Print what models left unanswered, with their providers' messages, and the next step if that is too much."""
    for one in found:
        if one.healed:
            terminal.print_message(f"{one.manifest}: {one.healed_text}; `harness audit {one.run}` names it")
        if one.unread:
            terminal.print_message(f"{one.manifest}: {one.unread}")
        for each in one.imported:
            terminal.print_message(terminal.join_lines(f"{one.manifest}: {each.text()}"))
        for model, told in one.calls.items():
            if told.get("unnamed"):
                terminal.print_message(
                    terminal.join_lines(
                        f"{one.manifest}: {model}: {told['unnamed']} {UNNAMED}: nobody knows that its server gave them"
                    )
                )
                terminal.print_message(f"  next:  {NAME_SERVER}")
        for gap in one.unanswered:
            terminal.print_message(terminal.join_lines(f"{one.manifest}: {gap.text()}"))
        if one.lacks_answers:
            more = "--max-errors says how many you put up with" if not max_errors else "or allow more with --max-errors"
            terminal.print_message(
                f"  next:  correct what is named there and run again: what was answered is kept; {more}"
            )
