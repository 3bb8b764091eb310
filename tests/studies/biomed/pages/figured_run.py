"""A made-up graded run for the tests of figures: its rows, the documents that the measures make of them, the figures.

The answers are drawn by formulas, so that models, templates and categories differ; nothing in them is real.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from studies.biomed.measures.answer_rows import RULE, gold, item, made, score

from harness import rows
from harness.studies.biomed.measures import categories, dataset, performance, texts, tokens
from harness.studies.biomed.pages import figures, outputs
from harness.studies.biomed.terms import BIOLOGICAL, REASONING

TEMPLATES = tuple(f"T{number:02d}" for number in range(1, 13))
SEVEN = ("gpt-4o", "gpt-3.5-turbo", "gemini-1.5-pro", "claude-3.5-sonnet", "perplexity-sonar-huge",
         "gemma-2-27b-it", "llama-3.1-70b-it")  # fmt: skip
ORACLE, REFUSER, SILENT = "baseline/oracle", "baseline/refuser", "broken"
TEN = (*SEVEN, ORACLE, REFUSER, SILENT)


def items(each: int) -> list[dict[str, Any]]:
    """Give questions of every template, with the published labels in turn."""
    return [
        item(f"{name}.{place}", question="word " * (8 + (7 * place + at) % 17),
             biological=[BIOLOGICAL[at % 9], BIOLOGICAL[(at + place % 2) % 9]][: 1 + place % 2],
             reasoning=[REASONING[(at * 5 + part) % 9] for part in range(1 + at % 3)])
        for at, name in enumerate(TEMPLATES) for place in range(1, each + 1)
    ]  # fmt: skip


def golds(asked: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Give their gold; those of every other template say yes or no."""
    for at, one in enumerate(asked):
        number = TEMPLATES.index(one["meta"]["template"])
        yes = None if number % 2 else at % (number + 2) != 0
        yield gold(one["id"], yes, "part " * (10 + (11 * at) % 41))


def scores(asked: list[dict[str, Any]], models: tuple[str, ...], mode: str) -> Iterator[dict[str, Any]]:
    """Give scores and text metrics of every model but the silent one."""
    for number, model in enumerate(models):
        for at, one in enumerate(asked):
            if model == SILENT:
                continue
            grade = _grade(model, number, at, TEMPLATES.index(one["meta"]["template"]))
            yield score(one["id"], grade, model, mode=mode)
            value = ((at * 37 + number * 11) % 100) / (100 + 20 * number)
            yield {"item": one["id"], "template": 1, "model": model, "sample": 0, "scorer": "text", "value": value,
                   "detail": {"mode": mode, "metrics": {"BLEU": value / 4, "ROUGE2": value / 2}}}  # fmt: skip


def _grade(model: str, number: int, at: int, template: int) -> Any:
    if model in (ORACLE, REFUSER):
        return 3 if model == ORACLE else -1
    drawn = (at * 7919 + number * 104_729 + template * 31) % 100
    if drawn < 3:
        return "blocked" if number % 3 == 2 else "error"
    if drawn < 15 + (number * 17 + template * 3) % 60:
        return -1
    return (0, 0.5, 1, 2, 2.5, 3)[(drawn + number + template) % 6]


def documents(folder: Path, models: tuple[str, ...] = TEN, mode: str = "strict", each: int = 10) -> dict[str, Any]:
    """Run the measures over a made-up run and give the documents that the figures rest on."""
    asked = items(each)
    scored, gold_rows = list(scores(asked, models, mode)), list(golds(asked))
    responses = [{"item": one["id"], "template": 1, "model": model, "sample": 0, "text": "yes it is", "finish": "stop"}
                 for model in models for one in asked]  # fmt: skip
    tables = {"gold": gold_rows, "responses": responses}
    steps = {"performance": performance, "categories": categories, "texts": texts, "tokens": tokens, "dataset": dataset}
    return {
        name: made(folder, step.analyse, scored, items=asked, tables=tables, models=list(models), mode=mode)
        for name, step in steps.items()
    }


def params(models: tuple[str, ...] = TEN, mode: str = "strict") -> dict[str, Any]:
    """Give the parameters of the step as the plan gives them."""
    facts = {
        name: {"family": "", "provider": "openai", "stand_in": name in (ORACLE, REFUSER)} for name in models
    }  # fmt: skip
    return {"mode": mode, "graders": [RULE], "instruments": {}, "models": facts}


def drawn(folder: Path, given: Mapping[str, Any], **asked: Any) -> dict[str, Path]:
    """Run the step over documents in files; gives the files of the figures by name."""
    inputs = {}
    for name, document in given.items():
        inputs[name] = folder / f"{name}.jsonl"
        rows.write_one(inputs[name], document)
    out = folder / "figures"
    out.mkdir()
    figures.draw(params(**asked), inputs, out)
    return {name: out / name for name in outputs.figures()}
