"""Features of time alone against a language model, in shuffled splits: which scores higher, and their joint score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.studies.brain.measures.findings_fits import LanguageFits, best_pearson
from harness.studies.brain.measures.findings_rows import TIME, percent
from harness.studies.brain.measures.naming import bands, member
from harness.studies.brain.measures.starring import gain, star


def time(one: LanguageFits, choices: Mapping[str, Any]) -> dict[str, Any]:
    """Compare the scores of the autocorrelation model OASM and of a language model; empty if no OASM width was chosen.

    Pearson's r is that of the same width; in generation H, it is that of the width with the best r in each experiment.
    Ratios are of unrounded scores, by participants and by units; they are None if the language model's score is not
    above 0.
    """
    oasm = choices.get(TIME, {}).get("published", {}).get("chosen")
    if oasm not in one.found.models:
        return {}
    scores, llm = one.r2(oasm), one.r2(one.band)
    left, right = one.average(scores), one.average(llm)
    both = [name for name in left.participants if name in right.participants]
    share = percent(left.score, right.score)
    return {
        "oasm": oasm,
        "oasm_r2": left.score,
        "oasm_pearson": best_pearson(choices.get(TIME, {}), one.average(one.found.pearson(oasm)).score),
        "ratio_percent": share,
        "units_ratio_percent": percent(one.units_mean(scores), one.units_mean(llm)),
        "participants_above": sum(left.participants[name] > right.participants[name] for name in both),
        "participants": len(both),
        "times": None if share is None else share / 100,
        **_joint(one, oasm),
    }


def joint_model(one: LanguageFits) -> str:
    """Return the name of the fitted model of OASM with the language model; empty if there is none."""
    for model in one.found.models:
        others = [band for band in bands(model) if band != one.band]
        if len(others) == 1 and one.band in bands(model) and "!" not in model and _is_time(others[0]):
            return model
    return ""


def _joint(one: LanguageFits, oasm: str) -> dict[str, Any]:
    """Score OASM and the language model joined.

    The star is the maximum over the models that contain the language model; `either` also includes OASM. OASM has the
    width that it has in the joint model, if it was fitted alone at that width.
    """
    joint = joint_model(one)
    if not joint:
        return {}
    [own] = [band for band in bands(joint) if band != one.band]
    base = own if own in one.found.models else oasm
    starred = [one.band, joint]
    r2, either = (one.average(star([one.r2(each) for each in models])).score for models in (starred, [base, *starred]))
    alone = one.score(base)
    return {
        "joint": joint,
        "joint_r2": one.score(joint),
        "star_base": base,
        "star_r2": r2,
        "star_subsets": len(starred),
        "star_gain_percent": gain(r2, alone),
        "either": {"r2": either, "gain_percent": gain(either, alone)},
    }


def _is_time(band: str) -> bool:
    own = member(band)
    return own is not None and own.family == TIME
