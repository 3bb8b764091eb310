"""What the readers of the source tables refuse: each fault with the table, the column and what to do next."""

import os
import subprocess
import sys
import time
from datetime import date

import polars as pl
import pytest
import support_biomed_tables as support
from support_pace import soon

from harness.errors import InputError
from harness.studies.biomed.sources.reading import read_table
from harness.studies.biomed.sources.synthetic import SMALL

SNP = {"UUID": "u1", **support.SNP}
# Opens a genome-wide study, and prints how many rows are significant and not turned, and the most memory.
OPENING = """
import sys
from pathlib import Path
import polars as pl
from harness.studies.biomed.sources.reading import read_table
rows = read_table("ad_gwas", Path(sys.argv[1]))
for those in (pl.col("p") < 5e-8, pl.col("freq") > 0.5):
    print(rows.filter(those).select(pl.len()).collect(engine="streaming").item())
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
"""
HEADER, ROW = (line + "\n" for line in pl.DataFrame([SNP]).write_csv().splitlines())


def refused(folder, data, name="ad_gwas"):
    """Read bytes or texts that must be refused, and give the message."""
    path = folder / "hostile"
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError) as caught:
        read_table(name, path).collect()
    assert f"`{name}`" in caught.value.what and caught.value.where == str(path) and caught.value.next
    return caught.value.what


def packed(folder, **columns):
    """Give the bytes of a parquet file with other columns."""
    pl.DataFrame([SNP]).with_columns(**columns).write_parquet(folder / "packed")
    return (folder / "packed").read_bytes()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ("", "empty"),
        ("\n\n", "no well-formed table"),
        (HEADER, "no rows"),
        (HEADER.replace(",p,", ",q,") + ROW, "the column `p` is missing"),
        (HEADER.strip() + ",p\n" + ROW.strip() + ",1\n", "the column `p` stands twice"),
        (HEADER + ROW.strip() + ",1\n", "more cells than there are columns"),
        (HEADER + ROW + ROW, "`UUID` stands on two rows"),
        (HEADER + ROW.replace("u1", ""), "no id in the column `UUID`"),
        (HEADER + ROW.replace("0.5", "low"), "the column `p` is not a number from 0 to 1"),
        (HEADER + ROW.replace("0.5", "1.5"), "the column `p` is not a number from 0 to 1"),
        (HEADER + ROW.replace("0.5", "-1"), "the column `p` is not a number from 0 to 1"),
        (HEADER + ROW.replace("0.25", "inf"), "the column `freq` is not a number from 0 to 1"),
        (HEADER + ROW.replace("0.1", "-inf"), "the column `b` is not a finite number"),
        (HEADER + ROW.replace("200", "200.5"), "the column `bp_38` is not a position"),
        (HEADER + ROW.replace("200", "1" * 10**6), "the column `bp_38` is not a position"),
        (HEADER + ROW.replace("200", "1e30"), "the column `bp_38` is not a position"),
        (HEADER + ROW.replace("GEN", "G" * 2**20), "`nearestGene` is longer than 1048576 bytes"),
        (HEADER + ROW.replace("rs99", '"rs99'), "no well-formed table"),
        (HEADER + ROW.replace("GEN", "\ud800"), "UTF-8"),
        ((HEADER + ROW.replace("GEN", "é")).encode("latin-1"), "UTF-8"),
        ((HEADER + ROW).encode("utf-16"), "UTF-8"),
        (bytes(range(256)) * 10, "UTF-8"),
        ("[" * 10_000, "the column `UUID` is missing"),
        (b"PAR1" + bytes(100) + b"PAR1", "damaged"),
        (b"\x1f\x8b" + bytes(100), "packed"),
        (b"PK\x03\x04" + bytes(100), "packed"),
    ],
)
def test_a_fault_of_a_file_is_named(tmp_path, data, what):
    assert what in refused(tmp_path, data)


@pytest.mark.parametrize("cell", [[["a"]], [{"a": 1}], [b"a"], [True], [date(2000, 1, 1)]])
def test_a_type_that_holds_no_text_is_named_with_its_column(tmp_path, cell):
    assert "the column `nearestGene` has the type" in refused(tmp_path, packed(tmp_path, nearestGene=pl.Series(cell)))


@pytest.mark.parametrize("cell", [[True], [date(2000, 1, 1)], [[0.5]]])
def test_a_type_that_holds_no_number_is_named_with_its_column(tmp_path, cell):
    assert "is not a number from 0 to 1" in refused(tmp_path, packed(tmp_path, p=pl.Series(cell)))


def test_a_column_of_ids_without_any_is_refused(tmp_path):
    assert "no id in the column `UUID`" in refused(tmp_path, packed(tmp_path, UUID=pl.lit(None)))


def test_a_number_too_great_for_a_position_is_refused(tmp_path):
    assert "bp_38" in refused(tmp_path, packed(tmp_path, bp_38=pl.Series([2**64 - 1], dtype=pl.UInt64)))


def test_a_word_that_is_no_flag_is_refused(tmp_path):
    rows = support.made(7, SMALL)["smr"].head(1).with_columns(func_sig=pl.lit("perhaps"))
    assert "`func_sig` is not true or false" in refused(tmp_path, rows.write_csv(), "smr")


def test_no_message_quotes_a_cell(tmp_path):
    for column in ("freq", "b", "p", "bp_38"):
        rows = pl.DataFrame([SNP]).with_columns(pl.lit("secret").alias(column))
        assert "secret" not in refused(tmp_path, rows.write_csv())
    assert "secret" not in refused(tmp_path, HEADER + ROW.replace("rs99", '"secret'))


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.99])
def test_a_cut_file_is_damaged(tmp_path, keep):
    whole = support.written(tmp_path, "ad_gwas", [support.SNP] * 500).read_bytes()
    assert "damaged" in refused(tmp_path, whole[: int(len(whole) * keep)])


def test_damage_in_the_cells_is_met_when_the_table_is_opened(tmp_path):
    whole = bytearray(support.written(tmp_path, "ad_gwas", [support.SNP] * 500).read_bytes())
    for first in range(8, len(whole), 97):
        data = whole.copy()
        data[first : first + 32] = b"\xff" * 32
        (tmp_path / "damaged").write_bytes(data)
        try:
            rows = read_table("ad_gwas", tmp_path / "damaged")
        except InputError:
            continue
        assert rows.collect().height == 500


def test_an_id_that_stands_in_two_parts_is_refused(tmp_path):
    path = support.written(tmp_path, "ad_gwas", [support.SNP])
    with pytest.raises(InputError, match="stands on two rows"):
        read_table("ad_gwas", [path, path])


@pytest.mark.parametrize("place", ["nothing", "folder", "n" * 300])
def test_what_is_no_file_is_refused(tmp_path, place):
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError):
        read_table("ad_gwas", tmp_path / place)


def test_a_table_of_no_files_and_an_unknown_table_are_refused(tmp_path):
    with pytest.raises(InputError, match="has no file"):
        read_table("ad_gwas", [])
    with pytest.raises(InputError, match="no source table `gwas`"):
        read_table("gwas", tmp_path)


def test_wildcards_in_a_name_are_letters(tmp_path):
    (tmp_path / "[a]*.csv").write_text(HEADER + ROW)
    (tmp_path / "a.csv").write_text(HEADER)
    assert read_table("ad_gwas", tmp_path / "[a]*.csv").collect().height == 1


@pytest.mark.long
def test_a_cell_of_thirty_megabytes_is_refused_soon(tmp_path):
    begin = time.process_time()
    assert "longer than" in refused(tmp_path, HEADER + ROW.replace("GEN", "G" * (3 * 10**7)))
    assert "longer than" in refused(tmp_path, HEADER + ROW.replace("GEN0001", '"' + "G\n" * 10**7 + '"'))
    assert soon(time.process_time() - begin, 6)


@pytest.mark.long
def test_a_table_of_millions_of_rows_is_opened_in_flat_memory(tmp_path):
    path = support.write_genetics(3, "ad_gwas", 4_000_000, tmp_path / "big")
    env = os.environ | {"POLARS_MAX_THREADS": "2"}  # each thread has parts of its own in hand
    found = subprocess.run([sys.executable, "-c", OPENING, path], env=env, capture_output=True, text=True, check=True)
    significant, greater, memory = found.stdout.split()
    assert (significant, greater) == ("40000", "0")
    assert int(memory) < 800_000  # kB: 530,000 for 4 and 500,000 for 21 million rows, where 4 held whole are a million
