"""An agent that cheats: it becomes a user, takes a hidden split over HTTP, and tries all that it can think of.

    python cheating_agent.py UID PORT TOKEN

Prints what it saw, as JSON: bodies, codes of errors, statuses of replies, the end of its attempt, and what of the
server's files, memory and descriptors it could read.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from support_http import MODERN, HttpClient

CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'


def main(uid: int, port: int, token: str) -> dict[str, list[str]]:
    """Become the user, and cheat."""
    "127.0.0.1".encode("idna")  # what that user may not be able to import
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    client = HttpClient(port, token)
    status, _, _ = client.send(CALL)
    if status != 200:
        return {"statuses": [str(status)]}
    codes: list[str] = []
    ended = _attempt(client, codes)
    _probe(client, codes)
    _probe(HttpClient(port, token, era=MODERN), codes)
    return {
        "ended": [ended],
        "codes": sorted(set(codes)),
        "read": sorted(_reached(port)),
        "seen": [one.decode() for one in client.seen],
    }


def _attempt(client: HttpClient, codes: list[str]) -> str:
    begun = client.call("start_attempt", study="hidden", split="test", idempotency_key="cheat")
    attempt = begun["attempt_id"]
    items = client.call("get_item", attempt_id=attempt)["items"]
    for one in items:
        named = {"attempt_id": attempt, "item_id": one["item_id"], "prediction": "A"}
        codes.append(client.call("score_text", **named, metric="reliability.outcome").get("code", ""))
        codes.append(client.call("get_item", attempt_id=attempt, item_ids=[one["item_id"]], gold=True).get("code", ""))
    answers = [{"item_id": one["item_id"], "answer": "A"} for one in items]
    client.call("submit_answers", attempt_id=attempt, answers=answers)
    for one in items:
        named = {"attempt_id": attempt, "item_id": one["item_id"], "prediction": "A"}
        codes.append(client.call("score_text", **named, metric="reliability.outcome").get("code", ""))
    return str(client.call("finish_attempt", attempt_id=attempt)["status"])


def _probe(client: HttpClient, codes: list[str]) -> None:
    """Ask for what is not offered: other methods, tools, paths, ids."""
    for method in (
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "completion/complete",
        "logging/setLevel",
    ):
        client.ask(method)
    for uri in ("file:///etc/passwd", "evalrepro://gold", "harness://runs"):
        client.ask("resources/read", uri=uri)
    for tool in ("read_gold", "audit_run", "list_runs", "start_run", "scores", "../list_items"):
        codes.append(client.call(tool).get("code", ""))
    for attempt in ("20260101T000000Z-" + "0" * 32, "../../heads.jsonl", "..", "%2e%2e"):
        codes.append(client.call("list_items", attempt_id=attempt).get("code", ""))
        codes.append(client.call("finish_attempt", attempt_id=attempt).get("code", ""))
    for path in ("/", "/mcp/../.harness/heads.jsonl", "/.harness/tokens.toml", "/mcp%2f..%2fgold", "//etc/passwd"):
        client.send(CALL, path=path)
        client.send(b"", "GET", path)


def _reached(port: int) -> Iterator[str]:
    """Name what could be opened of each process that may be the server, and of the stores that lie in its folders."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"harness_tools" not in (folder / "cmdline").read_bytes():
                continue
        except OSError:
            continue
        for name in ("mem", "environ", "maps", "fd", "cwd", "root"):
            try:
                if name in ("fd",):
                    yield from (f"{folder}/fd/{one.name}" for one in (folder / name).iterdir())
                elif name in ("cwd", "root"):
                    yield f"{folder}/{name} {os.readlink(folder / name)}"
                else:
                    (folder / name).read_bytes()[:1]
                    yield f"{folder}/{name}"
            except OSError:
                continue


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])))
