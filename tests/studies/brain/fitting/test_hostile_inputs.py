"""What may be wrong with the data of a fit is named: a unit, a band, a layer's rows; never a silent wrong number."""

from __future__ import annotations

import numpy as np
import pytest
from studies.brain.fitting.small_fit import SmallData, run

from harness import arrays, rows
from harness.errors import InputError
from harness.kit.progress import split_progress


@pytest.fixture
def data() -> SmallData:
    return SmallData()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_a_value_that_cannot_be_scored_is_named_with_its_unit(data, tmp_path, value):
    data.recordings[data.first + 5, 2] = value
    with pytest.raises(InputError, match=r"unit '018\.2'") as bad:
        run(data, tmp_path)
    assert data.layout.ids[data.first + 5] in str(bad.value)


def test_what_is_too_large_for_float32_is_refused_not_made_infinite(data, tmp_path):
    data.recordings[data.first, 1] = 1e300
    with pytest.raises(InputError, match=r"unit '018\.1'"):
        run(data, tmp_path, dtype="float32")


def test_a_value_of_another_experiment_matters_to_nobody(data, tmp_path):
    plain = run(data, tmp_path / "a")
    data.recordings[: data.first] = np.inf
    assert np.array_equal(run(data, tmp_path / "b")["A.mse"], plain["A.mse"])


def test_recordings_in_which_nobody_took_part_are_refused(data, tmp_path):
    data.recordings[data.first :] = np.nan
    with pytest.raises(InputError, match="no unit was recorded"):
        run(data, tmp_path)


@pytest.mark.parametrize("shape", ["a row too few", "one axis", "booleans"])
def test_recordings_of_another_shape_are_refused(data, tmp_path, shape):
    whole = data.recordings
    data.recordings = {"a row too few": whole[:-1], "one axis": whole[:, :1], "booleans": whole > 0}[shape]
    if shape == "one axis":
        data.recordings = np.hstack([data.recordings[:, 0], [1.0]])[:, None][:, :0]
    with pytest.raises(InputError, match="the recordings are"):
        run(data, tmp_path)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_that_are_not_finite_are_named(data, tmp_path, value):
    data.features["B"][data.first + 3, 7] = value
    with pytest.raises(InputError, match="not finite") as bad:
        run(data, tmp_path, models=["A+B"], iterations=3)
    assert "B" in bad.value.where


def test_an_unknown_band_is_named(data, tmp_path):
    with pytest.raises(InputError, match="'LLM'"):
        run(data, tmp_path, models=["LLM"])


def test_both_experiments_at_once_are_refused(data, tmp_path):
    with pytest.raises(InputError, match="both experiments"):
        run(data, tmp_path, experiment="")


def test_rows_that_make_one_fold_are_refused(data, tmp_path):
    with pytest.raises(InputError, match="2 folds"):
        few = SmallData()
        few.layout = few.layout.only("243")
        kept = [row for row, label in enumerate(few.layout.labels) if "-0-" in label]
        for name in ("ids", "labels", "blocks", "positions", "experiments"):
            object.__setattr__(few.layout, name, tuple(getattr(few.layout, name)[row] for row in kept))
        few.recordings = few.recordings[: len(kept)]
        few.features = {name: array[: len(kept)] for name, array in few.features.items()}
        run(few, tmp_path, experiment="243")


def test_constant_columns_and_more_bands_than_rows_are_fitted(data, tmp_path):
    count = len(data.layout.ids)
    data.features = {f"F{number}": np.full((count, 2), number) for number in range(40)}
    data.features["A"] = SmallData().features["A"].astype(np.float16)
    name = "+".join(data.features)
    found = run(data, tmp_path, models=[name, "F0"], generation="H", iterations=3)
    assert np.isfinite(found[f"{name}.mse"]).all()
    np.testing.assert_allclose(found["F0.mse"], found["intercept.mse"])


def text_model(data: SmallData, place, lines, layer=None):
    """Lay down an index and a layer whose rows are the array A's, moved as the lines are."""
    place.mkdir(exist_ok=True)
    rows.write(place / "index", lines)
    where = {name: row for row, name in enumerate(data.layout.ids)}
    usual = [data.features["A"][where[line["id"]]] for line in lines if line["id"] in where]
    arrays.write(place / "layer", np.array(usual if layer is None else layer, np.float32))
    return {"mini.vectors": place / "index", "mini.layer-03.npy": place / "layer"}


def test_a_layers_rows_are_found_by_their_ids(data, tmp_path):
    order = np.random.default_rng(0).permutation(len(data.layout.ids))
    data.features["A"] = data.features["A"].astype(np.float32).astype(np.float64)
    more = text_model(data, tmp_path / "text", [{"id": data.layout.ids[row], "tokens": 2} for row in order])
    found = run(data, tmp_path / "run", more, models=["A", "mini@3"], text_models={"mini": [3]})
    np.testing.assert_allclose(found["mini@3.mse"], found["A.mse"], rtol=1e-6)


@pytest.mark.parametrize("wrong", ["missing", "twice"])
def test_a_layer_that_lacks_a_row_or_has_it_twice_is_refused(data, tmp_path, wrong):
    lines = [{"id": name} for name in data.layout.ids]
    lines = lines[:-1] if wrong == "missing" else [*lines, lines[20]]
    more = text_model(data, tmp_path / "text", lines)
    with pytest.raises(InputError, match="missing" if wrong == "missing" else "stands twice") as bad:
        run(data, tmp_path / "run", more, models=["mini@3"], text_models={"mini": [3]})
    assert bad.value.where == "mini.vectors"


def test_a_layer_of_another_extraction_is_refused(data, tmp_path):
    more = text_model(data, tmp_path / "text", [{"id": name} for name in data.layout.ids], np.ones((5, 2)))
    with pytest.raises(InputError, match=r"its index has 48 lines"):
        run(data, tmp_path / "run", more, models=["mini@3"], text_models={"mini": [3]})


def test_of_a_text_read_by_words_the_place_in_the_block_picks(data, tmp_path):
    of = data.layout
    data.features["A"] = data.features["A"].astype(np.float32).astype(np.float64)
    order = np.random.default_rng(1).permutation(len(of.ids))
    lines = [{"id": of.blocks[row], "word": of.positions[row]} for row in order]
    more = text_model(data, tmp_path / "text", lines, data.features["A"][order])
    found = run(data, tmp_path / "run", more, models=["A", "mini@3"], text_models={"mini": [3]})
    np.testing.assert_allclose(found["mini@3.mse"], found["A.mse"], rtol=1e-6)


def test_a_fit_tells_how_many_models_and_folds_are_done(data, tmp_path, capsys):
    run(data, tmp_path, models=["A", "B"])
    told = [split_progress(f"{line}\n".encode())[0] for line in capsys.readouterr().out.splitlines()]
    assert [(one.done, one.what) for one in told] == [(done, "fits") for done in range(1, told[0].total + 1)]
    assert told[0].total % 2 == 0 and told[0].total > 2  # two models in each of the folds
