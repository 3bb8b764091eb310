"""Invented tables of genetics: two genome-wide studies that share most SNPs, and summary-based results (SMR).

OURS (docs/biomed.md#invented-tables): there are odd rows as in real tables (missing positions, genes named NONE, one
SNP twice, ties).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from harness.studies.biomed.sources.synthetic_names import OMICS, TISSUES

Rows = list[dict[str, Any]]
# Base pairs of the chromosomes in millions, rounded; an SNP's chromosome is drawn with these weights.
MILLIONS: Final = (
    248, 242, 198, 190, 181, 170, 159, 145, 138, 133, 135, 133, 114, 107, 102, 90, 83, 80, 58, 64, 46, 50,
)  # fmt: skip
DISEASES: Final = {"AD": 0.30, "PD": 0.25, "LBD": 0.15, "ALS": 0.12, "FTD": 0.10, "PSP": 0.08}
SIGNIFICANT: Final = 5e-8
SMR_SIGNIFICANT: Final = 2.95e-6
HEIDI: Final = 0.01
FLOOR: Final = 1e-300
MISSING: Final = -9999.0
# The ways to say that an SNP could not be mapped to GRCh38; other columns keep their values.
UNPLACED: Final[tuple[dict[str, Any], ...]] = (
    {"chr_38": None, "bp_38": None},
    {"chr_38": "0", "bp_38": None},
    {"chr_38": "0"},
    {"bp_38": None},
)
_PEOPLE = {"ad_gwas": 3000, "pd_gwas": 2600}  # nominal sizes of the studies, which set how small a p-value gets
_CAUSAL = 3  # causal genes per hundred genes in each study, but at least four
_WEIGHT = 1.3  # the weight of a causal gene in the draw of the genes near an SNP
_CROWDED = 4  # genes with many results by SMR in one disease
_CROWD = 15  # results by SMR of each crowded gene


@dataclass(frozen=True, slots=True)
class Snp:
    """An invented SNP: position, alleles and genes, before either study measures its effect."""

    name: str
    chromosome: int
    position: int  # in GRCh38
    older: int  # in GRCh37
    alleles: tuple[str, str]
    frequency: float
    genes: tuple[str, ...]


def snps(source: Any, names: list[str], genes: list[str]) -> list[Snp]:
    """Return invented SNPs placed on the genome, near one or two genes; 4 % have insertions or deletions."""
    count = len(names)
    lengths = np.array(MILLIONS)
    chromosomes = source.choice(len(MILLIONS), count, p=lengths / lengths.sum())
    positions = 1 + (source.random(count) * lengths[chromosomes] * 1_000_000).astype(int)
    shifts = source.integers(-400_000, 400_000, len(MILLIONS))
    older = np.maximum(1, positions + shifts[chromosomes] + source.integers(-50, 51, count))
    frequencies = np.clip(_minor(source.beta(0.4, 1.2, count)).round(4), 0.0003, 0.5)
    weights = np.ones(len(genes))
    weights[: _causal(len(genes)) + _causal(len(genes)) // 2] = _WEIGHT
    near = source.choice(len(genes), (count, 2), p=weights / weights.sum()).tolist()
    double = (source.random(count) < 0.15).tolist()
    return [
        Snp(
            name,
            int(chromosomes[n]) + 1,
            int(positions[n]),
            int(older[n]),
            _alleles(source),
            float(frequencies[n]),
            tuple(dict.fromkeys(genes[gene] for gene in near[n][: 1 + double[n]])),
        )
        for n, name in enumerate(names)
    ]


def study(source: Any, table: str, known: list[Snp], genes: list[str]) -> Rows:
    """Return invented rows of one GWAS: effects and p-values of SNPs, with the odd cells of a real table."""
    number = _causal(len(genes))
    first = 0 if table == "ad_gwas" else number // 2
    causal = set(genes[first : first + number])
    protective = genes[first]  # all its effects lower the risk
    noise, strong = source.normal(0, 0.05, len(known)), source.uniform(0.15, 0.4, len(known))
    signs = np.where(source.random(len(known)) < 0.5, -1, 1)
    rows: Rows = []
    for place, snp in enumerate(known):
        near = causal.intersection(snp.genes)
        effect = strong[place] * (-1 if protective in near else signs[place]) if near else noise[place]
        freq = _studied(source, snp.frequency)
        b = round(float(effect), 4)
        rows.append(
            {
                "SNP": snp.name,
                "chr_37": str(snp.chromosome),
                "bp_37": snp.older,
                "chr_38": str(snp.chromosome),
                "bp_38": snp.position,
                "A1": snp.alleles[0],
                "A2": snp.alleles[1],
                "freq": freq,
                "b": b,
                "p": p_value(b, freq, _PEOPLE[table]),
                "nearestGene": ";".join(snp.genes),
            }
        )
    _spoil(source, rows, table)
    return rows


def p_value(b: float, freq: float, people: int) -> float:
    """Return the two-sided p-value of a SNP's effect, from its allele frequency and the study's size."""
    z = abs(b) * math.sqrt(2 * freq * (1 - freq) * people)
    return max(float(f"{math.erfc(z / math.sqrt(2)):.3e}"), FLOOR)


def smr(source: Any, count: int, known: list[Snp], genes: list[str]) -> Rows:
    """Return `count` invented SMR results: about two SNPs per gene, tissue and disease, one in twenty significant."""
    groups = count // 2
    gene = source.choice(len(genes), groups)
    tissue, omic = source.choice(len(TISSUES), groups), source.choice(len(OMICS), groups)
    disease = source.choice(list(DISEASES), groups, p=list(DISEASES.values()))
    group = np.concatenate([np.arange(groups), source.choice(groups, count - groups)])
    group.sort()
    crowded = source.choice(count, _CROWDED * _CROWD, replace=False)
    significant = set(source.choice(count, max(0, round(count * 0.05) - len(crowded)), replace=False).tolist())
    chosen = source.choice(len(known), count)
    rows: Rows = []
    for place in range(count):
        at = int(group[place])
        rows.append(
            _result(source, known[chosen[place]], place in significant)
            | {
                "Gene": genes[gene[at]],
                "Disease": str(disease[at]),
                "Omic_tissue": TISSUES[tissue[at]],
                "Omic_type": f"{TISSUES[tissue[at]]} {OMICS[omic[at]]}",
            }
        )
    for number, place in enumerate(crowded.tolist()):
        rows[place] |= {"Gene": genes[-1 - number % _CROWDED], "Disease": "AD", "p_SMR_multi": _small(source)}
    for place in range(0, count - 1, 97):  # ties with the next row, which is mostly of the same group
        rows[place + 1]["p_SMR_multi"] = rows[place]["p_SMR_multi"]
    for row in rows:
        row["func_sig"] = row["p_SMR_multi"] < SMR_SIGNIFICANT and row["p_HEIDI"] > HEIDI
    return rows


def _result(source: Any, snp: Snp, significant: bool) -> dict[str, Any]:
    draw, low, heidi, p, b_gwas, b_smr = source.random(6).tolist()
    apart = heidi * HEIDI if low < 0.2 else HEIDI + heidi * (1 - HEIDI)
    b = round((b_gwas - 0.5) / 2, 4)
    return {
        "topSNP": f"{snp.chromosome}:{snp.position}",
        "topRSID": snp.name,
        "A1": snp.alleles[0],
        "A2": snp.alleles[1],
        "Freq": snp.frequency,
        "b_GWAS": b,
        "p_GWAS": p_value(b, snp.frequency, 2000),
        "b_SMR": round(float(source.normal(0, 0.3)) or b_smr, 4),
        "p_SMR_multi": _small(source) if significant else max(3e-6, float(f"{10 ** -(1.5 * p):.3g}")),
        "p_HEIDI": MISSING if draw < 0.02 else float(f"{apart:.5g}"),
    }


def _small(source: Any) -> float:
    return float(f"{2.9 * 10 ** -(6 + float(source.exponential(4))):.3g}")


def _spoil(source: Any, rows: Rows, table: str) -> None:
    """Make odd rows, most of them chosen by their number, so that a table of any size has the same share of them."""
    for place, row in enumerate(rows):
        if place % 100 == 17:
            row.update(UNPLACED[place // 100 % len(UNPLACED)])
        elif place % 100 == 31 and table == "pd_gwas":
            row["bp_38"] += 1 + place % 7
        elif place % 300 == 41 and table == "pd_gwas":
            row["chr_38"] = str(int(row["chr_38"]) % 22 + 1)
        if place % 90 == 23:
            row["nearestGene"] = "NONE"
        elif place % 150 == 29 and table == "ad_gwas":
            row["nearestGene"] = None
        elif ";" in (row["nearestGene"] or "") and place % 3 == 0 and table == "pd_gwas":
            row["nearestGene"] = ";".join(reversed(row["nearestGene"].split(";")))
    for place in range(50, len(rows), 400):  # no effect at all; and just not significant
        rows[place]["b"], rows[place]["p"] = 0.0, 1.0
        rows[place - 1]["p"] = SIGNIFICANT
    by_effect = [place for place, row in enumerate(rows) if SIGNIFICANT > row["p"] > FLOOR and row["b"] > 0]
    if by_effect:
        rows[by_effect[0]]["p"] = 4.9999e-08  # significant, though it is printed as 5.00e-08
    for place in by_effect[1:-1:4]:  # ties
        rows[place]["p"] = rows[by_effect[0]]["p"] if place % 2 else FLOOR
    for place in sorted(source.choice(len(rows), len(rows) // 250, replace=False).tolist()):  # a third allele
        rows.append(rows[place] | {"A1": rows[place]["A1"] + "A", "p": min(1.0, rows[place]["p"] * 10)})


def _minor(frequencies: Any) -> Any:

    return np.minimum(frequencies, 1 - frequencies)


def _studied(source: Any, frequency: float) -> float:
    return min(0.5, max(0.0003, round(frequency * (0.95 + 0.1 * float(source.random())), 4)))


def _causal(genes: int) -> int:
    return max(4, genes * _CAUSAL // 100)


def _alleles(source: Any) -> tuple[str, str]:
    indel, length, first, other = source.random(4).tolist()
    one = "ACGT"[int(first * 4)]
    rest = "ACGT".replace(one, "")
    if indel >= 0.04:
        return one, rest[int(other * 3)]
    longer = one + "".join(rest[int(draw * 3)] for draw in source.random(1 + int(length * 6)).tolist())
    return (longer, one) if first < 0.5 else (one, longer)
