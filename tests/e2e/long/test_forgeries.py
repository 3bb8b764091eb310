"""A motivated forger at work: each forgery is performed on a real run, and the check that meets it is named."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from evidence.forger import Forger, forged, write
from support import SECONDS, clean_env, data_of, error_of, finished_project, harness, journals, warm
from support_draws import drawn

from harness.digest import canonical_json, encode_document
from harness.store.store import Store

pytestmark = pytest.mark.together
LONG = pytest.mark.long
STAGES = ["scores", "prompts", pytest.param("labels", marks=LONG), pytest.param("responses", marks=LONG)]
MANIFEST, EXPECT = "manifests/small.yaml", "lockfiles/manifests/small.expect.json"
Found = set[tuple[str, str]]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forgeries")
    finished_project(folder, 7, ("oracle", "refuser"), "process")
    harness("lock", "--accept", "last", cwd=folder, check=0)
    return folder


@pytest.fixture
def project(ran: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ran, tmp_path / "project"))


def store_of(project: Path) -> Store:
    return Store(project / ".harness")


def again(project: Path, *more: str) -> dict[str, Any]:
    """Run the manifest once more, in the plainest isolation."""
    [ran] = data_of("run", MANIFEST, "--isolation", "process", *more, cwd=project)["runs"]
    return dict(ran)


def audited(project: Path, *words: str, check: int = 1) -> tuple[str, Found]:
    """Audit the last run, and give its verdict and what did not pass."""
    report = data_of("audit", *(words or ("last",)), cwd=project, check=check)
    return report["verdict"], {(one["id"], one["subject"]) for one in report["checks"] if one["verdict"] != "pass"}


def rewrite(it: Forger, step: str, output: str, edit: Callable[[list[Any]], list[Any]]) -> None:
    """Put other rows in place of an output of a step; whoever names them follows."""
    made = it.entries[step]["outputs"][output]
    rows = edit([json.loads(line) for line in it.store.blobs.read(made["sha256"]).splitlines()])
    data = b"".join(canonical_json(row) + b"\n" for row in rows)
    old, new = made["sha256"], it.store.blobs.put(data)
    made.update(sha256=new, size=len(data))
    for name, body in it.entries.items():
        inputs = body["preimage"]["inputs"]
        if name != step:  # a slice of everything has the bytes of what it was cut from
            body["preimage"]["inputs"] = json.loads(json.dumps(inputs).replace(old, new))
    for event in it.events:
        if event["event"] == "output" and event["sha256"] == old:
            event.update(sha256=new, size=len(data))


def two_and_three(rows: list[Any]) -> list[Any]:
    return [{**row, "input": {"a": "2", "b": "3"}} for row in rows]


def five(rows: list[Any]) -> list[Any]:
    return [{**row, "gold": {"sum": "5"}} for row in rows]


def test_an_honest_run_is_made_again_whole_and_says_so_in_one_line(project: Path) -> None:
    said = harness("audit", "last", cwd=project, check=0).stdout.splitlines()
    steps = data_of("audit", "last", cwd=project)["coverage"]["steps"]
    assert said[0] == f"{steps} of {steps} steps made again"
    assert "agreed" in said[1] and said[1].endswith("(level full)")
    weaker = harness("audit", "last", "--level", "hashes", cwd=project, check=0).stdout.splitlines()
    assert weaker[0].startswith("0 of ") and weaker[1].endswith("(level hashes)")


def test_poisoned_items_and_gold_are_found_in_every_run_built_on_them(
    project: Path,
) -> None:
    def poison(it: Forger) -> None:
        rewrite(it, "addition/items", "part-00000", two_and_three)
        rewrite(it, "addition/gold", "part-00000", five)

    store = forged(store_of(project), poison)
    poisoned = next(body for body in Forger(store).entries.values() if body["preimage"]["kind"].endswith(":render"))
    assert b'"2"' in store.blobs.read(poisoned["preimage"]["inputs"]["items"])
    again(project)  # takes the poisoned slices from a run of the list, and computes from them in earnest
    verdict, found = audited(project)
    assert verdict == "disagreed"
    assert {("output.differs", "addition/items"), ("output.differs", "addition/gold")} <= found


@pytest.mark.parametrize("stage", STAGES)
def test_poison_at_any_stage_is_met_by_making_that_step_again(stage: str, project: Path) -> None:
    step, output = "", ""

    def poison(it: Forger) -> None:
        nonlocal step, output
        step = next(name for name in it.entries if name.startswith(f"addition/{stage}/"))
        output = next(iter(it.entries[step]["outputs"]))
        rewrite(it, step, output, lambda rows: rows[1:])

    forged(store_of(project), poison)
    verdict, found = audited(project)
    assert verdict == "disagreed"
    assert {("output.differs", step), ("aggregate.differs", step)} & found


def test_a_poisoned_dataset_is_met_by_its_maker_and_by_its_pin(project: Path) -> None:
    forged(store_of(project), lambda it: rewrite(it, "addition/make", "items", two_and_three))
    verdict, found = audited(project)
    assert verdict == "disagreed"
    assert {("output.differs", "addition/make"), ("pin.differs", "lock")} <= found


def test_an_entry_that_no_listed_run_executed_is_made_again(project: Path) -> None:
    bare = project / "bare"
    for part in ("blobs", "keys", "format"):
        source = project / ".harness" / part
        (shutil.copytree if source.is_dir() else shutil.copy)(source, bare / part if source.is_dir() else bare)
    ran = again(project, "--store", str(bare))
    assert (ran["steps"]["cached"], ran["verdict"]) == (0, "agreed")
    assert again(project, "--store", str(bare))["steps"]["executed"] == 0


def test_a_journal_with_a_cached_step_that_nobody_executed_is_not_accepted(project: Path) -> None:
    cached = again(project)["run"]
    store = store_of(project)
    it = Forger(store)
    it.run, it.events = cached, next(one for one in journals(store.root) if one[0]["run"] == cached)
    shutil.rmtree(store.runs / str(next(head["run"] for head in it.heads if head["run"] != cached)))
    it.heads = [head for head in it.heads if head["run"] == cached]
    it.seal()
    verdict, found = audited(project)
    assert verdict == "incomplete"
    assert ("unaccounted", "addition/make") in found
    refused = harness("lock", "--accept", "last", "--json", cwd=project, check=2)
    assert "unaccounted" in error_of(refused)["what"]


def lie(it: Forger) -> None:
    """Let journal and record name another blob as an output; the entry of its step still says what was made."""
    event = next(one for one in it.events if one.get("name") == "checks")
    data = it.store.blobs.read(event["sha256"]).replace(b'"pass"', b'"fail"')
    event.update(sha256=it.store.blobs.put(data), size=len(data))


@pytest.mark.parametrize("lists", ["follows", "stays"])
def test_a_forged_output_is_believed_by_no_reader(lists: str, project: Path) -> None:
    store = store_of(project)
    heads = store.heads.path.read_bytes()
    forged(store, lie)
    if lists == "stays":
        write(store.heads.path, heads)
    got = harness("get", "last", "checks", cwd=project)
    assert (got.returncode, got.stdout) == (1, "") and "harness audit" in got.stderr
    assert harness("get", "last", "counts", cwd=project).returncode == 1, "nor any other output of that run"
    assert {flaw["id"] for flaw in data_of("fsck", cwd=project, check=1)["flaws"]} & {"record.changed", "chain.broken"}
    assert [one["verdict"] for one in data_of("list", cwd=project)["manifests"]] == ["damaged"]
    for verb in (["diff", "last", "last"], ["explain", "last"], ["lock", "--accept", "last"], ["claims"]):
        assert harness(*verb, cwd=project).returncode != 0 or verb == ["claims"], verb
    assert audited(project)[0] == "disagreed"


@pytest.mark.parametrize("how", ["shortened", "reordered", "emptied"])
def test_a_journal_other_than_the_listed_one_is_named_by_fsck_and_stops_gc(how: str, project: Path) -> None:
    store = store_of(project)
    path = store.journal(store.run_ids()[0])
    lines = path.read_bytes().splitlines(keepends=True)
    if how == "reordered":
        it = Forger(store)
        it.events[1], it.events[2] = it.events[2], it.events[1]
        it.events[1]["at"], it.events[2]["at"] = it.events[2]["at"], it.events[1]["at"]  # else its times say so
        it.seal()
    else:
        write(path, b"".join(lines[:-1] if how == "shortened" else []))
    flaws = data_of("fsck", cwd=project, check=1 if how != "reordered" else 0)["flaws"]
    assert bool(flaws) == (how != "reordered"), "a whole history that was rewritten is the audit's matter"
    assert (harness("gc", "--delete", cwd=project).returncode == 1) == (how != "reordered")
    assert audited(project, store.run_ids()[0])[0] == "disagreed"


def test_a_record_that_is_named_is_the_one_that_is_read(project: Path, tmp_path: Path) -> None:
    store = store_of(project)
    run = store.run_ids()[0]
    inside = store.runs / run
    assert data_of("audit", "record.json", "--level", "hashes", cwd=inside)["run"] == run
    copy = tmp_path / "record.json"
    copy.write_bytes(store.record(run).read_bytes())
    named = ("--store", str(store.root), "--level", "hashes")
    assert data_of("audit", "record.json", *named, cwd=tmp_path)["run"] == run
    body = json.loads(copy.read_bytes())
    body["outputs"]["checks"]["sha256"] = "0" * 64
    copy.write_bytes(encode_document(body) + b"\n")
    refused = harness("audit", "record.json", *named, "--json", cwd=tmp_path, check=1)
    assert "not the one that run" in error_of(refused)["what"]
    copy.write_text("{}")
    assert harness("audit", "record.json", *named, cwd=tmp_path).returncode == 2


def test_without_an_expectation_nothing_is_confirmed(project: Path) -> None:
    assert audited(project, MANIFEST, check=0)[0] == "agreed"
    (project / EXPECT).unlink()
    assert audited(project, MANIFEST) == ("unconfirmed", {("expect.missing", "small.expect.json")})
    assert harness("reproduce", MANIFEST, "--isolation", "process", cwd=project).returncode == 1


def test_outputs_are_compared_also_where_something_else_is_wrong(project: Path) -> None:
    def other(it: Forger) -> None:
        closure = it.document(it.entries["addition/make"]["preimage"]["code"])
        closure["files"]["harness/digest.py"] = it.started["manifest"]
        it.entries["addition/make"]["preimage"]["code"] = it.put(closure)
        rewrite(it, "checks", "checks", lambda rows: [{**rows[0], "benchmarks": {}}])

    forged(store_of(project), other)
    verdict, found = audited(project, MANIFEST, "--level", "hashes")
    assert (verdict, found) == ("disagreed", {("output.differs", "expect")})


BROKEN = """
from harness.run.closure import Code
original = Code._source
def source(self, module):
    name, digest = original(self, module)
    if name.endswith("studies/reliability/measures/checks.py"):
        from harness.digest import sha256
        self.sources[name] = self.sources[name].replace(b'return "pass" if scored', b'return "fail" if scored')
        assert b'return "fail" if scored' in self.sources[name]
        digest = sha256(self.sources[name])
    return name, digest
Code._source = source
"""


def with_other_code(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a verb by a harness whose scorer was edited."""
    process = warm()
    process.start(words, project, clean_env(), before=BROKEN)
    code = process.wait(SECONDS)
    assert code is not None
    return subprocess.CompletedProcess(words, code, *(told.decode() for told in process.said()))


@pytest.mark.long
def test_an_expectation_that_was_edited_with_its_code_is_not_confirmed(project: Path) -> None:
    """Somebody edits a scorer, runs it, and accepts what comes out: all agrees, but for who signed for it."""
    pytest.importorskip("cryptography")
    harness("keys", "new", "--plain", "key", cwd=project, check=0)
    harness("attest", "--expect", MANIFEST, "--key", "key", cwd=project, check=0)
    who = f'party = "Ada"\npublic = """\n{(project / "key.pub").read_text()}"""\nroles = ["author"]\n'
    (project / "trust.toml").write_text(f"[[key]]\n{who}from = 2020-01-01\nuntil = 2099-01-01\n")
    by = ("--trust", "trust.toml")
    assert audited(project, MANIFEST, *by, check=0)[0] == "agreed"
    assert with_other_code(project, "run", MANIFEST, "--isolation", "process").returncode == 1
    accepted = with_other_code(project, "lock", "--accept", "last", "--failing-checks")
    assert accepted.returncode == 0, accepted.stderr
    assert with_other_code(project, "audit", MANIFEST).returncode == 0
    for words in (("audit", MANIFEST, *by, "--json"), ("reproduce", MANIFEST, *by, "--isolation", "process", "--json")):
        done = with_other_code(project, *words)
        said = json.loads(done.stdout)
        assert done.returncode == 1 and said.get("verdict", said.get("runs", [{}])[0].get("verdict")) == "disagreed"
    assert "Ada signed for another expectation than this one" in done.stderr
    (project / EXPECT.replace(".json", ".dsse.json")).unlink()
    said = json.loads(with_other_code(project, "audit", MANIFEST, *by, "--json").stdout)
    assert said["verdict"] == "unconfirmed"


@pytest.mark.long
def test_a_failing_self_check_needs_its_option_and_stands_in_every_verdict(project: Path) -> None:
    def broken(*words: str) -> subprocess.CompletedProcess[str]:
        return with_other_code(project, *words)

    disagreed = broken("run", MANIFEST, "--isolation", "process", "--json")
    assert json.loads(disagreed.stdout)["runs"][0]["self_checks"] == "fail", disagreed.stderr
    refused = broken("lock", "--accept", "last")
    assert refused.returncode == 2 and "--failing-checks" in refused.stderr
    aloud = broken("lock", "--accept", "last", "--failing-checks")
    assert aloud.returncode == 0, aloud.stderr
    assert json.loads((project / EXPECT).read_bytes())["checks"] == "fail"
    ran = broken("run", MANIFEST, "--isolation", "process")
    assert "small: agreed, its own checks fail" in ran.stdout
    assert "agreed, its own checks fail" in broken("audit", MANIFEST).stdout
    assert "agreed, its own checks fail" in broken("list").stdout


def lay(kind: str, path: Path) -> Any:
    """Put something in place of a file that would hang whoever reads it."""
    path.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
        return None
    if kind == "device":
        try:
            os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))
        except PermissionError:
            pytest.skip("no device can be made here")
        return None
    listener = socket.socket(socket.AF_UNIX)
    there = os.open(path.parent, os.O_RDONLY)
    listener.bind(f"/proc/self/fd/{there}/{path.name}")
    os.close(there)
    return listener


PLACES = {
    "journal": "runs/{run}/journal.jsonl", "record": "runs/{run}/record.json", "stranger": "runs/{run}/more",
    "entry": "keys/{key:.2}/{key}.json", "blob": "blobs/sha256/{blob:.2}/{blob}", "heads": "heads.jsonl",
    "image": "images/x.json", "temporary": "tmp/x",
}  # fmt: skip


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", drawn(["fifo", "device", "socket"], 1))
def test_only_plain_files_are_read_and_everything_else_is_named(kind: str, project: Path) -> None:
    store = store_of(project)
    it = Forger(store)
    event = next(one for one in it.events if one.get("name") == "checks")
    names = {"run": it.run, "key": next(one["key"] for one in it.events if "key" in one), "blob": event["sha256"]}
    for place, spelled in PLACES.items():
        path = store.root / spelled.format(**names)
        path.parent.mkdir(exist_ok=True)
        whole = path.read_bytes() if path.exists() else None
        held = lay(kind, path)
        flaws = data_of("fsck", cwd=project, check=1)["flaws"]
        assert any(flaw["subject"] == str(path) for flaw in flaws), place
        done = harness("audit", it.run, "--level", "hashes", cwd=project)
        assert done.returncode == (0 if place in ("image", "temporary") else 1), (place, done.stdout, done.stderr)
        for verb in (["list"], ["claims"], ["get", "last", "checks"], ["explain", "last"], ["gc"]):
            assert "Traceback" not in harness(*verb, cwd=project).stderr, (place, verb)
        path.unlink()
        if held:
            held.close()
        if whole is not None:
            write(path, whole)
    assert audited(project, "last", "--level", "hashes", check=0)[0] == "agreed"


ODD: dict[str, Callable[[Forger], object]] = {
    "an isolation that the engine does not have": lambda it: it.started.update(isolation="hermetic-vault"),
    "a time that is none": lambda it: it.events[3].update(at="yesterday"),
    "a day that is none": lambda it: it.events[3].update(at="2026-02-30T00:00:00.000Z"),
    "a time before the one before it": lambda it: it.events[3].update(at="2020-01-01T00:00:00.000Z"),
    "a clock of another kind": lambda it: it.started.update(clock="sundial"),
    "usage that is none": lambda it: next(one for one in it.events if "usage" in one).update(usage={"cpu_ms": -1}),
    "a machine that cannot be": lambda it: it.started["facts"].update(cores=0),
    "a step before the one it reads from": lambda it: it.events.insert(1, it.events.pop(-len(it.events) // 2)),
    "outputs in another order": lambda it: it.events.insert(-1, it.events.pop(-3)),
    "an end that no run has": lambda it: it.events[-1].update(status="perfect"),
}


@pytest.mark.parametrize("case", ODD)
def test_a_journal_that_says_what_no_run_writes_does_not_agree(case: str, project: Path) -> None:
    forged(store_of(project), ODD[case])
    verdict, found = audited(project, "last", "--level", "hashes")
    assert verdict == "disagreed" and "unaccounted" in {check for check, _ in found}, found


def test_an_engine_that_is_not_installed_leaves_the_audit_incomplete(project: Path) -> None:
    forged(store_of(project), lambda it: it.started.update(engine="quantum"))
    assert audited(project, "last", "--level", "hashes") == ("incomplete", {("unaccounted", "engine")})


def test_no_variable_of_the_environment_weakens_a_check(project: Path) -> None:
    forged(store_of(project), lambda it: rewrite(it, "checks", "checks", lambda rows: [{**rows[0], "benchmarks": {}}]))
    said = {"HARNESS_LEVEL": "hashes", "HARNESS_BUDGET": "0", "HARNESS_ACCEPT": "last", "HARNESS_FAILING_CHECKS": "1"}
    assert harness("audit", "last", cwd=project, env=said).returncode == 1
    before = (project / EXPECT).read_bytes()
    assert harness("lock", cwd=project, env=said).returncode == 2
    assert (project / EXPECT).read_bytes() == before
    with open(project / MANIFEST, "a") as manifest:
        manifest.write("# moved\n")
    assert harness("run", MANIFEST, cwd=project, env={"HARNESS_RELOCK": "1"}).returncode == 2


def test_a_name_that_ends_in_a_line_break_is_no_name(project: Path) -> None:
    text = (project / MANIFEST).read_text()
    (project / MANIFEST).write_text(text.replace("name: small", 'name: "small\\n"'))
    refused = harness("show", MANIFEST, "--json", cwd=project, check=2)
    assert "name" in error_of(refused)["what"]


def test_an_unreadable_newest_run_does_not_make_an_older_one_the_newest(project: Path) -> None:
    newest = again(project)["run"]
    write(store_of(project).journal(newest), b"{}\n")
    refused = harness("audit", MANIFEST, "--json", cwd=project, check=1)
    assert newest in error_of(refused)["what"]
    assert [one["verdict"] for one in data_of("list", cwd=project)["manifests"]] == ["damaged"]


def test_too_little_time_leaves_steps_out_and_the_verdict_names_them(project: Path) -> None:
    report = data_of("audit", "last", "--budget", "0", cwd=project, check=1)
    assert report["verdict"] == "incomplete"
    assert report["coverage"]["again"] == 0 and len(report["coverage"]["left_out"]) == report["coverage"]["steps"]
    assert "left out, too dear" in harness("audit", "last", "--budget", "0", cwd=project).stdout
