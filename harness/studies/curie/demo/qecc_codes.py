"""Quantum codes of the demo: real and well known, each with its generators, its sources and certain facts about it.

Every statement about a code is in the literature that it cites; the tests recompute parameters and rates. Independent
of the wording of a paper and of scoring.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class QuantumCode:
    r"""A stabiliser code on qubits; citations in its texts are written as `\cite{arXiv:…}` or `\cite{doi:…}`."""

    id: str  # its name in catalogues
    level: str
    size: tuple[int, int, int]  # physical qubits, logical qubits, distance
    name: str  # its name in running text
    sources: tuple[str, ...]  # papers that introduced it
    rate: str  # logical over physical qubits, in percent
    description: str
    protection: str
    features: Mapping[str, tuple[str, ...]]
    parents: tuple[tuple[str, str], ...]  # catalogue name, and why
    cousins: tuple[tuple[str, str], ...]
    paulis: str = ""  # generators as words of Pauli letters …
    x: str = ""  # … or as the qubits on which generators of a CSS code act, X and Z separately
    z: str = ""
    realizations: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def parameters(self) -> str:
        """The code's parameters [[n, k, d]] as printed text."""
        return "[[{},{},{}]]".format(*self.size)

    @property
    def generators(self) -> tuple[str, ...]:
        """The generators as printed: Pauli words, or X or Z with the numbers of qubits."""
        css = [
            f"{letter} on {each.strip()}"
            for letter, given in (("X", self.x), ("Z", self.z))
            for each in given.split(",")
            if each.strip()
        ]
        return (*self.paulis.split(), *css)


_HAMMING = "4 5 6 7, 2 3 6 7, 1 3 5 7"
_REED_MULLER_15 = "1 3 5 7 9 11 13 15, 2 3 6 7 10 11 14 15, 4 5 6 7 12 13 14 15, 8 9 10 11 12 13 14 15"
_REED_MULLER_16 = (
    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16, 2 4 6 8 10 12 14 16, 3 4 7 8 11 12 15 16, 5 6 7 8 13 14 15 16, "
    "9 10 11 12 13 14 15 16"
)
_HEXAGONS = (
    "1 2 3 4, 2 4 6 7, 3 4 5 6 8 9, 5 8 11 12, 6 7 9 10 13 14, 8 9 12 13 16 17, 10 14 18 19, 11 12 15 16, 13 14 17 18"
)
_STABILIZER = ("stabilizer", "It is given by commuting Pauli operators that mix X and Z.")
_CSS = ("css", "Each of its generators holds X alone or Z alone.")

CODES: tuple[QuantumCode, ...] = (
    QuantumCode(
        "stab_5_1_3",
        "easy",
        (5, 1, 3),
        "five-qubit code",
        ("arXiv:quant-ph/9602019", "arXiv:quant-ph/9604024"),
        "20%",
        "The shortest code that corrects an arbitrary error on any one qubit; it meets the quantum Hamming bound.",
        "It corrects every error on one qubit, or the loss of two qubits whose places are known.",
        {
            "general_gates": (
                r"States of the T type can be distilled with it while their error stays below 17.3% "
                r"\cite{arXiv:quant-ph/0403025}.",
            )
        },
        (_STABILIZER,),
        (("stab_11_1_5", "The shortest code of one logical qubit at distance five."),),
        paulis="XZZXI IXZZX XIXZZ ZXIXZ",
    ),
    QuantumCode(
        "shor_nine",
        "medium",
        (9, 1, 3),
        "Shor nine-qubit code",
        ("doi:10.1103/PhysRevA.52.R2493",),
        "11.1%",
        "A phase-flip repetition code whose three qubits are each stored in a bit-flip repetition code.",
        "It corrects every error on one qubit; phase flips within a block act alike, so the code is degenerate.",
        {"decoders": ("Majority votes within each block of three and then among the blocks.",)},
        (_CSS,),
        (("repetition", "Two repetition codes of three bits are concatenated."),),
        x="1 2 3 4 5 6, 4 5 6 7 8 9",
        z="1 2, 2 3, 4 5, 5 6, 7 8, 8 9",
    ),
    QuantumCode(
        "stab_8_3_2",
        "hard",
        (8, 3, 2),
        "smallest interesting colour code",
        ("arXiv:1503.02065",),
        "37.5%",
        "Qubits on the corners of a cube: one generator holds all corners, the others each hold a face.",
        "It detects every error on one qubit and corrects none.",
        {
            "transversal_gates": (
                r"T on four corners and its inverse on their neighbours act as CCZ on the logical qubits "
                r"\cite{arXiv:1503.02065}.",
            )
        },
        (_CSS, ("color", "It is a colour code in three dimensions with boundaries.")),
        (
            ("stab_4_2_2", "The same construction on a square."),
            ("stab_8_3_3", "It has the same length and the same number of logical qubits, but can correct."),
        ),
        x="1 2 3 4 5 6 7 8",
        z="1 2 3 4, 1 2 5 6, 1 3 5 7, 5 6 7 8",
    ),
    QuantumCode(
        "steane",
        "easy",
        (7, 1, 3),
        "Steane code",
        ("arXiv:quant-ph/9601029",),
        "14.3%",
        "Both kinds of generators are the parity checks of the classical Hamming code of length seven.",
        "It corrects every error on one qubit, bit flips and phase flips independently.",
        {
            "transversal_gates": (r"Every Clifford gate is transversal \cite{arXiv:quant-ph/9605011}.",),
            "fault_tolerance": (
                r"Conversion into the fifteen-qubit Reed-Muller code and back adds a T gate \cite{arXiv:1403.2734}.",
            ),
        },
        (_CSS, ("color", "It is the smallest triangular colour code.")),
        (("stab_15_1_3", "Logical states can be carried over between the two."),),
        x=_HAMMING,
        z=_HAMMING,
        realizations=(r"Trapped ions: rounds of correction while a program runs \cite{arXiv:2107.07505}.",),
    ),
    QuantumCode(
        "toric",
        "medium",
        (18, 2, 3),
        "toric code of linear size three",
        ("arXiv:quant-ph/9707021",),
        "11.1%",
        "Qubits on the edges of a square lattice of three by three cells that closes upon itself both ways.",
        "It corrects every error on one qubit; logical operators are loops around the torus.",
        {
            "decoders": (r"Matching of defects with least total weight \cite{arXiv:quant-ph/0110143}.",),
            "code_capacity_threshold": (
                r"10.31% for independent bit and phase flips with matching \cite{arXiv:quant-ph/0207088}.",
            ),
            "threshold": (r"2.93% with matching when syndromes are as noisy as qubits \cite{arXiv:quant-ph/0207088}.",),
        },
        (_CSS,),
        (("rotated_surface", "The planar relative with open boundaries."),),
        x="1 3 10 16, 1 2 11 17, 2 3 12 18, 4 6 10 13, 4 5 11 14, 5 6 12 15, 7 9 13 16, 7 8 14 17",
        z="1 4 10 11, 2 5 11 12, 3 6 10 12, 4 7 13 14, 5 8 14 15, 6 9 13 15, 1 7 16 17, 2 8 17 18",
        notes=("A member of the family [[2L^2,2,L]].",),
    ),
    QuantumCode(
        "stab_15_1_3",
        "hard",
        (15, 1, 3),
        "fifteen-qubit Reed-Muller code",
        ("arXiv:quant-ph/9610011",),
        "6.7%",
        "Its X generators are the parity checks of a Hamming code, its Z generators those and their products in pairs.",
        "It corrects every error on one qubit; against bit flips alone it has distance seven.",
        {
            "transversal_gates": (r"The T gate is transversal \cite{arXiv:quant-ph/9610011}.",),
            "general_gates": (
                r"Fifteen T states give a better one while their error stays below 14.1% "
                r"\cite{arXiv:quant-ph/0403025}.",
            ),
            "fault_tolerance": (r"Conversion into the Steane code and back \cite{arXiv:1403.2734}.",),
        },
        (_CSS, ("quantum_reed_muller", "Punctured Reed-Muller codes give both kinds of generators.")),
        (("steane", "It is the partner in conversion, with transversal Clifford gates."),),
        x=_REED_MULLER_15,
        z=_REED_MULLER_15 + ", 3 7 11 15, 5 7 13 15, 6 7 14 15, 9 11 13 15, 10 11 14 15, 12 13 14 15",
    ),
    QuantumCode(
        "stab_4_2_2",
        "easy",
        (4, 2, 2),
        "four-qubit code",
        ("arXiv:quant-ph/9603031", "arXiv:quant-ph/9610042"),
        "50%",
        "Two generators, one of X and one of Z on all of its qubits, protect two logical qubits.",
        "It detects every error on one qubit and corrects the loss of one whose place is known.",
        {"transversal_gates": ("Hadamard gates on all qubits act as Hadamard gates on both logical ones, swapped.",)},
        (_CSS,),
        (("stab_8_3_2", "The same construction on a cube."),),
        x="1 2 3 4",
        z="1 2 3 4",
    ),
    QuantumCode(
        "rotated_surface",
        "medium",
        (25, 1, 5),
        "rotated surface code of distance five",
        ("arXiv:quant-ph/0703272",),
        "4%",
        "Qubits on the points of a five by five square, generators on a chequerboard of its cells.",
        "It corrects every pair of errors.",
        {"decoders": (r"Matching of defects \cite{arXiv:quant-ph/0110143}.",)},
        (_CSS,),
        (("toric", "The relative that closes upon itself."),),
        x="2 3, 4 5, 1 2 6 7, 3 4 8 9, 7 8 12 13, 9 10 14 15, 11 12 16 17, 13 14 18 19, 17 18 22 23, 19 20 24 25, "
        "21 22, 23 24",
        z="1 6, 2 3 7 8, 4 5 9 10, 6 7 11 12, 8 9 13 14, 10 15, 11 16, 12 13 17 18, 14 15 19 20, 16 17 21 22, "
        "18 19 23 24, 20 25",
        realizations=(
            r"Superconducting qubits: 2.914% logical error a cycle, against 3.028% at distance three "
            r"\cite{arXiv:2207.06431}.",
        ),
    ),
    QuantumCode(
        "stab_8_3_3",
        "hard",
        (8, 3, 3),
        "eight-qubit Gottesman code",
        ("arXiv:quant-ph/9604038",),
        "37.5%",
        "Two generators hold X or Z on all qubits, and three mix the letters.",
        "It corrects every error on one qubit.",
        {},
        (_STABILIZER,),
        (("stab_8_3_2", "It has the same length and the same rate, but only detects."),),
        paulis="XXXXXXXX ZZZZZZZZ IXIXYZYZ IXZYIXZY IYXZXZIY",
        notes=(r"A member of the family [[2^r,2^r-r-2,3]] \cite{arXiv:quant-ph/9604038}.",),
    ),
    QuantumCode(
        "stab_16_6_4",
        "medium",
        (16, 6, 4),
        "sixteen-qubit Reed-Muller code",
        ("arXiv:quant-ph/9608006",),
        "37.5%",
        "Both kinds of generators are the words that span the Reed-Muller code of order one and length sixteen.",
        "It corrects every error on one qubit and detects every pair of errors besides.",
        {},
        (_CSS,),
        (("reed_muller", "The classical code of order one gives both kinds of generators."),),
        x=_REED_MULLER_16,
        z=_REED_MULLER_16,
    ),
    QuantumCode(
        "stab_11_1_5",
        "hard",
        (11, 1, 5),
        "eleven-qubit code",
        ("arXiv:quant-ph/9608006",),
        "9.1%",
        "The shortest code of one logical qubit that corrects two errors.",
        "It corrects every pair of errors, or the loss of four qubits whose places are known.",
        {},
        (_STABILIZER,),
        (
            ("dodecacode", "Leaving out one place of that code of length twelve gives this one."),
            ("stab_5_1_3", "The shortest code of one logical qubit at distance three."),
        ),
        paulis="XZXIXIIXIIX ZIZIIXXIXXI XIXZXIXIIXI IXIXZXIXIIX IXYXXYXIIII XIIXIXZXIXI IXIIXIXZXIX IXYXIIIXYXI "
        "XIIXIIXIXZX ZIIXXIXXIIZ",
    ),
    QuantumCode(
        "triangular_color",
        "hard",
        (19, 1, 5),
        "hexagonal colour code of distance five",
        ("arXiv:quant-ph/0605138",),
        "5.3%",
        "Qubits on the corners of a triangular piece of the honeycomb; each face holds one X and one Z generator.",
        "It corrects every pair of errors, bit flips and phase flips independently.",
        {"transversal_gates": (r"Hadamard and CNOT gates are transversal \cite{arXiv:quant-ph/0605138}.",)},
        (_CSS, ("color", "It is cut from the honeycomb.")),
        (("steane", "The next smaller triangle of the same shape."),),
        x=_HEXAGONS,
        z=_HEXAGONS,
    ),
)
