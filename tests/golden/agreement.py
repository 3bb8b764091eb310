"""Measure how far the rules agree with the labels by hand: python tests/golden/agreement.py [--write PAGE].

Prints the table, or puts it between its markers in a page of the documentation.
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
MEASURED = "the frozen part of `tests/golden/cases/reliability/hand_labels_v2.jsonl`"


def measured() -> Mapping[str, Any]:
    """Label the responses by the rules and compare with the labels by hand."""
    shared = json.loads((CASES / "hand_labels_v2_data.jsonl").read_text(encoding="utf-8"))
    given = [row for row in rows.read(CASES / "hand_labels_v2.jsonl") if row["part"] == "frozen"]
    return ANALYSES["reliability.agreement"].run({**shared, "rows": given})


def text(found: Mapping[str, Any]) -> str:
    """Give what the page says: what was measured, and the table."""
    together, kinds = found["together"], found["avoidance"]["together"]
    same = sum(row[name] for name, row in kinds["matrix"].items())
    said = (
        f"{together['n']} responses in {MEASURED}, labelled by a reader and by `{found['rule_set']}`; columns\n"
        f"such as c→a are reader → rules. Both call {kinds['n']} avoidant; {same} of these have the same subtype.\n"
    )
    return f"\n{said}\n{table(found)}\n"


def main(argv: Sequence[str]) -> int:
    """Print or write, and give the exit code."""
    parser = argparse.ArgumentParser(prog="tests/golden/agreement.py", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page")
    args = parser.parse_args(argv)
    shown = text(measured())
    if args.write:
        write(args.write, "agreement", shown)
    else:
        print(shown.strip())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
