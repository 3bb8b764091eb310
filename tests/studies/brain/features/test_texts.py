"""What a model reads: a text a sample in its passage, by the rules of each dataset and generation."""

import pytest
from support_cases import each_of

from harness import rows
from harness.errors import InputError
from harness.studies.brain.features.texts import options, pieces, write
from harness.studies.brain.structure.others import blank, fedorenko
from harness.studies.brain.structure.pereira import designed

DESIGN = designed({"384": {"animal": [2, 3], "bird": [2, 2]}})


def stimuli(where, texts):
    names = zip(where.ids, where.labels, where.blocks, where.positions, texts, strict=True)
    return [{"id": i, "label": la, "block": b, "position": p, "text": text} for i, la, b, p, text in names]


PEREIRA = stimuli(DESIGN, [f"A {row}  text. " for row in range(9)])
FEDORENKO = stimuli(fedorenko(2, 3), ["Mr.", "Fox", "ran.", "A", "b.c", "d.."])
BLANK = stimuli(blank({"Aqua": 2, "Boar": 1}), ["A day ", "it was. ", " Once"])


def test_a_piece_is_a_text_in_its_block_less_the_space_at_its_end():
    found = pieces("pereira", PEREIRA, "P")
    assert [piece["text"] for piece in found] == [f"A {row}  text." for row in range(9)]
    assert [(piece["id"], piece["passage"]) for piece in found] == list(zip(DESIGN.ids, DESIGN.blocks, strict=True))
    assert found == pieces("pereira", PEREIRA, "H")


def test_generation_p_alone_leaves_out_the_stop_that_ends_a_sentence():
    assert [piece["text"] for piece in pieces("fedorenko", FEDORENKO, "P")] == ["Mr.", "Fox", "ran", "A", "b.c", "d."]
    assert [piece["text"] for piece in pieces("fedorenko", FEDORENKO, "H")] == [row["text"] for row in FEDORENKO]


@pytest.mark.parametrize("generation", ["P", "H"])
def test_a_scan_is_read_with_its_last_word_last(generation):
    assert [piece["text"] for piece in pieces("blank", BLANK, generation)] == ["A day", "it was.", " Once"]


@each_of(
    ("dataset", "generation", "pool", "wanted"),
    [
        ("pereira", "P", "sum", ("sum", "always")),
        ("pereira", "P", "last", ("last", "always")),
        ("pereira", "H", "mean", ("mean", "later")),
        ("fedorenko", "P", "last", ("sum", "always")),
        ("fedorenko", "H", "last", ("last", "later")),
        ("blank", "P", "sum", ("last", "always")),
        ("blank", "H", "sum", ("sum", "later")),
    ],
)
def test_tokens_are_pooled_and_spaced_by_dataset_and_generation(dataset, generation, pool, wanted):
    how = options(dataset, generation, pool)
    assert (how.pool, how.space) == wanted
    assert (how.context, how.most, how.limit, how.signs) == ("pieces", None, 512, True)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        (("pereira", "P", "mean"), "no pool is called 'mean'"),
        (("blank", "P", "mean"), "no pool is called 'mean'"),
        (("pereira", "H", "word-sum"), "no pool is called 'word-sum'"),
        (("pereira", "Q", "sum"), "no generation is called 'Q'"),
        (("other", "P", "sum"), "no dataset is called 'other'"),
    ],
)
def test_options_that_no_generation_has_are_refused(said, what):
    with pytest.raises(InputError, match=what):
        options(*said)


def test_rows_whose_context_would_be_another_are_refused():
    with pytest.raises(InputError, match="position 1 in place of 0"):
        pieces("pereira", [PEREIRA[1], PEREIRA[0], *PEREIRA[2:]], "P")
    with pytest.raises(InputError, match="do not stand together"):
        pieces("blank", [BLANK[0], BLANK[2], BLANK[1]], "P")
    with pytest.raises(InputError, match="stands twice"):
        pieces("pereira", [*PEREIRA, PEREIRA[0]], "P")
    with pytest.raises(InputError, match="no stimuli"):
        pieces("pereira", [], "P")


@pytest.mark.parametrize("text", ["", " \n", "."])
def test_a_sample_without_a_word_is_named(text):
    rows_ = [*FEDORENKO[:2], {**FEDORENKO[2], "text": text}]
    with pytest.raises(InputError, match="no text that a model could read") as bad:
        pieces("fedorenko", rows_, "P")
    assert bad.value.where == "s00-w2"


def test_a_generation_that_there_is_not_is_refused():
    with pytest.raises(InputError, match="no generation is called"):
        pieces("pereira", PEREIRA, "p")


def test_the_step_writes_the_pieces_in_the_order_of_the_stimuli(tmp_path):
    rows.write(tmp_path / "stimuli", FEDORENKO)
    write({"dataset": "fedorenko", "generation": "P"}, {"stimuli": tmp_path / "stimuli"}, tmp_path)
    assert list(rows.read(tmp_path / "pieces")) == pieces("fedorenko", FEDORENKO, "P")
