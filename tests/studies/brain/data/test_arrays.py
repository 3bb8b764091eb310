"""Published features: every vector comes to its own row, and what is no table of finite numbers is refused."""

import numpy as np
import pytest
from support_brain_data import made, pereira_files, written

from harness import arrays
from harness.errors import InputError
from harness.studies.brain.data.arrays import make
from harness.studies.brain.structure.pereira import pereira


@pytest.fixture
def files(tmp_path):
    found = pereira_files(tmp_path)
    return {name: found[name] for name in ("glove_243", "glove_384", "order")}


def of(files, out, **params):
    counts = made(make, params, files, out / "out")[1]
    return arrays.read_all(out / "out" / "features"), counts


def saved(path, array):
    np.save(path, array)
    return path.with_suffix(".npy")


def test_each_vector_of_two_files_comes_to_its_row(files, tmp_path):
    found, counts = of(files, tmp_path)
    assert found["GLOVE"].dtype == np.float32 and np.array_equal(found["GLOVE"][:, 0], np.arange(627))
    assert np.allclose(found["GLOVE"][:, 1:], [0.5, -0.001]) and counts == {
        "features pereira": {"rows": 627, "GLOVE": 3}
    }


def test_one_experiment_may_be_wanted_alone(files, tmp_path):
    found, _ = of(files, tmp_path, experiment="243")
    assert np.array_equal(found["GLOVE"][:, 0], np.arange(243))
    assert len(pereira("243").ids) == 243


@pytest.mark.parametrize("kind", ["<f2", ">f8", "<i4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_features_of_the_study_are_taken_row_by_row(tmp_path, kind, order):
    wanted = np.arange(627 * 3).reshape(627, 3) % 1000
    found, _ = of({"word": saved(tmp_path / "w", np.asarray(wanted, kind, order))}, tmp_path)
    assert found["WORD"].dtype == np.float32 and np.array_equal(found["WORD"], wanted)


def test_an_archive_of_a_person_has_one_array_or_that_of_layer1(tmp_path):
    wanted = np.ones((627, 2), np.float32)
    np.savez(tmp_path / "one.npz", anything=wanted)
    np.savez(tmp_path / "two.npz", layer1=wanted * 2, other=np.zeros(3))
    np.savez(tmp_path / "bad.npz", a=wanted, b=wanted)
    found, counts = of({"sense": tmp_path / "one.npz", "synt": tmp_path / "two.npz"}, tmp_path)
    assert (found["SENSE"] == 1).all() and (found["SYNT"] == 2).all() and counts["features pereira"]["SYNT"] == 2
    with pytest.raises(InputError, match="2 arrays, none is `layer1`"):
        of({"synt": tmp_path / "bad.npz"}, tmp_path)


@pytest.mark.parametrize(
    ("array", "what"),
    [
        (np.ones((384, 2)), "it has 384 rows, the study has 627"),
        (np.ones(627), r"it is float64 \[627\]"),
        (np.ones((627, 0)), r"it is float64 \[627, 0\]"),
        (np.full((627, 2), "a"), "it is <U1"),
        (np.where(np.eye(627, 3) > 0, np.nan, 1.0)[:, ::-1], "column 0 has values that are not finite, and 2 more"),
        (np.full((627, 1), 1e300), "column 0 has values that are not finite"),
    ],
)
def test_what_is_no_table_of_the_study_is_refused(tmp_path, array, what):
    with pytest.raises(InputError, match=what) as bad:
        of({"word": saved(tmp_path / "w", array)}, tmp_path)
    assert bad.value.where == "word"


@pytest.mark.parametrize("line", ["1 2", "1 2 nan", "1 2 1e99", "1 2 x", ""])
def test_a_line_that_is_no_vector_is_named(files, tmp_path, line):
    lines = files["glove_243"].read_text().splitlines()
    lines[6] = line
    with pytest.raises(InputError, match="no vector of finite numbers") as bad:
        of({**files, "glove_243": written(tmp_path, "x", lines)}, tmp_path)
    assert bad.value.where == "glove_243: line 7"


def test_files_that_do_not_belong_together_are_refused(files, tmp_path):
    with pytest.raises(InputError, match="it has 243 vectors, the study has 384"):
        of({**files, "glove_384": files["glove_243"]}, tmp_path)
    with pytest.raises(InputError, match="two lengths"):
        of({**files, "glove_243": written(tmp_path, "x", ["1 2"] * 243)}, tmp_path)
    with pytest.raises(InputError, match="GloVe needs `order`"):
        of({name: path for name, path in files.items() if name != "order"}, tmp_path)
    with pytest.raises(InputError, match="there is no vector"):
        of({**files, "glove_243": written(tmp_path, "x", [])}, tmp_path)
    with pytest.raises(InputError, match="no file of features"):
        of({}, tmp_path)
