"""The manifests of the published study: what they pin, what they plan, and that every claim leads to its number."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from studies.biomed.measures.answer_rows import graded, item, score
from studies.biomed.measures.answer_rows import made as made_document
from support import REPOSITORY
from support_biomed_data import BIOMED, TEMPLATE_ROWS
from support_inside import inner_data

from harness import rows
from harness.digest import sha256
from harness.evidence.claims.claims import PointerReader
from harness.manifest.datasets import Fetched, Made
from harness.manifest.documents import ModelPin
from harness.manifest.load import LoadedManifest, load_manifest
from harness.manifest.lockfile import Lock
from harness.run.lock import static_pins
from harness.run.planning.plan import check_manifest, make_plan
from harness.steps import Plan
from harness.studies.biomed.asking import BY_GRADER
from harness.studies.biomed.measures import dataset, performance, published, texts
from harness.studies.biomed.terms import CONFIG_SHA256
from harness.studies.biomed.terms import REPOSITORY as OFFICIAL

DIGEST = "ab" * 32
PRINTED = REPOSITORY / "harness" / "studies" / "biomed" / "tables" / "published@1.csv"
TEMPLATES_COMMIT = "dc33d16adc84fdda818e8620d6804aa40c1766b4"  # of the history, where the rows of templates stand
COSTS = re.compile(r"published#/costs/([\w.-]+)/computed")
RATES = re.compile(rf"performance#/graders/{BY_GRADER}/models/([\w.-]+)/rates/(\w+)/value")
TEXTS = re.compile(r"texts#/metrics/(\w+)/([\w.-]+)/value")
ENDS = re.compile(
    rf"(?:performance#/graders/{BY_GRADER}/models/([\w.-]+)/rates/(\w+)|texts#/metrics/(\w+)/([\w.-]+))"
    r"/official/interval/([01])"
)
Cells = Mapping[tuple[str, str, str], str]


def paper(name: str) -> LoadedManifest:
    return load_manifest(REPOSITORY / "manifests" / "paper" / f"{name}.yaml")


def demo() -> LoadedManifest:
    return load_manifest(REPOSITORY / "manifests" / "demo" / "biomed.yaml")


def planned(loaded: LoadedManifest) -> Plan:
    """Plan a manifest as if everything were there: the published file, tapes, weights."""
    pins, datasets = static_pins(loaded), loaded.manifest.datasets
    made: dict[str, Any] = {
        name: {"items": {"sha256": DIGEST, "rows": 10}} for name, each in datasets.items() if isinstance(each, Made)
    }
    one: dict[str, Any] = {name: {"sha256": DIGEST} for name, each in datasets.items() if isinstance(each, Fetched)}
    pinned: Mapping[bool, ModelPin] = {True: {"files": {"model.safetensors": DIGEST}}, False: {"tape": DIGEST}}
    pins["models"] = {
        name: {"sha256": DIGEST, **pinned[bool(model.weights)]} for name, model in loaded.manifest.models.items()
    }
    pins["instruments"] = {name: {"sha256": DIGEST, "tape": DIGEST} for name in loaded.manifest.instruments}
    tables = ("abstentions", "published", "defects")
    pins["tables"] = {f"biomed/{name}@1": {"sha256": DIGEST, "file": f"{name}@1.csv"} for name in tables}
    lock = Lock(loaded.manifest.intent(), loaded.sha256, {**pins, "datasets": {**made, **one}})
    return make_plan(check_manifest(loaded), lock)


def cells(path: Path) -> Cells:
    """Give the printed numbers by table, model and metric."""
    with open(path, encoding="utf-8", newline="") as file:
        return {(row["table"], row["model"], row["metric"]): row["value"] for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def whole() -> LoadedManifest:
    return paper("biomed")


@pytest.fixture(scope="module")
def steps(whole: LoadedManifest) -> Plan:
    return planned(whole)


def test_the_models_are_the_seven_of_table_s11_and_none_pretends_to_a_pin(whole: LoadedManifest) -> None:
    models = whole.manifest.models
    assert set(models) == {model for table, model, _ in cells(PRINTED) if table == "S11_bioscore"}
    local = {name for name, model in models.items() if model.weights}
    assert local == {"gemma-2-27b-it", "llama-3.1-70b-it"} and all(models[name].unresolved for name in local)
    remote = [model for name, model in models.items() if name not in local]
    assert {model.tape for model in (*remote, whole.manifest.instruments["grader"].model)} == {"replay"}


def test_a_model_has_the_printed_prices_where_table_s4_prints_its_own(whole: LoadedManifest) -> None:
    priced = {model for table, model, metric in cells(PRINTED) if (table, metric) == ("S4_cost", "total_cost_usd")}
    named = {model.facts.get("priced_as") for model in whole.manifest.models.values()} - {None}
    assert named == priced - {"bioscore-gpt-4o", "total"} and len(named) == 4


def test_the_questions_are_unresolved_and_the_published_prompts_pinned(whole: LoadedManifest) -> None:
    questions, config = whole.manifest.datasets["questions"], whole.manifest.datasets["config"]
    assert isinstance(questions, Fetched) and isinstance(config, Fetched)
    assert questions.unresolved and not questions.sha256
    assert config.sha256 == CONFIG_SHA256
    assert config.fetch == f"https://raw.githubusercontent.com/{'/'.join(OFFICIAL)}/configs/default_config.yaml"


def test_the_whole_study_is_asked_and_graded_in_paper_mode(whole: LoadedManifest, steps: Plan) -> None:
    asked = {step.name.split("/")[2] for step in steps.steps if step.name.startswith("test/responses/")}
    assert asked == set(whole.manifest.models)
    scored = {step.params["mode"] for step in steps.steps if "/scores/" in step.name}
    assert scored == {"paper"} and set(whole.manifest.outputs) <= set(steps.outputs)
    graders = [step for step in steps.steps if "/judgements/grader/" in step.name and "grading_prompt" in step.inputs]
    assert graders, "the grader is asked with the published wording"


@pytest.mark.skipif(not TEMPLATE_ROWS.is_file(), reason="the real questions are not here")
def test_the_rows_of_templates_are_pinned_by_the_file_at_hand() -> None:
    pinned = paper("biomed-templates").manifest.datasets["templates"]
    assert isinstance(pinned, Fetched)
    assert pinned.sha256 == sha256(TEMPLATE_ROWS.read_bytes())
    assert f"/{OFFICIAL[0]}/{TEMPLATES_COMMIT}/" in pinned.fetch


def test_the_rows_of_templates_are_asked_of_stand_ins_without_a_network() -> None:
    found = paper("biomed-templates")
    steps = planned(found)
    assert {model.provider for model in found.manifest.models.values()} == {"baseline"}
    assert not any(step.calls or step.infers for step in steps.steps)
    assert {step.params["mode"] for step in steps.steps if "/scores/" in step.name} == {"strict"}
    assert set(found.manifest.outputs) <= set(steps.outputs)


def documents(loaded: LoadedManifest, folder: Path) -> PointerReader:
    """Make up a run of every model, and give its documents."""
    grades = (3, 2, 1, 0, -1)
    scores = [
        row for model in loaded.manifest.models for row in graded("T05", grades, model, scorer=BY_GRADER, mode="paper")
    ]
    folder.mkdir()
    found = {
        "performance": made_document(folder, performance.analyse, scores, mode="paper", graders=[BY_GRADER]),
        "published": made_document(folder, published.analyse, [], items=[item("T05.1")], tables={"published": PRINTED}),
    }
    metrics = {"BLEU": 0.1, "ROUGE2": 0.1, "ROUGEL": 0.2}
    worded = [
        score(row["item"], "3", row["model"], scorer=scorer, mode="paper", value=0.2, metrics=own)
        for row in scores
        for scorer, own in (("text", metrics), ("bertscore", {"BERTScore": 0.8}))
    ]
    found["texts"] = made_document(folder, texts.analyse, worded, mode="paper", graders=[BY_GRADER])
    found["dataset"] = made_document(folder, dataset.analyse, scores)
    for name, document in found.items():
        rows.write_one(folder / name, document)
    return PointerReader({name: {"sha256": name} for name in found}, folder.joinpath)


def test_every_claim_leads_to_a_number_in_the_documents_of_a_run(whole: LoadedManifest, tmp_path: Path) -> None:
    ends, texts_and_ends = 2 * 28, 3 * 28
    assert len(whole.manifest.claims) == 28 + 7 + 6 + ends + 1 + texts_and_ends + 1
    reader = documents(whole, tmp_path / "made-up")
    for claim in whole.manifest.claims:
        for pointer in claim.pointers:
            found = reader.at(pointer)
            assert found.number is not None, f"{claim.id}: {pointer}: {found.lacks or found.flaw}"


def test_what_is_said_of_the_printed_numbers_alone_is_met(whole: LoadedManifest, tmp_path: Path) -> None:
    reader = documents(whole, tmp_path / "made-up")
    for loaded in (whole, demo()):
        said = [claim for claim in loaded.manifest.claims if claim.of.startswith("published#")]
        assert len(said) == 7 + 6
        for claim in said:
            number, printed, within = reader.at(str(claim.of)).number, claim.published, claim.within
            assert number is not None and printed is not None and within is not None
            assert abs(number - Decimal(printed)) <= Decimal(within), claim.id


def claimed(claims: Iterable[Any]) -> dict[tuple[str, str, str], str]:
    """Give what claims say was printed, by table, model and metric."""
    told = {}
    for claim in claims:
        if rate := RATES.fullmatch(claim.of):
            told["S11_bioscore", rate[1], rate[2]] = claim.published
        elif text := TEXTS.fullmatch(claim.of):
            told["S11_nlp", text[2], text[1]] = claim.published
        elif cost := COSTS.fullmatch(claim.of):
            told["S4_cost", cost[1], "total_cost_usd"] = claim.published
    return told


@pytest.mark.skipif(not BIOMED.is_dir(), reason="the shared table is not here")
def test_a_claimed_number_is_the_one_printed_for_its_model_and_metric(whole: LoadedManifest) -> None:
    printed = cells(BIOMED / "published_tables.csv")
    told = claimed(whole.manifest.claims)
    assert len(told) == 28 + 6 + 28
    assert {key: Decimal(value) for key, value in told.items()} == {key: Decimal(printed[key]) for key in told}
    assert all(claim.within == "0.005" for claim in whole.manifest.claims if RATES.fullmatch(str(claim.of)))


@pytest.mark.skipif(not BIOMED.is_dir(), reason="the shared table is not here")
def test_a_claimed_end_of_an_interval_is_the_one_printed_and_the_abstracts_other_one_stands_beside_it(
    whole: LoadedManifest,
) -> None:
    with open(BIOMED / "published_tables.csv", encoding="utf-8", newline="") as file:
        printed = {
            (row["model"], row["metric"], end): Decimal(row[column])
            for row in csv.DictReader(file)
            if row["table"].startswith("S11_")
            for end, column in enumerate(("ci_low", "ci_high"))
        }
    told, other = {}, []
    for claim in whole.manifest.claims:
        if end := ENDS.fullmatch(str(claim.of)):
            key = (end[1] or end[4], end[2] or end[3], int(end[5]))
            if str(claim.id).startswith("abstract-"):
                other.append((key, claim.published, printed[key]))
            else:
                told[key] = Decimal(str(claim.published))
    assert told == printed and len(told) == 2 * (28 + 28)
    assert other == [(("gpt-4o", "SR", 1), "0.32", Decimal("0.31"))]


def test_claims_say_what_they_need_before_anything_ran(whole: LoadedManifest, tmp_path: Path) -> None:
    words = ("claims", "manifests/paper/biomed.yaml", "--store", tmp_path / "none")
    found = inner_data(*words, cwd=REPOSITORY, check=0)["claims"]
    assert [row["id"] for row in found] == [claim.id for claim in whole.manifest.claims]
    assert all(row["verdict"].startswith("not run") for row in found)


def test_every_step_of_the_three_plans_is_code_that_is_there() -> None:
    for loaded in (paper("biomed"), paper("biomed-templates"), demo()):
        for kind in {step.kind for step in planned(loaded).steps}:
            module, _, function = kind.partition(":")
            assert callable(getattr(import_module(module), function)), kind
