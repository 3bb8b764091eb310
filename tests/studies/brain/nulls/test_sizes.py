"""The measured size of the tests on noise, and the words that it allows."""

import json

import numpy as np
import pytest
from studies.brain.measures import slow_tests as slow
from support_brain_structure import stimuli
from support_cases import each_of

from harness import rows
from harness.errors import InputError
from harness.studies.brain.nulls import null_fits, sizes
from harness.studies.brain.nulls.noise import generator, white
from harness.studies.brain.nulls.noise import slow as slow_noise
from harness.studies.brain.nulls.wording import wording
from harness.studies.brain.structure.folds import outer_folds
from harness.studies.brain.structure.layout import layout
from harness.studies.brain.structure.others import blank, fedorenko
from harness.studies.brain.structure.pereira import pereira

SMALL = sizes.NullDesign(3, 24, 20, 8)


@pytest.fixture(scope="module")
def demo():
    """The rows of 12 categories of one experiment."""
    whole = pereira("384")
    names = sorted({label.split("-")[1] for label in whole.labels})[:12]
    return layout("pereira", [row for row in stimuli(whole) if row["label"].split("-")[1] in names])


@pytest.fixture(scope="module")
def found(demo):
    return sizes.sizes(demo, SMALL)


def test_nested_tests_of_white_noise_stay_below_their_size(found):
    for split in ("contiguous", "shuffled"):
        for level in ("row", "block", "fold"):
            own = found[split]["exchangeable"]["nested"][level]
            assert own["raw"] < 0.05 and own["family"] <= 0.25
            assert (own["families"], own["units"]) == (24, 480)


def test_slow_noise_deceives_the_row_test_but_not_that_of_folds(found):
    own = found["contiguous"]["autocorrelated"]["equal"]
    assert own["row"]["raw"] > 0.15 and own["row"]["family"] > 0.8
    assert own["fold"]["raw"] < 0.08 and own["block"]["raw"] < own["row"]["raw"] / 2


def test_shuffled_splits_let_a_band_of_passage_noise_win_at_every_level(found):
    for level in ("row", "fold"):
        own = found["shuffled"]["autocorrelated"]["nested"][level]
        assert own["raw"] > 0.3 and own["family"] > 0.4
    assert found["contiguous"]["autocorrelated"]["nested"]["block"]["raw"] < 0.05


def test_equal_draws_give_equal_numbers_however_many_at_once(demo, found, monkeypatch):
    few = sizes.NullDesign(3, 5, 6, 4)
    whole = sizes.sizes(demo, few, ["contiguous"])
    monkeypatch.setattr(sizes, "AT_ONCE", 2)
    assert sizes.sizes(demo, few, ["contiguous"]) == whole
    assert sizes.sizes(demo, sizes.NullDesign(4, 5, 6, 4), ["contiguous"]) != whole


@pytest.mark.long
def test_errors_are_those_of_ridge_with_a_nested_choice(demo):
    source = generator(1, 0)
    bands = {"a": white(source, demo, 3)[None], "p": slow_noise(source, demo, 2)[None]}
    y = slow_noise(source, demo, 1)[None] + 0.5 * bands["a"][:, :, :1]
    models = {"a": (("a",),), "ap": (("a",), ("p",), ("a", "p"))}
    folds = outer_folds(demo, "shuffled")
    alphas = np.array([1.0, 30.0, 1000.0])
    errors = null_fits.squared_errors(bands, y, folds, models, alphas)
    for name, candidates in models.items():
        assert errors[name][0] == pytest.approx(by_kernels(bands, y[0], folds, candidates, alphas), abs=1e-9)
    mean = np.concatenate([[y[0][list(fold.train)].mean(axis=0)] * len(fold.test) for fold in folds])
    order = [row for fold in folds for row in fold.test]
    assert errors[""][0][order] == pytest.approx((y[0][order] - mean) ** 2)


def by_kernels(bands, y, folds, candidates, alphas):
    """The same by dual ridge, one target at a time."""
    errors = np.zeros(y.shape)
    for fold in folds:
        train, test = list(fold.train), list(fold.test)
        for unit in range(y.shape[1]):
            tried = []
            for subset in candidates:
                x = np.hstack([(bands[name][0] - bands[name][0][train].mean(0)) / bands[name][0][train].std(0)
                               for name in subset]) / np.sqrt(len(subset))  # fmt: skip
                for alpha in alphas:
                    inner = 0.0
                    for held in fold.inner:
                        rest = [row for place, row in enumerate(train) if place not in set(held)]
                        out = [train[place] for place in held]
                        inner += ((y[out, unit] - dual(x, y[:, unit], rest, out, alpha)) ** 2).sum()
                    tried.append((inner, len(tried), dual(x, y[:, unit], train, test, alpha)))
            errors[test, unit] = (y[test, unit] - min(tried, key=lambda one: one[:2])[2]) ** 2
    return errors


def dual(x, y, train, test, alpha):
    middle, mean = x[train].mean(0), y[train].mean()
    kernel = (x[train] - middle) @ (x[train] - middle).T
    weights = np.linalg.solve(kernel + alpha * np.eye(len(train)), y[train] - mean)
    return mean + (x[test] - middle) @ (x[train] - middle).T @ weights


@pytest.mark.parametrize(("rows_of", "step", "rho"), [(fedorenko(), 1, 0.6), (blank(), 1, 0.95)])
def test_slow_noise_of_words_and_scans_is_autoregressive(rows_of, step, rho):
    table = slow_noise(generator(5, 0), rows_of, 60)
    inside = [row for row, position in enumerate(rows_of.positions) if position]
    pairs = np.corrcoef(table[inside].ravel(), table[[row - step for row in inside]].ravel())
    assert pairs[0, 1] == pytest.approx(rho, abs=0.02)
    first = [row for row, position in enumerate(rows_of.positions) if not position]
    assert abs(np.corrcoef(table[first[1:]].ravel(), table[[row - 1 for row in first[1:]]].ravel())[0, 1]) < 0.15
    assert table.std() == pytest.approx(1, abs=0.1)


def test_slow_noise_is_constant_in_a_passage_but_for_a_quarter(demo):
    table = slow_noise(generator(5, 0), demo, 200)
    within = np.mean([table[[*held]].var(axis=0, ddof=1).mean() for held in demo.block_rows().values()])
    assert within / table.var() == pytest.approx(0.0625 / 1.0625, rel=0.05)


def test_shares_are_those_of_scipys_correction():
    p = np.random.default_rng(1).random((30, 12)) ** 2
    told = sizes._shares([p[:10], p[10:]])
    hits = [any(q < 0.05 for q in slow.corrected(one, [0] * 12)) for one in p.tolist()]
    assert told["raw"] == pytest.approx((p < 0.05).mean()) and told["family"] == sum(hits) / 30
    spread = (p < 0.05).mean(axis=1).std(ddof=1) / 30**0.5
    assert told["raw_error"] == pytest.approx(spread)
    assert sizes._shares([p[:1]])["raw_error"] is None


def test_the_document_has_each_dataset_and_simulates_equal_rows_once(tmp_path, demo, monkeypatch):
    (tmp_path / "stimuli").mkdir()
    for place in range(2):
        rows.write(tmp_path / "stimuli" / f"part-{place:05}", stimuli(demo))
    calls = []
    monkeypatch.setattr(sizes, "sizes", lambda own, design: calls.append(own) or {"units": design.units})
    about = [{"dataset": name, "layout": "pereira", "experiment": "384"} for name in ("one", "two")]
    params = {"datasets": about, "families": 3, "units": 7, "seed": 1}
    sizes.analyse(params, {"stimuli": tmp_path / "stimuli"}, tmp_path)
    assert json.loads((tmp_path / "sizes").read_text()) == {"one": {"units": 7}, "two": {"units": 7}}
    assert len(calls) == 1


@each_of(
    "wrong", [{"families": 0}, {"units": 20_000}, {"columns": -1}, {"alphas": ()}, {"alphas": ("0",)},
              {"alphas": ("nan",)}, {"alphas": ("-1",)}],
)  # fmt: skip
def test_designs_out_of_bounds_are_refused(wrong):
    with pytest.raises(InputError):
        sizes.NullDesign(**wrong)


def test_only_a_test_that_keeps_its_size_is_called_significant():
    told = "by the row test, whose size under an autocorrelated null is 22.9 % at nominal 5 %: no evidence"
    assert wording("row", 0.229) == told
    assert wording("fold", 0.033, null="exchangeable").endswith(
        "exchangeable null is 3.3 % at nominal 5 %: significant"
    )
    assert wording("fold", 0.0501).endswith("no evidence")
    assert wording("row", 0.01, nested=False).endswith("no evidence")
    for unknown in (None, float("nan")):
        assert wording("block", unknown) == "by the block test, whose size was not measured: no evidence"


@pytest.mark.long
def test_the_papers_rows_give_the_sizes_that_the_page_states():
    told = sizes.sizes(pereira("384"), sizes.NullDesign(1, 60), ["contiguous"])["contiguous"]
    assert told["exchangeable"]["nested"]["row"]["raw"] < 0.02
    assert told["exchangeable"]["equal"]["row"]["raw"] == pytest.approx(0.097, abs=0.025)
    assert told["autocorrelated"]["equal"]["row"]["raw"] == pytest.approx(0.229, abs=0.08)
    assert told["autocorrelated"]["equal"]["fold"]["raw"] < 0.06


@pytest.mark.long
def test_of_two_experiments_what_finds_more_stands_for_both(tmp_path):
    (tmp_path / "stimuli").mkdir()
    rows.write(tmp_path / "stimuli" / rows.part_name(0), stimuli(pereira()))
    found = {}
    for experiment in ("", "384", "243"):
        about = {"dataset": "d", "layout": "pereira", "experiment": experiment}
        params = {"datasets": [about], "families": 1, "units": 3, "columns": 2, "alphas": ["16"]}
        sizes.analyse(params, {"stimuli": tmp_path / "stimuli"}, tmp_path)
        told = json.loads((tmp_path / "sizes").read_bytes())["d"]["contiguous"]["autocorrelated"]["equal"]["row"]
        found[experiment] = told["raw"]
    assert found[""] == max(found["384"], found["243"])
