"""An outside attacker wants the word `agreed`: for a run that is not what it says, or for one that nobody judged."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib._bootstrap_external import _code_to_timestamp_pyc  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any

import pytest
from evidence.forger import Forger, forged, write
from support import REPOSITORY, clean_env, command, finished_project, harness, journals, small_project
from support_draws import drawn

from harness.digest import seal_document
from harness.store.store import Store
from harness.studies.reliability.measures.checks import analyse

pytestmark = pytest.mark.together
MANIFEST = "manifests/small.yaml"
BYTES = ("--level", "hashes")  # the fastest: what is wrong here is wrong at every level


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was run and accepted, in the best isolation that there is."""
    folder = tmp_path_factory.mktemp("outside")
    finished_project(folder, 7, ("oracle",))
    harness("lock", "--accept", "last", cwd=folder, check=0)
    return folder


@pytest.fixture
def project(ran: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ran, tmp_path / "project"))


@pytest.fixture
def honest(ran: Path, tmp_path: Path) -> Path:
    """The same project elsewhere, which nobody touches: its run really agrees."""
    return Path(shutil.copytree(ran, tmp_path / "elsewhere"))


def store_of(project: Path) -> Store:
    return Store(project / ".harness")


def damage(project: Path) -> str:
    """Put another result in place of an output: every audit of this run must disagree; gives the run's id."""
    it = Forger(store_of(project))
    event = next(one for one in it.events if one.get("name") == "checks")
    write(it.store.blobs.path(event["sha256"]), it.store.blobs.read(event["sha256"]).replace(b'"n":30', b'"n":99'))
    assert harness("audit", it.run, "--store", it.store.root, *BYTES, cwd=project).returncode == 1
    return it.run


def alone(*words: str | Path, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line as a user does: a process of its own, from the start of the interpreter on."""
    return subprocess.run(
        command(*map(str, words)), cwd=cwd, env=clean_env(env), capture_output=True, text=True, timeout=60, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def refused_or_told(done: subprocess.CompletedProcess[str], place: str) -> bool:
    """Whether a verdict is not `agreed`, or the text that gives it names the place that was judged instead."""
    return done.returncode != 0 or place in done.stdout + done.stderr


def verdict(project: Path, *words: str) -> tuple[int, str, str]:
    """Audit the last run; gives exit code, verdict, and all that was said."""
    done = harness("audit", "last", *words, "--json", cwd=project)
    return done.returncode, json.loads(done.stdout)["verdict"], done.stdout


def test_a_link_in_the_folder_does_not_take_the_place_of_a_named_run(project: Path, honest: Path) -> None:
    """The reviewer names a store and a run by its id; the checkout brings a link of that name to a sound run elsewhere.

    A path that exists goes before the id, and even before `--store`: the forged store is never opened, and `agreed`
    is said under the very id that the reviewer typed.
    """
    run = damage(project)
    (project / run).symlink_to(honest / ".harness" / "runs" / run)
    done = harness("audit", run, "--store", project / ".harness", *BYTES, cwd=project)
    assert refused_or_told(done, str(honest / ".harness")), done.stdout


def test_a_prefix_of_an_id_is_no_path_to_another_store(project: Path, honest: Path) -> None:
    """The same by a prefix, as it is typed by hand: a link called `2026…` leads to the run of another store."""
    run = damage(project)
    (project / run[:8]).symlink_to(honest / ".harness" / "runs" / run)
    done = harness("audit", run[:8], *BYTES, cwd=project)
    assert refused_or_told(done, str(honest / ".harness")), done.stdout


def test_a_project_inside_a_project_does_not_judge_its_manifests(project: Path, honest: Path) -> None:
    """`manifests/` of the checkout holds `lockfiles/` and `.harness/` of its own, where nobody looks.

    The root of a manifest is the nearest folder with `lockfiles/`: the reviewer stands in the project, sees its lock,
    its expectation and its store in git, and `audit manifests/small.yaml` judges three others.
    """
    damage(project)
    assert harness("audit", MANIFEST, *BYTES, cwd=project).returncode == 1
    for part in ("lockfiles", ".harness"):
        shutil.copytree(honest / part, project / "manifests" / part)
    done = harness("audit", MANIFEST, *BYTES, cwd=project)
    assert refused_or_told(done, str(project / "manifests")), done.stdout


def test_a_linked_manifest_does_not_lead_the_audit_into_another_project(project: Path, honest: Path) -> None:
    """The manifest of the checkout is a link to the same text in a project elsewhere, as git stores links.

    Its project is looked up where it resolves to: that one's store, lock and expectation give the verdict.
    """
    damage(project)
    (project / MANIFEST).unlink()
    (project / MANIFEST).symlink_to(honest / MANIFEST)
    done = harness("audit", MANIFEST, *BYTES, cwd=project)
    assert refused_or_told(done, str(honest)), done.stdout


def forge_checks(it: Forger, data: bytes) -> None:
    """Let a run have another output `checks`; entry, journal, record and list follow."""
    made = it.entries["checks"]["outputs"]["checks"]
    made |= {"sha256": it.store.blobs.put(data), "size": len(data)}
    next(event for event in it.events if event.get("name") == "checks").update(made)


def test_inputs_that_change_while_a_step_is_made_again_confirm_nothing(project: Path, tmp_path: Path) -> None:
    """The forged output is what the step gives from a poisoned input, and the input in the store is sound.

    The audit reads the input and finds it sound, then links it into the step's folder: the owner of the store writes
    the poison into the same file as soon as a second name of it appears, and puts the sound bytes back. So the step is
    `made again with equal bytes`, from bytes that nobody checked.
    """
    store = store_of(project)
    before = Forger(store)
    if before.started["isolation"] != "bubblewrap":
        pytest.skip("inputs are copied here and not linked")
    preimage = before.entries["checks"]["preimage"]
    sound = store.blobs.read(preimage["inputs"]["proportions"])
    poison = sound.replace(b'"c":30', b'"c":99').replace(b'"n_scored":30', b'"n_scored":99')
    assert poison != sound
    (tmp_path / "poison").write_bytes(poison)
    analyse(preimage["params"], {"proportions": tmp_path / "poison"}, tmp_path)
    forged(store, lambda it: forge_checks(it, (tmp_path / "checks").read_bytes()))
    code, said, _ = verdict(project)
    assert (code, said) == (1, "disagreed"), "without the exchange the forgery is met"

    target, over, wrote = store.blobs.path(preimage["inputs"]["proportions"]), threading.Event(), threading.Event()
    target.chmod(0o644)

    def exchange() -> None:
        while not over.wait(0.0005):
            if any(store.temp.glob("*/in/proportions")):
                target.write_bytes(poison)
                wrote.set()
                return

    attacker = threading.Thread(target=exchange)
    attacker.start()
    try:
        code, said, told = verdict(project)
    finally:
        over.set()
        attacker.join()
    assert code != 0 and said != "agreed", (wrote.is_set(), told[:2000])


SHADOW = """
print("10 of 10 steps made again")
print("run 20260101T000000Z-00000000: agreed; 25 checks passed, 0 did not (level full)", flush=True)
import os
os._exit(0)
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("module", drawn(["typer", "copy", "json"], 1))
def test_no_module_beside_the_project_is_imported_by_the_verifier(module: str, project: Path) -> None:
    """The checkout holds a file called like a module that the verifier imports, and the reviewer stands beside it.

    `python -m` puts the working folder before the library: the first import of that name is the attacker's code, which
    prints the verdict and leaves with 0.
    """
    damage(project)
    (project / f"{module}.py").write_text(SHADOW)
    done = alone("audit", "last", *BYTES, cwd=project)
    assert done.returncode != 0 and ": agreed" not in done.stdout, done.stdout


def test_no_variable_brings_bytecode_to_the_verifier(project: Path) -> None:
    """PYTHONPYCACHEPREFIX, set by a file that the checkout brings, names a folder of bytecode of the verifier itself.

    The bytecode bears size and time of the sound source, so the interpreter takes it: `disagreed` is spelled `agreed`.
    """
    damage(project)
    source = REPOSITORY / "harness" / "evidence" / "audit" / "checks.py"
    text, facts = source.read_text(), source.stat()
    assert 'return "disagreed"' in text
    code = compile(text.replace('return "disagreed"', 'return "agreed"'), str(source), "exec")
    cache = project / ".cache"
    place = cache / Path(*source.parent.parts[1:]) / Path(importlib.util.cache_from_source(str(source))).name
    place.parent.mkdir(parents=True)
    place.write_bytes(_code_to_timestamp_pyc(code, int(facts.st_mtime), facts.st_size))
    done = alone("audit", "last", *BYTES, cwd=project, env={"PYTHONPYCACHEPREFIX": str(cache)})
    assert done.returncode != 0 and ": agreed" not in done.stdout, done.stdout


def line(it: Forger, at: int, **fields: Any) -> None:
    """Put a line into a journal, at the time of the line before it."""
    it.events.insert(at, {"type": "event/1", "at": it.events[at - 1]["at"], **fields})


@pytest.mark.parametrize("step", ["addition/make", "checks"])
def test_an_outcome_of_code_that_no_step_tried_is_not_agreed(step: str, project: Path) -> None:
    """A journal without any foreign code gets a line: the program of this identity was tried, and came out so.

    The line belongs to no step that tries anything, and the audit looks at none of its kind; but later runs in this
    store take such outcomes from any listed journal, and so count a program as passed that nobody ever ran.
    """
    planted = {"event": "trial.done", "step": step, "trial": "ab" * 32, "outcome": "cd" * 32}
    forged(store_of(project), lambda it: line(it, 2, **planted))
    code, said, told = verdict(project, *BYTES)
    assert code != 0 and said != "agreed", told[:2000]


FAKE = "10 of 10 steps made again\nrun 20260101T000000Z-0a0a0a0a: agreed; 25 checks passed, 0 did not (level full)"


def test_no_name_in_a_journal_writes_a_verdict_of_its_own(project: Path) -> None:
    """A step is called like the last lines of an audit that agreed, line breaks included.

    The table of flaws shows the name as it is: after the true verdict or before it stands another one, and whoever
    reads the end of a page, or searches it for `: agreed`, reads that.
    """
    forged(store_of(project), lambda it: line(it, 3, event="step.log", step=f"x\n\n{FAKE}", text="a"))
    done = harness("audit", "last", *BYTES, cwd=project)
    assert done.returncode != 0
    lies = [said for said in (done.stdout + done.stderr).splitlines() if said.startswith(("run 2026", "10 of 10"))]
    assert not [said for said in lies if ": agreed" in said or said.startswith("10 of 10")], done.stdout


def test_no_identity_in_the_list_of_runs_writes_a_verdict_either(project: Path) -> None:
    """The same in the list of runs, whose ids may be any text: a run that is named there lost its journal."""

    def add(it: Forger) -> None:
        it.heads.insert(0, {"type": "head/1", "event": "run.started", "run": f"x\n{FAKE}\n", "journal": "ab" * 32})

    forged(store_of(project), add)
    for words in (["audit", "last", *BYTES], ["fsck"]):
        done = harness(*words, cwd=project)
        assert done.returncode != 0, words
        assert not any(said.startswith("run 2026") and ": agreed" in said for said in done.stdout.splitlines()), words


def test_no_name_in_a_lock_makes_a_row_in_the_list_of_runs(project: Path) -> None:
    """The lock that a run keeps names a manifest whose name has a line break, and after it a run that never was.

    `harness runs` shows names as they are: a row more, with id, engine and end, that stands on no list.
    """
    row = "20260101T000000Z-0a0a0a0a"

    def rename(it: Forger) -> None:
        lock = it.document(it.started["lock"])
        lock["intent"]["name"] = f"small\n{row}  small"
        it.started["lock"] = it.store.blobs.put(seal_document(lock))

    forged(store_of(project), rename)
    for words in (["runs"], ["scores", "last"], ["get", "last", "nothing"]):
        done = harness(*words, cwd=project)
        assert not [said for said in (done.stdout + done.stderr).splitlines() if said.startswith(row)], words


SAYS: dict[str, Callable[[Forger], object]] = {
    "another processor family than its environment": lambda it: it.started["facts"].update(machine="aarch64"),
    "another python than its environment": lambda it: it.started["facts"].update(python="3.13.1"),
    "a sandbox that no manifest asks for": lambda it: it.started.update(
        sandbox={"image": "none", "environment": it.started["environment"]}
    ),
    "a containment that did not hold": lambda it: it.started["facts"]["containment"]["tried"].update(
        ipv4="reached 192.0.2.1", store="written"
    ),
}


@pytest.mark.parametrize("case", SAYS)
def test_a_run_that_contradicts_itself_in_its_first_line_does_not_agree(case: str, project: Path) -> None:
    """The first line says what the environment in every key, the plan, or the manifest denies.

    So a run is shown as one on ARM under Python 3.13 that gave the same bytes, as a limited one, as one in a sandbox;
    or as one whose isolation was broken, which no run goes on after.
    """
    store = store_of(project)
    if "containment" not in Forger(store).started["facts"]:
        pytest.skip("no containment was tried here")
    forged(store, SAYS[case])
    code, said, told = verdict(project, *BYTES)
    assert code != 0 and said != "agreed", told[:2000]


OTHER_WORDS = """
import sys
from pathlib import Path
read = Path.read_bytes
def other(path):
    data = read(path)
    return data.replace(b"{a} + {b} =", b"{a} + {b} = ? Hint: add them.") if path.name == "addition@1.jsonl" else data
Path.read_bytes = other
from harness.cli.main import run_command_line
sys.exit(run_command_line(sys.argv[1:]))
"""


def test_prompts_under_a_shipped_name_are_the_shipped_prompts(project: Path) -> None:
    """The manifest says `reliability/addition@1`, a set of wordings that every copy of the harness ships.

    The attacker runs it with other wordings in that file: lock, prompts and answers follow from those, everything can
    be made again from the pinned copy, and the verdict of a harness that ships other words under the name is `agreed`.
    """
    words = ["run", MANIFEST, "--relock", "--isolation", "process"]
    attacker = subprocess.run(
        [sys.executable, "-P", "-c", OTHER_WORDS, *words], cwd=project, env=clean_env(), capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    *_, newest = journals(project / ".harness")
    prompts = next(event["sha256"] for event in newest if event.get("name") == "prompts")
    assert b"Hint" in store_of(project).blobs.read(prompts), attacker.stderr
    done = harness("audit", str(newest[0]["run"]), cwd=project)
    assert refused_or_told(done, "addition@1"), done.stdout


def test_a_store_that_a_variable_names_is_named_by_the_verdict(project: Path, honest: Path) -> None:
    """The checkout brings a file of variables (`.envrc`) by which another store is meant wherever none is named.

    The reviewer stands in the project, whose own store is forged, and reads `agreed` for the run of the same id.
    """
    damage(project)
    done = harness("audit", "last", *BYTES, cwd=project, env={"HARNESS_STORE": str(honest / ".harness")})
    assert refused_or_told(done, str(honest / ".harness")), done.stdout


def test_a_stand_in_under_the_name_of_a_model_is_named_with_the_verdict(tmp_path: Path) -> None:
    """The manifest calls a stand-in `gpt-4o`, one that is shown the right answers and gives most of them.

    Everything is deterministic, so all of it is made again: the audit says `agreed` and that nothing is taken on
    trust, the table says how well `gpt-4o` does, and neither says that no model was ever asked.
    """
    manifest = small_project(tmp_path, count=7, models=("oracle",))
    manifest.write_text(manifest.read_text().replace("  oracle: {provider", "  gpt-4o: {provider"))
    harness("run", MANIFEST, "--relock", "--isolation", "process", cwd=tmp_path, check=0)
    for words in (["audit", "last", *BYTES], ["scores", "last"]):
        done = harness(*words, cwd=tmp_path, check=0)
        assert "stand-in" in done.stdout or "shown the answers" in done.stdout, (words, done.stdout)


WORLD = {
    "harness": 2, "study": "brain", "name": "m", "about": "A small world.",
    "datasets": {"small": {"make": "brain.simulated", "world": "default", "seed": 1, "categories": 4, "units": 4,
                           "participants": 2}},
    "settings": {"generation": "P", "iterations": 15, "sigmas": "1.0", "families": 2},
    "resources": {"gpus": 0, "memory": "2GiB", "timeout": "10m"},
}  # fmt: skip
BETTER_FITS = """
import sys
from harness import arrays
from harness.run.executing import workshop
collect = workshop.collect_outputs
def better(step, store, out):
    if step.name.startswith("fit/"):
        errors = arrays.read_all(out / "errors")
        (out / "errors").unlink()
        arrays.write_all(out / "errors", {name: each / (9 if "LLM" in name else 1) for name, each in errors.items()})
    return collect(step, store, out)
workshop.collect_outputs = better
from harness.cli.main import run_command_line
sys.exit(run_command_line(sys.argv[1:]))
"""


def test_numbers_of_a_study_without_any_model_are_no_answers_on_trust(tmp_path: Path) -> None:
    """A study of recordings asks no model; its fits are the numbers that everything else sums up.

    The attacker divides the errors of those fits that he likes, and lets the rest follow. Fits are steps that `infer`,
    so no level makes them again, though they are portable, here, and cheap: the audit calls them answers of models.
    """
    if not all(importlib.util.find_spec(name) for name in ("torch", "scipy", "matplotlib")):
        pytest.skip("the study needs torch, scipy and matplotlib")
    for name in ("manifests", "lockfiles"):
        (tmp_path / name).mkdir()
    (tmp_path / "manifests" / "m.yaml").write_text(json.dumps(WORLD))
    harness("lock", "manifests/m.yaml", cwd=tmp_path, check=0)
    attacker = subprocess.run(
        [sys.executable, "-P", "-c", BETTER_FITS, "run", "manifests/m.yaml", "--isolation", "process"], cwd=tmp_path,
        env=clean_env(), capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert "12 steps executed" in attacker.stderr, attacker.stderr
    done = harness("audit", "last", cwd=tmp_path)
    assert done.returncode != 0, done.stdout
