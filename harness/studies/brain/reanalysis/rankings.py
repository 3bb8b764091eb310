"""The scores of the models of 2021 (neural-nlp) next to the authors' (OURS): a use of them, and no evidence by itself.

These scores are of shuffled splits, divided by a ceiling, over both experiments. Therefore only orders are compared,
never sizes, and no p-value is given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from harness.stats import spearman
from harness.studies.brain.measures.aggregation import mean
from harness.studies.brain.measures.curves import with_and_without_first
from harness.studies.brain.reanalysis.collection import PublishedResults
from harness.studies.brain.terms import LANGUAGE

UNTRAINED = "-untrained"
_BLOCK = re.compile(r"encoder\.h\.([0-9]{1,3})")
EMBEDDING = "drop"  # GPT-2's embedding, before its first block
NOTE = (
    "Of 2021: shuffled splits, Pearson divided by a ceiling, both experiments at once; the authors' curves are of one "
    "experiment. Neighbouring layers are no independent observations, so no p-value is given."
)


def rankings(found: PublishedResults) -> dict[str, Any]:
    """Correlate layer curves with published scores of the same models, and rank these; empty without the scores."""
    if not found.ranked:
        return {}
    by_model = {(row["dataset"], row["model"]): row["scores"] for row in found.ranked}
    told = [(dataset, model.removesuffix(UNTRAINED), len(scores)) for (dataset, model), scores in by_model.items()]
    datasets = {
        dataset: {
            "models": len({model for own, model, _ in told if own == dataset}),
            "scores": sum(layers for own, _, layers in told if own == dataset),
        }
        for dataset in dict.fromkeys(dataset for dataset, _, _ in told)
    }
    return {
        "note": NOTE,
        "models": len({model for _, model, _ in told}),
        "datasets": datasets,
        "layers": _layers(found, by_model),
        "order": _orders(found, by_model),
    }


def canonical(model: str) -> str:
    """Return a model's name as the authors' files spell it: `gpt2-xl-untrained` is `gpt2xlu`."""
    trained = model.removesuffix(UNTRAINED)
    return re.sub(r"[^a-z0-9]", "", trained.lower()) + ("u" if trained != model else "")


def _layers(found: PublishedResults, by_model: Mapping[tuple[str, str], Mapping[str, float]]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    theirs = {(dataset, canonical(model)): _places(scores) for (dataset, model), scores in by_model.items()}
    path = found.ranked[0]["path"]
    for curve in found.curves:
        other = theirs.get((curve.dataset, curve.of.base))
        if not other:
            continue
        places = sorted(int(layer) for layer in curve.scores)
        ours = [curve.scores[str(place)] for place in places]
        together = with_and_without_first(places, [other.get(place) for place in places], ours)
        at = told.setdefault(curve.place, {}).setdefault(curve.metric, {}).setdefault(curve.label, {})
        at[curve.split] = {
            name: {"spearman": one["spearman"], "layers": one["points"]} for name, one in together.items()
        }
        found.note(path, curve.path, f"order of layers, {curve.label}, {curve.split} (OURS)", "compared")
    return told


def _places(scores: Mapping[str, float]) -> dict[int, float]:
    """Return GPT-2's scores by layer, numbered like hidden states, 0 before the first block; empty for other models."""
    blocks = {int(match[1]) + 1: score for name, score in scores.items() if (match := _BLOCK.fullmatch(name))}
    return {**({0: scores[EMBEDDING]} if EMBEDDING in scores else {}), **blocks} if blocks else {}


def _orders(found: PublishedResults, by_model: Mapping[tuple[str, str], Mapping[str, float]]) -> dict[str, Any]:
    """Rank, for each table of the authors, the models that both have by the score of their best layer."""
    best = {
        (dataset, canonical(model)): max(scores.values()) for (dataset, model), scores in by_model.items() if scores
    }
    told: dict[str, Any] = {}
    for column in found.columns:
        if column.network == LANGUAGE and (column.dataset, column.of.base) in best:
            key = f"{column.metric} {column.split}, {column.of.pooling}"
            own = told.setdefault(column.place, {}).setdefault(key, {"models": {}})
            score = best[column.dataset, column.of.base]
            own["models"][column.of.base] = {"authors": mean(column.scores.values()), "neural_nlp": score}
    told = {
        place: {key: own for key, own in orders.items() if len(own["models"]) > 1} for place, orders in told.items()
    }
    for orders in told.values():
        for own in orders.values():
            pairs = [*own["models"].values()]
            sides = [[one[name] for one in pairs] for name in ("authors", "neural_nlp")]
            # An order of two models says almost nothing, so it is reported without a correlation.
            own["spearman"] = spearman(*sides) if len(pairs) > 2 else None
            own["same_order"] = _order(sides[0]) == _order(sides[1])
    return {place: orders for place, orders in told.items() if orders}


def _order(values: list[float]) -> list[int]:
    return sorted(range(len(values)), key=lambda place: -values[place])
