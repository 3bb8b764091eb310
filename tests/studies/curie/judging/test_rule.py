"""The rule judge: our own pairs with a scientist's labels, its step, and what it does with what nobody expects."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from studies.curie.judging.further_pairs import FURTHER_PARAMETERS, FURTHER_PROPERTIES, FURTHER_STRUCTURES
from studies.curie.judging.property_pairs import PAIRS, p
from studies.curie.judging.structure_pairs import PARAMETERS, SLAB, STRUCTURES
from studies.curie.judging.worded_pairs import (
    SEVERAL_PARAMETERS,
    SEVERAL_PROPERTIES,
    SEVERAL_STRUCTURES,
    WORDED_PARAMETERS,
    WORDED_PROPERTIES,
    WORDED_STRUCTURES,
)
from support_cases import each_of
from support_draws import drawn
from support_pace import soon

from harness import rows
from harness.errors import InputError
from harness.studies.curie.judging import rule
from harness.studies.curie.judging.rule import compared, pairs, same

TABLES = {
    "mpv": PAIRS + WORDED_PROPERTIES + SEVERAL_PROPERTIES + FURTHER_PROPERTIES,
    "dft-s": STRUCTURES + WORDED_STRUCTURES + SEVERAL_STRUCTURES + FURTHER_STRUCTURES,
    "dft-p": PARAMETERS + WORDED_PARAMETERS + SEVERAL_PARAMETERS + FURTHER_PARAMETERS,
}
EVERY = [(task, each) for task, table in TABLES.items() for each in table]
GOLD = [
    {"index": 2, **p("gallium nitride", "band gap", "3.4", "eV")},
    {"index": 1, **p("GaN", "lattice constant\na", "3.189", "&#197;")},
    {"index": 3, **p("GaN", "thickness", " ", " ")},
]
ANSWER = [p("GaN", "lattice parameter a", "0.3189", "nm"), "prose", p("GaN", "Eg", "3.4", "eV")]


def judgement(folder: Path, task: str, truth: Any, answer: str) -> Any:
    """Let the step judge one answer, and give what it says."""
    about = {"item": "a", "template": 1, "model": "m", "sample": 0}
    rows.write(folder / "items", [{"id": "a", "task": task, "input": {}, "difficulty": None, "meta": {}}])
    rows.write(
        folder / "gold", [{"id": "a", "gold": {"truth": truth if isinstance(truth, str) else json.dumps(truth)}}]
    )
    rows.write(folder / "responses", [{**about, "text": answer, "finish": "stop"}])
    inputs = {name: folder / name for name in ("items", "gold", "responses")}
    rule.judge({"judge": "rule", "task": task}, inputs, folder)
    [row] = rows.read(folder / "judgements")
    return row["parsed"]


def test_there_are_pairs_enough_of_either_label_for_each_task() -> None:
    assert len(EVERY) >= 60
    for task in ("mpv", "dft-s", "dft-p"):
        labels = [pair.same for name, pair in EVERY if name == task]
        assert min(labels.count(True), labels.count(False)) >= 10


@each_of("task", TABLES)
def test_the_rule_says_what_a_scientist_says(task) -> None:
    found = [(pair, same(task, pair.gold, pair.other)) for pair in TABLES[task]]
    assert [(pair.about, said.why) for pair, said in found if said.matches is not pair.same] == []
    assert [pair.about for pair, said in found if bool(said.why) is pair.same] == []


@each_of(("task", "pairs_of_it"), [("mpv", PAIRS), ("dft-s", STRUCTURES)])
def test_which_of_two_items_is_gold_makes_no_difference(task, pairs_of_it) -> None:
    assert [one.about for one in pairs_of_it if same(task, one.other, one.gold).matches is not one.same] == []


def test_of_parameters_most_that_the_gold_states_must_be_stated() -> None:
    gold = {"software": "vasp", "functional": "PBE", "k-points": "[3,3,3]", "energy_cutoff": 400.0}
    less = {"software": "vasp", "functional": "PBE"}
    assert same("dft-p", less, gold).matches
    assert same("dft-p", gold, less).why == ("too little of it is stated",)


def test_the_step_gives_all_admissible_pairs_and_what_is_set_aside(tmp_path: Path) -> None:
    said = judgement(tmp_path, "mpv", GOLD, json.dumps(ANSWER))
    assert said == {"gold": 2, "predictions": 3, "pairs": [[0, 0], [1, 2]], "set_aside": 1, "unread": 0}


def test_the_step_reads_structures_from_the_program_of_the_gold(tmp_path: Path) -> None:
    item = {name: None if value != value else value for name, value in SLAB.items()}
    program = f"structure_metadata_a = StructureMetadataGeneral.parse_raw('{json.dumps(item)}')\n"
    answer = (
        '[{"common_name": "Ag", "composition": "Ag"}, {"common_name": "Cu(111)", "type": "slab", "composition": "Cu"}]'
    )
    said = judgement(tmp_path, "dft-s", {"no_header_code": program, "record_id": "a"}, answer)
    assert said["pairs"] == [[0, 1]] and said["gold"] == 1


@pytest.mark.parametrize(
    ("truth", "answer", "counts"),
    [(GOLD, "no list at all", (2, 0)), ("no JSON", json.dumps(ANSWER), (0, 3)), (GOLD, "", (2, 0))],
)
def test_what_cannot_be_read_has_no_items_and_no_pairs(tmp_path, truth, answer, counts) -> None:
    said = judgement(tmp_path, "mpv", truth, answer)
    assert (said["gold"], said["predictions"], said["pairs"]) == (*counts, [])


def test_only_the_first_predictions_of_a_huge_list_are_compared(tmp_path: Path) -> None:
    other, right = p("Si", "band gap", "1.12", "eV"), p("GaN", "Eg", "3.4", "eV")
    said = judgement(tmp_path, "mpv", GOLD, json.dumps([*[other] * 999, right, right]))
    assert (said["pairs"], said["predictions"], said["unread"]) == ([[1, 999]], 1001, 1)
    assert compared([{"material": "x" * 2000}] * 300) == 200  # 400,000 letters
    assert compared([{"material_source_passage": "x" * 10**6}] * 300) == 300  # a passage is not read


def test_an_item_that_is_no_object_states_nothing() -> None:
    assert same("mpv", GOLD[0], "GaN 3.4 eV").why == ("one is no object",)


@pytest.mark.parametrize("ask", [lambda: same("hfe", {}, {}), lambda: pairs("geo", [], [])])
def test_a_task_without_items_is_refused(ask) -> None:
    with pytest.raises(InputError, match="has no items to compare"):
        ask()


NEST: Any = "x"
for _ in range(500):
    NEST = [NEST]
HOSTILE = [
    "(" * 5000, "<sub" * 2000, "\ud800 $\\frac{", "1" * 10**6, "9e999", "-" * 3000, "((((1-x)x)x" * 300,
    "Al-doped " * 500,
    "10^" * 2000, "1,1," * 2000, float("inf"), float("nan"), 10**5000, True, NEST, {"a": {"b": NEST}}, [], "⁻⁺⁰" * 900,
]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", ["mpv", "dft-s", "dft-p"])
@pytest.mark.parametrize("place", drawn(range(len(HOSTILE)), 4, len(HOSTILE)))
def test_hostile_values_are_compared_in_no_time(task, place) -> None:
    fields = [
        *GOLD[0],
        *SLAB,
        "synonyms",
        "software",
        "functional",
        "k-points",
        "basis_set",
        "hubbard_U",
        "notes",
        "spin",
    ]
    item, begun = dict.fromkeys(fields, HOSTILE[place]), process_time()
    assert same(task, item, dict(item)).label in ("same", "different")
    same(task, GOLD[0] if task == "mpv" else SLAB, item)
    assert soon(process_time() - begun, 10)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("task", drawn(["mpv", "dft-s", "dft-p"], 1, 3))
def test_sixty_gold_items_and_a_long_answer_take_less_than_a_few_seconds(task) -> None:
    junk = "films 200 nm thick, Al-doped, annealed at 400 °C for 2 h on Si substrate; " * 20
    item = {
        **p("GaAs film", "band gap", "1.42", "eV", junk, junk), "common_name": junk, "composition": "GaAs",
        "additional_information": junk, "functional": "PBE", "software": junk, "notes": junk,
    }  # fmt: skip
    many = [{**item, "material": f"GaAs film {place}", "notes": f"{place} {junk}"} for place in range(400)]
    begun = process_time()
    pairs(task, many[:60], many)
    assert soon(process_time() - begun, 3)
