"""The golden files about people, budgets and compute: the calibrations, scaling, supervision and token budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness.studies.reliability.data.difficulty import calibrated
from harness.studies.reliability.tools.people import ANALYSES
from readers.case import Tally, cases_or_one, check, laid_out, load, tolerance


def logistic_calibration(path: Path, tally: Tally) -> None:
    golden = load(path)
    run, within = ANALYSES["reliability.calibration"].run, tolerance(golden)
    for name, case in cases_or_one(golden):
        # what is asked for stands beside what is expected: the values of f of the expected points
        inputs = ("f", "y", "weights")
        points = case.get("predict") if isinstance(case, dict) else None
        asked = [point["f"] for point in points] if points else []
        outputs = ("alpha", "beta", "predict") if points else ("alpha", "beta")
        check(tally, name, case, run, inputs, outputs, within=within, more={"predict": asked})


def flops_scaling(path: Path, tally: Tally) -> None:
    golden = load(path)
    run, within = ANALYSES["reliability.scaling"].run, tolerance(golden)
    for name, case in cases_or_one(golden):
        plain = {key: case[key] for key in case if key != "series"} if isinstance(case, dict) else case
        check(tally, name, plain, run, ("flops", "value"), ("slope_per_decade", "intercept"), within=within)


def supervision_matrix(path: Path, tally: Tally) -> None:
    golden = load(path)
    run, within = ANALYSES["reliability.supervision"].run, tolerance(golden)
    outputs = (
        "counts", "incorrect_to_correct_over_nonavoidant", "incorrect_to_correct_over_incorrect",
        "correct_to_incorrect_over_correct", "supervision_accuracy", "unsure_rate",
    )  # fmt: skip
    for name, case in cases_or_one(golden):
        check(tally, name, laid_out(case, ("records", "counts")), run, ("records",), outputs, within=within)


def token_budget(path: Path, tally: Tally) -> None:
    run, inputs = ANALYSES["reliability.token_budget"].run, ("benchmark", "model_group", "expected_output_chars")
    for name, case in cases_or_one(load(path)):
        check(tally, name, case, run, inputs, ("max_new_tokens",))


def rank_calibration(path: Path, tally: Tally) -> None:
    golden = load(path)

    def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
        found = calibrated(given["raw"])
        return {"difficulty": found.values, **found.meta()}

    for name, case in cases_or_one(golden):
        check(tally, name, case, run, ("raw",), ("difficulty", "calibrated"), within=tolerance(golden))


FINISHED: dict[str, Callable[[Path, Tally], None]] = {
    "logistic_calibration*.json": logistic_calibration,
    "flops_scaling*.json": flops_scaling,
    "supervision_matrix*.json": supervision_matrix,
    "token_budget*.json": token_budget,
    "rank_calibration*.json": rank_calibration,
}
