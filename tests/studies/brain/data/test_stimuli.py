"""Published stimuli: every text comes to its own row, and a file that is another is refused by its name."""

import numpy as np
import pytest
from support_brain_data import made, of_source, pereira_files, source_order, story_file, written

from harness.errors import InputError
from harness.studies.brain.data.stimuli import make
from harness.studies.brain.structure.layout import layout
from harness.studies.brain.structure.others import TRS, blank, fedorenko
from harness.studies.brain.structure.pereira import pereira

PUBLISHED = ("sentences_243", "sentences_384", "order")


@pytest.fixture
def files(tmp_path):
    found = pereira_files(tmp_path)
    return {name: found[name] for name in PUBLISHED}


def of(dataset, files, out, **more):
    return made(make, {"dataset": dataset, **more}, files, out / "out")


def test_each_sentence_of_two_files_comes_to_its_row(files, tmp_path):
    found, counts = of("pereira", files, tmp_path)
    assert [row["text"] for row in found] == [f"The {name}." for name in pereira().ids]
    assert layout("pereira", found) == pereira()
    assert counts == {"published pereira": {"blocks": 168, "rows": 627, "words": 1254}}


def test_a_file_in_the_order_of_the_study_is_taken_as_it_is(tmp_path):
    texts = [f"Row {row}." for row in range(627)]
    found, _ = of("pereira", {"sentences": written(tmp_path, "ordered", texts)}, tmp_path)
    assert [row["text"] for row in found] == texts


def test_one_experiment_may_be_wanted_alone(files, tmp_path):
    found, counts = of("pereira", files, tmp_path, experiment="384")
    assert layout("pereira", found).ids == pereira("384").ids and counts["published pereira"]["rows"] == 384
    with pytest.raises(InputError, match="no experiments"):
        of("blank", {"stories": story_file(tmp_path)}, tmp_path, experiment="384")


def test_a_sentence_keeps_its_spaces_and_line_ends_are_none_of_it(files, tmp_path):
    lines = files["sentences_243"].read_text().splitlines()
    lines[0] = f"A  first\u2028\x85 {lines[0]}\r"
    files["sentences_243"] = written(tmp_path, "spaces", lines)
    texts = {row["id"]: row["text"] for row in of("pereira", files, tmp_path)[0]}
    first = of_source("243")[0]
    assert texts[first] == f"A  first\u2028\x85 The {first}."


def test_a_word_of_fedorenko_is_a_row(tmp_path):
    lines = [" ".join(f"w{place}x{line}" for place in range(8)) + "." for line in range(52)]
    found, _ = of("fedorenko", {"sentences": written(tmp_path, "f", lines)}, tmp_path)
    assert layout("fedorenko", found) == fedorenko() and found[15]["text"] == "w7x1."


def test_a_story_is_found_by_its_name(tmp_path):
    found, counts = of("blank", {"stories": story_file(tmp_path)}, tmp_path)
    assert layout("blank", found) == blank() and counts["published blank"]["rows"] == sum(TRS.values()) == 1317
    assert all(row["text"] == f"{row['block']} {row['position']} " for row in found)


def mixed(order, one, two):
    order[one], order[two] = order[two], order[one]
    return order


@pytest.mark.parametrize(
    ("order", "what"),
    [
        (np.arange(626), r"no order of 627 rows: int64 \[626\]"),
        (np.array(source_order()) % 600, "no order of 627 rows"),
        (np.array(source_order(), float), "no order of 627 rows: float64"),
        (np.array(mixed(source_order(), 0, 300)), "row 0 is of the experiment 384, in the study of 243"),
        (np.array(mixed(source_order(), 5, 620)), "row 5 is of the experiment 384, in the study of 243"),
    ],
)
def test_another_order_is_refused(files, tmp_path, order, what):
    np.save(tmp_path / "other.npy", order)
    with pytest.raises(InputError, match=what):
        of("pereira", {**files, "order": tmp_path / "other.npy"}, tmp_path)


@pytest.mark.parametrize(
    ("dataset", "lines", "what"),
    [
        ("pereira", ["one"] * 626, "it has 626 texts, the study has 627"),
        ("pereira", ["one"] * 626 + [" "], "a text is empty"),
        ("fedorenko", ["a b c d e f g h."] * 51, "it has 51 sentences, the study has 52"),
        ("fedorenko", ["a b c d e f g h."] * 51 + ["a b c d"], "it has 4 words"),
    ],
)
def test_a_file_of_other_rows_is_refused(tmp_path, dataset, lines, what):
    with pytest.raises(InputError, match=what):
        of(dataset, {"sentences": written(tmp_path, "x", lines)}, tmp_path)


def test_sentences_of_an_experiment_are_counted_by_their_file(files, tmp_path):
    files["sentences_384"] = files["sentences_243"]
    with pytest.raises(InputError, match="it has 243 sentences, the study has 384") as bad:
        of("pereira", files, tmp_path)
    assert bad.value.where == "sentences_384"


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"Aqua": None}, "other stories"),
        ({"Extra": np.array(["x"])}, "other stories"),
        ({"Aqua": np.array(["x"] * 142)}, "it has 142 scans, the study has 143"),
        ({"Aqua": np.zeros(143)}, "no list of texts"),
        ({"Aqua": np.array(["x"] * 142 + [""])}, "a text is empty"),
    ],
)
def test_other_stories_are_refused(tmp_path, changed, what):
    with pytest.raises(InputError, match=what):
        of("blank", {"stories": story_file(tmp_path, **changed)}, tmp_path)


def test_a_pickle_is_never_opened(tmp_path):
    np.savez(tmp_path / "p.npz", Aqua=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match="object"):
        of("blank", {"stories": tmp_path / "p.npz"}, tmp_path)


def test_a_file_that_is_missing_or_read_by_nobody_is_named(files, tmp_path):
    with pytest.raises(InputError, match="pereira needs `order`"):
        of("pereira", {name: path for name, path in files.items() if name != "order"}, tmp_path)
    with pytest.raises(InputError, match="fedorenko needs `sentences`"):
        of("fedorenko", {}, tmp_path)
    with pytest.raises(InputError, match="nobody reads `sentences_243` here"):
        of("pereira", {**files, "sentences": files["order"]}, tmp_path)


def test_text_that_is_not_utf_8_is_refused(files, tmp_path):
    (tmp_path / "latin").write_bytes(b"caf\xe9\n" * 243)
    with pytest.raises(InputError, match="not UTF-8"):
        of("pereira", {**files, "sentences_243": tmp_path / "latin"}, tmp_path)


def test_a_text_file_that_is_far_too_large_is_not_read(files, tmp_path):
    with open(tmp_path / "large", "wb") as file:
        file.truncate(1 << 27)
    with pytest.raises(InputError, match="the file has 134,217,728 bytes"):
        of("pereira", {**files, "sentences_243": tmp_path / "large"}, tmp_path)
