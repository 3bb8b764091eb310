"""Folds: by parsed labels, sizes kept by shuffles, and the shuffles those of the published pipeline.

The expectation of a shuffle comes from NumPy's global legacy generator, seeded and used in place as the published code
does; that of a whole run from the golden scores of the published pipeline, reached with a ridge written out here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from golden.files import arrays
from support import FIXTURES
from support_cases import each_of

from harness.errors import InputError
from harness.studies.brain.structure.folds import outer_folds
from harness.studies.brain.structure.others import blank, fedorenko
from harness.studies.brain.structure.pereira import designed, parse_label, pereira

PIPELINE = FIXTURES / "brain" / "pipeline_single_space.npz"
ALL = [pereira("384"), pereira("243"), fedorenko(), blank()]
SPLITS = ("contiguous", "shuffled")


def shuffled(parts, seed=42):
    """Shuffle lists in place, one after the other, with the global generator, and leave that as it was."""
    before = np.random.get_state()
    try:
        np.random.seed(seed)
        for part in parts:
            np.random.shuffle(part)
    finally:
        np.random.set_state(before)
    return parts


@each_of("split", SPLITS)
@each_of("layout", ALL)
def test_each_row_is_tested_once_and_validates_once_in_each_other_fold(layout, split):
    rows = [*range(len(layout.ids))]
    folds = outer_folds(layout, split)
    assert sorted(row for fold in folds for row in fold.test) == rows
    for fold in folds:
        assert sorted(fold.test + fold.train) == rows
        assert sorted(place for inner in fold.inner for place in inner) == [*range(len(fold.train))]


@pytest.mark.parametrize("layout", ALL, ids=lambda layout: f"{layout.dataset}{len(layout.ids)}")
def test_a_shuffle_keeps_every_size(layout):
    def sizes(split):
        return [(fold.about, len(fold.test), [*map(len, fold.inner)]) for fold in outer_folds(layout, split)]

    assert sizes("contiguous") == sizes("shuffled")


def test_pereiras_folds_are_passages_of_half_the_categories():
    layout = pereira("243")
    folds = outer_folds(layout)
    assert [len(fold.test) for fold in folds] == [47, 46, 39, 37, 36, 38]
    for fold in folds:
        labels = {parse_label(layout.labels[row]) for row in fold.test}
        assert {(label.passage, label.half) for label in labels} == {(fold.about["passage"], fold.about["half"])}
        assert len({label.category for label in labels}) == 12


def test_inner_folds_hold_whole_passages_and_are_of_the_other_names():
    layout = pereira("384")
    folds = outer_folds(layout)
    for fold in folds:
        inner = [{layout.labels[fold.train[place]].split("-", 2)[2][-4:] for place in rows} for rows in fold.inner]
        others = [f"{o.about['passage']}-{o.about['half']}" for o in folds if o is not fold]
        assert [sorted(names) for names in inner] == [[name] for name in others]


@each_of("seed", [0, 42, 7])
@each_of("experiment", ["384", "243"])
def test_pereiras_384_labels_are_shuffled_before_the_243(experiment, seed):
    labels = {name: list(pereira(name).labels) for name in ("384", "243")}
    shuffled([labels["384"], labels["243"]], seed)
    expected = [
        [row for row, label in enumerate(labels[experiment]) if f"-{passage}-{half}" in label]
        for passage in range(4 if experiment == "384" else 3)
        for half in ("fh", "sh")
    ]
    found = outer_folds(pereira(experiment), "shuffled", seed)
    assert [[*fold.test] for fold in found] == expected
    for fold in found:
        train = [labels[experiment][row] for row in fold.train]
        validated = [{parse_label(train[place])[2:] for place in rows} for rows in fold.inner]
        assert all(len(names) == 1 for names in validated)


def test_a_part_of_a_smaller_design_follows_as_many_rows_as_were_there():
    lengths = {name: {"a": [3, 3, 3], "b": [3, 3, 3]} for name in ("384", "243")}
    whole = designed(lengths)
    _, second = shuffled([list(whole.only(name).labels) for name in ("384", "243")])
    found = outer_folds(whole.only("243"), "shuffled")
    assert [*found[0].test] == [row for row, label in enumerate(second) if label.endswith("-0-fh")]
    alone = outer_folds(designed({"243": lengths["243"]}), "shuffled")
    assert alone != found  # nobody says how many rows the other part had, so it is taken for 384


def test_fedorenkos_rows_are_used_in_the_shuffled_order():
    [order] = shuffled([list(range(416))], 3)
    for number, fold in enumerate(outer_folds(fedorenko(), "shuffled", 3)):
        assert [*fold.test] == order[32 * number : 32 * (number + 1)]
        assert [*fold.train] == order[: 32 * number] + order[32 * (number + 1) :]
        assert fold.inner[1] == tuple(range(48, 96))


@pytest.mark.parametrize(("inner_rows", "folds"), [(48, 8), (32, 12)])
def test_fedorenkos_inner_folds_have_the_rows_that_are_asked(inner_rows, folds):
    for fold in outer_folds(fedorenko(), inner_rows=inner_rows):
        assert [*map(len, fold.inner)] == [inner_rows] * folds


def test_blanks_folds_are_stories_by_sorted_name_and_shuffled_labels():
    layout = blank({"b": 5, "c": 7, "a": 6})
    assert [fold.about["story"] for fold in outer_folds(layout)] == ["a", "b", "c"]
    [labels] = shuffled([list(layout.labels)])
    for fold in outer_folds(layout, "shuffled"):
        assert [labels[row] for row in fold.test] == [fold.about["story"]] * len(fold.test)
        inner = [{labels[fold.train[place]] for place in rows} for rows in fold.inner]
        assert inner == [{story} for story in "abc" if story != fold.about["story"]]


def test_the_order_of_rows_changes_no_fold_of_labels():
    layout = pereira("384")
    turned = replace(
        layout,
        **{name: getattr(layout, name)[::-1] for name in ("ids", "labels", "blocks", "positions", "experiments")},
    )
    for fold, other in zip(outer_folds(layout), outer_folds(turned), strict=True):
        assert {layout.ids[row] for row in fold.test} == {turned.ids[row] for row in other.test}


def test_a_design_of_one_half_skips_the_empty_folds():
    found = outer_folds(designed({"384": {"a": [3, 4, 5]}}))
    assert [fold.about for fold in found] == [{"passage": number, "half": "fh"} for number in range(3)]
    assert [len(fold.inner) for fold in found] == [2, 2, 2]


@pytest.mark.parametrize(
    "layout",
    [
        designed({"384": {"a": [4]}}),
        designed({"384": {"a": [4, 4]}}),
        blank({"a": 9, "b": 9}),
        fedorenko(8),
        fedorenko(4),
    ],
    ids=["one passage", "two passages", "two stories", "eight sentences", "four sentences"],
)
def test_too_few_rows_for_nested_folds_are_refused(layout):
    with pytest.raises(InputError, match=r"fewer than 3|inner folds of 48"):
        outer_folds(layout)


@pytest.mark.parametrize(
    ("layout", "asked", "told"),
    [
        (pereira(), {}, "rows of both experiments"),
        (blank(), {"split": "random"}, "no split is called 'random'"),
        (blank(), {"split": "shuffled", "seed": -1}, "the seed is -1"),
        (blank(), {"split": "shuffled", "seed": 2**32}, "the seed is"),
        (fedorenko(), {"inner_rows": 0}, "an inner fold has 0 rows"),
    ],
)
def test_what_makes_no_folds_is_refused_by_name(layout, asked, told):
    with pytest.raises(InputError, match=told):
        outer_folds(layout, **asked)


def test_shuffles_leave_the_global_generator_alone():
    before = dict(np.random.get_state(legacy=False))
    outer_folds(blank(), "shuffled")
    assert dict(np.random.get_state(legacy=False))["state"]["pos"] == before["state"]["pos"]


ALPHAS = 2.0 ** np.arange(-5, 20)


def ridge(features, targets, others):
    """Predict with each alpha: [alpha, row, target]."""
    centre, mean = features.mean(0), targets.mean(0)
    left, sizes, right = np.linalg.svd(features - centre, full_matrices=False)
    turned = left.T @ (targets - mean)
    shrunk = (sizes / (sizes**2 + ALPHAS[:, None]))[:, :, None] * turned
    return (others - centre) @ right.T @ shrunk + mean


def score(features, targets, folds):
    """Give out-of-sample R2, the alpha of each target chosen by the pooled one of the inner folds."""
    model, plain = np.zeros(targets.shape[1]), np.zeros(targets.shape[1])
    for train, test, inner in ((list(fold.train), list(fold.test), fold.inner) for fold in folds):
        spread = features[train].std(0)
        z, other = ((features[rows] - features[train].mean(0)) / spread for rows in (train, test))
        y, above, below = targets[train], np.zeros((len(ALPHAS), 1)), np.zeros(targets.shape[1])
        for rows in map(list, inner):
            rest = np.setdiff1d(np.arange(len(train)), rows)
            above = above + ((ridge(z[rest], y[rest], z[rows]) - y[rows]) ** 2).sum(1)
            below = below + ((y[rows] - y[rest].mean(0)) ** 2).sum(0)
        best = (1 - above / below).argmax(0)
        predicted = ridge(z, y, other)[best, :, np.arange(len(best))].T
        model = model + ((targets[test] - predicted) ** 2).sum(0)
        plain = plain + ((targets[test] - y.mean(0)) ** 2).sum(0)
    return 1 - model / plain


@pytest.mark.skipif(not PIPELINE.is_file(), reason="the fixtures do not lie beside this checkout")
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(("name", "layout"), [("pereira243", pereira("243")), ("fedorenko", fedorenko())])
def test_the_published_pipeline_scores_the_same_over_these_folds(name, layout, split):
    golden = arrays(PIPELINE)
    features, targets = (golden[f"{name}_{part}"].astype(float) for part in "Xy")
    found = score(features[: len(targets)], targets, outer_folds(layout, split))
    assert np.abs(found - golden[f"{name}_r2_{split}"]).max() < 1e-5


def test_blocks_of_a_shuffled_split_are_mixed():
    tested = outer_folds(blank(), "shuffled")[0].test
    assert len(Counter(blank().labels[row] for row in tested)) == 8
