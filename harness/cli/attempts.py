"""Command line of attempts: an agent's calls one by one, what operators do with attempts, and the verb `serve`."""

from __future__ import annotations

import json as jsons
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.entry import PROFILES, VALUES, become_server, installed
from harness.cli.options import LOCAL, Debug, EngineName, Images, Isolation, Json, StoreDir, project
from harness.cli.options import LOCAL as LOCAL_ENGINE
from harness.cli.terminal import render, show, table, watching
from harness.errors import DISAGREED, InputError, MissingError

COMMAND_LINE = "harness"  # what it calls itself in transcripts
LINE = '{"item_id": "…", "answer": "…"}'
app = typer.Typer(
    name="attempts", help="Attempts of agents: make one by hand, list, show, abandon, verify.", rich_markup_mode=None
)
Attempt = Annotated[str, typer.Argument(help="An attempt's id, or an unambiguous beginning.", show_default=False)]


def register(parent: typer.Typer) -> None:
    """Add these verbs to the command line, below `attempts`."""
    for verb in (ls, abandon, start, items, item, submit, finish, verify):
        app.command()(verb)
    app.command(name="show")(show_)
    parent.add_typer(app)


def ls(
    manifest: Annotated[str, typer.Argument(help="Only attempts at the manifest of this name.")] = "",
    most: Annotated[
        int, typer.Option("--most", envvar="HARNESS_MOST", min=0, help="How many, newest first; 0: all.")
    ] = 20,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """List the attempts of the store, the newest first."""
    from harness.verbs import attempts as verbs

    done = verbs.list_attempts(project(store), verbs.AttemptsRequest(manifest=manifest, most=most))
    rows = [
        [one.attempt, one.manifest, one.split, one.label or "-", one.status, f"{one.answered} of {one.items}"]
        for one in done.attempts
    ]
    text = table(["attempt", "manifest", "split", "agent", "status", "answered"], rows) if rows else "no attempts"
    return render(done, text + (f"\n{done.more} older ones: --most 0 shows all" if done.more else ""), json)


def show_(attempt: Attempt, store: StoreDir = None, json: Json = False, debug: Debug = False) -> int:
    """Show one attempt: its counts, what its verdict rests on, and its scores once it is scored."""
    from harness.verbs import attempts as verbs

    done = verbs.show_attempt(project(store), verbs.AttemptRequest(attempt=attempt))
    return render(done, _shown(done), json)


def _shown(done: Any) -> str:
    """Format one attempt as text."""
    one = done.attempt
    counts = f"{one.answered} of {one.items} answered, {one.abstained} of them abstained; {one.calls} calls"
    lines = [
        f"{one.attempt}  {one.status}" + (f": {done.why}" if done.why else ""),
        ", ".join(filter(None, (one.manifest, f"split {one.split}", one.subset, "hidden" if one.hidden else ""))),
        f"by {one.label or 'an agent without a label'} ({one.principal}), begun {one.started}",
        counts,
        *(f"rests on: {said}" for said in done.rests_on),
        f"transcript head {done.head}",
    ]
    if one.run:
        lines.append(f"scored by run {one.run}; `harness audit {one.run}` checks it")
    rows = [_score(line) for line in done.scores.get("scores", []) if not line.get("metric")]
    return "\n".join(lines) + (f"\n{table(['score', 'value', 'n', 'unanswered'], rows)}" if rows else "")


def _score(line: dict[str, Any]) -> list[str]:
    value = line.get("value")
    shown = "-" if value is None else f"{value:.6g}"
    return [f"{line['dataset']}/{line['scorer']}", shown, str(line["n"]), str(line.get("unanswered", 0))]


def abandon(attempt: Attempt, store: StoreDir = None, json: Json = False, debug: Debug = False) -> int:
    """Close an attempt that nobody goes on with."""
    from harness.verbs import attempts as verbs

    done = verbs.abandon_attempt(project(store), verbs.AttemptRequest(attempt=attempt))
    return render(done, _shown(done), json)


def start(
    manifest: Annotated[Path, typer.Argument(help="The manifest file.", show_default=False)],
    split: Annotated[str, typer.Argument(help="One of its splits.", show_default=False)],
    subset: Annotated[str, typer.Option("--subset", help="A part of the split; default: all of it.")] = "",
    key: Annotated[str, typer.Option("--key", help="The same key and label: the same attempt; default: new.")] = "",
    label: Annotated[str, typer.Option("--label", help="What the agent calls itself.")] = "",
    engine: EngineName = LOCAL_ENGINE,
    isolation: Isolation = "",
    images: Images = None,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Start an attempt on a split."""
    from harness.verbs.attempting import new_key

    where = project(store)
    args = {
        "study": where.manifest(manifest).manifest.name,
        "split": split,
        "idempotency_key": key or new_key(),
        **({"subset": subset} if subset else {}),
        **({"agent_label": label} if label else {}),
    }
    begun = _call("start_attempt", args, store, manifests=[manifest], engine=engine, isolation=isolation, images=images)
    text = f"{begun['attempt_id']}\n{begun['n_items']} items, {begun['budget']['calls']} calls"
    show(begun, f"{text}; next: `harness attempts items {begun['attempt_id']}`", json)
    return 0


def items(
    attempt: Attempt,
    limit: Annotated[int, typer.Option("--limit", min=1, max=50, help="Items of a page.")] = 10,
    cursor: Annotated[str, typer.Option("--cursor", help="Where the next page begins.")] = "",
    status: Annotated[str, typer.Option("--status", help="open, answered or all.")] = "open",
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """List the items of an attempt, page by page."""
    args: dict[str, Any] = {"attempt_id": _id(attempt, store), "limit": limit, "status": status}
    page = _call("list_items", {**args, **({"cursor": cursor} if cursor else {})}, store)
    rows = [[one["item_id"], one["task"], one["status"], one["preview"]] for one in page["items"]]
    more = f"\nnext page: --cursor {page['next_cursor']}" if "next_cursor" in page else ""
    text = table(["item", "task", "status", "prompt"], rows) if rows else "no items"
    show(page, f"{text}{more}\n{page['remaining']} without an answer, {page['calls_left']} calls left", json)
    return 0


def item(
    attempt: Attempt,
    item_id: Annotated[str, typer.Argument(help="An item of the attempt.", show_default=False)],
    part: Annotated[int, typer.Option("--part", min=1, help="Which part of a long prompt.")] = 1,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Show the prompt of an item, or one part of it."""
    args = {"attempt_id": _id(attempt, store), "item_id": item_id, "part": part}
    found = _call("get_item", args, store)
    more = f"\n[part {found['part']} of {found['parts']}]" if found["parts"] > 1 else ""
    show(found, found["prompt"] + more, json)
    return 0


def submit(
    attempt: Attempt,
    file: Annotated[Path, typer.Argument(help=f"JSON Lines, {LINE} each; - reads stdin.", show_default=False)],
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Submit answers, one an item; the first that is recorded is final."""
    given = _answers(sys.stdin.buffer.read() if str(file) == "-" else _bytes(file))
    done = _call("submit_answers", {"attempt_id": _id(attempt, store), "answers": given}, store)
    rows = [[one["item_id"], one["status"], one.get("reason", "")] for one in done["receipts"]]
    show(done, table(["item", "", ""], rows) + f"\n{done['remaining']} without an answer", json)
    return DISAGREED if any(one["status"] == "rejected" for one in done["receipts"]) else 0


def _bytes(file: Path) -> bytes:
    from harness.files import read_plain

    return read_plain(file)


def _answers(data: bytes) -> list[Any]:
    try:
        return [jsons.loads(line) for line in data.splitlines() if line.strip()]
    except (ValueError, RecursionError) as bad:
        raise InputError(f"this is no JSON line: {bad}", next=f"write a line an answer: {LINE}") from bad


def finish(
    attempt: Attempt,
    again: Annotated[bool, typer.Option("--again", help="Score again one whose scoring failed.")] = False,
    engine: EngineName = LOCAL_ENGINE,
    isolation: Isolation = "",
    images: Images = None,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Close an attempt, score it, and show what its agent is told."""
    from harness.verbs import attempts as verbs

    name = _id(attempt, store)
    if again:
        asked = verbs.RescoreRequest(attempt=name, engine=engine, isolation=isolation, images=images)
        with watching() as watch:
            done = verbs.rescore_attempt(project(store), asked, watch)
        return render(done, _shown(done), json)
    args, how = {"attempt_id": name}, {"engine": engine, "isolation": isolation, "images": images}
    told = _call("finish_attempt", args, store, **how)
    if told["status"] == "scoring":
        told = _call("finish_attempt", args, store, **how)
    rows = [
        [key, f"{one.get('value', '-')}", one["n"], one["unanswered"]] for key, one in told.get("scores", {}).items()
    ]
    text = f"{told['status']}: {told['n_answered']} answered, {told['n_missing']} missing"
    show(told, text + (f"\n{table(['score', 'value', 'n', 'unanswered'], rows)}" if rows else ""), json)
    return 0 if told["status"] in ("scored", "sealed") else DISAGREED


def verify(
    attempt: Attempt,
    head: Annotated[list[str] | None, typer.Option("--head", help="A head that the agent was told.")] = None,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Verify the transcript of an attempt, and make its reads again."""
    from harness.verbs import attempts as verbs

    done = verbs.verify_transcript(
        project(store), verbs.VerifyTranscriptRequest(attempt=attempt, heads=tuple(head or ()))
    )
    lines = [f"{done.verdict}: {done.n_records} records, {done.reads} reads made again, head {done.head}"]
    if done.first_bad_seq is not None:
        lines.append(f"the first record that is not as it was written: {done.first_bad_seq}")
    lines += [*done.flaws, *(f"record {number} gave something else" for number in done.differing)]
    lines += [line for line in (done.torn, done.unread) if line]
    lines += [f"{done.canary_hits} answers hold the control word"] if done.canary_hits else []
    return render(done, "\n".join(lines), json)


def _id(attempt: str, store: Path | None) -> str:
    """Find the whole id of an attempt."""
    from harness.verbs.attempts import attempt_named

    return attempt_named(project(store), attempt)


def _call(tool: str, args: dict[str, Any], store: Path | None, **serve: Any) -> dict[str, Any]:
    """Make an agent's call as the user of this machine."""
    from harness.verbs.attempting import ONE_CALL, OPENING, AttemptDoor, ServeRequest

    asked = ServeRequest(client=COMMAND_LINE, session=ONE_CALL, **serve)
    with AttemptDoor(project(store), asked, protocol="command line", opens=tool in OPENING) as door:
        return door.call(tool, args)


def register_serve(app: typer.Typer) -> None:
    """Add this verb to the command line."""
    app.command()(serve)


def serve(
    manifests: Annotated[
        list[Path] | None,
        typer.Argument(help="Manifests that agents may attempt; default: all that say `agents:`.", show_default=False),
    ] = None,
    profile: Annotated[
        str, typer.Option("--profile", envvar="HARNESS_PROFILE", help=f"Who is served: {', '.join(PROFILES)}.")
    ] = "answer",
    agent_uid: Annotated[
        int | None,
        typer.Option(
            "--agent-uid", envvar="HARNESS_AGENT_UID", min=1, help="The user that the agent runs as; hidden splits."
        ),
    ] = None,
    engine: EngineName = LOCAL,
    isolation: Isolation = "",
    images: Images = None,
    store: StoreDir = None,
    debug: Debug = False,
) -> int:
    """Serve agents over stdio: MCP tools whose answers are evidence."""
    if profile not in PROFILES:
        raise InputError(f"no profile is called {profile!r}", next=f"choose one of: {', '.join(PROFILES)}")
    if not installed():
        raise MissingError("agents cannot be served: the package mcp is missing", next="pip install llm-harness[tools]")
    given = (profile, agent_uid, engine, isolation, images, store)
    values = {name: str(value) for name, value in zip(VALUES, given, strict=True) if value not in (None, "")}
    become_server([str(path) for path in manifests or ()], values)
