"""Each verb as a person or a script uses it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from support import data_of, error_of, executed, finished_project, harness, outputs_of
from support_inside import inner_data, inside

from harness.digest import sha256
from harness.evidence.explain import name_processor
from harness.manifest.documents import AcceptedMachine, ExpectedOutput
from harness.manifest.lockfile import expect_path, load_expect, save_document
from harness.run.environment import machine_facts

pytestmark = pytest.mark.together  # one worker makes the project that all of these read


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verbs")
    finished_project(folder)
    return folder


@pytest.fixture
def project(ran: Path, tmp_path: Path) -> Path:
    shutil.copytree(ran, tmp_path / "project")
    return tmp_path / "project"


def test_list_tells_the_state_of_locks_and_the_last_verdict(project: Path) -> None:
    text = (project / "manifests" / "small.yaml").read_text()
    (project / "manifests" / "other.yaml").write_text(text.replace("name: small", "name: other"))
    (project / "manifests" / "broken.yaml").write_text("harness: 1\nstudi: x\n")
    found = {row["manifest"]: row for row in inner_data("list", cwd=project)["manifests"]}
    assert found["manifests/small.yaml"]["lock"] == "fits"
    assert found["manifests/small.yaml"]["verdict"] == "unconfirmed"
    assert found["manifests/other.yaml"]["lock"] == "none"
    assert found["manifests/broken.yaml"]["lock"] == "broken"
    assert "(manifests/broken.yaml" in found["manifests/broken.yaml"]["about"]
    (project / "manifests" / "small.yaml").write_text(text.replace("seed: 7", "seed: 9"))
    found = {row["manifest"]: row for row in inner_data("list", cwd=project)["manifests"]}
    assert found["manifests/small.yaml"]["lock"] == "stale"
    (project / "lockfiles" / "manifests" / "other.lock.json").write_text("{}")
    other = {row["manifest"]: row for row in inner_data("list", cwd=project)["manifests"]}["manifests/other.yaml"]
    assert other["lock"] == "broken" and "other.lock.json" in other["about"]
    [record] = (project / ".harness" / "runs").glob("*/record.json")
    record.chmod(0o644)
    record.write_bytes(record.read_bytes().replace(b"run", b"ruin", 1))
    found = {row["manifest"]: row for row in inner_data("list", cwd=project)["manifests"]}
    assert found["manifests/small.yaml"]["verdict"] == "damaged"


def test_show_names_the_pins_and_the_steps(project: Path) -> None:
    shown = inner_data("show", "manifests/small.yaml", cwd=project)
    assert shown["lock"]["pins"]["datasets"]["addition"]["items"]["rows"] > 0
    assert shown["stages"]["analyses"] == 5  # a table for each of two models, all of them, proportions, checks
    assert "addition" in inside("show", "manifests/small.yaml", cwd=project, check=0).stdout


def test_run_gives_the_fields_that_scripts_rely_on(project: Path) -> None:
    [run] = inner_data("run", "manifests/small.yaml", cwd=project)["runs"]
    assert {"manifest", "run", "engine", "isolation", "verdict", "steps", "outputs"} <= set(run)
    assert run["steps"]["total"] == run["steps"]["cached"] and run["steps"]["executed"] == 0
    assert {"name", "sha256", "level", "verdict"} <= set(run["outputs"][0])
    assert run["sees_gold"], "the record marks the stand-ins that are shown the answers"


def test_get_gives_the_bytes_whose_digest_the_run_names(project: Path) -> None:
    digest = outputs_of(inner_data("run", "manifests/small.yaml", cwd=project))["scores"]
    plain = inside("get", "last", "scores", cwd=project, check=0).stdout.encode()
    assert sha256(plain) == digest
    assert inner_data("get", "last", "scores", "-o", "scores.jsonl", cwd=project)["sha256"] == digest
    assert (project / "scores.jsonl").read_bytes() == plain


def test_an_output_goes_into_a_folder_that_is_there(project: Path) -> None:
    for place in ("nowhere/scores.jsonl", "manifests"):
        error = error_of(inside("get", "last", "scores", "-o", place, "--json", cwd=project, check=2))
        assert (error["what"], error["where"]) == ("this file cannot be written", place)


def test_a_missing_output_is_reported_with_those_that_the_run_has(project: Path) -> None:
    error = error_of(inside("get", "last", "report.html", "--json", cwd=project, check=2))
    assert error["what"].endswith(" of small has no output 'report.html'")
    assert error["next"].startswith("it has: ") and "checks" in error["next"]
    assert error["next"].endswith("; `outputs: {report.html: exact}` in the manifest adds it")


def test_explain_names_a_step_that_it_then_explains(project: Path) -> None:
    hint = inside("explain", "last", "addition/scores", cwd=project, check=0).stderr
    words = hint.partition("`harness ")[2].partition("`")[0].split()
    assert "name one step" in hint and words[:2] == ["explain", "last"] and "/part-00000" in words[2]
    assert "because" in (told := inside(*words, cwd=project, check=0)).stdout and "\nkey " in told.stdout


def test_runs_that_part_nowhere_are_said_to_be_the_same(project: Path) -> None:
    text = inside("diff", "last", "last", cwd=project, check=0).stdout
    assert text == "level: bytes\nno difference: every output has the same bytes\n"


def test_the_oracle_is_always_right_and_only_it(project: Path) -> None:
    checks = json.loads(inside("get", "last", "checks", cwd=project, check=0).stdout)
    assert checks["verdict"] == "pass"
    assert checks["benchmarks"]["addition"]["oracle"]["correct"] == 1
    assert 0 < checks["benchmarks"]["addition"]["noisy-oracle"]["correct"] < 1


@pytest.mark.long
def test_a_run_is_found_by_a_prefix_and_by_a_path(project: Path) -> None:
    run = inner_data("get", "last", "items", cwd=project)["run"]
    record = f".harness/runs/{run}/record.json"
    assert inner_data("get", run[:18], "items", cwd=project)["run"] == run
    assert inner_data("get", str(project / record), "items", cwd=project.parent)["run"] == run
    assert inner_data("audit", record, cwd=project)["run"] == run


@pytest.mark.long
def test_accept_writes_the_expectation_that_reproduce_compares_with(project: Path) -> None:
    accepted = inner_data("lock", "--accept", "last", cwd=project)
    assert {change["old"] for change in accepted["changes"]} == {""}
    assert inner_data("lock", "--accept", "last", cwd=project)["changes"] == []
    done = inner_data("reproduce", "manifests/small.yaml", "--reports", "reports", cwd=project)
    [run] = done["runs"]
    assert run["verdict"] == "agreed"
    assert {output["level"] for output in run["outputs"]} == {"exact"}
    assert not list((project / ".reproduce").glob("*")), "an agreed reproduction leaves nothing behind"
    index = Path(done["reports"]).read_text()
    assert run["run"] in index and "agreed" in index and 'href="small.html"' in index and "src=" not in index
    assert run["run"] in (project / "reports" / "small.html").read_text(), "written before the store went"
    (project / "reports" / "index.html").unlink()
    inside("reproduce", "manifests/small.yaml", "--reports", "reports", cwd=project, check=2)
    assert inner_data("list", cwd=project)["manifests"][0]["verdict"] == "agreed"


@pytest.mark.long
def test_reproduce_without_an_expectation_is_unconfirmed_and_exits_1(project: Path) -> None:
    done = inside("reproduce", "manifests/small.yaml", "--json", cwd=project, check=1)
    assert json.loads(done.stdout)["runs"][0]["verdict"] == "unconfirmed"
    assert "stays in" in done.stderr


SCORED = "addition/scores/oracle/part-00000"


def accepted_elsewhere(
    project: Path, *, step: str = SCORED, output: str = "scores", files: Mapping[str, str] | None = None, **machine: Any
) -> None:
    """Accept the last run, and let a step and an output of it have been others: by other code, on another machine."""
    inside("lock", "--accept", "last", cwd=project, check=0)
    held = load_expect(project, "small")
    assert held
    steps = {**held.run.steps, step: f"{'0' * 12} {held.run.steps[step].partition(' ')[2]}"}
    outputs: dict[str, ExpectedOutput] = {**held.outputs, output: {**held.outputs[output], "sha256": "0" * 64}}
    run = replace(held.run, steps=steps, machine=cast(AcceptedMachine, {**held.run.machine, **machine}))
    other = replace(held, outputs=outputs, files={**held.files, **(files or {})}, run=run)
    save_document(expect_path(project, "small"), other.data)


@pytest.mark.long
def test_reproduce_names_the_output_the_step_and_the_code_that_parted(project: Path) -> None:
    """The expectation is moved instead of the code: the same bytes are then not what was accepted."""
    scorer, other = "harness/answers/addition.py", "harness/models/providers/baseline.py"
    accepted_elsewhere(project, files={scorer: "0" * 64, other: "0" * 64})
    [run] = inner_data("reproduce", "manifests/small.yaml", cwd=project, check=1)["runs"]
    verdicts = {one["name"]: one["verdict"] for one in run["outputs"]}
    assert [name for name, word in verdicts.items() if word != "agreed"] == ["scores"]
    assert sorted(run["moved_code"]) == sorted([scorer, other])
    assert run["cause"] == {
        "step": SCORED, "causes": [{"kind": "code", "text": f"code: {scorer}"}],
        "text": f"{SCORED} differs first; code: {scorer}",
    }  # fmt: skip


@pytest.mark.long
def test_the_first_line_names_both_processors(project: Path) -> None:
    accepted_elsewhere(project, processor="AMD EPYC (Zen 3)", threads="2")
    here = name_processor(machine_facts())
    text = f"small: {SCORED} differs first; accepted on AMD EPYC (Zen 3), here {here}; threads 2 → 1"
    for words in (("run",), ("reproduce",)):
        told = inside(*words, "manifests/small.yaml", cwd=project, check=1).stdout
        assert told.splitlines()[0] == text
        assert re.findall(r"^small +(\w+) ", told, re.MULTILINE) == ["scores"]
        assert "small: disagreed (1 of 9 outputs; engine local, " in told
    every = inside("run", "-v", "manifests/small.yaml", cwd=project, check=1).stdout
    assert len(re.findall(r"^small +(\w+)  ", every, re.MULTILINE)) == 9
    audited = inside("audit", "manifests/small.yaml", cwd=project, check=1).stdout
    assert f"disagreed; {text.removeprefix('small: ')}; " in audited


@pytest.mark.long
def test_a_manifest_whose_outputs_all_agree_has_one_line(project: Path) -> None:
    inside("lock", "--accept", "last", cwd=project, check=0)
    told = inside("run", "manifests/small.yaml", cwd=project, check=0).stdout
    assert told.startswith("small: scores of run ")
    assert told.splitlines()[-2].startswith("small: agreed (9 outputs; engine local, isolation ")
    assert "sha256" not in told


@pytest.mark.long
def test_a_run_under_another_lock_says_what_of_it_is_another(project: Path) -> None:
    inside("lock", "--accept", "last", cwd=project, check=0)
    manifest = project / "manifests" / "small.yaml"
    said = manifest.read_text()
    manifest.write_text(said.replace("A few additions", "Some additions"))
    inside("lock", manifest, cwd=project, check=0)
    told = inside("run", manifest, cwd=project, check=0).stdout.splitlines()[0]
    assert (
        told == "small: every output is as it was accepted, under another lock; lock: in nothing that changes an output"
    )
    manifest.write_text(said.replace("seed: 7", "seed: 8"))
    inside("lock", manifest, cwd=project, check=0)
    told = inside("run", manifest, cwd=project, check=0).stdout.splitlines()[0]
    assert told == "small: addition/make differs first; lock: datasets/addition"


def test_a_reproduction_refuses_a_store_that_is_not_fresh(project: Path) -> None:
    assert inside("reproduce", "manifests/small.yaml", "--store", ".harness", cwd=project).returncode == 2


@pytest.mark.long
@pytest.mark.parametrize("how", ["limited", "stale", "damaged"])
def test_accept_refuses_a_run_that_is_not_complete_current_and_sound(how: str, project: Path) -> None:
    if how == "limited":
        [run] = inner_data("run", "manifests/small.yaml", "--limit", "2", cwd=project)["runs"]
        assert run["verdict"] == "incomplete"
    elif how == "stale":
        manifest = project / "manifests" / "small.yaml"
        manifest.write_text(manifest.read_text().replace("seed: 7", "seed: 8"))
        inside("lock", "manifests/small.yaml", cwd=project, check=0)
    else:
        record = next((project / ".harness").glob("runs/*/record.json"))
        record.chmod(0o644)
        record.write_bytes(record.read_bytes().replace(b"local", b"local2"))
    assert inside("lock", "--accept", "last", cwd=project).returncode == (1 if how == "damaged" else 2)
    assert not (project / "lockfiles" / "manifests" / "small.expect.json").exists()


@pytest.mark.long
def test_a_limited_run_asks_the_first_items_only_and_shares_their_data(project: Path) -> None:
    inner_data("run", "manifests/small.yaml", "--limit", "2", cwd=project)
    rows = inside("get", "last", "responses", cwd=project, check=0).stdout.splitlines()
    assert len({json.loads(row)["item"] for row in rows}) == 2
    found = inner_data("audit", "last", cwd=project)
    assert (found["verdict"], found["limit"]) == ("agreed", 2)
    assert "limited to 2 items of each dataset: agreed" in inside("audit", "last", cwd=project, check=0).stdout


@pytest.mark.long
def test_each_level_makes_more_again_and_finds_the_same(project: Path) -> None:
    levels = {"hashes": [], "derive": [], "rescore": ["--rerun", "3"], "full": []}
    found = [inner_data("audit", "last", "--level", level, *more, cwd=project) for level, more in levels.items()]
    assert {one["verdict"] for one in found} == {"agreed"}
    again = [one["coverage"]["again"] for one in found]
    assert again[0] == 0 and sorted(set(again)) == again and again[-1] == found[-1]["coverage"]["steps"]


def test_every_event_of_executed_steps_is_there_once(project: Path) -> None:
    keys = executed(project / ".harness")
    assert len(keys) == len(set(keys))


@pytest.mark.long
def test_doctor_names_the_isolation(project: Path) -> None:
    findings = data_of("doctor", cwd=project)["findings"]  # its look for an engine leaves sockets to the process
    assert any(finding["subject"] == "isolation" and finding["found"] for finding in findings)


@pytest.mark.long
def test_fsck_and_gc_find_a_sound_store(project: Path) -> None:
    assert inner_data("fsck", cwd=project)["verdict"] == "agreed"
    swept = inner_data("gc", "--delete", cwd=project)
    assert swept["blobs"] == [] and swept["entries"] == []
    assert inner_data("audit", "last", cwd=project)["verdict"] == "agreed"


def test_score_and_analyse_work_alone(project: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"benchmark": "addition", "a": "24427", "b": "7120", "response": "31,547"}\n')
    scored = json.loads(inside("score", "reliability.outcome", "-i", rows, cwd=tmp_path, check=0).stdout)
    assert (scored["label"], scored["avoidance"], scored["rule_set"]) == ("c", None, "OURS-v2")
    rows.write_text('{"rows": [{"id": "x", "difficulty": 5, "labels": "cai"}], "params": {}}')
    table = json.loads(inside("analyse", "reliability.proportions", "-i", rows, cwd=tmp_path, check=0).stdout)
    assert {"n", "difficulty", "correct", "avoidant", "incorrect"} <= set(table["bins"][0])
    for verb in ("score", "analyse"):
        for tool in inner_data(verb, "--list", cwd=tmp_path)["tools"]:
            assert tool["name"] and tool["gives"] and isinstance(tool["takes"], dict)
            assert all(schema["description"] for schema in tool["schema"].values())
    listed = inside("score", "--list", cwd=tmp_path, check=0).stdout.splitlines()
    assert any(line.startswith("reliability.outcome: Labels a response") for line in listed)
    assert {"  takes", "    a, b (addition): the addends, decimal strings", "    label: c, a or i"} <= set(listed)


def test_options_come_from_the_environment_too(project: Path) -> None:
    run = data_of("run", "manifests/small.yaml", cwd=project, env={"HARNESS_ISOLATION": "process"})["runs"][0]
    assert run["isolation"] == "process"
    assert harness("audit", "last", cwd=project, env={"HARNESS_STORE": "/nonexistent"}).returncode == 3
