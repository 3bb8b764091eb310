"""No manifest asks a step for more memory than the machine's ceiling, and whoever is bounded is told."""

import json
import shutil

import pytest
from support import data_of, error_of, harness, unlocked_project

from harness.engines.engine import Limits
from harness.errors import InputError
from harness.manifest.schema import Resources
from harness.run import engines
from harness.run.engines import machine_ceiling, read_ceiling, spell_size, step_limits, within_disk

pytestmark = pytest.mark.together
MANIFEST = "manifests/small.yaml"
ASKED = "its manifest allows 16TiB, and a step gets at most"
HUNGRY = "indicators"  # a step that 64 MiB are not enough for


@pytest.fixture(scope="module")
def strange(tmp_path_factory):
    """Give a project whose manifest allows its steps more memory than any machine has, run where it was bounded."""
    folder = tmp_path_factory.mktemp("strange") / "project"
    manifest = unlocked_project(folder, count=20, models=("oracle",))
    asked = manifest.read_text().replace("memory: 2GiB", "memory: 16TiB")
    manifest.write_text(asked + "outputs: {report.html: exact}\n")
    harness("lock", MANIFEST, cwd=folder, check=0)
    return folder, harness("run", MANIFEST, "--json", cwd=folder, check=0)


@pytest.mark.long
def test_a_run_is_bounded_by_the_machine_and_told(strange):
    said = f"{ASKED} {spell_size(machine_ceiling())} here"
    assert said in strange[1].stderr and json.loads(strange[1].stdout)["runs"][0]["bounded"] == said
    assert said in harness("run", MANIFEST, cwd=strange[0], check=0).stdout


@pytest.mark.long
def test_an_audit_of_a_strange_manifest_is_bounded_and_incomplete(strange):
    found = data_of("audit", MANIFEST, "--max-memory", "64MiB", cwd=strange[0], check=1)
    assert found["verdict"] == "incomplete" and not [one for one in found["checks"] if one["verdict"] == "fail"]
    lacking = {one["subject"]: one for one in found["checks"] if one["verdict"] == "skip"}
    assert f"{ASKED} 64 MiB here" in lacking[HUNGRY]["detail"] and lacking[HUNGRY]["id"] == "code.differs"
    bounded = {"id": "resources.bounded", "verdict": "pass", "subject": "memory", "detail": f"{ASKED} 64 MiB here"}
    assert bounded in found["checks"]


@pytest.mark.long
def test_a_run_that_needs_more_than_its_ceiling_ends_with_exit_three(strange):
    for verb, to in (("run", "--store"), ("reproduce", "--store")):
        done = harness(
            verb, MANIFEST, "--max-memory", "64MiB", to, f"bounded-{verb}", "--json", cwd=strange[0], check=3
        )
        error = error_of(done)
        assert f"{ASKED} 64 MiB here" in error["what"] and "--max-memory SIZE" in error["next"]


@pytest.mark.long
def test_to_accept_a_run_is_to_audit_it_within_the_ceiling(strange):
    """Here a variable says it, elsewhere the option."""
    refused = harness("lock", "--accept", "last", cwd=strange[0], env={"HARNESS_MAX_MEMORY": "64MiB"})
    assert refused.returncode not in (0, 3) and "cannot be made again here" in refused.stderr
    harness("lock", "--accept", "last", cwd=strange[0], check=0)


@pytest.mark.long
def test_no_key_depends_on_the_ceiling(strange):
    again = data_of("run", MANIFEST, "--max-memory", "1GiB", cwd=strange[0])["runs"][0]
    assert again["steps"]["executed"] == 0 and "1 GiB here" in again["bounded"]


def test_a_manifest_that_asks_for_less_is_not_bounded():
    held = step_limits(Resources(memory="64MiB"), 1 << 30)
    assert (held.memory, held.beyond) == (64 << 20, "")
    assert (step_limits(Resources(memory="4GiB"), 1 << 30).memory, step_limits(Resources(), 0).most) == (
        1 << 30,
        machine_ceiling(),
    )


def test_a_larger_ceiling_than_the_machine_is_a_persons_word():
    assert step_limits(Resources(memory="16TiB"), 32 << 40).memory == 16 << 40


GROUPED = {
    "a machine alone": ({}, "", 1000 << 20),
    "a group of version 2": ({"job/memory.max": "209715200"}, "0::/job", 200 << 20),
    "the group around it": ({"job/memory.max": "max", "memory.max": "104857600"}, "0::/job", 100 << 20),
    "a group of version 1": ({"memory/job/memory.limit_in_bytes": "157286400"}, "4:cpu,memory:/job", 150 << 20),
    "no bound of version 1": ({"memory/memory.limit_in_bytes": "9223372036854771712"}, "4:memory:/", 1000 << 20),
    "a group of another kind": ({"memory/job/memory.limit_in_bytes": "1"}, "4:cpu:/job", 1000 << 20),
}


@pytest.mark.parametrize("what", GROUPED)
def test_the_ceiling_is_four_fifths_of_machine_or_group(tmp_path, what):
    files, own, least = GROUPED[what]
    for name, text in {"proc/meminfo": "MemTotal: 1024000 kB\nMemFree: 1 kB\n", "proc/self/cgroup": own}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for name, text in files.items():
        (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / name).write_text(text + "\n")
    assert engines._machine_ceiling(tmp_path / "proc", tmp_path / "groups") == int(least * 0.8)


def test_where_nothing_tells_of_memory_nothing_is_bounded(tmp_path):
    assert engines._machine_ceiling(tmp_path, tmp_path) == 0


@pytest.mark.parametrize("text", ["8GB", "8", "GiB", "-1GiB", "1KiB", "nan GiB", "8 gib", "٣GiB"])
def test_what_is_no_amount_of_memory_is_refused(text):
    with pytest.raises(InputError, match="no amount of memory"):
        read_ceiling(text)
    assert read_ceiling("1.5 GiB") == 3 << 29 and read_ceiling("") == 0


def test_a_strange_manifest_gets_no_more_disk_than_is_free(tmp_path, monkeypatch):
    class Usage:
        free = 10 << 30

    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage)
    held = within_disk(Limits(disk=16 << 40), tmp_path)
    assert (
        held.disk == 8 << 30 and "its manifest allows 16 TiB of disk, and a step gets at most 8 GiB" in held.disk_beyond
    )
    assert within_disk(Limits(disk=1 << 30), tmp_path) == Limits(disk=1 << 30)
