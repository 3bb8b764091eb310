"""Cheap strategies: each answers as its name says, for the tasks where it makes sense, and what it scores is known."""

from __future__ import annotations

import json
import statistics
import time

import pytest
import yaml
from support import REPOSITORY
from support_draws import drawn
from support_pace import soon

from harness import rows
from harness.errors import InputError
from harness.kit.ask import Asked, How, ask, make
from harness.kit.study import Brief, Dataset, Templates
from harness.run.closure import Code
from harness.steps import Pinned, Plan, Ref
from harness.studies.curie import strategies
from harness.studies.curie.demo import biogr, geo, pdb, qecc
from harness.studies.curie.scoring import boxes, boxes_strict, sequences, sequences_strict
from harness.studies.curie.strategies import PREFIX, STRATEGIES, StrategyView, names
from harness.studies.curie.strategy_finds import MOST, finds
from harness.studies.curie.strategy_model import StrategyModel, strategy_model
from harness.studies.curie.tasks import TASKS

MAKERS = {"biogr": biogr.make, "geo": geo.make, "pdb": pdb.make, "qecc": qecc.make}
PROPERTY_PAPER = "Gallium nitride, GaN, has a band gap of 3.4 eV at 300 K. Al2O3 melts at 2072 °C. We used PBE in VASP."


def view(task, document="", truth="{}", target="", other=None, seed=1):
    return StrategyView(task, document, target, truth, other, seed)


def answer(name, *given, **more):
    return STRATEGIES[name].answer(view(*given, **more))


@pytest.fixture
def answered(tmp_path):
    """Make a demo task, ask it in two wordings, and give its items, golds and the strategies' rows."""

    def ask_all(task, count=8, seeds=(0,)):
        MAKERS[task]({"seed": 7, "count": count}, {}, tmp_path)
        items, golds = (list(rows.read(tmp_path / name)) for name in ("items", "gold"))
        asked = ({"item": item["id"], "template": n, "text": item["input"]["text"]} for item in items for n in (1, 2))
        rows.write(tmp_path / "prompts", asked)
        inputs = {name: tmp_path / name for name in ("items", "gold", "prompts")}
        strategies.respond({"task": task, "seeds": list(seeds), "model": "strategies"}, inputs, tmp_path)
        return items, golds, list(rows.read(tmp_path / "responses"))

    return ask_all


@pytest.mark.parametrize("task", MAKERS)
def test_each_prompt_and_sample_has_one_answer_of_each_strategy(answered, task):
    items, _, found = answered(task, seeds=(0, 1))
    keys = [(row["item"], row["template"], row["model"], row["sample"]) for row in found]
    wanted = [(item["id"], n, name, k) for item in items for n in (1, 2) for k in (0, 1) for name in names(task)]
    assert sorted(keys) == sorted(wanted)
    assert all(row["finish"] == "stop" and "error" not in row for row in found)


def test_strategies_that_the_specification_names_are_there_for_some_task():
    wanted = ["copy the document", "another record's answer", "one catch-all item", "list everything", "world box",
              "unrelated sequence", "pretty-printed gold"]  # fmt: skip
    assert {PREFIX + name for name in wanted} <= {name for task in TASKS for name in names(task)}
    assert all(len(names(task)) >= 3 for task in TASKS)
    assert all(set(strategy.tasks) <= set(TASKS) for strategy in STRATEGIES.values())


def test_copying_gives_the_document_and_not_the_prompt(answered):
    items, _, found = answered("qecc")
    documents = {item["id"]: item["input"]["text"] for item in items}
    copied = [row for row in found if row["model"] == PREFIX + "copy the document"]
    assert len(copied) == 16
    assert all(row["text"] == documents[row["item"]] for row in copied)


def test_another_records_answer_is_the_next_ones_in_a_circle(answered):
    _, golds, found = answered("geo")
    targets = [gold["gold"]["target"] for gold in golds]
    borrowed = [row["text"] for row in found if row["model"] == PREFIX + "another record's answer"][::2]
    assert borrowed == [*targets[1:], targets[0]]


def test_a_shard_of_one_record_has_no_other_record_to_take_from(answered):
    _, _, found = answered("geo", count=1)
    assert PREFIX + "another record's answer" not in {row["model"] for row in found}


def test_a_sequence_that_is_unrelated_is_as_long_and_scores_about_nothing(answered):
    _, golds, found = answered("pdb", count=12)
    truths = {gold["id"]: gold["gold"]["truth"] for gold in golds}
    drawn = [row for row in found if row["model"] == PREFIX + "unrelated sequence" and row["template"] == 1]
    for row in drawn:
        header, sequence = row["text"].splitlines()
        assert header.startswith(">")
        assert len(sequence) == len(json.loads(truths[row["item"]])["sequence"])
    scores = [(mode.score(row["text"], truths[row["item"]])["value"]) for mode in (sequences, sequences_strict)
              for row in drawn]  # fmt: skip
    paper, strict = statistics.mean(scores[:12]), statistics.mean(scores[12:])
    assert paper == pytest.approx(0.22, abs=0.05)  # above four published models
    assert strict == pytest.approx(0, abs=0.06)


def test_the_same_seed_draws_the_same_sequence_and_another_does_not():
    truth = json.dumps({"sequence": "A" * 40})
    first, again, other = (answer("unrelated sequence", "pdb", truth=truth, seed=seed) for seed in (3, 3, 4))
    assert first == again != other


def test_a_gold_without_a_sequence_still_has_an_unrelated_one():
    assert len(answer("unrelated sequence", "pdb", truth="[1]", target=">x\nACDE\n").split()[1]) == 4
    assert len(answer("unrelated sequence", "pdb", truth="nothing").split()[1]) == 1


def test_the_world_box_is_valid_and_worth_the_share_of_the_world(answered):
    _, golds, found = answered("biogr", count=12)
    truths = {gold["id"]: gold["gold"]["truth"] for gold in golds}
    world = [row for row in found if row["model"] == PREFIX + "world box"]
    for row in world:
        strict = boxes_strict.score(row["text"], truths[row["item"]])
        box = json.loads(truths[row["item"]])
        share = (box["E"] - box["W"]) % 360 * (box["N"] - box["S"]) / (360 * 180)
        assert strict["outcome"] == "valid"
        assert strict["value"] == pytest.approx(share)


@pytest.mark.parametrize("task", MAKERS)
def test_pretty_printed_gold_is_the_truth_on_several_lines(answered, task):
    _, golds, found = answered(task)
    truths = {gold["id"]: json.loads(gold["gold"]["truth"]) for gold in golds}
    for row in found:
        if row["model"] == PREFIX + "pretty-printed gold":
            assert json.loads(row["text"]) == truths[row["item"]]
            assert row["text"].count("\n") > 2


def test_pretty_printed_gold_is_worth_one_for_boxes_and_not_for_sequences(answered, tmp_path):
    box = json.dumps({"W": 1, "S": 2, "E": 3, "N": 4, "record_id": "a"})
    printed = answer("pretty-printed gold", "biogr", truth=box)
    assert boxes.score(printed, box)["value"] == boxes_strict.score(printed, box)["value"] == 1
    chain = json.dumps({"sequence": "ACDEFGHIKL", "record_id": "a"})
    printed = answer("pretty-printed gold", "pdb", truth=chain)
    assert sequences.score(printed, chain)["value"] == sequences_strict.score(printed, chain)["value"] == 0


@pytest.mark.parametrize("truth", ["{'a': NaN, }", "[" * 10_000, '{"a": "\\ud800"}', "1" * 10_000, ""])
def test_gold_that_is_nearly_json_is_given_as_it_is_and_never_fails(truth):
    given = answer("pretty-printed gold", "dft-p", truth=truth)
    given.encode()
    assert given == truth or "?" in given


@pytest.mark.parametrize("task", ["dft-s", "dft-p", "mpv", "mpv-non-trivial", "mpv-specific"])
def test_a_catch_all_item_stands_alone_or_after_one_that_says_nothing(task):
    [item] = json.loads(answer("one catch-all item", task, PROPERTY_PAPER))
    dummy, same = json.loads(answer("a dummy and a catch-all item", task, PROPERTY_PAPER))
    assert same == item and dummy == {"name": "none"}
    told = json.dumps(item, ensure_ascii=False)
    assert all(part in told for part in (("3.4", "eV", "300") if task != "dft-s" else ("GaN", "Al2O3")))


def test_a_catch_all_data_set_holds_every_address_and_day():
    document = "See https://a.example.org/x, and https://b.example.org. From 2001-02-03 to 4 May 2005 in Kenya."
    [only] = json.loads(answer("one catch-all item", "geo", document))["datasets"]
    assert only["dataset_website_or_source"] == ["https://a.example.org/x", "https://b.example.org"]
    [series] = only["variables"]
    assert series["time_range"] == [{"start_date": "2001-02-03", "end_date": "4 May 2005"}]


def test_listing_everything_gives_an_item_a_quantity_or_formula():
    properties = json.loads(answer("list everything", "mpv", PROPERTY_PAPER))
    assert [(one["low_value"], one["value_units"]) for one in properties] == [
        ("3.4", "eV"),
        ("300", "K"),
        ("2072", "°C"),
    ]
    assert properties[2]["material"] == "Al2O3"
    structures = json.loads(answer("list everything", "dft-s", PROPERTY_PAPER))
    assert [one["composition"] for one in structures] == ["GaN", "Al2O3"]
    parameters = json.loads(answer("list everything", "dft-p", PROPERTY_PAPER))
    assert {(one["software"], one["functional"]) for one in parameters} == {("VASP", "PBE")}


def test_listing_everything_about_a_code_is_yaml_with_each_parameter():
    document = "The [[5,1,3]] code, unlike [[7,1,3]], has rate 20% [1].\n[1] arXiv:quant-ph/9602019"
    said = yaml.safe_load(answer("list everything", "qecc", document))
    assert said["Code_parameter"] == "[[5,1,3]], [[7,1,3]]"
    assert said["introduced"] == r"\cite{arXiv:quant-ph/9602019}"
    assert "20%" in said["notes"]


def test_listing_everything_of_a_derivation_gives_every_equation():
    document = "It is $H = a + b$ here.\nE = m c^2\n"
    assert answer("list everything", "hfe", document).splitlines() == ["H = a + b", "E = m c^2"]
    steps = json.loads(answer("list everything", "hfd", document))
    assert [step["Step"] for step in steps] == [1, 2, 3, 4, 5]
    assert {step["answer"] for step in steps} == {"H = a + b\nE = m c^2"}


PIECES = ["[[", "A1", "1", "a = b\n", "$", "Aa ", "http://", "1 a ", "arXiv:", "{", "\x00", "((1", "é"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("piece", drawn(PIECES, 3, len(PIECES)))
def test_a_hostile_document_ends_within_a_second_and_gives_few_finds(piece):
    document = piece * (1_000_000 // len(piece))
    begun = time.process_time()
    found = finds(document)
    for task in TASKS:
        for strategy in STRATEGIES.values():
            if task in strategy.tasks:
                strategy.answer(view(task, document, truth=document))
    assert soon(time.process_time() - begun, 3)
    assert max(len(found.quantities), len(found.formulas), len(found.names), len(found.equations)) <= MOST


def test_a_task_that_is_not_the_studys_is_refused(tmp_path):
    with pytest.raises(InputError, match="no task"):
        strategies.respond({"task": "chess", "seeds": [0]}, {}, tmp_path)


def test_a_prompt_whose_gold_is_not_there_is_refused(tmp_path):
    for name, row in (("items", []), ("gold", []), ("prompts", [{"item": "x", "template": 1, "text": "?"}])):
        rows.write(tmp_path / name, row)
    with pytest.raises(InputError, match="no gold"):
        strategies.respond(
            {"task": "geo", "seeds": [0]}, {each: tmp_path / each for each in ("items", "gold", "prompts")}, tmp_path
        )


def test_a_plan_asks_all_strategies_in_one_step_that_sees_gold():
    asked, model = Asked(), strategy_model("geo")
    brief = Brief((Dataset("d", "t.d", {}, 7),), (model,), {}, {"temperature": 0}, (0,))
    make(asked, brief.datasets[0], "t:make", ("items", "gold", "counts"))
    ask(asked, brief, brief.datasets[0], How("t:score", Templates(Pinned("a" * 64), 1)))
    plan = Plan(tuple(asked.steps), asked.tables()).check()
    [step] = [step for step in plan.steps if step.kind == "harness.studies.curie.strategies:respond"]
    assert isinstance(model, StrategyModel)
    assert (step.sees_gold, step.calls, step.infers, step.outputs) == (True, False, False, ("responses",))
    assert step.params["task"] == "geo" and step.params["seeds"] == [0]
    assert {name: ref.output for name, ref in step.inputs.items() if isinstance(ref, Ref)} == {
        "prompts": "prompts", "items": "part-00000", "gold": "part-00000",
    }  # fmt: skip


def test_the_step_loads_nothing_that_a_plan_is_made_of():
    files = Code(REPOSITORY).closure("harness.studies.curie.strategies:respond").files
    assert "harness/studies/curie/tasks.py" in files
    assert not [name for name in files if name.endswith(("/study.py", "/registry.py", "strategy_model.py"))]
