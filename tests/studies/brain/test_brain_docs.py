"""The page docs/brain.md: its tables are the command's, its lines print what stands there, its settings exist."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any

import brain_tables
import pytest
from support import REPOSITORY
from support_inside import inside

from harness.studies.brain.data.makers import MAKERS
from harness.studies.brain.study import STUDY, BrainSettings

PAGE = (REPOSITORY / "docs" / "brain.md").read_text(encoding="utf-8")
LINE = re.compile(r"^\$ (echo .*) \| harness analyse (\S+)\n(.*)$", re.MULTILINE)
EXAMPLES = [match.groups() for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
            for match in LINE.finditer(block)]  # fmt: skip


def test_the_table_of_weights_is_the_one_that_the_command_writes() -> None:
    assert brain_tables.written(PAGE, "weights", brain_tables.weights()) == PAGE, "run `python tests/brain_tables.py`"


def test_each_size_stands_below_the_level_it_is_of() -> None:
    levels = {"block": {"raw": 0.1, "family": 0.2}, "fold": {"raw": 0.3, "family": 0.4}, "row": {"raw": 0, "family": 0}}
    *_, head, _, row = brain_tables.sizes({"d": {"contiguous": {"exchangeable": {"equal": levels}}}})
    cells = dict(zip(*([cell.strip() for cell in line.strip("|").split("|")] for line in (head, row)), strict=True))
    found = {level: cells[level] for level in ("row", "block", "fold")}
    assert found == {"row": "0.0 % / 0 %", "block": "10.0 % / 20 %", "fold": "30.0 % / 40 %"}


@pytest.mark.parametrize(("command", "name", "said"), EXAMPLES, ids=[f"{e[1]}-{n}" for n, e in enumerate(EXAMPLES)])
def test_an_example_of_the_page_prints_what_stands_there(command: str, name: str, said: str, tmp_path: Path) -> None:
    word, typed = shlex.split(command)
    assert word == "echo"
    (tmp_path / "row").write_text(typed + "\n")
    printed = inside("analyse", name, "--input", tmp_path / "row", cwd=tmp_path, check=0).stdout.strip()
    assert printed.startswith(said[:-1]) if said.endswith("…") else printed == said


def test_every_line_of_the_console_is_run() -> None:
    assert PAGE.count("| harness ") == len(EXAMPLES) >= 3


def test_every_analysis_maker_and_setting_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`brain\.([a-z]\w+)`", PAGE))
    assert {f"brain.{name}" for name in named} <= {*STUDY.analyses, *MAKERS}
    ours = {name for name, tool in STUDY.analyses.items() if "(OURS)" in tool.about}
    assert ours <= {f"brain.{name}" for name in named}, "what is ours is listed on the page"
    settings = PAGE.partition("| setting | is |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", settings, re.MULTILINE)) == {field.name for field in fields(BrainSettings)}


def test_every_file_that_the_page_names_is_there() -> None:
    paths = re.findall(r"(?:python |run |`)((?:tests|manifests)/[\w./-]+)", PAGE)
    assert len(paths) >= 3 and not [path for path in paths if not (REPOSITORY / path).exists()]


def expected(output: str) -> dict[str, Any]:
    """Give an accepted document of the demo, from the values that its expectation holds by their places."""
    accepted = json.loads((REPOSITORY / "lockfiles" / "manifests" / "brain-demo.expect.json").read_bytes())
    whole: dict[str, Any] = {}
    for place, value in accepted["outputs"][output]["values"].items():
        *above, last = place.split("/")[1:]
        here = whole
        for name in above:
            here = here.setdefault(name, {})
        here[last] = json.loads(value)
    return whole


def test_the_tables_of_the_demo_are_those_of_the_accepted_run() -> None:
    found = brain_tables.written(PAGE, "demo", brain_tables.demo(expected("performance")))
    found = brain_tables.written(found, "sizes", brain_tables.sizes(expected("sizes")))
    assert found == PAGE, "run `python tests/brain_tables.py PERFORMANCE SIZES`"
