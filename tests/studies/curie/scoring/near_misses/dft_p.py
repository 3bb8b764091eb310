"""Near misses of DFT-P: three sets of parameters of an invented paper, of a crystal, a slab and a band gap."""

# ruff: noqa: RUF001 - signs of print are the point

from __future__ import annotations

from studies.curie.scoring.near_misses.dft_records import (
    LINES,
    NAN,
    ONE_LINE,
    ORDER,
    TWICE,
    answer,
    changed,
    in_python,
    on_one_line,
    truth,
)
from studies.curie.scoring.near_misses.within import row, share

BULK = {
    "software": "vasp", "functional": "PBE", "k-points": "[6,6,6]", "pseudopotentials": "PAW", "energy_cutoff": 520.0,
    "force_convergence": 0.01, "energy_convergence": 1e-6, "relaxed_nuclei": 1.0, "relaxed_unit_cell": 1.0,
    "spin": 0.0, "hubbard_U": NAN,
}  # fmt: skip
SLAB = BULK | {"k-points": "[4,4,1]", "energy_cutoff": 400.0, "relaxed_unit_cell": 0.0}
GAP = BULK | {"functional": "HSE06", "k-points": "[8,8,8]", "relaxed_nuclei": 0.0, "relaxed_unit_cell": 0.0}
GOLD = [BULK, SLAB, GAP]
TURNED = [dict(reversed(item.items())) for item in reversed(GOLD)]
OWN = {"functional": "xc", "k-points": "kpts", "energy_cutoff": "encut", "energy_convergence": "ediff",
       "force_convergence": "fmax", "pseudopotentials": "pp", "spin": "spinpol"}  # fmt: skip
BY_PROGRAM = [{OWN.get(name, name): value for name, value in item.items()} for item in GOLD]
WORDS = {"software": "Vienna Ab initio Simulation Package", "functional": "generalized gradient approximation of "
         "Perdew, Burke and Ernzerhof (PBE)", "pseudopotentials": "projector augmented wave method",
         "spin": "non-spin-polarized", "force_convergence": "0.01 eV/Å", "energy_convergence": "10^-6 eV"}  # fmt: skip
PARAPHRASED = [
    BULK | WORDS | {"k-points": "6 × 6 × 6 Monkhorst-Pack mesh", "energy_cutoff": "520 eV"},
    SLAB | WORDS | {"k-points": "4 × 4 × 1 Monkhorst-Pack mesh", "energy_cutoff": "400 eV"},
    GAP
    | WORDS
    | {"functional": "Heyd-Scuseria-Ernzerhof hybrid (HSE06)", "k-points": "8x8x8", "energy_cutoff": "520 eV"},
]
RYDBERG = changed(
    changed(changed(GOLD, 0, energy_cutoff="38.2 Ry"), 1, energy_cutoff="29.4 Ry"), 2, energy_cutoff="38.2 Ry"
)
TERSE = [{"software": item["software"], "functional": item["functional"]} for item in GOLD]
SILENT = [{name: value for name, value in item.items() if name != "energy_convergence"} for item in GOLD]
TWO = share(2, 3, 3)
FOREIGN = "other words for the same, and a field's name counts as much as its value"

TRUTH = truth([], GOLD)
ROWS = [row(TRUTH, *each) for each in (
    ("the right sets, a field a line", answer(GOLD), 1.0, "nothing is wrong", TWICE),
    ("the same on one line", on_one_line(GOLD), 1.0, "line breaks say nothing", ONE_LINE),
    ("on one line in another order", on_one_line(TURNED), 1.0, "the order says nothing", ORDER),
    ("items and fields in another order", answer(TURNED), 1.0, "the order says nothing", LINES),
    ("a program's own names: encut, kpts, xc, ediff", answer(BY_PROGRAM), 1.0, "every user of the program knows them",
     FOREIGN),
    ("a paraphrase: full names, units spelt out", answer(PARAPHRASED), 1.0, "the same three set-ups", FOREIGN),
    ("a sentence before, a fence, None for unknown", in_python(GOLD), 1.0, "wrapping is no physics",
     "words alone; the published LLMSim must have None mended by a model"),
    ("cutoffs in rydbergs, converted", answer(RYDBERG), 1.0, "the same energies", "numbers are words to it"),
    ("one unit wrong: 520 Ry for 520 eV", answer(changed(GOLD, 0, energy_cutoff="520 Ry")), TWO,
     "a cutoff fourteen times as high", "a unit is one word"),
    ("one k-mesh off: 4×4×4 for 6×6×6", answer(changed(GOLD, 0, k_points="[4,4,4]")), TWO, "another sampling",
     "three digits of many"),
    ("PBEsol for PBE in one set", answer(changed(GOLD, 0, functional="PBEsol")), TWO, "another functional",
     "one word of many"),
    ("HSE03 for HSE06", answer(changed(GOLD, 2, functional="HSE03")), TWO, "another screening", "one word"),
    ("a Hubbard U of 4 eV that nobody used", answer(changed(GOLD, 1, functional="PBE+U", hubbard_U=4.0)), TWO,
     "another method", "two words"),
    ("a tolerance ten times as wide: 1e-5 eV", answer(changed(GOLD, 0, energy_convergence=1e-5)), TWO,
     "a stated value is wrong", "one digit"),
    ("spin switched on in one set", answer(changed(GOLD, 1, spin=1.0)), TWO, "another calculation", "one digit"),
    ("ultrasoft pseudopotentials for PAW in one set", answer(changed(GOLD, 1, pseudopotentials="ultrasoft")), TWO,
     "another kind of potential", "one word"),
    ("a bound on forces in other units: 10 meV/Å", answer(changed(GOLD, 0, force_convergence="10 meV/Å")), 1.0,
     "the same bound", "numbers are words to it"),
    ("PBE0 for HSE06", answer(changed(GOLD, 2, functional="PBE0")), TWO, "a hybrid, but another", "one word"),
    ("the family for the functional: GGA", answer(changed(GOLD, 0, functional="GGA")), (TWO, 1.0),
     "true, and less than was said", "one word"),
    ("two cutoffs changed about", answer(changed(changed(GOLD, 0, energy_cutoff=400.0), 1, energy_cutoff=520.0)),
     share(1, 3, 3), "both sets are wrong", "the words are the same"),
    ("the tolerance of energy left out everywhere", answer(SILENT), 1.0, "one detail of ten is silent, none is wrong"),
    ("program and functional alone", answer(TERSE), (0.0, 0.34), "it cannot be run again from that"),
    ("one set left out", answer(GOLD[:2]), share(2, 3, 2), "two of three, all right"),
    ("one set too many: LDA", answer([*GOLD, BULK | {"functional": "LDA"}]), share(3, 3, 4),
     "three of four are the paper's"),
    ("every set twice", answer([*GOLD, *GOLD]), share(3, 3, 6), "half the list says nothing new",
     "more words, none of them new"),
    ("all three as one item", answer([BULK | {"functional": "PBE and HSE06", "k-points": "6x6x6, 4x4x1, 8x8x8"}]),
     (0.0, share(1, 3, 1)), "which goes with which is lost"),
)]  # fmt: skip
