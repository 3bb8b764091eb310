"""Recordings in netCDF files: every value comes to its row and unit, and a file that is another is refused by name."""

import numpy as np
import pytest
from needs import needs
from support_brain_data import pereira_files
from support_brain_recordings import EXPERIMENTS, LAYOUTS, recorded, source_order, write_neural_nlp
from support_pace import soon

from harness import arrays, rows
from harness.errors import InputError
from harness.studies.brain.data.neural_nlp import make
from harness.studies.brain.data.published_shapes import OLDER
from harness.studies.brain.structure.layout import layout
from harness.studies.brain.structure.pereira import pereira

needs("h5py", "h5netcdf", "xarray")
PART = {"dataset": "pereira", "units": 100}


class Made:
    """What a maker wrote."""

    def __init__(self, out):
        self.stimuli, self.units = (list(rows.read(out / name)) for name in ("stimuli", "units"))
        self.values, self.features = arrays.read(out / "recordings"), arrays.read_all(out / "features")
        [self.counts] = rows.read(out / "counts")


def of(folder, params, files):
    out = folder / "out"
    out.mkdir(exist_ok=True)
    make(params, files, out)
    return Made(out)


def changed(name, change):
    """Make a change of one part of a file: a coordinate's values, or the data."""

    def change_it(parts):
        if name == "data":
            parts["data"] = change(parts["data"].copy())
        else:
            parts[name] = (parts[name][0], change(np.array(parts[name][1])))

    return change_it


def put(at, value):
    def change(values):
        values = values.astype(object) if isinstance(value, str) else values
        values[at] = value
        return values

    return change


@pytest.mark.parametrize("engine", ["h5netcdf", "scipy"])
@pytest.mark.parametrize("dataset", ["pereira", "fedorenko", "blank"])
def test_every_value_comes_to_its_row_and_unit(tmp_path, dataset, engine):
    params = PART if dataset == "pereira" else {"dataset": dataset}
    made, wanted = of(tmp_path, params, write_neural_nlp(tmp_path, dataset, engine=engine)), recorded(dataset)
    assert made.values.dtype == np.float32 and np.array_equal(made.values, wanted.values, equal_nan=True)
    assert layout(dataset, made.stimuli) == LAYOUTS[dataset]()
    assert [row["text"] for row in made.stimuli] == wanted.said
    assert [unit["participant"] for unit in made.units] == wanted.readers
    assert [unit["network"] for unit in made.units] == wanted.networks
    assert made.counts["file"] == {"h5netcdf": "netCDF-4", "scipy": "netCDF classic"}[engine]


def test_a_voxel_has_its_place_and_a_name_of_its_own_in_each_network(tmp_path):
    made = of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira"))
    assert made.units[12] == {"id": "215.84.DMN", "participant": "215", "network": "DMN", "place": [25, 2, 1]}
    assert made.counts["placed"] == 100


def test_a_voxel_of_two_networks_is_a_unit_of_each(tmp_path):
    def twice(parts):
        parts["neuroid_id"][1][10] = parts["neuroid_id"][1][0]

    made = of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira", change=twice))
    assert [made.units[at]["id"] for at in (0, 10)] == ["018.0.language", "018.0.DMN"]


def test_a_place_outside_the_grid_is_none(tmp_path):
    change = changed("col_to_coord_2", lambda values: np.array([0.5, 96.0, np.nan, *values[3:]]))
    made = of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira", change=change))
    assert ["place" in unit for unit in made.units[:5]] == [False, False, False, True, True]
    assert made.counts["placed"] == 97


@pytest.mark.parametrize(("experiment", "count"), [("384", 90), ("243", 60)])
def test_one_experiment_has_the_units_that_did_it_and_all_rows(tmp_path, experiment, count):
    made = of(tmp_path, {**PART, "experiment": experiment, "units": count}, write_neural_nlp(tmp_path, "pereira"))
    own = np.array([row["experiment"] == experiment for row in made.stimuli])
    assert made.values.shape == (627, count) and np.isfinite(made.values[own]).all()
    assert np.isnan(made.values[~own]).all()
    assert {unit["participant"] for unit in made.units} == {*EXPERIMENTS[experiment]}


def test_counts_tell_units_by_participant_network_and_experiment(tmp_path):
    counts = of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira")).counts
    assert counts["rows"] == 627 and counts["units"] == 100 and counts["layout"] == "pereira"
    assert counts["networks"] == dict.fromkeys(["language", "DMN", "MD", "visual", "auditory"], 20)
    assert counts["participants"]["343"] == 10 and counts["experiments"] == {"243": 60, "384": 90}
    assert counts["degenerate"] == 0


def test_units_that_never_change_are_kept_and_counted(tmp_path):
    flat = changed("data", lambda data: np.where(np.arange(data.shape[1]) < 3, data * 0 + 1.5, data))
    made = of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira", change=flat))
    assert made.counts["degenerate"] == 3 and made.values.shape == (627, 100)


def test_features_are_read_beside_and_may_be_none(tmp_path):
    files = write_neural_nlp(tmp_path, "pereira")
    assert np.array_equal(of(tmp_path, PART, files).features["WORD"], recorded("pereira").features["WORD"])
    del files["word"]
    assert of(tmp_path, PART, files).features == {}


@pytest.mark.parametrize("encoding", [{"chunksizes": (100, 7)}, {"chunksizes": (1, 125), "zlib": True}])
def test_chunks_are_read_whole_in_any_shape(tmp_path, encoding, monkeypatch):
    monkeypatch.setattr("harness.studies.brain.data.netcdf.TILE", 8000)
    made = of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira", encoding=encoding))
    assert np.array_equal(made.values, recorded("pereira").values, equal_nan=True)


def test_texts_may_have_a_fixed_width(tmp_path):
    fixed = changed("subject", lambda values: values.astype("S3"))
    made = of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira", change=fixed))
    assert [unit["participant"] for unit in made.units] == recorded("pereira").readers


def test_a_number_that_stands_for_no_value_is_none(tmp_path):
    import h5py

    files = write_neural_nlp(tmp_path, "pereira", change=changed("data", lambda data: np.nan_to_num(data, nan=-9.0)))
    with h5py.File(files["assembly"], "a") as file:
        file["data"].attrs["_FillValue"] = np.array([-9.0])
    assert np.array_equal(of(tmp_path, PART, files).values, recorded("pereira").values, equal_nan=True)


def test_a_unit_whose_first_row_is_nan_did_not_do_the_experiment(tmp_path):
    first = int(source_order()[243])  # of EXP1
    made = of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira", change=changed("data", put((first, 4), np.nan))))
    assert np.isnan(made.values[243:, 4]).all() and np.isfinite(made.values[:243, 4]).all()
    assert made.counts["dropped_for_first_row"] == 1 and made.counts["experiments"]["384"] == 89


@pytest.mark.parametrize("value", [np.nan, 1e39])
def test_any_other_value_that_is_none_names_unit_and_row(tmp_path, value):
    row = int(source_order()[300])
    files = write_neural_nlp(tmp_path, "pereira", change=changed("data", put((row, 0), value)))
    with pytest.raises(InputError, match=f"'018.0.language' has the value .* at '{pereira().ids[300]}'"):
        of(tmp_path, PART, files)


PASSAGE = "passage_index"
WRONG = [
    ("experiment", put(0, "243sentences"), "row .* of the study is '243sentences' there, and '384sentences' here"),
    (PASSAGE, put(0, 99), "of the study is"),
    (PASSAGE, lambda values: values * 0, "of the study is 'of 243-"),
    ("passage_category", put(0, "other"), "of the study is"),
    ("stimulus_num", lambda values: -values, "of the study is '-.* there, and 'above"),
    ("atlas_selection_lower", lambda values: values.astype(str), "no numbers"),
    ("atlas", put(0, "cerebellum"), "is of the network 'cerebellum'"),
    ("subject", put(0, "019"), "is said to be of '019'"),
    ("neuroid_id", put(50, "018.0"), "the unit 018.0.language stands twice"),
    ("data", lambda data: data * np.where(np.arange(data.shape[1]) == 3, np.nan, 1), "has no value in any row"),
]


@pytest.mark.parametrize(("name", "change", "what"), WRONG)
def test_a_part_of_pereira_that_is_wrong_is_named(tmp_path, name, change, what):
    with pytest.raises(InputError, match=what):
        of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira", change=changed(name, change)))


@pytest.mark.parametrize(
    ("old", "what"), [("199", "participant '199' has no unit in 384"), ("018", "'777' is none of")]
)
def test_participants_are_those_who_are_listed(tmp_path, old, what):
    def renamed(parts):
        new = "343" if old == "199" else "777"
        subjects = [
            new if name == old and at > 20 * (new == "777") else name for at, name in enumerate(parts["subject"][1])
        ]
        parts["subject"] = ("neuroid", subjects)
        parts["neuroid_id"] = ("neuroid", [f"{name}.{at}" for at, name in enumerate(subjects)])

    with pytest.raises(InputError, match=what) as bad:
        of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira", change=renamed))
    assert "brainio-language" in bad.value.next


def test_a_participant_of_the_other_experiment_is_refused(tmp_path):
    with pytest.raises(InputError, match="participant '199' is none of 243"):
        of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira", change=changed("data", np.nan_to_num)))


def test_another_number_of_units_is_refused_with_what_to_say(tmp_path):
    with pytest.raises(InputError, match="it has 100 units, 103,900 are expected") as bad:
        of(tmp_path, {"dataset": "pereira"}, write_neural_nlp(tmp_path, "pereira"))
    assert "Pereira2018.nc" in bad.value.next and "`units: 100`" in bad.value.next


def test_the_older_assembly_of_pereira_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(OLDER, 100, OLDER[49_760])
    with pytest.raises(InputError, match="an older assembly, of the participants who did both"):
        of(tmp_path, PART, write_neural_nlp(tmp_path, "pereira"))


@pytest.mark.parametrize(
    ("counts", "what"),
    [
        ((47, 9, 9, 15, 18), "version 1 or 2"),
        ((49, 8, 10, 16, 19, 3), "version 4, of six participants"),
        ((25, 31, 14, 19, 16), "outside language"),
        ((46, 9, 9, 15, 18), "its participants have 46, 9, 9, 15, 18 units, published are 47, 8, 9, 15, 18"),
    ],
)
def test_another_edition_of_fedorenko_is_named(tmp_path, counts, what):
    def edition(parts):
        parts["subject_UID"] = ("neuroid", [at + 1 for at, count in enumerate(counts) for _ in range(count)])

    said = {} if sum(counts) == 97 else {"units": sum(counts)}
    files = write_neural_nlp(tmp_path, "fedorenko", units=sum(counts), change=edition)
    with pytest.raises(InputError, match=what):
        of(tmp_path, {"dataset": "fedorenko", **said}, files)


def test_words_of_other_sentences_are_refused(tmp_path):
    with pytest.raises(InputError, match="row 9 of the study is 'other' there") as bad:
        of(
            tmp_path,
            {"dataset": "fedorenko"},
            write_neural_nlp(tmp_path, "fedorenko", change=changed("word", put(9, "other"))),
        )
    assert bad.value.where == "word"


def test_scans_of_another_story_are_refused(tmp_path):
    files = write_neural_nlp(tmp_path, "blank", change=changed("story", put(143, "Aqua")))
    with pytest.raises(InputError, match="row 143 of the study is 'Aqua' there, and 'Boar' here"):
        of(tmp_path, {"dataset": "blank"}, files)


def test_blank_has_twelve_regions_of_five_participants(tmp_path):
    files = write_neural_nlp(
        tmp_path, "blank", change=changed("subject_UID", lambda names: np.where(names == "061", "090", names))
    )
    with pytest.raises(InputError, match="stands twice"):
        of(tmp_path, {"dataset": "blank"}, files)
    four = write_neural_nlp(tmp_path, "blank", change=lambda parts: {
        name: part[:, 12:] if name == "data" else (part[0], part[1][12:] if part[0] == "neuroid" else part[1])
        for name, part in parts.items()
    })  # fmt: skip
    with pytest.raises(InputError, match="it has 48 units, 60 are expected"):
        of(tmp_path, {"dataset": "blank"}, four)


@pytest.mark.parametrize("name", ["experiment", "atlas", "filter_strategy"])
def test_a_coordinate_that_is_lacking_is_named(tmp_path, name):
    files = write_neural_nlp(tmp_path, "pereira", change=lambda parts: {k: v for k, v in parts.items() if k != name})
    with pytest.raises(InputError, match=f"there is no coordinate `{name}`"):
        of(tmp_path, PART, files)


def test_files_that_are_missing_or_read_by_nobody_are_named(tmp_path):
    files = write_neural_nlp(tmp_path, "pereira")
    with pytest.raises(InputError, match="pereira needs `order`"):
        of(tmp_path, PART, {name: path for name, path in files.items() if name != "order"})
    with pytest.raises(InputError, match="pereira needs `sentences_243`"):
        of(tmp_path, PART, {name: path for name, path in files.items() if name != "sentences"})
    with pytest.raises(InputError, match="nobody reads `order` here"):
        of(tmp_path, {"dataset": "blank"}, files)
    with pytest.raises(InputError, match="blank has no experiments"):
        of(tmp_path, {"dataset": "blank", "experiment": "384"}, write_neural_nlp(tmp_path, "blank"))


def test_another_order_is_another_file(tmp_path):
    files = write_neural_nlp(tmp_path, "pereira")
    order = np.load(files["order"])
    order[[5, 6]] = order[[6, 5]]
    np.save(files["order"], order)
    with pytest.raises(InputError, match="of the study is"):
        of(tmp_path, PART, files)


def test_sentences_may_be_those_that_were_published(tmp_path):
    files = {**write_neural_nlp(tmp_path, "pereira"), **pereira_files(tmp_path)}
    del files["sentences"]
    made = of(tmp_path, PART, files)
    assert [row["text"] for row in made.stimuli] == [f"The {name}." for name in pereira().ids]
    assert np.array_equal(made.features["GLOVE"][:, 0], np.arange(627))


def test_a_large_file_is_read_in_seconds_and_in_little_memory(tmp_path):
    import resource
    import time

    files = write_neural_nlp(tmp_path, "pereira", units=10_000)
    before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    made = of(tmp_path, {**PART, "units": 10_000}, files)
    assert made.values.shape == (627, 10_000) and soon(time.process_time() - begun, 10)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 250 * 1024
