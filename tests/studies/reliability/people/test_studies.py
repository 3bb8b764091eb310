"""Both human studies as a step: simulated over the labels of a run, or from survey rows; never mixed."""

import pytest

from harness import rows
from harness.errors import InputError
from harness.kit.study import Brief, Dataset
from harness.studies.reliability.people import simulate, surveys
from harness.studies.reliability.people.studies import analyse
from harness.studies.reliability.study import Reliability

SUBSETS = {"addition": ("addition",), "science": ("gpqa", "obqa")}


def label_rows(items=12, models=("m", "n"), prompts=3):
    return [
        {
            "model": model, "item": f"{subset}-{n:05d}", "benchmark": benchmark, "subset": subset,
            "difficulty": 100 * (n + 0.5) / items,
            "labels": "".join("caii-c"[(n * 7 + place * 5 + len(model)) % 6] for place in range(prompts)),
        }
        for benchmark, subsets in SUBSETS.items()
        for subset in subsets
        for n in range(items)
        for model in models
    ]  # fmt: skip


@pytest.fixture
def analysed(tmp_path):
    def run(labels=None, count=12, params=None, **more):
        rows.write(tmp_path / "labels", labels if labels is not None else label_rows())
        simulate.make({"seed": 1, "count": count}, {}, tmp_path)
        inputs = {"labels": tmp_path / "labels", "items": tmp_path / "items"}
        for name, value in more.items():
            (rows.write_one if name == "templates" else rows.write)(tmp_path / f"given-{name}", value)
            inputs[name] = tmp_path / f"given-{name}"
        analyse({"seed": 0, "resamples": 100, **(params or {})}, inputs, tmp_path)
        [found] = rows.read(tmp_path / "people")
        return found

    return run


def test_simulated_people_are_asked_within_bounds_and_the_result_says_so(analysed):
    found = analysed()
    assert found["simulated"] is True
    assert (found["s1"]["participants"], found["s1"]["ratings"]) == (12, 12 * (12 + 15))  # 15 of each; 12 at most
    assert list(found["s1"]["benchmarks"]) == ["addition", "science"]
    assert list(found["s1"]["parts"]) == list(found["s2"]["parts"]) == ["science:gpqa", "science:obqa"]
    assert list(found["s2"]["models"]) == ["m", "n"]
    assert set(found["s2"]["curve"]) == {"addition", "science", "science:gpqa", "science:obqa"}
    addition = found["s1"]["benchmarks"]["addition"]
    assert addition["selection"]["selected"] == "difficulty"
    assert addition["selection"]["candidates"]["difficulty"]["spearman"]["value"] > 0.8
    assert addition["calibration"]["beta"]["value"] > 0
    low, high = found["s2"]["all"]["supervision_accuracy"]["interval"]
    assert 0 < low < found["s2"]["all"]["supervision_accuracy"]["value"] < high < 1


def test_no_calibration_comes_of_simulated_people_or_of_the_scale_itself(analysed):
    def block(**more):
        return analysed(**more)["s1"]["benchmarks"]["addition"]["calibration"]["block"]

    real = [s1_row(who, f"addition-{n:05d}", expected_failure=10 + 5 * n) for who in ("p", "q") for n in range(12)]
    raw = [{"id": f"addition-{n:05d}", "meta": {"raw_difficulty": {"f_cry": n}}} for n in range(12)]
    assert "simulated" in block()["missing"] and "simulated" in block(questions=raw)["missing"]
    assert "scale" in block(s1=real)["missing"]
    usable = block(s1=real, questions=raw)
    assert (usable["kind"], usable["n_ratings"]) == ("logistic2", 24) and float(usable["beta"]) > 0


def test_the_same_seed_gives_the_same_study_whatever_the_order_of_rows(analysed):
    assert analysed() == analysed(label_rows()[::-1]) != analysed(params={"seed": 1})


def test_raw_measures_even_of_the_gold_compete_to_explain_expectations(analysed):
    items = sorted({row["item"]: row["difficulty"] for row in label_rows()}.items())
    questions = [{"id": i, "meta": {"raw_difficulty": {"f_flat": 1, "f_up": d**2, "f_none": None}}} for i, d in items]
    gold = [{"id": i, "gold": {"target": "t"}, "raw_difficulty": {"f_noise": int(i[-1]) % 2}} for i, _ in items]
    found = analysed(questions=questions, gold=gold)["s1"]["benchmarks"]["addition"]["selection"]
    assert found["selected"] == "f_up"
    assert set(found["candidates"]) == {"f_flat", "f_up", "f_noise"}


def test_outputs_of_stand_ins_are_shown_only_where_there_are_no_others(analysed):
    facts = {"m": {"stand_in": True}, "n": {"stand_in": False}}
    assert list(analysed(params={"models": facts})["s2"]["models"]) == ["n"]
    assert list(analysed(params={"models": {name: {"stand_in": True} for name in "mn"}})["s2"]["models"]) == ["m", "n"]


def test_a_model_without_a_scored_response_is_shown_to_nobody(analysed):
    labels = [row if row["model"] == "m" else {**row, "labels": "---"} for row in label_rows()]
    assert list(analysed(labels)["s2"]["models"]) == ["m"]
    nothing = analysed([{**row, "labels": "---"} for row in label_rows()])
    assert nothing["s2"] == {"missing": "no survey rows"} and nothing["s1"]["ratings"] > 0


def s1_row(person="real", item="addition-00000", benchmark="addition", **more):
    return {
        "participant_id": person, "benchmark": benchmark, "instance_id": item, "answer_label": "c", "confidence": 80,
        "expected_failure": 10, **more,
    }  # fmt: skip


def s2_row(person="real", item="addition-00000", benchmark="addition", model="m", template=1, verdict="c"):
    return {
        "participant_id": person, "benchmark": benchmark, "instance_id": item, "model": model, "template": template,
        "verdict": verdict,
    }  # fmt: skip


def test_survey_rows_take_the_place_of_simulated_people_in_both_studies(analysed):
    found = analysed(s1=[s1_row(), s1_row("other")])
    assert found["simulated"] is False
    assert (found["s1"]["participants"], found["s1"]["ratings"]) == (2, 2)
    assert found["s1"]["benchmarks"]["science"] == {"missing": "no survey rows"}
    assert found["s2"] == {"missing": "no survey rows"}


def test_a_verdict_is_held_against_the_label_of_the_output_that_was_shown(analysed):
    by_item = {(row["model"], row["item"]): row["labels"] for row in label_rows()}
    labels = by_item["m", "addition-00001"]
    place = labels.index("i")
    given = [
        s2_row(item="addition-00001", template=[7, 8, 9][place]),
        s2_row("two", "addition-00001", template=[7, 8, 9][place]),
    ]
    templates = {"addition": [7, 8, 9], "science": [7, 8, 9]}
    found = analysed(s2=given, templates=templates)
    assert found["simulated"] is False and found["s1"] == {"missing": "no survey rows"}
    counts = found["s2"]["benchmarks"]["addition"]["counts"]
    assert counts["i"]["c"] == 2 and sum(sum(row.values()) for row in counts.values()) == 2
    [only] = found["s2"]["curve"]["addition"]
    assert only["shares"]["i->c"]["value"] == 1


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("s1", s1_row(item="nowhere")), ("s1", s1_row(benchmark="nowhere")), ("s1", s1_row(confidence=200)),
        ("s2", s2_row(item="nowhere")), ("s2", s2_row(model="nobody")), ("s2", s2_row(template=99)),
        ("s2", s2_row(verdict="maybe")), ("s2", {**s2_row(), "template": None}), ("s2", {**s2_row(), "model": 3}),
        ("s2", ["c"]),
    ],
)  # fmt: skip
def test_a_survey_row_that_cannot_be_used_is_named_by_its_number(analysed, name, row):
    with pytest.raises(InputError) as bad:
        analysed(**{name: [row]})
    assert bad.value.where == f"{name} row 1"


def test_nobody_judges_an_output_twice_and_an_error_cannot_be_judged(analysed):
    labels = [{**row, "labels": "c-i"} for row in label_rows()]
    with pytest.raises(InputError, match="twice"):
        analysed(labels, s2=[s2_row(), s2_row()])
    with pytest.raises(InputError, match="no label"):
        analysed(labels, s2=[s2_row(template=2)])


def test_one_participant_and_one_item_are_defined(analysed):
    found = analysed([row for row in label_rows(1, ("m",)) if row["benchmark"] == "addition"], count=1)
    assert found["s1"]["benchmarks"]["addition"]["degenerate"] is True
    assert "missing" in found["s1"]["benchmarks"]["addition"]["calibration"]
    assert found["s2"]["all"]["degenerate"] is True


def test_answers_about_items_not_in_a_limited_run_are_counted_and_left_out(analysed):
    asked = [row for row in label_rows() if row["item"].endswith("00000") or row["benchmark"] == "science"]
    questions = [{"id": row["item"], "task": row["benchmark"]} for row in label_rows()]
    left = "addition-00007"
    found = analysed(
        asked, questions=questions, s1=[s1_row(), s1_row(item=left)], s2=[s2_row(item=left), s2_row(model="n")]
    )
    assert (found["s1"]["ratings"], found["s1"]["not_asked"], found["s2"]["not_asked"]) == (1, 1, 1)
    assert found["s2"]["all"]["n"] == 1
    only = analysed(asked, questions=questions, s1=[s1_row(item=left)], s2=[s2_row(item=left)])
    assert only["s1"] == only["s2"] == {"missing": "no survey rows", "not_asked": 1}
    with pytest.raises(InputError, match="not among the labels"):
        analysed(asked, questions=questions, s1=[s1_row(item=left, benchmark="science")])


def test_respondents_of_two_sources_are_refused_before_any_model_answers():
    datasets = tuple(Dataset(make, f"reliability.{make}", {}, 3) for make in ("simulated_people", "surveys"))
    with pytest.raises(InputError, match="simulated_people and surveys both hold respondents") as told:
        Reliability().plan(Brief(datasets, (), {}, {}, (0,)))
    assert told.value.where == "datasets.surveys"


def test_real_answers_are_counted_by_participant_and_never_read_further(tmp_path):
    answers = [{"participant_id": who, "benchmark": "addition"} for who in ("p2", "p1", "p2")]
    rows.write(tmp_path / "s1", answers)
    rows.write(tmp_path / "s2", answers[:1])
    surveys.make({}, {"s1": tmp_path / "s1", "s2": tmp_path / "s2"}, tmp_path)
    assert list(rows.read(tmp_path / "items")) == [
        {"id": "p1", "answers": {"s1": 1, "s2": 0}}, {"id": "p2", "answers": {"s1": 2, "s2": 1}},
    ]  # fmt: skip
    for line in ("{}", "[", '{"participant_id": 7}'):
        (tmp_path / "s2").write_text(line + "\n")
        with pytest.raises(InputError, match="no answer of a person") as told:
            surveys.make({}, {"s1": tmp_path / "s1", "s2": tmp_path / "s2"}, tmp_path)
        assert told.value.where == "s2, row 1"
