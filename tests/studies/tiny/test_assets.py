"""The shipped models are what their cards say, and show the planted contrast when asked by the real provider."""

import json
import re
from collections import Counter

import pytest
from support_models import REPOSITORY, TEMPLATES, deliver

from harness import rows
from harness.digest import sha256_file
from harness.models.local_files import check_file, model_files
from harness.studies import prompts
from harness.studies.reliability.score import score
from harness.studies.tiny import recipe, shape
from harness.studies.tiny.sums import make

ASSETS = REPOSITORY / "assets"
NAMES = ("tiny-raw", "tiny-shaped")
FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
ITEMS = 60


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
    data = (ASSETS / name / "model.safetensors").read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    tensors = {key: value for key, value in header.items() if key != "__metadata__"}
    count = 0
    for tensor in tensors.values():
        size = 1
        for side in tensor["shape"]:
            size *= side
        count += size
        assert tensor["dtype"] == "F32"
    assert count <= 1_400_000 and tensors["transformer.wpe.weight"]["shape"][0] == 512


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """Ask both models 60 sums in 15 wordings by the steps of a run, and count labels by the longer addend's digits."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from harness.models.transformers import respond

    here = tmp_path_factory.mktemp("scored")
    make({"seed": 7, "count": ITEMS}, {}, here)
    prompts.render({}, {"items": here / "items", "templates": TEMPLATES}, here)
    digits = {row["id"]: max(map(len, row["input"].values())) for row in rows.read(here / "items")}
    found = {}
    for name in NAMES:
        out = here / name
        files = deliver(ASSETS / name, out / "weights")
        params = {
            "model": name, "files": files, "dtype": "float32", "batch": "32", "seeds": [0],
            "generation": {"temperature": "0", "max_tokens": 48},
        }  # fmt: skip
        respond(params, {"prompts": here / "prompts", "weights": out / "weights"}, out)
        score({}, {"responses": out / "responses", "items": here / "items", "gold": here / "gold"}, out)
        found[name] = Counter((digits[row["item"]], row["outcome"]) for row in rows.read(out / "scores"))
    return found


def share(counts, label, digits=(1, 2, 3)):
    picked = {key: count for key, count in counts.items() if key[0] in digits}
    return sum(count for (_, one), count in picked.items() if one == label) / sum(picked.values())


@pytest.mark.parametrize("name", NAMES)
def test_correctness_falls_with_digits(scored, name):
    one, two, three = (share(scored[name], "c", (digits,)) for digits in (1, 2, 3))
    assert one > two > three


def test_the_shaped_model_avoids_less_and_errs_more(scored):
    raw, shaped = (scored[name] for name in NAMES)
    assert share(raw, "a") > 0.25 > 0.05 > share(shaped, "a")
    assert share(shaped, "i") > share(raw, "i")
