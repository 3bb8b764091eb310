"""The page and figures of a reanalysis: theirs and ours side by side, what is absent named, everything escaped."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studies.brain.reanalysis.made_results import (
    CURVED,
    OMEGAS,
    PEREIRA,
    SIZES,
    TESTED,
    archive,
    participants,
    reanalysed,
    table,
)

from harness import rows
from harness.studies.brain.pages import reanalysis_figures, reanalysis_report
from harness.studies.brain.reanalysis import outputs
from harness.studies.brain.reanalysis.derived_counts import COLUMNS

EVIL = "<script>alert(1)</script> & $x$"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Reanalyse a file of each kind, in which a model has a name that is markup."""
    folder = tmp_path_factory.mktemp("published")
    units = np.random.default_rng(1).normal(0.1, 0.05, 60)
    archive(folder, "figure5/simple_combined_blank_pearson_r.npz", {"": units})
    own = {str(who): float(max(part.mean(), 0)) for who, part in enumerate(np.split(units, 5))}
    columns = {"Simple": own, "gpt2xl-lt": {**own, "2": 0.0}, EVIL: own}
    participants(folder, "figure5/blank_pearson_r_gpt2xl.csv", columns)
    for split in ("", "shuffled"):
        curve = [(at, 0.1 + (at - 2) ** 2 / 50, EVIL, split, at, "") for at in range(5)]
        table(folder, f"figure2/blank_pearson_r_{split}.csv", CURVED, curve)
    table(folder, "figure5/gpt2xl_omega_values.csv", OMEGAS, [(at, "-lt", "blank", 100 - at) for at in range(5)])
    tests = [(at, "-lt", at // 12, 1, 0.001 + at / 100, "language") for at in range(60)]
    table(folder, "figure5/pvalues_blank_gpt2xl.csv", TESTED, tests)
    counts = [("figure2/pvalues_pereira.csv", "-lt", who, size, 100, 10, 1, 0.5)
              for who, size in zip(PEREIRA, SIZES, strict=True)]  # fmt: skip
    table(folder, "pereira_pvalue_counts.csv", COLUMNS, counts)
    of = (("Pereira2018", "a"), ("Pereira2018", "a-untrained"), ("Blank2014fROI", "b"))
    layers = [(at, f"{dataset}-encoding", model, at / 10, "") for at in range(3) for dataset, model in of]
    table(folder, "precomputed-scores.csv", ("layer", "benchmark", "model", "score", "error"), layers)
    told = reanalysed(folder)
    return {**told, "coverage": {"files": 6, "absent": [f"figure1/{EVIL}"], "unknown": ["figure9/strange.csv"]}}


@pytest.fixture(scope="module")
def drawn(found: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("drawn")
    rows.write_one(out / "reanalysis", found)
    reanalysis_figures.draw({}, {"reanalysis": out / "reanalysis"}, out)
    inputs = {"reanalysis": out / "reanalysis", **{path.name: path for path in out.glob("*.svg")}}
    reanalysis_report.write({}, inputs, out)
    return out


def shown(drawn: Path) -> str:
    return (drawn / outputs.REPORT).read_text(encoding="utf-8")


def test_the_steps_write_every_file_that_is_announced(drawn: Path) -> None:
    assert {path.name for path in drawn.iterdir()} == {"reanalysis", outputs.REPORT, *outputs.figures()}


def test_markup_in_a_name_is_text(drawn: Path) -> None:
    page = shown(drawn)
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "<script" not in "".join((drawn / name).read_text() for name in outputs.figures() if name.endswith("svg"))


def test_what_is_absent_and_what_is_unknown_are_named(drawn: Path) -> None:
    page = shown(drawn)
    assert "so that what needs them is left out (1): figure1/" in page and "not read (1): figure9/strange.csv" in page


def test_theirs_and_ours_stand_side_by_side(drawn: Path, found: dict[str, Any]) -> None:
    mean = found["participants"]["figure5-gpt2xl"]["blank"]["pearson_r"]["contiguous"]["Simple"]["mean"]
    [row] = re.findall(r"<tr><th[^>]*>figure5-gpt2xl, blank, pearson r, contiguous, Simple</th>(.*?)</tr>",
                       shown(drawn).partition('id="scores-by-participant"')[0])  # fmt: skip
    assert row.count(f"<td>{mean:.5f}</td>") == 2 and "exact" in row and "5 of 5" in row


def test_a_table_that_differs_stands_out(found: dict[str, Any]) -> None:
    copied = {**found["participants"]["figure5-gpt2xl"]["blank"]["pearson_r"]["contiguous"]["Simple"]}
    copied["recomputed"] = {**copied["recomputed"], "verdict": "differs", "differs": ["0", "1"], "swapped": ["0", "1"]}
    told = {"f": {"blank": {"pearson_r": {"contiguous": {"Simple": copied}}}}}
    page = reanalysis_report.page({**found, "participants": told}, {}).decode()
    assert "<strong>differs</strong>" in page and "the values of 0, 1 are each other" in page


def test_the_figures_hold_their_numbers(drawn: Path, found: dict[str, Any]) -> None:
    texts = {stem: (drawn / f"{stem}.svg").read_text() for stem in outputs.stems()}
    assert "98.000" in texts[outputs.OMEGAS] and "blank, lt" in texts[outputs.OMEGAS]
    assert "There is nothing to draw" in texts[outputs.R2]
    correlation = found["curves"]["figure2"]["blank"]["all"]["pearson_r"][EVIL]["correlations"]["all"]["pearson"]
    assert correlation == pytest.approx(1) and "r 1.000, without layer 0 1.000" in texts[outputs.CURVES]
    assert "with the model, row, lt" in texts[outputs.TESTS]


def test_tests_of_units_have_percents_and_participants(drawn: Path) -> None:
    page = shown(drawn)
    [whole] = re.findall(
        r"<tr><th[^>]*>figure5-gpt2xl, blank, contiguous, row, lt, with the model</th>(.*?)</tr>", page
    )
    assert re.findall(r"<td>(.*?)</td>", whole)[:5] == ["60", "5", "8.33", "0", "0.00"]
    [own] = re.findall(r"<tr><th[^>]*>[^<]*row, lt, with the model, 0</th>(.*?)</tr>", page)
    assert re.findall(r"<td>(.*?)</td>", own) == ["12", "5", "41.67", "0", "0.00"]


def test_derived_counts_are_said_to_be_nobody_s_publication(drawn: Path) -> None:
    page = shown(drawn)
    assert "They published no such table" in page and "the p-values are not here" in page
    [own] = re.findall(r"<tr><th[^>]*>figure2, pereira, row, lt, 296</th>(.*?)</tr>", page)
    assert re.findall(r"<td>(.*?)</td>", own)[:7] == ["1,337", "100", "7.48", "10", "0.75", "1", "0.07"]


def test_the_models_of_2021_are_counted_by_data_set(drawn: Path) -> None:
    told = re.findall(r"<p[^>]*>([^<]*) Of 2021", shown(drawn))
    assert told == [
        "2 models, trained and untrained: 1 on blank (3 scores of layers), 1 on pereira (6 scores of layers)."
    ]


def test_an_empty_document_gives_figures_and_a_page(tmp_path: Path) -> None:
    rows.write_one(tmp_path / "reanalysis", {})
    reanalysis_figures.draw({}, {"reanalysis": tmp_path / "reanalysis"}, tmp_path)
    reanalysis_report.write({}, {"reanalysis": tmp_path / "reanalysis"}, tmp_path)
    assert "Files that were read: 0." in (tmp_path / outputs.REPORT).read_text()
    assert all("There is nothing to draw" in (tmp_path / f"{stem}.svg").read_text() for stem in outputs.stems())
