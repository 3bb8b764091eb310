"""The templates that start from a trade name: T15 (the target behind it) and T17 (everything behind it).

A trade name means the drugs that list it, and those whose own name it is, in any letter case. T15 asks about a name if
all its drugs have the same targets, at least one. T17 asks about a name if it means one drug with another name, whose
diseases, one type of molecule and actions are known. If a name has several spellings, the question uses the first one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from harness.studies.biomed.facts import NAME, fact
from harness.studies.biomed.templates.drugs_facts import at_most, enumerated, list_facts, names_fact, written
from harness.studies.biomed.templates.drugs_merged import merged_drugs
from harness.studies.biomed.templates.formats import alphabetical, listed
from harness.studies.biomed.templates.pair import Answerer, Pair, Rules, Tables


def _meant(tables: Tables) -> pl.DataFrame:
    """Return one row per trade name, in any letter case: its first spelling, and lists of the drugs that it means."""
    columns = ("drug", "ids", "targets", "trades", "others", "types", "actions", "diseases")
    drugs = merged_drugs(tables).select(*columns).collect().with_row_index("at")
    drugs = drugs.with_columns(pl.col("targets").list.sort())
    listing = drugs.explode("trades").rename({"trades": "trade_name"}).filter(pl.col("trade_name").is_not_null())
    named = drugs.drop("trades").with_columns(trade_name=pl.col("drug")).select(listing.columns)
    both = pl.concat([listing.with_columns(own=False), named.with_columns(own=True)])
    both = both.with_columns(key=pl.col("trade_name").str.to_lowercase()).sort("own", maintain_order=True)
    grouped = both.group_by("key", maintain_order=True).agg(
        pl.all().exclude("trade_name", "own", "at"),
        pl.col("trade_name").first(),
        traded=(~pl.col("own")).any(),
        at=pl.col("at").first(),
        count=pl.col("drug").n_unique(),
        own=pl.col("own").any(),
        answers=pl.col("targets").list.join("\x1f").n_unique(),
    )
    return grouped.filter(pl.col("traded")).sort("at", maintain_order=True)


def _with_targets(tables: Tables, rules: Rules) -> pl.DataFrame:

    one = (pl.col("answers") == 1) & (pl.col("targets").list.first().list.len() > 0)
    return _meant(tables).filter(one).select("trade_name", "drug", "ids", targets=pl.col("targets").list.first())


def _target(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    pairs = []
    for row in rows.iter_rows(named=True):
        trade, targets, drugs = row["trade_name"], row["targets"], alphabetical(row["drug"])
        ids = [identifier for of_drug in row["ids"] for identifier in of_drug]
        question = f"Which genes are the targets of the drug that is sold as {trade}?{at_most('genes')}"
        answer = f"The drug that is sold as {trade}, {listed(drugs)}, targets {enumerated(targets, 'gene')}."
        generic = names_fact("generic name", drugs, trade, asked=False)
        pairs.append(written("T15", ids, question, answer, [*list_facts("targets", targets, trade), generic]))
    return pairs


def _known(tables: Tables, rules: Rules) -> pl.DataFrame:

    lists = ("ids", "diseases", "actions", "types", "others")
    single = _meant(tables).filter((pl.col("count") == 1) & ~pl.col("own"))
    rows = single.select("trade_name", pl.col("drug", *lists).list.first())
    known = (pl.col(name).list.len() > 0 for name in ("diseases", "actions"))
    return rows.filter(*known, pl.col("types").list.len() == 1)


def _explained(tables: Tables, rows: pl.DataFrame, rules: Rules) -> list[Pair]:
    return [_explanation(row) for row in rows.iter_rows(named=True)]


def _explanation(row: Mapping[str, Any]) -> Pair:
    trade, drug, (kind,) = row["trade_name"], row["drug"], row["types"]
    question = (
        f"What is {trade}? Give its generic name, the diseases that it is used or studied for, its type of molecule "
        f"and its types of action.{at_most('diseases')}"
    )
    answer = (
        f"{trade} is a trade name of {drug}. It is used or studied for {enumerated(row['diseases'], 'disease')}. "
        f"It is a drug of the type {kind}, and its action is that of {listed(alphabetical(row['actions']))}."
    )
    other = [name for name in row["others"] if name != trade]
    generic = fact("generic name", NAME, drug, of=trade)
    if other:
        generic["names"] = {drug: other}
    facts = [
        generic,
        *list_facts("diseases", row["diseases"], trade),
        fact("molecule type", NAME, kind, of=trade),
        names_fact("actions", row["actions"], trade),
    ]
    return written("T17", row["ids"], question, answer, facts)


ANSWERERS: Mapping[str, Answerer] = {
    "T15": Answerer(_with_targets, _target),
    "T17": Answerer(_known, _explained),
}
