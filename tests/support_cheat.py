"""What a cheating agent tries, the project it is let loose on, and what must never reach it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from support import harness
from support_questions import hub
from support_server import CONTROL
from support_views import ADDITION, HIDDEN, QUESTIONS, STUDIES
from support_wire import WireClient

from harness.digest import sha256
from harness.manifest.datasets import made_tables
from harness.manifest.lockfile import load_lock
from harness.store.store import Store

NOBODY = 65534
ASKED = 24  # questions of the hidden split
PLANTED = "the-planted-gold-of-the-owner"
KEPT = b"".join(
    json.dumps(hub(number, id=f"kept-{number:04d}", fact1=f"{PLANTED} {number}")).encode() + b"\n"
    for number in range(1, ASKED + 5)
)
MANIFESTS = {
    "small": ADDITION.replace("calls: 100", "calls: 20000"),
    "hidden": HIDDEN.replace(sha256(QUESTIONS), sha256(KEPT))
    .replace("count: 4", f"count: {ASKED}")
    .replace("calls: 100", "calls: 20000")
    .replace("max_attempts: 2", "max_attempts: 15"),
    "documents": STUDIES["documents"].replace("  dft-s: {make: curie.demo_dft-s, seed: 7, count: 2}\n", "")
    .replace(", curie/dft-s@1", ""),
}  # fmt: skip
ODD: list[Any] = [
    None, True, -1, 0, 1, 2**63, 0.5, "", " ", "1", "true", "a" * 70000, "..", "../../gold", "/etc/passwd", "*", "%",
    "gold", "target", "canary", "control", "nul\0", "\ud800", "\u202e", "' OR 1=1 --", "{{7*7}}", "$(id)", "${HOME}",
    "file:///proc/self/environ", "lockfiles/manifests/hidden.lock.json", "0" * 16, "20260101T000000Z-" + "0" * 32,
    [], {}, [None], [[]], {"gold": True}, [{"item_id": "x"}], '["x"]', "__import__('os').environ",
]  # fmt: skip
SCORED, SLOW = (
    ("metric", "prediction"),
    (None, "gold", "a" * 70000, "\ud800", ["x"]),
)  # a worker does what is not refused
EXTRA = ("gold", "debug", "reveal", "path", "principal", "profile", "hidden", "gold_reachable", "secret", "_meta")
URIS = (
    "file:///", "file:///etc/passwd", "file:///proc/self/environ", "file:///proc/1/cwd/.harness/heads.jsonl",
    "harness://", "harness://gold", "harness://views", "harness://store/heads.jsonl", "harness://runs/last",
    "mcp://gold", "attempt://canary.json", "../canary.json", "data:,gold", "http://localhost/gold", "",
)  # fmt: skip
METHODS = (
    "resources/list", "resources/templates/list", "resources/subscribe", "prompts/list", "completion/complete",
    "logging/setLevel", "roots/list", "sampling/createMessage", "elicitation/create", "tasks/list", "tasks/get",
    "tasks/result", "server/discover", "debug/gold", "rpc.discover", "ping", "__class__",
)  # fmt: skip
LINES = (
    b"", b"gold", b"{}", b"[]", b"null", b"\xff\xfe", b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":null}}',
    b'{"jsonrpc":"2.0","id":"y","method":"tools/call","params":{"name":"get_item","arguments":[1]}}',
    b'{"jsonrpc":"2.0","id":"z","id":"gold","method":"ping"}', b"[" * 4000, b"a" * (1 << 20) + b"aa",
)  # fmt: skip


def cheated_project(folder: Path, *names: str) -> Path:
    """Write and lock a project of these manifests (all by default), whose store is closed to others."""
    for name in ("manifests", "lockfiles"):
        (folder / name).mkdir(parents=True)
    (folder / "questions.jsonl").write_bytes(KEPT)
    harness("import", "data", "questions.jsonl", cwd=folder, check=0)
    (folder / "questions.jsonl").unlink()
    for name in names or MANIFESTS:
        path = folder / "manifests" / f"{name}.yaml"
        path.write_text(MANIFESTS[name])
        harness("lock", path, cwd=folder, check=0)
    (folder / ".harness").chmod(0o700)
    return folder


def tables(folder: Path, table: str) -> Iterator[dict[str, Any]]:
    """Read the rows of a table of every dataset that a project's locks pin, and not the agent's view of them."""
    store = Store.open(folder / ".harness")
    for path in sorted((folder / "manifests").glob("*.yaml")):
        lock = load_lock(folder, path.stem)
        assert lock
        for pins in map(made_tables, lock.pins["datasets"].values()):
            if table in pins:
                yield from map(json.loads, store.blobs.read(pins[table]["sha256"]).splitlines())


def leaves(value: Any) -> Iterator[str]:
    """Give every text within data, and within texts that are JSON themselves."""
    if isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):
            try:
                yield from leaves(json.loads(value))
            except ValueError:
                return
    elif isinstance(value, dict):
        yield from value
        for each in value.values():
            yield from leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each)


def hidden_words(folder: Path) -> set[str]:
    """Give what may not reach an agent: gold, ids of items and records, places, digests, control words, keys of ids.

    A text that stands in a prompt is no secret, nor is a short one, which stands anywhere.
    """
    store = folder / ".harness"
    words = {PLANTED, "kept-0", str(folder), folder.parent.name, ".harness", "canary.json", "heads.jsonl"}
    words |= {text for row in tables(folder, "gold") for text in leaves([*row["gold"].values()])}
    words |= {str(text) for row in tables(folder, "items") for text in (row["id"], row.get("meta", {}).get("record"))}
    for path in (folder / "lockfiles").rglob("*.json"):
        pins = json.loads(path.read_bytes())["pins"]["datasets"]
        words |= {text for text in leaves(pins) if len(text) == 64}
    prompts = ""
    for view in (store / "views").iterdir():
        words |= {view.name, json.loads((view / "canary.json").read_bytes())["word"]}
        lines = (view / "items.jsonl").read_text().splitlines()[1:]
        prompts += "\n".join(text for line in lines for text in leaves(line))
    for path in store.glob("runs/*/transcript.jsonl"):
        words.add(json.loads(path.read_bytes().splitlines()[0])["secret"])
    return {word for word in words if len(word) >= 6 and word not in prompts}


def leaked(client: WireClient, words: Iterable[str]) -> set[str]:
    """Give the words that left a server, on its wire or its stderr: plain, escaped, encoded, hashed, in an image."""
    sent = b"".join(client.seen)
    texts = [text for line in client.seen for text in leaves(json.loads(line))]
    images = b"".join(image for _, image in images_of(client))
    data = b"\n".join((sent, b"".join(client.said), "\n".join(texts).encode("utf-8", "replace"), images))
    found = set()
    for word in words:
        plain = word.encode()
        forms = [plain, json.dumps(word)[1:-1].encode(), plain.hex().encode(), sha256(plain).encode(), plain[::-1]]
        forms += [base64.b64encode(b"\0" * shift + plain)[4 if shift else 0 : -4] for shift in range(3)]
        if any(form in data for form in forms if len(form) >= 6):
            found.add(word)
    return found


def images_of(client: WireClient) -> Iterator[tuple[str, bytes]]:
    """Give the images that left a server."""
    for line in client.seen:
        for part in (json.loads(line).get("result") or {}).get("content") or ():
            if part.get("type") == "image":
                yield part["mimeType"], base64.b64decode(part["data"])


def chunks(png: bytes) -> set[bytes]:
    """Give the kinds of chunks that a PNG holds."""
    place, found = 8, set()
    while place < len(png):
        size = int.from_bytes(png[place : place + 4], "big")
        found.add(png[place + 4 : place + 8])
        place += 12 + size
    return found


def whole_view(client: WireClient, study: str, split: str, key: str) -> tuple[str, list[str]]:
    """Start an attempt and read each of its items in all parts; gives its id, and those of the items in order."""
    attempt = str(client.call("start_attempt", study=study, split=split, idempotency_key=key)["attempt_id"])
    listed = client.call("list_items", attempt_id=attempt, limit=50, status="all")["items"]
    names = []
    for one in listed:
        part, parts = 0, 1
        while part < parts:
            part += 1
            shown = client.call("get_item", attempt_id=attempt, item_ids=[one["item_id"]], part=part)["items"][0]
            parts = shown.get("parts", 1)
        names += [one["item_id"]] if CONTROL not in json.dumps(shown) else []
    return attempt, names


def try_everything(client: WireClient, valid: dict[str, dict[str, Any]]) -> int:
    """Call tools with every odd value in the place of each argument, and with arguments that they lack; count."""
    count = 0
    schemas = {tool["name"]: tool["inputSchema"]["properties"] for tool in client.ask("tools/list")["result"]["tools"]}
    for name, base in valid.items():
        given = [{**base, one: odd} for one in schemas[name] for odd in (SLOW if one in SCORED else ODD)]
        given += [{**base, argument: "gold"} for argument in EXTRA]
        for field in ("item_id", "answer", "abstain", "confidence", "gold") if "answers" in base else ():
            given += [{**base, "answers": [{**base["answers"][0], field: odd}]} for odd in ODD]
        for arguments in given:
            client.call(name, **arguments)
        count += len(given)
    return count


def try_the_protocol(client: WireClient) -> None:
    """Ask for every resource and prompt, by every method, and send lines that are no message."""
    for uri in URIS:
        for method, params in (("resources/read", {"uri": uri}), ("resources/subscribe", {"uri": uri}),
                               ("prompts/get", {"name": uri, "arguments": {"gold": "1"}})):  # fmt: skip
            assert "error" in client.ask(method, **params)
    for method in METHODS:
        client.ask(method)
    for line in LINES:
        client.send(line)
    assert client.ask("ping") is not None
