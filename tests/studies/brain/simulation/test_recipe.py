"""What a simulated world holds, against the recipe written out a second time."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from support_draws import drawn as some_of

from harness.errors import InputError
from harness.studies.brain.simulation.maker import simulated_layout
from harness.studies.brain.simulation.recipes import (
    RECIPES,
    WORLDS,
    FeatureScales,
    UnitWeights,
    table,
    weight_names,
    weights_for,
)
from harness.studies.brain.simulation.world import Array, SimulatedWorld, simulate
from harness.studies.brain.structure.folds import outer_folds
from harness.studies.brain.structure.layout import Layout
from harness.studies.brain.structure.others import blank, fedorenko
from harness.studies.brain.structure.pereira import pereira

SILENT = UnitWeights(**dict.fromkeys(weight_names(), 0.0))
SIGNAL = [True, True, False, True, True]


def z(columns: Array) -> Array:
    return (columns - columns.mean(axis=0)) / columns.std(axis=0)


def written_out(seed: int, units: int, slow: float, topic: float) -> dict[str, Array]:
    """The recipe of Pereira's 384 rows as the study's facts settle it, order of draws and all."""
    draw, rows = np.random.Generator(np.random.PCG64(seed)), 384
    passage = np.arange(rows) // 4
    length = z(draw.integers(5, 20, rows).astype(float)[:, None])
    word, context = draw.normal(size=(rows, 40)), draw.normal(size=(rows, 10))
    about = draw.normal(size=(24, 20))[passage // 4]
    within = draw.normal(size=(96, 60))[passage]
    place = np.eye(4)[np.arange(rows) % 4]
    model = 0.7 * z(place) @ draw.normal(size=(4, 300))
    model = model + 0.7 * length @ draw.normal(size=(1, 300)) + 0.8 * word @ draw.normal(size=(40, 300))
    model = model + 0.8 * context @ draw.normal(size=(10, 300)) + 0.3 * about @ draw.normal(size=(20, 300))
    model = (model + 0.35 * within @ draw.normal(size=(60, 300))) / 8 + 0.5 * draw.normal(size=(rows, 300))
    found = 2 + 0.25 * z(place @ draw.normal(size=(4, units))) + 0.25 * length
    found = found + 0.35 * z(word @ draw.normal(size=(40, units))) + 0.12 * z(context @ draw.normal(size=(10, units)))
    drift = draw.normal(size=(96, units))[passage] + 0.25 * draw.normal(size=(rows, units))
    subject = np.hstack([about, within]) @ draw.normal(size=(80, units))
    found = found + slow * z(drift) + topic * z(subject) + 0.8 * draw.normal(size=(rows, units))
    return {"recordings": found, "LLM": model, "WORD": word}


def drawn(layout: Layout, weights: UnitWeights, seed: int = 3, signal: list[bool] = SIGNAL) -> SimulatedWorld:
    return simulate(layout, weights, seed, signal)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("world", "slow", "topic"), some_of([("default", 0.9, 0.0), ("topic", 0.0, 0.9)], 1, 2))
def test_pereira_is_the_recipe_draw_for_draw(world: str, slow: float, topic: float) -> None:
    there = written_out(7, 6, slow, topic)
    found = drawn(pereira("384"), weights_for("pereira", world, {}), 7, [True] * 6)
    np.testing.assert_allclose(found.recordings, there["recordings"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.features["LLM"], there["LLM"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.features["WORD"], there["WORD"], rtol=0, atol=1e-6)


def test_arrays_are_of_single_precision_and_have_a_row_each() -> None:
    found = drawn(fedorenko(), UnitWeights())
    assert found.recordings.dtype == np.float32
    assert {name: (a.shape, str(a.dtype)) for name, a in found.features.items()} == {
        "WORD": ((416, 40), "float32"), "LLM": ((416, 300), "float32"), "LLMU": ((416, 300), "float32"),
        "NOISE": ((416, 300), "float32"),
    }  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "layout", some_of([pereira("243"), fedorenko(), blank()], 1, 3), ids=lambda layout: layout.dataset
)
def test_a_unit_without_signal_holds_noise_alone(layout: Layout) -> None:
    quiet = drawn(layout, replace(weights_for(layout.dataset, "default", {}), noise=0.0)).recordings
    assert (quiet[:, 2] == 2).all()
    assert (quiet[:, [0, 1, 3, 4]].std(axis=0) > 0.5).all()


@pytest.mark.parametrize("part", ["position", "length", "word", "context", "slow", "topic", "llm_only"])
def test_each_part_has_the_spread_of_its_weight(part: str) -> None:
    found = drawn(pereira("384"), replace(SILENT, **{part: 0.7})).recordings
    np.testing.assert_allclose(found[:, 0].mean(), 2, atol=1e-5)
    np.testing.assert_allclose(found[:, 0].std(), 0.7, rtol=1e-5)


def test_the_slow_part_is_shared_in_a_passage_and_by_no_two_units() -> None:
    found = drawn(pereira("384"), replace(SILENT, slow=1.0), signal=[True] * 200).recordings - 2
    blocks = found.reshape(96, 4, 200).astype(float)
    inside = (blocks[:, 0] * blocks[:, 1]).mean()
    assert inside == pytest.approx(1 / (1 + 0.25**2), abs=0.02)
    assert (blocks[:-1, 0] * blocks[1:, 0]).mean() == pytest.approx(0, abs=0.03)
    between = np.corrcoef(found.T) - np.eye(200)
    assert np.abs(between).max() < 0.45


@pytest.mark.parametrize(("layout", "rho"), [(fedorenko(), 0.6), (blank(), 0.95)], ids=["fedorenko", "blank"])
def test_elsewhere_the_slow_part_is_an_ar1_of_each_block(layout: Layout, rho: float) -> None:
    found = drawn(layout, replace(SILENT, slow=1.0), signal=[True] * 200).recordings.astype(float) - 2
    inside = [row for row in range(1, len(found)) if layout.blocks[row] == layout.blocks[row - 1]]
    borders = [row for row in range(1, len(found)) if row not in set(inside)]
    near = (found[1:] * found[:-1]).mean(axis=1)
    assert near[np.array(inside) - 1].mean() == pytest.approx(rho, abs=0.03)
    assert near[np.array(borders) - 1].mean() == pytest.approx(0, abs=0.1)


def test_fedorenko_rises_over_the_sentence_in_every_unit() -> None:
    found = drawn(fedorenko(), replace(SILENT, position=1.0), signal=[True] * 60).recordings
    rise = np.polyfit(np.arange(8), found.reshape(52, 8, 60).mean(axis=0), 1)[0]
    assert (rise > 0).all()
    assert np.ptp(found.reshape(52, 8, 60), axis=0).max() < 1e-5


def test_the_position_of_blank_saturates() -> None:
    found = drawn(blank({"a": 100, "b": 80}), replace(SILENT, position=1.0), signal=[True]).recordings[:100, 0]
    steps = np.abs(np.diff(found))
    assert steps[0] > 20 * steps[50]
    assert len({*np.sign(np.diff(found[:60]))}) == 1


def test_the_model_is_the_same_in_both_worlds() -> None:
    layout = pereira("384")
    one, other = (drawn(layout, weights_for("pereira", world, {})) for world in WORLDS)
    assert one.lengths == other.lengths
    assert all((one.features[name] == other.features[name]).all() for name in one.features)
    assert (one.recordings[:, 0] != other.recordings[:, 0]).any()


def test_the_planted_opposite_shifts_no_other_draw() -> None:
    layout, published = pereira("384"), UnitWeights()
    without, planted = drawn(layout, published), drawn(layout, replace(published, llm_only=0.5))
    assert all((without.features[name] == planted.features[name]).all() for name in ("WORD", "LLMU", "NOISE"))
    assert (without.recordings[:, 2] == planted.recordings[:, 2]).all()
    added = planted.recordings.astype(float) - without.recordings
    shared = z(np.linalg.svd(planted.features["LLM"].astype(float) - without.features["LLM"])[0][:, :10])
    kept = shared @ np.linalg.lstsq(shared, added[:, 0], rcond=None)[0]
    np.testing.assert_allclose(added[:, 0] - added[:, 0].mean(), kept - kept.mean(), atol=1e-4)


def test_the_untrained_model_knows_position_and_length_alone() -> None:
    layout = pereira("384")
    found = drawn(layout, UnitWeights(), signal=[True] * 2)
    known = z(np.column_stack([np.eye(4)[list(layout.positions)], found.lengths]))
    left = found.features["LLMU"] - known @ np.linalg.lstsq(known, found.features["LLMU"], rcond=None)[0]
    assert left.var() == pytest.approx(1.0, abs=0.03)
    assert np.abs(np.corrcoef(left.T, found.features["WORD"].T)[:300, 300:]).max() < 0.27


def test_fewer_categories_keep_their_own_numbers_of_vectors() -> None:
    layout = simulated_layout("pereira", cut={"categories": 4})
    found = drawn(layout, replace(SILENT, topic=1.0))
    assert found.recordings.shape == (64, 5)
    assert np.ptp(found.recordings.reshape(16, 4, 5), axis=1).max() < 1e-5
    assert [len(fold.test) for fold in outer_folds(layout)] == [8] * 8


def test_the_table_states_every_weight_and_scale() -> None:
    lines = {line[0]: line[1:] for line in table()}
    for world in WORLDS:
        for name in weight_names():
            there = [getattr(RECIPES[dataset].weights[world], name) for dataset in ("pereira", "fedorenko", "blank")]
            assert [float(text) for text in lines[f"weight of {name}, world {world}"]] == there
    assert all(f"LLM: {one.name}" in lines for one in fields(FeatureScales))
    assert {len(line) for line in table()} == {4}


@pytest.mark.parametrize("text", ["-0.1", "nan", "inf", "much", ""])
def test_a_weight_that_is_none_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(InputError) as refused:
        weights_for("pereira", "default", {"context": text})
    assert refused.value.where == "context"


def test_a_changed_weight_leaves_the_others_as_published() -> None:
    assert weights_for("blank", "topic", {"context": "0.6"}) == replace(
        RECIPES["blank"].weights["topic"], context=0.6
    )  # fmt: skip


def test_an_unknown_world_and_a_seed_below_0_are_refused() -> None:
    with pytest.raises(InputError, match="world"):
        weights_for("pereira", "real", {})
    with pytest.raises(InputError, match="seed"):
        drawn(pereira("384"), UnitWeights(), seed=-1)


def test_fedorenko_draws_a_length_and_uses_it_nowhere() -> None:
    found = drawn(fedorenko(), UnitWeights(), signal=[True] * 40)
    length = np.array(found.lengths) - np.mean(found.lengths)
    for array in found.features.values():
        assert np.abs(np.corrcoef(length, array.T)[0, 1:]).max() < 0.25
    place = np.eye(8)[np.tile(np.arange(8), 52)]
    kept = found.features["LLMU"] - place @ np.linalg.lstsq(place, found.features["LLMU"], rcond=None)[0]
    assert np.abs(kept.T @ length / np.linalg.norm(length)).mean() == pytest.approx(np.sqrt(2 / np.pi), abs=0.1)
