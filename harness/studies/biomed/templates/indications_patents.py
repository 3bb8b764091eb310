"""The template about the patents of a drug: T40.

A drug is asked about if one of its rows names a patent.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from harness.studies.biomed.templates.cells import in_natural_order, present, symbols, united
from harness.studies.biomed.templates.drugs_facts import at_most, enumerated, list_facts, written
from harness.studies.biomed.templates.pair import Answerer, Pair, Rules, Tables


def _patented(tables: Tables, rules: Rules) -> pl.DataFrame:

    rows = tables["indications"].filter(present("drugName"), present("patent_no"))
    rows = in_natural_order(rows.select("UUID", "drugName", "patent_no").collect()).lazy()
    bare = pl.col("patent_no").str.replace_all(r"""[\[\]'"]""", "")
    split = rows.with_columns(bare).with_columns(patents=symbols("patent_no"))
    drugs = split.group_by(pl.col("drugName").alias("drug"), maintain_order=True)
    merged = drugs.agg(patents=united("patents"), ids=pl.col("UUID")).collect()
    return merged.filter(pl.col("patents").list.len() > 0)


def _patents(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    pairs = []
    for row in rows.iter_rows(named=True):
        drug, patents = row["drug"], row["patents"]
        question = f"What are the numbers of the patents that belong to the drug {drug}?{at_most('patents')}"
        answer = f"{drug} has {enumerated(patents, 'patent')}."
        if len(patents) == 1:
            answer = f"The number of the patent that belongs to {drug} is {patents[0]}."
        pairs.append(written("T40", row["ids"], question, answer, list_facts("patents", patents, drug)))
    return pairs


ANSWERERS: Mapping[str, Answerer] = {"T40": Answerer(_patented, _patents)}
