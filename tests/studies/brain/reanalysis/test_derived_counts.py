"""The derived table of counts of Pereira's p-values: read as such, and held against p-values where these are given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studies.brain.reanalysis.made_results import PEREIRA, SIZES, TESTED, cut, reanalysed, table

from harness.errors import InputError
from harness.studies.brain.reanalysis.derived_counts import COLUMNS
from harness.studies.brain.reanalysis.maker import read_file

NAME, SOURCE = "pereira_pvalue_counts.csv", "figure5/pvalues_pereira_gpt2xl.csv"


@pytest.fixture
def p() -> Any:
    """Give p-values, raw and corrected, of each unit."""
    raw = np.random.default_rng(3).random(sum(SIZES)) ** 2
    return raw, np.minimum(raw * 1.5, 1)


def counts(raw: Any, q: Any, **changed: Mapping[str, Any]) -> list[list[Any]]:
    """Count p-values by numpy, as the table does; `changed` gives other values by column of participant 343."""
    rows = []
    for who, size, own, corrected in zip(PEREIRA, SIZES, cut(raw, SIZES), cut(q, SIZES), strict=True):
        cells = [SOURCE, "-lt", who, size, (own < 0.05).sum(), (corrected < 0.05).sum(), 7, round(np.median(own), 6)]
        told = dict(zip(COLUMNS, cells, strict=True)) | (changed if who == "343" else {})
        rows.append([told[column] for column in COLUMNS])
    return rows


def found(folder: Path) -> Any:
    told = reanalysed(folder)
    return told["derived_counts"]["figure5-gpt2xl"]["pereira"]["row"]["lt"], told


def test_counts_have_their_shares_and_say_that_nobody_published_them(p: Any, tmp_path: Path) -> None:
    table(tmp_path, NAME, COLUMNS, counts(*p))
    own, whole = found(tmp_path)
    raw = int((p[0] < 0.05).sum())
    assert (own["units"], own["raw"], own["raw_percent"]) == (13553, raw, pytest.approx(100 * raw / 13553))
    assert own["fdr_percent"] == pytest.approx(100 * (p[1] < 0.05).mean()) and own["alone_fdr"] == 70
    assert own["participants"]["296"]["units"] == 1337 and "published no such table" in own["note"]
    assert own["verdict"] == "nothing to hold it against: the p-values are not here" and whole["tests"] == {}
    assert whole["files"][NAME]["kind"] == "derived counts"


@pytest.mark.long
def test_counts_are_held_against_the_p_values(p: Any, tmp_path: Path) -> None:
    raw, q = p
    people = np.repeat(PEREIRA, SIZES)
    rows = [("", "-lt", who, b, a, "language") for who, a, b in zip(people, raw, q, strict=True)]
    table(tmp_path, SOURCE, TESTED, rows)
    table(tmp_path, NAME, COLUMNS, counts(*p))
    own, whole = found(tmp_path)
    assert (own["verdict"], own["split"], own["differs"]) == ("exact", "contiguous", [])
    assert whole["files"][NAME]["verdict"] == "exact"
    for changed in ({"n_raw_p_lt_05": 1}, {"n_fdr_p_lt_05": 1}, {"median_raw_p": 0.9}):
        table(tmp_path, NAME, COLUMNS, counts(*p, **changed))
        own, whole = found(tmp_path)
        assert (own["verdict"], own["differs"]) == ("differs", ["343"])
        assert whole["files"][SOURCE]["verdict"] == "differs"


@pytest.mark.parametrize(
    ("column", "value"),
    [("source", "figure5/pvalues_blank_gpt2xl.csv"), ("source", "notes.csv"), ("pooling", "-xx"), ("subject", "019"),
     ("subject", "296"), ("n_voxels", 1357), ("n_raw_p_lt_05", 1359), ("n_fdr_p_lt_05", -1),
     ("n_llm_sig_fdr_lt_05", "x"), ("median_raw_p", 1.5)],
)  # fmt: skip
def test_a_count_that_cannot_be_is_refused_by_line_and_column(
    column: str, value: Any, p: Any, tmp_path: Path
) -> None:  # fmt: skip
    path = table(tmp_path, NAME, COLUMNS, counts(*p, **{column: value}))
    with pytest.raises(InputError) as bad:
        read_file(path, NAME)
    line = 2 + PEREIRA.index("343")
    assert bad.value.where == f"{NAME}, line {line}, column `{column}`"


def test_a_participant_who_is_missing_or_doubled_is_refused(p: Any, tmp_path: Path) -> None:
    rows = counts(*p)
    for spoilt, told in ((rows[1:], "no 018"), ([*rows, rows[0]], "earlier row")):
        with pytest.raises(InputError, match=told):
            read_file(table(tmp_path, NAME, COLUMNS, spoilt), NAME)
