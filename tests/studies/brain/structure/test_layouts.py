"""Rows of the three datasets: Pereira's as published, and stimuli that have no sound layout are refused by name."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest
from support import FIXTURES
from support_brain_structure import stimuli
from support_cases import each_of

from harness.errors import InputError
from harness.studies.brain.structure.layout import Layout, layout
from harness.studies.brain.structure.others import blank, fedorenko
from harness.studies.brain.structure.pereira import PereiraLabel, designed, parse_label, pereira

ROWS = FIXTURES.parent / "data" / "brain" / "stimuli" / "pereira_rows.csv"
SENTENCES = ROWS.with_name("fedorenko_sentences_ordered.txt")


@pytest.mark.skipif(not ROWS.is_file(), reason="the published rows are not here")
def test_pereiras_rows_are_the_published_ones():
    with ROWS.open(newline="") as file:
        theirs = list(csv.DictReader(file))
    whole = pereira()
    labels = [f"{r['experiment']}-{r['category']}-{r['passage']}-{r['half_unverified']}" for r in theirs]
    ids = [f"{r['experiment']}-{r['category']}-{r['passage']}-{r['sentence_in_passage']}" for r in theirs]
    assert ([*whole.labels], [*whole.ids]) == (labels, ids)
    assert [*whole.positions] == [int(row["sentence_in_passage"]) for row in theirs]
    assert [*whole.blocks] == [name.rpartition("-")[0] for name in ids]


@pytest.mark.skipif(not SENTENCES.is_file(), reason="the published sentences are not here")
def test_fedorenko_has_as_many_words_as_were_read():
    read = SENTENCES.read_text("utf-8").split("\n")
    words = [len(line.split()) for line in read if line.strip()]
    assert Counter(fedorenko().blocks) == {f"s{number:02}": count for number, count in enumerate(words)}


def test_pereira_has_two_experiments_of_24_categories():
    whole = pereira()
    assert [len(whole.only(name).ids) for name in ("243", "384")] == [243, 384]
    assert {*whole.experiments[:243]} == {"243"}
    for name in ("243", "384"):
        halves = {(label.half, label.category) for label in map(parse_label, whole.only(name).labels)}
        assert Counter(half for half, _ in halves) == {"fh": 12, "sh": 12}
    lengths = [len(rows) for rows in whole.only("243").block_rows().values()]
    assert Counter(lengths) == {3: 45, 4: 27}


def test_one_experiment_keeps_its_rows_and_how_many_there_were():
    part = pereira("243")
    assert part == pereira().only("243") == part.only("243") == part.only("")
    assert part.ids[0] == "243-astronaut-0-0" and part.labels[0] == "243-astronaut-0-fh"
    assert dict(part.whole) == {"243": 243, "384": 384}


def test_an_experiment_that_there_is_not_is_refused_by_name():
    with pytest.raises(InputError, match="no row is of the experiment '500'"):
        pereira("500")
    with pytest.raises(InputError, match="no row is of the experiment '384'"):
        fedorenko().only("384")


def test_a_smaller_design_has_its_own_halves():
    small = designed({"384": {"c": [2, 3], "a": [1], "b": [2]}})
    assert small.labels == tuple(
        label for label, count in (
            ("384-a-0-fh", 1), ("384-b-0-fh", 2), ("384-c-0-sh", 2), ("384-c-1-sh", 3),
        ) for _ in range(count)
    )  # fmt: skip
    assert small.ids[-1] == "384-c-1-2"


@pytest.mark.parametrize(
    "passages", [{"500": {"a": [3]}}, {"384": {"a": [3, 0]}}, {}, {"384": {}}, {"384": {"a b": [3]}}]
)
def test_a_design_that_is_none_is_refused(passages):
    with pytest.raises(InputError):
        designed(passages)


def test_labels_are_parsed_and_not_searched():
    assert parse_label("243-bone-0_fh-12-sh") == PereiraLabel("243", "bone-0_fh", 12, "sh")
    for text in ("384-animal-0", "384-animal-x-fh", "500-animal-0-fh", "384--0-fh", "384-animal-0-fh ", ""):
        with pytest.raises(InputError, match="no label of Pereira's rows"):
            parse_label(text)


def test_blank_has_the_published_scans_in_sorted_stories():
    whole = blank()
    assert len(whole.ids) == 1317 and [*Counter(whole.labels)] == sorted({*whole.labels})
    assert whole.ids[143 + 152] == "Boar-152" and whole.positions[143 + 152] == 152


@pytest.mark.parametrize(
    "make", [lambda: fedorenko(0), lambda: fedorenko(3, 0), lambda: blank({}), lambda: blank({"a": 0})]
)
def test_a_layout_without_rows_is_refused(make):
    with pytest.raises(InputError):
        make()


@pytest.mark.parametrize("whole", [pereira(), pereira("384"), fedorenko(), blank(), blank({"b": 2, "a": 5})])
def test_stimuli_give_back_the_layout_they_were_made_by(whole):
    found = layout(whole.dataset, stimuli(whole))
    assert (found.ids, found.labels, found.blocks) == (whole.ids, whole.labels, whole.blocks)
    assert (found.positions, found.experiments) == (whole.positions, whole.experiments)


def swapped(rows, one, other):
    rows[one], rows[other] = rows[other], rows[one]


FLAWS = {
    "the id '384-a-0-0' stands twice": lambda rows: rows[1].update(id="384-a-0-0"),
    "has position 1 in place of 0": lambda rows: swapped(rows, 0, 1),
    "do not stand together": lambda rows: swapped(rows, 1, 2),
    "has rows of two labels": lambda rows: rows[1].update(label="384-a-1-fh"),
    "is no label": lambda rows: rows[1].update(label="Aqua"),
    "a stimulus has no `text`": lambda rows: rows[1].pop("text"),
    "a stimulus has no `position`": lambda rows: rows[1].update(position=True),
    "the experiment is not that of the label": lambda rows: rows[1].update(experiment="243"),
    "there are no stimuli": lambda rows: rows.clear(),
    "stands after one that it precedes": lambda rows: rows.extend([rows.pop(0), rows.pop(0)]),
}


@each_of("told", FLAWS)
def test_stimuli_in_disorder_are_refused_with_the_reason(told):
    rows = stimuli(designed({"384": {"a": [2, 2], "b": [2]}}))
    FLAWS[told](rows)
    with pytest.raises(InputError, match=told):
        layout("pereira", rows)


def test_words_of_fedorenko_in_another_order_are_refused():
    rows = stimuli(fedorenko(3, 2))
    with pytest.raises(InputError, match="the label is '2' in row 0"):
        layout("fedorenko", rows[2:4] + rows[:2] + rows[4:])


def test_a_dataset_that_there_is_not_is_refused():
    with pytest.raises(InputError, match="no dataset is called 'tuckute'"):
        layout("tuckute", stimuli(fedorenko(3, 2)))


def test_a_layout_of_unequal_lengths_is_refused():
    with pytest.raises(InputError, match="`positions` has 1 values for 2 rows"):
        Layout("blank", ("a", "b"), ("s", "s"), ("s", "s"), (0,), ("", ""))


@pytest.mark.skipif(not (FIXTURES / "brain").is_dir(), reason="the fixtures do not lie beside this checkout")
def test_the_labels_are_those_of_the_golden_file():
    golden = json.loads((FIXTURES / "brain" / "pereira_row_labels.json").read_text("utf-8"))
    assert [*pereira().labels] == golden["row_labels"]
