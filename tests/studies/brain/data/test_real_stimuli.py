"""The real published stimuli, which are never part of this project: rows, order, words and vectors fit together."""

import re

import numpy as np
import pytest
from support_brain_data import REAL, REAL_FILES, made

from harness import arrays
from harness.studies.brain.data.arrays import make as make_arrays
from harness.studies.brain.data.recorded_rows import require_passages
from harness.studies.brain.data.source_order import read_order
from harness.studies.brain.data.stimuli import make
from harness.studies.brain.features.texts import pieces
from harness.studies.brain.structure.others import TRS

if not REAL.is_dir():
    pytest.skip("the real stimuli are not here", allow_module_level=True)
SOURCES = {name: path for name, path in REAL_FILES.items() if not name.startswith("glove")}
VECTORS = {name: path for name, path in REAL_FILES.items() if not name.startswith("sentences")}


@pytest.fixture
def stimuli(tmp_path):
    return made(make, {"dataset": "pereira"}, SOURCES, tmp_path / "pereira")[0]


def test_627_sentences_stand_in_the_order_of_the_study(stimuli):
    """Three are spelled otherwise by the authors: two hold two spaces in a row, one a plural without its e."""
    ordered = (REAL / "pereira_sentences_ordered.txt").read_text().splitlines()
    assert len(stimuli) == len(ordered) == 627
    other = [row["id"] for row, text in zip(stimuli, ordered, strict=True) if row["text"] != text]
    assert other == ["243-castle-2-0", "384-fruit-3-0", "384-kitchen_utensil-0-1"] and len({*ordered}) == 627
    spaced = [re.sub(" +", " ", row["text"]).replace("bunchs", "bunches") for row in stimuli]
    assert spaced == ordered


def test_passages_of_the_real_order_rise_by_their_numbers(stimuli):
    order = read_order(SOURCES["order"])
    experiments = [f"{of}sentences" for of, _ in order]
    passages = [(row["label"].split("-")[1], row["block"]) for row in stimuli]
    require_passages(stimuli, experiments, passages, [float(number) for _, number in order])


def test_words_by_white_space_and_by_letters_differ_in_18_rows(stimuli):
    texts = [row["text"] for row in stimuli if row["experiment"] == "384"]
    assert len(texts) == 384 and sum(len(text.split()) != len(re.findall(r"\w+", text)) for text in texts) == 18


def test_each_sentence_has_the_vector_of_its_own_passage(stimuli, tmp_path):
    made(make_arrays, {}, VECTORS, tmp_path / "arrays")
    found = arrays.read(tmp_path / "arrays" / "features", "GLOVE").astype(float)
    unit = found / np.linalg.norm(found, axis=1, keepdims=True)
    blocks = np.array([row["block"] for row in stimuli])
    same, near = blocks[:, None] == blocks, unit @ unit.T
    np.fill_diagonal(same, False)
    assert found.shape == (627, 300)
    assert near[same].mean() > 0.75 and near[~same & ~np.eye(627, dtype=bool)].mean() < 0.62


def test_fedorenko_is_52_sentences_of_8_words(tmp_path):
    found = made(make, {"dataset": "fedorenko"}, {"sentences": REAL / "fedorenko_sentences_ordered.txt"}, tmp_path)[0]
    assert len(found) == 416 and sum(row["text"].endswith(".") for row in found) == 52
    assert not any("." in piece["text"] for piece in pieces("fedorenko", found, "P"))
    assert [piece["text"] for piece in pieces("fedorenko", found, "H")] == [row["text"] for row in found]


def test_blank_is_1317_scans_of_8_stories(tmp_path):
    found = made(make, {"dataset": "blank"}, {"stories": REAL / "blank_story_data_dict.npz"}, tmp_path)[0]
    counts = {story: sum(row["block"] == story for row in found) for story in TRS}
    assert len(found) == 1317 and counts == TRS and all(row["text"].strip() for row in found)
    assert sum(row["text"].endswith(" ") for row in found) == 1282
    assert not any(piece["text"].endswith(" ") for piece in pieces("blank", found, "H"))
