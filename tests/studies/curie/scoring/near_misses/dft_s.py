"""Near misses of DFT-S: four structures of an invented paper on carbon monoxide over platinum and two oxides."""

# ruff: noqa: RUF001 - signs of print are the point

from __future__ import annotations

import json

from studies.curie.scoring.near_misses.dft_records import (
    LINES,
    NAN,
    ONE_LINE,
    ORDER,
    TWICE,
    Item,
    answer,
    changed,
    in_python,
    on_one_line,
    truth,
)
from studies.curie.scoring.near_misses.within import row, share

SLAB: Item = {
    "common_name": "platinum surface", "scientific_name": NAN, "type": "surface", "composition": "Pt",
    "crystal_or_isolated": "surface", "vacuum": "[0,0,15]", "supercell": "[2,2,1]", "lattice_parameters": "[3.92,,]",
    "miller_indices": "[1,1,1]",
}  # fmt: skip
GAS: Item = {"common_name": "carbon monoxide", "type": "isolated molecule", "composition": "CO", "supercell": NAN}
MAGNESIA: Item = {
    "common_name": "magnesium oxide", "type": "bulk", "composition": "MgO", "space_group": "Fm-3m",
    "lattice_parameters": "[4.21,4.21,4.21]",
}  # fmt: skip
RUTILE: Item = {
    "common_name": "titanium dioxide", "type": "bulk", "composition": "TiO2", "crystal_structure": "rutile",
    "space_group": "P4_2/mnm",
}  # fmt: skip
GOLD = [SLAB, GAS, MAGNESIA, RUTILE]
TURNED = [dict(reversed(item.items())) for item in reversed(GOLD)]
BY_PROMPT = [
    {"id": "slab", "name": "Pt(111)", "description": "slab", "composition": "Pt", "vacuum_x": None, "vacuum_z": 15,
     "lattice_a": 3.92, "supercell": "2x2x1"},
    {"id": "gas", "name": "CO", "description": "gas-phase molecule", "composition": "CO"},
    {"id": "oxide", "name": "MgO", "description": "bulk crystal", "composition": "MgO", "space group": "Fm-3m",
     "lattice_a": 4.21, "lattice_b": 4.21, "lattice_c": 4.21},
    {"id": "titania", "name": "rutile TiO2", "description": "bulk crystal", "composition": "TiO2"},
]  # fmt: skip
PARAPHRASED = [
    {"common_name": "Pt slab", "type": "slab", "composition": "platinum", "orientation": "(111)", "supercell": "2 × 2"},
    {"common_name": "CO molecule in the gas phase", "type": "molecule", "composition": "CO"},
    {"common_name": "MgO", "type": "crystal", "composition": "MgO", "crystal_structure": "rock salt"},
    {"common_name": "TiO2 (rutile)", "type": "crystal", "composition": "TiO2"},
]
WHOLE = answer(GOLD)
BRIDGED = "other words for the same, and a field's name counts as much as its value"
SMALL = "a word or two of a hundred"

TRUTH = truth(GOLD, [])
ROWS = [row(TRUTH, *each) for each in (
    ("the right items, a field a line", WHOLE, 1.0, "nothing is wrong", TWICE),
    ("the same on one line", on_one_line(GOLD), 1.0, "line breaks say nothing", ONE_LINE),
    ("on one line in another order", on_one_line(TURNED), 1.0, "the order says nothing", ORDER),
    ("items and fields in another order", answer(TURNED), 1.0, "the order says nothing", LINES),
    ("the prompt's field names", answer(BY_PROMPT), 1.0, "the prompt asks for them", BRIDGED),
    ("a paraphrase: synonyms, no field the same", answer(PARAPHRASED), 1.0, "the same four structures", BRIDGED),
    ("a sentence before, a fence, None for unknown", in_python(GOLD), 1.0, "wrapping is no chemistry",
     "words alone; the published LLMSim must have None mended by a model"),
    ("lattice constant in nanometres, 0.392 nm", answer(changed(GOLD, 0, lattice_parameters="0.392 nm")), 1.0,
     "the same length", SMALL),
    ("one unit wrong: 3.92 nm for 3.92 Å", answer(changed(GOLD, 0, lattice_parameters="3.92 nm")), share(3, 4, 4),
     "no platinum has such a cell", SMALL),
    ("one Miller index off: (110) for (111)", answer(changed(GOLD, 0, miller_indices="[1,1,0]")), share(3, 4, 4),
     "another surface", SMALL),
    ("another supercell: 3×3 for 2×2", answer(changed(GOLD, 0, supercell="[3,3,1]")), share(3, 4, 4),
     "another coverage", SMALL),
    ("one atom off: CO2 for CO", answer(changed(GOLD, 1, composition="CO2", common_name="carbon dioxide")),
     share(3, 4, 4), "another molecule", SMALL),
    ("another polymorph: anatase for rutile",
     answer(changed(GOLD, 3, crystal_structure="anatase", space_group="I4_1/amd")), share(3, 4, 4),
     "another crystal of the same formula", SMALL),
    ("the space group by its number, 225", answer(changed(GOLD, 2, space_group=225)), 1.0, "Fm-3m is number 225",
     SMALL),
    ("a formula in another order, and that of a cell: O2Ti, Mg4O4",
     answer(changed(changed(GOLD, 2, composition="Mg4O4"), 3, composition="O2Ti")), 1.0, "the same crystals", SMALL),
    ("an equivalent plane: (11-1) for (111)", answer(changed(GOLD, 0, miller_indices="[1,1,-1]")), 1.0,
     "in a cubic metal the two are one surface", SMALL),
    ("an oxygen vacancy that is not there", answer(changed(GOLD, 2, common_name="MgO with an oxygen vacancy")),
     share(3, 4, 4), "another system", SMALL),
    ("another lattice constant: 3.97 for 3.92", answer(changed(GOLD, 0, lattice_parameters="[3.97,,]")),
     share(3, 4, 4), "what was stated is another number", SMALL),
    ("one structure left out", answer(GOLD[:3]), share(3, 4, 3), "three of four, all right"),
    ("one structure too many: O2, which is not there",
     answer([*GOLD, {"common_name": "oxygen molecule", "type": "isolated molecule", "composition": "O2"}]),
     share(4, 4, 5), "four of five are the paper's"),
    ("the slab and the molecule merged: CO on Pt(111)",
     answer([{"common_name": "CO on Pt(111)", "type": "surface", "composition": "CO on Pt"}, *GOLD[2:]]),
     share(2, 4, 3), "a covered slab is neither of the two"),
    ("every structure twice", answer([*GOLD, *GOLD]), share(4, 4, 8), "half the list says nothing new",
     "more words, none of them new"),
    ("one item that names everything",
     answer([{"common_name": "Pt, CO, MgO, TiO2", "composition": "Pt, CO, MgO, TiO2"}]), (0.0, share(1, 4, 1)),
     "a list of names tells no structure"),
    ("the list breaks off in its last item", WHOLE[: WHOLE.rindex('"composition"')], share(3, 4, 3),
     "three items are whole"),
    ("the items in words, no list", "; ".join(json.dumps(item)[1:-1] for item in GOLD), (0.5, 1.0),
     "a reader finds all four", "it sees words, not a form",
     "R2: what holds no JSON list or object is unreadable and worth 0; no model repairs it in strict mode"),
)]  # fmt: skip
