"""What the invented tables of drugs hold: every branch of both trees, and each oddity that a rule is there for."""

import re
from collections import Counter, defaultdict
from functools import cache
from typing import Any

import polars as pl
import pytest
import support_biomed_tables as support
from support_draws import drawn

from harness.studies.biomed.sources.synthetic import FULL, SMALL

pytestmark = [pytest.mark.exhaustive, pytest.mark.parametrize("sizes", drawn([FULL, SMALL], 1, 2), ids=repr)]


@cache
def drugs(sizes) -> dict[str, dict[str, Any]]:
    """Merge the rows of a drug by the rule of docs/biomed.md#merging: its status and its targets, by name."""
    merged: dict[str, dict[str, Any]] = defaultdict(
        lambda: {"withdrawn": False, "approved": False, "phase": 0.0, "targets": set()}
    )
    for row in support.made(7, sizes)["drug_targets"].iter_rows(named=True):
        drug = merged[row["drugName"]]
        drug["withdrawn"] |= row["drugIsWithdrawn"]
        drug["approved"] |= row["drugIsApproved"]
        drug["phase"] = max(drug["phase"], row["maxClinicalTrialPhase"] or 0)
        drug["targets"] |= set(support.listed(row["newLinkedTargets_string"]))
    return merged


def status(drug):
    """Tell a drug's status by the rule of docs/biomed.md#merging."""
    if drug["withdrawn"]:
        return "withdrawn"
    if drug["approved"] and drug["phase"] == 4:
        return "approved"
    return "trial" if drug["phase"] >= 0.5 else "none"


def test_each_branch_of_the_tree_of_genes_has_a_gene(sizes):
    genes = defaultdict(Counter)
    for drug in drugs(sizes).values():
        for gene in drug["targets"]:
            genes[gene][status(drug)] += 1
    branches = Counter(
        next((each for each in ("approved", "trial") if has[each]), f"{min(has['withdrawn'], 2)} withdrawn")
        for has in genes.values()
    )
    assert set(branches) == {"approved", "trial", "0 withdrawn", "1 withdrawn", "2 withdrawn"}


def test_each_branch_of_the_tree_of_drugs_has_a_drug(sizes):
    branches = {(status(drug), min(len(drug["targets"]), 2)) for drug in drugs(sizes).values()}
    assert branches >= {(state, count) for state in ("approved", "trial") for count in (0, 1, 2)}
    assert {state for state, _ in branches} == {"approved", "trial", "withdrawn", "none"}
    assert max(len(drug["targets"]) for drug in drugs(sizes).values()) > 10


def test_drugs_are_in_early_phase_one_and_in_phase_four_without_approval(sizes):
    phases = {drug["phase"] for drug in drugs(sizes).values() if status(drug) == "trial"}
    assert phases >= {0.5, 1.0, 2.0, 3.0} and (sizes == SMALL or 4.0 in phases)


def test_an_unknown_phase_is_minus_one_or_empty(sizes):
    phases = support.made(7, sizes)["drug_targets"]["maxClinicalTrialPhase"]
    assert phases.null_count() and (phases == -1).any()


def test_a_withdrawn_drug_may_or_may_not_keep_its_approval(sizes):
    rows = support.made(7, sizes)["drug_targets"].filter("drugIsWithdrawn")
    assert set(rows["drugIsApproved"]) == {True, False}


def test_a_count_of_targets_may_disagree_with_the_list(sizes):
    rows = support.made(7, sizes)["drug_targets"]
    counts = [len(support.listed(cell)) for cell in rows["newLinkedTargets_string"]]
    apart = [pair for pair in zip(counts, rows["numberLinkedTargets"], strict=True) if pair[0] != pair[1]]
    assert 0 < len(apart) < rows.height / 20


def test_targets_are_separated_by_commas_or_blanks_and_may_name_none(sizes):
    cells = support.made(7, sizes)["drug_targets"]["newLinkedTargets_string"].drop_nulls()
    assert cells.str.contains(",").any() and cells.str.contains(r"^[^,]+ [^,]+$").any()
    assert cells.str.contains("NONE").any()


def test_one_symbol_begins_with_another(sizes):
    symbols = {symbol for drug in drugs(sizes).values() for symbol in drug["targets"]}
    assert {"GEN0001", "GEN0001L", "GEN0002", "GEN0002-AS1"} <= symbols


def test_one_drug_may_stand_on_two_rows_that_disagree(sizes):
    rows = support.made(7, sizes)["drug_targets"].filter(pl.col("drugName").is_duplicated())
    assert rows.height and rows["chemblIdentifier"].n_unique() == rows.height
    assert rows.group_by("drugName").agg(pl.col("maxClinicalTrialPhase").n_unique() > 1).to_series(1).any()


def test_the_name_of_a_salt_begins_with_that_of_its_drug(sizes):
    names = set(drugs(sizes))
    salts = [name for name in names if " " in name]
    assert salts and all(name.split(" ")[0] in names for name in salts)


def test_drugs_have_several_other_names_actions_and_mechanisms_or_none(sizes):
    rows = support.made(7, sizes)["drug_targets"]
    most = {"tradeNames_string": 3, "drugSynonyms_string": 6, "drugActionType": 3, "drugMechanismOfAction": 3}
    for column, count in most.items():
        assert rows[column].drop_nulls().str.split(", ").list.len().max() == count
    assert rows["tradeNames_string"].null_count() and rows["drugSynonyms_string"].null_count()


def test_years_are_those_of_approvals_and_one_may_be_unknown(sizes):
    rows = support.made(7, sizes)["drug_targets"]
    approved = rows.filter("drugIsApproved", ~pl.col("drugIsWithdrawn"))["yearOfFirstApproval"]
    assert approved.filter(approved > 0).is_between(1939, 2023).all()
    assert sizes == SMALL or (approved == 0).any()


def test_warnings_are_there_are_not_there_and_are_unknown(sizes):
    assert set(support.made(7, sizes)["drug_targets"]["blackBoxWarning"]) == {True, False, None}


def test_no_use_has_reached_more_than_its_drug(sizes):
    highest = {name: drug["phase"] for name, drug in drugs(sizes).items()}
    for row in support.made(7, sizes)["indications"].iter_rows(named=True):
        assert row["max_phase_for_ind"] <= highest[row["drugName"]] or row["max_phase_for_ind"] == -1


def test_a_use_has_a_year_in_phase_four_alone(sizes):
    rows = support.made(7, sizes)["indications"]
    assert rows.filter(pl.col("max_phase_for_ind") < 4)["yearOfFirstApproval"].null_count() == (
        rows.filter(pl.col("max_phase_for_ind") < 4).height
    )
    assert rows.filter(max_phase_for_ind=4.0)["yearOfFirstApproval"].is_not_null().all()


def test_a_use_stands_on_a_row_a_target(sizes):
    rows = support.made(7, sizes)["indications"]
    uses = rows.group_by("drugName", "efo_term", "mesh_heading").agg(pl.col("approvedSymbol"))
    assert (uses["approvedSymbol"].list.len() > 1).any()
    assert uses.select((pl.col("approvedSymbol").list.n_unique() == pl.col("approvedSymbol").list.len()).all()).item()
    assert rows["approvedSymbol"].null_count()


def test_a_disease_has_two_names_that_are_alike_or_not_or_one_alone(sizes):
    names = support.made(7, sizes)["indications"].select("efo_term", "mesh_heading").unique()
    assert names.filter(pl.col("efo_term") == pl.col("mesh_heading")).height
    assert names.filter(pl.col("efo_term") != pl.col("mesh_heading")).height
    assert names["efo_term"].null_count() and names["mesh_heading"].null_count()
    assert names.filter(pl.all_horizontal(pl.all().is_null())).is_empty()
    assert names["mesh_heading"].drop_nulls().is_duplicated().any()  # two terms under one heading


def test_a_drug_has_none_to_four_patents(sizes):
    cells = support.made(7, sizes)["indications"]["patent_no"]
    assert cells.null_count() and cells.drop_nulls().str.split(", ").list.len().max() == 4


def test_a_name_was_adopted_years_before_approval_or_is_unknown(sizes):
    rows = support.made(7, sizes)["indications"]
    before = rows.select(pl.col("yearOfFirstApproval") - pl.col("usan_year")).to_series()
    assert before.drop_nulls().is_between(2, 8).all() and rows["usan_year"].null_count()


def test_types_of_molecules_have_their_suffix(sizes):
    rows = support.made(7, sizes)["drug_targets"].filter(~pl.col("drugName").str.contains(" "))
    for kind, name in rows.select("drugMolecularType", "drugName").iter_rows():
        assert bool(re.search("mab$", name)) == (kind == "Antibody")


def test_two_drugs_may_share_a_trade_name_and_most_do_not(sizes):
    rows = support.made(7, sizes)["drug_targets"].unique("drugName")
    names = rows.select(pl.col("tradeNames_string").drop_nulls().str.split(", ").explode())["tradeNames_string"]
    assert 0 < names.is_duplicated().sum() < len(names) / 10
