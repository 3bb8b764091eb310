"""Small tables of genetics for tests of templates: rows with plain values, changed where a test needs it."""

from __future__ import annotations

from typing import Any

import polars as pl

from harness.studies.biomed.facts import Fact
from harness.studies.biomed.templates.genetics import ANSWERERS
from harness.studies.biomed.templates.pair import Pair, Rules, Tables

_GWAS: dict[str, Any] = {
    "UUID": pl.String, "SNP": pl.String, "chr_37": pl.String, "bp_37": pl.Int64, "chr_38": pl.String, "bp_38": pl.Int64,
    "A1": pl.String, "A2": pl.String, "freq": pl.Float64, "b": pl.Float64, "p": pl.Float64, "nearestGene": pl.String,
}  # fmt: skip
_SMR: dict[str, Any] = {
    "UUID": pl.String, "Gene": pl.String, "topSNP": pl.String, "topRSID": pl.String, "Disease": pl.String,
    "Omic_tissue": pl.String, "Omic_type": pl.String, "A1": pl.String, "A2": pl.String, "Freq": pl.Float64,
    "b_GWAS": pl.Float64, "p_GWAS": pl.Float64, "b_SMR": pl.Float64, "p_SMR_multi": pl.Float64, "p_HEIDI": pl.Float64,
    "func_sig": pl.Boolean,
}  # fmt: skip


def gwas(*rows: dict[str, Any]) -> pl.LazyFrame:
    """Give a study: `g_1` is `rs1`, on chromosome 1, near the gene ONE, not significant, unless a row says other."""
    usual = {
        "chr_37": "1", "bp_37": 90, "chr_38": "1", "bp_38": 100, "A1": "A", "A2": "G", "freq": 0.2, "b": 0.1, "p": 0.5,
        "nearestGene": "ONE",
    }  # fmt: skip
    made = [{"UUID": f"g_{n}", "SNP": f"rs{n}", **usual, **row} for n, row in enumerate(rows, 1)]
    return pl.DataFrame(made, schema=_GWAS).lazy()


def smr(*rows: dict[str, Any]) -> pl.LazyFrame:
    """Give results by SMR: `s_1` is significant and homogeneous, of the gene ONE in AD and the cortex."""
    usual = {
        "Gene": "ONE", "Disease": "AD", "Omic_tissue": "Cortex", "Omic_type": "Cortex eQTL", "A1": "A", "A2": "G",
        "Freq": 0.2, "b_GWAS": 0.1, "p_GWAS": 0.5, "b_SMR": 0.1, "p_SMR_multi": 1e-8, "p_HEIDI": 0.5, "func_sig": True,
    }  # fmt: skip
    made = [
        {"UUID": f"s_{n}", "topSNP": f"1:{n}", "topRSID": f"rs{n}", **usual, **row} for n, row in enumerate(rows, 1)
    ]
    return pl.DataFrame(made, schema=_SMR).lazy()


def tables(ad: pl.LazyFrame | None = None, pd: pl.LazyFrame | None = None) -> Tables:
    """Give the two studies; one that is not given has no row."""
    return {"ad_gwas": gwas() if ad is None else ad, "pd_gwas": gwas() if pd is None else pd}


def pairs(template: str, given: Tables, mode: str = "strict") -> list[Pair]:
    """Give all pairs of a template."""
    answerer, rules = ANSWERERS[template], Rules(mode)
    return answerer.pairs(given, answerer.candidates(given, rules), rules)


def values(pair: Pair, *, asked: bool | None = None) -> dict[tuple[str, str], Any]:
    """Give what a pair states by slot and what it is the slot of; the same twice is an error."""
    facts: list[Fact] = [fact for fact in pair.facts if asked is None or fact["asked"] is asked]
    by_role = {(fact["slot"], fact["of"]): fact["value"] for fact in facts}
    assert len(by_role) == len(facts)
    return by_role
