"""Every table and figure of the four papers has a row on its study's page, and every figure we draw has one, too."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from harness.studies.biomed.pages import outputs as biomed
from harness.studies.brain.pages import outputs as brain
from harness.studies.curie.pages import outputs as curie

DOCS = Path(__file__).parents[2] / "docs"
ITEM = re.compile(r"(Tables?|Figures?|Notes?) ((?:S?\d+[a-zA-Z]?(?:, | and )?)+)")
PAPERS = {  # what the specifications list of each paper
    "curie": {
        "Table": ["1", "2", "3", "4", "5", "6", "7"],
        "Figure": ["1a", "1b", "5", "7", "9", "10", "26", "27", "33", "35"],
    },
    "biomed": {
        "Table": ["1", "S1", "S4", "S11"],
        "Figure": [*"134", "2A", "2B", "2C", "2D", *(f"S{number}" for number in (2, 3, 5, 6, 7, 8, 9, 10, 12, 13))],
    },
    "brain": {"Table": ["1"], "Figure": list("12345678")},
    "reliability": {
        "Table": ["1", "2", "5", "8", "11"],
        "Figure": ["1", "2", "3", "4"],
        "Note": ["2", "3", "5", "6", "7", "8"],
    },
}
OTHERS = {  # names in a row that are no outputs: fields of a manifest, an analysis, a part of a document
    "curie": {"generation", "shown", "wording", "areas"},
    "brain": {"table"},
}
BRING = {"figure-lmscore"}  # drawn only with a grader, which no demo has
DRAWN = {
    "curie": set(curie.TITLES),
    "biomed": set(biomed.TITLES),
    "brain": set(brain.TITLES),
    "reliability": {"figure-1", "figure-2", "figure-3", "figure-4", "figure-templates"},
}


def rows_of(study: str) -> list[list[str]]:
    page = (DOCS / f"{study}.md").read_text(encoding="utf-8")
    section = page.partition("\n## The paper's tables and figures\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


@pytest.mark.parametrize("study", PAPERS)
def test_each_item_of_a_paper_has_a_row_that_says_where_it_is_and_whether_it_is_claimed(study: str) -> None:
    rows = rows_of(study)
    assert rows and all(len(row) == 3 and all(row) for row in rows)
    named: dict[str, set[str]] = {"Table": set(), "Figure": set(), "Note": set()}
    for item, _, _ in rows:
        for kind, numbers in ITEM.findall(item):
            named[kind.rstrip("s")] |= set(re.split(r", | and ", numbers))
    for kind, numbers in PAPERS[study].items():
        assert not set(numbers) - named[kind], f"docs/{study}.md has no row for {kind} {set(numbers) - named[kind]}"


@pytest.mark.parametrize("study", PAPERS)
def test_each_figure_that_is_drawn_stands_in_a_row_and_no_other(study: str) -> None:
    told = set(re.findall(r"`(figure-[a-z0-9-]+)`", " ".join(place for _, place, _ in rows_of(study))))
    assert {name for name in told if not name.startswith("figure-published")} == DRAWN[study]


@pytest.mark.parametrize("study", PAPERS)
def test_each_output_that_a_row_names_is_one_of_an_accepted_run(study: str) -> None:
    outputs: set[str] = set()
    for path in (DOCS.parent / "lockfiles" / "manifests").glob(f"{study}-*.expect.json"):
        outputs |= json.loads(path.read_text(encoding="utf-8"))["outputs"].keys()
    told = set(re.findall(r"`([a-z][a-z0-9_-]*)`", " ".join(place for _, place, _ in rows_of(study))))
    assert told and {name for name in told if not {name, f"{name}.svg"} & outputs} == OTHERS.get(study, set()) | (
        BRING & told
    )
