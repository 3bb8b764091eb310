"""The ideal answer: strict mode gives it the most there is, for records of our own and for the real ones."""

import json

import pytest
from support_cases import each_of
from support_curie_records import RECORDS

from harness.errors import InputError
from harness.studies.curie.data.oracle import oracle
from harness.studies.curie.scoring import (
    boxes_strict,
    facts_code,
    facts_geo,
    facts_hfd,
    facts_hfe,
    facts_qecc,
    llmsim_strict,
    sequences_strict,
)
from harness.studies.curie.tasks import TASKS

PROGRAM = """
structure_metadata_a = StructureMetadataGeneral.parse_raw('{"common_name": "GaN", "cell_size": NaN}')
structure_metadata_b = StructureMetadata.parse_raw('{"name": "Si (001)"}')
dft_params_a = DFTParametersGeneral.parse_raw(
    '{"functional": "PBE", "energy_cutoff": "500 eV"}'
)
eos = Eos.parse_raw('{"kind": "birch"}')
"""
DFT = json.dumps({"record_id": "r", "code": "import x", "no_header_code": PROGRAM, "graph_as_text": "[]"})
PROPERTY = {"paper_id": "p", "record_id": "r", "material": "GaN", "property_name": "band gap", "low_value": "3.4",
            "high_value": "3.4", "value_units": "eV", "index": 2}  # fmt: skip
MPV = json.dumps([
    PROPERTY,
    {**PROPERTY, "property_name": "density", "low_value": " ", "high_value": "6.1", "index": 1},
    {**PROPERTY, "low_value": " ", "high_value": "", "index": 3},
])  # fmt: skip
BOX = json.dumps({"record_id": "r", "W": 170.0, "S": -45.5, "E": -175.0, "N": -30, "note": "x"})
JUDGED = ("dft-s", "dft-p", "mpv", "mpv-non-trivial", "mpv-specific")


def by_a_fair_judge(task, truth, answer):
    """Score an answer of LLMSim with a judge that sees each item at its place."""
    count = len(llmsim_strict.gold_items(task, truth).items)
    replies = [json.dumps({"json_extracted_indices": [place]}) for place in range(count)]
    return llmsim_strict.score(task, truth, answer, replies)["value"]


@pytest.mark.parametrize(("task", "count"), [("dft-s", 2), ("dft-p", 1), ("mpv", 2), ("mpv-specific", 1)])
def test_lists_hold_what_counts_and_no_more(task, count):
    truth = MPV if task.startswith("mpv") else DFT
    answer = oracle(task, truth)
    assert len(llmsim_strict.prediction_items(answer)) == count
    assert by_a_fair_judge(task, truth, answer) == 1


def test_properties_stand_in_the_order_of_their_index_and_without_ids():
    assert [(row["property_name"], "record_id" in row) for row in json.loads(oracle("mpv", MPV))] == [
        ("density", False), ("band gap", False)
    ]  # fmt: skip


def test_a_program_is_the_part_that_belongs_to_the_task():
    assert oracle("dft-c", DFT) == PROGRAM


@pytest.mark.parametrize("more", ["for oh no:", "relax(atoms, fmax=0.017)"])
def test_a_program_that_is_not_python_or_says_more_is_cut_to_its_items(more):
    truth = json.dumps({**json.loads(DFT), "no_header_code": f"{PROGRAM}{more}\n"})
    answer = oracle("dft-c", truth)
    assert facts_code.score(answer, truth)["value"] == 1
    assert facts_code.score(PROGRAM + more, truth)["value"] != 1
    assert answer.startswith("structuremetadatageneral_1 = StructureMetadataGeneral.parse_raw('{")


def test_an_apostrophe_in_an_item_ends_no_statement():
    item = """structure_metadata_a = StructureMetadataGeneral.parse_raw("{\"common_name\": \"O'Neill's\"}")"""
    truth = json.dumps({"no_header_code": f"{item}\nnot python"})
    assert facts_code.score(oracle("dft-c", truth), truth)["value"] == 1


STEPS = [{"Step": "1", "answer": "$H = \\sum_k a_k b_k$"}, {"Step": "2", "answer": "$H = -t$"}]
ENTRY = {"code_id": "five_qubit", "name": "no", "protection": "distance 3, $p = 10^{-4}$", "rate": 0.2}
SETS = [{"dataset_name": "ERA5", "variables": [{"variable_name": ["wind"], "description": "-3 mV", "time_range": []}]}]


@each_of(
    ("task", "rule", "truth"),
    [
        ("hfe", facts_hfe, {"record_id": "r", "hamiltonian": "$H = \\sum_k e_k c_k$", "terms": ["$e_k = -t$"]}),
        ("hfd", facts_hfd, STEPS),
        ("hfd", facts_hfd, {"record_id": "r", "steps": STEPS}),
        ("hfd", facts_hfd, {"record_id": "r", "text": json.dumps(STEPS)}),
        ("qecc", facts_qecc, {"record_id": "r", **ENTRY}),
        ("qecc", facts_qecc, {"record_id": "r", "yaml": "code_id: five_qubit\nphysical: qubits\n"}),
        ("geo", facts_geo, {"record_id": "r", "datasets": SETS}),
        ("geo", facts_geo, SETS),
    ],
)
def test_facts_are_all_there_wherever_a_file_has_them(task, rule, truth):
    written = json.dumps(truth)
    assert rule.score(oracle(task, written), written)["value"] == 1


def test_a_box_is_the_four_sides_and_covers_itself():
    assert json.loads(oracle("biogr", BOX)) == {"W": 170.0, "S": -45.5, "E": -175.0, "N": -30}
    assert boxes_strict.score(oracle("biogr", BOX), BOX)["value"] == pytest.approx(1, abs=1e-12)


def test_a_sequence_is_one_record_on_one_line():
    truth = json.dumps({"record_id": "1AAA", "sequence": "MKTAYIAKQR\nQISFVKSHFS"})
    assert oracle("pdb", truth) == ">record\nMKTAYIAKQRQISFVKSHFS"
    assert sequences_strict.score(oracle("pdb", truth), truth)["value"] == 1


@each_of("task", TASKS)
@each_of("truth", ["", "x", "[" * 100_000, "1" * 100_000, "7", "null", '{"a": '])
def test_a_ground_truth_that_is_none_is_refused(task, truth):
    with pytest.raises(InputError, match="ground truth cannot be read"):
        oracle(task, truth)


@each_of(
    ("task", "truth"),
    [
        ("dft-s", "{}"),
        ("dft-c", '{"no_header_code": 7}'),
        ("mpv", "{}"),
        ("biogr", '{"W": 1}'),
        ("pdb", "{}"),
        ("pdb", "[]"),
    ],
)
def test_a_ground_truth_that_lacks_the_answer_is_refused(task, truth):
    with pytest.raises(InputError, match="ground truth cannot be read"):
        oracle(task, truth)


@pytest.mark.skipif(not RECORDS.is_dir(), reason="the real records are not here")
@pytest.mark.parametrize("task", JUDGED)
def test_the_ideal_answer_to_every_real_record_scores_one_or_has_no_gold(task):
    paths = sorted((RECORDS / TASKS[task].domain / "ground_truth").glob("*.json"))
    values = [by_a_fair_judge(task, truth := path.read_text("utf-8"), oracle(task, truth)) for path in paths]
    empty = [value for value in values if value == {"missing": "no gold item counts"}]
    assert set(map(str, values)) <= {"1.0", str({"missing": "no gold item counts"})}
    assert (len(values), len(empty)) == {"dft-s": (45, 4), "dft-p": (45, 0)}.get(task, (9, 0))


@pytest.mark.long
@pytest.mark.skipif(not RECORDS.is_dir(), reason="the real records are not here")
def test_the_ideal_program_of_every_real_record_states_all_its_facts():
    truths = [path.read_text("utf-8") for path in (RECORDS / "dft" / "ground_truth").glob("*.json")]
    values = [facts_code.score(oracle("dft-c", truth), truth)["value"] for truth in truths]
    assert values == [1] * 45
