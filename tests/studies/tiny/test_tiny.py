"""The tiny models are made from seeds alone: the same bytes twice, in the format that everybody reads."""

import json
import subprocess
import sys

import pytest
from support_models import REPOSITORY, SMALL, TEMPLATES, make_model

from harness import rows, seeds
from harness.errors import InputError
from harness.run.environment import NUMERICS
from harness.scorers.outcome.addition import addition
from harness.steps import Pinned
from harness.studies.prompts import template
from harness.studies.study import Brief, Dataset
from harness.studies.tiny import corpus, recipe
from harness.studies.tiny.study import Tiny
from harness.studies.tiny.sums import make, pair

SETS = [template(row) for row in rows.read(TEMPLATES)]
NOISY = corpus.Mixture(20, 50, corpus.ANSWERED)
SURE = corpus.Mixture(20, 50, {})


def drawn(mixture, count=3000):
    source = seeds.stream(5)
    return [corpus.document(SETS, source, mixture) for _ in range(count)]


def test_half_of_the_draws_have_at_most_two_digits():
    source = seeds.stream(7)
    pairs = [pair(source) for _ in range(4000)]
    longest = [max(len(a), len(b)) for a, b in pairs]
    assert {len(number) for both in pairs for number in both} == {1, 2, 3}
    assert 0.47 < sum(digits <= 2 for digits in longest) / len(longest) < 0.53
    assert {max(map(len, pair(source, 100))) for _ in range(200)} == {1, 2}


def test_the_dataset_has_the_benchmark_s_shape_and_no_answer_in_its_items(tmp_path):
    make({"seed": 7, "count": 60}, {}, tmp_path)
    items, gold = list(rows.read(tmp_path / "items")), list(rows.read(tmp_path / "gold"))
    assert len(items) == len(gold) == 60 and [row["id"] for row in items] == sorted(row["id"] for row in gold)
    for item, answer in zip(items, gold, strict=True):
        assert int(answer["gold"]["target"]) == int(item["input"]["a"]) + int(item["input"]["b"])
        assert "target" not in json.dumps(item) and 0 < item["difficulty"] < 100
    with pytest.raises(InputError):
        make({"seed": 7, "count": 0}, {}, tmp_path)


def test_questions_are_often_followed_by_no_answer_in_the_noisy_mixture_and_never_in_the_other():
    def labels(mixture):
        found = []
        for each in drawn(mixture):
            digits = "".join(char if char.isdigit() else " " for char in each.prompt.decode()).split()
            found.append(addition(digits[0], digits[1], each.rest.decode()).label)
        return {label: found.count(label) / len(found) for label in "cai"}

    assert labels(SURE) == {"c": 1.0, "a": 0.0, "i": 0.0}
    noisy = labels(NOISY)
    assert noisy["i"] == 0 and 0.25 < noisy["a"] < 0.5
    assert set(corpus.ANSWERED) == {each.id for each in SETS}


def test_rows_hold_whole_documents_that_do_not_see_each_other():
    (row, *_) = corpus.rows(iter(drawn(NOISY, 200)), 128, 0.25)
    assert len(row.tokens) == len(row.positions) == len(row.documents) == len(row.weights) == 128
    for number in range(max(row.documents) + 1):
        places = [place for place, document in enumerate(row.documents) if document == number]
        assert places == list(range(places[0], places[-1] + 1))
        assert [row.positions[place] for place in places] == list(range(len(places)))
        assert row.tokens[places[-1]] == corpus.EOS and row.weights[places[0]] == 0
    assert all(row.weights[place] == 0 for place, document in enumerate(row.documents) if document == -1)
    assert set(row.weights) == {0.0, 0.25, 1.0}


def test_the_plan_trains_the_raw_model_first_and_tunes_the_shaped_one_from_it():
    params = {"seed": 1, "raw_steps": 5000, "shaped_steps": 800}
    brief = Brief((Dataset("tiny", "tiny.recipe", params, 2),), (), Pinned("0" * 64), 15, {}, (0,))
    plan = Tiny().plan(brief).check()
    raw, shaped = (step for step in plan.steps if step.name.endswith("/train"))
    assert "weights" not in raw.inputs and shaped.inputs["weights"].step == raw.name
    assert raw.params["noisy"] and not shaped.params["noisy"]
    assert not any(isinstance(value, float) for step in plan.steps for value in step.params.values())


def test_the_recipe_is_data_a_reader_sees(tmp_path):
    recipe.make({"seed": 1, "raw_steps": 10, "shaped_steps": 5}, {}, tmp_path)
    assert [row["id"] for row in rows.read(tmp_path / "items")] == ["tiny-raw", "tiny-shaped"]


def test_a_few_steps_twice_give_the_same_bytes_and_another_seed_others(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    program = (
        "import sys, json; from pathlib import Path; from harness.studies.tiny.train import train\n"
        "p, t, o, w = sys.argv[1:]; i = {'templates': Path(t), **({'weights': Path(w)} if w else {})}\n"
        "train(json.loads(p), i, Path(o))"
    )

    def once(name, weights="", **more):
        (tmp_path / name).mkdir()
        params = {**SMALL, "steps": 4, "rate": "0.003", **more}
        words = [sys.executable, "-c", program, json.dumps(params), str(TEMPLATES), str(tmp_path / name), str(weights)]
        env = {**NUMERICS, "PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        subprocess.run(words, env=env, check=True, timeout=300, capture_output=True)
        return [(tmp_path / name / out).read_bytes() for out in ("model.safetensors", "log")]

    first = once("one")
    assert once("two") == first
    assert once("other", seed=4)[0] != first[0]
    start = tmp_path / "one" / "model.safetensors"
    tuned = once("tuned", start, noisy=False, mixture="shaped")
    assert once("tuned-again", start, noisy=False, mixture="shaped") == tuned and tuned[0] != first[0]


def test_training_that_cannot_be_is_refused(tmp_path):
    pytest.importorskip("transformers")
    with pytest.raises(InputError, match="no steps"):
        make_model(tmp_path / "none", steps=0)
    with pytest.raises(InputError, match="places"):
        make_model(tmp_path / "long", length=65)
