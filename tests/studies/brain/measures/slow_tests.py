"""The tests of squared errors again, unit by unit, by scipy and plain loops: what golden cases and tests are held to.

Run as `python tests/studies/brain/measures/slow_tests.py FOLDER` it writes the golden cases of its own.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from pathlib import Path

import numpy as np
import scipy

NAN = float("nan")


def one_p(errors, against, omit=False):
    """Test one unit by scipy; what cannot be tested is 1."""
    pairs = [(a, b) for a, b in zip(errors, against, strict=True) if not (omit and math.isnan(a - b))]
    if len(pairs) < 2:
        return 1.0
    differences = [a - b for a, b in pairs]
    if len(set(differences)) == 1 and math.isfinite(differences[0]):  # a constant has no variance
        return 0.0 if differences[0] < 0 else 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p = float(scipy.stats.ttest_rel(*zip(*pairs, strict=True), alternative="less").pvalue)
    return 1.0 if math.isnan(p) else p


def every_p(errors, against, omit=False):
    columns = zip(np.transpose(errors).tolist(), np.transpose(against).tolist(), strict=True)
    return [one_p(one, two, omit) for one, two in columns]


def means(errors, labels, omit=False):
    """Average each unit within sorted labels, by hand."""
    blocks = sorted(set(labels))
    found = []
    for block in blocks:
        rows = [list(row) for row, label in zip(errors, labels, strict=True) if label == block]
        columns = [
            [value for value in column if not (omit and math.isnan(value))] for column in zip(*rows, strict=True)
        ]
        found.append([sum(column) / len(column) if column else NAN for column in columns])
    return blocks, found


def corrected(p, names):
    """Correct within equal names by scipy; a name of None is no family."""
    p = [1.0 if math.isnan(one) else one for one in p]
    q: list[float | None] = [None] * len(p)
    for name in set(names) - {None}:
        places = [place for place, other in enumerate(names) if other == name]
        for place, value in zip(places, scipy.stats.false_discovery_control([p[one] for one in places]), strict=True):
            q[place] = float(value)
    return q


def scan_labels(stories, size):
    labels, number = [], -1
    for place, story in enumerate(stories):
        if place % size == 0 or story != stories[place - 1]:
            number += 1
        labels.append(number)
    return labels


def block_case(name, errors, against, labels, *, omit=False, order=None, stories=None, size=10):
    given = {"errors": errors, "against": against, "omit": omit}
    own = scan_labels(stories, size) if stories else labels
    given |= {"stories": stories, "scans": size} if stories else {"labels": labels}
    aligned = [own[row] for row in order] if order else own
    if order:
        given["order"] = order
    blocks, mine = means(errors, aligned, omit)
    other = means(against, aligned, omit)[1]
    expected = {"p": every_p(mine, other, omit), "blocks": blocks, "means": mine, "means_against": other}
    if order:
        expected["misaligned_p"] = every_p(means(errors, own, omit)[1], means(against, own, omit)[1], omit)
    return {"name": name, "given": given, "expected": expected}


def drawn(seed, rows, units, better=0.3):
    source = np.random.default_rng(seed)
    against = source.chisquare(1, (rows, units)).round(6)
    return (against - source.normal(better, 1, (rows, units)).round(6)).round(6).tolist(), against.tolist()


def block_cases():
    errors, against = drawn(1, 12, 4)
    passages = [f"384-animal-{number}" for number in (10, 2, 2, 1, 1, 10, 0, 0, 3, 3, 1, 2)]
    yield block_case("text labels sort by their characters", errors, against, passages)
    yield block_case("numbers sort as numbers", errors, against, [10, 2, 2, 1, 1, 10, 0, 0, 3, 3, 1, 2])
    yield block_case("folds of unequal sizes are alike", errors, against, [0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2])
    yield block_case("one block: 1", errors, against, [7] * 12)
    flat = [[1.0, 2.0, 0.5, 0.25]] * 6
    yield block_case("identical: 1; constantly lower: 0; constantly higher: 1", flat, [[1.0, 2.5, 0.25, 8.25]] * 6,
                     [0, 0, 1, 1, 2, 2])  # fmt: skip
    stories = ["Aqua"] * 13 + ["Boar"] * 12 + ["Elvis"] * 8
    errors, against = drawn(2, 33, 3)
    yield block_case(
        "scans: multiples of ten over all stories, and new stories", errors, against, None, stories=stories
    )
    yield block_case("scans: blocks of four", errors, against, None, stories=stories, size=4)
    errors, against = drawn(3, 12, 3)
    order = [0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11]
    labels = ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f", "f"]
    yield block_case("fold order: labels permuted to it", errors, against, labels, order=order)
    gaps = [[NAN if (row < 5 and unit == 0) or (row == 7 and unit == 2) else value for unit, value in enumerate(line)]
            for row, line in enumerate(errors)]  # fmt: skip
    yield block_case("two experiments in one table: NaN left out", gaps, against, labels, omit=True)
    yield block_case("NaN kept: 1 where one is", gaps, against, labels)


def row_cases():
    errors, against = drawn(4, 20, 4)
    for row in range(20):
        errors[row][2] = against[row][2]
    errors[3][1] = NAN
    for omit in (False, True):
        name = f"rows: identical columns, one NaN, {'left out' if omit else 'kept'}"
        given = {"errors": errors, "against": against, "omit": omit}
        yield {"name": name, "given": given, "expected": {"p": every_p(errors, against, omit)}}


def fdr_case(name, given, names):
    p, q = [1.0 if math.isnan(one) else one for one in given["p"]], corrected(given["p"], names)
    rows = []
    for each in sorted(set(names) - {None}):
        places = [place for place, other in enumerate(names) if other == each]
        more = {"experiment": each[2]} if each[2] else {}
        rows.append({"participant": each[0], "network": each[1], **more, "units": len(places),
                     "raw": sum(p[place] < 0.05 for place in places),
                     "fdr": sum(q[place] < 0.05 for place in places)})  # fmt: skip
    tested = sum(row["units"] for row in rows)
    shares = {f"{key}_share": sum(row[key] for row in rows) / tested if tested else None for key in ("raw", "fdr")}
    return {"name": name, "given": given, "expected": {"q": q, "families": rows, **shares}}


def fdr_cases():
    source = np.random.default_rng(5)
    count = 48
    p = (source.random(count) ** 4).round(6).tolist()
    people = [("018", "199", "288")[place % 3] for place in range(count)]
    networks = [("language", "DMN", "MD", "visual")[place // 3 % 4] for place in range(count)]
    experiments = [("384", "243")[place // 24] for place in range(count)]
    p[5], p[17], p[30] = NAN, 1.0, 0.0
    both = {"p": p, "participants": people, "networks": networks, "experiments": experiments}
    every = [*zip(people, networks, experiments, strict=True)]
    merged = [(who, net, "") if net == "language" else None for who, net, _ in every]
    yield fdr_case("P: participant x network x experiment, NaN counts as 1", {**both, "generation": "P"}, every)
    yield fdr_case("H: language, experiments merged", {**both, "generation": "H"}, merged)
    alone = {"p": [0.04, 0.01, 1.0, NAN], "participants": ["a"] * 4, "networks": ["language"] * 4, "generation": "H"}
    yield fdr_case("units of p = 1 stay in the family's number", alone, [("a", "language", "")] * 4)
    ties = {"p": [0.02, 0.02, 0.02, 0.5], "participants": ["a"] * 4, "networks": ["MD"] * 4, "generation": "P"}
    yield fdr_case("ties", ties, [("a", "MD", "")] * 4)
    yield fdr_case("H: nothing of the language network", {**ties, "generation": "H"}, [None] * 4)


def lowest_case(name, errors):
    names = list(errors)
    chosen = []
    for unit in range(len(errors[names[0]][0])):
        best, least = names[0], math.inf
        for each in names:
            column = [row[unit] for row in errors[each] if not math.isnan(row[unit])]
            mean = sum(column) / len(column) if column else math.inf
            if mean < least:
                best, least = each, mean
        chosen.append(best)
    rows = range(len(errors[names[0]]))
    lowest = [[errors[each][row][unit] for unit, each in enumerate(chosen)] for row in rows]
    return {"name": name, "given": {"errors": errors}, "expected": {"chosen": chosen, "lowest": lowest}}


def lowest_cases():
    one, two = drawn(6, 5, 4, 0.0)
    three = drawn(7, 5, 4, 0.0)[1]
    yield lowest_case("a whole column, the intercept among the models", {"intercept": two, "llm": one, "full": three})
    tied = [[1.0, 3.0], [3.0, 1.0]]
    yield lowest_case("ties: the first given", {"full": tied, "llm": [[3.0, 2.0], [1.0, 1.0]]})
    gaps = [[NAN, NAN], [0.5, NAN]]
    yield lowest_case("NaN is left out of a mean; a model without one is not taken", {"gaps": gaps, "llm": tied})


def plain(value):
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return "nan" if isinstance(value, float) and math.isnan(value) else value


RULE = (
    "docs/brain.md#what-a-test-is-worth; worked out by tests/studies/brain/measures/slow_tests.py: "
    "scipy's ttest_rel and false_discovery_control"
)
FILES = {
    "block_test": lambda: [*block_cases(), *row_cases()],
    "fdr": lambda: [*fdr_cases()],
    "lowest_error": lambda: [*lowest_cases()],
}

if __name__ == "__main__":
    for stem, made in FILES.items():
        golden = {"rule": RULE, "cases": plain(made())}
        Path(sys.argv[1], f"{stem}.json").write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")
