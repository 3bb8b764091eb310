"""Of 200 edits of one field, `plan` says which steps and items a run then executes; bytes are those of a full run."""

from __future__ import annotations

from pathlib import Path

import pytest
from support_draws import drawn
from support_edits import MANIFEST, Edit, Tried, edits, require_foreseen, try_edit

EVERY = edits()


def test_there_are_two_hundred_edits_of_several_manifests() -> None:
    assert len(EVERY) == len(set(EVERY)) >= 200
    assert {one.ground for one in EVERY} == {"quiz", "chat", "sums", "addition", "biomed"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("edit", drawn(EVERY, 1, 7), ids=str)
def test_a_run_executes_what_the_plan_says_and_makes_the_bytes_of_a_full_run(edit: Edit, tmp_path: Path) -> None:
    require_foreseen(try_edit(edit, tmp_path))


def test_the_shard_of_a_manifest_changes_no_output(tmp_path: Path) -> None:
    tried = try_edit(Edit("quiz", MANIFEST, "shard: 3\n", ""), tmp_path)
    require_foreseen(tried)
    assert tried.said["steps"]["remade"] and len(tried.names("rerun")) == 2  # one shard for each model


def test_a_plan_that_names_other_steps_than_are_executed_is_noticed() -> None:
    steps = [{"step": "a", "action": "reused", "sure": True}, {"step": "b", "action": "remade", "sure": True}]
    for executed, fine in (({"b"}, True), ({"a", "b"}, False), (set[str](), False)):
        cached = {one: one for one in {"a", "b"} - executed}
        tried = Tried({"every": steps, "items": []}, executed, cached, {}, {}, {"o": "1"}, {"o": "1"})
        if fine:
            require_foreseen(tried)
        else:
            with pytest.raises(AssertionError, match="the plan said"):
                require_foreseen(tried)
