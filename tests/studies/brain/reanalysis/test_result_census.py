"""Whose rows a published file holds: every participant and unit once, of the experiment that the file's name tells."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studies.brain.reanalysis.made_results import (
    CURVED,
    ELECTRODES,
    PEREIRA,
    REAL,
    SCORED,
    SIZES,
    TESTED,
    archive,
    participants,
    read,
    table,
)
from support_draws import drawn

from harness.errors import InputError
from harness.studies.brain.reanalysis.maker import read_file

UNITS, TESTS = "figure6_results_combined_blank_pearson_r.csv", "figure5_pvalues_blank_gpt2xl.csv"
Rows = Sequence[Sequence[Any]]


def unit_rows(network: str = "language", model: str = "GPT2XLU-lt") -> list[list[Any]]:
    return [[at // 12, network, model, at / 100] for at in range(60)]


def p_rows(people: Sequence[str], sizes: Sequence[int], pooling: str = "-lt") -> list[list[Any]]:
    return [["", pooling, who, 1, 0.5, "language"] for who, size in zip(people, sizes, strict=True)
            for _ in range(size)]  # fmt: skip


SPOILT: dict[str, tuple[Callable[[Rows], Rows], str]] = {
    "a unit twice": (lambda rows: [*rows, rows[0]], "participant 0 has 13 units"),
    "all twice": (lambda rows: [row for row in rows for _ in range(2)], "participant 0 has 24 units"),
    "a unit missing": (lambda rows: rows[:-1], "participant 4 has 11 units"),
    "half missing": (lambda rows: rows[::2], "participant 0 has 6 units"),
}


@pytest.mark.parametrize("spoilt", SPOILT)
@pytest.mark.parametrize(("name", "columns"), [(UNITS, SCORED), (TESTS, TESTED)])
def test_a_unit_that_is_missing_or_doubled_is_refused_with_both_counts(
    name: str, columns: Sequence[str], spoilt: str, tmp_path: Path
) -> None:
    change, told = SPOILT[spoilt]
    rows = unit_rows() if columns == SCORED else p_rows([*"01234"], [12] * 5)
    assert read_file(table(tmp_path, name, columns, rows), name)
    with pytest.raises(InputError) as bad:
        read_file(table(tmp_path, name, columns, change(rows)), name)
    assert bad.value.what.startswith(told) and bad.value.what.endswith("the recordings have 12")
    assert bad.value.where == name


def test_only_one_pooling_or_model_that_lacks_a_unit_is_named(tmp_path: Path) -> None:
    rows = [*p_rows([*"01234"], [12] * 5), *p_rows([*"01234"], [12, 12, 11, 12, 12], "-sp")]
    with pytest.raises(InputError, match="participant 2 has 11 units of contiguous sp in language"):
        read_file(table(tmp_path, TESTS, TESTED, rows), TESTS)


def test_outside_the_language_network_all_models_have_the_same_units(tmp_path: Path) -> None:
    some = [row for row in unit_rows("DMN") if row[0] != 3] + [[3, "DMN", "GPT2XLU-lt", 0.1]]
    found = read_file(table(tmp_path, UNITS, SCORED, [*unit_rows(), *some]), UNITS)
    assert found and [(one["network"], len(one["scores"])) for one in found["rows"]] == [("language", 60), ("DMN", 49)]
    with pytest.raises(InputError, match="participant 3 has 12 units of other in DMN; GPT2XLU-lt has 1"):
        read_file(table(tmp_path, UNITS, SCORED, [*some, *unit_rows("DMN", "other")]), UNITS)


def test_pereira_and_fedorenko_have_the_units_that_were_recorded(tmp_path: Path) -> None:
    for name, people, sizes in (("pereira", PEREIRA, SIZES), ("fedorenko", "12345", ELECTRODES),
                                ("fedorenko", "01234", ELECTRODES)):  # fmt: skip
        path = table(tmp_path, f"figure5_pvalues_{name}.csv", TESTED, p_rows([*people], sizes))
        found = read_file(path, path.name)
        assert found and len(found["rows"][0]["participants"]) == sum(sizes)
    path = table(tmp_path, path.name, TESTED, p_rows([*"12345"], sorted(ELECTRODES)))
    with pytest.raises(InputError, match=r"participant 1 has 8 units of contiguous lt in language; .* have 47"):
        read_file(path, path.name)


FIRST, SECOND = (*(one for one in PEREIRA if one != "215"),), ("018", "215", "288", "289", "296", "426")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("experiment", "people"), drawn([("384", FIRST), ("243", SECOND)], 1, 2))
@pytest.mark.parametrize("kind", drawn(["scores", "tests"], 1, 2))
def test_a_file_of_one_experiment_has_its_participants_alone(
    experiment: str, people: Sequence[str], kind: str, tmp_path: Path
) -> None:
    name = {"scores": f"figure1_pereira_pearson_r_contig_{experiment}.csv",
            "tests": f"figure5_pvalues_pereira_{experiment}_gpt2xl.csv"}[kind]  # fmt: skip

    def written(who: Sequence[str]) -> Path:
        if kind == "scores":
            return participants(tmp_path, name, {"OASM": {one: int(one) / 1000 for one in who}})
        return table(tmp_path, name, TESTED, p_rows(who, [dict(zip(PEREIRA, SIZES, strict=True))[one] for one in who]))

    found = read_file(written(people), name)
    assert found and found["experiment"] == experiment
    with pytest.raises(InputError, match=rf"did not do pereira's experiment {experiment}"):
        read_file(written(PEREIRA), name)
    lost = rf"has {len(people) - 1} participants, among them no {people[-1]}; pereira, {experiment} has {len(people)}"
    with pytest.raises(InputError, match=lost):
        read_file(written(people[:-1]), name)


def test_a_layer_beyond_the_curves_of_its_model_is_refused_by_key(tmp_path: Path) -> None:
    curve = [(at, 0.1, "GPT2-XL-sp", "", at, "384") for at in range(49)]
    table(tmp_path, "figure2/pereira_pearson_r_384.csv", CURVED, curve)
    choices = "best_layer_sigma_info/best_gpt2xl_layer.npz"
    archive(tmp_path, choices, {"fedorenko_pearson_r_contig": 48})
    archive(tmp_path, "best_layer_sigma_info/gpt2xl-syntax.npz", {"pereira_384_pearson_r_contig": 60})
    assert len(read(tmp_path)) == 3
    archive(tmp_path, choices, {"fedorenko_pearson_r_contig": 49})
    with pytest.raises(InputError, match="layer 49 is none of gpt2xl, whose curves end at layer 48") as bad:
        read(tmp_path)
    assert bad.value.where == f"{choices}, array `fedorenko_pearson_r_contig`"


def test_a_table_that_stands_under_two_data_sets_is_refused(tmp_path: Path) -> None:
    scores = {"Simple": dict(zip("01234", np.random.default_rng(1).random(5).tolist(), strict=True)),
              "OASM": dict.fromkeys("01234", 0.0)}  # fmt: skip
    participants(tmp_path, "figure5/blank_pearson_r_gpt2xl.csv", scores)
    participants(tmp_path, "figure5/fedorenko_pearson_r_gpt2xl.csv", {"OASM": scores["OASM"]})
    assert len(read(tmp_path)) == 2
    participants(tmp_path, "figure5/fedorenko_pearson_r_gpt2xl.csv", scores)
    with pytest.raises(InputError, match="scores of Simple are those of blank in figure5/blank") as bad:
        read(tmp_path)
    assert bad.value.where == "figure5/fedorenko_pearson_r_gpt2xl.csv, column `perf`"


@pytest.mark.skipif(not REAL.is_dir(), reason="the published results are not here")
@pytest.mark.parametrize("name", [UNITS, TESTS])
def test_a_published_file_whose_rows_were_doubled_is_refused(name: str, tmp_path: Path) -> None:
    with (REAL / "published" / name).open(newline="") as file:
        columns, *rows = csv.reader(file)
    assert read_file(table(tmp_path, name, columns, rows), name)
    with pytest.raises(InputError, match="participant 0 has 24 units"):
        read_file(table(tmp_path, name, columns, [row for row in rows for _ in range(2)]), name)
