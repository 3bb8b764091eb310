"""Run as a command: how many candidates the large templates of `biomed` have, counted by DuckDB; prints the counts.

python tests/bench/counts_biomed.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb

PLACED = "chr_38 != '0' AND chr_38 IS NOT NULL AND bp_38 > 0"
TWICE = f"{PLACED} AND chr_37 != '0' AND chr_37 IS NOT NULL AND bp_37 > 0"
NAMED = "len(list_filter(string_split(nearestGene, ';'), lambda x: x NOT IN ('', 'NONE'))) > 0"
SIGNALS = "SELECT DISTINCT Gene FROM smr WHERE Disease = 'AD' AND p_SMR_multi >= 0"
TRIPLE = "SELECT DISTINCT Gene, Omic_type, Disease FROM smr WHERE p_SMR_multi"


def genes(study: str) -> str:
    """Name the genes that a study names."""
    each = f"SELECT unnest(string_split(nearestGene, ';')) AS gene FROM {study} WHERE p >= 0"
    return f"SELECT DISTINCT gene FROM ({each}) WHERE gene NOT IN ('', 'NONE')"


def either(condition: str) -> str:
    """Name the SNPs of which one study or the other has what is asked."""
    return f"SELECT SNP FROM ad_gwas WHERE {condition} UNION SELECT SNP FROM pd_gwas WHERE {condition}"


ASKED = {
    "T02": "SELECT DISTINCT SNP FROM pd_gwas WHERE freq IS NOT NULL",
    "T03": "SELECT DISTINCT SNP FROM ad_gwas WHERE freq IS NOT NULL",
    "T09": genes("ad_gwas"),
    "T10": SIGNALS,
    "T16": "SELECT DISTINCT Omic_tissue, Disease FROM smr WHERE p_SMR_multi < 2.95e-6 AND p_HEIDI > 0.01",
    "T19": "SELECT DISTINCT SNP FROM pd_gwas WHERE b IS NOT NULL",
    "T20": "SELECT DISTINCT chr_38 FROM pd_gwas WHERE chr_38 != '0' AND p >= 0",
    "T22": "SELECT DISTINCT SNP FROM ad_gwas WHERE p >= 0",
    "T24": SIGNALS,
    "T25": either(PLACED),
    "T26": genes("pd_gwas"),
    "T27": SIGNALS,
    "T28": genes("pd_gwas"),
    "T29": SIGNALS,
    "T30": f"{TRIPLE} < 2.95e-6 AND p_HEIDI > 0.01",
    "T36": f"{TRIPLE} >= 0",
    "T37": either(NAMED),
    "T38": either(TWICE),
}


def main(folder: Path) -> None:
    """Count, with two threads and as much memory as ours may take; what does not fit goes to the disk."""
    with duckdb.connect() as to:
        to.execute("SET threads = 2; SET memory_limit = '2GB'")
        to.execute(f"SET temp_directory = '{folder / 'spilled'}'")
        for table in ("smr", "ad_gwas", "pd_gwas"):
            to.execute(f"CREATE VIEW {table} AS FROM '{folder / table}.parquet'")
        counts = {}
        for template, asked in ASKED.items():
            (counts[template],) = to.execute(f"SELECT count(*) FROM ({asked})").fetchall()[0]
    print(json.dumps(counts))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
