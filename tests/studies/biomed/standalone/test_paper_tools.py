"""The standalone tools of paper mode: parameters apart or beside, hostile rows, and the command line."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path
from typing import Any

import pytest
from support import FIXTURES
from support_biomed_golden import graded_rows
from support_cases import each_of
from support_draws import drawn
from support_inside import inside
from support_pace import soon

from harness.digest import canonical_json
from harness.errors import InputError
from harness.studies.biomed.standalone.batches import ANALYSES as BATCHES
from harness.studies.biomed.standalone.figures import ANALYSES as FIGURES
from harness.studies.biomed.standalone.grades import SCORERS as GRADES
from harness.studies.biomed.standalone.performance import ANALYSES as PERFORMANCE
from harness.studies.biomed.standalone.texts import SCORERS as TEXTS

TABLES = {**PERFORMANCE, **FIGURES, **BATCHES}
ROWS: list[dict[str, Any]] = [
    {"uuid": "T1.1", "bio_category": "Tissue; Drug Meta;", "a_BioScore": 1.0, "b_BioScore": "-1.0"},
    {"uuid": "T1.2", "bio_category": "Tissue", "a_BioScore": None, "b_BioScore": ""},
]
BATCH: dict[str, Any] = {
    "template": "{question}|{gold_res}|{pred_res}",
    "rows": [{"uuid": "T1.1", "question": "Q?", "answer": "A.", "m_response": "R."}],
}


def test_parameters_stand_in_params_or_beside_it() -> None:
    run = PERFORMANCE["biomed.performance_table"].run
    apart, beside = run({"params": {"models": ["b"]}, "rows": ROWS}), run({"rows": ROWS, "models": ["b"]})
    assert apart == beside and [row["Model"] for row in apart["table"]] == ["b"]
    assert [row["Model"] for row in run({"rows": ROWS})["table"]] == ["a", "b"]


def test_a_missing_grade_stands_in_every_count_of_rows() -> None:
    counts = PERFORMANCE["biomed.performance_table"].run({"rows": ROWS})["counts"]
    assert {name: (each["n_rows"], each["n_nan"]) for name, each in counts.items()} == {"a": (2, 1), "b": (2, 1)}


def test_the_empty_label_of_a_trailing_separator_is_dropped_in_strict_mode() -> None:
    found = [
        FIGURES["biomed.donut"].run({"rows": ROWS, "mode": mode})["bio_category"]["labels"]
        for mode in ("paper", "strict")
    ]
    assert found == [["Tissue", "Drug Meta", ""], ["Tissue", "Drug Meta"]]


@pytest.mark.parametrize("cell", [None, 3, ["Tissue"]])
def test_a_row_without_labels_is_named(cell: Any) -> None:
    with pytest.raises(InputError) as told:
        FIGURES["biomed.heatmaps"].run({"rows": [{**ROWS[0], "bio_category": cell}]})
    assert told.value.where == "rows[0]/bio_category"


@pytest.mark.parametrize("status", ["failed", "expired", "cancelled"])
def test_a_batch_that_failed_is_an_error(status: str) -> None:
    with pytest.raises(InputError, match="not completed"):
        BATCHES["biomed.batch_grading"].run({**BATCH, "status": status})


def test_a_batch_that_is_all_cached_sends_and_saves_nothing() -> None:
    cached = {**BATCH, "cache_before": {"Q?|A.|R.": "2.0"}, "status": "failed"}
    found = BATCHES["biomed.batch_grading"].run(cached)
    assert (found["batch_created"], found["save_calls"], found["final_scores"]) == (False, 0, [2 / 3])
    assert BATCHES["biomed.batch_all_cached"].run(cached) == {"created": False, "old_file_removed": True}
    assert BATCHES["biomed.batch_all_cached"].run(BATCH)["created"] is True


def test_an_empty_answer_is_asked_about_as_nan() -> None:
    rows = [{**BATCH["rows"][0], "m_response": None}]
    [sent] = BATCHES["biomed.batch_grading"].run({**BATCH, "rows": rows})["requests"]
    assert sent["body"]["messages"][0]["content"] == "Q?|A.|nan"


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"template": "{question}"}, "has no {gold_res}"), ({"cache_before": {"prompt_index_7": "2"}}, "names a row"),
        ({"model": "other"}, "columns of responses"), ({"rows": [{"uuid": "T1.1", "m_response": "R."}]}, "no question"),
    ],
)  # fmt: skip
def test_a_batch_that_cannot_be_asked_says_why(more: Any, what: str) -> None:
    with pytest.raises(InputError, match=what):
        BATCHES["biomed.batch_grading"].run({**BATCH, **more})


def test_missing_texts_are_worth_nothing_as_published() -> None:
    found = TEXTS["biomed.nlp_metrics"].run({"answer": None, "response": "a b c d"})
    assert (found["BLEU"], found["ROUGE2"], found["ROUGEL"]) == (0, 0, 0)


HOSTILE: dict[str, Any] = {
    "nothing": {}, "no rows": {"rows": []}, "rows of nothing": {"rows": [{}, {}]}, "a list": {"rows": [1]},
    "not finite": {"rows": [{**ROWS[0], "a_BioScore": float("inf")}]},
    "a huge number": {"rows": [{**ROWS[0], "a_BioScore": 10**500}], "counts": [10**500],
        "columns": {"a_BLEU": [10**500]}},
    "a long text": {"rows": [{**ROWS[0], "a_BioScore": "9" * 1_000_000}], "template": "{" * 1_000_000},
    "5 MB of labels": {"rows": [{"bio_category": ";" * 100_000, "a_BioScore": 1}]},
    "a mapping for a list": {"rows": {}, "counts": {}, "inputs": [], "columns": []},
    "params of another kind": {"params": 3, "rows": ROWS},
    "params that name params": {"params": {"params": {"rows": 1}, "rows": ROWS}},
    "unknown words": {"rows": ROWS, "calculation_type": "median", "metric": "\ud800", "status": "?", "mode": "both"},
    "many models": {
        "rows": ROWS, "models": [f"m{n}" for n in range(500)], "model_order": [f"m{n}" for n in range(500)],
    },
}  # fmt: skip


@each_of("given", HOSTILE.values())
def test_a_hostile_object_gives_a_result_or_an_error_and_soon(given: Any) -> None:
    for name, tool in TABLES.items():
        begun = time.process_time()
        with contextlib.suppress(InputError):
            canonical_json(tool.run(given))
        assert soon(time.process_time() - begun, 2), name


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", drawn(["", "[" * 10_000, "1" * 1_000_000, "\ud800", "NaN", "x" * 5_000_000], 2, 6))
def test_a_hostile_text_has_a_row_of_its_own(text: str) -> None:
    for scorer, row in (
        (GRADES["biomed.grade_parse"], {"text": text}),
        (TEXTS["biomed.nlp_metrics"], {"answer": "The target is GEN0001.", "response": text}),
    ):
        begun = time.process_time()
        canonical_json(scorer.run(row))
        assert soon(time.process_time() - begun, 1)


@pytest.mark.long
def test_fixtures_pass_through_the_command_line_with_their_own_fields(tmp_path: Path) -> None:
    folder = FIXTURES / "biomed"
    if not folder.is_dir():
        pytest.skip("the golden values are not here")
    cases = json.loads((folder / "heatmaps.json").read_text())
    given = {
        "rows": graded_rows(folder / "heatmaps.json"),
        **{name: cases[0][name] for name in cases[0] if name != "result"},
    }
    (tmp_path / "map.json").write_text(json.dumps(given))
    done = inside("analyse", "biomed.heatmaps", "-i", tmp_path / "map.json", cwd=tmp_path, check=0)
    assert json.loads(done.stdout)["result"]["annotations"] == cases[0]["result"]["annotations"]
    grades = json.loads((folder / "grade_parse.json").read_text())
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps({'text': one['text']})}\n" for one in grades))
    done = inside("score", "biomed.grade_parse", "-i", tmp_path / "rows.jsonl", cwd=tmp_path, check=0)
    assert [json.loads(line)["valid"] for line in done.stdout.splitlines()] == [one["valid"] for one in grades]
