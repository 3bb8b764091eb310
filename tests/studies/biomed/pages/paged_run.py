"""A made-up run for the tests of its page: two graders, every document of the measures, and the page of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studies.biomed.measures.answer_rows import RULE, item, made
from studies.biomed.pages import figured_run

import harness
from harness import rows
from harness.studies.biomed.measures import (
    categories,
    comparisons,
    costs,
    dataset,
    defects,
    graders,
    performance,
    published,
    texts,
    tokens,
)
from harness.studies.biomed.pages import outputs, report

JUDGE = "bioscore-judge"
GRADERS = [RULE, JUDGE]
REAL, OTHER = "gpt-4o", "claude-3.5-sonnet"
MODELS = (REAL, OTHER, figured_run.ORACLE, figured_run.REFUSER, figured_run.SILENT)
TABLES = Path(harness.__file__).parent / "studies" / "biomed" / "tables"
DEFECTIVE = "Q5.28"  # a listed question, which the run asks
HOSTILE = ("<script>alert(1)</script>", "]]>&amp;\"'", "m" * 400, "\u202edetsurt $x$\x00\nline")
COUNTS = {
    "biomed": {"absent": 0, "kept": 49, "source": "synthetic tables (OURS)", "system_prompt": "ours, system-1",
               "templates": {"T01": {"candidates": 900, "candidates_yes": 31, "drawn": 4}},
               "without_question": ["T40"], "without_table": []}
}  # fmt: skip


def params(models: tuple[str, ...] = MODELS, mode: str = "strict", graders: Any = (RULE, JUDGE),
           instruments: Any = None) -> dict[str, Any]:  # fmt: skip
    """Give the parameters of the step as the plan gives them."""
    facts = {name: {"family": "", "provider": "openai", "stand_in": "baseline/" in name} for name in models}
    named = {"grader": "judge-7b"} if instruments is None else instruments
    return {"mode": mode, "graders": list(graders), "instruments": named, "models": facts}


def _judged(row: Mapping[str, Any], place: int) -> dict[str, Any]:
    """Give the same answer's score by the other grader, who parts now and then and grades twice."""
    grade = row["detail"]["grade"]
    if grade in (None, "-1"):
        return {**row, "scorer": JUDGE}
    other = "0" if place % 9 == 0 else grade
    return {**row, "scorer": JUDGE, "value": float(other) / 3, "detail": {**row["detail"], "grades": [other, grade]}}


def documents(folder: Path, models: tuple[str, ...] = MODELS, mode: str = "strict", each: int = 4) -> dict[str, Any]:
    """Run every measure over a made-up run and give the documents that the page rests on."""
    asked = [*figured_run.items(each), item(DEFECTIVE, question="Is Paclitaxel approved for Kaposi's sarcoma?")]
    for one in asked[-1:]:
        one["meta"]["template"] = figured_run.TEMPLATES[4]
    golds = list(figured_run.golds(asked))
    scored = list(figured_run.scores(asked, models, mode))
    given = [*scored, *(_judged(row, place) for place, row in enumerate(scored) if row["scorer"] == RULE)]
    responses = [{"item": one["id"], "template": 1, "model": model, "sample": 0, "text": "yes it is", "finish": "stop"}
                 for model in models for one in asked]  # fmt: skip
    rendered = [{"item": one["id"], "template": 1, "messages": [
        {"role": "system", "content": "say what you know"}, {"role": "user", "content": one["input"]["question"]}]}
        for one in asked]  # fmt: skip
    tables = {"gold": golds, "responses": responses, "rendered": rendered, "counts": [COUNTS],
              "published": TABLES / "published@1.csv", "defects": TABLES / "defects@1.csv"}  # fmt: skip
    steps = {"performance": performance, "comparisons": comparisons, "categories": categories, "texts": texts,
             "costs": costs, "tokens": tokens, "graders": graders, "dataset": dataset, "published": published,
             "defects": defects}  # fmt: skip
    asks = {"models": list(models), "mode": mode, "graders": GRADERS, "resamples": 40, "seed": 1}
    found = {name: made(folder, step.analyse, given, items=asked, tables=tables, **asks) for name, step in
             steps.items()}  # fmt: skip
    return {**found, "counts": COUNTS}


def laid(folder: Path, given: Mapping[str, Any]) -> dict[str, Path]:
    """Write documents as the inputs of the step; gives them by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in given.items():
        rows.write_one(folder / name, json.loads(json.dumps(document)))
    return {name: folder / name for name in given}


def written(folder: Path, given: Mapping[str, Any], more: Mapping[str, Path] | None = None, **asked: Any) -> str:
    """Write the page of documents, with further inputs (figures, a certificate); gives its HTML."""
    out = folder / "page"
    out.mkdir(parents=True, exist_ok=True)
    report.write(params(**asked), {**laid(folder / "in", given), **(more or {})}, out)
    [path] = out.iterdir()
    assert path.name == outputs.REPORT
    return path.read_text("utf-8")
