"""The tiny models are made from seeds alone: the same bytes twice, in the format that everybody reads."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from support_models import REPOSITORY, SMALL, TEMPLATES, make_model

from harness import rows, seeds
from harness.errors import InputError
from harness.kit.prompts import fill, template
from harness.kit.study import Brief, Dataset, Templates
from harness.run.environment import NUMERICS
from harness.steps import Pinned
from harness.studies.reliability.data.small_addition import make, pair
from harness.studies.tiny import corpus, recipe
from harness.studies.tiny.evaluation import HeldOutExam
from harness.studies.tiny.questions import TASKS, QuestionSource
from harness.studies.tiny.study import Tiny

WORDINGS = {
    task: [template(row) for row in rows.read(Tiny.prompt_sets[f"reliability/{task}@1"])] for task in sorted(TASKS)
}
NOISY = corpus.CorpusMixture(recipe.TASKS, 20, 50, noisy=True)
SURE = replace(NOISY, noisy=False)
PARAMS = {"seed": 1, "held_out": 7, "raw_steps": 5000, "shaped_steps": 800}


@pytest.fixture(scope="module")
def questions():
    return QuestionSource(TASKS, 7)


@pytest.fixture(scope="module")
def examination():
    return HeldOutExam(7)


def drawn(questions, mixture, count=2000):
    source = seeds.random_stream(5)
    return [corpus.document(WORDINGS, questions, source, mixture) for _ in range(count)]


def test_half_of_the_draws_have_at_most_two_digits():
    source = seeds.random_stream(7)
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


@pytest.mark.parametrize("task", TASKS)
def test_an_answer_is_right_and_talk_is_none(questions, examination, task):
    source = seeds.random_stream(3)
    for _ in range(300):
        question = questions.draw(task, source)
        assert examination.outcome(question, f" {question.answer}").label == "c"
        for talk in corpus.TALK:
            assert examination.outcome(question, talk).label == "a", talk


def test_every_kind_of_question_is_drawn_and_each_draw_is_the_same_again(questions):
    kinds = {}
    for task in TASKS:
        first, again = ([questions.draw(task, seeds.random_stream(seed)) for seed in range(400)] for _ in range(2))
        assert first == again
        kinds[task] = {question.kind for question in first}
    assert kinds["addition"] == {"1", "2", "3"} and kinds["anagram"] == {"3", "4"} and len(kinds["transforms"]) == 12


@pytest.mark.parametrize("task", TASKS)
def test_nothing_that_the_demos_ask_is_trained_on(questions, task):
    held = {question.key for question in questions.held(task, 7)}
    assert len(held) >= 59  # two of sixty small sums may be the same
    free, source, again = QuestionSource([task]), seeds.random_stream(1), seeds.random_stream(1)
    assert any(free.draw(task, source).key in held for _ in range(20_000))
    assert not any(questions.draw(task, again).key in held for _ in range(20_000))


def test_the_held_out_sums_are_those_that_the_demo_asks(questions, tmp_path):
    make({"seed": 7, "count": 60}, {}, tmp_path)
    asked = [("addition", row["input"]["a"], row["input"]["b"]) for row in rows.read(tmp_path / "items")]
    assert [question.key for question in questions.held("addition", 7)] == asked


def test_only_the_noisy_mixture_leaves_questions_without_an_answer(questions):
    talk = {each.encode() for each in corpus.TALK}
    assert not any(document.rest in talk for document in drawn(questions, SURE))
    for task in TASKS:
        noisy = drawn(questions, replace(NOISY, tasks={task: 1}))
        assert 0.25 < sum(document.rest in talk for document in noisy) / len(noisy) < 0.5
        assert set(corpus.ANSWERED[task]) == {each.id for each in WORDINGS[task]}


def test_the_parts_of_the_mixture_are_kept(questions):
    alone = drawn(questions, replace(SURE, tasks={"addition": 0, "anagram": 5, "transforms": 0}), 100)
    assert all(1 < len(document.rest) <= 5 for document in alone)
    short = drawn(questions, replace(SURE, short=100), 300)
    starts = [fill(each, "", dict.fromkeys(("a", "b", "anagram", "instruction", "text"), ""))
              for task, numbers in corpus.SHORT.items() for each in WORDINGS[task] if each.id in numbers]  # fmt: skip
    assert max(len(document.prompt) for document in short) < max(map(len, starts)) + 150


def test_every_document_fits_a_row_and_the_model_s_places(questions):
    params = recipe.raw(PARAMS)
    assert params["length"] <= params["window"] == 512
    longest = max(len(each.prompt) + len(each.rest) + 1 for each in drawn(questions, replace(SURE, short=0), 6000))
    assert 200 < longest <= params["length"]


def test_rows_hold_whole_documents_that_do_not_see_each_other(questions):
    (row, *_) = corpus.rows(iter(drawn(questions, NOISY, 200)), 288, 0.25)
    assert len(row.tokens) == len(row.positions) == len(row.documents) == len(row.weights) == 288
    for number in range(max(row.documents) + 1):
        places = [place for place, document in enumerate(row.documents) if document == number]
        assert places == list(range(places[0], places[-1] + 1))
        assert [row.positions[place] for place in places] == list(range(len(places)))
        assert row.tokens[places[-1]] == corpus.EOS and row.weights[places[0]] == 0
    assert all(row.weights[place] == 0 for place, document in enumerate(row.documents) if document == -1)
    assert set(row.weights) == {0.0, 0.25, 1.0}


def test_the_plan_tunes_the_shaped_model_from_the_trained_raw_one():
    sets = {name: Templates(Pinned(f"{place}" * 64), 15) for place, name in enumerate(sorted(Tiny.prompt_sets))}
    brief = Brief((Dataset("tiny", "tiny.recipe", PARAMS, 2),), (), sets, {}, (0,))
    plan = Tiny().plan(brief).check()
    raw, shaped = (step for step in plan.steps if step.name.endswith("/train"))
    assert "weights" not in raw.inputs and shaped.inputs["weights"].step == raw.name
    assert raw.params["noisy"] and not shaped.params["noisy"]
    assert raw.inputs["templates"] == tuple(sets[f"reliability/{task}@1"].pinned for task in sorted(TASKS))
    assert set(raw.params["tasks"]) == set(TASKS)
    assert not any(isinstance(value, float) for step in plan.steps for value in step.params.values())
    with pytest.raises(InputError, match="wordings"):
        Tiny().plan(replace(brief, templates={"reliability/addition@1": sets["reliability/addition@1"]}))
    for datasets in ((), brief.datasets * 2):
        with pytest.raises(InputError, match="recipes for one pair"):
            Tiny().plan(replace(brief, datasets=datasets))


def test_the_recipe_is_data_a_reader_sees(tmp_path):
    recipe.make(PARAMS, {}, tmp_path)
    assert [row["id"] for row in rows.read(tmp_path / "items")] == ["tiny-raw", "tiny-shaped"]


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    """Lay the wordings out as a step gets them."""
    folder = tmp_path_factory.mktemp("sets")
    for place, task in enumerate(sorted(TASKS)):
        (folder / f"part-{place:05d}").write_bytes(Tiny.prompt_sets[f"reliability/{task}@1"].read_bytes())
    return folder


TRAIN = """
import json, sys
from pathlib import Path
from harness.studies.tiny.train import train
for params, templates, name, start in json.loads(sys.argv[1]):
    weights = {"weights": Path(start) / "model.safetensors"} if start else {}
    train(params, {"templates": Path(templates), **weights}, Path(name))
"""


@pytest.mark.long
def test_a_few_steps_twice_give_the_same_bytes_and_another_seed_others(tmp_path, sets):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    whole = {**recipe.raw(PARAMS), "rows": 2, "steps": 3, "width": 32, "layers": 2}
    learned = {**whole, **SMALL, "rate": "0.003", "tasks": {"addition": 1}, "places": "learned"}
    trainings = {
        "first": (whole, sets, ""),
        "other": ({**whole, "seed": 4}, sets, ""),
        "tuned": ({**whole, "noisy": False, "mixture": "shaped"}, sets, "first"),
        "learned": (learned, TEMPLATES, ""),
    }

    def trained(process, *order):
        """Train in a process of its own, in this order; gives weights and log of each training."""
        folder = tmp_path / process
        for name in order:
            (folder / name).mkdir(parents=True)
        given = [(params, str(wordings), name, start) for name, (params, wordings, start) in trainings.items()]
        words = [sys.executable, "-c", TRAIN, json.dumps(sorted(given, key=lambda each: order.index(each[2])))]
        env = {**NUMERICS, "PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        subprocess.run(words, cwd=folder, env=env, check=True, timeout=300, capture_output=True)
        return {
            name: [(folder / name / out).read_bytes() for out in ("model.safetensors", "log")] for name in trainings
        }

    found = trained("one", "first", "other", "tuned", "learned")
    assert trained("two", "learned", "first", "tuned", "other") == found
    assert len({weights for weights, _ in found.values()}) == len(trainings)


@pytest.mark.long
def test_training_makes_the_answers_likelier(tmp_path, sets):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from harness.studies.tiny.train import train

    params = {**recipe.raw(PARAMS), "rows": 2, "steps": 60, "warmup": 5, "width": 32, "layers": 2, "short": [100, 100]}
    train(params, {"templates": sets}, tmp_path)
    losses = [float(row["loss"]) for row in rows.read(tmp_path / "log")]
    assert losses[-1] < losses[0] - 1


def test_training_that_cannot_be_is_refused(tmp_path, sets):
    pytest.importorskip("transformers")
    from harness.studies.tiny.train import train

    with pytest.raises(InputError, match="no steps"):
        make_model(tmp_path / "none", steps=0)
    with pytest.raises(InputError, match="places"):
        make_model(tmp_path / "long", length=65)
    with pytest.raises(InputError, match="3 sets of wordings for 1 tasks"):
        train(SMALL, {"templates": sets}, tmp_path)


@pytest.mark.parametrize("shape", [(8, 24), (24, 8)])
def test_an_orthogonal_step_evens_out_singular_values_and_keeps_directions(shape):
    torch = pytest.importorskip("torch")
    from harness.studies.tiny.optimiser import orthogonal

    left, _, right = torch.linalg.svd(torch.arange(192.0).reshape(shape).sin() + torch.eye(*shape))
    uneven, even = torch.zeros(shape), torch.eye(*shape)
    uneven.diagonal().copy_(torch.arange(9.0, 1.0, -1.0))
    found = orthogonal((left @ uneven @ right)[None])[0]
    values = torch.linalg.svdvals(found)
    assert values.min() > 0.6 and values.max() < 1.3
    assert (found - left @ even @ right).abs().max() < 0.35
