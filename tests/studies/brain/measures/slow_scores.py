"""Averages, choices and stars worked out slowly from the words of the study's facts: exact fractions, one unit a time.

Nothing here is shared with the code under test. It also holds the golden cases of our own, and writes them:
`PYTHONPATH=tests python tests/studies/brain/measures/slow_scores.py`.
"""

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import scipy

CASES = Path(__file__).parents[3] / "golden" / "cases" / "brain"


def is_finite(score):
    return not isinstance(score, str) and math.isfinite(score)


def average(values):
    return sum(values, Fraction(0)) / len(values) if values else None


def of_participant(scores, generation):
    """P: what is no number is 0 and each unit is clipped. H: nan goes, an infinity is 0, and the mean is clipped."""
    if generation == "P":
        return average([max(Fraction(one), Fraction(0)) if is_finite(one) else Fraction(0) for one in scores])
    kept = [Fraction(one) if is_finite(one) else Fraction(0) for one in scores if one != "nan"]
    return max(average(kept), Fraction(0)) if kept else None


def aggregate(scores, participants, networks, experiments, generation, network="language"):
    found, units = {}, {}
    for name in sorted(set(participants)):
        parts = []
        for experiment in sorted(set(experiments)):
            own = [
                score
                for score, who, net, exp in zip(scores, participants, networks, experiments, strict=True)
                if (who, net, exp) == (name, network, experiment)
            ]
            units[name] = units.get(name, 0) + len(own)
            parts += [of_participant(own, generation)] if own else []
        parts = [part for part in parts if part is not None]
        if parts:
            found[name] = average(parts)
    every = average(list(found.values()))
    return {
        "score": None if every is None else float(every),
        "participants": {name: float(value) for name, value in found.items()},
        "units": {name: count for name, count in units.items() if count},
        "left_out": sorted(set(participants) - set(found)),
        "degenerate": sum(
            not is_finite(score) for score, net in zip(scores, networks, strict=True) if net == network
        ),
    }  # fmt: skip


def layer_choice(layers, participants, networks, generation):
    """P: the mean over units, finite ones clipped. H: the mean over participants of their clipped mean."""
    values = []
    for scores in layers:
        if generation == "H":
            values.append(aggregate(scores, participants, networks, [""] * len(scores), "H")["score"])
            continue
        kept = [max(Fraction(one), Fraction(0)) for one, net in zip(scores, networks, strict=True)
                if net == "language" and is_finite(one)]  # fmt: skip
        values.append(float(average(kept)) if kept else None)
    return {"chosen": first_highest(values), "values": values}


def first_highest(values):
    chosen = None
    for place, value in enumerate(values):
        if value is not None and (chosen is None or value > values[chosen]):
            chosen = place
    return chosen


def r2(errors, baseline, rows):
    """1 - the error pooled over folds by their rows / that of the training mean."""
    if any(not is_finite(one) for one in errors):
        return "nan"
    model = sum(Fraction(one) * count for one, count in zip(errors, rows, strict=True))
    plain = sum(Fraction(one) * count for one, count in zip(baseline, rows, strict=True))
    if not plain:
        return "-inf" if model else "nan"
    return float(1 - model / plain)


def nested_choice(inner, mse, baseline, rows, participants, networks, generation, each_unit=False):
    folds, units, candidates = len(rows), len(networks), len(inner)
    taken: list[list[Any]] = [[0] * units for _ in rows]
    chosen = []
    for fold in range(folds):
        means = []
        for candidate in range(candidates):
            kept = [Fraction(one) for one, net in zip(inner[candidate][fold], networks, strict=True)
                    if net == "language" and is_finite(one)]  # fmt: skip
            means.append(average(kept))
        chosen.append(first_highest(means))
        for unit in range(units):
            own = [inner[candidate][fold][unit] for candidate in range(candidates)]
            best = first_highest([one if is_finite(one) else None for one in own]) or 0
            best = best if each_unit else chosen[fold]
            taken[fold][unit] = "nan" if best is None else mse[best][fold][unit]
    scores = [
        r2([taken[fold][unit] for fold in range(folds)], [row[unit] for row in baseline], rows) for unit in range(units)
    ]
    averaged = aggregate(scores, participants, networks, [""] * units, generation)
    lacks = not each_unit and None in chosen
    return {
        "chosen": None if each_unit else chosen,
        "r2": scores,
        "score": None if lacks else averaged["score"],
        "participants": {} if lacks else averaged["participants"],
    }


def star(scores, spaces, containing=""):
    names = [
        name
        for name in scores
        if all(band in spaces for band in name.split("+")) and (not containing or containing in name.split("+"))
    ]
    columns = zip(*(scores[name] for name in names), strict=True)
    highest = []
    for column in columns:
        kept = [float(one) for one in column if one != "nan"]
        top = max(kept) if kept else math.nan
        highest.append(top if math.isfinite(top) else str(top))
    return {"star": highest, "subsets": len(names), "models": names}


def curves(one, other):
    kept = [pair for pair in zip(one, other, strict=True) if all(map(is_finite, pair))]
    first, second = zip(*kept, strict=True)
    steps = [[after - before for before, after in pairwise(side)] for side in (first, second)]
    return {
        "points": len(kept),
        "pearson": float(scipy.stats.pearsonr(first, second)[0]),
        "spearman": float(scipy.stats.spearmanr(first, second)[0]),
        "steps_pearson": float(scipy.stats.pearsonr(*steps)[0]),
        "steps_spearman": float(scipy.stats.spearmanr(*steps)[0]),
    }


def wave(count, start, size=0.1):
    """Give numbers that look like scores, the same on every machine."""
    return [round(size * math.sin(12.9898 * (start + place)), 4) for place in range(count)]


def aggregate_cases():
    who = ["a"] * 4 + ["b"] * 3 + ["c"] * 2 + ["d"] * 3
    odd = [0.2, "nan", -0.1, "-inf", 0.3, "inf", -0.2, "nan", "nan", 0.1, -0.4, 0.05]
    units = {
        "scores of one network": (wave(12, 1), who, ["language"] * 12, [""] * 12),
        "nan, infinities, a participant of nan alone": (odd, who, ["language"] * 12, [""] * 12),
        "a participant without a unit of the network": (
            wave(12, 20), who, ["language"] * 7 + ["DMN"] * 2 + ["language", "MD", "language"], [""] * 12,
        ),
        "two experiments, one participant in the second alone": (
            wave(12, 40), ["a"] * 4 + ["b"] * 4 + ["c"] * 4, ["language"] * 12, ["384", "384", "384", "243"] * 2
            + ["243"] * 4,
        ),
        "an experiment of nan alone": (
            ["nan", "nan", 0.3, 0.1, -0.5, 0.4], ["a"] * 4 + ["b"] * 2, ["language"] * 6,
            ["384", "384", "243", "243", "384", "243"],
        ),
        "everybody below zero": ([-0.1, -0.2, -0.3, 0.1], ["a", "a", "b", "b"], ["language"] * 4, [""] * 4),
        "no unit of the network": ([0.1, 0.2], ["a", "b"], ["DMN", "MD"], ["", ""]),
        "no unit": ([], [], [], []),
        "only minus infinity": (["-inf", "-inf"], ["a", "b"], ["language"] * 2, [""] * 2),
    }  # fmt: skip
    for generation in ("P", "H"):
        for name, (scores, participants, networks, experiments) in units.items():
            given = {"scores": scores, "participants": participants, "networks": networks, "generation": generation}
            expected = aggregate(scores, participants, networks, experiments, generation)
            every = {
                net: aggregate(scores, participants, networks, experiments, generation, net)["score"]
                for net in sorted(set(networks))
            }
            more = {"experiments": experiments} if any(experiments) else {}
            yield f"{generation}: {name}", {**given, **more}, {**expected, "networks": every}


def layer_cases():
    who, nets = ["a"] * 5 + ["b"], ["language"] * 4 + ["DMN", "language"]
    layers = {
        "plain": [wave(6, 3), wave(6, 9), wave(6, 15), wave(6, 21)],
        "the first of equals": [[0.1] * 6, [0.2] * 6, [0.2] * 6],
        "a dropped nan makes the mean higher": [[0.2, 0.2, 0.2, 0.2, 0.9, 0.2], [0.3, "nan", "-inf", "nan", 0.0, 0.25]],
        "units against participants": [[0.4, 0.4, 0.4, 0.4, 0.0, 0.0], [0.1, 0.1, 0.1, 0.1, 0.0, 0.5]],
        "a layer without a value": [["nan"] * 6, [-0.1] * 6, ["nan"] * 4 + [0.5, "nan"]],
        "none has a value": [["nan"] * 6, ["nan"] * 6],
        "all below zero": [[-0.2] * 6, [-0.1] * 6],
        "minus infinity alone": [["-inf"] * 6, [0.0] * 6],
    }
    for generation in ("P", "H"):
        for name, scores in layers.items():
            given = {"scores": scores, "participants": who, "networks": nets, "generation": generation}
            yield f"{generation}: {name}", given, layer_choice(scores, who, nets, generation)


def nested_cases():
    who, nets, rows = ["a", "a", "b", "b", "c"], ["language"] * 4 + ["DMN"], [5, 3, 4]
    inner = [[wave(5, 50 + 20 * one + 5 * fold) for fold in range(3)] for one in range(3)]
    mse = [[[round(1 + value, 4) for value in wave(5, 200 + 20 * one + 5 * fold, 0.3)] for fold in range(3)]
           for one in range(3)]  # fmt: skip
    plain = [[1.1, 1.0, 1.2, 0.0, 1.0], [1.0, 1.3, 1.1, 0.0, 1.0], [0.9, 1.0, 1.0, 0.0, 1.0]]
    ties = [inner[0], inner[0], inner[0]]
    odd = [[["nan"] * 5, ["-inf", 0.2, 0.2, "nan", 9.0], ["nan"] * 4 + [9.0]], inner[1], inner[2]]
    none = [[["nan"] * 5, *one[1:]] for one in inner]
    for name, scores in {"plain": inner, "ties": ties, "not finite": odd, "a fold without any": none}.items():
        for generation in ("P", "H"):
            for each in (False, True):
                given = {
                    "inner": scores, "mse": mse, "mse_intercept": plain, "fold_rows": rows, "participants": who,
                    "networks": nets, "generation": generation, "each_unit": each,
                }  # fmt: skip
                expected = nested_choice(scores, mse, plain, rows, who, nets, generation, each)
                yield f"{generation}: {name}, {'each unit' if each else 'one for all'}", given, expected


def star_cases():
    names = ("SP", "SL", "SP+SL", "LLM", "SP+LLM", "SL+LLM", "SP+SL+LLM", "SP+SL+WORD", "WORD")
    scores = {name: wave(6, 300 + 6 * place) for place, name in enumerate(names)}
    odd = {"SP": ["nan", "-inf", 0.1, "nan"], "SL": ["nan", "nan", "-inf", 0.2], "SP+SL": ["nan", "-inf", 0.1, -0.3]}
    asked = [("SP SL", ""), ("SP SL LLM", "LLM"), ("SP SL WORD", "WORD"), ("SP SL WORD", ""), ("SP LLM", "LLM")]
    for spaces, containing in asked:
        given = {"scores": scores, "spaces": spaces.split(), "containing": containing}
        yield f"{spaces} with {containing or 'anything'}", given, star(scores, spaces.split(), containing)
    yield "not finite", {"scores": odd, "spaces": ["SP", "SL"]}, star(odd, ["SP", "SL"])


def curve_cases():
    shuffled = [0.3, 0.11, 0.12, 0.14, 0.15, 0.13, 0.16]
    contiguous = [0.31, 0.05, 0.045, 0.03, 0.032, 0.04, 0.02]
    gone = [0.3, "nan", 0.12, 0.14, 0.15, 0.13, 0.16]
    for name, one in (("a static layer apart from the others", shuffled), ("a layer without a score", gone)):
        expected = {"all": curves(one, contiguous), "without_layer_0": curves(one[1:], contiguous[1:])}
        yield name, {"shuffled": one, "contiguous": contiguous}, expected
    yield (
        "no layer 0",
        {"shuffled": shuffled, "contiguous": contiguous, "first": 1},
        {"all": curves(shuffled, contiguous)},
    )


RULES = {
    "aggregate": (aggregate_cases, "facts 4.4, clarifications: P counts what is not finite as 0 and clips units; "
                  "H drops nan, counts infinities as 0, clips the mean of a participant and experiment"),
    "layer_choice": (layer_cases, "facts 4.4: P clips finite units and averages them, H averages participants' clipped "
                     "means; the first of equals; a layer without a value is never chosen"),
    "nested_choice": (nested_cases, "OURS: the candidate with the best inner score of a fold (of a unit: each unit), "
                      "then R2 of pooled fold errors (facts 4.3)"),
    "star": (star_cases, "facts 4.5: the highest score over subsets, unit by unit, before clipping"),
    "layer_curves": (curve_cases, "facts 10: Pearson and Spearman by scipy, of layers and of neighbours' differences"),
}  # fmt: skip


FILES = {f"{name}_own.json": name for name in RULES}


def document_of(file):
    """Work out a file of golden cases."""
    made, rule = RULES[FILES[file]]
    cases = [{"name": case, "given": given, "expected": expected} for case, given, expected in made()]
    return {"rule": rule, "cases": cases}


def text(document):
    """Write a document with a line a case."""
    cases = ",\n  ".join(json.dumps(case) for case in document["cases"])
    return f'{{\n "rule": {json.dumps(document["rule"])},\n "cases": [\n  {cases}\n ]\n}}\n'


if __name__ == "__main__":
    CASES.mkdir(parents=True, exist_ok=True)
    for file in FILES:
        (CASES / file).write_text(text(document_of(file)), encoding="utf-8")
