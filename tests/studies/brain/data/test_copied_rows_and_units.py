"""Recordings that look sound and are not: copied units, passages of another category, scans in another order."""

import numpy as np
import pytest
from needs import needs
from support_brain_recordings import ELECTRODES, write_authors_arrays, write_neural_nlp
from support_draws import drawn

from harness import rows
from harness.errors import InputError
from harness.studies.brain.data import authors_arrays, neural_nlp
from harness.studies.brain.structure.pereira import pereira

needs("h5py", "h5netcdf", "xarray")
PART = {"dataset": "pereira", "units": 100}
ONE = {"dataset": "pereira", "experiment": "384", "units": 90}
V1, V4 = (47, 9, 9, 15, 18), (49, 8, 10, 16, 19, 3)


def counts_of(folder, params, files, make=neural_nlp.make):
    out = folder / "out"
    out.mkdir(exist_ok=True)
    make(params, files, out)
    [counts] = rows.read(out / "counts")
    return counts


def refused(folder, params, files, make=neural_nlp.make):
    """Give what an error says, where it is, and what to do."""
    with pytest.raises(InputError) as bad:
        counts_of(folder, params, files, make)
    return bad.value


def coordinate(name, values, dimension="presentation"):
    """Make a change of a file that puts a coordinate into it."""

    def change(parts):
        parts[name] = (dimension, values(parts))

    return change


def copied(one, other):
    """Make a change of a file, or of the authors' arrays, that copies the values of a column into another."""

    def change(parts):
        name = "data" if "data" in parts else "y"
        parts[name] = parts[name].copy()
        parts[name][:, other] = parts[name][:, one]

    return change


def block_rows(name):
    return [at for at, block in enumerate(pereira().blocks) if block == name]


def with_exchanged(files, one, other):
    """Exchange the rows of the file that are read as two passages."""
    order = np.load(files["order"])
    left, right = block_rows(one), block_rows(other)
    order[left], order[right] = order[right].copy(), order[left].copy()
    np.save(files["order"], order)
    return files


def test_a_passage_of_another_category_is_refused_by_its_row(tmp_path):
    files = with_exchanged(write_neural_nlp(tmp_path, "pereira"), "384-animal-0", "384-weapon-3")
    bad, first = refused(tmp_path, PART, files), block_rows("384-animal-0")[0]
    assert bad.where == "passage_category"
    assert bad.what == f"row {first} of the study is 'weapon' there, and 'animal' here"


def test_categories_may_be_spelled_otherwise_one_to_one(tmp_path):
    def spelled(parts):
        names = sorted({*parts["passage_category"][1]})
        return [f"c{names.index(one)}" for one in parts["passage_category"][1]]

    files = write_neural_nlp(tmp_path, "pereira", change=coordinate("passage_category", spelled))
    assert counts_of(tmp_path, PART, files)["units"] == 100
    bad = refused(tmp_path, PART, with_exchanged(files, "384-animal-0", "384-weapon-3"))
    rows_of_two = "row 247 of the study is 'c0' there, and 'animal' here; and row 243 is 'c47' there, and 'animal' here"
    assert (bad.where, bad.what) == ("passage_category", rows_of_two)


def test_the_study_s_own_names_of_categories_stand_each_at_its_own(tmp_path):
    def turned(parts):
        new = {"animal": "weapon", "weapon": "animal"}
        return [new.get(one, one) for one in parts["passage_category"][1]]

    files = write_neural_nlp(tmp_path, "pereira", change=coordinate("passage_category", turned))
    assert refused(tmp_path, PART, files).what == "row 243 of the study is 'weapon' there, and 'animal' here"


@pytest.mark.exhaustive
@pytest.mark.parametrize(("dataset", "params", "names"), drawn([
    ("pereira", PART, "'018.0.language' and '018.350.language'"),
    ("fedorenko", {"dataset": "fedorenko"}, "'1.0' and '1.1'"),
    ("blank", {"dataset": "blank"}, "'061.01_region' and '061.02_region'"),
], 1, 3))  # fmt: skip
def test_a_unit_with_the_values_of_another_is_refused(tmp_path, dataset, params, names):
    other = {"pereira": 50, "fedorenko": 1, "blank": 5}[dataset]

    def change(parts):
        copied(0, other)(parts)
        if dataset == "pereira":  # of the same network too, or it would be a voxel of two
            parts["atlas"][1][other] = "language"

    bad = refused(tmp_path, params, write_neural_nlp(tmp_path, dataset, change=change))
    assert f"the units {names} have the same value in every row" in bad.what


def test_a_voxel_of_two_networks_is_no_copy_nor_is_what_never_changes(tmp_path):
    def change(parts):
        copied(0, 10)(parts)  # a voxel of the language network and of DMN
        parts["data"][:, [20, 70]] = 1.5
        parts["atlas"][1][70] = parts["atlas"][1][20]

    made = counts_of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira", change=change))
    assert (made["units"], made["degenerate"]) == (100, 2)


@pytest.mark.parametrize(("dataset", "params", "names"), [
    ("pereira", ONE, "'018.0' and '018.1'"),
    ("fedorenko", {"dataset": "fedorenko"}, "'1.0' and '1.1'"),
    ("blank", {"dataset": "blank"}, "'061.0' and '061.5'"),
])  # fmt: skip
def test_a_copied_column_is_refused_among_the_authors_arrays(tmp_path, dataset, params, names):
    other = 5 if dataset == "blank" else 1

    def change(said):
        copied(0, other)(said)
        if dataset == "pereira":
            said["subjects"][other] = said["subjects"][0]

    files = write_authors_arrays(tmp_path, dataset, experiment=params.get("experiment", ""), change=change)
    assert (
        f"the units {names} have the same value in every row"
        in refused(tmp_path, params, files, authors_arrays.make).what
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(("electrodes", "edition"), drawn([
    (V1, "as has version 1 or 2, in which participant 2 has 9 electrodes"),
    (V4, "as has version 4, of six participants, or version 3 of the electrodes outside language"),
    ((67, 35, 20, 29, 26), "as has version 3 of all electrodes"),
], 1, 3))  # fmt: skip
def test_an_edition_of_fedorenko_is_named_without_subjects(tmp_path, electrodes, edition):
    count = sum(electrodes)
    files = write_authors_arrays(tmp_path, "fedorenko", units=count)
    del files["subjects"]
    for params in ({}, {"units": count}):
        bad = refused(tmp_path, {"dataset": "fedorenko", **params}, files, authors_arrays.make)
        assert (bad.where, bad.what) == ("y", f"it has {count} columns, {edition}")
        assert "Fedorenko2016v3.nc" in bad.next and "pereira" not in bad.next


def test_each_dataset_says_what_it_takes(tmp_path):
    few = write_authors_arrays(tmp_path, "fedorenko", units=20)
    del few["subjects"]
    bad = refused(tmp_path, {"dataset": "fedorenko", "units": 20}, few, authors_arrays.make)
    assert "`subjects` is missing, and y has 20 columns" in bad.what and ", ".join(map(str, ELECTRODES)) in bad.next
    blank = write_authors_arrays(tmp_path, "blank")
    for name in ("subjects", "y"):
        lacking = {key: path for key, path in blank.items() if key != name}
        bad = refused(tmp_path, {"dataset": "blank"}, lacking, authors_arrays.make)
        assert f"`{name}` is missing" in bad.what and "blank takes y, and subjects" in bad.next


def times(parts):
    """Give each scan its second in its story, as the published file has it."""
    stories = [*parts["story"][1]]
    return np.array([2 * (at - stories.index(story)) for at, story in enumerate(stories)])


def exchanged(parts):
    """Exchange the first two scans in all that is said of them."""
    for name, part in parts.items():
        if name == "data":
            parts[name] = part[[1, 0, *range(2, 1317)]]
        elif part[0] == "presentation":
            parts[name] = (part[0], [part[1][1], part[1][0], *part[1][2:]])


def test_scans_in_another_order_are_refused_by_their_time(tmp_path):
    def change(parts):
        del parts["stimulus_id"]
        parts["timepoint_value"] = ("presentation", times(parts))
        exchanged(parts)

    bad = refused(tmp_path, {"dataset": "blank"}, write_neural_nlp(tmp_path, "blank", change=change))
    assert bad.where == "timepoint_value"
    assert bad.what == "row 1 of the study is '0' there, and 'above 2' here"


def test_scans_in_another_order_are_refused_by_their_stimulus(tmp_path):
    bad = refused(tmp_path, {"dataset": "blank"}, write_neural_nlp(tmp_path, "blank", change=exchanged))
    assert (bad.where, bad.what[:34]) == ("stimulus_id", "row 1 of the study is 'Aqua-000' t")


def test_scans_in_their_order_pass_whatever_else_is_said_of_them(tmp_path):
    def change(parts):
        parts["timepoint_value"] = ("presentation", times(parts))
        parts["time_bin_start"] = ("presentation", [0] * 1317)
        parts["time_said"] = ("presentation", ["x"] * 1317)
        parts["stimulus_id"] = (
            "presentation", [f"{story}.{at // 3}.{at % 3}" for at, story in enumerate(parts["story"][1])]
        )  # fmt: skip

    assert counts_of(tmp_path, {"dataset": "blank"}, write_neural_nlp(tmp_path, "blank", change=change))["units"] == 60
    words = write_neural_nlp(tmp_path, "blank", change=coordinate("stimulus_id", lambda parts: ["no number"] * 1317))
    assert counts_of(tmp_path, {"dataset": "blank"}, words)["units"] == 60


def test_a_table_of_three_dimensions_is_refused_with_their_names(tmp_path):
    import xarray

    files = write_neural_nlp(tmp_path, "blank")
    deep = xarray.load_dataset(files["assembly"], engine="h5netcdf").expand_dims("time_bin", 2)
    files["assembly"].unlink()
    deep.to_netcdf(files["assembly"], engine="h5netcdf")
    bad = refused(tmp_path, {"dataset": "blank"}, files)
    assert "its tables are: data['presentation', 'neuroid', 'time_bin'] of float64" in bad.next
