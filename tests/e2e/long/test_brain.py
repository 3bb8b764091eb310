"""The study `brain` from manifest to page: what comes out twice, what an audit makes again, threads, generations."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY, data_of, error_of, harness, journals, outputs_of
from support_draws import drawn
from support_inside import inside

from harness.evidence.audit.checks import Report
from harness.run.environment import count_cores
from harness.run.recording.auditing import audit_run
from harness.verbs import accepting

needs("torch", "scipy", "matplotlib", "transformers")
pytestmark = pytest.mark.together
MADE = ("performance", "choices", "stars", "omega", "tests", "sizes", "report.html", "small.counts")
TINY = {"provider": "transformers", "source": "assets/tiny-shaped", "batch": "reference", "facts": {"layers": "3"}}
SMALL = {"make": "brain.simulated", "world": "default", "seed": 1, "categories": 4, "units": 6, "participants": 2}


def project(folder: Path, settings: Mapping[str, Any] | None = None, **more: Any) -> Path:
    """Lay out a project with one manifest of one small world."""
    manifest = {
        "harness": 2, "study": "brain", "name": "m", "about": "A small world.", "datasets": {"small": SMALL},
        "settings": {"generation": "P", "iterations": 15, "sigmas": "1.0, 2.2", "families": 4, **(settings or {})},
        "resources": {"gpus": 0, "memory": "2GiB", "timeout": "10m"},
        "outputs": {name: {"within": "1e-4"} for name in MADE if "." not in name} | {"small.counts": "exact"},
    } | more  # fmt: skip
    (folder / "manifests").mkdir(parents=True)
    (folder / "lockfiles").mkdir()
    (folder / "manifests" / "m.yaml").write_text(json.dumps(manifest, indent=1))  # JSON is YAML
    return folder


def ran(folder: Path, *words: str) -> Any:
    harness("lock", "manifests/m.yaml", cwd=folder, check=0)
    return data_of("run", "manifests/m.yaml", *words, cwd=folder)


def document(folder: Path, name: str) -> Any:
    harness("get", "last", name, "-o", f"{name}.got", cwd=folder, check=0)
    return json.loads((folder / f"{name}.got").read_bytes())


@dataclass
class Accepted:
    """A project whose run was accepted, and the audit by which it was: that of `harness audit`, with all made again."""

    folder: Path
    report: Report


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Accepted:
    folder = project(tmp_path_factory.mktemp("brain") / "p")
    ran(folder)
    with pytest.MonkeyPatch.context() as patch:
        reports: list[Report] = []
        patch.setattr(accepting, "audit_run", lambda *of, **how: reports.append(audit_run(*of, **how)) or reports[-1])
        inside("lock", "--accept", "last", cwd=folder, check=0)
    return Accepted(folder, *reports)


@pytest.fixture
def small(accepted: Accepted) -> Path:
    return accepted.folder


def test_everything_is_made_and_two_runs_agree(small: Path) -> None:
    again = data_of("run", "manifests/m.yaml", cwd=small)  # each step was made twice by then: run, and accepted
    assert again["runs"][0]["verdict"] == "agreed" and set(MADE) <= set(outputs_of(again))
    levels = [one["level"] for one in again["runs"][0]["outputs"] if one["name"] == "performance"]
    assert levels == [{"within": "1e-4"}]


def test_an_audit_makes_analyses_and_fits_again_and_trusts_nothing(accepted: Accepted) -> None:
    assert accepted.report.verdict == "agreed"
    assert not [check for check in accepted.report.checks if check.verdict == "fail"]
    covered = accepted.report.coverage
    assert covered and covered.again == covered.steps and covered.trusted == {} and "on trust" not in covered.text()


def test_contiguous_oasm_is_about_0_and_shuffled_oasm_is_not(small: Path) -> None:
    splits = document(small, "performance")["datasets"]["small"]["splits"]
    assert splits["shuffled"]["OASM@2.2"]["r2"] > 0.1 > abs(splits["contiguous"]["OASM@2.2"]["r2"])


def test_the_page_shows_both_splits_and_says_whose_recordings_they_are(small: Path) -> None:
    harness("get", "last", "report.html", "-o", "page.html", cwd=small, check=0)
    page = (small / "page.html").read_text(encoding="utf-8")
    assert "simulated" in page and "not proof" in page and "contiguous" in page and "shuffled" in page


def test_a_further_model_fits_that_model_and_no_other(small: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(small, tmp_path / "p")
    shutil.copytree(REPOSITORY / "assets" / "tiny-shaped", folder / "assets" / "tiny-shaped")
    manifest = folder / "manifests" / "m.yaml"
    models: dict[str, Any] = {}
    executed: list[list[str]] = []
    added: dict[str, dict[str, Any]] = {
        "first": {},
        "second": {"facts": {"layers": "3", "pool": "last"}},
        "drawn": {"untrained": 1},
    }
    for name, more in added.items():
        models[name] = {**TINY, **more}
        manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"models": models}))
        ran(folder)
        *_, events = journals(folder / ".harness")
        done = [event["step"] for event in events if event["event"] == "step.done"]
        executed.append(sorted(step for step in done if step.startswith(("fit/", "hidden/", "best/"))))
        assert not [event for event in events if event["event"] == "step.log" and "progress:" in event["text"]]
    kinds = ["best/small/{}/", "fit/small/{}/joint/", "fit/small/{}/text/"]
    fitted = [kind.format(split) for kind in kinds for split in ("contiguous", "shuffled")]
    assert executed == [sorted(f"{step}{name}" for step in (*fitted, "hidden/small/")) for name in models]


@pytest.mark.skipif(count_cores() < 2, reason="one core alone")
def test_two_threads_are_another_run_whose_first_difference_is_numerics(small: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(small, tmp_path / "p")
    shutil.rmtree(folder / "lockfiles" / "manifests")  # what one thread gave is not expected of two
    manifest = folder / "manifests" / "m.yaml"
    manifest.write_text(manifest.read_text().replace('"timeout": "10m"', '"timeout": "10m", "threads": 2'))
    ran(folder)
    first = min(path.name for path in (folder / ".harness" / "runs").iterdir())
    parted = data_of("diff", first, "last", cwd=folder, check=None)
    assert parted["first"]["stage"] == "numerics" and parted["level"] in {"bytes", "decisions", "numbers"}
    done = [event for events in journals(folder / ".harness") for event in events if event["event"] == "step.done"]
    fits = [event["facts"]["threads"] for event in done if event["step"].startswith("fit/")]
    assert fits == [1, 1, 2, 2]  # both splits, made again since their keys name the threads


def test_generation_h_fits_by_its_own_rules(tmp_path: Path) -> None:
    folder = project(tmp_path / "p", {"generation": "H", "sigmas": "2.2"})
    ran(folder)
    found = document(folder, "performance")
    assert found["generation"] == "H" and "OASM@2.2!plain" in found["datasets"]["small"]["splits"]["contiguous"]
    assert "SP&SL+LLM" in found["datasets"]["small"]["splits"]["contiguous"]


def test_fewer_iterations_than_subsets_are_refused_before_anything_runs(tmp_path: Path) -> None:
    folder = project(tmp_path / "p", {"iterations": 14})
    done = harness("lock", "manifests/m.yaml", "--json", cwd=folder, check=2)
    assert "15 subsets" in error_of(done)["what"]


def test_words_of_sentences_go_the_whole_way(tmp_path: Path) -> None:
    small = {name: value for name, value in SMALL.items() if name != "categories"}
    words = {**small, "layout": "fedorenko", "sentences": 24}
    folder = project(tmp_path / "p", {"iterations": 3}, datasets={"small": words})
    assert set(MADE) <= set(outputs_of(ran(folder)))
    splits = document(folder, "performance")["datasets"]["small"]["splits"]
    assert splits["shuffled"]["OASM@2.2"]["r2"] > splits["contiguous"]["OASM@2.2"]["r2"] + 0.05


@pytest.mark.nightly  # one step by himalaya is held to ours in `tests/studies/brain/fitting/test_himalaya_step.py`
@pytest.mark.exhaustive
@pytest.mark.parametrize("solver", drawn(["himalaya", "himalaya-torch"], 1))
def test_a_run_by_himalaya_gives_the_documents_of_ours_within_a_tolerance(tmp_path: Path, solver: str) -> None:
    needs("himalaya")
    settings = {"dtype": "float64", "generation": "P", "simple": "pereira=SP&SL", "iterations": 7}
    theirs = project(tmp_path / "its", {**settings, "solver": solver})
    ours = project(tmp_path / "ours", settings)
    for folder in (theirs, ours):
        ran(folder)
    harness("lock", "--accept", "last", cwd=theirs, check=0)  # an audit makes all of it again, and agrees
    again = data_of("run", "manifests/m.yaml", cwd=theirs)["runs"][0]
    assert again["verdict"] == "agreed"
    assert {one["name"]: one["level"] for one in again["outputs"]}["performance"] == {"within": "1e-4"}
    for name in (name for name in MADE if "." not in name):
        assert_near(document(theirs, name), document(ours, name), name)


def assert_near(one: Any, other: Any, where: str) -> None:
    """Hold two documents against each other: equal but for decimals, which are within 1e-9."""
    if isinstance(one, Mapping):
        assert list(one) == list(other), where
        for key in one:
            assert_near(one[key], other[key], f"{where}/{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), where
        for place, each in enumerate(one):
            assert_near(each, other[place], f"{where}/{place}")
    else:
        assert one == (pytest.approx(other, rel=1e-9, abs=1e-9) if isinstance(one, float) else other), where
