"""The table of everyday tasks says what is typed and what runs; no time is held."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.everyday import (
    BEGIN,
    END,
    HARNESS,
    INSPECT,
    KEPT,
    LM_EVAL,
    NAME,
    SIDES,
    UNTIMED,
    Side,
    check_harness,
    table,
    walk,
)
from bench.everyday_server import CARELESS, answering_server, reply
from bench.measure import Failed
from bench.table import Row, taken
from needs import needs
from support import REPOSITORY

TASKS = {"mixed CSV", "own server", "judge", "second model", "few-shot", "4 samples", "2,000 rows", "compare", "export"}


def kept_rows() -> Sequence[Row]:
    """Return the rows of the last measure; none if it was not taken yet."""
    kept = json.loads((REPOSITORY / "docs" / "benchmarks.json").read_text())["measures"]
    return taken(kept[NAME]).rows if NAME in kept else ()


def test_every_side_has_every_task_and_ours_needs_one_edit_and_two_commands_at_most() -> None:
    for turns in SIDES.values():
        assert [turn.task for turn in turns] == [turn.task for turn in HARNESS]
    assert {turn.task for turn in HARNESS} == TASKS
    assert all(len(turn.edits) <= 1 and 1 <= len(turn.commands) <= 2 for turn in HARNESS)


def test_the_page_holds_the_table_of_the_kept_measure() -> None:
    page = (REPOSITORY / "docs" / "questions.md").read_text()
    written = page.partition(BEGIN)[2].partition(END)[0].strip()
    assert written == table(kept_rows())
    for turn in HARNESS:
        [line] = [line for line in written.splitlines() if line.startswith(f"| {turn.task} |")]
        assert line.split(" | ")[1].startswith(turn.counts)
    assert (UNTIMED in written) == (not kept_rows())


def test_a_kept_measure_counts_the_edits_and_commands_of_today() -> None:
    every = {f"{turn.task}, {name}: {turn.counts}" for name, turns in SIDES.items() for turn in turns}
    assert {row.what for row in kept_rows()} in (set(), every)


def test_what_the_peers_need_is_kept_and_nothing_else() -> None:
    used = {edit.about for turns in (INSPECT, LM_EVAL) for turn in turns for edit in turn.edits}
    assert used | {"inspect_values.py"} == {path.name for path in KEPT.iterdir() if path.is_file()}


def test_a_table_names_the_servers_by_a_word() -> None:
    rows = [Row(NAME, f"{turn.task}, {name}: x", (2.0,)) for name, turns in SIDES.items() for turn in turns]
    told = table(rows)
    assert "| 0 edits, 2 commands, 2 s |" in told and "0 edits, 0 commands |" in told
    assert "@URL`" in told and "@OTHER-URL`" in told and "{count: 3, seed: 0}" in told and "{{" not in told


@pytest.mark.parametrize(
    ("model", "text", "said"),
    [
        ("right", "What is 7 plus 4?", "11"), (CARELESS, "What is 8 plus 4?", "13"),
        (CARELESS, "What is 7 plus 4?", "11"), ("right", "hello", "There is nothing to add."),
        ("right", "1 plus 1? 2\n\nWhat is 7 plus 4?\nA. 9\nB. 11\n", "B"), ("right", "7 plus 4\nA) 9\nB) 11", "B"),
        ("right", "ANSWER: $LETTER\n7 plus 4\nA) 11\nB) 9", "ANSWER: A"),
        ("judge", "end with `GRADE:` and the number", "GRADE: 1"), ("judge", "GRADE: $LETTER", "GRADE: C"),
    ],
)  # fmt: skip
def test_the_server_adds(model: str, text: str, said: str) -> None:
    assert reply(model, text) == said


# `make bench` checks the same whenever it writes the table; each command has tests of its own, of cli and studies.
@pytest.mark.nightly
def test_what_the_table_says_of_the_harness_is_what_runs(tmp_path: Path) -> None:
    needs("aiohttp", "openai")
    programs = Path(sys.executable).parent
    with answering_server(0) as url, answering_server(0) as other:
        side = Side("harness", tmp_path / "mine", programs, {"url": url, "other": other}, (12, 15)).begin()
        done = []
        for turn in walk(side, HARNESS):
            check_harness(side, turn)
            done.append(turn.task)
        with pytest.raises(Failed, match="other models"):
            check_harness(side, HARNESS[1])
    assert done == [turn.task for turn in HARNESS]
