"""The document `summary`: datasets, and the scores by model, dataset, scorer, group, wording and sample.

Assembles the parts; independent of questions, answers and how scores are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit import graded
from harness.kit.resample import LEVEL, RESAMPLES
from harness.studies.questions.meaning import of_rows
from harness.studies.questions.measures import corpus, repeats, tables
from harness.studies.questions.measures.scored_items import GroupedItem, ScoredItems
from harness.studies.questions.measures.scored_prompts import Place, gathered

ABOUT = {
    "n": "answers that the value is a mean of; each counts once",
    "by": "wilson: of independent answers worth 0 or 1; bootstrap: percentiles of resampled items; clusters: of what "
    "varies between clusters",
    "errors": "answers, or judgements of them, that failed: counted and not scored",
    "missing": "further answers that the scorer has no value for",
    "at_worst": "the value if every error had the worst score",
    "pass_at": "chance that one of so many answers is right; `left_out`: prompts with fewer scored answers",
    "perplexity": "of all texts together, each token counting once; e to the mean surprise of a token, word or byte",
    "majority": "score of what most answers say; of several that tie, the mean of theirs",
}


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the summary of a run's scores: means, groups, wordings, repeats; `params` names models and scorers."""
    rows.write_one(out / "summary", summary(ScoredItems.read(inputs), params["models"], params["scorers"]))


def summary(found: ScoredItems, models: Iterable[str], scorers: Mapping[str, str]) -> dict[str, Any]:
    """Return the summary of a run's scores: means, groups, wordings, repeats; `scorers` maps names to kinds."""
    meanings = of_rows(scorers)
    places = gathered(found, meanings)
    return {
        "about": ABOUT,
        "models": list(models),
        "scorers": dict(scorers),
        "datasets": {name: _dataset(items) for name, items in sorted(found.datasets().items())},
        "scores": tables.scores(found, meanings),
        "groups": tables.groups(found, meanings),
        "wordings": _placed(repeats.wordings(places)),
        "samples": _placed(repeats.samples(places)),
        "perplexity": _placed(corpus.perplexities(found, scorers)),
        "states": _placed(_states(found)),
        "intervals": {"level": str(LEVEL), "resamples": RESAMPLES},
    }


def _dataset(items: list[GroupedItem]) -> dict[str, Any]:
    columns = sorted({column for item in items for column in item.groups})
    found: dict[str, Any] = {
        "items": len(items),
        "groups": {column: len({item.groups.get(column) for item in items}) for column in columns},
    }
    clusters = {item.cluster for item in items if item.cluster}
    return {**found, "clusters": len(clusters)} if clusters else found


def _states(found: ScoredItems) -> Iterable[tuple[Place, dict[str, Any]]]:
    """Count each scorer's answers by state, and the answers that were cut off at the token limit."""
    states: dict[Place, Counter[str]] = {}
    for answer in found.answers:
        place = (answer.row["model"], answer.dataset, answer.row["scorer"])
        if place not in states:
            states[place] = Counter(dict.fromkeys((*graded.STATES, "cut_off"), 0))
        counts = states[place]
        counts[graded.state(answer.row)] += 1
        counts["cut_off"] += answer.row["detail"].get("finish") == "length"
    return [(place, dict(counts)) for place, counts in sorted(states.items())]


def _placed(found: Iterable[tuple[Place, Any]]) -> dict[str, Any]:
    """Nest findings by model, dataset and scorer."""
    tree: dict[str, Any] = {}
    for (model, dataset, scorer), told in found:
        tree.setdefault(model, {}).setdefault(dataset, {})[scorer] = told
    return tree
