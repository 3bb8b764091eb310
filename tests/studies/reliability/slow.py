"""The indicators worked out slowly from their definitions: exact fractions, every pair of prompts, Simpson's rule.

Nothing here is shared with the code under test; the golden cases of our own were computed with it.
"""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import scipy


def bins(ids, difficulty, count):
    """Deal the sorted items out like cards into piles whose sizes are settled first."""
    sizes = [0] * min(count, len(ids))
    for place in range(len(ids)):
        sizes[place % len(sizes)] += 1
    ordered = sorted(zip(difficulty, ids, strict=True))
    answer = {}
    for number, size in enumerate(sizes):
        for _ in range(size):
            answer[ordered.pop(0)[1]] = number
    return [answer[item] for item in ids]


def stability(groups):
    """Average over every pair inside, and every pair outside: how many of the instance's prompts are on the same side.

    `groups` holds for each instance a truth value a prompt: whether the prompt is in the group.
    """
    chances = {True: [], False: []}
    for prompts in groups:
        for own in prompts:
            chances[own].append(Fraction(sum(other == own for other in prompts), len(prompts)))
    means: list[Any] = [sum(side) / len(side) if side else None for side in chances.values()]
    return (sum(means) / 2 if None not in means else Fraction(1)) if any(groups) else None


def concordance(points):
    """Integrate the curve by Simpson's rule, exact for what is at most quadratic, on merged points from 0."""
    heights = {}
    for h, psi in points:
        heights.setdefault(h, []).append(psi)
    merged = [(h, sum(psi) / len(psi)) for h, psi in sorted(heights.items())]
    if not merged:
        return None
    pieces = [((Fraction(0), Fraction(1)), (merged[0][0], Fraction(1))), *pairwise(merged)]
    area = resources = Fraction(0)
    for (a, c), (b, e) in pieces:
        area += (b - a) / 6 * (c + 4 * (c + e) / 2 + e)
        resources += (b - a) / 6 * (a * c + 4 * (a + b) / 2 * (c + e) / 2 + b * e)
    radicand = 2 * resources - area**2
    return 100 / (1 + math.sqrt(radicand)) if radicand >= Fraction(1, 10**12) else 100.0


def spearman(x, y):
    """Ask scipy, except where it has nothing to say."""
    if len(set(x)) < 2 or len(set(y)) < 2:
        return None
    return float(scipy.stats.spearmanr([float(each) for each in x], [float(each) for each in y]).statistic)


def indicators(ids, difficulty, labels, n_bins=30, discount=0):
    """Give every expected field of `indicators_end_to_end.json` for one model."""
    exact, discount = [Fraction(str(each)) for each in difficulty], Fraction(str(discount))
    found = bins(ids, difficulty, n_bins)
    members = [[place for place, own in enumerate(found) if own == number] for number in range(max(found) + 1)]
    pooled = ["".join(labels[place] for place in inside) for inside in members]
    at = [sum(exact[place] for place in inside) / len(inside) for inside in members]
    rate = {x: [Fraction(text.count(x), len(text)) if text else None for text in pooled] for x in "cai"}
    together = "".join(labels)
    psi = {
        "correctness": [less(c, c + i, discount) if c is not None else None for c, i in both(rate, "ci")],
        "prudence": [less(1 - i, c + i, discount) if c is not None else None for c, i in both(rate, "ci")],
    }
    groups = {"correctness": "c", "prudence": "i"}
    share: dict[str, Any] = {x: Fraction(together.count(x), len(together)) if together else None for x in "cai"}
    six = {
        "correctness_proportion": number(share["c"], 100),
        "prudence_proportion": number(share["c"] + share["a"], 100) if together else None,
    }
    for kind, label in groups.items():
        value = stability([[x == label for x in text] for text in labels])
        six[f"{kind}_stability"] = None if value is None else float(200 * (value - Fraction(1, 2)))
        curve = [(h / 100, each) for h, each in zip(at, psi[kind], strict=True) if each is not None]
        six[f"{kind}_concordance"] = concordance(curve)
    known = [place for place, text in enumerate(pooled) if text]
    silent = together.count("a") + together.count("i")
    return {
        "counts": {x: together.count(x) for x in "cai"},
        "bin_of_item": found,
        "bin_mean_difficulty": [float(each) for each in at],
        "bin_rate": {x: [number(each) for each in rate[x]] for x in "cai"},
        "psi_correctness": [number(each) for each in psi["correctness"]],
        "psi_prudence": [number(each) for each in psi["prudence"]],
        "indicators": six,
        "spearman_difficulty_vs_rate": {
            x: spearman([at[place] for place in known], [rate[x][place] for place in known]) for x in "cai"
        },
        "ultracrepidarianism": together.count("i") / silent if silent else None,
    }


def spearman_of_items(difficulty, labels, label):
    """Correlate over instances instead of bins."""
    scored = [(d, text) for d, text in zip(difficulty, labels, strict=True) if text]
    return spearman([d for d, _ in scored], [Fraction(text.count(label), len(text)) for _, text in scored])


def both(rate, labels):
    return zip(*(rate[label] for label in labels), strict=True)


def less(share, spoken, discount):
    return max(Fraction(0), share - discount * spoken)


def number(value, times=1):
    return None if value is None else float(times * value)
