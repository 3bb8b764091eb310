"""Programs in answers: which blocks are Python, and how they are bounded."""

from __future__ import annotations

import time

import pytest
from support_draws import drawn
from support_pace import soon

from harness.studies.curie.reading.aliases import NAMES, PARAMETERS, STRUCTURES, renamed
from harness.studies.curie.reading.python_facts import LONGEST, blocks, named


def test_every_fenced_block_that_is_python_counts() -> None:
    text = "```python\nx = 1\n```\n```bash\npip install ase\n```\n```\ny = 2\n"
    assert [block for block, _ in blocks(text)] == ["x = 1\n", "y = 2\n"]


def test_without_a_fence_the_answer_is_the_program() -> None:
    assert [block for block, _ in blocks("x = 1")] == ["x = 1"]
    assert blocks("I would use VASP.") == blocks("") == blocks("# a comment") == []


def test_a_program_is_parsed_and_never_run() -> None:
    [(_, tree)] = blocks("raise SystemExit(open('/nowhere'))\nxc = print('x')")
    assert list(named(tree, ["xc"])) == []


def test_odd_escapes_are_no_errors() -> None:
    assert len(blocks("x = '\\d'\nassert (x, 'y')\n")) == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "text",
    drawn(["(" * 5_000, "x = " + "-" * 100_000 + "1", "a" + ".b" * 90_000, "x" + "+x" * 90_000, "f(" * 190 + ")" * 190,
     "xc = " + "[" * 90 + "]" * 90, "xc = '''" + "x" * 190_000 + "'''", "x = 1\n" * (LONGEST // 5),
     "fmax = 1" + "0" * 5_000], 3, 9),
    ids=lambda text: repr(text[:10]),
)  # fmt: skip
def test_hostile_programs_end_soon(text: str) -> None:
    begun = time.process_time()
    for _, tree in blocks(text):
        list(named(tree, NAMES))
    assert soon(time.process_time() - begun, 2)


def test_l7_several_fields_of_an_item_may_mean_one() -> None:
    assert list(renamed({"vacuum_x": 1, "vacuum_y": 2, "type": "bulk"}, STRUCTURES)) == [
        ("vacuum", 1), ("vacuum", 2), ("type", "bulk"),
    ]  # fmt: skip


def test_l7_structures_and_parameters_have_tables_of_their_own() -> None:
    assert list(renamed({"name": "x", "xc": "y"}, PARAMETERS)) == [("name", "x"), ("functional", "y")]
    assert not set(STRUCTURES) & set(PARAMETERS)
