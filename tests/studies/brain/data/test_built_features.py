"""WORD, SENSE, SYNT and GLOVE from files of words, senses and parses: each number worked out here in another way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_brain_data import made
from support_cases import each_of

from harness import arrays
from harness.errors import InputError, MissingError
from harness.kit.study import Dataset
from harness.steps import Pinned
from harness.studies.brain.data.arrays import make
from harness.studies.brain.data.built_features import CLASSES, NEEDED, RELATIONS
from harness.studies.brain.recorded import recorded

ROWS = 627
# Word, lemma, class, head, relation: every third sentence is the same.
SENTENCES = (
    [("The", "the", "DET", 2, "det"), ("dogs", "dog", "NOUN", 3, "nsubj"), ("ran", "run", "VERB", 0, "root"),
     ("home", "home", "ADV", 3, "advmod"), (".", ".", "PUNCT", 3, "punct")],
    [("Red", "red", "ADJ", 2, "amod"), ("dogs", "dog", "NOUN", 0, "root")],
    [("Zyx", "zyx", "PROPN", 2, "nsubj:pass"), ("ran", "run", "VERB", 0, "root")],
)  # fmt: skip
SENSES = {
    "dog%1:05:00::": [1.0, 0.0], "dog%1:18:01::": [0.0, 1.0], "run%2:38:00::": [2.0, 2.0], "run%1:04:00::": [9.0, 9.0],
    "home%4:02:00::": [0.5, 0.0], "red%5:00:00:chromatic:00": [3.0, 1.0], "red%3:00:01::": [1.0, 1.0],
    "cat%1:05:00::": [7.0, 7.0],
}  # fmt: skip
COUNTS = "30 dog%1:05:00:: 1\n10 dog%1:18:01:: 2\n5 run%2:38:00:: 1\n1 run%1:04:00:: 1\n"
DOG, RUN, HOME, RED = [0.75, 0.25], [2.0, 2.0], [0.5, 0.0], [2.0, 1.0]  # means by count; of red nothing was counted
Files = dict[str, Path]


def parse(sentences: Any = SENTENCES, rows: int = ROWS) -> str:
    blocks = []
    for row in range(rows):
        lines = [
            f"{place}\t{form}\t{lemma}\t{kind}\t_\t_\t{head}\t{relation}\t_\t_"
            for place, (form, lemma, kind, head, relation) in enumerate(sentences[row % len(sentences)], 1)
        ]
        blocks.append("\n".join([f"# sent_id = {row}", *lines, ""]))
    return "\n".join(blocks) + "\n"


def vectors(of: dict[str, list[float]]) -> str:
    return "".join(f"{name} {' '.join(map(str, vector))}\n" for name, vector in of.items())


@pytest.fixture
def files(tmp_path: Path) -> Files:
    chosen = "".join(f"{row}\t{word}\tdog%1:18:01::\n" for row in (1, 5) for word in (2, 3))
    glove = {"dogs": [1.0, 2.0, 3.0], "ran": [10.0, 20.0, 30.0], "red": [0.1, 0.2, 0.3], "the": [5.0, 5.0, 5.0]}
    texts = {
        "parsed": parse(), "syntax": parse(), "sense_vectors": vectors(SENSES), "sense_counts": COUNTS,
        "senses_chosen": chosen, "word_vectors": f"4 3\n{vectors(glove)}",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return {name: tmp_path / name for name in texts}


def built(files: Files, tmp_path: Path, *names: str) -> tuple[dict[str, Any], Any]:
    counts = made(make, {}, {name: files[name] for name in names}, tmp_path / "out")[1]
    return arrays.read_all(tmp_path / "out" / "features"), counts["features pereira"]


def by_row(*first: list[float]) -> Any:
    return np.array([first[row % len(first)] for row in range(ROWS)], np.float32)


def total(*of: list[float]) -> list[float]:
    return [sum(cells) for cells in zip(*of, strict=True)]


def test_a_word_is_the_mean_of_its_senses_by_their_counts_and_a_sentence_their_sum(
    files: Files, tmp_path: Path
) -> None:
    found, counts = built(files, tmp_path, *NEEDED["WORD"])
    assert np.allclose(found["WORD"], by_row(total(DOG, RUN, HOME), total(RED, DOG), RUN), atol=1e-6)
    assert counts == {"rows": ROWS, "WORD": 2, "WORD words": [209 * 6, 209 * 7]}  # zyx has no sense


def test_counts_may_have_the_key_first(files: Files, tmp_path: Path) -> None:
    wanted, _ = built(files, tmp_path, *NEEDED["WORD"])
    lines = [line.split() for line in COUNTS.splitlines()]
    files["sense_counts"].write_text("".join(f"{key} {number} {count}\n" for count, key, number in lines))
    found, _ = built(files, tmp_path, *NEEDED["WORD"])
    assert np.array_equal(found["WORD"], wanted["WORD"])


def test_chosen_senses_are_summed_by_row(files: Files, tmp_path: Path) -> None:
    found, counts = built(files, tmp_path, *NEEDED["SENSE"])
    wanted = np.zeros((ROWS, 2), np.float32)
    wanted[[0, 4]] = 0, 2
    assert np.array_equal(found["SENSE"], wanted) and counts["SENSE words"] == [4, 4]


def test_glove_is_the_sum_of_content_words(files: Files, tmp_path: Path) -> None:
    found, counts = built(files, tmp_path, *NEEDED["GLOVE"])
    dogs, ran, red = np.array([1, 2, 3.0]), np.array([10, 20, 30.0]), np.array([0.1, 0.2, 0.3])
    assert np.allclose(found["GLOVE"], by_row(list(dogs + ran), list(red + dogs), list(ran)), atol=1e-5)
    assert counts["GLOVE words"] == [209 * 5, 209 * 7]


def test_syntax_counts_classes_relations_depth_and_distance(files: Files, tmp_path: Path) -> None:
    found, _ = built(files, tmp_path, "syntax")
    first = dict(zip((*CLASSES, *RELATIONS, "depth", "distance"), found["SYNT"][0].tolist(), strict=True))
    wanted = dict.fromkeys(first, 0.0) | dict.fromkeys(("DET", "NOUN", "VERB", "ADV", "PUNCT"), 1.0)
    wanted |= dict.fromkeys(("det", "nsubj", "root", "advmod", "punct"), 1.0)
    assert first == wanted | {"depth": 3.0, "distance": 1.25}
    third = dict(zip((*CLASSES, *RELATIONS), found["SYNT"][2].tolist(), strict=False))
    assert third["nsubj"] == 1.0  # a subtype is of its relation


def test_all_four_may_be_built_at_once(files: Files, tmp_path: Path) -> None:
    found, _ = built(files, tmp_path, *files)
    assert {name: array.shape[1] for name, array in found.items()} == {"WORD": 2, "SENSE": 2, "SYNT": 56, "GLOVE": 3}


def dataset(*names: str) -> Dataset:
    pins = {name: Pinned("0" * 64) for name in ("assembly", "order", "sentences", *names)}
    return Dataset("real", "brain.neural_nlp", {"dataset": "pereira"}, 0, pins)


@each_of("space", list(NEEDED))
def test_a_space_without_one_of_its_files_is_missing_and_says_what_to_bring(space: str) -> None:
    assert recorded([dataset(*NEEDED[space])])[0].arrays == (space,)
    for lacking in NEEDED[space][1:]:
        with pytest.raises(MissingError, match=f"{space} cannot be built without `{lacking}`") as bad:
            recorded([dataset(*(name for name in NEEDED[space] if name != lacking))])
        assert bad.value.code == 3 and bad.value.where == f"datasets.real.{lacking}" and "bring" in bad.value.next


def test_vectors_of_senses_alone_are_told_what_else_it_takes() -> None:
    with pytest.raises(MissingError) as bad:
        recorded([dataset("sense_vectors")])
    assert "cntlist" in bad.value.next and "ROW WORD SENSE_KEY" in bad.value.next


def test_a_space_that_is_given_is_not_built_too(files: Files, tmp_path: Path) -> None:
    np.save(tmp_path / "synt.npy", np.ones((ROWS, 2), np.float32))
    with pytest.raises(InputError, match="SYNT is given, and is to be built too"):
        built({**files, "synt": tmp_path / "synt.npy"}, tmp_path, "syntax", "synt")


def cut(text: str) -> str:
    return parse(rows=ROWS - 1)


@each_of(
    ("name", "change", "told"),
    [
        ("parsed", cut, "626 sentences"),
        ("parsed", lambda text: text.replace("\t2\tdet", "\t9\tdet"), "no word of its sentence"),
        ("parsed", lambda text: text.replace("\t", " "), "no line of 10 columns"),
        ("parsed", lambda text: text.replace("1\tThe", "2\tThe", 1), "no line of 10 columns for word 1"),
        ("sense_counts", lambda text: text.replace("30 ", "many "), "no count, sense key"),
        ("sense_counts", lambda text: text + "dog 3 1\n", "no count, sense key"),
        ("sense_vectors", lambda text: text.replace("1.0 0.0", "1.0 nan", 1), "no vector of 2 finite numbers"),
        ("sense_vectors", lambda text: text.replace("1.0 0.0", "1.0", 1), "no vector of"),
        ("sense_vectors", lambda text: text + text, "stands twice"),
        ("sense_vectors", lambda text: "cat%1:05:00:: 1 2\n", "no name in it is one of the sentences"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_of_its_kind_is_refused_by_its_line(
    name: str, change: Callable[[str], str], told: str, files: Files, tmp_path: Path
) -> None:
    (tmp_path / "bad").write_text(change(files[name].read_text()))
    with pytest.raises(InputError, match=told) as bad:
        built({**files, name: tmp_path / "bad"}, tmp_path, *NEEDED["WORD"])
    assert bad.value.where.startswith(name) and bad.value.next


@each_of("line", ["628 1 dog%1:05:00::", "1 2 dog%1:05:00::", "0 1 dog%1:05:00::", "1 1 dog", "1 dog%1:05:00::"])
def test_a_chosen_sense_of_no_row_or_of_a_word_that_has_one_is_refused(line: str, files: Files, tmp_path: Path) -> None:
    (tmp_path / "bad").write_text(files["senses_chosen"].read_text() + line + "\n")
    with pytest.raises(InputError) as bad:
        built({**files, "senses_chosen": tmp_path / "bad"}, tmp_path, *NEEDED["SENSE"])
    assert bad.value.where == "senses_chosen: line 5"


def test_a_parse_with_heads_in_a_circle_or_of_another_scheme_is_refused(files: Files, tmp_path: Path) -> None:
    for old, new, told in (("3\tnsubj", "1\tnsubj", "round in a circle"), ("\tDET\t", "\tDT\t", "'DT' of 'The'")):
        files["syntax"].write_text(parse().replace(old, new))
        with pytest.raises(InputError, match=told):
            built(files, tmp_path, "syntax")


def test_a_parse_of_other_sentences_is_seen_and_one_with_names_for_pronouns_is_taken(
    files: Files, tmp_path: Path
) -> None:
    texts = [" ".join(word for word, *_ in SENTENCES[row % 3]) for row in range(ROWS)]
    for first, wrong in (("They ran home .", False), ("Nobody saw a thing", True)):
        (tmp_path / "sentences").write_text("\n".join([first, *texts[1:]]) + "\n")
        given = {**files, "sentences": tmp_path / "sentences"}
        if wrong:
            with pytest.raises(InputError, match="sentence 1 is 'The dogs ran home"):
                built(given, tmp_path, "syntax", "sentences")
        else:
            assert built(given, tmp_path, "syntax", "sentences")[0]["SYNT"].shape == (ROWS, 56)
