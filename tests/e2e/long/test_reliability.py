"""The whole study on a small scale: five benchmarks, stand-ins, every analysis, figures, cards and the page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support import outputs_of
from support_draws import drawn
from support_reliability_project import Project
from support_slices import require_equal_slices

from harness.studies.reliability.benchmarks import TASKS

pytestmark = pytest.mark.together  # one worker makes the run that most of them read
MODELS = ("oracle", "noisy-oracle", "refuser", "forger", "shotgun")
FEW = ("oracle", "noisy-oracle", "refuser")  # right always, now and then, and silent always
FIGURES = ("figure-1.svg", "figure-2.svg", "figure-3.svg", "figure-4.svg", "figure-templates.svg")
DOCUMENTS = (
    "templates", "proportions", "checks", "indicators", "sensitivity", "breakdowns", "comparisons", "scaling", "people",
)  # fmt: skip
OUTPUTS = (
    "items", "gold", "prompts", "responses", "scores", "counts", "labels", *DOCUMENTS, *FIGURES,
    *(name.replace(".svg", ".png") for name in FIGURES), *(f"card-{name}.html" for name in MODELS), "report.html",
)  # fmt: skip
DATASETS = (
    "addition: {make: reliability.addition, seed: 7, count: 12}",
    "anagram: {make: reliability.anagram, seed: 7, per_length: 1}",
    "locality: {make: reliability.locality, seed: 7, per_bin: 1, cities: cities}",
    "science: {make: reliability.science_demo, seed: 7, count: 10}",
    "transforms: {make: reliability.transforms_demo, seed: 7, count: 1}",
)
# What these gave before there was a second rule set, and a second generation of locality.
FIRST = {
    "items": "67f359ced591b09513dbbbe150d99a0412371f9be1a1f45a8a13f90f77228556",
    "gold": "18fb8ef392959eedfb80495639fa8ff5832de2d2fad3dcb6b4e20ed8556c03f3",
    "prompts": "402791b947e187282189a966e0037737a800261dd190a2af06e9c0389a32e095",
    "responses": "45977feea8cd8c5c7fd633f8839d6aaa70147f51c8aa645f6203358037ccc178",
    "scores": "990a76ba4086632a101f092382f35da7a07a1860220597becbb0c35125ca69c1",
    "counts": "3313dd315c180f3a7db46d98df809545ec056263ced47168feb6aa79b20feddb",
    "labels": "707e45558e5dc07c715f51a9c9febcce6a4eacb3ce2ebc04b5ac7b9da4fbb0bb",
    "proportions": "44fad16564b31bec6ba20009a07e8a2b7962ec889dc807065a6aad6f73818f12",
    "checks": "8601706f01cd7e3887b45f4f03e7fe330dbc5063bf923490ed6ca048e55dcadd",
}
# One row a benchmark, as the owner of the published dataset would have them: one instance in one wording.
LONE = {
    "addition": {"a": "3", "b": "7", "target": "10"},
    "anagram": {"anagram": "tinsle", "target": "listen"},
    "locality": {"city": "Lisbon", "target": "Cairo"},
    "science": {
        "question": "Which one?", "A": "melting", "B": "freezing", "C": "boiling", "D": "dew", "subset": "obqa",
        "target": "C",
    },
    "transforms": {"text": "03/05/2021", "instruction": "Write it as ISO does.", "target": "2021-05-03"},
}  # fmt: skip
# What one person says of the sum and of an answer to it, and of another sum that a limited run does not ask.
RATED = [
    {"benchmark": "addition", "instance_id": item, "participant_id": "somebody"}
    for item in ("addition-00000", "addition-00001")
]
SAID = {
    "s1": [{**row, "answer_label": "c", "confidence": 80, "expected_failure": 10} for row in RATED],
    "s2": [{**row, "model": "oracle", "template": 1, "verdict": "u"} for row in RATED],
}


def manifest(
    name: str, models: tuple[str, ...], datasets: list[str], digests: dict[str, str],
    outputs: Iterable[str] = OUTPUTS, more: tuple[str, ...] = (),
) -> str:  # fmt: skip
    """Spell a manifest of the study with stand-ins only; `digests` names the files it reads."""
    fetched = [
        f'{file}: {{fetch: "https://example.org/{file}", sha256: {digest}, licence: Apache-2.0}}'
        for file, digest in digests.items()
    ]
    lines = ["harness: 1", "study: reliability", f"name: {name}", "about: The study, for a test.", *more, "models:"]
    lines += [f"  {model}: {{provider: baseline, behaviour: {model}}}" for model in models]
    lines += ["datasets:", *(f"  {line}" for line in (*datasets, *fetched))]
    lines += [f"prompts: {{set: [{', '.join(f'reliability/{task}@1' for task in TASKS)}]}}"]
    lines += ["resources: {gpus: 0, memory: 2GiB, timeout: 10m}", "outputs:"]
    missing = {f"card-{model}.html" for model in set(MODELS) - set(models)}
    lines += [f"  {output}: exact" for output in outputs if output not in missing]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(tmp_path_factory.mktemp("reliability") / "project")
    datasets = [*DATASETS, "people: {make: reliability.simulated_people, seed: 7, count: 10}"]
    digests = {"cities": made.bring("data", made.cities)}
    made.lock("five", manifest("five", MODELS, datasets, digests))
    made.lock("few", manifest("few", FEW, datasets, digests))
    return made


@pytest.fixture(scope="module")
def ran(project: Project) -> dict[str, Any]:
    return project.run("five")


def tasks(project: Project, ran: dict[str, Any]) -> dict[str, str]:
    return {row["id"]: row["task"] for row in project.rows(ran, "items")}


def test_every_stand_in_scores_as_it_must_on_every_benchmark_and_wording(project: Project, ran: dict[str, Any]) -> None:
    of, found = tasks(project, ran), {}
    for row in project.rows(ran, "scores"):
        found.setdefault((row["model"], of[row["item"]], row["template"]), Counter())[row["outcome"]] += 1
    assert set(found) == {(model, task, place) for model in MODELS for task in TASKS for place in range(1, 16)}
    for (model, task, place), counts in found.items():
        where = f"{model}, {task}, template {place}: {dict(counts)}"
        assert model != "oracle" or set(counts) == {"c"}, where
        assert model != "refuser" or set(counts) == {"a"}, where
        assert model != "forger" or "c" not in counts, where
    kinds = {row["detail"]["avoidance"] for row in project.rows(ran, "scores") if row["model"] == "refuser"}
    assert kinds == {"epistemic"}


def test_the_rate_of_the_shotgun_is_reported_and_on_the_page(project: Project, ran: dict[str, Any]) -> None:
    of, checks, page = tasks(project, ran), project.document(ran, "checks"), project.blob(ran, "report.html").decode()
    assert checks["verdict"] == "pass"
    for task in TASKS:
        row = checks["benchmarks"][task]["shotgun"]
        mine = [each["value"] for each in project.rows(ran, "scores") if each["model"] == "shotgun"
                and of[each["item"]] == task]  # fmt: skip
        assert (row["verdict"], row["adversarial"], row["n"]) == ("reported", True, len(mine))
        assert row["correct"] == pytest.approx(sum(mine) / len(mine), abs=1e-12)
        shown = [line for line in page.split("<tr>") if f"{task}</t" in line and "reported" in line]
        assert any(f"{100 * row['correct']:.2f} %" in line for line in shown), task
        verdicts = {model: checks["benchmarks"][task][model]["verdict"] for model in MODELS}
        assert verdicts == {**dict.fromkeys(MODELS, "pass"), "noisy-oracle": "reported", "shotgun": "reported"}


def test_the_table_of_labels_has_a_row_for_each_item_and_model(project: Project, ran: dict[str, Any]) -> None:
    of, found = tasks(project, ran), project.rows(ran, "labels")
    assert {(row["item"], row["model"]) for row in found} == {(item, model) for item in of for model in MODELS}
    assert len(found) == len(of) * len(MODELS)
    templates = project.document(ran, "templates")
    for row in found:
        assert row["benchmark"] == of[row["item"]]
        assert len(row["labels"]) == len(templates[row["benchmark"]]) == 15
        assert set(row["labels"]) <= set("cai") and row["errors"] == 0
    assert Counter(of.values()).keys() == set(TASKS) and Counter(of.values())["locality"] > 3


def test_every_score_and_every_document_names_the_rules(project: Project, ran: dict[str, Any]) -> None:
    assert {row["detail"]["rule_set"] for row in project.rows(ran, "scores")} == {"OURS-v2"}
    for name in ("proportions", "indicators"):
        assert project.document(ran, name)["rule_set"] == "OURS-v2", name
    assert b"OURS-v2" in project.blob(ran, "report.html")


@pytest.mark.nightly  # what the first rules give `tests/scorers/test_outcome.py` and the golden cases hold
def test_who_asks_for_the_first_rules_gets_the_bytes_of_old_runs(project: Project) -> None:
    datasets = [line.replace("cities: cities", "cities: cities, rules: OURS-v1") for line in DATASETS]
    digests = {"cities": project.bring("data", project.cities)}
    project.lock("first", manifest("first", MODELS, datasets, digests, FIRST, ("settings: {rules: OURS-v1}",)))
    assert outputs_of(project.run("first")) == FIRST


def test_the_page_shows_every_figure_and_links_every_card(project: Project, ran: dict[str, Any]) -> None:
    page = project.blob(ran, "report.html").decode()
    shown = page.split("<figure")[1:]
    assert [name for each in shown for name in FIGURES if f"File: {name}<" in each] == list(FIGURES)
    assert all("<svg" in each and "<path" in each for each in shown)
    for model in MODELS:
        assert f'href="card-{model}.html"' in page
        assert f"Reliability card: {model}" in project.blob(ran, f"card-{model}.html").decode()
    for name in FIGURES:
        assert project.blob(ran, name).startswith(b"<?xml")
        assert project.blob(ran, name.replace(".svg", ".png")).startswith(b"\x89PNG")
    assert "Simulated respondents" in page and "uncalibrated" in page


@pytest.mark.long
def test_every_output_of_the_study_is_made(ran: dict[str, Any]) -> None:
    assert set(outputs_of(ran)) == set(OUTPUTS)  # that a second run gives the same bytes, `make reproduce` holds


def statistics(value: Any) -> Iterator[dict[str, Any]]:
    """Give everything in a document that is a value with an interval."""
    if isinstance(value, dict) and "value" in value:
        yield value
    elif isinstance(value, dict | list):
        for inside in value.values() if isinstance(value, dict) else value:
            yield from statistics(inside)


def defined(found: dict[str, Any]) -> bool:
    """Whether each value is a number, or says why there is none."""
    return all(
        isinstance(each["value"], int | float) or set(each["value"]) == {"missing"} for each in statistics(found)
    )


def test_three_items_of_each_run_through_and_what_is_degenerate_says_so(project: Project) -> None:
    few = project.run("few", "--limit", "3")
    assert few["runs"][0]["verdict"] == "incomplete"
    indicators = project.document(few, "indicators")
    for task in TASKS:
        for model in FEW:
            entry = indicators["benchmarks"][task][model]
            assert entry["n_items"] == 3 and defined(entry), (task, model)
            for side in ("correctness", "prudence"):
                # right always, or never, or silent always: nothing varies
                alike = model in ("oracle", "refuser")
                assert entry[f"{side}_stability"]["degenerate"] or not alike, (task, model)
    assert all(defined(project.document(few, name)) for name in DOCUMENTS)


@pytest.mark.long
def test_one_instance_in_one_wording_runs_through_beside_surveys_of_more(tmp_path: Path) -> None:
    project, copy = Project(tmp_path / "project"), tmp_path / "copy.jsonl"
    common = {"instance_id": "1", "template": 1, "prompt": "Say it.", "difficulty": 50}
    instances = [{"benchmark": task, **common, **LONE[task]} for task in TASKS]
    instances.append({**instances[0], "instance_id": "2", "a": "4", "target": "11"})
    copy.write_text("".join(json.dumps(instance) + "\n" for instance in instances))
    digests = {"published": project.bring("reliabilitybench", copy), "cities": project.bring("data", project.cities)}
    for study, said in SAID.items():
        (tmp_path / study).write_text("".join(json.dumps(row) + "\n" for row in said))
        digests[f"{study}-rows"] = project.bring("data", tmp_path / study)
    datasets = [
        f"{task}: {{make: reliability.published_{task}, rows: published{', cities: cities' * (task == 'locality')}}}"
        for task in TASKS
    ]
    datasets.append("people: {make: reliability.surveys, s1: s1-rows, s2: s2-rows}")
    project.lock("lone", manifest("lone", ("oracle", "refuser"), datasets, digests))
    lone = project.run("lone", "--limit", "1")
    assert [row["labels"] for row in project.rows(lone, "labels")] == ["c", "a"] * 5
    indicators = project.document(lone, "indicators")
    for task in TASKS:
        for model, right in (("oracle", 100), ("refuser", 0)):
            entry = indicators["benchmarks"][task][model]
            assert (entry["n_items"], entry["prompts"], entry["n_scored"]) == (1, 1, 1)
            assert entry["correctness_proportion"]["value"] == right
            assert entry["prudence_proportion"]["value"] == 100
            six = [value for name, value in entry.items() if name.startswith(("correctness_", "prudence_"))]
            assert len(six) == 6 and all(value["degenerate"] and defined(value) for value in six), (task, model)
    people, page = project.document(lone, "people"), project.blob(lone, "report.html").decode()
    assert people["simulated"] is False and people["s2"]["all"]["unsure_rate"]["value"] == 1 and defined(people)
    assert (people["s1"]["ratings"], people["s1"]["not_asked"], people["s2"]["not_asked"]) == (1, 1, 1)
    assert "Nothing was scored" not in page and "Simulated respondents" not in page


@pytest.mark.nightly  # of scorers of a study `test_biomed.py` holds it, of these `test_verdict_coverage.py`
@pytest.mark.exhaustive
def test_an_audit_agrees_also_where_it_makes_rows_of_each_scorer_again(project: Project, ran: dict[str, Any]) -> None:
    assert require_equal_slices(project.folder / ".harness", ran["runs"][0]["run"], drawn(MODELS, 1)) > 100
