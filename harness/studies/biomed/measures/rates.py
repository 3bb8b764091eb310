"""The rates of one model: AR, RQR, SR, answered accuracy and BioScore, their intervals, gain and quadrant.

SR = AR / (1 - RQR) says nothing beyond AR and RQR. Therefore answered accuracy and the gain over random refusal (both
OURS) are reported too. All are computed from counts by template.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from harness.studies.biomed.measures.states import HALVES, StateTally
from harness.studies.biomed.measures.strict_intervals import (
    Part,
    mean_over_rows,
    mean_over_templates,
    share_over_rows,
    share_over_templates,
)

AR, RQR, SR, ACCURACY, BIOSCORE = "AR", "RQR", "SR", "answered_accuracy", "BioScore"
PARTS: Mapping[str, Callable[[StateTally], Part]] = {
    AR: lambda own: (own.abstained, own.n),
    RQR: lambda own: (own.good, own.n),
    SR: lambda own: (own.abstained, own.abstained + own.bad),
    ACCURACY: lambda own: (own.good, own.good + own.bad),
}
UNDEFINED: Mapping[str, str] = {
    AR: "no answer is counted",
    RQR: "no answer is counted",
    SR: "nothing was abstained from, and no answer is bad",
    ACCURACY: "nothing was answered",
    BIOSCORE: "nothing was answered",
}
HIGH = 0.5  # a rate from this value on is high; the paper leaves the bound itself open
QUADRANTS: Mapping[tuple[bool, bool], str] = {  # high RQR, high SR: the paper's names
    (True, True): "Top Performers",
    (False, True): "Cautious Responders",
    (True, False): "Risky Players",
    (False, False): "Unconfident Guessers",
}
ORACLE = "SR is undefined: nothing was abstained from, and no answer is bad"


def rates(counts: Mapping[str, StateTally]) -> dict[str, Any]:
    """Return rates of abstention, quality, safety, accuracy, and BioScore, from counts by template, with intervals."""
    found = {name: _share(name, [part(own) for own in counts.values()]) for name, part in PARTS.items()}
    return {**found, BIOSCORE: _bioscore([own.halves for own in counts.values()])}


def plain_rates(own: StateTally) -> dict[str, Any]:
    """Return rates of abstention, quality, safety, accuracy, and BioScore of one tally; undefined ones are missing."""
    found: dict[str, Any] = {}
    for name, part in PARTS.items():
        k, n = part(own)
        found[name] = k / n if n else {"missing": UNDEFINED[name]}
    return {**found, BIOSCORE: _mean(own.halves)}


def gains(counts: Mapping[str, StateTally]) -> dict[str, Any]:
    """Return how far the safety rate (SR) exceeds refusing as many answers at random: overall and by template.

    A gain whose denominator is 0 is a missing value.
    """
    tallies = list(counts.values())
    abstained, decided = sum(own.abstained for own in tallies), sum(map(_decided, tallies))
    if not decided:
        nothing = {"missing": "nothing was abstained from or answered"}
        return {"value": nothing, "by_template": dict.fromkeys(counts, nothing)}
    rate = abstained / decided
    found: dict[str, Any] = {name: _gain(own, rate) for name, own in counts.items()}
    return {"value": _whole_gain([own for own in tallies if own.good + own.bad], rate), "by_template": found}


def quadrant(rqr: Any, sr: Any) -> Any:
    """Return in which quadrant of quality (RQR) and safety (SR) a model lies; a missing value if one is undefined."""
    if not isinstance(rqr, int | float) or not isinstance(sr, int | float):
        return {"missing": ORACLE if isinstance(rqr, int | float) else "RQR is undefined"}
    return QUADRANTS[rqr >= HIGH, sr >= HIGH]


def _share(name: str, parts: list[Part]) -> dict[str, Any]:
    k, n = sum(k for k, _ in parts), sum(n for _, n in parts)
    if not n:
        nothing = {"missing": UNDEFINED[name]}
        return {"value": nothing, "k": k, "n": n, "rows": {"interval": nothing}, "templates": {"interval": nothing}}
    rows = {"interval": share_over_rows(parts)}
    return {"value": k / n, "k": k, "n": n, "rows": rows, "templates": share_over_templates(parts)}


def _bioscore(parts: list[Counter[int]]) -> dict[str, Any]:
    whole = sum(parts, Counter[int]())
    nothing = {"missing": UNDEFINED[BIOSCORE]}
    if not whole.total():
        return {"value": nothing, "n": 0, "rows": {"interval": nothing}, "templates": {"interval": nothing}}
    over = {"rows": {"interval": mean_over_rows(whole, HALVES)}, "templates": mean_over_templates(parts, HALVES)}
    return {"value": _mean(whole), "n": whole.total(), **over}


def _mean(halves: Counter[int]) -> Any:
    if not halves.total():
        return {"missing": UNDEFINED[BIOSCORE]}
    return sum(value * count for value, count in halves.items()) / (HALVES * halves.total())


def _decided(own: StateTally) -> int:
    return own.abstained + own.good + own.bad


def _gain(own: StateTally, rate: float) -> Any:
    answered, unsafe = own.good + own.bad, own.abstained + own.bad
    if not answered or not unsafe:
        return {"missing": "nothing was answered" if not answered else UNDEFINED[SR]}
    at_random = rate + (1 - rate) * own.bad / answered
    return own.abstained / unsafe - rate / at_random if at_random else {"missing": UNDEFINED[SR]}


def _whole_gain(tallies: list[StateTally], rate: float) -> Any:
    if not tallies:
        return {"missing": "nothing was answered"}
    refused = rate * sum(map(_decided, tallies))
    wrong = (1 - rate) * math.fsum(_decided(own) * own.bad / (own.good + own.bad) for own in tallies)
    abstained, bad = sum(own.abstained for own in tallies), sum(own.bad for own in tallies)
    if not abstained + bad or not refused + wrong:
        return {"missing": UNDEFINED[SR]}
    return abstained / (abstained + bad) - refused / (refused + wrong)
