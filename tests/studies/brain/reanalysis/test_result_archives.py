"""Published `.npz` files: scores of units under an empty name, chosen layers and widths, and what is refused."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studies.brain.reanalysis.made_results import archive

from harness.errors import InputError
from harness.studies.brain.reanalysis import unnamed
from harness.studies.brain.reanalysis.maker import read_file

UNITS = "figure5_gpt2xl_combined_blank_pearson_r.npz"
R2 = "figure2_gpt2xl_combined-sp_fedorenko_out_of_sample_r2.npz"
CHOICES = "best_layer_sigma/best_gpt2xl_layer.npz"


def taken(folder: Path, name: str, **arrays: Any) -> dict[str, Any]:
    found = read_file(archive(folder, name, arrays), name)
    assert found
    return found


def refused(folder: Path, name: str, **arrays: Any) -> InputError:
    with pytest.raises(InputError) as bad:
        taken(folder, name, **arrays)
    assert name in bad.value.where
    return bad.value


def test_an_array_without_a_name_is_that_of_the_last_token(tmp_path: Path) -> None:
    values = np.linspace(-0.1, 0.2, 60)
    found = taken(tmp_path, UNITS, **{"": values, "-mp": values * 2, "other": values})
    assert [row["model"] for row in found["rows"]] == ["gpt2xl-lt", "gpt2xl-mp"] and found["unread"] == ["other"]
    assert found["rows"][0]["scores"] == values.tolist() and found["rows"][0]["participants"][11:13] == ["0", "1"]


@pytest.mark.parametrize("kind", ["f2", "f4", ">f8"])
def test_floats_of_any_size_and_order_are_read(kind: str, tmp_path: Path) -> None:
    values = np.arange(60).astype(kind) / np.array(64, kind)
    assert taken(tmp_path, UNITS, **{"": values})["rows"][0]["scores"] == (np.arange(60) / 64).tolist()


def test_an_undefined_and_an_endless_score_are_kept(tmp_path: Path) -> None:
    values = np.zeros(97)
    values[:2] = np.nan, -np.inf
    assert taken(tmp_path, R2, **{"-sp": values})["rows"][0]["scores"][:3] == ["nan", "-inf", 0]


@pytest.mark.parametrize(
    "values",
    [np.zeros(59), np.zeros((60, 1)), np.zeros(60, int), np.full(60, 1.1), np.full(60, -1.1), np.full(60, np.inf)],
    ids=["short", "matrix", "integers", "above 1", "below -1", "endless"],
)
def test_scores_that_units_cannot_have_are_refused(values: Any, tmp_path: Path) -> None:
    refused(tmp_path, UNITS, **{"-mp": values})


@pytest.mark.parametrize("name", [UNITS, CHOICES])
def test_a_pickle_and_broken_archives_are_refused(name: str, tmp_path: Path) -> None:
    refused(tmp_path, name, **{"": np.array([{}], object)})
    path = archive(tmp_path, name, {"": np.zeros(60)})
    whole = path.read_bytes()
    for data in (b"", b"PK\x03\x04", whole[:100], whole[:-30], b"\x93NUMPY" + whole, whole.replace(b"NUMPY", b"NUMPX")):
        path.write_bytes(data)
        with pytest.raises(InputError):
            read_file(path, name)


def test_an_archive_that_would_inflate_without_end_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        made.writestr(".npy", b"\0" * (65 << 20))
    with pytest.raises(InputError, match="more than 64 MiB"):
        read_file(tmp_path / "x.npz", UNITS)


def test_an_array_that_is_called_as_the_substitute_keeps_its_name(tmp_path: Path) -> None:
    path = archive(tmp_path, "x.npz", {"unnamed": np.ones(3), "b": np.zeros(2)})
    assert sorted(unnamed.read_all(path, "x", "give another")) == ["b", "unnamed"]
    other = archive(tmp_path, "y.npz", {"": np.ones(3), "b": np.zeros(2)})
    assert sorted(unnamed.read_all(other, "y", "give another")) == ["", "b"]


def test_two_arrays_of_one_name_are_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, UNITS, {"": np.zeros(60), "unnamed": np.zeros(60)})
    with pytest.raises(InputError):
        read_file(path, UNITS)


@pytest.mark.parametrize(
    ("name", "arrays", "told"),
    [("gpt2xl_combined_blank", ("", "-lt"), "array `` is of gpt2xl-lt too"),
     ("gpt2xl_combined-sp_blank", ("-sp", ""), "array `-sp` is of gpt2xl-sp too"),
     ("gpt2xl_combined-sp_blank", ("-mp",), "the file's name says sp, the array's says mp"),
     ("simple_combined-lt_blank", ("-sp",), "the file's name says lt, the array's says sp")],
)  # fmt: skip
def test_arrays_that_contradict_the_name_or_each_other_are_refused_by_key(
    name: str, arrays: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    bad = refused(tmp_path, f"figure5_{name}_pearson_r.npz", **dict.fromkeys(arrays, np.zeros(60)))
    assert bad.what == told and bad.where.endswith(f", array `{arrays[-1]}`")


def test_one_choice_under_two_keys_must_be_one_number(tmp_path: Path) -> None:
    taken(tmp_path, CHOICES, blank_pearson_r_contig=3, **{"blank_pearson_r_contig-lt": 3})
    bad = refused(tmp_path, CHOICES, blank_pearson_r_contig=3, **{"blank_pearson_r_contig-lt": 4})
    assert "tells another layer" in bad.what and bad.where.endswith("`blank_pearson_r_contig-lt`")


@pytest.mark.parametrize(("experiment", "units", "last"), [("384", 12195, "426"), ("243", 8121, "426")])
def test_an_archive_of_one_experiment_holds_the_units_of_its_participants(
    experiment: str, units: int, last: str, tmp_path: Path
) -> None:
    name = f"figure2_gpt2xl_combined-sp_pereira_{experiment}_out_of_sample_r2.npz"
    [found] = taken(tmp_path, name, **{"-sp": np.zeros(units)})["rows"]
    assert found["participants"][-1] == last and ("215" in found["participants"]) == (experiment == "243")
    assert f"each of {units:,} units" in refused(tmp_path, name, **{"-sp": np.zeros(13553)}).what


def test_a_choice_tells_what_it_was_chosen_for(tmp_path: Path) -> None:
    key = "pereira_384_out_of_sample_r2_shuffled_noL2custom-sp"
    [found] = taken(tmp_path, CHOICES, **{key: 47})["rows"]
    told = {"model": "gpt2xl", "dataset": "pereira", "experiment": "384", "metric": "out_of_sample_r2_noL2custom",
            "split": "shuffled", "pooling": "sp", "is": "layer", "value": 47}  # fmt: skip
    assert told.items() <= found.items()


@pytest.mark.parametrize(
    ("name", "key", "value", "is_"),
    [("best_sigma", "blank_pearson_r_contig", 1.5, "width"),
     ("best_layer_other_pereira", "Glove_pearson_r_243_-mp", 0.0855, "score"),
     ("best_layer_other_pereira", "PWR_pearson_r_243", 0.5, "width"),
     ("gpt2xl-syntax", "pereira_243_pearson_r_contig", 20, "layer")],
)  # fmt: skip
def test_a_number_is_a_layer_a_width_or_a_score(name: str, key: str, value: float, is_: str, tmp_path: Path) -> None:
    [found] = taken(tmp_path, f"best_layer_sigma_info/best_layer_sigma_{name}.npz", **{key: value})["rows"]
    assert (found["is"], found["value"]) == (is_, value)


@pytest.mark.parametrize("value", [-1, 0.5, 201, np.nan, "x"])
def test_what_is_no_layer_is_refused(value: Any, tmp_path: Path) -> None:
    assert "blank_pearson_r_contig" in refused(tmp_path, CHOICES, blank_pearson_r_contig=value).where


def test_a_choice_of_no_known_name_or_of_many_numbers_is_named_as_not_read(tmp_path: Path) -> None:
    found = taken(tmp_path, CHOICES, strange=1, blank_pearson_r_contig=np.zeros(2))
    assert found["rows"] == [] and sorted(found["unread"]) == ["blank_pearson_r_contig", "strange"]
