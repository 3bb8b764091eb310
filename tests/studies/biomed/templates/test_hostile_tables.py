"""Every template over tables without a row, whose cells are missing, and with p-values that are 0, -9999 or NaN."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import polars as pl
import pytest
import support_biomed_tables as support
from support_draws import drawn

from harness.studies.biomed.sources.reading import read_table
from harness.studies.biomed.sources.synthetic import SMALL
from harness.studies.biomed.templates.generating import Generated, generate
from harness.studies.biomed.templates.pair import Rules, Tables
from harness.studies.biomed.terms import MODES

NO_VALUE = re.compile(r"-9999\b|\b(?:nan|NaN|None|null|inf)\b")
P_VALUES = {"ad_gwas": ["p"], "pd_gwas": ["p"], "smr": ["p_SMR_multi", "p_HEIDI", "p_GWAS"]}


@cache
def full() -> dict[str, pl.DataFrame]:
    """Give small synthetic tables."""
    return dict(support.made(7, SMALL))


def changed(how: Callable[[pl.DataFrame, str], pl.DataFrame]) -> Tables:
    """Give them with some change."""
    return {name: how(frame, name).lazy() for name, frame in full().items()}


def made(tables: Tables, mode: str) -> dict[str, Generated]:
    return {one.template.id: one for one in generate(tables, Rules(mode), 7, most=20)}


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", drawn(MODES, 1, 2))
def test_tables_without_a_row_give_no_question(mode: str) -> None:
    found = made(changed(lambda frame, _: frame.head(0)), mode)
    assert len(found) == 40 and not any(one.pairs for one in found.values())


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", drawn(MODES, 1, 2))
def test_rows_of_missing_cells_give_no_question(mode: str) -> None:
    def emptied(frame: pl.DataFrame, _: str) -> pl.DataFrame:
        return frame.head(20).with_columns(pl.lit(None, frame[name].dtype).alias(name) for name in frame.columns[1:])

    assert not any(one.pairs for one in made(changed(emptied), mode).values())


@pytest.mark.exhaustive
@pytest.mark.parametrize(("cell", "yes"), drawn([(0.0, True), (-9999.0, False), (float("nan"), False)], 1, 3))
def test_a_p_of_zero_is_significant_and_a_missing_one_is_not(tmp_path: Path, cell: float, yes: bool) -> None:
    tables = {}
    for name, frame in full().items():
        path = tmp_path / f"{name}.parquet"
        frame.with_columns(pl.lit(cell).alias(column) for column in P_VALUES.get(name, [])).write_parquet(path)
        tables[name] = read_table(name, path)
    found = made(tables, "strict")
    for template in ("T09", "T22", "T26"):
        answers = {pair.yes for pair in found[template].pairs.values()}
        assert answers <= {yes} and (answers or not yes), template
    texts = " ".join(pair.answer for one in found.values() for pair in one.pairs.values())
    assert not NO_VALUE.findall(texts) and ("0.00e+00" in texts) is yes
