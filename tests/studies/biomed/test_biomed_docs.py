"""The page docs/biomed.md: its tables are the command's, its lines run and print what it says, its numbers hold."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import biomed_tables
import pytest
from studies.biomed.judging.near_misses import QUESTIONS
from support import REPOSITORY
from support_biomed_data import SEEDS
from support_inside import inside

from harness.digest import sha256
from harness.kit.certificate import certificate_text
from harness.manifest.load import load_manifest
from harness.studies.biomed.data.makers import MAKERS
from harness.studies.biomed.judging.grade_text import GRADES, NO_ANSWER
from harness.studies.biomed.pages.outputs import REFUSALS, TITLES
from harness.studies.biomed.standalone.catalogue import ANALYSES, SCORERS

PAGE = (REPOSITORY / "docs" / "biomed.md").read_text(encoding="utf-8")
PRINTED = REPOSITORY / "harness" / "studies" / "biomed" / "tables" / "published@1.csv"
CERTIFICATE = REPOSITORY / "certificates" / "biomed.bioscore_rule.json"
LINE = re.compile(r"^\$ (echo .*) \| harness (score|analyse) (\S+)\n(.*)$", re.MULTILINE)
EXAMPLES = [match.groups() for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
            for match in LINE.finditer(block)]  # fmt: skip
SHELL = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
FIRST = "demo/biomed.yaml"


def lines(block: str) -> Iterator[list[str]]:
    """Yield the words of each command of a block of the page, without `harness`."""
    for line in block.splitlines():
        for command in line.partition(" #")[0].split("&&"):
            name, *words = shlex.split(command)
            assert name == "harness", command
            yield words


def test_the_tables_of_the_page_are_those_that_the_command_writes() -> None:
    assert biomed_tables.filled(PAGE) == PAGE, "run `python tests/biomed_tables.py`"


def test_a_near_miss_is_graded_on_the_rubric_and_no_answer_stands_twice() -> None:
    for one in QUESTIONS:
        assert {miss.person for miss in one.misses} <= {*GRADES, NO_ANSWER}
        assert len({miss.answer for miss in one.misses}) == len(one.misses)


@pytest.mark.parametrize(
    ("command", "verb", "name", "said"), EXAMPLES, ids=[f"{e[2]}-{n}" for n, e in enumerate(EXAMPLES)]
)
def test_an_example_of_the_page_prints_what_stands_there(
    command: str, verb: str, name: str, said: str, tmp_path: Path
) -> None:
    word, typed = shlex.split(command)
    assert word == "echo"
    (tmp_path / "row").write_text(typed + "\n")
    printed = inside(verb, name, "--input", tmp_path / "row", cwd=tmp_path, check=0).stdout.strip()
    if said.endswith("…"):
        assert printed.startswith(said[:-1])
    else:
        assert printed == said


def test_every_scorer_and_analysis_of_the_study_has_an_example() -> None:
    assert {name for _, _, name, _ in EXAMPLES} == {*SCORERS, *ANALYSES}
    assert PAGE.count("| harness ") == len(EXAMPLES), "a line that is not run"


def test_the_blocks_of_commands_are_the_two_that_are_run() -> None:
    assert len(SHELL) == 2 and FIRST in SHELL[0] and "biomed-templates.yaml" in SHELL[1]
    assert PAGE.count("```") == 2 * (len(SHELL) + PAGE.count("```console") + PAGE.count("```yaml"))


def test_the_manifest_of_the_page_is_one_that_loads(tmp_path: Path) -> None:
    [text] = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "lockfiles").mkdir()
    (tmp_path / "mine.yaml").write_text(text)
    found = load_manifest(tmp_path / "mine.yaml").manifest
    assert (found.study, set(found.models), found.instruments["grader"].asking.repeats) == ("biomed", {"mine"}, 2)


def test_every_file_and_maker_that_the_page_names_is_there() -> None:
    named = re.findall(r"`(?:python )?((?:tests|manifests|certificates)/[\w./-]+)`", PAGE)
    assert len(named) >= 4 and not [path for path in named if not (REPOSITORY / path).exists()]
    makers = set(re.findall(r"^- `(biomed\.\w+)`:", PAGE, re.MULTILINE))
    assert makers == {name for name in MAKERS if not name.endswith("_prompts")}


def test_refusing_at_random_would_raise_sr_as_the_page_says() -> None:
    with open(PRINTED, encoding="utf-8", newline="") as file:
        cells = {(row["model"], row["metric"]): row["value"] for row in csv.DictReader(file)
                 if row["table"] == "S11_bioscore"}  # fmt: skip
    ar, rqr = float(cells["gpt-4o", "AR"]), float(cells["gpt-4o", "RQR"])
    refused, kept = ar + (1 - ar) * 0.55, rqr * 0.45
    told = re.search(r"its SR would rise from (\S+) \((\S+) as printed\) to (\S+), that of Claude", PAGE)
    printed = cells["gpt-4o", "SR"][1:]
    assert told and told.groups() == (f"{ar / (1 - rqr):.2f}"[1:], printed, f"{refused / (1 - kept):.2f}"[1:])
    assert cells["claude-3.5-sonnet", "SR"] == f"0{told[3]}"


def test_the_page_says_of_the_rule_what_its_certificate_says() -> None:
    if not CERTIFICATE.exists():
        assert "Until a certificate stands in `certificates/`" in PAGE
        return
    assert certificate_text(CERTIFICATE) in " ".join(PAGE.split())


@pytest.mark.long
def test_the_lines_of_the_demo_run_and_give_the_table_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "lockfiles").mkdir()
    (tmp_path / "manifests" / "demo").mkdir(parents=True)
    shutil.copy(REPOSITORY / "manifests" / FIRST, tmp_path / "manifests" / FIRST)
    inside("lock", f"manifests/{FIRST}", cwd=tmp_path, check=0)
    for words in lines(SHELL[0]):
        if words == ["audit", "last"]:  # makes it all again: e2e/long/test_biomed.py does so of a small run
            continue
        said = inside(*words, cwd=tmp_path, check=0)
        if words[0] == "claims":
            assert "transcription: 13: 13 agree, 0 differ, 0 not run" in said.stdout
    assert (tmp_path / "report.html").stat().st_size > 100_000
    drawn = re.findall(r"(figure-[\w-]+)\.svg", (tmp_path / "report.html").read_text())
    assert set(TITLES) - {REFUSALS} <= set(drawn), "each figure but that of blocks, of which there are none"
    found = json.loads(inside("get", "last", "performance", cwd=tmp_path, check=0).stdout)
    assert biomed_tables.filled(PAGE, found) == PAGE, "run `python tests/biomed_tables.py PERFORMANCE`"


@pytest.mark.long
@pytest.mark.skipif(not SEEDS.is_file(), reason="the real questions are not here")
def test_the_lines_over_real_rows_run_on_a_file_that_is_brought_along(tmp_path: Path) -> None:
    """On the smaller of the published files; `data/long/test_real_runs.py` takes the large one through every step."""
    (tmp_path / "lockfiles").mkdir()
    (tmp_path / "manifests" / "paper").mkdir(parents=True)
    text = (REPOSITORY / "manifests" / "paper" / "biomed-templates.yaml").read_text()
    text = re.sub(r"https://raw\.githubusercontent\.com", "https://localhost:1", text)
    kept = re.sub(r"^  (?!oracle)[\w-]+: \{provider: baseline.*\n", "", text, flags=re.MULTILINE)
    named, count = re.subn(r"sha256: \w{64}", f"sha256: {sha256(SEEDS.read_bytes())}", kept)
    assert count == 1
    (tmp_path / "manifests" / "paper" / "biomed-templates.yaml").write_text(named)
    for words in lines(SHELL[1]):
        inside(*(str(SEEDS) if word == "FILE" else word for word in words), cwd=tmp_path, check=0)
    found = json.loads(inside("get", "last", "performance", cwd=tmp_path, check=0).stdout)
    assert found["graders"]["bioscore-rule"]["models"]["oracle"]["rates"]["RQR"]["value"] == 1
