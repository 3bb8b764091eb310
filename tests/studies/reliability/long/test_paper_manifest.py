"""The manifest of the whole study: it loads, it plans, its models are the table's, and every claim leads somewhere."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY, data_of, error_of, harness

from harness import rows
from harness.evidence.claims.claims import PointerReader
from harness.manifest.datasets import Fetched, Made
from harness.manifest.load import LoadedManifest, load_manifest
from harness.manifest.lockfile import Lock
from harness.run.lock import static_pins
from harness.run.planning.plan import check_manifest, make_plan
from harness.steps import Plan
from harness.studies.reliability.benchmarks import TASKS
from harness.studies.reliability.models import MODELS

PAPER = REPOSITORY / "manifests" / "paper" / "reliability.yaml"
# docs/reliability-rules.md#shape: instances, of science by subset; 139,905 prompts in 15 wordings.
PUBLISHED = {"addition": 3142, "anagram": 1570, "locality": 2341, "obqa": 1000, "gpqa": 544, "transforms": 730}
PEOPLE = 60
DIGEST = "ab" * 32


@pytest.fixture(scope="module")
def paper() -> LoadedManifest:
    return load_manifest(PAPER)


@pytest.fixture(scope="module")
def planned(paper: LoadedManifest) -> Plan:
    """Plan it as if everything were there: data with the published counts, tapes, weights."""
    pins = static_pins(paper)
    datasets: dict[str, Any] = {
        name: {"items": {"sha256": DIGEST, "rows": PUBLISHED.get(name, PEOPLE)}}
        for name, each in paper.manifest.datasets.items()
        if isinstance(each, Made)
    }
    datasets |= {
        name: {"sha256": DIGEST} for name, each in paper.manifest.datasets.items() if isinstance(each, Fetched)
    }
    pins["models"] = {
        name: {"sha256": DIGEST, **({"files": {"model.safetensors": DIGEST}} if local else {"tape": DIGEST})}
        for name, local in ((name, bool(each.weights)) for name, each in paper.manifest.models.items())
    }
    lock = Lock(paper.manifest.intent(), paper.sha256, {**pins, "datasets": datasets})
    return make_plan(check_manifest(paper), lock)


def test_its_models_are_those_of_the_table_with_the_same_facts(paper: LoadedManifest) -> None:
    found = paper.manifest.models
    assert list(found) == [model.name for model in MODELS] and len(found) == 32
    assert {name: model.facts for name, model in found.items()} == {model.name: model.facts() for model in MODELS}
    for model in MODELS:
        told = found[model.name]
        assert told.provider == model.access.provider
        assert (told.source == f"hf:{model.access.id}") if told.weights else told.model == model.access.id


def test_what_nobody_has_pinned_says_why_and_pretends_nothing(paper: LoadedManifest) -> None:
    local = [model for model in paper.manifest.models.values() if model.weights]
    fetched = [each for each in paper.manifest.datasets.values() if isinstance(each, Fetched)]
    assert len(local) == 22 and len(fetched) == 8
    assert all(model.unresolved or model.revision for model in local)
    assert all(each.unresolved or each.sha256 for each in fetched)


def test_it_plans_every_model_on_every_benchmark(planned: Plan, paper: LoadedManifest) -> None:
    names = [step.name for step in planned.steps]
    answered = {tuple(name.split("/")[::2][:2]) for name in names if "/responses/" in name}
    assert answered == {(dataset, model) for dataset in PUBLISHED for model in paper.manifest.models}
    assert not any(step.sees_gold for step in planned.steps if step.stage == "responses")
    assert set(paper.manifest.outputs) <= set(planned.outputs)
    assert sum(PUBLISHED.values()) == 9327 and 15 * sum(PUBLISHED.values()) == 139_905
    shards = Counter(name.split("/")[0] for name in names if "/responses/llama-7b/" in name)
    cut = {step.name.split("/")[0]: step.params for step in planned.steps if step.name.endswith("/items")}
    assert {name: each["rows"] for name, each in cut.items()} == PUBLISHED
    assert shards == {name: -(-each["rows"] // each["size"]) for name, each in cut.items()}


def test_every_published_count_is_claimed(paper: LoadedManifest) -> None:
    claimed = {claim.of: claim.published for claim in paper.manifest.claims if claim.published}
    assert claimed == {
        **{f"counts#/{name}/kept": str(count) for name, count in PUBLISHED.items()},
        "proportions#/asked/benchmarks/science/items": "1544",
        "proportions#/asked/pairs": "139905",
    }


def made_up(folder: Path, models: list[str]) -> dict[str, Path]:
    """Write what the analyses read: labels that move with difficulty, wordings, and answers of two people."""
    labels = {item: "c" * (13 - item // 3) + "a" * (1 + item // 6) for item in range(30)}
    items = [(task, f"{task}-{item:05d}", item) for task in TASKS for item in labels]
    told: dict[str, Any] = {
        "labels": [
            {
                "model": model, "item": name, "benchmark": task, "subset": task, "difficulty": 3.0 * item,
                "calibrated": False, "labels": labels[item].ljust(15, "i"), "truncated": 0, "errors": 0,
                "avoidance": {"ethical": 0, "epistemic": 0, "non_conforming": 1 + item // 6},
            }
            for task, name, item in items for model in sorted(models)
        ],
        "templates": [{task: list(range(1, 16)) for task in TASKS}],
        "s1": [
            {"participant_id": who, "benchmark": task, "instance_id": name, "answer_label": "c", "confidence": 50,
             "expected_failure": 3.0 * item + 1}
            for who in ("p1", "p2") for task, name, item in items
        ],
        "s2": [
            {"participant_id": who, "benchmark": task, "instance_id": name, "model": models[0], "template": template,
             "verdict": "c"}
            for who in ("p1", "p2") for task, name, _ in items for template in (1, 15)
        ],
    }  # fmt: skip
    for name, table in told.items():
        rows.write(folder / name, table)
    return {name: folder / name for name in told}


@pytest.mark.long
def test_every_claim_leads_to_a_number_in_the_documents_of_a_run(
    paper: LoadedManifest, planned: Plan, tmp_path: Path
) -> None:
    inputs = made_up(tmp_path, list(paper.manifest.models))
    steps = {step.name: step for step in planned.steps}
    pointed = {pointer.partition("#")[0] for claim in paper.manifest.claims for pointer in claim.pointers}
    assert pointed == {"counts", "proportions", "indicators", "breakdowns", "people"}
    for name in sorted(pointed - {"counts"}):
        module, _, function = steps[name].kind.partition(":")
        given = {each: inputs[each] for each in steps[name].inputs if each in inputs}
        resampled = {"resamples": 20} if "resamples" in steps[name].params else {}
        getattr(import_module(module), function)({**steps[name].params, **resampled}, given, tmp_path)
    rows.write_one(tmp_path / "counts", {name: {"kept": count} for name, count in PUBLISHED.items()})
    documents = PointerReader({name: {"sha256": name} for name in pointed}, tmp_path.joinpath)
    for claim in paper.manifest.claims:
        for pointer in claim.pointers:
            found = documents.at(pointer)
            assert found.number is not None, f"{claim.id}: {pointer}: {found.lacks or found.flaw}"


def test_claims_lists_every_claim_with_what_it_needs_and_is_no_miss(paper: LoadedManifest, tmp_path: Path) -> None:
    words = ("claims", "manifests/paper/reliability.yaml", "--store", tmp_path / "none")
    here = data_of(*words, cwd=REPOSITORY, check=0)["claims"]
    assert [row["id"] for row in here] == [claim.id for claim in paper.manifest.claims]
    assert all(row["verdict"].startswith("not run: needs ") for row in here)


def test_once_locked_each_claim_says_what_it_waits_for_and_names_all(paper: LoadedManifest, tmp_path: Path) -> None:
    (tmp_path / "lockfiles").mkdir()
    (tmp_path / "manifests").mkdir()
    shutil.copy(PAPER, tmp_path / "manifests")
    harness("lock", "manifests/reliability.yaml", cwd=tmp_path, check=0)
    found = data_of("claims", "manifests/reliability.yaml", cwd=tmp_path, check=0)["claims"]
    assert len(found) == len(paper.manifest.claims)
    for row, claim in zip(found, paper.manifest.claims, strict=True):
        assert (row["verdict"], row["value"]) == (f"not run: needs {claim.waits}", None)
        needs = row["detail"].split(", ")
        assert {f"models.{name}" for name in paper.manifest.models} <= set(needs)
        assert {"datasets.cities", "datasets.gpqa-extended", "datasets.reliabilitybench"} <= set(needs), row["id"]
        # what the claim itself is about comes first
        of = row["of"] if isinstance(row["of"], list) else [row["of"]]
        own = {f"models.{name}" for pointer in of for name in pointer.split("/") if name in paper.manifest.models}
        assert set(needs[: len(own)]) >= own or len(own) > 20
    run = harness("run", "manifests/reliability.yaml", "--json", cwd=tmp_path, check=3)
    assert re.match(r"[0-9]+ pins are unresolved: .*; and [0-9]+ more$", error_of(run)["what"])
