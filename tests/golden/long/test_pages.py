"""Numbers in the documentation are those that the commands give, and stand where the commands put them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from golden.marked import between, markers

from harness.kit.certificate import sets_of

pytestmark = pytest.mark.together

HERE = Path(__file__).parents[1]
PAGE = HERE.parents[1] / "docs" / "reliability.md"
CHECKS = {
    "verdict": "pass",
    "benchmarks": {
        "science": {"shotgun": {"correct": 0.21875, "n": 480}},
        "addition": {"shotgun": {"correct": 0.5, "n": 1275}},
    },
}


def call(name: str, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HERE / f"{name}.py"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return Path(shutil.copy(PAGE, tmp_path / "page.md"))


def test_the_page_says_of_the_rules_what_the_command_measures(page: Path) -> None:
    printed, written = call("agreement"), call("agreement", "--write", page)
    assert (printed.returncode, written.returncode) == (0, 0), printed.stderr + written.stderr
    assert page.read_text() == PAGE.read_text(), "run: python tests/golden/agreement.py --write docs/reliability.md"
    assert between(PAGE.read_text(), "agreement").strip() == printed.stdout.strip()
    assert "| together | 529 |" in printed.stdout and "`OURS-v2`" in printed.stdout


def by_set() -> tuple[list[tuple[str, ...]], dict[str, list[list[int]]]]:
    """Read off the page the columns of the table by part and set, and of each line how many of how many are right."""
    table = between(PAGE.read_text(), "agreement").split("by part and set:\n\n")[1].split("\n\n")[0].splitlines()
    heads = [tuple(head.strip().split(", ")) for head in table[0].split("|")[2:-1]]
    lines = {line.split("|")[1].strip(): re.findall(r"(\d+) of (\d+)", line) for line in table[2:]}
    return heads, {name: [[int(hits), int(count)] for hits, count in cells] for name, cells in lines.items()}


def test_the_sets_hold_every_row_once_and_add_up_to_the_certificate() -> None:
    heads, lines = by_set()
    labels = (HERE / "cases" / "reliability" / "hand_labels_v2.jsonl").read_text().splitlines()
    counted = Counter((row["part"], row["set"], row["benchmark"]) for row in map(json.loads, labels))
    apart = {name: cells for name, cells in lines.items() if name != "together"}
    shown = {(*head, name): cells[place][1] for place, head in enumerate(heads) for name, cells in apart.items()}
    assert shown == counted
    certificate = json.loads((HERE.parents[1] / "certificates" / "reliability.outcome.json").read_text())
    for part, found in sets_of(certificate)["makers"]["parts"].items():
        right = sum(row[name] for name, row in found["matrix"].items())
        of_part = [place for place, head in enumerate(heads) if head[0] == part]
        for cells in ([lines["together"]], apart.values()):
            assert sum(each[place][0] for each in cells for place in of_part) == right


def test_the_page_says_of_each_aim_whether_it_is_met() -> None:
    heads, lines = by_set()
    frozen = {name: lines["together"][place] for place, (part, name) in enumerate(heads) if part == "frozen"}
    told = between(PAGE.read_text(), "agreement")
    said = re.findall(r"- (0\.\d+) of the (\w+) rows \((\d+) of (\d+), [0-9.]+: (met|missed)\)", told)
    assert {name: [int(hits), int(count)] for _, name, hits, count, _ in said} == frozen
    for aim, _, hits, count, verdict in said:
        assert (verdict == "met") == (int(hits) / int(count) >= float(aim))
    low = min(hits / count for cells in lines.values() for hits, count in cells[: len(frozen)])
    assert re.search(rf"The lowest cell there is science, hard: \d+ of \d+, {low:.2f}\.", told)


@pytest.fixture
def checks(tmp_path: Path) -> Path:
    (tmp_path / "checks").write_text(json.dumps(CHECKS) + "\n")
    return tmp_path / "checks"


def test_the_rates_of_the_shotgun_are_those_of_the_checks_that_were_given(page: Path, checks: Path) -> None:
    done = call("shotgun", checks, "manifests/x.yaml", "--write", page)
    assert done.returncode == 0, done.stderr
    found = between(page.read_text(), "shotgun")
    assert "`manifests/x.yaml`" in found
    assert found.strip().splitlines()[-2:] == ["| addition | 1,275 | 50.0 % |", "| science | 480 | 21.9 % |"]
    first, last = markers("shotgun")
    assert page.read_text().replace(first + found + last, "") == PAGE.read_text().replace(
        first + between(PAGE.read_text(), "shotgun") + last, ""
    ), "nothing else of the page has changed"


def test_a_manifest_without_a_shotgun_has_no_rates_and_changes_no_page(page: Path, checks: Path) -> None:
    checks.write_text(json.dumps({"benchmarks": {"science": {"oracle": {"correct": 1, "n": 2}}}}) + "\n")
    done = call("shotgun", checks, "manifests/x.yaml", "--write", page)
    assert (done.returncode, done.stderr) == (2, "this manifest has no stand-in `shotgun`\n")
    assert page.read_bytes() == PAGE.read_bytes()


def test_the_page_names_a_manifest_and_all_five_benchmarks() -> None:
    told = between(PAGE.read_text(), "shotgun")
    manifest = told.split("a run of `")[1].split("`")[0]
    assert (HERE.parents[1] / manifest).is_file()
    rows = [line.split("|")[1].strip() for line in told.splitlines() if line.endswith("% |")]
    assert rows == ["addition", "anagram", "locality", "science", "transforms"]


@pytest.mark.parametrize("damage", [lambda text, first, last: text.replace(last, ""),
                                    lambda text, first, last: text + first,
                                    lambda text, first, last: last + text.replace(last, "")])  # fmt: skip
def test_a_page_without_its_markers_is_left_as_it_is(page: Path, checks: Path, damage: object) -> None:
    page.write_text(damage(page.read_text(), *markers("shotgun")))  # type: ignore[operator]
    before = page.read_bytes()
    done = call("shotgun", checks, "manifests/x.yaml", "--write", page)
    assert done.returncode == 1 and "markers of shotgun" in done.stderr
    assert page.read_bytes() == before
