"""A package that a step needs and this Python lacks is named before any step, with what brings it."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY, judging_here, small_project

from harness.cli.main import run_command_line
from harness.errors import MissingError
from harness.manifest.load import load_manifest
from harness.run.closure import Code
from harness.run.engines import EXTRAS, find_missing, find_missing_extra, require_packages
from harness.run.service import plan_locked
from harness.steps import Step

CORE = {"jinja2", "numpy", "pydantic", "pydantic_core", "rfc8785", "rich", "typer", "yaml"}
DEMOS = sorted((REPOSITORY / "manifests" / "demo").glob("*.yaml"))


def steps_of(manifest: Path) -> tuple[Step, ...]:
    return tuple(plan_locked(load_manifest(manifest))[1].steps)


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let packages be missing."""
    find = importlib.util.find_spec

    def remove(*names: str) -> None:
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name, *more: None if name in names else find(name, *more)
        )

    return remove


@pytest.mark.parametrize("demo", DEMOS, ids=lambda path: path.stem)
def test_each_package_that_a_step_imports_is_of_the_core_or_of_an_extra(demo: Path) -> None:
    code = Code()
    known = CORE.union(*EXTRAS.values())
    assert {package for step in steps_of(demo) for package in code.packages(step.kind)} <= known


def test_the_core_is_enough_for_a_demo_and_for_questions_that_are_compared(without: Any) -> None:
    without(*(package for brought in EXTRAS.values() for package in brought))
    require_packages(steps_of(REPOSITORY / "manifests" / "demo" / "addition.yaml"))
    lacks = [lack.what for lack in find_missing(steps_of(REPOSITORY / "manifests" / "demo" / "biomed.yaml"))]
    assert any("polars" in what for what in lacks) and any("scipy" in what for what in lacks)


def test_a_missing_package_is_named_with_its_extra(without: Any) -> None:
    without("polars")
    with pytest.raises(MissingError, match="needs the package polars, which is not installed") as met:
        require_packages(steps_of(REPOSITORY / "manifests" / "demo" / "biomed.yaml"))
    assert met.value.code == 3 and "pip install 'repro-harness[science]'" in met.value.next


def test_a_file_that_may_be_parquet_needs_polars_only_where_it_is(without: Any) -> None:
    """Its maker says itself what it lacks, and the last words of a step tell which extra brings it."""
    maker = Step("mine/make", "harness.studies.questions.data.maker:make", "rows", {}, {}, ("items",))
    assert "polars" in Code().packages(maker.kind)
    without("polars")
    require_packages([maker])
    found = find_missing_extra(
        "mine/make", "MissingError: the package polars is not installed, which reads", maker.kind
    )
    assert found and "repro-harness[tables]" in found.next


def test_a_step_that_asks_at_a_provider_loads_none_of_the_providers_own_packages() -> None:
    """Their import takes longer than many a step; the gateway, which reaches the provider, loads them once."""
    code = Code()
    for provider in ("openai", "anthropic"):
        needed = code.packages(f"harness.models.providers.{provider}:respond")
        assert "httpx2" in needed and not needed & {"openai", "anthropic"}


def test_the_last_words_of_a_step_tell_a_package_of_an_extra_and_no_other() -> None:
    found = find_missing_extra("page", "ModuleNotFoundError: No module named 'scipy.stats'", "kind")
    assert found and "scipy" in found.what
    assert find_missing_extra("page", "ModuleNotFoundError: No module named 'scipi'", "kind") is None
    assert find_missing_extra("page", "no such thing", "kind") is None


@pytest.mark.long
def test_a_solver_that_is_not_installed_is_told_by_lock_and_refused_by_run(
    without: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "manifests").mkdir()
    (tmp_path / "lockfiles").mkdir()
    world = {"make": "brain.simulated", "world": "default", "seed": 1, "categories": 2, "units": 2, "participants": 1}
    manifest = {
        "harness": 2, "study": "brain", "name": "m", "about": "A small world.", "datasets": {"small": world},
        "settings": {"iterations": 15, "sigmas": "2.2", "families": 1, "dtype": "float64", "solver": "himalaya"},
        "resources": {"gpus": 0, "memory": "2GiB", "timeout": "10m"},
        "outputs": {"performance": {"within": "1e-6"}},
    }  # fmt: skip
    (tmp_path / "manifests" / "m.yaml").write_text(json.dumps(manifest))  # JSON is YAML
    monkeypatch.chdir(tmp_path)
    without("himalaya")
    assert run_command_line(["lock", "manifests/m.yaml"]) == 0
    told = " ".join("".join(capsys.readouterr()).split())
    assert "himalaya" in told and "repro-harness[brain]" in told
    assert run_command_line(["run", "manifests/m.yaml"]) == 3
    told = " ".join("".join(capsys.readouterr()).split())
    assert "needs the package himalaya, which is not installed" in told and "repro-harness[brain]" in told


@pytest.mark.long
def test_reproduce_goes_on_with_the_rest_and_ends_with_3(
    without: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small_project(tmp_path / "project", models=("oracle",))
    monkeypatch.chdir(tmp_path / "project")
    other = Path("manifests/other.yaml")
    shutil.copy("manifests/small.yaml", other)
    other.write_text(other.read_text().replace("name: small", "name: other"))
    for words in (["lock", str(other)], ["run", "manifests/small.yaml"]):
        assert run_command_line(words) == 0
    [ran] = [path.name for path in Path(".harness/runs").iterdir()]
    with judging_here():
        assert run_command_line(["lock", "--accept", ran]) == 0
    capsys.readouterr()

    def lacking(loaded: Any, *_: object) -> None:
        if loaded.manifest.name == "other":
            raise MissingError("this machine lacks something", next="get it")

    monkeypatch.setattr("harness.run.service.require_runnable", lacking)
    assert run_command_line(["reproduce", "--json", str(other), "manifests/small.yaml"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert told["left_out"] == [{"manifest": "other", "what": "this machine lacks something", "next": "get it"}]
    assert [one["manifest"] for one in told["runs"]] == ["small"]
    assert run_command_line(["reproduce", str(other)]) == 3
    assert "this machine lacks something" in capsys.readouterr().err
