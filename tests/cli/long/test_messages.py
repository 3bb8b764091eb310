"""What verbs say is true and enough: the file and the line, both texts, every pin, sums where rows would drown."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from support import (
    REPOSITORY,
    clean_env,
    command,
    error_of,
    finished_project,
    manifest_text,
    unlocked_project,
)
from support_inside import inner_data, inside

pytestmark = pytest.mark.together  # one project, run twice with an edit between, serves most
SMALL = "manifests/small.yaml"
WORDING = "harness/studies/reliability/prompts/addition@1.jsonl"
ADDED = {"oracle": "assets/one", "other": "assets/two"}


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the harness and a project of it: run, one wording edited, relocked, and run again."""
    folder = tmp_path_factory.mktemp("edited")
    copy = folder / "tree"
    shutil.copytree(REPOSITORY / "harness", copy / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    unlocked_project(folder / "project", count=40, models=("oracle",))
    env = clean_env() | {"PYTHONPATH": str(copy)}

    def run(*words: str) -> None:
        done = subprocess.run(
            command(*words), cwd=folder / "project", env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    run("lock", SMALL)
    run("run", SMALL)
    path = copy / WORDING
    path.write_text(path.read_text().replace("{a} + {b} =", "{a} and {b} =", 1))
    run("run", SMALL, "--relock")
    return folder / "project"


def test_explain_names_the_file_and_the_line_of_an_edited_wording(edited: Path) -> None:
    told = inner_data("explain", "last", "addition/prompts", cwd=edited)["steps"]
    assert {step["reason"].partition(": ")[2] for step in told} == {f"inputs/templates ({WORDING}, line 1)"}


def test_diff_shows_both_texts_of_an_edited_wording_and_counts_the_rest(edited: Path) -> None:
    new, old = (one["run"] for one in inner_data("runs", cwd=edited)["runs"])
    found = inner_data("diff", old, new, cwd=edited, check=1)
    [text] = found["texts"]
    assert (text["file"], text["line"]) == (WORDING, 1)
    assert "{a} + {b} =" in text["left"] and "{a} and {b} =" in text["right"]
    shown = inside("diff", old, new, cwd=edited, check=1).stdout
    assert f"{WORDING}, line 1:" in shown and '  - {"id":1' in shown and '  + {"id":1' in shown
    changed = max(len(stage["changed"]) for stage in found["stages"])
    assert changed < 4 or f"and {changed - 3} more" in shown
    assert len(found["rows"]) <= 5 and f"and {found['more_rows']} more rows differ" in shown


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("messages") / "project"
    finished_project(folder, count=20, models=("oracle",))
    return folder


@pytest.fixture
def project(ran: Path, tmp_path: Path) -> Path:
    shutil.copytree(ran, tmp_path / "project")
    return tmp_path / "project"


def test_a_manifest_is_as_good_a_name_for_its_newest_run(project: Path) -> None:
    assert (
        inside("get", SMALL, "counts", cwd=project, check=0).stdout
        == inside("get", "last", "counts", cwd=project, check=0).stdout
    )
    elsewhere = project.parent / "elsewhere"
    unlocked_project(elsewhere, count=10)
    error = error_of(inside("get", "manifests/small.yaml", "counts", "--json", cwd=elsewhere, check=3))
    assert error["what"] == "there is no store here yet"


def test_a_lock_that_no_longer_fits_is_told_with_both_ways_to_mend_it(project: Path) -> None:
    (project / SMALL).write_text(manifest_text(20, ("oracle",)).replace("seed: 7", "seed: 8"))
    error = error_of(inside("run", SMALL, "--json", cwd=project, check=2))
    assert "moved: manifest/datasets/addition/seed" in error["what"]
    assert f"`harness lock {SMALL}`" in error["next"] and "--relock" in error["next"]


def test_show_tells_models_with_other_weights_apart(tmp_path: Path) -> None:
    path = unlocked_project(tmp_path / "project", count=10, models=())
    lines = [f"  {name}: {{provider: transformers, source: {place}, dtype: float32}}" for name, place in ADDED.items()]
    path.write_text(path.read_text().replace("models:\n", "models:\n" + "\n".join(lines) + "\n"))
    for place in ADDED.values():
        shutil.copytree(REPOSITORY / "assets" / "tiny-raw", tmp_path / "project" / place)
    config = tmp_path / "project" / "assets" / "two" / "config.json"
    config.write_text(config.read_text() + "\n")
    inside("lock", SMALL, cwd=tmp_path / "project", check=0)
    models = inner_data("show", SMALL, cwd=tmp_path / "project")["models"]
    assert models["oracle"]["weights"] != models["other"]["weights"]
    assert models["oracle"]["settings"] == models["other"]["settings"]
    shown = inside("show", SMALL, cwd=tmp_path / "project", check=0).stdout
    assert all(f"weights {models[name]['weights'][:12]}" in shown for name in ADDED)


def test_an_outside_model_folder_is_pinned_by_its_files_or_missing(tmp_path: Path) -> None:
    path = unlocked_project(tmp_path / "project", count=10, models=())
    line = "  own: {provider: transformers, source: folder:toy, dtype: float32}\n"
    path.write_text(path.read_text().replace("models:\n", "models:\n" + line))
    shutil.copytree(REPOSITORY / "assets" / "tiny-raw", tmp_path / "models" / "toy")
    project = tmp_path / "project"
    [locked] = inner_data("lock", SMALL, cwd=project)["locks"]
    assert "--models-dir DIR" in locked["unresolved"]["models.own"]
    [locked] = inner_data("lock", SMALL, "--models-dir", tmp_path / "models", cwd=project)["locks"]
    assert not locked["unresolved"]
    error = error_of(inside("run", SMALL, "--json", cwd=project, check=3))
    assert "model 'own' is pinned and not to be had here" in error["what"] and "--models-dir" in error["next"]
    assert (
        inner_data("list", cwd=project, env={"HARNESS_MODELS_DIR": str(tmp_path / "models")})["manifests"][0]["lock"]
        == "fits"
    )


def test_claims_that_did_not_run_are_counted_and_listed_on_demand(project: Path) -> None:
    claims = "claims:\n" + "".join(
        f"  - {{of: 'items#/{name}', published: '1', within: '1', where: Table {name}}}\n" for name in "abc"
    )
    (project / "manifests" / "other.yaml").write_text(manifest_text(20, ("oracle",), name="other") + claims)
    shown = inside("claims", cwd=project, check=0).stdout
    assert "Table a" not in shown
    way = "3 by `harness claims --run manifests/other.yaml`"
    assert shown.splitlines() == ["3 claims: 0 met, 0 missed, 3 not run", f"reliability: 3 not seen here: {way}"]
    of_one = inside("claims", "manifests/other.yaml", cwd=project, check=0).stdout.splitlines()
    assert of_one == [
        "other: 3 not run: needs a lock (--rows shows each)", *shown.splitlines()
    ]  # fmt: skip
    assert "Table a" in inside("claims", "--rows", cwd=project, check=0).stdout
    assert len(inner_data("claims", cwd=project)["claims"]) == 3


def test_runs_are_listed_and_a_run_can_be_foreseen(project: Path) -> None:
    inside("run", SMALL, "--limit", "3", cwd=project, check=0)
    found = inner_data("runs", cwd=project)
    assert [(run["manifest"], run["status"], run.get("limit", 0)) for run in found["runs"]] == [
        ("small", "done", 3),
        ("small", "done", 0),
    ]
    assert inner_data("runs", "--most", "1", cwd=project)["more"] == 1
    assert inner_data("runs", "nothing", cwd=project)["runs"] == []
    [seen] = inner_data("run", "-n", SMALL, cwd=project)["runs"]
    assert sum(stage["executed"] for stage in seen["stages"]) == 0
    (project / SMALL).write_text(manifest_text(20, ("oracle", "empty")))
    inside("lock", SMALL, cwd=project, check=0)
    [seen] = inner_data("run", "-n", SMALL, cwd=project)["runs"]
    before = len(inner_data("runs", cwd=project)["runs"])
    [run] = inner_data("run", SMALL, cwd=project)["runs"]
    assert sum(stage["executed"] for stage in seen["stages"]) == run["steps"]["executed"] > 0
    assert len(inner_data("runs", cwd=project)["runs"]) == before + 1


def test_the_version_and_completion_are_there(tmp_path: Path) -> None:
    assert inside("--version", cwd=tmp_path, check=0).stdout.startswith("harness 0.")
    asked = {"_HARNESS_COMPLETE": "complete_bash", "COMP_WORDS": "harness au", "COMP_CWORD": "1"}
    done = subprocess.run(command(), cwd=tmp_path, env=clean_env(asked), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["audit"])
