"""The makers of questions from source tables: stable ids, the cap and the sample, and templates that give nothing."""

from collections import Counter

import polars as pl
import pytest
from support_biomed_data import read_rows

from harness.errors import InputError
from harness.studies.biomed.data.generated import make, make_synthetic
from harness.studies.biomed.templates.catalogue import TEMPLATES
from harness.studies.biomed.templates.pair import TABLES

pytestmark = pytest.mark.together
NAMES = ("items", "gold", "rendered", "counts")


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory):
    """Make the synthetic questions once, up to 60 a template."""
    out = tmp_path_factory.mktemp("synthetic")
    make_synthetic({"seed": 3, "most": 60}, {}, out)
    return out


def made_from(out, tables, *names, **params):
    """Make questions from some of the tables that were written."""
    out.mkdir()
    make({"seed": 3, "most": 60, **params}, {name: tables / f"table-{name}" for name in names}, out)
    return out


def test_every_template_gives_questions_up_to_the_cap(synthetic):
    [items, [counts]] = read_rows(synthetic, "items", "counts")
    times = Counter(row["meta"]["template"] for row in items)
    assert set(times) == set(TEMPLATES)
    assert max(times.values()) == 60
    assert counts["biomed"]["without_question"] == counts["biomed"]["without_table"] == []


def test_ids_are_template_and_number_from_one(synthetic):
    [items] = read_rows(synthetic, "items")
    for template in TEMPLATES:
        ids = [row["id"] for row in items if row["meta"]["template"] == template]
        assert ids == [f"{template}.{number}" for number in range(1, len(ids) + 1)]


def test_rows_stand_in_one_order_and_gold_has_facts(synthetic):
    items, gold, prompts, _ = read_rows(synthetic, *NAMES)
    assert [row["id"] for row in items] == [row["id"] for row in gold] == [row["item"] for row in prompts]
    assert all(row["gold"]["facts"] and row["gold"]["target"] for row in gold)
    said = {row["id"]: row["meta"]["yes_no"] for row in items}
    assert all((row["gold"]["yes"] is not None) is said[row["id"]] for row in gold)


def test_the_five_tables_are_written_beside_and_nothing_else(synthetic):
    assert {path.name for path in synthetic.iterdir()} == {*NAMES, *(f"table-{name}" for name in TABLES)}


def test_a_table_that_was_written_gives_the_same_questions(synthetic, tmp_path):
    found = read_rows(made_from(tmp_path / "out", synthetic, "pd_gwas"), "items", "gold", "rendered")
    whole = read_rows(synthetic, "items", "gold", "rendered")
    ids = {row["id"] for row in found[0]}
    assert found == [[row for row in rows if row.get("id", row.get("item")) in ids] for rows in whole]


@pytest.mark.long
def test_all_tables_that_were_written_give_the_same_bytes(synthetic, tmp_path):
    out = made_from(tmp_path / "out", synthetic, *TABLES)
    for name in ("items", "gold", "rendered"):
        assert (out / name).read_bytes() == (synthetic / name).read_bytes()


@pytest.mark.long
def test_a_seed_gives_the_same_bytes_again_and_another_seed_others(synthetic, tmp_path):
    for seed in (3, 4):
        (tmp_path / str(seed)).mkdir()
        make_synthetic({"seed": seed, "most": 60}, {}, tmp_path / str(seed))
    for path in synthetic.iterdir():
        assert (tmp_path / "3" / path.name).read_bytes() == path.read_bytes()
    assert (tmp_path / "4" / "gold").read_bytes() != (synthetic / "gold").read_bytes()


def test_rows_draws_the_published_sample_and_keeps_the_ids(synthetic, tmp_path):
    [items] = read_rows(made_from(tmp_path / "out", synthetic, "pd_gwas", rows=20), "items")
    times = Counter(row["meta"]["template"] for row in items)
    assert max(times.values()) == 20
    [whole] = read_rows(synthetic, "items")
    assert all(row in whole for row in items)


def test_templates_whose_table_is_not_given_are_counted(synthetic, tmp_path):
    [items, [counts]] = read_rows(made_from(tmp_path / "out", synthetic, "pd_gwas"), "items", "counts")
    wanted = {one.id for one in TEMPLATES.values() if one.tables == ("pd_gwas",)}
    assert {row["meta"]["template"] for row in items} == wanted
    assert set(counts["biomed"]["without_table"]) == set(TEMPLATES) - wanted


def test_a_template_without_a_matching_row_is_counted(synthetic, tmp_path):
    table = pl.read_parquet(synthetic / "table-smr").with_columns(p_SMR_multi=pl.lit(0.5), p_HEIDI=pl.lit(0.001))
    table.write_parquet(tmp_path / "smr.parquet")
    make({"seed": 1, "most": 20}, {"smr": tmp_path / "smr.parquet"}, tmp_path)
    [[counts]] = read_rows(tmp_path, "counts")
    assert "T16" in counts["biomed"]["without_question"]
    assert counts["biomed"]["templates"]["T16"] == {"candidates": 0, "candidates_yes": None, "drawn": 0}


def test_without_any_table_nothing_is_made(tmp_path):
    with pytest.raises(InputError, match="no source table is given"):
        make({"seed": 1}, {}, tmp_path)


def test_tables_without_a_question_are_refused(synthetic, tmp_path):
    rows = pl.read_parquet(synthetic / "table-drug_targets").head(3)
    nothing = {name: pl.lit(None, kind) for name, kind in rows.schema.items() if name != "UUID"}
    rows.with_columns(**nothing).write_parquet(tmp_path / "blank.parquet")
    with pytest.raises(InputError, match="no question"):
        make({"seed": 1}, {"drug_targets": tmp_path / "blank.parquet"}, tmp_path)
