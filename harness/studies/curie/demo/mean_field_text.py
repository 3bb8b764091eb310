r"""The text of the demo's HFE and HFD papers (OURS): the model, what is kept, and Hamiltonians that are not asked for.

Independent of ground truths and answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness import seeds
from harness.studies.curie.demo.documents import Draw, Section, one, paper, shuffled
from harness.studies.curie.demo.filler import GENERAL, MANY_BODY
from harness.studies.curie.demo.mean_field import (
    BARE,
    DIRECT,
    FULL,
    NEIGHBOURS,
    OTHER,
    SPECIAL,
    MeanFieldCase,
    displayed,
    equation,
)

_DENSITY = re.compile(r"(?<![A-Za-z])n_\{")
_REFERENCES = (
    "[1] M. Albrecht, Lectures on Order in Matter.",
    "[3] S. Varga, D. Ito, Letters on Model Hamiltonians 5.",
    "[7] L. Brandt, doctoral thesis.",
)


def title(case: MeanFieldCase) -> str:
    """Return the title of an invented paper on a mean-field model."""
    return f"On {case.model.name}"


def model_paragraphs(source: seeds.Stream, case: MeanFieldCase) -> tuple[str, str]:
    """Return two paragraphs: the bare Hamiltonian with its conventions, and the averages that the decoupling keeps."""
    opening = one(source, ("We consider", "This paper deals with", "The object of study is"))
    said = [f"{opening} {case.model.system}. The Hamiltonian reads\n{displayed(equation(BARE, case.bare))}"]
    if case.extra:
        said.append(f"It includes {' and '.join(case.extra)}.")
    if any(NEIGHBOURS in term for term in case.bare):
        said.append(f"A sum over ${NEIGHBOURS}$ runs over ordered pairs of neighbours, so that each bond comes twice.")
    if any(_DENSITY.search(term) for term in case.full):
        said.append("As usual $n = c^{\\dagger} c$ with the same indices.")
    return "\n".join(said), f"{case.model.kept} Constants are kept, too, since energies will be compared."


def definitions_paragraph(case: MeanFieldCase) -> str:
    """Return a paragraph that defines the abbreviations in the mean-field Hamiltonian; empty if it has none."""
    if not case.definitions:
        return ""
    return f"The order parameter is defined as\n{displayed(*case.definitions)}"


def general_paragraph(source: seeds.Stream, case: MeanFieldCase) -> str:
    """Return a paragraph with the most general mean-field Hamiltonian of the paper."""
    opening = one(source, ("Without further assumptions one finds", "In general the decoupling gives"))
    return f"{opening}\n{displayed(equation(FULL, case.full))}\nNothing has been assumed about its symmetry."


def special_paragraph(case: MeanFieldCase) -> str:
    """Return a paragraph with the simpler Hamiltonian of a special case, which is not the general one."""
    plain = ", without further fields," if case.extra else ""
    return (
        f"A special case is {case.model.special[0]}. There one is left{plain} up to constants with\n"
        f"{displayed(equation(SPECIAL, case.special))}\nThis form is used for one figure only."
    )


def foreign_paragraph(source: seeds.Stream, other: MeanFieldCase) -> str:
    """Return a paragraph with the mean-field Hamiltonian of another model, which the paper only cites."""
    who = one(source, ("Varga and Ito [3]", "Brandt [7]", "Others [3, 7]", "The lectures of Albrecht [1]"))
    said = one(source, ("turned to another problem", "dealt with a different case", "treated what is left out here"))
    found = displayed(equation(OTHER, other.full), *other.definitions)
    return f"{who} {said}, {other.model.name}, and found\n{found}\nWe quote it because the steps are similar."


def hartree_paragraph(case: MeanFieldCase) -> str:
    """Return a paragraph with only the direct part of the mean-field Hamiltonian."""
    return f"The direct contractions alone would give\n{displayed(equation(DIRECT, case.direct))}"


def write_paper(draw: Draw, case: MeanFieldCase, told: Sequence[str], others: Sequence[MeanFieldCase]) -> str:
    """Return the text of a paper with the paragraphs `told`; hard papers hold them in any order and quote more."""
    source = draw.source
    model, kept = model_paragraphs(source, case)
    foreign = [foreign_paragraph(source, other) for other in others]
    half = (len(foreign) + 1) // 2
    parts = shuffled(source, told) if draw.rank == 2 else list(told)
    cut = seeds.draw_below(source, len(parts) + 1)
    sections = [
        Section("Abstract", (f"We revisit {case.model.name} within mean-field theory.",), filled=False),
        Section("I. Introduction", tuple(foreign[half:])),
        Section("II. Model", (model,)),
        Section("III. Decoupling", (kept, *parts[:cut])),
        Section("IV. Related work", tuple(foreign[:half])),
        Section("V. Results", tuple(parts[cut:])),
        Section("VI. Summary"),
        Section("References", _REFERENCES, filled=False),
    ]
    return paper(source, title(case), sections, GENERAL + MANY_BODY, 900 + 50 * seeds.draw_below(source, 8))
