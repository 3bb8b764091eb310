"""Published CSV files: what is read of each kind, and what is refused with file, line and column."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from studies.brain.reanalysis.made_results import CURVED, OMEGAS, PEREIRA, SCORED, TESTED, table

from harness.errors import InputError
from harness.studies.brain.reanalysis.maker import read_file

BLANK = [[str(who), "language", model, f"0.{who}1"] for who in range(5) for model in ("Simple", "gpt2xl-lt")]
CURVE = [[layer, f"0.0{layer}", "GPT2-XL", "", layer, "384"] for layer in range(3)]
P = [[row, "-lt", row // 12, "0.5", "0.25", "language"] for row in range(60)]
OMEGA = [[who, "-sp", "blank", f"{20 * who}"] for who in range(5)]
NAMES = {"scores": "figure5_blank_pearson_r.csv", "curves": "figure2_pereira_pearson_r_384.csv",
         "tests": "figure5_pvalues_blank.csv", "omegas": "figure5_x_omega_values.csv"}  # fmt: skip
ROWS: dict[str, tuple[Sequence[str], list[list[Any]]]] = {
    "scores": (SCORED, BLANK), "curves": (CURVED, CURVE), "tests": (TESTED, P), "omegas": (OMEGAS, OMEGA),
}  # fmt: skip


def taken(folder: Path, kind: str, rows: Sequence[Sequence[Any]] | None = None, **how: Any) -> dict[str, Any]:
    columns, own = ROWS[kind]
    found = read_file(
        table(folder, NAMES[kind], how.pop("columns", columns), own if rows is None else rows, **how), NAMES[kind]
    )
    assert found
    return found


def changed(kind: str, row: int, column: str, value: Any) -> list[list[Any]]:
    columns, rows = ROWS[kind]
    rows = [list(each) for each in rows]
    rows[row][list(columns).index(column)] = value
    return rows


def refused(folder: Path, kind: str, rows: Sequence[Sequence[Any]], **how: Any) -> InputError:
    with pytest.raises(InputError) as bad:
        taken(folder, kind, rows, **how)
    assert NAMES[kind] in bad.value.where and bad.value.next
    return bad.value


def test_scores_are_read_by_model_and_participant(tmp_path: Path) -> None:
    [simple, model] = taken(tmp_path, "scores")["rows"]
    assert simple["model"] == "Simple" and model["scores"] == {"0": 0.01, "1": 0.11, "2": 0.21, "3": 0.31, "4": 0.41}


def test_an_empty_cell_is_the_contiguous_split_and_a_word_the_shuffled(tmp_path: Path) -> None:
    rows = [*CURVE, *([index, perf, model, "shuffled", layer, exp] for index, perf, model, _, layer, exp in CURVE)]
    found = taken(tmp_path, "curves", rows)["rows"]
    assert [(one["split"], one["experiment"]) for one in found] == [("contiguous", "384"), ("shuffled", "384")]
    assert found[0]["scores"] == {"0": 0.0, "1": 0.01, "2": 0.02}


def test_omegas_stand_for_participants_in_their_order(tmp_path: Path) -> None:
    [found] = taken(tmp_path, "omegas")["rows"]
    assert (found["pooling"], found["omegas"]) == ("sp", {"0": 0, "1": 20, "2": 40, "3": 60, "4": 80})


def test_an_undefined_raw_p_value_is_kept_as_such(tmp_path: Path) -> None:
    [found] = taken(tmp_path, "tests", changed("tests", 3, "pval_orig", ""))["rows"]
    assert found["pval_orig"][3] == "nan" and found["participants"][11:13] == ["0", "1"]


def test_a_byte_order_mark_and_further_columns_are_no_harm(tmp_path: Path) -> None:
    rows = [[*row, "x"] for row in BLANK]
    found = taken(tmp_path, "scores", rows, columns=(*SCORED, "more"), mark="\N{ZERO WIDTH NO-BREAK SPACE}")
    assert found["unread"] == ["more"] and len(found["rows"]) == 2


@pytest.mark.parametrize(
    ("kind", "row", "column", "value"),
    [
        *(("scores", 3, "perf", value) for value in ("", "nan", "inf", "x", "1.01", "-1.01", "1_0x")),
        ("scores", 3, "Model", ""), ("scores", 3, "Model", "a\x07"),
        *(("scores", 3, "subjects", value) for value in ("", "5", "x")), ("tests", 3, "subject", "5"),
        *((kind, 3, column, value) for kind, column in (("scores", "Network"), ("tests", "network"))
          for value in ("", "cerebellum", "dmn")),
        *(("curves", 1, "perf", value) for value in ("nan", "2", "")),
        *(("curves", 1, "layer_num", value) for value in ("-1", "0.5", "201", "nan")),
        ("curves", 1, "Exp", "500"), ("curves", 1, "Shuffled", "mixed"),
        *(("tests", 1, "pval", value) for value in ("nan", "1.01", "-0.1", "")),
        ("tests", 1, "pval_orig", "1.01"), ("tests", 1, "fe", "-xx"),
        *(("omegas", 1, "values", value) for value in ("nan", "100.1", "-1", "")),
        ("omegas", 1, "dataset", "other"), ("omegas", 1, "feature_extraction", "sum"),
    ],
)  # fmt: skip
def test_a_wrong_cell_is_refused_by_line_and_column(
    kind: str, row: int, column: str, value: str, tmp_path: Path
) -> None:  # fmt: skip
    where = refused(tmp_path, kind, changed(kind, row, column, value)).where
    assert where == f"{NAMES[kind]}, line {row + 2}, column `{column}`"


@pytest.mark.parametrize("kind", ["scores", "curves"])
def test_a_row_that_stands_twice_is_refused(kind: str, tmp_path: Path) -> None:
    bad = refused(tmp_path, kind, [*ROWS[kind][1], ROWS[kind][1][0]])
    assert "earlier row" in bad.what and f"line {len(ROWS[kind][1]) + 2}" in bad.where


@pytest.mark.parametrize("kind", ["scores", "tests", "omegas"])
def test_a_participant_who_is_missing_is_refused(kind: str, tmp_path: Path) -> None:
    column = list(ROWS[kind][0]).index("subjects" if kind == "scores" else "subject" if kind == "tests" else "")
    rows = [row for row in ROWS[kind][1] if str(row[column]) != "4"]
    bad = refused(tmp_path, kind, rows)
    assert "5" in bad.what and "4" in bad.what


def test_a_layer_that_is_missing_is_refused(tmp_path: Path) -> None:
    assert "layer 1 of GPT2-XL is missing" in refused(tmp_path, "curves", [CURVE[0], CURVE[2]]).what


@pytest.mark.parametrize("layers", [(1, 2, 3), (5,), (0,)])
def test_a_curve_may_begin_behind_layer_0(layers: tuple[int, ...], tmp_path: Path) -> None:
    [found] = taken(tmp_path, "curves", [[at, 0.1, "GPT2-XL", "", at, "384"] for at in layers])["rows"]
    assert list(found["scores"]) == [str(at) for at in layers]


def test_omegas_in_another_order_are_refused(tmp_path: Path) -> None:
    bad = refused(tmp_path, "omegas", [OMEGA[1], OMEGA[0], *OMEGA[2:]])
    assert "not in its place" in bad.what and "line 2" in bad.where


def test_omegas_without_row_numbers_are_refused(tmp_path: Path) -> None:
    bad = refused(tmp_path, "omegas", [row[1:] for row in OMEGA], columns=OMEGAS[1:])
    assert "row numbers" in bad.what and "whose omega" in bad.what


def test_a_row_of_another_split_than_the_name_tells_is_refused(tmp_path: Path) -> None:
    name = "figure2_pereira_pearson_r_shuffled_384.csv"
    with pytest.raises(InputError, match="the file's name says shuffled, the row says contiguous"):
        read_file(table(tmp_path, name, CURVED, CURVE), name)


@pytest.mark.parametrize(("word", "column", "row"), [("243", "Exp", ""), ("shuffled", "shuffled", "")])
def test_a_row_that_contradicts_the_file_s_name_is_refused_by_line(
    word: str, column: str, row: str, tmp_path: Path
) -> None:
    curves = column == "Exp"
    name = f"figure2_{'pereira_pearson_r' if curves else 'pvalues_blank'}_{word}.csv"
    columns, rows = (CURVED, CURVE) if curves else ((*TESTED, column), [[*cells, row] for cells in P])
    with pytest.raises(InputError, match=rf"the file's name says {word.lower()}, the row says") as bad:
        read_file(table(tmp_path, name, columns, rows), name)
    assert bad.value.where == f"{name}, line 2, column `{column}`"


@pytest.mark.parametrize(("who", "known"), [("18", True), ("018", True), ("019", False)])
def test_a_lost_zero_is_no_other_participant(who: str, known: bool, tmp_path: Path) -> None:
    name = "figure1_pereira_pearson_r_contig.csv"
    rows = [[who if one == "018" else one, "language", "OASM", 0.1] for one in PEREIRA]
    path = table(tmp_path, name, SCORED, rows)
    if known:
        found = read_file(path, name)
        assert found and list(found["rows"][0]["scores"]) == list(PEREIRA)
    else:
        with pytest.raises(InputError, match="none of the participants"):
            read_file(path, name)


@pytest.mark.parametrize("kind", ROWS)
def test_a_column_that_is_missing_or_doubled_is_refused(kind: str, tmp_path: Path) -> None:
    columns, rows = ROWS[kind]
    required = {"scores": "perf", "curves": "perf", "tests": "pval", "omegas": "values"}[kind]
    place = list(columns).index(required)
    without = [[cell for at, cell in enumerate(row) if at != place] for row in rows]
    names = [name for name in columns if name != required]
    assert f"`{required}` is missing" in refused(tmp_path, kind, without, columns=names).what
    doubled = [*names, required, required]
    assert "twice" in refused(tmp_path, kind, [[*row, 1, 1] for row in without], columns=doubled).what


@pytest.mark.parametrize("data", [b"", b"\n", b"a,b\n", b"\xff\xfe", b'"' + b"x" * (2 << 20)])
def test_what_is_no_table_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(InputError) as bad:
        read_file(tmp_path / "x", NAMES["scores"])
    assert NAMES["scores"] in bad.value.where


def test_a_table_without_end_is_refused(tmp_path: Path) -> None:
    with open(tmp_path / "x", "wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(InputError, match="more than 64 MiB"):
        read_file(tmp_path / "x", NAMES["scores"])
