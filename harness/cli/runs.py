"""Command line of the researcher's verbs `run` and `reproduce`, as tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import (
    LOCAL,
    Debug,
    EngineName,
    Images,
    Isolation,
    Jobs,
    Json,
    Manifests,
    MaxErrors,
    MaxMemory,
    Models,
    Moved,
    StoreDir,
    Verbose,
    project,
)
from harness.cli.scores import score_text
from harness.cli.terminal import level_text, limited, render, say, short, table, watching
from harness.errors import AGREED, MISSING, InputError

if TYPE_CHECKING:
    from harness.verbs.run_data import RunData
    from harness.verbs.running import DryRunResult


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    app.command()(run)
    app.command()(reproduce)


def run(
    manifests: Manifests,
    engine: EngineName = LOCAL,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", envvar="HARNESS_LIMIT", min=0, max=2**31, help="Only the first N items of each dataset."
        ),
    ] = 0,
    dry_run: Annotated[
        bool, typer.Option("-n", "--dry-run", help="Say what would be made and what is in the store; run nothing.")
    ] = False,
    model: Annotated[
        list[str] | None,
        typer.Option("-m", "--model", metavar="NAME=PROVIDER/MODEL", help="Ask this model too, in a derived manifest."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="model=A,B|dataset=X", help="Keep these alone, in a derived manifest."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Set this value, in a derived manifest."),
    ] = None,
    relock: Annotated[bool, typer.Option("--relock", help="Lock again where the lock no longer fits.")] = False,
    isolation: Isolation = "",
    moved: Moved = False,
    jobs: Jobs = 0,
    max_memory: MaxMemory = "",
    max_errors: MaxErrors = "",
    images: Images = None,
    models: Models = None,
    store: StoreDir = None,
    verbose: Verbose = False,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Run what is not in the store yet, and write the record."""
    from harness.verbs import running

    asked = running.RunRequest(
        manifests=manifests,
        engine=engine,
        limit=limit,
        relock=relock,
        isolation=isolation,
        moved=moved,
        jobs=jobs,
        max_memory=max_memory,
        max_errors=max_errors,
        images=images,
        with_models=model or (),
        only=only or (),
        settings=set_ or (),
    )
    if dry_run and relock:
        raise InputError(
            "-n writes no lock, and --relock would",
            where="--relock",
            next="leave one of them out, or `harness lock MANIFEST` first",
        )
    with watching() as watch:
        if dry_run:
            return _foreseen(running.dry_run(project(store, models), asked, watch), json)
        done = running.run(project(store, models), asked, watch)
    code = render(done, _table(done.runs, verbose) + _scores(done.runs), json)
    _remark(done.runs, max_errors)
    return code


def _foreseen(found: DryRunResult, json: bool) -> int:
    """Show what a dry run would do."""
    rows = [[one.manifest, stage.stage, stage.cached, stage.executed] for one in found.runs for stage in one.stages]
    whole = sum(stage.executed for one in found.runs for stage in one.stages)
    text = table(["manifest", "stage", "in the store", "to be made"], rows)
    asking = "".join(f"{one.manifest}: {each.text}\n" for one in found.runs for each in one.asking)
    return render(found, f"{text}\n\n{asking}{whole} steps would be made; nothing was run", json)


def reproduce(
    manifests: Manifests,
    engine: EngineName = LOCAL,
    isolation: Isolation = "",
    moved: Moved = False,
    jobs: Jobs = 0,
    max_memory: MaxMemory = "",
    max_errors: MaxErrors = "",
    store: Annotated[
        Path | None,
        typer.Option("--store", envvar="HARNESS_FRESH_STORE", help="A new folder for the fresh store; it is kept."),
    ] = None,
    images: Images = None,
    models: Models = None,
    verbose: Verbose = False,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Run in a fresh store and compare with what is expected."""
    from harness.verbs.running import ReproduceRequest
    from harness.verbs.running import reproduce as verb

    asked = ReproduceRequest(
        manifests=manifests,
        engine=engine,
        isolation=isolation,
        moved=moved,
        jobs=jobs,
        max_memory=max_memory,
        max_errors=max_errors,
        images=images,
        fresh=store,
    )
    usual = os.environ.get("HARNESS_STORE")  # --store is the fresh one
    with watching() as watch:
        done = verb(project(Path(usual) if usual else None, models), asked, watch)
    code = render(done, _table(done.runs, verbose), json)
    _remark(done.runs, max_errors)
    for one in done.left_out:
        say(f"{one.manifest}: left out: {one.what}" + (f"\n  next:  {one.next}" if one.next else ""))
    if done.store:
        say(f"the store of this reproduction stays in {done.store}")
    elif code in (AGREED, MISSING):
        many = len(done.runs)
        whole = many + len(done.left_out)
        say(f"reproduced: {many} of {whole} manifests agree with what is expected; the fresh store is gone")
    return code


def _table(found: Sequence[RunData], verbose: bool) -> str:
    """Show why runs are not as accepted, the outputs that do not agree, and a line for each run.

    With `verbose`, the outputs that agree are shown as well.
    """
    rows: list[list[str]] = []
    summary = []
    for one in found:
        remarks = {output.detail for output in one.outputs if not output.by_tolerance}
        shared = remarks.pop() if len(remarks) == 1 else ""  # said once, where it is true of every output
        for output in one.outputs:
            if verbose or output.verdict != "agreed":
                verdict, remark = output.verdict, "" if shared == output.detail else output.detail
                if output.by_tolerance:
                    verdict, remark = output.detail, ""
                rows.append(
                    [one.manifest, output.name, short(output.sha256), level_text(output.level), verdict, remark]
                )
        failing = ", its own checks fail" if one.self_checks == "fail" else ""
        cut = f", only the first {one.limit} of each dataset were asked (--limit)" if one.limit else ""
        verdict = f"{one.verdict}{cut}{failing}" + "".join(f", {text}" for text in (one.by_tolerance, shared) if text)
        summary.append(f"{one.manifest}: {verdict} ({_counts(one)}; {_surroundings(one)})")
        summary += [f"{one.manifest}: scored by {name}: {text}" for name, text in one.graders.items()]
    causes = [f"{one.manifest}: {one.cause.text}" for one in found if one.cause]
    shown = [table(["manifest", "output", "sha256", "level", "verdict", ""], rows)] if rows else []
    return "\n\n".join("\n".join(lines) for lines in (causes, shown, summary) if lines)


def _counts(run: RunData) -> str:
    """Count a run's outputs, and those that do not agree, if only some do not."""
    many = len(run.outputs)
    other = sum(output.verdict != "agreed" for output in run.outputs)
    some = f"{other} of " if 0 < other < many else ""
    return f"{some}{many} output{'s' * (many != 1)}"


def _scores(found: Sequence[RunData]) -> str:
    """Show the scores of each run, or the first of them."""
    text = ""
    for one in found:
        if one.scores:
            more = f"\n{one.more_scores} more: `harness scores {one.run}` shows all" if one.more_scores else ""
            text += f"\n\n{one.manifest}: scores of run {one.run}{limited(one.limit)}\n{score_text(one.scores)}{more}"
    return text


def _surroundings(run: RunData) -> str:
    """List what a verdict rests on: engine, image, device, and stand-ins that were shown the answers."""
    words = [f"engine {run.engine}", f"isolation {run.isolation}"]
    words += [run.healed_text] if run.healed else []
    if run.image_state != "none":
        words.append(f"image: {run.image_state} {short(run.image.removeprefix('sha256:'))}")
    if run.device != "cpu":
        words.append(f"device: {run.device}")
    for model, told in run.calls.items():
        counts = {"refused": 0, **told, "live": told["live"] - told["recorded"]}  # what was recorded was live, too
        counts["without an answer"] = sum(int(many) for many in told["errors"].values()) - counts["refused"]
        parts = ("replayed", "recorded", "live", "refused", "without an answer")
        words.append(f"{model}: {', '.join(f'{counts[part]} {part}' for part in parts if counts[part]) or 'not asked'}")
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


def _remark(found: Sequence[RunData], max_errors: str) -> None:
    """List what models left unanswered, in their providers' words, and the next step where that is too much."""
    for one in found:
        if one.healed:
            say(f"{one.manifest}: {one.healed_text}; `harness audit {one.run}` names it")
        for each in one.imported:
            say(f"{one.manifest}: {each.text()}")
        for gap in one.unanswered:
            say(f"{one.manifest}: {gap.text()}")
        if one.lacks_answers:
            more = "--max-errors says how many you put up with" if not max_errors else "or allow more with --max-errors"
            say(f"  next:  correct what is named there and run again: what was answered is kept; {more}")
