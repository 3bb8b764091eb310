"""Writes into docs/biomed-grading.md how far the rule grader of `biomed` agrees with grades that were given by reading.

`python tests/rule_agreement.py [PATH]`, in a checkout: the labelled answers are those of the tests, from which
`harness certify biomed.bioscore_rule tests/studies/biomed/judging/labels.jsonl` makes the certificate. It must never
know how the rule grades.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "biomed-grading.md"
LABELS = ROOT / "tests" / "studies" / "biomed" / "judging" / "labels.jsonl"
BEGIN, END = "<!-- agreement: written by tests/rule_agreement.py -->\n", "<!-- agreement: end -->\n"  # in the page
STATES = ("good", "bad", "abstain")
WHO = (
    ("grade_a", "grade_b", "the two gradings"),
    ("graded", "rule", "gradings and rule, by the gold's facts"),
    ("graded", "by_text", "gradings and rule, from texts alone"),
)
Row = Mapping[str, Any]


def state(grade: float) -> str:
    """Give the state of a grade on the rubric's scale."""
    return "abstain" if grade < 0 else "good" if grade >= 2 else "bad"


def labelled() -> list[dict[str, Any]]:
    """Read the labelled answers, each with both grades, and the rule's by facts and from texts alone."""
    from harness.studies.biomed.judging.rule import grade

    rows = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        asked = row["question"], row["answer"], row["response"]
        row["rule"], row["by_text"] = float(grade(*asked, row["facts"]).grade), float(grade(*asked).grade)
    return rows


def agreement(rows: Sequence[Row], one: str, other: str) -> tuple[float, float, float]:
    """Give three-state kappa, the share of equal states, and the share of grades within half a point."""
    from harness.stats import kappa

    pairs = Counter((state(row[one]), state(row[other])) for row in rows)
    matrix = [[pairs[first, second] for second in STATES] for first in STATES]
    near = sum(abs(row[one] - row[other]) <= 0.5 for row in rows)
    return kappa(matrix) or 0.0, sum(pairs[each, each] for each in STATES) / len(rows), near / len(rows)


def rates(rows: Sequence[Row], who: str) -> tuple[float, float]:
    """Give RQR and SR by somebody's grades: good of all, abstained of abstained and bad."""
    counts = Counter(state(row[who]) for row in rows)
    return counts["good"] / len(rows), counts["abstain"] / max(1, counts["abstain"] + counts["bad"])


def block(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of the agreement, table by table."""
    yield BEGIN
    yield "| answers | n | who | kappa of three states | states equal | grades within half a point |\n"
    yield "| --- | ---: | --- | ---: | ---: | ---: |\n"
    for part in ("develop", "frozen"):
        own = [row for row in rows if row["part"] == part]
        for one, other, words in WHO:
            found = " | ".join(f"{value:.3f}" for value in agreement(own, one, other))
            yield f"| {part} | {len(own)} | {words} | {found} |\n"
    frozen = [row for row in rows if row["part"] == "frozen"]
    yield "\nOf the frozen answers, what the gradings say (rows) and what the rule says (columns):\n\n"
    yield f"| | {' | '.join(STATES)} |\n| --- | ---: | ---: | ---: |\n"
    pairs = Counter((state(row["graded"]), state(row["rule"])) for row in frozen)
    for first in STATES:
        yield f"| {first} | {' | '.join(str(pairs[first, second]) for second in STATES)} |\n"
    (rqr, sr), (by_rule, sr_by_rule) = rates(frozen, "graded"), rates(frozen, "rule")
    yield f"\nOn them RQR is {rqr:.3f} by the gradings and {by_rule:.3f} by the rule, "
    yield f"SR {sr:.3f} and {sr_by_rule:.3f}.\n"
    yield END


def written(page: str) -> str:
    """Give a page with the block between its marks made anew."""
    before, _, rest = page.partition(BEGIN)
    return before + "".join(block(labelled())) + rest.partition(END)[2]


def main() -> None:
    """Write the block into the page, or into a copy at a path that is given."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    path.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
