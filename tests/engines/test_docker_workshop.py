"""A step in a container that leaves anything but its declared files is one clear error, and nothing of it is stored."""

from __future__ import annotations

import shutil
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY, tree

from harness.engines.docker import DockerEngine
from harness.engines.engine import Job, Limits, Outcome
from harness.errors import StepError
from harness.run.closure import Code
from harness.run.executing.workshop import StepResult, Workshop
from harness.run.recording.auditing import batch_reexecutor, step_reexecutor
from harness.steps import Pinned, Step
from harness.store.store import Store

NEEDED = ("harness/__init__.py", "harness/run/__init__.py", "harness/run/step.py")
TOYS = """
import os, signal, subprocess, sys, time

def fine(params, inputs, out):
    (out / "rows").write_bytes(inputs["rows"].read_bytes() * 2)

def link(params, inputs, out):
    (out / "rows").symlink_to(params["to"])

def hard(params, inputs, out):
    os.link(params["to"], out / "rows")

def under_a_link(params, inputs, out):
    (out / "rows").symlink_to("..")
    os.unlink(out / "rows")
    (out / "rows").symlink_to("../in")

def folder(params, inputs, out):
    (out / "rows").mkdir(mode=0)

def fifo(params, inputs, out):
    os.mkfifo(out / "rows")

def door(params, inputs, out):
    import socket
    socket.socket(socket.AF_UNIX).bind(str(out / "rows"))

def name(params, inputs, out):
    fine(params, inputs, out)
    open(os.path.join(os.fsencode(str(out)), bytes.fromhex(params["name"])), "w").close()

def spoils(params, inputs, out):
    fine(params, inputs, out)
    for path in (inputs["rows"], "code/harness/toys.py", "step.json"):
        try:
            os.chmod(path, 0o777)
        except OSError:
            pass
        try:
            open(path, "a").write("!")
        except OSError:
            continue
        raise SystemExit(f"{path} was written")

def starves(params, inputs, out):
    fine(params, inputs, out)
    subprocess.run([sys.executable, "-c", "bytearray(1 << 30)"])

def paints(params, inputs, out):
    raise ValueError("\\x1b[31mred\\x07")
"""


@pytest.fixture
def shop(docker: DockerEngine, tmp_path: Path) -> Workshop:
    for name in NEEDED:
        (tmp_path / "code" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / "code" / name)
    (tmp_path / "code" / "harness" / "toys.py").write_text(textwrap.dedent(TOYS))
    limits = replace(Limits(), seconds=30, memory=256 << 20, cpus=1.0)
    return Workshop(Store.make(tmp_path / "store"), docker, limits, Code(tmp_path / "code"), environment=b"{}")


def make(shop: Workshop, kind: str, **params: Any) -> StepResult:
    rows = shop.store.blobs.put(b"a row\n")
    step = Step(f"toy/{kind}", f"harness.toys:{kind}", "scores", params, {"rows": Pinned(rows)}, ("rows",))
    return shop.make(step, shop.preimage(step, {}))


CASES: list[tuple[str, dict[str, str], str]] = [
    ("link", {"to": "/etc/shadow"}, "not a plain file of its own"),
    ("link", {"to": "../in/rows"}, "not a plain file of its own"),
    ("link", {"to": "nowhere"}, "not a plain file of its own"),
    ("under_a_link", {}, "not a plain file of its own"),
    ("hard", {"to": "/step/in/rows"}, "OSError"),
    ("folder", {}, "not a plain file of its own"),
    ("fifo", {}, "not a plain file of its own"),
    ("door", {}, "not a plain file of its own"),
    ("name", {"name": b"two\nlines".hex()}, 'made an undeclared "two\\nlines"'),
    ("name", {"name": b"\xff\xfe\x1b[31m".hex()}, "made an undeclared "),
    ("starves", {}, "needed more than 256 MiB"),
    ("paints", {}, "ValueError: "),
]


@pytest.mark.long
def test_a_step_with_a_forbidden_output_is_refused_and_not_stored(shop: Workshop) -> None:
    first = make(shop, "fine")
    assert first.state == "executed" and make(shop, "spoils").state == "executed"  # it could write to none of them
    before = tree(shop.store.root / "blobs") | tree(shop.store.root / "keys")
    shadow = Path("/etc/shadow").stat() if Path("/etc/shadow").exists() else None
    for kind, params, word in CASES:
        with pytest.raises(StepError) as failed:
            make(shop, kind, **params)
        assert word in failed.value.what, (kind, failed.value.what)
        assert "\n" not in failed.value.what and str(shop.store.root) not in str(failed.value)
        assert list(shop.store.temp.iterdir()) == []
    after = tree(shop.store.root / "blobs") | tree(shop.store.root / "keys")
    code = {name for name in set(after) - set(before) if not name.endswith("/")}
    assert code == set() and {name: after[name] for name in before} == before
    if shadow:
        assert (Path("/etc/shadow").stat().st_uid, Path("/etc/shadow").stat().st_mode) == (
            shadow.st_uid,
            shadow.st_mode,
        )


@pytest.mark.long
def test_steps_audited_in_one_container_have_the_bytes_of_each_alone(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [shop.store.blobs.put(f"row {number}\n".encode()) for number in range(4)]
    steps = [Step(f"toy/{one}", "harness.toys:fine", "scores", {}, {"rows": Pinned(one)}, ("rows",)) for one in rows]
    recorded = [(step, shop.preimage(step, {})) for step in steps]
    started = shop.engine.run
    folders: set[Path] = set()

    def counted(job: Job, *more: Any) -> Outcome:
        folders.add(job.folder)
        return started(job, *more)

    monkeypatch.setattr(shop.engine, "run", counted)
    together = batch_reexecutor(shop)(recorded, 60)
    assert len(folders) == 1
    assert together == {step.name: step_reexecutor(shop)(step, parts, 60) for step, parts in recorded}
    assert list(shop.store.temp.iterdir()) == []
    greedy = Step("toy/starves", "harness.toys:starves", "scores", {}, steps[0].inputs, ("rows",))
    hungry = shop.preimage(greedy, {})
    assert batch_reexecutor(shop)([*recorded, (greedy, hungry)], 60) == {}, "whose memory it was is not known"
