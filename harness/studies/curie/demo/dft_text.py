"""The text of the demo's DFT papers (OURS): each setting is stated once, among settings of other people's work.

Independent of ground truths and answers.
"""

from __future__ import annotations

from harness import seeds
from harness.studies.curie.demo.dft_settings import CODES, Calculation, DftPaper
from harness.studies.curie.demo.dft_structures import CRYSTAL, SHEET, SLAB, Structure
from harness.studies.curie.demo.documents import Draw, Section, one, paper, shuffled
from harness.studies.curie.demo.filler import CALCULATIONS, GENERAL

_OTHER_WORK = (
    "Moreau and co-workers [4] had treated a related problem with Quantum ESPRESSO, the LDA functional, a plane-wave "
    "cutoff of 340 eV and a 2 x 2 x 2 mesh, which we regard as too coarse.",
    "The numbers of Okafor et al. [9] come from SIESTA with the revPBE functional and a double-zeta basis for brookite "
    "and for the sapphire (0001) slab, neither of which is studied here.",
    "A study of hematite (Fe2O3) by Lindqvist [6] used the BLYP functional, a force threshold of 0.1 eV/Å and a cutoff "
    "of 300 eV; it is quoted only because its authors were the first to look at the question.",
    "Test runs with a plane-wave cutoff of 700 eV and with a 20 x 20 x 20 mesh changed energy differences by less than "
    "2 meV, so these dearer settings were given up after the tests.",
    "Tanaka and Ruiz [11] preferred the AM05 functional and a vacuum of 40 Å for a gallium arsenide slab, with an "
    "electronic threshold of 1e-8 eV, in a calculation that served another purpose.",
)
_REFERENCES = (
    "[4] A. Moreau, P. Dietz, N. Sato, Reports on Computed Solids 12.",
    "[6] E. Lindqvist, doctoral thesis.",
    "[9] C. Okafor, B. Hale, Letters on Oxides 3.",
    "[11] Y. Tanaka, M. Ruiz, Proceedings of the Winter School on Surfaces.",
)


def _times(mesh: str) -> str:
    return mesh.strip("[]").replace(",", " x ")


def structure_sentence(source: seeds.Stream, structure: Structure) -> str:
    """Return one sentence with everything that the ground truth states about a structure."""
    said = structure.fields
    if structure.type == CRYSTAL:
        also = f" ({said['scientific_name']}, {said['composition']})"
        if "space_group" not in said:
            return (
                f"Bulk {said['common_name']}{also} has the {said['crystal_structure']} structure; we started from "
                f"{said['lattice_parameters']}."
            )
        begin = one(source, ("was modelled as a crystal of the", "enters as a crystal of the"))
        return (
            f"Bulk {said['common_name']}{also} {begin} {said['crystal_structure']} structure, space group "
            f"{said['space_group']}, with {said['lattice_parameters']}."
        )
    if structure.type == SLAB:
        return (
            f"The {said['common_name']} ({said['composition']}) is a slab of {said['additional_information']} in a "
            f"{said['supercell']} supercell, cut along {said['miller_indices']}, with {said['vacuum']} of vacuum."
        )
    if structure.type == SHEET:
        return (
            f"A sheet of {said['common_name']} ({said['composition']}, {said['lattice_parameters']}) was repeated as a "
            f"{said['supercell']} supercell and separated from its images by {said['vacuum']} of vacuum."
        )
    where = one(source, ("was placed in a periodic box of", "sits in a box of"))
    return f"A single molecule of {said['common_name']} ({said['composition']}) {where} {said['cell_size']}."


def opening_sentences(source: seeds.Stream, each: Calculation) -> list[str]:
    """Return sentences on the code, the functional, the potentials or basis, and the cutoff of a calculation."""
    said, label = each.fields, each.label
    verb = one(source, ("were carried out with", "rely on"))
    found = [f"The {label} {verb} {CODES[said['software']]} and the {said['functional']} functional."]
    if "basis_set" in said:
        found.append(f"The basis set of the {label} is {said['basis_set']}, and all atoms were free to move.")
    else:
        found.append(
            f"The {label} use {said['pseudopotentials']} potentials and a plane-wave cutoff of "
            f"{said['energy_cutoff']:.0f} eV."
        )
    if "hubbard_U" in said:
        size, _, shell = said["hubbard_U"].partition(" on ")
        found.append(f"In the {label} a Hubbard correction of U = {size} acts on the {shell} states.")
    if said.get("spin"):
        found.append(f"Spin polarisation was switched on in the {label}.")
    return found


def numerical_sentences(source: seeds.Stream, each: Calculation) -> list[str]:
    """Return sentences on the mesh, the thresholds and the relaxed nuclei of a calculation with periodic cells."""
    said, label = each.fields, each.label
    if "k-points" not in said:
        return []
    verb = one(source, ("was sampled on", "was covered by"))
    found = [
        f"For the {label} the Brillouin zone {verb} a Monkhorst-Pack mesh of {_times(said['k-points'])} points.",
        f"Self-consistency in the {label} was reached when the energy changed by less than "
        f"{said['energy_convergence']:.0e} eV.".replace("e-0", "e-"),
    ]
    if "force_convergence" in said:
        cell = "cell vectors were free as well" if said["relaxed_unit_cell"] else "cell itself was kept fixed"
        found.append(
            f"The nuclei were relaxed in the {label} until every force was below {said['force_convergence']} eV/Å, "
            f"and the {cell}."
        )
    else:
        found.append(f"No nucleus was moved in the {label}.")
    return found


def told(source: seeds.Stream, project: DftPaper) -> tuple[str, ...]:
    """Return sentences that name the structures on which each calculation is run."""
    names = {each.key: each.named for each in project.structures}
    return tuple(
        f"The {each.label} comprise {', '.join(names[key] for key in each.on[:-1])}"
        f"{' and ' if each.on[1:] else ''}{names[each.on[-1]]}."
        for each in project.calculations
    )


def write_paper(draw: Draw, project: DftPaper) -> str:
    """Return the text of an invented paper; a hard one has the numerical settings in notes near its end."""
    source = draw.source
    structures = " ".join(structure_sentence(source, each) for each in project.structures)
    opening = [" ".join(opening_sentences(source, each)) for each in project.calculations]
    numbers = [text for each in project.calculations if (text := " ".join(numerical_sentences(source, each)))]
    others = shuffled(source, _OTHER_WORK)[: (1, 2, 4)[draw.rank]]
    half = len(others) // 2
    scope = " ".join(told(source, project))
    methods = [*opening, *(numbers if draw.rank < 2 else ()), *others[half:]]
    sections = [
        Section("Abstract", (_abstract(source, project),), filled=False),
        Section("1 Introduction", tuple(others[:half])),
        Section("2 Models", (structures, scope)),
        Section("3 Methods", tuple(shuffled(source, methods))),
        Section("4 Results and discussion", (_results(source),)),
        Section("5 Technical notes", tuple(numbers) if draw.rank == 2 else ()),
        Section("References", _REFERENCES, filled=False),
    ]
    return paper(source, project.theme.title, sections, GENERAL + CALCULATIONS, 950 + 50 * seeds.draw_below(source, 8))


def _abstract(source: seeds.Stream, project: DftPaper) -> str:
    *first, last = (each.named for each in project.structures)
    aim = one(source, ("to test an assumption that is often made", "to prepare the ground for later experiments"))
    named = f"{', '.join(first)} and {last}"
    return (
        f"Density functional theory is applied to {named}, {aim}. All settings that one needs to repeat the work "
        "are given in the text."
    )


def _results(source: seeds.Stream) -> str:
    steps, hours = 11 + seeds.draw_below(source, 40), 100 * (4 + seeds.draw_below(source, 60))
    return (
        f"The slowest relaxation took {steps} steps, and the whole project about {hours} core hours. Relative energies "
        "are discussed in words only, because their signs and their order matter more here than their size."
    )
