"""A store that a stranger has prepared: one thing in it is another than it should be, and outside lies what is mine.

As a program it tries one kind of thing at every place of a store, by verb after verb in one process, and tells each
end as a line of JSON: what was tried, the exit code, the seconds of CPU, and whatever outside was touched.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from harness.cli.main import run_command_line
from harness.digest import encode_document, sha256
from harness.store.attempts import VIEWS
from harness.store.store import Store
from harness.verbs import review

HUGE = 200 << 30  # bytes that none of them has on the disk
KINDS = ("link", "fifo", "socket", "other kind", "hard link", "huge")
FILES = (
    "format", "heads.jsonl", "runs/{run}/journal.jsonl", "runs/{run}/record.json", "keys/{key:.2}/{key}.json",
    "blobs/sha256/{lock:.2}/{lock}", "blobs/sha256/{code:.2}/{code}", "blobs/sha256/{made:.2}/{made}",
    "images/{made}.json", "images/layers/{made}.json", "imported/{made}", "views/{made}/items.jsonl", "locks/store",
    "locks/heads",
)  # fmt: skip
FOLDERS = (
    "tmp", "locks", "runs", "runs/{run}", "keys", "keys/{key:.2}", "blobs", "blobs/sha256", "blobs/sha256/{made:.2}",
    "images", "images/layers", "imported", "views", "views/{made}",
)  # fmt: skip
VERBS = {
    "fsck": ["fsck"], "audit": ["audit", "{run}", "--level", "hashes"],
    "get": ["get", "{run}", "items", "-o", "../got"], "diff": ["diff", "{run}", "{run}"],
    "explain": ["explain", "{run}"], "list": ["list"],
    "scores": ["scores", "{run}"], "claims": ["claims"], "attempts": ["attempts", "ls"],
    "reproduce": ["reproduce", "manifests/small.yaml"], "gc": ["gc", "--delete"],
    "run": ["run", "manifests/small.yaml", "--isolation", "process"],
}  # fmt: skip
READS = [verb for verb in VERBS if verb != "run"]


def names(store: Store) -> dict[str, str]:
    """Give the names by which places are spelled: those of the newest run."""
    run_id = store.find_run("last")
    events = [json.loads(line) for line in store.journal(run_id).read_bytes().splitlines()]
    step = next(one for one in events if "key" in one)
    made = next(one for one in events if one["event"] == "output")
    entry = store.entries.get(step["key"])
    assert entry
    code = str(entry.preimage["code"])
    return {"run": run_id, "key": step["key"], "lock": events[0]["lock"], "code": code, "made": made["sha256"]}


def furnish(store: Store, made: str) -> None:
    """Lay down a little of what other verbs keep in a store: an image, a layer, a mark, a view, something temporary."""
    blob = store.blobs.put(b"{}")
    image = {"type": "image/1", "name": "toy", "config": made, "manifest": blob, "layers": [blob], "sources": {}}
    store.tree.write_file(f"images/{made}.json", encode_document(image) + b"\n")
    store.tree.write_file(f"images/layers/{made}.json", encode_document({"type": "layer/1", "layer": blob}) + b"\n")
    store.tree.write_file(f"imported/{made}", b"")
    store.tree.write_file(f"{VIEWS}/{made}/items.jsonl", b"{}\n")
    store.tree.write_file("tmp/step-1-a", b"left")
    with store.lock("store"), store.lock("heads"):
        pass


def lay(kind: str, path: Path, outside: Path) -> socket.socket | None:
    """Put one kind of thing in place of a file or folder, whose own bytes then lie outside of the store."""
    folder, aside = path.is_dir(), outside / "was"
    held = None
    path.rename(aside)
    if kind == "link":
        path.symlink_to(aside)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        held = socket.socket(socket.AF_UNIX)
        there = os.open(path.parent, os.O_RDONLY)
        held.bind(f"/proc/self/fd/{there}/{path.name}")
        os.close(there)
    elif kind == "other kind":
        path.write_bytes(b"") if folder else path.mkdir()
    elif kind == "hard link" and not folder:
        os.link(aside, path)
    else:
        path.touch()
        os.truncate(path, HUGE)
    return held


def snapshot(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Give what lies outside, so that any touch shows: mode, time of change, bytes."""
    found = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        data = sha256(path.read_bytes()) if stat.S_ISREG(facts.st_mode) else ""
        found[str(path.relative_to(folder))] = (facts.st_mode, facts.st_mtime_ns, data)
    return found


def tried(words: list[str]) -> tuple[int, float, str]:
    """Run a verb in this process: its exit code, its seconds of CPU, and all that it says."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace") for _ in range(2))
    begun = sum(os.times()[:4])
    with redirect_stdout(out), redirect_stderr(err):
        code = run_command_line(words)
    said = "".join(stream.flush() or stream.buffer.getvalue().decode() for stream in (out, err))
    return code, sum(os.times()[:4]) - begun, said


def trials(kind: str, project: Path, work: Path, verbs: dict[str, list[str]]) -> Iterator[dict[str, object]]:
    """Try one kind of thing at every place, each time in a copy of the project's store; `gc` comes last there."""
    known = names(Store(project / ".harness"))
    store, outside = work / "store", work / "outside"
    for place in [*FILES, *(FOLDERS if kind != "hard link" else ())]:
        for folder in (store, outside):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(project / ".harness", store, symlinks=True)
        outside.mkdir()
        (outside / "mine").write_bytes(b"years of work")
        held = lay(kind, store / place.format(**known), outside)
        before = snapshot(outside)
        for verb, spelled in verbs.items():
            code, seconds, said = tried([*(word.format(**known) for word in spelled), "--store", str(store)])
            after = snapshot(outside)
            touched = sorted(one for one in {*before, *after} if before.get(one) != after.get(one))
            yield {"place": place, "verb": verb, "code": code, "seconds": seconds, "said": said, "touched": touched}
        if held:
            held.close()


def main() -> None:
    """Try what the command line asks for: a kind, a project, a folder for work, and some verbs."""
    kind, project, work, *chosen = sys.argv[1:]
    os.chdir(project)
    vars(review)["is_clean"] = lambda: True  # an audit then judges here, where its memory and time are measured
    for one in trials(kind, Path(project), Path(work), {verb: VERBS[verb] for verb in chosen}):
        print(json.dumps(one), flush=True)
    lines = Path("/proc/self/status").read_text().splitlines()
    [most] = [line.split()[1] for line in lines if line.startswith("VmHWM:")]  # since this program began
    print(json.dumps({"rss": int(most) << 10}))


if __name__ == "__main__":
    main()
