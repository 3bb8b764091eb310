"""Command line of the verbs `claims` and `runs`: published numbers beside those of runs, and the list of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import Debug, Json, StoreDir, project
from harness.cli.terminal import render, table, watching

if TYPE_CHECKING:
    from harness.verbs.published import ClaimData, ListedRun


HEAD = ("manifest", "id", "published", "reproduced", "tolerance", "verdict", "where")
SHOWN = 4  # things that claims need, of a manifest
WIDE, LONG = 72, 24  # characters of a text and of a number in the table; --json has all of them


def register(app: typer.Typer) -> None:
    """Add the command `claims` to the command line."""
    app.command()(claims)


def claims(
    manifests: Annotated[
        list[Path] | None, typer.Argument(help="Manifest files; default: all of the project.", show_default=False)
    ] = None,
    rows: Annotated[
        bool, typer.Option("--rows", envvar="HARNESS_ROWS", help="A row for each claim, also of what did not run.")
    ] = False,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Compare published numbers with the newest run's."""
    from harness.verbs.published import ClaimsRequest
    from harness.verbs.published import claims as verb

    with watching() as watch:
        done = verb(project(store), ClaimsRequest(manifests=manifests or []), watch)
    return render(done, _text(done.claims, rows), json)


def _text(found: Sequence[ClaimData], every: bool) -> str:
    if not found:
        return "no manifest here claims anything"
    rows = [
        [one.manifest, one.id, one.published or "-", _numbers(one), _plain(one.tolerance), _word(one), _place(one)]
        for one in found
        if every or not _idle(one)
    ]
    words = Counter(one.verdict.partition(":")[0] for one in found)
    lines = [f"{one.manifest} {one.id}: {one.detail}" for one in found if one.verdict == "missed"]
    lines += [_story(one) for one in found if one.moved]
    lines.append(
        f"{len(found)} claim{'s' * (len(found) != 1)}: "
        + ", ".join(f"{words[word]} {word}" for word in ("met", "missed", "not run"))
    )
    told = [table(HEAD, rows) + "\n"] if rows else []
    return "\n".join([*told, *([] if every else _sums(found)), *lines])


def _idle(one: ClaimData) -> bool:
    return one.verdict.startswith("not run")


def _sums(found: Sequence[ClaimData]) -> list[str]:
    """Count in a line for each manifest the claims that did not run, and say what they need."""
    idle: dict[str, list[str]] = {}
    for one in filter(_idle, found):
        idle.setdefault(one.manifest, []).append(one.verdict.partition("needs ")[2])
    return [f"{name}: {len(needs)} not run: needs {_needed(needs)} (--rows shows each)" for name, needs in idle.items()]


def _needed(needs: Sequence[str]) -> str:
    """Name what claims lack, the most frequent first."""
    counts = Counter(need for one in needs for need in one.split(", "))
    names = [name for name, _ in counts.most_common()]
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _numbers(one: ClaimData) -> str:
    values = one.value if isinstance(one.value, list) else [one.value]
    return ", ".join(_cut(value or "-", LONG) for value in values[:4]) + (" …" if len(values) > 4 else "")


def _word(one: ClaimData) -> str:
    """Word the verdict of a claim; one that is met says how often the same was tried."""
    notes = ["withdrawn" if one.withdrawn else "moved"] * one.moved
    notes += [f"made without {_cut(', '.join(one.without), WIDE)}"] * bool(one.without)
    notes += [f"rests on imported answers: {', '.join(one.imported)}"] * bool(one.imported)
    notes += [one.history] if one.history and one.verdict == "met" else []
    return _cut(one.verdict, WIDE) + (f" ({'; '.join(notes)})" if notes else "")


def _place(one: ClaimData) -> str:
    return _cut(one.where, WIDE) + (f" [{one.status}]" if one.status else "")


def _story(one: ClaimData) -> str:
    """Word how a claim stood when the manifest was run for the first time."""
    at = f"{one.manifest} {one.id}:"
    if one.withdrawn:
        return f"{at} was registered by an earlier run, and is gone from the manifest"
    if one.was is None:
        return f"{at} was not registered by the first run"
    asked = " ".join(filter(None, (one.was.get("published"), _plain(one.was_tolerance))))
    places = one.was["of"] if isinstance(one.was["of"], list) else [one.was["of"]]
    return f"{at} the first run registered {asked}" + (f" of {', '.join(places)}" if one.was["of"] != one.of else "")


def _plain(tolerance: str) -> str:
    return f"± {tolerance}" if not tolerance[:1].isalpha() else tolerance


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def register_runs(app: typer.Typer) -> None:
    """Add the command `runs` to the command line."""
    app.command()(runs)


def runs(
    manifest: Annotated[str, typer.Argument(help="Only runs of the manifest of this name.")] = "",
    most: Annotated[
        int, typer.Option("--most", envvar="HARNESS_MOST", min=0, help="How many runs, newest first; 0: all.")
    ] = 20,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """List the runs of the store, the newest first."""
    from harness.verbs.published import RunsRequest
    from harness.verbs.published import runs as verb

    done = verb(project(store), RunsRequest(manifest=manifest, most=most))
    rows = [
        [one.run, one.manifest or "-", one.engine or "-", one.status, _steps(one.steps), _remarks(one)]
        for one in done.runs
    ]
    text = table(["run", "manifest", "engine", "ended", "steps", ""], rows) if rows else "no runs"
    return render(done, text + (f"\n{done.more} older ones: --most 0 shows all" if done.more else ""), json)


def _steps(counts: dict[str, int]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in ("executed", "cached", "failed") if counts.get(name)) or "-"


def _remarks(one: ListedRun) -> str:
    return ", ".join(filter(None, (f"limited to {one.limit} items" if one.limit else "", one.healed_text)))
