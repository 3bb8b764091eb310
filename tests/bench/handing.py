"""What it costs to hand evidence over: an audit of many answers, signing, verifying, and reading a bundle.

A bundle's reader hashes each file and writes it where it is audited; beside it hashlib hashes, and Python writes, the
same files. The second verifier writes nothing.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from pathlib import Path

from bench.costs import FULL, Size
from bench.measure import Cost, Failed, ratio, spend, spend_here
from bench.peers import environment
from bench.project import HARNESS, Project, draws
from bench.table import Row

from harness.digest import encode_document, sha256
from harness.evidence.bundle import Bundle, Member, unpack_bundle, write_bundle
from harness.store.store import FORMAT, Store

NAME = "handing"
ANSWERS = {True: 140_000, False: 4_000}  # in full, and in a quick run
MODELS = 4
SECOND = Path(__file__).resolve().parents[2] / "tools" / "verify_bundle.py"
PIECE = 1 << 20


def handing_rows(work: Path, size: Size) -> list[Row]:
    """Run a study, hand it over, and measure each side of that."""
    project = Project(work / NAME, NAME).write(
        [f"stand-in-{one}" for one in range(MODELS)], draws(ANSWERS[size is FULL] // MODELS)
    )
    project.lock()
    project.run()
    answers = project.samples()
    _do(project, "keys", "new", "--plain", "key")
    _do(project, "export", "last", "-o", "run.tar")
    _trust(project)
    audits, signing, ours, second = list[Cost](), list[float](), list[float](), list[float]()
    for turn in range(1 + size.repeats):
        audits.append(_do(project, "audit", "last", "--level", "hashes"))
        start = _do(project, "keys", "new", "--plain", f"key-{turn}").cpu  # it loads all that signing needs
        signed = _do(project, "attest", "last", "--key", "key", "-o", f"{turn}.dsse.json").cpu
        words = ("--trust", "trust.toml", "--run", "last")
        signing.append(signed + _do(project, "verify", f"{turn}.dsse.json", *words).cpu - 2 * start)
        ours.append(_do(project, "audit", "run.tar", "--level", "hashes").cpu)
        command: list[str | Path] = [sys.executable, "-I", "-S", SECOND, project.root / "run.tar"]
        second.append(spend(command, environment(project.root), project.root).cpu)
    del audits[0], signing[0], ours[0], second[0]  # these wrote the bytecode
    kept = size is FULL  # the marks are those of the full size
    return [
        Row(NAME, f"CPU of `harness audit --level hashes`, {answers:,} answers", tuple(one.cpu for one in audits),
            3 if kept else None, "s"),
        Row(NAME, f"memory of the same, {answers:,} answers", tuple(one.rss for one in audits), 300 if kept else None,
            "MiB"),
        Row(NAME, "CPU of `attest` and `verify` beyond the start of both", tuple(1000 * one for one in signing),
            50 if kept else None, "ms"),
        Row(NAME, "CPU of the second verifier against `harness audit` of the bundle",
            tuple(map(ratio, second, ours)), 2),
        _reading(work, 64 if kept else 16, size.repeats),
    ]  # fmt: skip


def _do(project: Project, *words: str) -> Cost:
    return spend([HARNESS, *words, "--json"], environment(project.root), project.root)


def _trust(project: Project) -> None:
    """Write a list of keys that trusts the project's own."""
    public = json.dumps((project.root / "key.pub").read_text())
    text = f'[[key]]\nparty = "A"\npublic = {public}\nroles = ["runner"]\nfrom = 2020-01-01\nuntil = 2099-01-01\n'
    (project.root / "trust.toml").write_text(text)


def _reading(work: Path, pieces: int, repeats: int) -> Row:
    """Hold the reader of bundles against hashlib, both writing what they read: files of 1 MiB."""
    file = work / "pieces.tar"
    _pack(work, file, pieces)

    def ours() -> None:
        with tempfile.TemporaryDirectory(dir=work) as folder:
            if len(unpack_bundle(file, Path(folder)).members) != pieces + 3:
                raise Failed("the bundle was not read whole")

    def plain() -> None:
        with tempfile.TemporaryDirectory(dir=work) as folder, open(file, "rb") as source:
            for piece in range(pieces):
                data = source.read(PIECE)
                hashlib.sha256(data).hexdigest()
                Path(folder, str(piece)).write_bytes(data)

    turns = [(spend_here(ours).cpu, spend_here(plain).cpu) for _ in range(1 + 3 * repeats)][1:]
    what = f"CPU of reading a bundle of {pieces} files of 1 MiB against hashlib, both write them"
    return Row(NAME, what, tuple(ratio(*turn) for turn in turns), 1.11)


def _pack(work: Path, file: Path, pieces: int) -> None:
    """Write a bundle of large files; nothing of them is looked at but their bytes."""
    store, run = Store.make(work / "pieces"), f"20260101T000000Z-{'0' * 8}"
    start = encode_document({"type": "event/1", "event": "run.started", "n": 0, "prev": "0" * 64}) + b"\n"
    texts = {"format": FORMAT.encode(), "heads.jsonl": start, f"runs/{run}/journal.jsonl": start}
    for path, data in texts.items():
        (store.root / path).parent.mkdir(parents=True, exist_ok=True)
        (store.root / path).write_bytes(data)
    members = [Member(path, len(data), sha256(data)) for path, data in texts.items()]
    for piece in range(pieces):
        digest = store.blobs.put(hashlib.shake_128(bytes([piece])).digest(PIECE))
        members.append(Member(f"blobs/sha256/{digest[:2]}/{digest}", PIECE, digest))
    with open(file, "wb") as to:
        write_bundle(store, Bundle(run, tuple(sorted(members)), ()), to)
