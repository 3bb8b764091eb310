"""Writes the tables of docs/biomed.md: the forty templates, the demo's rates, and near misses by the rule.

`python tests/biomed_tables.py [PERFORMANCE]`, in a checkout; PERFORMANCE is the document `performance` of a run of the
demo, without which its table stays as it is. It must never know a rule.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "biomed.md"
RATES = ("AR", "RQR", "SR", "answered_accuracy", "BioScore")
GRADER = "bioscore-rule"


def templates() -> Iterator[str]:
    """Yield the table of the forty templates."""
    from harness.studies.biomed.templates.catalogue import TEMPLATES

    yield "| template | after | what is asked for | slots | tables | yes/no | biological | reasoning |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for one in TEMPLATES.values():
        tables = ", ".join(f"`{name}`" for name in one.tables)
        slots = ", ".join(name.replace("_", " ") for name in one.slots)
        said = (one.id, one.seed, one.about, slots, tables, "yes" if one.yes_no else "")
        yield _row(*said, "; ".join(one.biological), "; ".join(one.reasoning))


def near_misses() -> Iterator[str]:
    """Yield the table of near misses: what a person gives, what the rule gives, and where they part."""
    sys.path[:0] = [str(ROOT / "tests")]
    from studies.biomed.judging.near_misses import QUESTIONS

    from harness.studies.biomed.judging.rule import grade

    yield "| the answer | a person gives | the rule | why |"
    yield "| --- | ---: | ---: | --- |"
    for one in QUESTIONS:
        yield _row(f"*{one.question}* {one.gold}", "", "", "the gold answer")
        for miss in one.misses:
            found = grade(one.question, one.gold, miss.answer).grade
            yield _row(miss.answer, miss.person, found if found == miss.person else f"{found} **parts**", miss.why)


def demo(performance: Mapping[str, Any]) -> Iterator[str]:
    """Yield the table of the demo: what each stand-in has by the rule."""
    yield "| stand-in | AR | RQR | SR | answered accuracy | BioScore | gain over random refusal |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name, model in sorted(performance["graders"][GRADER]["models"].items()):
        values = [*(model["rates"][rate]["value"] for rate in RATES), model["gain"]]
        yield _row(f"`{name}`", *map(_spelt, values))


def filled(page: str, performance: Mapping[str, Any] | None = None) -> str:
    """Give a page with its tables written anew, the demo's too where its document is given."""
    tables = {"templates": templates(), "near-misses": near_misses()}
    if performance is not None:
        tables["demo"] = demo(performance)
    for name, lines in tables.items():
        block = re.compile(rf"(<!-- written: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        [place] = block.finditer(page)
        table = "".join(f"{line}\n" for line in lines)
        page = f"{page[: place.end(1)]}{table}{page[place.start(2) :]}"
    return page


def _spelt(value: Any) -> str:
    """Print a value with two digits; a dash for one that is missing, not finite or not a number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return "—"
    return f"{value:.2f}".replace("-0.00", "0.00")


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main() -> None:
    """Write the tables into the page."""
    sys.path[:0] = [str(ROOT)]
    performance = json.loads(Path(sys.argv[1]).read_bytes()) if len(sys.argv) > 1 else None
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), performance), encoding="utf-8")


if __name__ == "__main__":
    main()
