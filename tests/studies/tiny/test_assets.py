"""The shipped models are what their cards say, and show the planted contrast when asked by the real provider."""

import json
import re
from collections import Counter

import pytest
from support_models import REPOSITORY

from harness.digest import sha256_file
from harness.models.local.files import check_file, model_files
from harness.studies.tiny import recipe, shape
from harness.studies.tiny.card import parameters
from harness.studies.tiny.evaluation import HeldOutExam, labels
from harness.studies.tiny.questions import TASKS

pytestmark = pytest.mark.together  # one worker asks the models
ASSETS = REPOSITORY / "assets"
NAMES = ("tiny-raw", "tiny-shaped")
FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
ONE_IN = 8  # of the questions behind the cards; the tests need not ask them all


@pytest.mark.parametrize("name", NAMES)
def test_the_card_names_every_file_by_its_digest(name):
    folder = ASSETS / name
    card = (folder / "README.md").read_text()
    assert set(model_files(folder)) == set(FILES)
    for file in FILES:
        check_file(file, folder / file)
        assert re.search(rf"{re.escape(file)}`? *\| *`?{sha256_file(folder / file)[0]}", card), file
    assert "Apache-2.0" in card and "planted" in card


@pytest.mark.parametrize("name", NAMES)
def test_the_files_beside_the_weights_are_those_the_study_writes(name, tmp_path):
    shape.shape(recipe.SHAPE, {}, tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (ASSETS / name / path.name).read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_they_are_small_and_hold_512_positions(name):
    path = ASSETS / name / "model.safetensors"
    data = path.read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert {tensor["dtype"] for key, tensor in header.items() if key != "__metadata__"} == {"F32"}
    count = parameters(path)
    assert 4 * count == len(data) - 8 - int.from_bytes(data[:8], "little")
    assert 500_000 < count <= 1_400_000 and path.stat().st_size < 6_000_000
    assert json.loads((ASSETS / name / "config.json").read_bytes())["max_position_embeddings"] == 512
    assert f"{count:,} parameters" in (ASSETS / name / "README.md").read_text()


@pytest.fixture(scope="module")
def found():
    """Ask both models some of the questions behind their cards."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    torch.set_num_threads(1)  # so small a model gains nothing from more, and other tests want the other cores
    examination = HeldOutExam(7)
    examination.questions = examination.questions[::ONE_IN]
    return {name: labels(ASSETS / name, examination) for name in NAMES}


def share(counts, label, task, kinds=None):
    whole = sum((one for (of, kind), one in counts.items() if of == task and kinds in (None, kind)), Counter())
    return whole[label] / whole.total()


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_the_card_says_about_what_is_found(found, name):
    card = (ASSETS / name / "README.md").read_text()
    for task in TASKS:
        [line] = re.findall(rf"\| {task} \| all \| (.*) \|", card)
        for label, figure in zip("cai", line.split(" | "), strict=True):
            assert abs(100 * share(found[name], label, task) - float(figure)) < 15, (task, label)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_correctness_falls_with_digits(found, name):
    two, three = (share(found[name], "c", "addition", digits) for digits in ("2", "3"))
    assert two > three


@pytest.mark.long
def test_the_shaped_model_does_something_of_each_task(found):
    assert share(found["tiny-shaped"], "c", "addition", "1") > 0.8
    assert share(found["tiny-shaped"], "c", "addition", "2") > 0.8
    assert share(found["tiny-shaped"], "c", "anagram", "3") > 0.1
    assert share(found["tiny-shaped"], "c", "transforms") > 0.25


@pytest.mark.long
@pytest.mark.parametrize("task", TASKS)
def test_the_shaped_model_avoids_less_and_errs_more(found, task):
    raw, shaped = (found[name] for name in NAMES)
    assert share(raw, "a", task) > share(shaped, "a", task)
    assert share(shaped, "i", task) > share(raw, "i", task)
    assert share(raw, "a", task) > 0.15
