"""The document `agreement`: where the rule judge and the LLM judge of LLMSim disagree, and how often (OURS).

A decision is whether a gold item has any prediction that states the same. Handles positions of items only, not their
content, and does not say which judge is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from harness import rows
from harness.kit import graded
from harness.kit.agreement import measures
from harness.kit.judged import Key, key
from harness.kit.resample import LEVEL, RESAMPLES
from harness.rowtypes import Item, Score
from harness.studies.curie.tasks import VERSION

CLASSES = ("matched", "unmatched")
MOST = 5000  # most answers that are listed; all are counted
ABOUT = {
    "matrix": "rows: what the LLM judge found; columns: what the rule judge found",
    "kappa": "of decisions, one a gold item of an answer; resamples treat them as independent, within a task",
    "parted": "answers on which they decided otherwise about a gold item: its places, counted from 0",
}


class Decisions(NamedTuple):
    """One judge's decisions on one answer: how many gold items there are, and which had a match."""

    gold: int
    matched: frozenset[int]
    value: Any


def decisions(row: Score) -> Decisions | None:
    """Read a judge's decisions from a score's detail; None if the detail lacks them.

    `pairs` lists every pair of gold and prediction that the judge admits; if it holds a matching, `admissible` lists
    them.
    """
    detail = row["detail"]
    gold = detail.get("gold", detail.get("metrics", {}).get("num_ground_truth"))
    pairs = detail.get("admissible", detail.get("pairs"))
    if graded.state(row) in graded.UNSCORED or not isinstance(gold, int) or not isinstance(pairs, list):
        return None
    return Decisions(gold, frozenset(place for place, _ in pairs), row["value"])


def agreement(scores: Iterable[Score], tasks: Mapping[str, str], rule: str, judge: str, seed: int) -> dict[str, Any]:
    """Return how far two scorers, `rule` and `judge`, decide alike on the answers that both judged, by task.

    An answer that only one scorer decided, or that has different numbers of gold items, is counted and not compared.
    """
    found: dict[str, dict[Key, Decisions]] = {rule: {}, judge: {}}
    for row in scores:
        if row["scorer"] in found and row["item"] in tasks and (told := decisions(row)):
            found[row["scorer"]][key(row)] = told
    both = sorted(found[rule].keys() & found[judge].keys())
    same = [each for each in both if found[rule][each].gold == found[judge][each].gold]
    strata = {name: [[0, 0], [0, 0]] for name in sorted({tasks[item] for item, *_ in same})}
    for each in same:
        _count(strata[tasks[each[0]]], found[rule][each], found[judge][each])
    parted = [row for each in same for row in _parted(each, found[rule][each], found[judge][each])]
    return {
        "version": VERSION,
        "about": ABOUT,
        "rule": rule,
        "judge": judge,
        "answers": {
            "n": len(same),
            "n_parted": len(parted),
            "n_other_gold": len(both) - len(same),
            "n_rule_only": len(found[rule]) - len(both),
            "n_judge_only": len(found[judge]) - len(both),
        },
        "tasks": {name: measures({name: matrix}, CLASSES, seed) for name, matrix in strata.items()},
        "together": measures(strata, CLASSES, seed) if strata else {"missing": "no answer was decided about by both"},
        "interval": {"level": str(LEVEL), "resamples": RESAMPLES, "of": "decisions"},
        "parted": parted[:MOST],
    }


def _count(matrix: list[list[int]], rule: Decisions, judge: Decisions) -> None:
    for place in range(rule.gold):
        matrix[int(place not in judge.matched)][int(place not in rule.matched)] += 1


def _parted(answer: Key, rule: Decisions, judge: Decisions) -> Iterator[dict[str, Any]]:
    if rule.matched != judge.matched:
        item, template, model, sample = answer
        yield {
            "item": item,
            "template": template,
            "model": model,
            "sample": sample,
            "gold": rule.gold,
            "rule_only": sorted(rule.matched - judge.matched),
            "judge_only": sorted(judge.matched - rule.matched),
            "rule_value": rule.value,
            "judge_value": judge.value,
        }


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `agreement` of the scorers `rule` and `judge`, from the inputs `items` and `scores`."""
    tasks = {row["id"]: row["task"] for row in rows.read(inputs["items"], Item)}
    told = rows.read(inputs["scores"], Score)
    found = agreement(told, tasks, params["rule"], params["judge"], params.get("seed", 0))
    rows.write_one(out / "agreement", found)
