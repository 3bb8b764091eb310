"""Measure how far the rules agree with the labels by hand: python tests/golden/agreement.py [--write PAGE].

Prints the tables, or puts them between their markers in a page of the documentation.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from marked import write

from harness import rows
from harness.studies.reliability.measures.agreement import table
from harness.studies.reliability.standalone.catalogue import ANALYSES

CASES = Path(__file__).parent / "cases" / "reliability"
FROZEN = "frozen"
MEASURED = f"the {FROZEN} part of `tests/golden/cases/reliability/hand_labels_v2.jsonl`"
SETS = ((FROZEN, "natural"), (FROZEN, "hard"), ("develop", "natural"), ("develop", "hard"), ("develop", "first"))
AIMS = {"natural": 0.95, "hard": 0.85}  # of the rows of a set in the frozen part; a certificate misses or meets them
LEAST = 0.8  # of the rows of a benchmark in the frozen part
TOGETHER = "together"
Found = Mapping[str, Any]  # what `reliability.agreement` gives


def labelled() -> list[dict[str, Any]]:
    """Read all rows that were labelled by hand, of every part and set."""
    return list(rows.read(CASES / "hand_labels_v2.jsonl"))


def measured(given: Sequence[Mapping[str, Any]]) -> Found:
    """Label the responses of rows by the rules and compare with the labels by hand."""
    shared = json.loads((CASES / "hand_labels_v2_data.jsonl").read_text(encoding="utf-8"))
    return ANALYSES["reliability.agreement"].run({**shared, "rows": given})


def text(found: Found, sets: Mapping[tuple[str, str], Found]) -> str:
    """Give what the page says: what was measured, the table, how it was in each set, and whether that was the aim."""
    together, kinds = found[TOGETHER], found["avoidance"][TOGETHER]
    same = sum(row[name] for name, row in kinds["matrix"].items())
    said = (
        f"{together['n']} responses in {MEASURED}, labelled by a reader and by `{found['rule_set']}`; columns\n"
        f"such as c→a are reader → rules. Both call {kinds['n']} avoidant; {same} of these have the same subtype.\n"
    )
    return f"\n{said}\n{table(found)}\nAccuracy by part and set:\n\n{by_set(sets)}\n{aims(found, sets)}\n"


def by_set(sets: Mapping[tuple[str, str], Found]) -> str:
    """Format a table of how many rows have the reader's label, by benchmark and by part and set."""
    head = ["benchmark", *(f"{part}, {name}" for part, name in sets)]
    lines = [head, ["---", *["---:"] * len(sets)]]
    for benchmark in (*next(iter(sets.values()))["benchmarks"], TOGETHER):
        lines.append([benchmark, *(_share(_part(found, benchmark)) for found in sets.values())])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def aims(found: Found, sets: Mapping[tuple[str, str], Found]) -> str:
    """Say of each aim of the frozen part whether it is met, and which cell of the table is the lowest."""
    of_sets = {name: _right(sets[FROZEN, name][TOGETHER]) for name in AIMS}
    said = [f"{aim:.2f} of the {name} rows ({_against(of_sets[name], aim)})" for name, aim in AIMS.items()]
    lowest, right = _lowest(found["benchmarks"])
    said.append(f"{LEAST:.2f} of the rows of each benchmark (the lowest, {lowest}: {_against(right, LEAST)})")
    cells = {f"{bench}, {name}": each for name in AIMS for bench, each in sets[FROZEN, name]["benchmarks"].items()}
    cell, (hits, count) = _lowest(cells)
    listed = ";\n".join(f"- {each}" for each in said)
    return f"Aims for the {FROZEN} part:\n\n{listed}.\n\nThe lowest cell there is {cell}: {_spelt(hits, count)}.\n"


def _part(found: Found, benchmark: str) -> Found:
    part: Found = found[TOGETHER] if benchmark == TOGETHER else found["benchmarks"][benchmark]
    return part


def _right(part: Found) -> tuple[int, int]:
    return sum(row[name] for name, row in part["matrix"].items()), part["n"]


def _share(part: Found) -> str:
    low, high = part["accuracy"]["interval"]
    return f"{_spelt(*_right(part))} [{low:.2f}, {high:.2f}]"


def _spelt(hits: int, count: int) -> str:
    return f"{hits} of {count}, {hits / count:.2f}"


def _against(right: tuple[int, int], aim: float) -> str:
    return f"{_spelt(*right)}: {'met' if right[0] >= aim * right[1] else 'missed'}"


def _lowest(parts: Mapping[str, Found]) -> tuple[str, tuple[int, int]]:
    shares = {name: _right(part) for name, part in parts.items()}
    return min(shares.items(), key=lambda each: each[1][0] / each[1][1])


def shown() -> str:
    """Measure everything that the page says, and give its text."""
    given = labelled()
    sets = {key: measured([row for row in given if (row["part"], row["set"]) == key]) for key in SETS}
    return text(measured([row for row in given if row["part"] == FROZEN]), sets)


def main(argv: Sequence[str]) -> int:
    """Print or write, and give the exit code."""
    parser = argparse.ArgumentParser(prog="tests/golden/agreement.py", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the tables into this page")
    args = parser.parse_args(argv)
    if args.write:
        write(args.write, "agreement", shown())
    else:
        print(shown().strip())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
