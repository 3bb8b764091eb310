"""The authors' arrays: the same recordings as in the netCDF file, and what is not of one set is refused by name."""

import numpy as np
import pytest
from needs import needs
from support_brain_recordings import recorded, write_authors_arrays, write_neural_nlp
from support_draws import drawn

from harness import arrays, rows
from harness.errors import InputError
from harness.studies.brain.data import authors_arrays, neural_nlp
from harness.studies.brain.data.authors_arrays import make
from harness.studies.brain.structure.labels import parse_label
from harness.studies.brain.structure.pereira import pereira

needs("h5py", "h5netcdf", "xarray")
PART = {"dataset": "pereira", "units": 100}
ONE = {"dataset": "pereira", "experiment": "384", "units": 90}


def of(folder, params, files, make=make):
    out = folder / make.__module__.rpartition(".")[2]
    out.mkdir(exist_ok=True)
    make(params, files, out)
    [counts] = rows.read(out / "counts")
    return arrays.read(out / "recordings"), list(rows.read(out / "units")), list(rows.read(out / "stimuli")), counts


def replaced(**changed):
    """Change some of the arrays, by their names."""

    def change(said):
        return {name: changed[name](array) if name in changed else array for name, array in said.items()}

    return change


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "params",
    drawn([PART, ONE, {**ONE, "experiment": "243", "units": 60}, {"dataset": "fedorenko"}, {"dataset": "blank"}], 1, 5),
)
def test_both_layouts_give_equal_recordings(tmp_path, params):
    files = write_authors_arrays(tmp_path, params["dataset"], experiment=params.get("experiment", ""))
    values, units, stimuli, _ = of(tmp_path, params, files)
    same, others, read, _ = of(tmp_path, params, write_neural_nlp(tmp_path, params["dataset"]), neural_nlp.make)
    assert values.dtype == np.float32 and np.array_equal(values, same, equal_nan=True) and stimuli == read
    keys = ("participant", "network", "place")
    assert [[u.get(key) for key in keys] for u in units] == [[u.get(key) for key in keys] for u in others]


def test_rows_and_units_of_one_experiment_stand_among_all_rows(tmp_path):
    values, units, stimuli, counts = of(tmp_path, ONE, write_authors_arrays(tmp_path, "pereira", experiment="384"))
    assert len(stimuli) == 627 and np.isnan(values[:243]).all() and np.isfinite(values[243:]).all()
    assert counts["file"] == "npy" and counts["experiments"] == {"384": 90} and len(units) == 90


@pytest.mark.parametrize("kind", ["float16", "float64", "F"])
def test_decimals_of_any_width_and_order_are_taken(tmp_path, kind):
    cast = np.asfortranarray if kind == "F" else lambda array: array.astype(kind)
    values, _, _, _ = of(
        tmp_path, {"dataset": "blank"}, write_authors_arrays(tmp_path, "blank", change=replaced(y=cast))
    )
    assert np.array_equal(values, cast(recorded("blank").values).astype(np.float32))


def test_participants_of_fedorenko_stand_in_the_published_order(tmp_path):
    files = write_authors_arrays(tmp_path, "fedorenko")
    told = of(tmp_path, {"dataset": "fedorenko"}, files)[1]
    del files["subjects"]
    assert of(tmp_path, {"dataset": "fedorenko"}, files)[1] == told and told[47]["participant"] == "2"


def test_participants_of_blank_and_of_a_part_must_be_said(tmp_path):
    for dataset, params in (("blank", {}), ("fedorenko", {"units": 20})):
        files = write_authors_arrays(tmp_path, dataset, units=20 if params else None)
        del files["subjects"]
        with pytest.raises(InputError, match="`subjects` is missing"):
            of(tmp_path, {"dataset": dataset, **params}, files)


@pytest.mark.parametrize("name", ["subjects_243", "networks_384", "y_384"])
def test_an_array_of_objects_is_refused_with_how_to_convert_it(tmp_path, name):
    files = write_authors_arrays(tmp_path, "pereira", change=replaced(**{name: lambda array: array.astype(object)}))
    with pytest.raises(InputError, match="Python objects, which are pickles") as bad:
        of(tmp_path, PART, files)
    assert bad.value.where == name and "allow_pickle=True).astype(str)" in bad.value.next


@pytest.mark.parametrize("kind", [np.int64, float, "S3"])
def test_names_may_be_whole_numbers_or_bytes(tmp_path, kind):
    files = write_authors_arrays(tmp_path, "fedorenko", change=replaced(subjects=lambda names: names.astype(kind)))
    assert of(tmp_path, {"dataset": "fedorenko"}, files)[3]["participants"]["5"] == 18


WRONG = [
    ({"y_243": lambda y: y[:-1]}, r"it is float32 \[242, 60\]", "y_243"),
    ({"y_384": lambda y: y.astype(int)}, "it is int64", "y_384"),
    ({"y_384": lambda y: y[0]}, r"it is float32 \[90\]", "y_384"),
    ({"subjects_243": lambda names: names[1:]}, "it has 59 values for 60 columns", "subjects_243"),
    ({"networks_243": lambda names: names[None]}, r"\[1, 60\]", "networks_243"),
    ({"networks_243": lambda names: np.ones(60) / 3}, "it is float64", "networks_243"),
    ({"non_nan_indices_243": lambda at: at[::-1]}, "do not rise from 0 up", "non_nan_indices_243"),
    ({"non_nan_indices_243": lambda at: at - 1}, "do not rise from 0 up", "non_nan_indices_243"),
    ({"non_nan_indices_243": lambda at: at * 1.0}, "it is float64", "non_nan_indices_243"),
    ({"non_nan_indices_243": lambda at: np.where(at > 98, 400, at)}, "no experiment has the column", "non_nan_indices"),
    ({"non_nan_indices_243": lambda at: np.arange(60)}, "is '199' of .* in one|is .* in the other", "non_nan_indices"),
    ({"col_to_coord_1_243": lambda at: at.astype(str)}, "it is <U", "col_to_coord_1_243"),
    ({"networks_384": lambda names: np.where(names == "MD", "md", names),
      "networks_243": lambda names: np.where(names == "MD", "md", names)}, "is of the network 'md'", "networks"),
    ({f"col_to_coord_{axis}_{of}": lambda at: at * 0 + 3 for axis in (1, 2, 3) for of in ("243", "384")},
     "the unit 018, language, 3, 3, 3 stands twice", "units"),
    ({"y_384": lambda y: np.where(np.arange(90) == 3, np.inf, y)}, "value inf at '384-animal-0-0'", "recordings"),
    ({"y_384": lambda y: np.where(np.arange(384)[:, None] == 7, np.nan, y)}, "nan at '384-animal-1-3'", "recordings"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "what", "where"), WRONG)
def test_arrays_that_are_not_of_one_sound_set_are_refused(tmp_path, changes, what, where):
    with pytest.raises(InputError, match=what) as bad:
        of(tmp_path, PART, write_authors_arrays(tmp_path, "pereira", change=replaced(**changes)))
    assert bad.value.where == where


def test_values_beyond_float32_are_refused_and_not_made_infinite(tmp_path):
    files = write_authors_arrays(tmp_path, "blank", change=replaced(y=lambda y: y.astype(float) * 1e60))
    with pytest.raises(InputError, match=r"has the value -?inf at 'Aqua-000'"):
        of(tmp_path, {"dataset": "blank"}, files)


def test_files_that_are_missing_or_read_by_nobody_are_named(tmp_path):
    both = write_authors_arrays(tmp_path, "pereira")
    with pytest.raises(InputError, match="nobody reads `col_to_coord_1_243` here"):
        of(tmp_path, ONE, both)
    with pytest.raises(InputError, match="`networks_384` is missing"):
        of(tmp_path, PART, {name: path for name, path in both.items() if name != "networks_384"})
    with pytest.raises(InputError, match="`col_to_coord_2_243` is missing"):
        of(tmp_path, PART, {name: path for name, path in both.items() if name != "col_to_coord_2_243"})
    one = write_authors_arrays(tmp_path, "pereira", experiment="384")
    with pytest.raises(InputError, match="nobody reads `col_to_coord_1` here"):
        of(tmp_path, PART, one)


def halves(turned):
    """Label rows with the other halves, or with those that are assumed."""
    labels = [parse_label(label) for label in pereira().labels]
    return [one._replace(half={"fh": "sh", "sh": "fh"}[one.half] if turned else one.half).text() for one in labels]


def labelled(folder, values, **params):
    files = write_authors_arrays(folder, "pereira", experiment=params.get("experiment", ""))
    np.save(folder / "labels.npy", values)
    return of(folder, {**PART, **params}, {**files, "labels": folder / "labels.npy"})[2]


def test_labels_say_which_half_a_category_is_of(tmp_path):
    assert [row["label"] for row in labelled(tmp_path, np.array(halves(True)))] == halves(True)


def test_labels_of_one_experiment_leave_the_other_as_it_is(tmp_path):
    found = labelled(tmp_path, np.array(halves(True)[243:]), experiment="384", units=90)
    assert [row["label"] for row in found] == [*halves(False)[:243], *halves(True)[243:]]


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (halves(False)[:-1], "it has 626 labels for 627 rows"),
        (halves(False)[::-1], "row 0 of the study is '384-weapon-3-sh' there"),
        ([*halves(True)[:1], *halves(False)[1:]], "rows of two labels"),
        ([label.replace("sh", "fh") if label[:3] == "243" else label for label in halves(False)], "one half alone"),
        (["x"] * 627, "'x' is no label"),
    ],
)
def test_labels_of_other_rows_are_refused(tmp_path, values, what):
    with pytest.raises(InputError, match=what):
        labelled(tmp_path, np.array(values))


def test_labels_of_fedorenko_are_the_numbers_of_rows(tmp_path):
    files = {**write_authors_arrays(tmp_path, "fedorenko"), "labels": tmp_path / "labels.npy"}
    np.save(files["labels"], np.arange(416))
    assert of(tmp_path, {"dataset": "fedorenko"}, files)[2][415]["label"] == "415"
    np.save(files["labels"], np.arange(416) + 1)
    with pytest.raises(InputError, match="row 0 of the study is '1' there, and '0' here"):
        of(tmp_path, {"dataset": "fedorenko"}, files)


def test_every_file_that_a_dataset_takes_is_named_by_the_maker():
    for module in (authors_arrays, neural_nlp):
        assert {name for taken in module.TAKEN.values() for name in taken} == {*module.FILES}
