"""What the metrics of the study `biomed` cost: text metrics beside the packages they follow, and all rates of a table.

Answers and grades are made up, of the sizes that the paper's have; a value that another way of counting does not give
ends the measure.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.costs import FULL, Size
from bench.measure import Cost, Failed, Missing, ratio, spend, spend_here
from bench.peers import environment
from bench.rouge import having
from bench.table import Row

from harness.rowtypes import Gold, Item, Score
from harness.studies.biomed.grading.text_metrics import text_metrics
from harness.studies.biomed.measures.categories import categories
from harness.studies.biomed.measures.performance import performance
from harness.studies.biomed.measures.run_answers import RunAnswers, asked_items
from harness.studies.biomed.templates.catalogue import TEMPLATES
from harness.studies.biomed.terms import ABSTAINED, ANSWERED, KINDS, MODES

ROWS, MODELS, TEXTS_MARK_S, RATES_MARK_S = 10_000, 7, 8.0, 1.5
PART = 10  # every so many texts are scored by the packages, too
NEAR = 1e-12  # BLEU of sacrebleu is a percentage
LONGEST_RESPONSE, LONGEST_REFERENCE, VOCABULARY = 400, 80, 600  # in words: on average half as many
SIGNS = ("p = 1.2e-8,", "(GRCh38)", "rs1234;", "b = -0.31.", "\n-", "gene's")  # every tenth word is one of them
GRADER = "bioscore-rule"
HERE = Path(__file__).resolve().parent
Below = Callable[[int], int]


def biomed_metric_rows(work: Path, size: Size) -> list[Row]:
    """Measure the text metrics of a model's answers, and the rates and heat maps of seven, which nothing is beside."""
    return [*_texts(work, size), *(_rates(mode, size) for mode in MODES)]


def _draws(purpose: str) -> Below:
    return random.Random(f"bench.biomed.{purpose}").randrange


def _texts(work: Path, size: Size) -> list[Row]:
    python = having()
    if not python:
        raise Missing("rouge-score is not here\n  next: the measure `rouge` installs it, or PEERS=DIR names it")
    below, many = _draws("texts"), ROWS if size is FULL else ROWS // PART
    pairs = [(_text(below, LONGEST_RESPONSE), _text(below, LONGEST_REFERENCE)) for _ in range(many)]
    costs, rouge, bleu = [], [], []
    for _ in range(size.repeats):
        cost = spend_here(lambda: [text_metrics(*pair) for pair in pairs]).cpu
        its = _by_packages(python, work, pairs[::PART])
        costs.append(cost)
        each = cost / len(pairs)  # all three metrics
        rouge.append(ratio(each, its["rouge_cpu"] / len(pairs[::PART])))
        if "BLEU" in its:
            bleu.append(ratio(each, its["bleu_cpu"] / len(pairs[::PART])))
    what = "CPU of BLEU, ROUGE-2 and ROUGE-L of an answer"
    rows = [
        Row("biomed metrics", f"CPU of BLEU, ROUGE-2 and ROUGE-L of {many:,} answers", tuple(costs),
            TEXTS_MARK_S if size is FULL else None, "s"),
        Row("biomed metrics", f"{what} to ROUGE-2 and ROUGE-L alone by rouge-score", tuple(rouge)),
    ]  # fmt: skip
    return [*rows, Row("biomed metrics", f"{what} to BLEU alone by sacrebleu", tuple(bleu))] if bleu else rows


def _text(below: Below, longest: int) -> str:
    words = (SIGNS[below(len(SIGNS))] if not below(10) else f"w{below(VOCABULARY)}" for _ in range(1 + below(longest)))
    return " ".join(words)


def _by_packages(python: Path, work: Path, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Give what the packages cost, once every value of ours is theirs: of ROUGE to the last bit."""
    given = work / "biomed-texts.json"
    given.write_text(json.dumps(pairs), encoding="utf-8")
    its: dict[str, Any] = json.loads(spend([python, HERE / "texts_run.py", given], environment(work), work).output)
    for name in {"ROUGE2", "ROUGEL", "BLEU"} & its.keys():
        near = NEAR if name == "BLEU" else 0.0
        for pair, other in zip(pairs, its[name], strict=True):
            ours = text_metrics(*pair)
            if ours is None or abs(ours.metrics[name] - other) > near:
                raise Failed(f"{name} of an answer is not what its package gives")
    return its


def _rates(mode: str, size: Size) -> Row:
    below = _draws("rates")
    items, golds = _asked(below)
    models = tuple(f"model-{number}" for number in range(MODELS))
    scores = [_score(item, model, mode, below) for model in models for item in items]
    known = asked_items(items, golds)
    found: dict[str, Any] = {}

    def whole() -> None:
        run = RunAnswers(mode, models, (GRADER,), known)
        run.add(scores)
        found.update(performance=performance(run), categories=categories(run))

    costs: list[Cost] = [spend_here(whole) for _ in range(size.repeats)]
    for model in models:
        _hold(found["performance"]["graders"][GRADER]["models"][model]["rates"], scores, model)
    what = f"counts, rates, intervals and heat maps of {MODELS} models on {ROWS:,} rows each, {mode} mode"
    return Row("biomed metrics", f"CPU of {what}", tuple(cost.cpu for cost in costs), RATES_MARK_S, "s")


def _asked(below: Below) -> tuple[list[Item], list[Gold]]:
    names = list(TEMPLATES)
    items: list[Any] = []
    for number in range(ROWS):
        template = names[number * len(names) // ROWS]
        labels = {
            kind: list(dict.fromkeys(words[below(len(words))] for _ in range(1 + below(2))))
            for kind, words in KINDS.items()
        }
        meta = {"template": template, "yes_no": None, **labels}
        items.append({"id": f"{template}.{number}", "task": "biomed", "input": {}, "difficulty": None, "meta": meta})
    golds: list[Any] = [{"id": item["id"], "gold": {"target": "", "source": "", "yes": None}} for item in items]
    return items, golds


def _score(item: Item, model: str, mode: str, below: Below) -> Score:
    halves = below(8) - 1  # -1 abstains
    state, value = (ABSTAINED, -1.0) if halves < 0 else (ANSWERED, halves / 6)
    return {
        "item": item["id"], "template": 1, "model": model, "sample": 0, "scorer": GRADER, "value": value,
        "outcome": state, "detail": {"state": state, "mode": mode},
    }  # fmt: skip


def _hold(rates: dict[str, Any], scores: Sequence[Score], model: str) -> None:
    """Count the rates of a model in one pass over its scores."""
    own: list[Any] = [row["value"] for row in scores if row["model"] == model]
    abstained, good = sum(value == -1 for value in own), sum(value > 2 / 3 - 1e-9 for value in own)
    bad = len(own) - abstained - good
    expected = {"AR": abstained / len(own), "RQR": good / len(own), "SR": abstained / (abstained + bad)}
    for name, value in expected.items():
        if abs(rates[name]["value"] - value) > NEAR:
            raise Failed(f"{name} of a model is not the one that its scores give")
