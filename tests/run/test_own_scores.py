"""Scorers may be a dataset's own, or a row's: by a column that names them, or by whether the row has options."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from run.own_project import OwnProject, own_project

from harness.manifest.load import load_manifest
from harness.run.lock import changed_pins
from harness.run.scores.table import RunTables
from harness.run.service import FinishedRun, RunTarget
from harness.store.store import Store

SETTINGS, DATASETS = (
    "settings: {score: [exact]}\n",
    "  capitals: {file: data/capitals.csv, fields: {input: question, target: answer}}\n",
)
MIXED = (
    "question,answer,a,b,c,how\n"
    "Capital of France?,B,Rome,Paris,Oslo,choice\n"
    "6 x 7?,42,,,,number|exact\n"
    "Capital of Italy?,Rome,,,,match\n"
    "Capital of Norway?,C,Rome,Paris,Oslo,choice\n"
)
BOTH = '{text: "{question}\\n{options}\\nAnswer:"}'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> RunTarget:
    return RunTarget(tmp_path_factory.mktemp("store") / "store")


@pytest.fixture
def project(tmp_path: Path, place: RunTarget) -> OwnProject:
    return own_project(tmp_path / "project", place, {"data/mixed.csv": MIXED})


def mixed(project: OwnProject, more: str, settings: str = SETTINGS, fields: str = "") -> None:
    """Have the project ask the mixed file, with further lines of its dataset."""
    fields = "{input: question, target: answer, options: [a, b, c]" + fields + "}"
    project.edit(DATASETS, f"  mixed:\n    file: data/mixed.csv\n    fields: {fields}\n{more}")
    project.edit('{text: "Question: {question}\\nAnswer:"}', BOTH)
    project.edit(SETTINGS, settings)


def scored(project: OwnProject, ran: FinishedRun) -> dict[str, Counter[object]]:
    """Count the values of each scorer, by dataset and scorer."""
    tables = RunTables.of(Store.open(project.place.store), ran.record.run)
    found: dict[str, Counter[object]] = {}
    for row in tables.rows("scores", dict):
        found.setdefault(f"{row['item'].partition('-')[0]} {row['scorer']}", Counter())[row["value"]] += 1
    assert {name.partition(" ")[2] for name in found} <= set(tables.meanings)
    return found


@pytest.mark.long
def test_a_column_names_the_scorers_of_its_row(project: OwnProject) -> None:
    score = "settings: {score: [choice, number, exact, match]}\n"
    mixed(project, "", score, ", scorer: how")
    ran = project.run()
    assert scored(project, ran) == {
        "mixed choice": {1: 2}, "mixed number": {1: 1}, "mixed exact": {1: 1}, "mixed match": {1: 1}
    }  # fmt: skip


def test_a_cell_that_names_no_scorer_is_told_with_its_row_and_the_list(project: OwnProject) -> None:
    mixed(project, "", "settings: {score: [choice, {number: {as: sum}}, match, exact]}\n", ", scorer: how")
    error = project.refused()
    assert "names a scorer that there is not" in error.what and "choice, exact, match, sum" in error.next
    assert "row 2, column 'how'" in error.where


@pytest.mark.long
def test_rows_without_options_have_scorers_of_their_own_and_no_empty_line(project: OwnProject) -> None:
    mixed(project, "    score: {with_options: [choice], without_options: [match]}\n", "")
    ran = project.run()
    assert scored(project, ran) == {"mixed choice": {1: 2}, "mixed match": {1: 2}}
    prompts = [
        row["text"] for row in RunTables.of(Store.open(project.place.store), ran.record.run).rows("prompts", dict)
    ]
    assert prompts[0] == "Capital of France?\nA. Rome\nB. Paris\nC. Oslo\nAnswer:"
    assert prompts[1] == "6 x 7?\nAnswer:"


def test_without_that_a_row_without_options_is_refused_as_before(project: OwnProject) -> None:
    mixed(project, "", "settings: {score: [choice, match]}\n")
    assert "row 2" in project.refused().where


def test_a_row_that_its_scorer_cannot_score_is_refused(project: OwnProject) -> None:
    (project.root / "data" / "mixed.csv").write_text(MIXED.replace("number|exact", "choice"))
    mixed(project, "", "settings: {score: [choice, match]}\n", ", scorer: how")
    error = project.refused()
    assert "there are 0 options" in error.what and "row 2" in error.where


@pytest.mark.long
def test_a_dataset_has_scorers_of_its_own_beside_those_of_the_settings(project: OwnProject) -> None:
    own = "  sums:\n    file: data/mixed.csv\n    where: {how: number|exact}\n"
    own += "    fields: {input: question, target: answer}\n"
    project.edit(DATASETS, DATASETS + own + "    score: [number, {match: {as: loose}}]\n")
    ran = project.run()
    found = scored(project, ran)
    assert found == {"capitals exact": {1: 2}, "sums number": {1: 1}, "sums loose": {1: 1}}
    assert changed_pins(load_manifest(project.path), project.held()) == []


@pytest.mark.long
def test_settings_need_no_score_if_every_dataset_has_its_own(project: OwnProject) -> None:
    project.edit(DATASETS, DATASETS.replace("answer}}", "answer}, score: [match]}"))
    project.edit(SETTINGS, "")
    assert scored(project, project.run()) == {"capitals match": {1: 2}}


def test_a_dataset_without_scorers_is_told_so(project: OwnProject) -> None:
    project.edit(SETTINGS, "")
    assert "`settings.score` is missing" in project.refused().what or "score" in project.refused().what


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("[exactly]", "it must be one of exact, match, number"),
        ("[{match: {sight: true}}]", "unknown key `datasets.capitals.score.0.match.sight`"),
        ("exact", "write a list of scorers"),
        ("{with_options: [choice]}", "both of them lists"),
        ("[{exact: {as: match}}, {match: {as: exact}}, match]", "two scorers are called"),
        ("[{number: {as: exact}}]", "two different scorers of this run are called 'exact'"),
    ],
)
def test_what_a_datasets_score_cannot_be_is_told_with_its_line(project: OwnProject, said: str, what: str) -> None:
    project.edit(DATASETS, DATASETS + DATASETS.replace("  capitals:", "  others:"))
    text = project.path.read_text()
    project.path.write_text(text.replace("answer}}\n", f"answer}}, score: {said}}}\n", 1))
    error = project.refused()
    assert what in error.what
    assert error.where.endswith(":8")


@pytest.mark.long
def test_likelihoods_are_measured_only_of_the_rows_that_name_them(project: OwnProject) -> None:
    others = "[{perplexity: {column: question}}]"
    mixed(project, f"    score: {{with_options: [{{choice: {{by: loglikelihood}}}}], without_options: {others}}}\n", "")
    project.edit(
        "{provider: baseline, behaviour: oracle}",
        '{provider: transformers, source: "package:repro-harness/tiny-shaped"}',
    )
    found = scored(project, project.run())
    assert {name: sum(values.values()) for name, values in found.items()} == {"mixed choice": 2, "mixed perplexity": 2}
