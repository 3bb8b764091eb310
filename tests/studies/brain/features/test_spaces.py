"""Feature spaces by name: cut to a layout's rows, joined, read from given arrays, and refused by name."""

from __future__ import annotations

import numpy as np
import pytest
from support import FIXTURES
from support_brain_structure import stimuli
from support_cases import each_of

from harness.errors import InputError
from harness.studies.brain.features.positional import oasm, word_positions
from harness.studies.brain.features.spaces import Features, bands_of
from harness.studies.brain.structure.layout import layout
from harness.studies.brain.structure.others import blank, fedorenko
from harness.studies.brain.structure.pereira import designed, pereira

WHOLE = designed({"243": {"a": [3, 2]}, "384": {"b": [4, 1]}})
TEXTS = ["One.", "Two words", "a well-known case", "b c d e", "f", "g", "h i", "j", "k l m", "n"]
ROWS = stimuli(WHOLE, TEXTS.__getitem__)
SENTENCES = FIXTURES.parent / "data" / "brain" / "stimuli" / "pereira_sentences_ordered.txt"


def given(name="LLM", array=None, rows=ROWS, whole=WHOLE):
    return Features(whole, rows, {name: np.arange(20.0).reshape(10, 2) if array is None else array})


def test_an_experiment_has_the_rows_of_matrices_made_over_both():
    part, whole = (Features(one, ROWS, {}) for one in (WHOLE.only("384"), WHOLE))
    for band in ("OASM@2.2", "SP", "SPs@1.0", "SL", "WP"):
        assert (part.matrix(band) == whole.matrix(band)[5:]).all()
    assert part.matrix("OASM@2.2").shape == (5, 10) and not part.matrix("OASM@2.2")[:, :5].any()
    assert np.abs(whole.matrix("OASM@2.2") - oasm(WHOLE.block_rows().values(), 2.2)).max() == 0


def test_passages_of_unequal_length_share_the_columns_of_the_longest():
    found = Features(WHOLE.only("243"), ROWS, {}).matrix("SP")
    assert found.tolist() == np.eye(4)[[0, 1, 2, 0, 1]].tolist()


def test_positions_are_smoothed_over_each_passages_own_length():
    found = Features(WHOLE, ROWS, {}).matrix("SPs@1.0")
    assert (found[:3, 3] == 0).all() and (found[3:5, 2:] == 0).all() and (found[5:9] > 0).all()
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-12
    assert (Features(WHOLE, ROWS, {}).matrix("SPs@0") == Features(WHOLE, ROWS, {}).matrix("SP")).all()


def test_sentences_are_counted_by_white_space_or_by_runs_of_letters():
    found = Features(WHOLE, ROWS, {})
    assert found.matrix("SL").ravel().tolist() == [1, 2, 3, 4, 1, 1, 2, 1, 3, 1]
    assert found.matrix("SLw").ravel().tolist() == [1, 2, 4, 4, 1, 1, 2, 1, 3, 1]


def test_a_number_of_words_that_is_given_is_not_counted():
    rows = stimuli(WHOLE, lambda row: "")
    for row in rows:
        row["words"] = 7
    assert Features(WHOLE, rows, {}).matrix("SL").ravel().tolist() == [7] * 10
    with pytest.raises(InputError, match="the sample has no words to count"):
        Features(WHOLE, rows, {}).matrix("SLw")


@pytest.mark.skipif(not SENTENCES.is_file(), reason="the published sentences are not here")
def test_the_two_counts_differ_in_18_sentences_of_the_first_experiment():
    lines = SENTENCES.read_text("utf-8").split("\n")
    found = Features(pereira("384"), stimuli(pereira(), lines.__getitem__), {})
    assert (found.matrix("SL") != found.matrix("SLw")).sum() == 18
    assert found.matrix("SP").shape == (384, 4) and found.matrix("OASM@2.2").shape == (384, 627)


def test_scans_may_have_no_words_but_not_all_of_them():
    whole = blank({"a": 3})
    found = Features(whole, stimuli(whole, ["x y", "", "z"].__getitem__), {})
    assert found.matrix("RATE").ravel().tolist() == [2, 0, 1]
    with pytest.raises(InputError, match="the samples have no words"):
        Features(whole, stimuli(whole, lambda row: ""), {}).matrix("RATE")
    with pytest.raises(InputError, match="the sample has no words to count") as told:
        found.matrix("SL")
    assert told.value.where == "a-001"


def test_words_have_a_number_a_position_and_characters():
    whole = fedorenko(2, 8)
    found = Features(whole, stimuli(whole, lambda row: "x" * (row + 1)), {})
    assert found.matrix("WN").ravel().tolist() == [*range(8), *range(8)]
    assert found.matrix("CHARS").ravel().tolist() == [*range(1, 17)]
    assert (found.matrix("WP") == word_positions([*range(8)] * 2, 8, 1.0)).all()
    assert (found.matrix("WP@4.7") == word_positions([*range(8)] * 2, 8, 4.7)).all()


def test_a_ramp_begins_anew_in_each_story():
    whole = blank({"a": 3, "b": 4})
    found = Features(whole, stimuli(whole), {}).matrix("RAMP@3")
    assert found.tolist() == [[0, 0], [1, 1], [1, 2], [0, 0], [1, 1], [1, 2], [1, 2]]


def test_spaces_of_one_band_stand_side_by_side():
    found = given().matrix("SP&LLM&SL")
    assert found.shape == (10, 7) and found.dtype == np.float64
    assert (found[:, 4:6] == np.arange(20).reshape(10, 2)).all()


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (np.float16, np.float32), (np.float32, np.float32), (np.asfortranarray, np.float64), (np.int16, np.float64),
        (lambda one: one > 5, np.float64),
    ],
)  # fmt: skip
def test_arrays_of_every_kind_keep_their_numbers_in_floats(make, kind):
    array = make(np.arange(20.0).reshape(10, 2))
    found = given("minilm@3", array, whole=WHOLE.only("384")).matrix("minilm@3")
    assert (found == np.asarray(array, np.float64)[5:]).all()
    assert found.flags.c_contiguous and found.dtype == kind


def test_a_constant_column_is_no_reason_to_refuse():
    assert (given(array=np.ones((10, 3))).matrix("LLM") == 1).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_value_that_is_not_finite_is_refused_by_its_space(bad):
    array = np.ones((10, 3))
    array[7, 1] = bad
    with pytest.raises(InputError, match="column 1 has values that are not finite") as told:
        given("WORD", array).matrix("SP&WORD")
    assert told.value.where == "WORD"
    assert given("WORD", array, whole=WHOLE.only("243")).matrix("WORD").shape == (5, 3)  # of rows that are used


@each_of(
    ("name", "array", "told"),
    [
        ("LLM", np.ones((9, 2)), "the array has 9 rows for 10 stimuli"),
        ("LLM", np.ones(10), r"the array is \[10\] of float64"),
        ("LLM", np.ones((10, 2, 2)), r"the array is \[10, 2, 2\]"),
        ("LLM", np.ones((10, 0)), r"the array is \[10, 0\]"),
        ("LLM", np.full((10, 2), "x"), "the array is"),
        ("SP", np.ones((10, 2)), "an array is called 'SP'"),
        ("OASM@2.2", np.ones((10, 2)), "an array is called 'OASM@2.2'"),
        ("A&B", np.ones((10, 2)), "an array is called 'A&B'"),
        ("A+B", np.ones((10, 2)), r"an array is called 'A\+B'"),
        ("", np.ones((10, 2)), "an array is called ''"),
    ],
)
def test_an_array_that_does_not_fit_is_refused_by_name(name, array, told):
    with pytest.raises(InputError, match=told):
        given(name, array)


@each_of("band", ["", "LLM&", "OASM", "OASM@", "OASM@-1", "OASM@1e3", "SPs", "RAMP@2.5", "GLOVE", "SP@1"])
def test_a_band_that_there_is_not_is_refused(band):
    with pytest.raises(InputError, match="no feature space is called") as told:
        given().matrix(band)
    assert "LLM" in told.value.next


def test_a_sigma_or_ramp_out_of_bounds_is_refused():
    for band in ("OASM@1001", "RAMP@1", "RAMP@20000"):
        with pytest.raises(InputError):
            given().matrix(band)


def test_stimuli_that_lack_a_row_of_the_layout_are_refused_by_it():
    with pytest.raises(InputError, match="the row '384-b-0-0', and 4 more is missing"):
        Features(WHOLE, ROWS[:5], {})


def test_stimuli_in_another_order_are_refused():
    with pytest.raises(InputError, match="stands after one that it precedes"):
        Features(WHOLE, [*ROWS[5:], *ROWS[:5]], {})


def test_a_layout_of_other_stimuli_is_refused():
    other = [row.copy() for row in ROWS]
    for row in other:
        row["block"] = f"x{row['block']}"
    with pytest.raises(InputError, match="`blocks` of the row is not the same"):
        Features(WHOLE, other, {})


def test_one_passage_has_features_though_it_has_no_folds():
    whole = designed({"384": {"a": [4]}})
    assert Features(whole, stimuli(whole), {}).matrix("OASM@2.2").shape == (4, 4)


def test_features_of_a_layout_made_of_the_stimuli_are_the_same():
    made = layout("pereira", ROWS).only("243")
    assert (Features(made, ROWS, {}).matrix("SP") == Features(WHOLE.only("243"), ROWS, {}).matrix("SP")).all()


def test_a_models_bands_are_joined_with_plus():
    assert bands_of("SP+SL&RATE+OASM@2.2") == ["SP", "SL&RATE", "OASM@2.2"]
    for model in ("", "SP+", "SP+SP"):
        with pytest.raises(InputError, match="names no model"):
            bands_of(model)
