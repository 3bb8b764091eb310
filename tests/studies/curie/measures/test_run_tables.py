"""Tables 1, 2, 5, 6 and 7 of a run: the published arithmetic again, by another way through the code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from studies.curie.measures.score_rows import item, made, score
from support import FIXTURES

from harness.studies.curie.measures import means, run_tables
from harness.studies.curie.tasks import AVERAGED, TASKS

SCORERS = {
    "rouge": ("rougeLsum", "rouge1", "rouge2"),
    "bertscore": ("bert_f1",),
    "llmsim.judge": ("f1", "precision", "recall"),
    "boxes": ("iou", "normalized_distance_error", "relative_box_size"),
    "sequence": ("identity_ratio",),
}
NAMES = {"LMSim-F1": "f1", "LMSim-Pr": "precision", "LMSim-Re": "recall"}
PRIMARY = {
    name: [next(scorer for scorer, metrics in SCORERS.items() if task.paper in metrics), task.paper]
    for name, task in TASKS.items()
}
ABSENT = {"missing": "the metric function raised"}


def as_run(results: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the scores of a run in which the models answered as in aggregated results."""
    for task in TASKS.values():
        for model, records in results.get(task.domain, {}).get(task.prompt, {}).items():
            for record, metrics in records.items():
                told = {NAMES.get(name, name): "nan" if value == "__nan__" else value
                        for name, value in metrics.items()}  # fmt: skip
                for scorer, names in SCORERS.items():
                    value = told.get(names[0], ABSENT)
                    more = {name: told.get(name, ABSENT) for name in names}
                    value = 0 if isinstance(value, str) and value != "nan" else value
                    yield score(task.name, record, value, model, scorer=scorer, metrics=more, mode="paper")


def from_golden(folder: Any, analyse: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    golden = json.loads((FIXTURES / "curie" / "tables.json").read_text())
    results = golden["meta_results"]
    models = sorted({model for prompts in results.values() for each in prompts.values() for model in each})
    records = {domain: sorted({record for prompt in prompts.values() for each in prompt.values() for record in each})
               for domain, prompts in results.items()}  # fmt: skip
    items = [item(task.name, record) for task in TASKS.values() for record in records[task.domain]]
    given: dict[str, Any] = {"mode": "paper", "models": models, "primary": PRIMARY, "averaged": list(AVERAGED)}
    return golden["official"], made(folder, analyse, items, list(as_run(results)), **given)


def row(found: Mapping[str, Any], table: str, model: str) -> list[str]:
    return [cell.get("text", "-") for cell in found["tables"][table]["rows"][model]]


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared golden values are not here")
@pytest.mark.parametrize("table", ["table1", "table2"])
def test_a_run_with_the_golden_results_prints_the_golden_rows(tmp_path, table):
    official, found = from_golden(tmp_path, run_tables.analyse)
    printed = zip(official["printed_row_order"][table], official[f"{table}_printed_rows"], strict=True)
    compared = [(row(found, table, model), line) for model, line in printed if line.strip("& -")]
    assert len(compared) == 4
    for cells, line in compared:
        assert "& " + " & ".join(cells) == line


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared golden values are not here")
def test_a_run_with_the_golden_results_has_the_golden_distances(tmp_path):
    official, found = from_golden(tmp_path, run_tables.analyse)
    lines = {line.partition(" &")[0]: line.split(" & ")[1:] for line in official["table7_printed_rows"]}
    assert row(found, "table7", "gpt-4o") == lines["GPT-4o"]
    assert row(found, "table7", "claude-3-opus-20240229") == lines["Claude 3 (Opus)"]
    assert row(found, "table7", "mixtral-gcp")[1:] == ["-", "-"]


@pytest.mark.long
@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared golden values are not here")
def test_a_run_with_the_golden_results_has_the_golden_means_and_quartiles(tmp_path):
    official, found = from_golden(tmp_path, means.analyse)
    wanted = official["figure5_task_means"]["GPT-4o"]
    spread = {task: ends for model, task, *ends in official["figure5_percentiles_25_75"] if model == "GPT-4o"}
    for name in ("dft-s", "dft-p", "dft-c", "mpv", "hfd", "hfe", "biogr", "pdb"):  # the figure leaves a GEO record out
        cell, factor = found["tasks"][name]["models"]["gpt-4o"]["primary"], found["tasks"][name]["primary"]["scale"]
        assert factor * cell["value"] == pytest.approx(wanted[name], rel=1e-12)
        assert [factor * cell[end] for end in ("q25", "q75")] == pytest.approx(spread[name], rel=1e-12)


def test_a_column_that_no_scorer_fills_is_missing_with_the_reason(tmp_path):
    rows = [score("hfe", "a", 40, scorer="rouge", metrics={"rougeLsum": 40})]
    found = made(tmp_path, run_tables.analyse, [item("hfe", "a")], rows)["tables"]["table1"]
    by_name = {(column["heading"], column["metric"]): cell
               for column, cell in zip(found["columns"], found["rows"]["m"], strict=True)}  # fmt: skip
    assert by_name["HFE", "rougeLsum"]["text"] == "40.0"
    assert by_name["HFE", "bert_f1"]["value"] == {"missing": "no scorer of hfe gives bert_f1"}
    assert by_name["GEO", "rougeLsum"]["value"] == {"missing": "no scorer of geo gives rougeLsum"}


def test_strict_distances_are_medians_in_table_7(tmp_path):
    rows = [score("biogr", record, 0.5, metrics={"iou": 0.5, "normalized_distance_error": size})
            for record, size in zip("abc", (1.0, 2.0, 300.0), strict=True)]  # fmt: skip
    found = made(tmp_path, run_tables.analyse, [item("biogr", record) for record in "abc"], rows)
    assert row(found, "table7", "m") == ["0.50", "2.00", "-"]
