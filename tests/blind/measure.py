"""Writes docs/blind-sets.md: how the graders of three studies label answers that their makers did not label.

`python tests/blind/measure.py` grades the open halves as `harness certify --others` does, and counts by manner of
answer. The sealed halves are never read here: what the page says of them is in the certificates, which are written when
they are opened (`harness certify --open-sealed`). How a rule grades is not known here.

`python tests/blind/measure.py --before FOLDER` measures the same rows by the rules of an older checkout (FOLDER), in a
process that loads only that one's harness, and keeps what it finds in before.json, which the page shows beside today's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.kit.certificate import BLIND, Certificate, computed_figures, opened_text, read, sets_of, spell_measure
from harness.kit.grading import Graded, figures, misses
from harness.verbs.certifying import find_grader, grade_labelled
from harness.verbs.labelling import LabelSet, read_label_set

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "blind-sets.md"
PLACES = HERE.parent / "golden" / "cases" / "reliability" / "hand_labels_v2_data.jsonl"  # names of cities
BEGIN, END = "<!-- written by `python tests/blind/measure.py` -->\n", "<!-- end of what it writes -->\n"
OPEN, SEALED = "open", "sealed"
BEFORE = HERE / "before.json"  # what the rules gave before anybody mended them with a blind set in sight
GRADE_ROWS = """
import json, sys
from harness.verbs import measuring
scored = getattr(measuring, "score_each_row", None) or measuring.scored  # its name in older checkouts
asked = json.load(sys.stdin)
rows = ((one["id"], one["given"]) for one in asked["rows"])
json.dump([str(found[asked["field"]]) for found in scored(asked["grader"], rows, asked["shared"])], sys.stdout)
"""  # in a process that loads the harness of another checkout
FEW = 4  # answers in a manner, below which its share says nothing


@dataclass(frozen=True)
class BlindSet:
    """The blind set of a study: its grader, the labels that there are, and the data that all rows share."""

    study: str
    grader: str
    labels: tuple[str, ...]
    data: Path | None = None

    @property
    def described(self) -> LabelSet:
        """Who labelled it, and where its rows are."""
        return read_label_set(HERE / f"{self.study}.json")

    def rows(self, half: str) -> list[dict[str, Any]]:
        """Read the rows of a half as their labellers left them."""
        told = self.described.told.open if half == OPEN else self.described.told.sealed
        assert told
        path = HERE / told.file
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    @property
    def shared(self) -> Mapping[str, Any]:
        """The data that all rows share."""
        return json.loads(self.data.read_bytes()) if self.data else {}

    @property
    def certificate(self) -> Certificate | None:
        """The certificate of its grader, if it has one."""
        return _certificate(ROOT / "certificates" / f"{self.grader}.json")

    @property
    def opening(self) -> Certificate | None:
        """The certificate that the opening of its sealed half wrote, kept where its rule has changed since."""
        return _certificate(HERE / f"{self.study}-opened.json")


def _certificate(path: Path) -> Certificate | None:
    return read(path.read_bytes(), str(path)) if path.is_file() else None


SETS = (
    BlindSet("biomed", "biomed.bioscore_rule", ("good", "bad", "abstain")),
    BlindSet("reliability", "reliability.outcome", ("c", "a", "i"), PLACES),
    BlindSet("curie", "curie.llmsim_rule", ("same", "different")),
)

# Sealed rows that were written after those of before had been opened, for a rule that has changed since.
SECOND = tuple(replace(one, study=f"{one.study}-second") for one in SETS)
FRESH = tuple(replace(one, study=f"{one.study}-fresh") for one in SETS)  # which nobody who mended a rule has seen


def measure(one: BlindSet) -> str:
    """Return the row of the page for the open half of a set, as the rules label it now."""
    manners = {row["id"]: row["manner"] for row in one.rows(OPEN)}
    graded = grade_labelled(one.grader, one.described.rows("develop"), one.shared)
    every, wrong = Counter(manners.values()), Counter(manners[miss["id"]] for miss in misses(graded))
    common = [manner for manner in every if every[manner] >= FEW]
    worst = sorted(common, key=lambda manner: -wrong[manner] / every[manner])[:3]
    told = ", ".join(f"{manner} {wrong[manner]} of {every[manner]}" for manner in worst)
    now = agreement(one, graded)
    return f"| `{one.grader}` | {len(graded)} | {kept_before(one)} | {now['kappa']} | {now['equal']} | {told} |\n"


def agreement(one: BlindSet, graded: Sequence[Graded]) -> dict[str, str]:
    """Return how far grades agree with labels, as the page spells it."""
    equal = len(graded) - len(misses(graded))
    return {
        "kappa": spell_measure(figures(graded, find_grader(one.grader).accepts, 0)["kappa"]),
        "equal": f"{equal} of {len(graded)} ({equal / len(graded):.0%})",
    }


def kept_before(one: BlindSet) -> str:
    """Return the kappa that the rules had before they were mended; refuse one that was measured on other rows."""
    kept = json.loads(BEFORE.read_text(encoding="utf-8"))[one.study]
    if one.described.told.open is None or kept["rows"] != one.described.told.open.sha256:
        raise ValueError(f"{BEFORE.name} was measured on other rows of {one.study}: write it with --before FOLDER")
    return str(kept["kappa"])


def measure_before(one: BlindSet, folder: Path) -> dict[str, str]:
    """Return how far the rules of another checkout agree with the labels of an open half."""
    rows = one.described.rows("develop")
    asked = {
        "grader": one.grader,
        "field": find_grader(one.grader).field,
        "shared": one.shared,
        "rows": [{"id": row.id, "given": row.given} for row in rows],
    }
    told = subprocess.run(
        [sys.executable, "-P", "-c", GRADE_ROWS], cwd=folder, env={**os.environ, "PYTHONPATH": str(folder.resolve())},
        input=json.dumps(asked), capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    graded = [Graded(row.instance, row.label, grade, row.id) for row, grade in zip(rows, json.loads(told), strict=True)]
    assert one.described.told.open
    return {"rows": one.described.told.open.sha256, **agreement(one, graded)}


def opened(one: BlindSet) -> tuple[str, list[str]]:
    """Return what a certificate says of its sealed half, kappa and openings, and a line for each miss.

    Where a rule has changed since the opening, it is the certificate of before that says so.
    """
    sealed = one.described.told.sealed
    if one.certificate is None or not sealed:
        return "not opened", []
    times = opened_text(one.certificate, sealed.sha256)
    for document, whose in ((one.certificate, ""), (one.opening, ", by the rule of before its last change")):
        held = sets_of(document).get(BLIND) if document else None
        if document and held and held.get("sealed") == sealed.sha256 and held["parts"]["frozen"]["rows"]:
            kappa = spell_measure(computed_figures(document, "frozen", BLIND)["kappa"])
            missed = [f"`{miss['id']}` {miss['label']}, graded {miss['given']}" for miss in held["misses"]]
            return f"kappa {kappa}, {len(missed)} labels differ, {times}{whose}", missed
    return times, []


def write_block() -> Iterator[str]:
    """Yield what the page says of all sets."""
    rest = "kappa before | kappa now | equal labels now | labels that differ, by manner (three worst) |"
    for answers, sets in (("answers of the open half", SETS), ("fresh answers", FRESH)):
        yield f"| grader | {answers} | {rest}\n|---|---|---|---|---|---|\n"
        yield from map(measure, sets)
        yield "\n"
    yield "| sealed half | rows | SHA-256 of the file | measured, by the grader's certificate |\n|---|---|---|---|\n"
    found = {one.study: opened(one) for one in (*SETS, *SECOND)}
    for one in (*SETS, *SECOND):
        if sealed := one.described.told.sealed:
            yield f"| {one.study} | {sealed.rows} | `{sealed.sha256}` | {found[one.study][0]} |\n"
    for study, (_, missed) in found.items():
        if missed:
            yield f"\nMissed of the sealed half of {study}: {'; '.join(missed)}.\n"


def written(page: str) -> str:
    """Return the page with its block made anew."""
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    return f"{before}{BEGIN}\n{''.join(write_block())}\n{END}{after}"


def main() -> None:
    """Write the block of the page anew, and with `--before` first what it compares with."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="an older checkout, whose rules are measured")
    if folder := parser.parse_args().before:
        kept = {one.study: measure_before(one, folder) for one in (*SETS, *FRESH)}
        BEFORE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
