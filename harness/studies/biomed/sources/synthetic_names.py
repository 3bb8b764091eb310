"""Invented names for genes, SNPs, drugs, diseases and identifiers, which cannot be taken for real ones.

All of it is OURS.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

TISSUES: Final = (
    "Amygdala",
    "Caudate basal ganglia",
    "Cerebellar hemisphere",
    "Cerebellum",
    "Cortex",
    "Frontal cortex",
    "Hippocampus",
    "Hypothalamus",
    "Nucleus accumbens",
    "Putamen",
    "Spinal cord",
    "Substantia nigra",
    "Whole brain",
    "Prefrontal cortex",
    "Temporal cortex",
    "Whole blood",
    "Liver",
    "Lung",
    "Muscle skeletal",
    "Nerve tibial",
    "Skin",
    "Spleen",
)
OMICS: Final = ("eQTL", "mQTL", "pQTL", "caQTL")
SALTS: Final = ("Hydrochloride", "Phosphate", "Sodium", "Sulfate")  # a drug's forms begin with the drug's name
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_KINDS = ("syndrome", "disease", "neuropathy", "dystrophy", "anaemia")


def gene_names(count: int) -> list[str]:
    """Return `count` invented gene names; the last three begin with another one's name, to catch text searches."""
    plain = [f"GEN{number:04d}" for number in range(1, count + 1)]
    longer = [f"{plain[0]}L", f"{plain[1]}-AS1", f"{plain[2]}P2"]
    return plain[: count - len(longer)] + longer


def snp_names(source: Any, count: int) -> list[str]:
    """Return `count` distinct names of SNPs in ascending order."""
    numbers = source.choice(10**7, count, replace=False)
    return [f"rs99{number:07d}" for number in sorted(numbers.tolist())]


def drug_stems(source: Any, count: int) -> list[str]:
    """Return `count` distinct invented drug-name stems of four syllables, without the suffix of a class."""
    found: dict[str, None] = {}
    while len(found) < count:
        for picks in source.integers(0, (len(_CONSONANTS), len(_VOWELS)), (count, 4, 2)).tolist():
            found["".join(_CONSONANTS[consonant] + _VOWELS[vowel] for consonant, vowel in picks)] = None
    return [stem.capitalize() for stem in list(found)[:count]]


def other_names(source: Any, count: int) -> list[str]:
    """Return `count` distinct trade names or synonyms: each is a word, or in one of seven cases a code."""
    stems = drug_stems(source, count)
    return [stem if number % 7 else f"{stem.upper()[:3]}-{1000 + number}" for number, stem in enumerate(stems)]


def disease_names(source: Any, count: int) -> list[tuple[str | None, str | None]]:
    """Return `count` diseases as an EFO term and a MeSH heading, which are the same text in a third of them.

    One in eight has no EFO term, one in eleven has no MeSH heading, and none lacks both. Two pairs of terms share a
    heading.
    """
    stems = drug_stems(source, count)
    names: list[tuple[str | None, str | None]] = []
    for number, stem in enumerate(stems):
        kind = _KINDS[number % len(_KINDS)]
        plain, turned = f"{stem} {kind}", f"{kind.capitalize()}, {stem}"
        names.append((plain, plain.title()) if number % 3 else (plain, plain))
        if number % 4 == 2:
            names[-1] = (plain, turned)
        if number % 8 == 7:
            names[-1] = (None, turned)
        elif number % 11 == 5:
            names[-1] = (plain, None)
    for first in (0, 12):
        if first + 1 < count:
            shared = names[first][0] or names[first][1]
            names[first], names[first + 1] = (f"{shared}, type 1", shared), (f"{shared}, type 2", shared)
    return names


def joined(names: Sequence[str], separator: str) -> str | None:
    """Join names as one table cell; None if there are no names."""
    return separator.join(names) or None
