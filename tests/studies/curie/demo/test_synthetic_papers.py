"""What all demo papers share: every level, enough words, the answer anywhere, and the same bytes each time."""

from __future__ import annotations

import statistics

import pytest
from studies.curie.demo.made import TASKS, made, run
from support_draws import drawn

from harness.studies.curie.demo.makers_text import MAKERS
from harness.studies.curie.tasks import TASKS as ALL

EACH = pytest.mark.parametrize("task", drawn(TASKS, 3, len(TASKS)))


def test_every_task_has_a_maker_of_its_own_with_the_tasks_ids():
    assert set(TASKS) == {"dft-s", "dft-p", "dft-c", "mpv", "mpv-non-trivial", "mpv-specific", "hfd", "hfe"} <= set(ALL)
    assert {maker.ids for maker in MAKERS.values()} == set(TASKS)
    assert all(maker.outputs == ("items", "gold", "counts") for maker in MAKERS.values())


@EACH
def test_records_have_ids_levels_and_a_note_that_they_are_generated(task):
    records = made(task)
    assert [one.id for one in records] == [f"{task}-demo-{at:03d}" for at in range(1, 10)]
    assert [one.meta["level"] for one in records] == ["easy", "medium", "hard"] * 3
    assert {one.meta["source"] for one in records} == {"generated"}
    assert len({one.text for one in records}) == len({one.answer for one in records}) == 9


@EACH
def test_papers_are_long_enough_and_the_set_stays_small(task):
    words = [len(one.text.split()) for one in made(task)]
    assert min(words) >= 600 and max(words) <= 1500
    assert statistics.mean(len(one.text.encode()) for one in made(task)) <= 9_000


@EACH
def test_the_answer_begins_anywhere_in_the_paper(task):
    places = [one.meta["told_at"] for one in made(task, 1, 24)]
    assert min(places) < 40 and max(places) - min(places) > 25


@EACH
def test_equal_seeds_give_equal_bytes_whatever_the_count(task, tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        run(task, tmp_path / name, seed=7, count=4 if name == "c" else 8)
    for output in ("items", "gold"):
        a, b, c = ((tmp_path / name / output).read_bytes().splitlines() for name in "abc")
        assert a == b and a[:4] == c and len(a) == 8
    assert made(task, 7) != made(task, 8)


@pytest.mark.parametrize("tasks", [("dft-s", "dft-p", "dft-c"), ("mpv", "mpv-non-trivial", "mpv-specific")])
def test_the_tasks_of_a_domain_share_their_papers_but_not_their_answers(tasks):
    one, two, three = ([each.text for each in made(task)] for task in tasks)
    assert one == two == three
    first, second, third = ([each.answer for each in made(task)] for task in tasks)
    assert all(len({*each}) > 1 for each in zip(first, second, third, strict=True))
