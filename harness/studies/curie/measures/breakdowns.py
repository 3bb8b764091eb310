"""The document `breakdowns`: lengths, unusable answers, programs in answers, and correlations between scorers.

It holds what figures of the paper and its supplement show in addition to the notebooks. Counts words and outcomes only,
not the meaning of a text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit import graded
from harness.rowtypes import Gold, Item, Trial
from harness.stats import spearman
from harness.studies.curie.measures.cells import plain, quartiles
from harness.studies.curie.measures.meta_results import mean
from harness.studies.curie.measures.results import VALUE
from harness.studies.curie.measures.run_scores import BAD, RunScores, read
from harness.studies.curie.tasks import TASKS, VERSION

FEWEST = 3  # fewest pairs for which a correlation is computed
ABOUT = {
    "lengths": "words, parted at white space, of the documents and of the ideal answers (Tables 3 and 4)",
    "unusable": "answers of the primary scorer that were blank, invalid or an error, and their share of all",
    "programs": "answers that held a program which was tried, their share of all, and how the programs ended",
    "correlations": "Spearman's, of the primary metrics of two scorers over records and models, strategies left out",
}
NO_ANSWERS = {"missing": "no answers"}


def words(text: str) -> int:
    """Count the words of a text, separated by white space."""
    return len(text.split())


def lengths(items: Iterable[Item], golds: Iterable[Gold], tasks: Iterable[str]) -> dict[str, Any]:
    """Return by task the lengths of documents and perfect answers in words, with the task's description and metrics."""
    found: dict[str, dict[str, list[int]]] = {task: {"document": [], "answer": []} for task in tasks}
    of = {}
    for item in items:
        if item["task"] in found:
            of[item["id"]] = item["task"]
            found[item["task"]]["document"].append(words(str(item["input"].get("text", ""))))
    for gold in golds:
        if gold["id"] in of:
            found[of[gold["id"]]]["answer"].append(words(str(gold["gold"].get("target", ""))))
    return {
        task: {
            "about": TASKS[task].about,
            "n": len(each["document"]),
            "primary_metric": {"paper": TASKS[task].paper, "strict": TASKS[task].strict},
            **{name: _spread(counts) for name, counts in each.items() if counts},
        }
        for task, each in found.items()
        if each["document"]
    }


def _spread(counts: list[int]) -> dict[str, Any]:
    return {"mean": mean(counts), "min": min(counts), "max": max(counts), **quartiles(list(map(float, counts)))}


def breakdowns(found: RunScores, trials: Iterable[Trial]) -> dict[str, Any]:
    """Return by task and model unusable answers, outcomes of programs, and correlations of metrics."""
    tasks = [task for task in found.request.tasks if found.items[task]]
    return {
        "unusable": {
            task: {model: unusable(found, task, model) for model in found.request.everybody} for task in tasks
        },
        "programs": _programs(found, trials),
        "correlations": {task: list(correlations(found, task)) for task in tasks},
    }


def unusable(found: RunScores, task: str, model: str) -> dict[str, Any]:
    """Return how many answers of a model were blank, invalid or an error, and their share; missing without answers."""
    counts = found.counts.get((task, found.request.primary[task][0], model))
    if counts is None or not (total := sum(counts.states.values())):
        return NO_ANSWERS
    invalid, blank = (counts.outcomes[name] for name in BAD)
    errors = counts.states[graded.ERROR]
    share = (invalid + blank + errors) / total
    return {"n": total, "n_blank": blank, "n_invalid": invalid, "n_error": errors, "share": share}


def _programs(found: RunScores, trials: Iterable[Trial]) -> dict[str, Any]:
    """Count the answers that held a program, by task and model; tasks without programs are left out."""
    ended: dict[tuple[str, str], Counter[str]] = {}
    for row in trials:
        facts = found.facts.get(row["item"])
        if facts and row["model"] in found.request.everybody:
            ended.setdefault((facts.task, row["model"]), Counter())[row["outcome"]] += 1
    told: dict[str, Any] = {}
    for (task, model), outcomes in sorted(ended.items()):
        counts = found.counts.get((task, found.request.primary[task][0], model))
        total = sum(counts.states.values()) if counts else 0
        share: Any = sum(outcomes.values()) / total if total else NO_ANSWERS
        counted = {"n": sum(outcomes.values()), "share": share, "outcomes": dict(sorted(outcomes.items()))}
        told.setdefault(task, {})[model] = counted
    return told


def correlations(found: RunScores, task: str) -> Iterator[dict[str, Any]]:
    """Yield the rank correlation of every two scorers' primary metrics on a task; missing if either is constant."""
    scorers = [scorer for scorer, metric in found.metrics(task) if metric == VALUE]
    columns = {
        scorer: {
            (model, item): value
            for model in found.request.models
            for item, value in found.column(task, scorer, VALUE, model).by_record().items()
        }
        for scorer in scorers
    }
    for a, b in combinations(scorers, 2):
        both = sorted(columns[a].keys() & columns[b].keys())
        value: Any = {"missing": f"fewer than {FEWEST} answers have both"}
        if len(both) >= FEWEST:
            rank = spearman([columns[a][each] for each in both], [columns[b][each] for each in both])
            value = {"missing": "one of the two is constant"} if rank is None else plain(rank)
        yield {"a": a, "b": b, "n": len(both), "value": value}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `breakdowns`: lengths, unusable answers, outcomes of programs, correlations of metrics.

    Raises InputError as `run_scores.read` does.
    """
    found = read(params, inputs)
    tried = rows.read(inputs["trials"], Trial) if "trials" in inputs else iter(())
    items, golds = rows.read(inputs["items"], Item), rows.read(inputs["gold"], Gold)
    document = {
        "mode": found.request.mode,
        "version": VERSION,
        "about": ABOUT,
        "lengths": lengths(items, golds, found.request.tasks),
        **breakdowns(found, tried),
    }
    rows.write_one(out / "breakdowns", document)
