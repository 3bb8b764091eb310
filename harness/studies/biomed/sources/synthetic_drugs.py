"""Invented tables of drugs: their targets, the phases they have reached, and the diseases they are used for.

OURS (docs/biomed.md#invented-tables): there are odd rows as in real tables (one drug on two rows, counts that disagree
with lists, missing years).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any, Final

from harness.studies.biomed.sources.synthetic_names import SALTS, disease_names, drug_stems, joined, other_names

Row = dict[str, Any]
SMALL: Final = "Small molecule"
TYPES: Final = {SMALL: 0.70, "Antibody": 0.15, "Protein": 0.06, "Oligonucleotide": 0.05, "Enzyme": 0.04}
ACTIONS: Final = ("Inhibitor", "Agonist", "Antagonist", "Blocker", "Opener", "Positive allosteric modulator", "Binder")
NO_TRIAL: Final = -1.0  # the value of a cell if no phase is known; other such cells are empty
# Phases and their shares; the drugs without a trial are taken from those in trials.
PHASES: Final = {0.5: 0.05, 1.0: 0.14, 2.0: 0.24, 3.0: 0.19, 4.0: 0.35, NO_TRIAL: 0.03}
APPROVED, TRIAL, WITHDRAWN, UNTRIED = "approved", "trial", "withdrawn", "untried"
_LATEST = 2023


@dataclass(slots=True)
class Drug:
    """One invented drug with what both tables say about it."""

    name: str
    molecule: str
    status: str
    phase: float
    year: int | None
    targets: list[str]
    actions: list[str]
    trades: list[str]
    synonyms: list[str]
    diseases: list[tuple[int, float]] = field(default_factory=list)  # the number of a disease, and the phase for it


@dataclass(frozen=True, slots=True)
class Pools:
    """The genes that invented drugs may target, by the drugs' status; every branch of both trees has a gene."""

    free: Sequence[str]  # by any drug
    trial: Sequence[str]  # by drugs in trials alone
    once: Sequence[str]  # each by one withdrawn drug alone
    often: Sequence[str]  # by several withdrawn drugs alone
    untried: Sequence[str]  # by drugs that no trial is known of

    @classmethod
    def of(cls, genes: Sequence[str]) -> Pools:
        """Split genes at random into pools by drug status; two thirds of them are free."""
        count = len(genes)
        cuts = [0, count * 2 // 3, count * 8 // 10, count * 85 // 100, count * 9 // 10, count]
        return cls(*(genes[first:last] for first, last in pairwise(cuts)))


def drugs(source: Any, count: int, genes: Sequence[str], diseases: int) -> list[Drug]:
    """Return invented drugs; up to one in twelve is a salt of the drug before it, whose name it begins with."""
    pools, stems = Pools.of(genes), drug_stems(source, count)
    others = iter(other_names(source, 5 * count + 200))  # a drug has four and a half of them on average
    types = source.choice(list(TYPES), count, p=list(TYPES.values())).tolist()
    phases = source.choice(list(PHASES), count, p=list(PHASES.values())).tolist()
    made: list[Drug] = []
    for number in range(count):
        salt = number % 12 == 5 and made[-1].molecule == SMALL
        molecule = SMALL if salt else types[number]
        drug = _drug(source, stems[number], molecule, phases[number], pools)
        if salt:
            drug.name = f"{made[-1].name} {SALTS[number % len(SALTS)]}"
        drug.trades = list(islice(others, int(source.integers(0, 4))))
        drug.synonyms = list(islice(others, int(source.integers(0, 7))))
        if number % 24 == 7 and len(drug.trades) < 3:  # two drugs share a trade name
            drug.trades += made[-1].trades[:1]
        drug.diseases = _uses(source, drug, diseases)
        made.append(drug)
    return _guaranteed(made, pools)


def target_rows(source: Any, known: Sequence[Drug], diseases: Sequence[tuple[str | None, str | None]]) -> list[Row]:
    """Return invented rows of the table of drug targets; one drug in thirty has a second row, not quite the same."""
    rows: list[Row] = []
    for number, drug in enumerate(known):
        rows.append(_target_row(number, drug, diseases))
        if number % 30 == 11:
            rows.append(rows[-1] | _second(number, rows[-1], drug))
    warned = source.random(len(rows)) < 0.12
    for row, warning in zip(rows, warned.tolist(), strict=True):
        row["blackBoxWarning"] = warning if row["drugIsApproved"] else (None if warning else False)
    return rows


def indication_rows(source: Any, known: Sequence[Drug], diseases: Sequence[tuple[str | None, str | None]]) -> list[Row]:
    """Return invented rows of the table of indications, one per drug, target and disease."""
    rows: list[Row] = []
    numbers = [f"{100_000 + 7 * at:07d}" if at % 3 else f"{20_000_000 + 11 * at}" for at in range(5000)]
    for number, drug in enumerate(known):
        patents = _some(source, numbers, int(source.integers(0, 5)))
        first = drug.year - int(source.integers(2, 9)) if drug.year and number % 9 else None
        for disease, phase in drug.diseases:
            efo, mesh = diseases[disease]
            shared = {
                "drugName": drug.name,
                "tradeNames_list": joined(drug.trades, ", "),
                "syns_list": joined(drug.synonyms, ", "),
                "drugType": drug.molecule,
                "actionType": drug.actions[0],
                "mesh_heading": mesh,
                "efo_term": efo,
                "max_phase_for_ind": phase,
                "yearOfFirstApproval": drug.year if phase == 4 else None,
                "patent_no": joined(patents, ", "),
                "efo_id": f"EFO:99{disease:05d}" if efo else None,
                "mesh_id": f"D99{disease:04d}" if mesh else None,
                "usan_year": first,
            }
            rows += [shared | _target(gene) for gene in drug.targets[:6] or [""]]
    return rows


def diseases_for(source: Any, count: int) -> list[tuple[str | None, str | None]]:
    """Return the names of diseases that the invented tables of drugs share."""
    return disease_names(source, count)


def _drug(source: Any, stem: str, molecule: str, phase: float, pools: Pools) -> Drug:
    status = UNTRIED if phase == NO_TRIAL else TRIAL
    if phase == 4:
        draw = source.random()
        status = WITHDRAWN if draw < 0.03 else TRIAL if draw < 0.04 else APPROVED
    genes = [*pools.free, *pools.trial] if status == TRIAL else pools.untried if status == UNTRIED else pools.free
    draw = source.random()
    low, high = (0, 1) if draw < 0.05 else (1, 2) if draw < 0.6 else (2, 6) if draw < 0.9 else (6, 21)
    year = int(source.integers(1939, _LATEST + 1)) if status in (APPROVED, WITHDRAWN) else 0
    suffix = "mab" if molecule == "Antibody" else ("ine", "stat")[int(source.integers(0, 2))]
    actions = _some(source, ACTIONS, int(source.integers(1, 4)))
    return Drug(
        stem + suffix,
        molecule,
        status,
        phase,
        year,
        _some(source, genes, int(source.integers(low, high))),
        actions,
        [],
        [],
    )


def _uses(source: Any, drug: Drug, diseases: int) -> list[tuple[int, float]]:
    """Return a drug's diseases, each with a phase; approved drugs have most of them, mostly at phase 4."""
    if drug.status == APPROVED:
        chosen = _some(source, range(diseases), int(source.geometric(0.6)))
        return [
            (disease, drug.phase if not place or source.random() < 0.9 else 2.0)
            for place, disease in enumerate(sorted(chosen))
        ]
    if source.random() < 0.96:
        return []
    phases = [phase for phase in PHASES if 0 < phase <= min(drug.phase, 3.0)] or [NO_TRIAL]
    return [(disease, phases[int(source.integers(0, len(phases)))]) for disease in _some(source, range(diseases), 2)]


def _guaranteed(made: list[Drug], pools: Pools) -> list[Drug]:
    """Assign drugs to the genes of the rare branches: withdrawn drugs, and in turn those without a known trial."""
    withdrawn = [drug for drug in made if drug.status == WITHDRAWN]
    for drug in made[-2 * len(pools.often) - len(pools.once) :]:
        if drug.status != WITHDRAWN:
            drug.status, drug.phase, drug.year, drug.diseases = WITHDRAWN, 4.0, 1990, []
            withdrawn.append(drug)
    untried = [drug for drug in made if drug.status == UNTRIED and drug.targets]
    for number, drug in enumerate(untried):
        gene = pools.untried[-1 - number % len(pools.untried)]
        drug.targets = list(dict.fromkeys([gene, *drug.targets[1:]]))
    wanted = [*pools.once, *pools.often, *pools.often]
    for gene, drug in zip(wanted, reversed(withdrawn), strict=False):
        drug.targets = [gene]
    return made


def _target_row(number: int, drug: Drug, diseases: Sequence[tuple[str | None, str | None]]) -> Row:
    apart = number % 40 == 7  # the count disagrees with the list
    targets = [*drug.targets, "NONE"] if number % 100 == 33 else drug.targets
    linked = [diseases[disease][0] or diseases[disease][1] or "" for disease, _ in drug.diseases]
    return {
        "chemblIdentifier": f"CHEMBL9{number + 1:06d}",
        "drugName": drug.name,
        "tradeNames_string": joined(drug.trades, ", "),
        "drugSynonyms_string": joined(drug.synonyms, ", "),
        "drugMolecularType": drug.molecule,
        "drugActionType": joined(drug.actions, ", "),
        "drugMechanismOfAction": joined([_mechanism(drug, number, at) for at in range(len(drug.actions))], ", "),
        "newLinkedTargets_string": joined(targets, " " if number % 5 == 2 else ", "),
        "numberLinkedTargets": len(drug.targets) + apart,
        "linkedDiseasesDrug_string": joined(linked, "; "),
        "maxClinicalTrialPhase": None if drug.status == UNTRIED and number % 2 else drug.phase,
        # Half of the withdrawn drugs keep their approval.
        "drugIsApproved": drug.status == APPROVED or (drug.status == WITHDRAWN and number % 2 == 0),
        "yearOfFirstApproval": 0 if drug.status == APPROVED and number % 50 == 19 else drug.year,
        "drugIsWithdrawn": drug.status == WITHDRAWN,
    }


def _second(number: int, row: Row, drug: Drug) -> Row:
    """Return what differs in the second row of a drug: another identifier, an earlier state, fewer targets."""
    return {
        "chemblIdentifier": f"CHEMBL9{number + 500_001:06d}",
        "maxClinicalTrialPhase": 2.0 if (row["maxClinicalTrialPhase"] or 0) > 2 else row["maxClinicalTrialPhase"],
        "drugIsApproved": False,
        "drugIsWithdrawn": False,
        "yearOfFirstApproval": row["yearOfFirstApproval"] + 3 if row["yearOfFirstApproval"] else 0,
        "newLinkedTargets_string": joined(drug.targets[:1], ", "),
        "numberLinkedTargets": len(drug.targets[:1]),
    }


def _target(gene: str) -> Row:
    if not gene:
        return {"target": None, "approvedSymbol": None, "approvedName": None}
    return {"target": f"Protein of {gene}", "approvedSymbol": gene, "approvedName": f"gene {gene}"}


def _mechanism(drug: Drug, number: int, at: int) -> str:
    over = drug.targets[at % len(drug.targets)] if drug.targets else f"Receptor {1 + number % 30}"
    return f"{over} {drug.actions[at].lower()}"


def _some(source: Any, items: Sequence[Any], count: int) -> list[Any]:
    """Draw without replacement, in the order of the draw; cheap if few of many items are drawn."""
    if count * 4 > len(items):
        return [items[place] for place in source.permutation(len(items))[:count].tolist()]
    found: dict[int, None] = {}
    while len(found) < count:
        found[int(source.integers(0, len(items)))] = None
    return [items[place] for place in found]
