"""What the readers of the source tables make of well-formed files, whatever their form."""

import polars as pl
import pytest
import support_biomed_tables as support

from harness.studies.biomed.sources.casting import TYPES
from harness.studies.biomed.sources.columns import COLUMNS
from harness.studies.biomed.sources.reading import read_table, read_tables
from harness.studies.biomed.sources.synthetic import SMALL
from harness.studies.biomed.templates.pair import TABLES

SNP = {"UUID": "u1", **support.SNP}


def frame(**cells):
    """Give the raw frame of a genome-wide study of one row, with other cells."""
    return pl.DataFrame({name: [cells.get(name, value)] for name, value in SNP.items()}, strict=False)


def read(folder, **cells):
    """Read that row from parquet, as a dictionary."""
    frame(**cells).write_parquet(folder / "a.parquet")
    return read_table("pd_gwas", folder / "a.parquet").collect().row(0, named=True)


def read_csv(folder, text):
    """Read rows from a CSV file with exactly these characters."""
    (folder / "a.csv").write_bytes(text.encode())
    return read_table("pd_gwas", folder / "a.csv").collect().rows(named=True)


def csv(**cells):
    """Write that row as CSV."""
    return frame(**cells).write_csv()


def test_the_tables_are_those_that_templates_read():
    assert tuple(COLUMNS) == TABLES


@pytest.mark.parametrize("name", COLUMNS)
def test_a_table_has_the_columns_and_types_of_the_contract(tmp_path, name):
    rows = support.made(7, SMALL)[name]
    rows.write_csv(tmp_path / "a.parquet")  # its form counts, not what it is called
    rows.write_parquet(tmp_path / "a.csv")
    ways = [read_table(name, tmp_path / "a.parquet"), read_table(name, tmp_path / "a.csv")]
    assert ways[0].collect().equals(ways[1].collect())
    assert [(each, str(kind)) for each, kind in ways[0].collect_schema().items()] == [
        (column.name, TYPES[column.kind]) for column in COLUMNS[name]
    ]


def test_a_table_is_opened_lazily(tmp_path):
    path = support.written(tmp_path, "ad_gwas", [support.SNP])
    assert isinstance(read_table("ad_gwas", path), pl.LazyFrame)


def test_any_of_the_tables_are_opened_together(tmp_path):
    path = support.written(tmp_path, "ad_gwas", [support.SNP])
    assert list(read_tables({"ad_gwas": path})) == ["ad_gwas"]


def test_the_parts_of_a_table_are_read_one_after_the_other(tmp_path):
    frame(UUID="u1").write_parquet(tmp_path / "1")
    frame(UUID="u2").write_csv(tmp_path / "2")
    rows = read_table("ad_gwas", [tmp_path / "1", tmp_path / "2"]).collect()
    assert rows["UUID"].to_list() == ["u1", "u2"]


def test_a_column_that_no_template_needs_is_dropped(tmp_path):
    frame().with_columns(more=1).write_parquet(tmp_path / "a")
    assert "more" not in read_table("ad_gwas", tmp_path / "a").collect_schema()


def test_a_column_is_known_by_its_other_name(tmp_path):
    frame().rename({"freq": "Freq", "UUID": "uuid"}).write_parquet(tmp_path / "a")
    assert read_table("ad_gwas", tmp_path / "a").collect().row(0, named=True) == SNP


def test_a_flag_whose_name_nobody_published_may_be_lacking(tmp_path):
    rows = support.made(7, SMALL)["drug_targets"].drop("drugIsWithdrawn")
    rows.write_parquet(tmp_path / "a")
    read = read_table("drug_targets", tmp_path / "a").collect()["drugIsWithdrawn"]
    assert read.dtype == pl.Boolean and read.null_count() == rows.height


def test_above_one_half_alleles_frequency_and_effect_change_sides(tmp_path):
    turned = read(tmp_path, freq=0.75, b=0.1)
    assert (turned["A1"], turned["A2"], turned["freq"], turned["b"]) == ("G", "A", 0.25, -0.1)


def test_at_one_half_nothing_changes_sides(tmp_path):
    assert read(tmp_path, freq=0.5, b=0.1) == SNP | {"freq": 0.5, "b": 0.1}


def test_a_row_without_a_frequency_stays_as_it_is(tmp_path):
    frame(freq=None).cast({"freq": pl.Float64}).write_parquet(tmp_path / "a")
    assert read_table("ad_gwas", tmp_path / "a").collect().row(0, named=True) == SNP | {"freq": None}


@pytest.mark.parametrize(("freq", "other"), [(0.9945, 0.0055), (0.99, 0.01), (0.9997, 0.0003), (0.6, 0.4)])
def test_a_turned_frequency_is_the_decimal_that_is_left_of_one(tmp_path, freq, other):
    assert read(tmp_path, freq=freq)["freq"] == other


def test_a_turned_effect_of_zero_has_no_sign(tmp_path):
    assert str(read(tmp_path, freq=0.9, b=0.0)["b"]) == "0.0"


def test_results_by_smr_are_not_turned(tmp_path):
    row = support.made(7, SMALL)["smr"].head(1).with_columns(Freq=pl.lit(0.9))
    row.write_parquet(tmp_path / "a")
    assert read_table("smr", tmp_path / "a").collect().equals(row)


@pytest.mark.parametrize("p", [-9999.0, float("nan"), None])
def test_a_missing_p_value_is_null(tmp_path, p):
    assert read(tmp_path, p=p)["p"] is None


@pytest.mark.parametrize("cell", ["-9999", "-9999.0", "NaN", "nan", "NA", "null", " None ", ""])
def test_a_cell_of_csv_that_says_there_is_no_number_is_null(tmp_path, cell):
    assert read_csv(tmp_path, csv(p=cell))[0]["p"] is None


@pytest.mark.parametrize("cell", ["0", "0.0", "1e-400"])
def test_a_p_value_of_zero_stays_zero(tmp_path, cell):
    assert read_csv(tmp_path, csv(p=cell))[0]["p"] == 0.0


@pytest.mark.parametrize("cell", [10, 10.0, "10", "10.0", "chr10", "Chr10"])
def test_a_chromosome_is_a_text_without_point_or_prefix(tmp_path, cell):
    assert read(tmp_path, chr_38=cell)["chr_38"] == "10"


def test_chromosome_zero_stays_and_x_is_upper_case(tmp_path):
    read_back = read(tmp_path, chr_37="x", chr_38=0)
    assert (read_back["chr_37"], read_back["chr_38"]) == ("X", "0")


@pytest.mark.parametrize(("cell", "position"), [(20.0, 20), ("20.0", 20), (0, None), (-1, None), (float("nan"), None)])
def test_a_position_is_a_whole_number_from_one(tmp_path, cell, position):
    assert read(tmp_path, bp_38=cell)["bp_38"] == position


@pytest.mark.parametrize(("cell", "phase"), [("-1", None), ("-1.0", None), ("0.5", 0.5), ("4", 4.0), ("0", 0.0)])
def test_a_phase_below_zero_is_missing(tmp_path, cell, phase):
    rows = support.made(7, SMALL)["indications"].head(1).with_columns(max_phase_for_ind=pl.lit(cell))
    rows.write_csv(tmp_path / "a")
    assert read_table("indications", tmp_path / "a").collect()["max_phase_for_ind"].to_list() == [phase]


@pytest.mark.parametrize(("cell", "flag"), [("True", True), ("1.0", True), ("yes", True), ("FALSE", False), ("", None)])
def test_a_flag_is_read_from_its_words(tmp_path, cell, flag):
    rows = support.made(7, SMALL)["smr"].head(1).with_columns(func_sig=pl.lit(cell))
    rows.write_csv(tmp_path / "a")
    assert read_table("smr", tmp_path / "a").collect()["func_sig"].to_list() == [flag]


def test_an_empty_text_is_missing_in_parquet_as_in_csv(tmp_path):
    assert read(tmp_path, nearestGene="")["nearestGene"] is None
    assert read_csv(tmp_path, csv(nearestGene=""))[0]["nearestGene"] is None


def test_a_list_stays_the_text_that_it_is(tmp_path):
    assert read(tmp_path, nearestGene=" B; A,\nC ")["nearestGene"] == " B; A,\nC "


def test_numbers_in_a_column_of_texts_are_their_digits(tmp_path):
    rows = support.made(7, SMALL)["indications"].head(2).with_columns(patent_no=pl.Series([8178563.0, None]))
    rows.write_parquet(tmp_path / "a")
    assert read_table("indications", tmp_path / "a").collect()["patent_no"].to_list() == ["8178563", None]


def test_a_byte_order_mark_belongs_to_no_column(tmp_path):
    assert read_csv(tmp_path, "\ufeff" + csv()) == [SNP]


def test_lines_may_end_as_on_windows(tmp_path):
    assert read_csv(tmp_path, csv().replace("\n", "\r\n")) == [SNP]


def test_a_quoted_cell_may_hold_lines_commas_and_quotes(tmp_path):
    gene = 'A;\r\n"B",\nC'
    assert read_csv(tmp_path, csv(nearestGene=gene)) == [SNP | {"nearestGene": gene}]


@pytest.mark.long
def test_quoted_lines_are_no_rows_in_a_file_of_many_blocks(tmp_path):
    rows = [SNP | {"UUID": f"u{n}", "nearestGene": f'"{n}",\n' * (n % 5)} for n in range(30_000)]
    pl.DataFrame(rows).write_csv(tmp_path / "a")
    read_back = read_table("ad_gwas", tmp_path / "a").collect()
    assert read_back["nearestGene"].to_list() == [row["nearestGene"] or None for row in rows]


def test_a_short_row_lacks_its_last_cells(tmp_path):
    assert read_csv(tmp_path, csv().splitlines()[0] + "\nu1,rs1\n")[0]["nearestGene"] is None


def test_filters_reach_a_parquet_file_whose_cells_need_no_change(tmp_path):
    path = support.written(tmp_path, "ad_gwas", [support.SNP])
    plan = read_table("ad_gwas", path).filter(pl.col("SNP") == "rs1").select("UUID").explain()
    assert "PROJECT 2/12" in plan and "SELECTION" in plan
