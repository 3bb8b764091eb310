"""Two verifiers of bundles agree: `harness audit`, and a file of standard Python written from the page alone."""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from evidence.bundle_zoo import BAD, Animal, Laid
from evidence.forger import chained
from needs import needs
from support import error_of, finished_project, manifest_text, unpack
from support_capitals import MANIFEST as CAPITALS
from support_capitals import capitals
from support_draws import drawn
from support_inside import inside
from support_views import HIDDEN, project

from harness.digest import sha256
from harness.errors import DamageError
from harness.evidence.attest import read_envelope

pytestmark = pytest.mark.together  # one store serves all
SECOND = Path(__file__).resolve().parents[2] / "tools" / "verify_bundle.py"
CHECKS = {"blob", "entry", "key", "chain", "record", "output", "bundle", "unaccounted"}
OPENED = {"HARNESS_KEY_PASSPHRASE": "correct horse battery staple"}
KEPT = Path(__file__).resolve().parents[1] / "kept"
LEFT_OUT = ("a private file", "a hidden split")
Finding = tuple[str, set[str], set[str]]  # verdict, checks that failed, checks that were skipped


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a run and its bundle."""
    folder = tmp_path_factory.mktemp("twice") / "project"
    finished_project(folder, count=20, models=("oracle",))
    inside("export", "last", "-o", "sound.tar", cwd=folder, check=0)
    return folder


@pytest.fixture(scope="module")
def sound(place: Path) -> bytes:
    """The bytes of that bundle."""
    return (place / "sound.tar").read_bytes()


def second(*words: str | Path, cwd: Path) -> Finding:
    """Ask the second verifier, without the harness and without packages."""
    command = [sys.executable, "-I", "-S", str(SECOND), *map(str, words), "--json"]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=60)
    assert not done.stderr
    said = json.loads(done.stdout)
    assert done.returncode == (said["verdict"] != "agreed")
    rows = [(one["check"], one["result"]) for one in said["checks"]]
    return said["verdict"], *({name for name, result in rows if result == kind} for kind in ("fail", "skip"))


def of_plan(check: dict[str, Any]) -> bool:
    """Tell whether a check compares a run with the plan of its manifest, which the second verifier cannot compute."""
    planned = check["detail"].startswith("/") or check["detail"] in ("trial", "imported", "sees_gold or stage")
    unknown = check["id"] == "unaccounted" and check["detail"].endswith(" is not in the plan")
    return bool(unknown or (check["id"] == "key.mismatch" and planned))


def first(file: str, cwd: Path) -> Finding:
    """Ask the harness."""
    done = inside("audit", file, "--level", "hashes", "--json", cwd=cwd)
    if not done.stdout:
        assert done.returncode == 1 and error_of(done)["what"].startswith("this bundle is damaged or no bundle")
        return "disagreed", {"bundle"}, set()
    said = json.loads(done.stdout)
    rows = [(one["id"].partition(".")[0], one["verdict"]) for one in said["checks"] if not of_plan(one)]
    failed, skipped = ({name for name, result in rows if result == kind} & CHECKS for kind in ("fail", "skip"))
    return said["verdict"], failed, skipped - failed


@pytest.mark.parametrize("animal", drawn(BAD, 8, 24), ids=lambda one: one.name)
def test_both_find_the_same_in_a_bad_bundle(animal: Animal, sound: bytes, tmp_path: Path) -> None:
    (tmp_path / "one.tar").write_bytes(animal.make(Laid.of(sound)))
    found = second("one.tar", cwd=tmp_path)
    assert found == first("one.tar", tmp_path)
    assert found[0] == animal.verdict and animal.check in found[1] | found[2]
    assert [path.name for path in tmp_path.iterdir()] == ["one.tar"]


@pytest.fixture(scope="module")
def others(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Bundles of other runs, each made when it is asked for."""
    root = tmp_path_factory.mktemp("others")

    def make(name: str) -> Path:
        folder = root / name / "project"
        if not folder.exists():
            folder.parent.mkdir()
            more = MAKERS[name](place, folder)
            inside("export", "last", "-o", "one.tar", *more, cwd=folder, check=0)
        return folder

    return make


def _again(*words: str) -> Callable[[Path, Path], tuple[str, ...]]:
    """Run the manifest once more."""

    def make(place: Path, folder: Path) -> tuple[str, ...]:
        shutil.copytree(place, folder, symlinks=True)
        inside("run", "manifests/small.yaml", *words, cwd=folder, check=0)
        return ()

    return make


def _of_models(*models: str) -> Callable[[Path, Path], tuple[str, ...]]:
    def make(_: Path, folder: Path) -> tuple[str, ...]:
        finished_project(folder, count=8, models=models)
        return ()

    return make


def _with_weights(place: Path, folder: Path) -> tuple[str, ...]:
    shutil.copytree(place, folder, symlinks=True)
    return ("--with-weights",)


def _one_answer_more(place: Path, folder: Path) -> tuple[str, ...]:
    """Run a manifest with a model more, so that some steps come from the store and some do not."""
    shutil.copytree(place, folder, symlinks=True)
    path = folder / "manifests" / "small.yaml"
    path.write_text(manifest_text(20, ("oracle", "refuser")))
    for verb in ("lock", "run"):
        inside(verb, path, cwd=folder, check=0)
    return ()


def _capitals(_: Path, folder: Path) -> tuple[str, ...]:
    """Run a benchmark of somebody's own file."""
    capitals(folder)
    inside("run", CAPITALS, cwd=folder, check=0)
    return ()


def _private(_: Path, folder: Path) -> tuple[str, ...]:
    """Run a benchmark of a private file, most of which is left out of a bundle."""
    project(folder, HIDDEN.split("agents:", maxsplit=1)[0].replace("name: hidden", "name: alone"))
    inside("run", next((folder / "manifests").glob("*.yaml")), cwd=folder, check=0)
    return ()


def _hidden(_: Path, folder: Path) -> tuple[str, ...]:
    project(folder, HIDDEN)
    inside("run", next((folder / "manifests").glob("*.yaml")), cwd=folder, check=0)
    return ()


def _kept(_: Path, folder: Path) -> tuple[str, ...]:
    """Take a store that the harness of another time recorded."""
    folder.mkdir()
    with tarfile.open(min(KEPT.glob("*.tar.xz"))) as archive:
        unpack(archive, folder)
    return ()


MAKERS: dict[str, Callable[[Path, Path], tuple[str, ...]]] = {
    "steps from the store": _again(),
    "a limit": _again("--limit", "5"),
    "a limit that takes all": _again("--limit", "20"),
    "two models": _of_models("oracle", "noisy-oracle"),
    "three models": _of_models("oracle", "refuser", "noisy-oracle"),
    "weights with it": _with_weights,
    "some steps from the store": _one_answer_more,
    "a file of its own": _capitals,
    "a private file": _private,
    "a hidden split": _hidden,
    "another time": _kept,
}


@pytest.mark.long
@pytest.mark.parametrize("name", MAKERS)
def test_both_find_the_same_in_a_sound_bundle(name: str, others: Callable[[str], Path]) -> None:
    folder = others(name)
    found = second("one.tar", cwd=folder)
    assert found == first("one.tar", folder)
    assert found == (("incomplete", set(), {"blob"}) if name in LEFT_OUT else ("agreed", set(), set()))


def test_a_sound_bundle_is_sound_by_both(place: Path) -> None:
    assert second("sound.tar", cwd=place) == first("sound.tar", place) == ("agreed", set(), set())


def resealed(change: Callable[[Laid, list[dict[str, Any]], list[dict[str, Any]]], object]) -> Callable[[Laid], bytes]:
    """Change the lines of the journal and of the list of runs, and make everything follow."""

    def make(laid: Laid) -> bytes:
        events, heads = laid.events, laid.heads()
        change(laid, events, heads)
        return laid.seal(events, heads).pack()

    return make


def _insert(*events: dict[str, Any]) -> Callable[[Laid], bytes]:
    """Insert lines before the end."""
    return resealed(
        lambda _, lines, __: lines.__setitem__(
            slice(-1, -1), [{"type": "event/1", "at": lines[-1]["at"], **event} for event in events]
        )
    )


def _start(**fields: Any) -> Callable[[Laid], bytes]:
    return resealed(lambda _, lines, __: lines[0].update(fields))


def _done(**fields: Any) -> Callable[[Laid], bytes]:
    return resealed(lambda _, lines, __: next(one for one in lines if one["event"] == "step.done").update(fields))


def _torn_heads(laid: Laid) -> bytes:
    laid.members["heads.jsonl"] += b'{"event":"run.st'
    return laid.pack()


def _unfinished(_: Laid, lines: list[dict[str, Any]], heads: list[dict[str, Any]]) -> None:
    del lines[-1], heads[-1]


def _not_listed(laid: Laid, lines: list[dict[str, Any]], heads: list[dict[str, Any]]) -> None:
    del heads[-1], laid.members[f"runs/{laid.run}/record.json"]


def _transcript(laid: Laid) -> bytes:
    laid.members[f"runs/{laid.run}/transcript.jsonl"] = b""
    return laid.pack()


def _headed_attempt(laid: Laid) -> bytes:
    """Let the list of runs name a transcript of the other run, which is not in the bundle."""
    heads = laid.heads()
    heads.append({**heads[0], "event": "attempt.started"})
    laid.members["heads.jsonl"] = b"".join(chained(heads)[0])
    return laid.pack()


def _other(change: Callable[[list[dict[str, Any]]], object], *, listed: bool = True) -> Callable[[Laid], bytes]:
    """Change the journal of the other run in the bundle, whose steps this run took; `listed`: the list follows."""

    def make(laid: Laid) -> bytes:
        other = next(path for path in laid.members if path.endswith("journal.jsonl") and laid.run not in path)
        lines, heads = [json.loads(line) for line in laid.members[other].splitlines()], laid.heads()
        change(lines)
        sealed, head = chained(lines)
        laid.members[other] = b"".join(sealed)
        for line in heads:
            if line["run"] in other and listed:
                line["journal"] = sha256(sealed[0]) if line["event"] == "run.started" else head
        laid.members["heads.jsonl"] = b"".join(chained(heads)[0])
        return laid.pack()

    return make


def _other_bytes(change: Callable[[bytes], bytes]) -> Callable[[Laid], bytes]:
    def make(laid: Laid) -> bytes:
        other = next(path for path in laid.members if path.endswith("journal.jsonl") and laid.run not in path)
        laid.members[other] = change(laid.members[other])
        return laid.pack()

    return make


BESIDE = {  # of a bundle with the log of another run
    "another run's first line": _other(lambda lines: lines[0].update(engine="x"), listed=False),
    "another run's last line": _other(lambda lines: lines[-1].update(status="failed"), listed=False),
    "another run's middle": _other_bytes(lambda data: data.replace(b'"stage"', b'"stagf"', 1)),
    "another run's end that is torn": _other_bytes(lambda data: data + b"{"),
    "another run that executed nothing": _other(lambda lines: [
        lines.remove(one) for one in list(lines) if one["event"] == "step.done"
    ]),
    "another run whose log is not there": _headed_attempt,
    "a record of a run that has none": resealed(_not_listed),
}  # fmt: skip


STEP = "addition/scores/oracle/part-00000"
EDGES = {
    "a log that is a number": _insert({"event": "step.log", "step": STEP, "text": 1}),
    "a worker who worked": _done(worker="a", facts={"cores": 1}),
    "a truth that is a number": _done(sees_gold=1),
    "a trial that is a text": _done(trial="x"),
    "a line without usage": resealed(lambda _, lines, __: lines[1].pop("usage", None)),
    "a key that is none": _done(key="x"),
    "a limit": _start(limit=5),
    "a start that comes twice": resealed(lambda _, lines, __: lines.insert(1, dict(lines[0]))),
    "an end that failed": resealed(lambda _, lines, __: lines[-1].update(status="failed")),
    "a run without end": resealed(_unfinished),
    "a list of runs that is torn": _torn_heads,
    "a list of runs that starts a run twice": resealed(lambda _, __, heads: heads.append(dict(heads[0]))),
    "a list of runs with a field more": resealed(lambda _, __, heads: heads[0].update(more="x")),
    "a list of runs with an attempt's end that has a record": resealed(
        lambda _, __, heads: heads.append({**heads[-1], "run": "x", "event": "attempt.closed"})
    ),
    "no line at all": lambda laid: laid.members.update({laid.log: b""}) or laid.pack(),
    "a list of runs with an odd run": resealed(lambda _, __, heads: heads.append({**heads[0], "run": "x"})),
}
BEYOND = {  # what no run writes so, or not with this manifest, though each line is one that the page has
    "a trial": _done(trial=True),
    "a step that sees gold": _done(sees_gold=True),
    "imported": _done(imported={"model": "oracle", "source": "x"}),
    "imported by a model of nowhere": _done(imported={"model": "oracle"}),
    "imported from nowhere": _done(imported={}),
    "a step that failed twice": _insert(*[{"event": "step.failed", "step": STEP, "error": "no"}] * 2),
    "a failed step with an end": _insert({"event": "step.failed", "step": STEP, "error": "no", "ended": "time"}),
    "a log of a step": _insert({"event": "step.log", "step": STEP, "text": "said"}),
    "calls, and calls again": _insert(*({"event": "calls", "models": {"oracle": {"calls": one}}} for one in (1, 2))),
    "healed": _insert({"event": "run.healed", "steps": 1, "blobs": 2, "digests": ["f" * 64]}),
    "workers": _insert(
        {"event": "worker.joined", "worker": "a", "isolation": "none", "facts": {}},
        {"event": "worker.refused", "worker": "b", "why": "so"},
    ),
    "a limit below zero": _start(limit=-1),
    "a manifest that is no digest": _start(manifest="x"),
    "a transcript of a run": _transcript,
}


@pytest.mark.parametrize("name", drawn(EDGES, 4, len(EDGES)))
def test_both_find_the_same_where_the_page_draws_a_line(name: str, sound: bytes, tmp_path: Path) -> None:
    (tmp_path / "one.tar").write_bytes(EDGES[name](Laid.of(sound)))
    assert second("one.tar", cwd=tmp_path) == first("one.tar", tmp_path)


@pytest.mark.parametrize("name", drawn(BESIDE, 3, len(BESIDE)))
def test_both_find_the_same_in_the_logs_of_other_runs(name: str, others: Callable[[str], Path], tmp_path: Path) -> None:
    taken = (others("steps from the store") / "one.tar").read_bytes()
    (tmp_path / "one.tar").write_bytes(BESIDE[name](Laid.of(taken)))
    found = second("one.tar", cwd=tmp_path)
    assert found == first("one.tar", tmp_path) and found[0] != "agreed"


@pytest.mark.parametrize("name", drawn(BEYOND, 3, len(BEYOND)))
def test_the_harness_knows_besides_what_no_run_writes(name: str, sound: bytes, tmp_path: Path) -> None:
    (tmp_path / "one.tar").write_bytes(BEYOND[name](Laid.of(sound)))
    found = first("one.tar", tmp_path)
    assert found[0] == "disagreed" and second("one.tar", cwd=tmp_path)[1] <= found[1]


@pytest.fixture(scope="module")
def signed(place: Path) -> Path:
    """The project with keys and statements about its run."""
    needs("cryptography")
    for name in ("one", "two"):
        inside("keys", "new", name, cwd=place, env=OPENED, check=0)
    for name, words in (("made", ()), ("verdict", ("--verdict",))):
        inside("attest", "last", "--key", "one", *words, "-o", f"{name}.json", cwd=place, env=OPENED, check=0)
    return place


@pytest.mark.parametrize("name", ["made", "verdict"])
def test_what_the_harness_signs_is_good_by_the_second(name: str, signed: Path) -> None:
    words = ("sound.tar", "--envelope", f"{name}.json", "--key")
    assert second(*words, "one.pub", cwd=signed) == ("agreed", set(), set())
    assert second(*words, "two.pub", cwd=signed) == ("disagreed", {"attest"}, set())


def _payload(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], None]:
    def make(envelope: dict[str, Any]) -> None:
        statement = json.loads(base64.b64decode(envelope["payload"]))
        change(statement)
        envelope["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()

    return make


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "a payload that was changed": _payload(lambda one: one["subject"].pop()),
    "another type": lambda one: one.update(payloadType="text/plain"),
    "a field more": lambda one: one.update(more=1),
    "no signature": lambda one: one.update(signatures=[]),
    "a signature twice": lambda one: one["signatures"].append(one["signatures"][0]),
    "a signature of zeros": lambda one: one["signatures"][0].update(sig=base64.b64encode(bytes(64)).decode()),
    "a short signature": lambda one: one["signatures"][0].update(sig="AAAA"),
    "a key of nobody": lambda one: one["signatures"][0].update(keyid="f" * 64),
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_envelope_that_was_changed_is_not_good_by_the_second(name: str, signed: Path, tmp_path: Path) -> None:
    envelope = json.loads((signed / "made.json").read_bytes())
    CHANGES[name](envelope)
    (tmp_path / "changed.json").write_text(json.dumps(envelope))
    words = ("sound.tar", "--envelope", tmp_path / "changed.json", "--key", "one.pub")
    assert second(*words, cwd=signed) == ("disagreed", {"attest"}, set())


def test_an_envelope_that_anybody_padded_is_good_by_neither(signed: Path, tmp_path: Path) -> None:
    """Blanks around it need no key: one verifier read 64 MiB, and the other refused more than 16."""
    data = (signed / "made.json").read_bytes()
    for size, good in ((1 << 24, True), ((1 << 24) + 1, False)):
        (tmp_path / "padded.json").write_bytes(data.ljust(size))
        found = second("sound.tar", "--envelope", tmp_path / "padded.json", "--key", "one.pub", cwd=signed)
        assert found == (("agreed", set(), set()) if good else ("disagreed", {"attest"}, set()))
        with contextlib.nullcontext() if good else pytest.raises(DamageError):
            read_envelope(tmp_path / "padded.json")


@pytest.mark.long
def test_a_statement_of_another_run_is_not_good_by_the_second(signed: Path, others: Callable[[str], Path]) -> None:
    folder = others("two models")
    words = ("--envelope", signed / "made.json", "--key", signed / "one.pub")
    assert second("one.tar", *words, cwd=folder) == ("disagreed", {"attest"}, set())
