"""The invented tables as files: sizes, seeds, and that there is enough in them for every rule of drawing."""

import re
import time

import polars as pl
import pytest
import support_biomed_tables as support
from support_pace import soon

from harness.digest import sha256_file
from harness.studies.biomed.sources.columns import COLUMNS, FLAG, ID
from harness.studies.biomed.sources.reading import read_tables
from harness.studies.biomed.sources.synthetic import SMALL, parquet, write_tables
from harness.studies.biomed.templates.drawing import MOST, MOST_YES


@pytest.mark.long
def test_all_five_tables_are_below_four_megabytes():
    assert list(support.made()) == list(COLUMNS)
    assert sum(len(parquet(rows)) for rows in support.made().values()) < 4_000_000


@pytest.mark.long
def test_all_five_tables_are_made_in_seconds(tmp_path):
    begin = time.process_time()
    assert list(write_tables(7, tmp_path)) == list(COLUMNS)
    assert soon(time.process_time() - begin, 6)  # twice the budget: the machine may be busy


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path):
    first, again, other = (
        {name: sha256_file(path) for name, path in write_tables(seed, tmp_path / place, SMALL).items()}
        for place, seed in (("1", 1), ("2", 1), ("3", 2))
    )
    assert first == again
    assert not set(first.values()) & set(other.values())


def test_the_readers_take_every_table(tmp_path):
    made = support.made(7, SMALL)
    for name, rows in read_tables(write_tables(7, tmp_path, SMALL)).items():
        assert rows.collect().height == made[name].height


def test_ids_count_from_one_and_say_their_table():
    for name, rows in support.made().items():
        assert rows["UUID"].to_list() == [f"{name}_{number}" for number in range(1, rows.height + 1)]


def test_no_column_is_empty_and_each_but_flags_varies():
    for name, rows in support.made().items():
        for column in COLUMNS[name]:
            least = 2 if column.kind == FLAG else rows.height if column.kind == ID else 3
            assert rows[column.name].drop_nulls().n_unique() >= least, (name, column.name)


def test_identifiers_cannot_be_taken_for_real_ones():
    made = support.made()
    forms = {
        ("smr", "Gene"): r"GEN\d{4}(L|-AS1|P2)?", ("smr", "topRSID"): r"rs99\d{7}", ("ad_gwas", "SNP"): r"rs99\d{7}",
        ("pd_gwas", "nearestGene"): r"NONE|GEN\d{4}(L|-AS1|P2)?(;GEN\d{4}(L|-AS1|P2)?)?",
        ("drug_targets", "chemblIdentifier"): r"CHEMBL9\d{6}", ("indications", "efo_id"): r"EFO:99\d{5}",
        ("indications", "mesh_id"): r"D99\d{4}", ("indications", "patent_no"): r"\d{7,8}(, \d{7,8})*",
        ("indications", "drugName"): r"[A-Z][a-z]+(mab|ine|stat)( [A-Z][a-z]+)?",
    }  # fmt: skip
    for (name, column), form in forms.items():
        assert all(re.fullmatch(form, cell) for cell in made[name][column].drop_nulls().unique()), column


def drawn_from(yes):
    """Give how many are answered yes and no."""
    return int(yes.sum()), int((~yes).sum())


def test_more_snps_than_are_kept_give_questions_without_yes_or_no():
    for name in ("ad_gwas", "pd_gwas"):
        assert support.made()[name]["SNP"].n_unique() > MOST


def test_of_many_snps_few_are_answered_yes():
    yes, no = drawn_from(support.made()["ad_gwas"]["p"] < 5e-8)
    assert yes + no > MOST and 50 < yes < MOST_YES


def test_of_many_drugs_many_are_approved_and_many_are_not():
    approved = pl.col("drugIsApproved") & (pl.col("maxClinicalTrialPhase") == 4) & ~pl.col("drugIsWithdrawn")
    drugs = support.made()["drug_targets"].group_by("drugName").agg(yes=approved.any())
    yes, no = drawn_from(drugs["yes"])
    assert yes >= MOST_YES and no >= MOST - MOST_YES


def test_of_many_uses_of_drugs_too_few_are_answered_no():
    disease = pl.coalesce("efo_term", "mesh_heading").alias("disease")
    uses = support.made()["indications"].group_by("drugName", disease).agg(yes=(pl.col("max_phase_for_ind") == 4).any())
    yes, no = drawn_from(uses["yes"])
    assert yes >= MOST_YES and 0 < no < MOST - MOST_YES and yes + no > MOST


def test_chromosomes_and_types_of_molecule_are_fewer_than_a_test_set_takes():
    assert support.made()["pd_gwas"]["chr_38"].n_unique() < 270
    assert 5 <= support.made()["drug_targets"]["drugMolecularType"].n_unique() < 270
