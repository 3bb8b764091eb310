"""Each cause of another result is planted alone, and named first by `reproduce`, by `diff` and by an audit."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
from emulated import EMULATOR, emulate
from run.own_project import CAPITALS
from run.own_project import MANIFEST as ASKED
from toys.verdicts import Verdicts

from harness.manifest.lockfile import AcceptedRun, expect_path, load_expect
from harness.run.environment import count_cores
from harness.run.processor import ask_processor

pytestmark = pytest.mark.together
DRIFT = """\
harness: 2
study: drift
name: drift
about: Numbers that drift.
datasets:
  some: {make: drift.numbers, seed: 1, count: 5}
resources: {gpus: 0, memory: 2GiB, timeout: 5m}
outputs: {scored: exact, threads: exact, far: exact, near: {within: 1e-6}}
"""
OTHERS = {"EPYC-Milan": "AMD EPYC (Zen 3, AVX2)", "EPYC-Rome": "AMD EPYC (Zen 2, AVX2)"}
EMULATED, OTHER_CPU = next((named, name) for named, name in OTHERS.items() if name != ask_processor().name)
WORDING = "manifests/wordings.jsonl"


class Planted(Verdicts):
    """A copy of the harness with the study `drift`, and a project with a manifest of it and one of questions."""

    study, manifest = "drift", DRIFT
    ran: ClassVar[dict[str, str]] = {}  # of each manifest the run that is accepted, which copies hold too

    @property
    def asked(self) -> Path:
        """Say where the manifest of the questions lies."""
        return self.project / "manifests" / "capitals.yaml"

    def data(self) -> None:
        """Lay the questions and their wordings beside."""
        said = {"data/capitals.csv": CAPITALS, WORDING: '{"id": 0, "text": "Question: {question}\\n"}\n'}
        said["manifests/capitals.yaml"] = ASKED.replace(
            '{text: "Question: {question}\\nAnswer:"}', f"{{file: {WORDING}}}"
        )
        for name, text in said.items():
            (self.project / name).parent.mkdir(exist_ok=True)
            (self.project / name).write_text(text)

    def change(self, file: Path, old: str, new: str) -> None:
        """Change a text in a file of the project or of the copy's source."""
        text = file.read_text()
        assert text.count(old) == 1, (file, old)
        file.write_text(text.replace(old, new))

    def drift(self, value: int) -> None:
        """Let every step see a variable that stands in no key and no record, of this value from now on."""
        file = self.source / "harness/run/environment.py"
        file.with_name("drift").write_text(str(value))
        seen = ', "DRIFT": Path(__file__).with_name("drift").read_text()}'
        text = file.read_text()
        file.write_text(text if seen in text else text.replace(', "TMPDIR": private}', f', "TMPDIR": private{seen}'))

    def on_processor(self, named: str) -> None:
        """Have steps computed on another processor, by an emulator that runs their interpreter."""
        none = "emulator: tuple[str, ...] = ()"
        self.change(self.source / "harness/engines/local.py", none, none.replace("()", str(emulate(named))))


@dataclass(frozen=True)
class Plant:
    """One planted cause: how it is planted, in which step it shows first, and the words of verdict and diff for it."""

    plant: Callable[[Planted], None]
    step: str
    words: str
    key_part: str = ""  # as `diff` calls it, where it knows more than an expectation keeps
    manifest: str = "drift"
    locks: bool = False  # the manifest must be locked again


def _install_numpy(it: Planted) -> None:
    """Let the environment hold another numpy, as if it had been installed."""
    import numpy

    it.change(it.source / "harness/run/executing/workshop.py", READ, f"_renamed({READ})")
    with (it.source / "harness/run/executing/workshop.py").open("a") as shop:
        shop.write(RENAMED.format(here=numpy.__version__, other=OTHER_NUMPY))


READ = "checked.checked_environment()"
RENAMED = """

def _renamed(data: bytes) -> bytes:
    return data.replace(b'"version":"{here}"', b'"version":"{other}"')
"""
OTHER_NUMPY = "2.0.9"
PLANTS = {
    "processor": Plant(lambda it: it.on_processor(EMULATED), "far", f"here {OTHER_CPU}", f"the other on {OTHER_CPU}"),
    "numpy": Plant(_install_numpy, "far", f" → {OTHER_NUMPY}"),
    "threads": Plant(
        lambda it: it.change(it.path, "timeout: 5m", "timeout: 5m, threads: 2"), "threads", "threads 1 → 2", locks=True
    ),
    "scorer": Plant(
        lambda it: it.edit("scoring.py", "FACTOR = 2", "FACTOR = 3"), "scored", "code: harness/studies/drift/scoring.py"
    ),
    "lock": Plant(
        lambda it: it.change(it.path, "seed: 1", "seed: 2"),
        "some/make", "lock: datasets/some", "params/seed", locks=True,
    ),
    "prompt": Plant(
        lambda it: it.change(it.project / WORDING, "Question: ", "Q: "),
        "capitals/prompts/…", f"lock: wordings {WORDING}", f"({WORDING}, line 1)", "capitals", locks=True,
    ),
    "input": Plant(
        lambda it: it.change(it.project / "data/capitals.csv", "Paris", "Lyon"),
        "capitals/make", "input: data/capitals.csv", "(data/capitals.csv, line 2)", "capitals", locks=True,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    """Lay everything out, run both manifests, and accept what came out."""
    made = Planted(tmp_path_factory.mktemp("planted") / "planted")
    made.make("")
    made.drift(1)
    made.call("lock", made.asked)
    for path in (made.path, made.asked):
        [run] = json.loads(made.call("run", path, "--json").stdout)["runs"]
        made.ran[path.stem] = run["run"]
        made.call("lock", "--accept", "last")
    return made


@pytest.fixture
def planted(accepted: Planted, tmp_path: Path) -> Planted:
    made = accepted.copied(tmp_path / "planted")
    made.drift(2)
    return made


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_cause_is_named_first_by_every_verb(name: str, planted: Planted) -> None:
    plant = PLANTS[name]
    if name == "processor" and shutil.which(EMULATOR) is None:
        pytest.skip("apt-get install qemu-user")
    if name == "threads" and count_cores() < 2:
        pytest.skip("one core alone")
    manifest, fresh = planted.project / "manifests" / f"{plant.manifest}.yaml", planted.folder / "fresh"
    before = planted.ran[plant.manifest]
    plant.plant(planted)
    if plant.locks:
        planted.call("lock", manifest)
    first = planted.call("reproduce", manifest, "--store", fresh, check=1).stdout.splitlines()[0]
    step, _, cause = first.removeprefix(f"{plant.manifest}: ").partition(" differs first; ")
    assert step.startswith(plant.step.removesuffix("…")) and plant.words in cause.partition("; ")[0], first
    [after] = (fresh / "runs").iterdir()
    told = planted.call("diff", before, after, check=1).stdout.splitlines()
    [cause] = (line.removeprefix("cause: ") for line in told if line.startswith("cause: "))
    assert (plant.key_part or plant.words) in cause.partition("; ")[0], told
    audited = planted.call("audit", manifest, "--store", fresh, check=1).stdout
    assert f"; {first.removeprefix(f'{plant.manifest}: ')}; " in audited, audited


def test_without_a_recorded_cause_the_step_itself_is_named(planted: Planted) -> None:
    told = planted.call("reproduce", planted.path, check=1).stdout
    assert told.startswith("drift: far differs first; nothing that is recorded differs: the step is not deterministic")
    assert re.findall(r"^drift +(\w+)", told, re.MULTILINE) == ["far"], "what agrees is shown on demand"
    assert "1 output within tolerance alone: bytes differ (1 of 4 outputs; engine local" in told
    whole = planted.call("reproduce", "-v", planted.path, check=1).stdout
    assert re.findall(r"^drift +(\w+)", whole, re.MULTILINE) == ["far", "near", "scored", "threads"]
    assert "agreed within 1e-6, bytes differ" in whole


def test_an_audit_names_the_edited_file_of_a_step_made_again(planted: Planted) -> None:
    planted.drift(1)
    PLANTS["scorer"].plant(planted)
    report = json.loads(planted.call("audit", planted.path, "--json", check=1).stdout)
    assert (report["verdict"], report["cause"]["step"]) == ("incomplete", "scored")
    assert report["cause"]["causes"] == [{"kind": "code", "text": "code: harness/studies/drift/scoring.py"}]
    [flaw] = (check for check in report["checks"] if check["verdict"] != "pass" and check["subject"] == "scored")
    assert (flaw["id"], flaw["detail"]) == ("code.differs", "output scored; code: harness/studies/drift/scoring.py")


def test_an_older_expectation_says_that_its_machine_was_not_written_down(planted: Planted) -> None:
    path = expect_path(planted.project, "drift")
    held = load_expect(planted.project, "drift")
    assert held
    path.write_bytes(replace(held, run=AcceptedRun()).data)
    first = planted.call("reproduce", planted.path, check=1).stdout.splitlines()[0]
    assert first.startswith("drift: far differs first; accepted on a machine that was not written down, here ")
    planted.edit("scoring.py", "FACTOR = 2", "FACTOR = 3")
    [run] = json.loads(planted.call("run", planted.path, "--json", check=1).stdout)["runs"]
    assert run["cause"]["step"] == "scored"
    assert [one["kind"] for one in run["cause"]["causes"]] == ["environment", "code"]
    planted.change(planted.path, "seed: 1", "seed: 2")
    planted.call("lock", planted.path)
    [run] = json.loads(planted.call("run", planted.path, "--json").stdout)["runs"]
    assert run["cause"]["causes"][0] == {"kind": "lock", "text": "lock: what of it moved was not written down"}
