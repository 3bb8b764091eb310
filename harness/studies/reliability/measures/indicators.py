"""The step that computes the six indicators of every model on every benchmark, with their intervals.

Rules, starting with the first indicator: docs/reliability-rules.md#proportion. Works on labels and the options of the
analysis; independent of scoring rules and response texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit.resample import LEVEL, RESAMPLES
from harness.studies.reliability.measures import coverage
from harness.studies.reliability.measures.estimates import NEVER_WRONG, AnalysisOptions, TableEstimates, estimate
from harness.studies.reliability.measures.headline import headline
from harness.studies.reliability.measures.labelled import read
from harness.studies.reliability.measures.recentred import CURVED
from harness.studies.reliability.terms import BINS, LABELS, NAMES, NOTHING_SCORED, discounts

CONSTANT = "difficulty or rate is constant"
ONE_PROMPT = "one prompt says nothing about another"


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `indicators`: six reliability indicators, correlations and label shares of every model.

    They are given by benchmark, by part of a benchmark, and as means over benchmarks: of models, stand-ins and pairs.
    """
    asked = AnalysisOptions(
        params.get("bins", BINS),
        params.get("resamples", RESAMPLES),
        params["seed"],
        discounts(params["discount"]),
    )
    labels = read(inputs["labels"])
    found = {name: estimate(table, asked) for name, table in labels.benchmarks.items()}
    summary = {
        "rule_set": params["rule_set"],
        "calibrated": labels.calibrated,
        "difficulty_scale": "unit",
        "discount": dict(asked.discount),
        "ci": {
            "level": str(LEVEL),
            "resamples": asked.resamples,
            "of": "instances with all their prompts, within benchmark and subset",
            "fixed": ["calibration", "templates"],
            "recentred": list(CURVED),
            "coverage": coverage.table(),
        },
        "benchmarks": {name: _entries(each) for name, each in found.items()},
        "parts": {name: _entries(estimate(table, asked)) for name, table in labels.parts.items()},
        **headline(found, params.get("models", {})),
    }
    rows.write_one(out / "indicators", summary)


def _entries(found: TableEstimates) -> dict[str, Any]:
    return {
        model: {
            **{name: value for kind in ("correctness", "prudence") for name, value in _three(found, model, kind)},
            "spearman": {
                over: {label: found.statistic(model, f"spearman.{over}.{label}", CONSTANT) for label in LABELS}
                for over in ("items", "bins")
            },
            "ultracrepidarianism": found.statistic(
                model, "ultracrepidarianism", NEVER_WRONG if point["n_scored"] else NOTHING_SCORED
            ),
            **{name: found.statistic(model, name) for name in NAMES.values()},
            "n_items": point["n_items"],
            "n_scored": point["n_scored"],
            "errors": found.table.errors(model),
            "prompts": found.table.prompts,
        }
        for model, point in found.points.items()
    }


def _three(found: TableEstimates, model: str, kind: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the three indicators of `correctness` or `prudence` (`kind`), each with its values for comparison."""
    point = found.points[model]
    steady, agreed = point["stability"][kind], point["concordance"][kind]

    def stated(what: str) -> dict[str, Any]:
        name = f"{kind}_{what}"
        return {**found.statistic(model, name), "degenerate": found.degenerate(model, name)}

    return [
        (f"{kind}_proportion", stated("proportion")),
        (
            f"{kind}_stability",
            {
                **stated("stability"),
                "noise_floor": _known(steady["noise_floor"], NOTHING_SCORED),
                "corrected": _known(steady["corrected"], ONE_PROMPT if point["n_scored"] else NOTHING_SCORED),
            },
        ),
        (
            f"{kind}_concordance",
            {
                **stated("concordance"),
                **{name: _known(agreed[name], NOTHING_SCORED) for name in ("flat_curve", "difficulty_range", "spread")},
            },
        ),
    ]


def _known(value: Any, missing: str) -> Any:
    return {"missing": missing} if value is None else value
