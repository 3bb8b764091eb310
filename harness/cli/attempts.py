"""Command line of attempts: an agent's single calls, the commands for operators, and the verb `serve`.

`serve --print-config` writes what a person gives to a client of agents' tools so that it starts this server. Each
client has a format of its own: JSON or TOML to paste into its file of settings, or Python for a framework. The text on
stdout is that and nothing else, so it can be written into a file; where it belongs is said on stderr. Paths are
absolute, because a client starts its servers in any folder and with few variables.
"""

from __future__ import annotations

import json
import json as jsons
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.entry import PROFILES, VALUES, become_server, has_server_packages, manifest_place
from harness.cli.options import GivenOptions, with_request_options
from harness.cli.terminal import flat_lines, format_table, print_data, print_message, show_progress, write_bytes
from harness.errors import DISAGREED, InputError, MissingError
from harness.verbs import requests

if TYPE_CHECKING:
    from harness.verbs.attempts import AttemptDoor


NAME = "harness"  # what the server is called in a client
PATIENCE = 30  # seconds for a client that gives up a call after 5 unless it is told: the first call may come near that


@dataclass(frozen=True)
class ClientConfig:
    """What a client is given: the text, where it belongs, and a command that does the same, if the client has one."""

    text: str
    place: str
    command: str = ""

    @property
    def told(self) -> str:
        """Sentence that says in which file or place of the client the text belongs."""
        return f"paste this into {self.place}" + (f"; or run: {self.command}" if self.command else "")


def server_command(project: Path, values: Mapping[str, str], manifests: Sequence[str]) -> list[str]:
    """Return the command that serves a project's studies, whatever folder it is started in."""
    program = Path(sys.executable).with_name(NAME)
    start = [str(program)] if os.access(program, os.X_OK) else [sys.executable, "-m", "harness.cli.entry"]
    options = [word for name, value in values.items() for word in (f"--{name}", value)]
    return [*start, "serve", "--project", str(project), *options, *manifests]


def client_config(client: str, command: Sequence[str]) -> ClientConfig:
    """Return the configuration with which one of `CLIENTS` starts the server by this command."""
    return CLIENTS[client](list(command))


def _server(command: list[str]) -> dict[str, object]:
    return {"command": command[0], "args": command[1:]}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _claude(command: list[str]) -> ClientConfig:
    text = _json({"mcpServers": {NAME: {"type": "stdio", **_server(command)}}})
    return ClientConfig(text, ".mcp.json in the folder of your work", f"claude mcp add {NAME} -- {shlex.join(command)}")


def _cursor(command: list[str]) -> ClientConfig:
    return ClientConfig(_json({"mcpServers": {NAME: _server(command)}}), ".cursor/mcp.json or ~/.cursor/mcp.json")


def _vscode(command: list[str]) -> ClientConfig:
    server = {"type": "stdio", **_server(command)}
    added = shlex.join(["code", "--add-mcp", json.dumps({"name": NAME, **server})])
    return ClientConfig(_json({"servers": {NAME: server}}), ".vscode/mcp.json", added)


def _codex(command: list[str]) -> ClientConfig:
    lines = [
        f"[mcp_servers.{NAME}]",
        f"command = {_toml(command[0])}",
        f"args = [{', '.join(map(_toml, command[1:]))}]",
    ]
    if "run" not in command:  # else `codex exec` refuses start_attempt, and a person is asked at each call
        lines.append('default_tools_approval_mode = "approve"')
    return ClientConfig("\n".join(lines), "~/.codex/config.toml", f"codex mcp add {NAME} -- {shlex.join(command)}")


def _toml(text: str) -> str:
    """Return a text as a string of TOML, whose escapes are those of JSON in ASCII but for astral characters."""
    escaped = (f"\\U{ord(sign):08x}" if ord(sign) > 0xFFFF else json.dumps(sign)[1:-1] for sign in text)
    return '"' + "".join("\\u007f" if sign == "\x7f" else sign for sign in escaped) + '"'


def _gemini(command: list[str]) -> ClientConfig:
    text = _json({"mcpServers": {NAME: _server(command)}})
    return ClientConfig(text, ".gemini/settings.json in the folder of your work, or ~/.gemini/settings.json")


def _openai_agents(command: list[str]) -> ClientConfig:
    lines = [
        "from agents import Agent",
        "from agents.mcp import MCPServerStdio",
        "",
        f"{NAME} = MCPServerStdio(",
        f"    name={NAME!r},",
        f"    params={_server(command)!r},",
        f"    client_session_timeout_seconds={PATIENCE},",
        ")",
        f'# async with {NAME}: agent = Agent(name="…", mcp_servers=[{NAME}])',
    ]
    return ClientConfig("\n".join(lines), "your program (pip install openai-agents)")


def _inspect(command: list[str]) -> ClientConfig:
    lines = [
        "from inspect_ai.tool import mcp_server_stdio",
        "",
        f"{NAME} = mcp_server_stdio(name={NAME!r}, command={command[0]!r}, args={command[1:]!r})",
        f"# solver=react(tools=[{NAME}])",
    ]
    return ClientConfig("\n".join(lines), "your task (pip install inspect-ai mcp)")


CLIENTS: Mapping[str, Callable[[list[str]], ClientConfig]] = {
    "claude": _claude,
    "cursor": _cursor,
    "vscode": _vscode,
    "codex": _codex,
    "gemini": _gemini,
    "openai-agents": _openai_agents,
    "inspect": _inspect,
}


COMMAND_LINE = "harness"  # the client's name in transcripts
AgentUid = Annotated[
    int | None,
    typer.Option(
        "--agent-uid", envvar="HARNESS_AGENT_UID", min=1, help="The user that the agent runs as; hidden splits need it."
    ),
]
LINE = '{"item_id": "…", "answer": "…"}'
app = typer.Typer(
    name="attempts", help="Attempts of agents: make one by hand, list, show, abandon, verify.", rich_markup_mode=None
)


def register(parent: typer.Typer) -> None:
    """Add the group `attempts` to the command line."""
    for verb in (ls, abandon, start, items, item, submit, finish, verify):
        app.command()(verb)
    app.command(name="show")(show_)
    parent.add_typer(app)


@with_request_options(requests.AttemptsRequest)
def ls(given: GivenOptions) -> int:
    """List the attempts of the store, the newest first."""
    from harness.verbs import attempts as verbs

    done = verbs.list_attempts(given.project, given.request(requests.AttemptsRequest))
    rows = [
        [one.attempt, one.manifest, one.split, one.label or "-", one.status, f"{one.answered} of {one.items}"]
        for one in done.attempts
    ]
    text = (
        format_table(["attempt", "manifest", "split", "agent", "status", "answered"], rows) if rows else "no attempts"
    )
    return given.show(done, text + (f"\n{done.more} older ones: --most 0 shows all" if done.more else ""))


@with_request_options(requests.AttemptRequest)
def show_(given: GivenOptions) -> int:
    """Show one attempt: its counts, what its verdict rests on, and its scores once it is scored."""
    from harness.verbs import attempts as verbs

    done = verbs.show_attempt(given.project, given.request(requests.AttemptRequest))
    return given.show(done, _shown(done))


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
    meanings = done.scores.get("meanings", {})
    told = [(_measure(line), line) for line in done.scores.get("scores", [])]
    rows = [_score(name, line) for name, line in told if not line.get("metric") or name in meanings]
    return flat_lines(lines) + (
        f"\n{format_table(['score', 'value', '95 %', 'n', 'unanswered'], rows)}" if rows else ""
    )


def _measure(line: dict[str, Any]) -> str:
    """Return the scorer and metric of a line, as a study's meanings name it."""
    return "/".join(filter(None, (line["scorer"], line.get("metric", ""))))


def _score(name: str, line: dict[str, Any]) -> list[str]:
    value, ends = line.get("value"), line.get("interval")
    shown = "-" if value is None else f"{value:.6g}"
    between = f"{ends[0]:.4g} to {ends[1]:.4g}" if ends else "-"
    return [f"{line['dataset']}/{name}", shown, between, str(line["n"]), str(line.get("unanswered", 0))]


@with_request_options(requests.AttemptRequest)
def abandon(given: GivenOptions) -> int:
    """Close an attempt that nobody goes on with."""
    from harness.verbs import attempts as verbs

    done = verbs.abandon_attempt(given.project, given.request(requests.AttemptRequest))
    return given.show(done, _shown(done))


@with_request_options(requests.EngineRequest, without=("max_memory",))
def start(
    given: GivenOptions,
    manifest: Annotated[Path, typer.Argument(help="The manifest file.", show_default=False)],
    split: Annotated[str, typer.Argument(help="One of its splits.", show_default=False)],
    subset: Annotated[str, typer.Option("--subset", help="A part of the split; default: all of it.")] = "",
    key: Annotated[str, typer.Option("--key", help="The same key and label: the same attempt; default: new.")] = "",
    label: Annotated[str, typer.Option("--label", help="What the agent calls itself.")] = "",
) -> int:
    """Start an attempt on a split."""
    from harness.verbs.attempts import new_key

    args = {
        "study": given.project.manifest(manifest).manifest.name,
        "split": split,
        "idempotency_key": key or new_key(),
        **({"subset": subset} if subset else {}),
        **({"agent_label": label} if label else {}),
    }
    begun = _call("start_attempt", args, given, manifests=[manifest])
    text = f"{begun['attempt_id']}\n{begun['n_items']} items, {begun['budget']['calls']} calls"
    print_data(begun, f"{text}; next: `harness attempts items {begun['attempt_id']}`", given.json)
    return 0


@with_request_options(requests.AttemptRequest)
def items(
    given: GivenOptions,
    limit: Annotated[int, typer.Option("--limit", min=1, max=50, help="Items of a page.")] = 10,
    cursor: Annotated[str, typer.Option("--cursor", help="Where the next page begins.")] = "",
    status: Annotated[str, typer.Option("--status", help="open, answered or all.")] = "open",
) -> int:
    """List the items of an attempt, page by page."""
    args: dict[str, Any] = {"attempt_id": _id(given), "limit": limit, "status": status, "preview": True}
    page = _call("list_items", {**args, **({"cursor": cursor} if cursor else {})}, given)
    rows = [[one["item_id"], one["task"], one["status"], one["preview"]] for one in page["items"]]
    more = f"\nnext page: --cursor {page['next_cursor']}" if "next_cursor" in page else ""
    text = format_table(["item", "task", "status", "prompt"], rows) if rows else "no items"
    print_data(
        page, f"{text}{more}\n{page['remaining']} without an answer, {page['calls_left']} calls left", given.json
    )
    return 0


@with_request_options(requests.AttemptRequest)
def item(
    given: GivenOptions,
    item_id: Annotated[str, typer.Argument(help="An item of the attempt.", show_default=False)],
    part: Annotated[int, typer.Option("--part", min=1, help="Which part of a long prompt.")] = 1,
) -> int:
    """Show the prompt of an item, or one part of it."""
    found = _call("get_item", {"attempt_id": _id(given), "item_ids": [item_id], "part": part}, given)
    [one] = found["items"]
    turns = "\n\n".join(f"[{turn.get('role')}]\n{_content(turn.get('content'))}" for turn in one.get("messages", ()))
    more = f"\n[part {one['part']} of {one['parts']}]" if "parts" in one else ""
    print_data(found, one.get("prompt", turns) + more, given.json)
    return 0


def _content(content: Any) -> str:
    return content if isinstance(content, str) else jsons.dumps(content, ensure_ascii=False)


@with_request_options(requests.AttemptRequest)
def submit(
    given: GivenOptions,
    file: Annotated[Path, typer.Argument(help=f"JSON Lines, {LINE} each; - reads stdin.", show_default=False)],
) -> int:
    """Submit answers, one an item; the first that is recorded is final."""
    answers = _answers(sys.stdin.buffer.read() if str(file) == "-" else _bytes(file))
    with _door(given) as door:
        done = door.submit(_id(given), answers)
    rows = [[one["item_id"], one["status"], one.get("reason", "")] for one in done["receipts"]]
    print_data(done, format_table(["item", "", ""], rows) + f"\n{done['remaining']} without an answer", given.json)
    return DISAGREED if any(one["status"] == "rejected" for one in done["receipts"]) else 0


def _bytes(file: Path) -> bytes:
    from harness.files import read_plain

    return read_plain(file)


def _answers(data: bytes) -> list[Any]:
    try:
        return [jsons.loads(line) for line in data.splitlines() if line.strip()]
    except (ValueError, RecursionError) as bad:
        raise InputError(f"this is no JSON line: {bad}", next=f"write a line an answer: {LINE}") from bad


@with_request_options(requests.RescoreRequest, without=("again", "max_memory"))
def finish(
    given: GivenOptions,
    again: Annotated[bool, typer.Option("--again", help="Score again one whose scoring failed.")] = False,
) -> int:
    """Close an attempt, score it, and show what its agent is told."""
    from harness.verbs import attempts as verbs

    name = _id(given)
    if again:
        with show_progress() as watch:
            done = verbs.rescore_attempt(given.project, given.request(requests.RescoreRequest, attempt=name), watch)
        return given.show(done, _shown(done))
    told = _call("finish_attempt", {"attempt_id": name}, given)
    if told["status"] == "scoring":
        told = _call("finish_attempt", {"attempt_id": name}, given)
    rows = [
        [key, f"{one.get('value', '-')}", one["n"], one["unanswered"]] for key, one in told.get("scores", {}).items()
    ]
    text = f"{told['status']}: {told['n_answered']} answered, {told['n_missing']} missing"
    text += f"\n{format_table(['score', 'value', 'n', 'unanswered'], rows)}" if rows else ""
    print_data(told, text, given.json)
    return 0 if told["status"] in ("scored", "sealed") else DISAGREED


@with_request_options(requests.VerifyTranscriptRequest)
def verify(given: GivenOptions) -> int:
    """Verify the transcript of an attempt, and make its reads again."""
    from harness.verbs import attempts as verbs

    done = verbs.verify_transcript(given.project, given.request(requests.VerifyTranscriptRequest))
    lines = [f"{done.verdict}: {done.n_records} records, {done.reads} reads made again, head {done.head}"]
    if done.first_bad_seq is not None:
        lines.append(f"the first record that is not as it was written: {done.first_bad_seq}")
    lines += [*done.flaws, *(f"record {number} gave something else" for number in done.differing)]
    lines += [line for line in (done.torn, done.unread) if line]
    lines += [f"{done.canary_hits} answers hold the control word"] if done.canary_hits else []
    return given.show(done, flat_lines(lines))


def _id(given: GivenOptions) -> str:
    """Return the full id of an attempt."""
    from harness.verbs.attempts import attempt_named

    return attempt_named(given.project, given.attempt)


def _call(tool: str, args: dict[str, Any], given: GivenOptions, **serve: Any) -> dict[str, Any]:
    """Make an agent's call as the user of this machine, and return its data."""
    from harness.verbs.attempts import OPENING

    with _door(given, opens=tool in OPENING, **serve) as door:
        return door.call(tool, args)


def _door(given: GivenOptions, *, opens: bool = False, **serve: Any) -> AttemptDoor:
    """Return the session through which the user of this machine makes an agent's calls."""
    from harness.verbs.attempts import ONE_CALL, AttemptDoor

    asked = given.request(requests.ServeRequest, client=COMMAND_LINE, session=ONE_CALL, **serve)
    return AttemptDoor(given.project, asked, protocol="command line", opens=opens)


def register_serve(app: typer.Typer) -> None:
    """Add the command `serve` to the command line."""
    app.command()(serve)


@with_request_options(requests.ServeRequest, without=("max_memory",), json=False, agent_uid=(AgentUid, None))
def serve(
    given: GivenOptions,
    profile: Annotated[
        str, typer.Option("--profile", envvar="HARNESS_PROFILE", help=f"Who is served: {', '.join(PROFILES)}.")
    ] = "answer",
    project: Annotated[
        str, typer.Option("--project", envvar="HARNESS_PROJECT", help="The project's folder; default: this one.")
    ] = "",
    http: Annotated[
        str,
        typer.Option(
            "--http", envvar="HARNESS_HTTP", metavar="[ADDRESS:]PORT", help="Serve over HTTP; PORT alone: this machine."
        ),
    ] = "",
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", help="A name:port by which clients call an HTTP server; repeatable."),
    ] = None,
    allow_origin: Annotated[
        list[str] | None, typer.Option("--allow-origin", help="An origin whose web pages may call; repeatable.")
    ] = None,
    rate: Annotated[
        float, typer.Option("--rate", min=0.1, max=1e6, help="HTTP requests a second of one principal, on average.")
    ] = 200.0,
    print_config: Annotated[
        str, typer.Option("--print-config", help=f"Print what a client is given: {', '.join(CLIENTS)}.")
    ] = "",
) -> int:
    """Serve agents over stdio or HTTP; their answers are evidence."""
    if profile not in PROFILES:
        raise InputError(f"no profile is called {profile!r}", next=f"choose one of: {', '.join(PROFILES)}")
    if not has_server_packages():
        raise MissingError(
            "agents cannot be served: the package mcp is missing", next="pip install repro-harness[tools]"
        )
    told = {**given.values, "profile": profile, "project": project, "store": given.common["store"]}
    told |= {"http": http, "rate": rate if http else ""}
    more = [word for one in allow_host or () for word in ("--allow-host", one)]
    more += [word for one in allow_origin or () for word in ("--allow-origin", one)]
    if more and not http:
        raise InputError("--allow-host and --allow-origin are of a server over HTTP", next="give --http PORT, too")
    values = {name: told[name.replace("-", "_")] for name in VALUES}
    given_values = {name: str(value) for name, value in values.items() if value not in (None, "")}
    manifests = [str(path) for path in given.manifests or ()]
    if print_config and http:
        raise InputError(
            "--print-config is of a server that its client starts, and one over HTTP is started before",
            next="give the client the address that `serve --http` prints, and a token of `harness tokens add`",
        )
    if print_config:
        return _print_config(print_config, manifests, given_values)
    become_server(manifests, given_values, more)


def _print_config(client: str, manifests: list[str], values: dict[str, str]) -> int:
    """Print what a client is given to start this server, and on stderr where it belongs."""
    from harness.verbs.project import Project

    if client not in CLIENTS:
        raise InputError(f"no client is called {client!r}", next=f"choose one of: {', '.join(CLIENTS)}")
    named = values.pop("project", "")
    places = [manifest_place(manifest, named) for manifest in manifests]
    root = Project.at(places[0].rpartition("/")[0] if places and not named else named).root
    usual = {"profile": "answer", "engine": requests.ServeRequest().engine}
    options = {name: value for name, value in values.items() if usual.get(name) != value}
    if "store" in options:
        options["store"] = str(Path(options["store"]).expanduser().absolute())
    config = client_config(client, server_command(root, options, places))
    write_bytes([config.text.encode() + b"\n"])
    print_message(config.told)
    return 0
