"""Hand-made rows of the two tables about drugs, and the pairs that a template makes of them."""

from __future__ import annotations

from typing import Any

import polars as pl

from harness.studies.biomed.facts import Fact
from harness.studies.biomed.templates.drugs import ANSWERERS
from harness.studies.biomed.templates.pair import Pair, Rules

Row = dict[str, Any]

TARGETS: dict[str, Any] = {
    "UUID": pl.String,
    "chemblIdentifier": pl.String,
    "drugName": pl.String,
    "tradeNames_string": pl.String,
    "drugSynonyms_string": pl.String,
    "drugMolecularType": pl.String,
    "drugActionType": pl.String,
    "drugMechanismOfAction": pl.String,
    "newLinkedTargets_string": pl.String,
    "numberLinkedTargets": pl.Int64,
    "linkedDiseasesDrug_string": pl.String,
    "maxClinicalTrialPhase": pl.Float64,
    "drugIsApproved": pl.Boolean,
    "yearOfFirstApproval": pl.Int64,
    "blackBoxWarning": pl.Boolean,
    "drugIsWithdrawn": pl.Boolean,
}
INDICATIONS: dict[str, Any] = {
    "UUID": pl.String,
    "drugName": pl.String,
    "tradeNames_list": pl.String,
    "syns_list": pl.String,
    "drugType": pl.String,
    "actionType": pl.String,
    "target": pl.String,
    "approvedSymbol": pl.String,
    "approvedName": pl.String,
    "mesh_heading": pl.String,
    "efo_term": pl.String,
    "yearOfFirstApproval": pl.Int64,
    "max_phase_for_ind": pl.Float64,
    "patent_no": pl.String,
}


def drug(name: str | None, **cells: Any) -> Row:
    """Give a row of drug targets; `phase`, `year`, `targets`, `approved`, `withdrawn` are short for their columns."""
    short = {
        "phase": "maxClinicalTrialPhase", "year": "yearOfFirstApproval", "targets": "newLinkedTargets_string",
        "approved": "drugIsApproved", "withdrawn": "drugIsWithdrawn", "trades": "tradeNames_string",
        "synonyms": "drugSynonyms_string", "type": "drugMolecularType", "actions": "drugActionType",
        "mechanisms": "drugMechanismOfAction", "diseases": "linkedDiseasesDrug_string", "chembl": "chemblIdentifier",
        "warning": "blackBoxWarning", "id": "UUID",
    }  # fmt: skip
    return {"drugName": name, **{short[key]: value for key, value in cells.items()}}


def use(name: str | None, disease: str | None, phase: float | None = None, **cells: Any) -> Row:
    """Give a row of indications; `gene`, `mesh`, `year`, `type`, `patents` are short for their columns."""
    short = {
        "gene": "approvedSymbol", "mesh": "mesh_heading", "year": "yearOfFirstApproval", "type": "drugType",
        "patents": "patent_no", "gene_name": "approvedName", "trades": "tradeNames_list", "id": "UUID",
    }  # fmt: skip
    row = {"drugName": name, "efo_term": disease, "max_phase_for_ind": phase}
    return row | {short[key]: value for key, value in cells.items()}


def pairs(template: str, *rows: Row) -> list[Pair]:
    """Give all pairs of a template by the rows of the one table that it reads."""
    schema = INDICATIONS if any("efo_term" in row for row in rows) else TARGETS
    name = "indications" if schema is INDICATIONS else "drug_targets"
    full = [{**dict.fromkeys(schema), "UUID": f"row_{number}", **row} for number, row in enumerate(rows, 1)]
    tables = {name: pl.DataFrame(full, schema=schema).lazy()}
    answerer = ANSWERERS[template]
    return answerer.pairs(tables, answerer.candidates(tables, Rules("strict")), Rules("strict"))


def only(template: str, *rows: Row) -> Pair:
    """Give the one pair of a template."""
    (pair,) = pairs(template, *rows)
    return pair


def value(pair: Pair, slot: str) -> Any:
    """Give the value of the one fact of a slot, which the answer states."""
    return found(pair, slot)["value"]


def found(pair: Pair, slot: str) -> Fact:
    """Give the one fact of a slot."""
    (fact,) = (fact for fact in pair.facts if fact["slot"] == slot)
    return fact


def slots(pair: Pair) -> dict[str, Any]:
    """Give the values of a pair's facts by slot."""
    return {fact["slot"]: fact["value"] for fact in pair.facts}


def asked(pair: Pair) -> set[str]:
    """Give the slots that the question asks for."""
    return {fact["slot"] for fact in pair.facts if fact["asked"]}
