"""The columns of the five source tables: their names, the other names that a file may use, and their types.

Names are those of the authors' public queries. If a name is OURS, a comment says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

# Kinds of columns, by what a cell of a file becomes.
ID: Final = "id"  # a text, in every row, each once
TEXT: Final = "text"  # a text as it stands; an empty one is missing
CHROMOSOME: Final = "chromosome"  # "1" to "22" or "X"; "0" is kept and marks a missing position
POSITION: Final = "position"  # a whole number from 1; a smaller one is missing
WHOLE: Final = "whole"  # a whole number
SHARE: Final = "share"  # a number from 0 to 1, of which -9999 and NaN are missing
DECIMAL: Final = "decimal"  # a finite number, of which -9999 and NaN are missing
PHASE: Final = "phase"  # a phase of clinical trials; missing if it is below 0 or NaN
FLAG: Final = "flag"  # true or false


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """The name and type of one column of a source table; a table that lacks a `needed` column is refused."""

    name: str
    kind: str
    aliases: tuple[str, ...] = ()  # other names; the first one in the file is read
    needed: bool = True  # if false, a file may lack the column, and its cells are missing


def _columns(kind: str, names: str) -> tuple[SourceColumn, ...]:
    return tuple(SourceColumn(name, kind) for name in names.split())


_ID = (SourceColumn("UUID", ID, ("uuid",)),)
_GWAS = (
    *_ID,
    *_columns(TEXT, "SNP"),
    *_columns(CHROMOSOME, "chr_37"),
    *_columns(POSITION, "bp_37"),
    *_columns(CHROMOSOME, "chr_38"),
    *_columns(POSITION, "bp_38"),
    *_columns(TEXT, "A1 A2"),
    SourceColumn("freq", SHARE, ("Freq",)),
    *_columns(DECIMAL, "b"),
    *_columns(SHARE, "p"),
    *_columns(TEXT, "nearestGene"),
)

COLUMNS: Final[Mapping[str, tuple[SourceColumn, ...]]] = {
    "smr": (
        *_ID,
        *_columns(TEXT, "Gene topSNP topRSID Disease Omic_tissue Omic_type A1 A2"),
        SourceColumn("Freq", SHARE, ("freq",)),
        *_columns(DECIMAL, "b_GWAS"),
        *_columns(SHARE, "p_GWAS"),
        *_columns(DECIMAL, "b_SMR"),
        *_columns(SHARE, "p_SMR_multi p_HEIDI"),
        *_columns(FLAG, "func_sig"),
    ),
    "drug_targets": (
        *_ID,
        *_columns(TEXT, "chemblIdentifier drugName tradeNames_string drugSynonyms_string drugMolecularType"),
        *_columns(TEXT, "drugActionType drugMechanismOfAction newLinkedTargets_string"),
        *_columns(WHOLE, "numberLinkedTargets"),
        *_columns(TEXT, "linkedDiseasesDrug_string"),
        *_columns(PHASE, "maxClinicalTrialPhase"),
        *_columns(FLAG, "drugIsApproved"),
        *_columns(WHOLE, "yearOfFirstApproval"),
        *_columns(FLAG, "blackBoxWarning"),
        # OURS: no public query names this flag; the aliases are its names in Open Targets and ChEMBL.
        SourceColumn("drugIsWithdrawn", FLAG, ("hasBeenWithdrawn", "withdrawn_flag"), needed=False),
    ),
    "indications": (
        *_ID,
        *_columns(TEXT, "drugName tradeNames_list syns_list drugType actionType target approvedSymbol approvedName"),
        *_columns(TEXT, "mesh_heading efo_term"),
        *_columns(WHOLE, "yearOfFirstApproval"),
        *_columns(PHASE, "max_phase_for_ind"),
        *_columns(TEXT, "patent_no"),
        # OURS: the expert questions use these columns, but no public query names them.
        SourceColumn("efo_id", TEXT, ("efoId",), needed=False),
        SourceColumn("mesh_id", TEXT, ("meshId",), needed=False),
        SourceColumn("usan_year", WHOLE, ("usanYear",), needed=False),
    ),
    "ad_gwas": _GWAS,
    "pd_gwas": _GWAS,
}
GENOME_WIDE: Final = frozenset(("ad_gwas", "pd_gwas"))  # the tables whose rows are turned to the minor allele
