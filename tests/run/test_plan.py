"""A plan is what manifest and lock mean and nothing else; it never shows the answers to a model."""

from dataclasses import replace
from typing import Any

import pytest
from support import manifest_text, unlocked_project

from harness.errors import HarnessError, InputError, MissingError
from harness.manifest.load import LoadedManifest, load_manifest, parse_manifest
from harness.manifest.lockfile import Lock
from harness.run.lock import static_pins
from harness.run.planning.plan import check_manifest, make_plan
from harness.steps import GATHER, STAGES, Pinned, Plan, Ref, Step, key_preimage, step_key

ROWS = {name: {"sha256": digit * 64, "rows": 19} for name, digit in (("items", "a"), ("gold", "b"), ("counts", "c"))}


def loaded(tmp_path, text):
    manifest, tree = parse_manifest(text.encode(), "m.yaml")
    return LoadedManifest(manifest, text.encode(), tree, tmp_path / "m.yaml", tmp_path)


def planned(tmp_path, text=None, limit=0, **pins):
    one = loaded(tmp_path, text or manifest_text())
    held: Any = {**static_pins(one), "datasets": {"addition": ROWS}, **pins}
    return make_plan(check_manifest(one), Lock(one.manifest.intent(), one.sha256, held), limit)


def step(name="s", stage="responses", inputs=None, outputs=("out",), **more):
    return Step(name, "harness.rows:cut", stage, {}, inputs or {}, outputs, **more)


GOLD = step("make", "rows", outputs=("items", "gold"))


def test_the_same_manifest_and_lock_give_the_same_plan(tmp_path):
    assert planned(tmp_path).as_data() == planned(tmp_path / "elsewhere").as_data()


def test_every_step_comes_after_what_it_reads_and_has_a_known_stage(tmp_path):
    made = planned(tmp_path).check()
    names = [one.name for one in made.steps]
    for place, one in enumerate(made.steps):
        assert one.stage in STAGES
        assert all(ref.step in names[:place] for ref in one.refs())
    always = {"items", "gold", "counts", "prompts", "responses", "scores", "labels", "proportions", "checks"}
    assert set(made.outputs) == always
    declared = planned(tmp_path, manifest_text() + "outputs: {figure-1.svg: exact}\n").check()
    assert {"figure-1.svg", "figure-4.png", "indicators", "scaling"} <= set(declared.outputs)
    assert not {"people", "report.html"} & set(declared.outputs)


def test_only_stand_ins_that_say_so_are_shown_the_answers(tmp_path):
    text = manifest_text(models=("oracle", "noisy-oracle", "refuser", "forger", "echo", "empty", "lister"))
    steps = [one for one in planned(tmp_path, text).steps if one.stage == "responses" and "responses/" in one.name]
    shown = {one.params["model"] for one in steps if one.sees_gold}
    assert shown == {"oracle", "noisy-oracle"}
    for one in steps:
        assert ("gold" in one.inputs) == one.sees_gold
        assert set(one.inputs) == ({"prompts", "items", "gold"} if one.sees_gold else {"prompts"})


@pytest.mark.parametrize(
    "between",
    [
        [],
        [step("between", "rows", {"rows": Ref("make", "gold")}, ("part-00000",))],
        [step("between", "prompts", {"a": Ref("make", "items"), "b": Ref("make", "gold")}, ("prompts",))],
        [
            step("one", "rows", {"rows": Ref("make", "gold")}),
            step("two", "prompts", {"x": (Ref("make", "items"), Ref("one", "out"))}),
        ],
    ],
    ids=["directly", "in a slice", "in a prompt", "in a fan-in"],
)
def test_a_model_is_never_shown_the_answers_by_whatever_way(between):
    last = between[-1] if between else GOLD
    source = Ref(last.name, last.outputs[-1])
    with pytest.raises(InputError, match="would show the answers to a model"):
        Plan((GOLD, *between, step(inputs={"prompts": source})), {}).check()
    Plan((GOLD, *between, step(inputs={"prompts": source}, sees_gold=True)), {}).check()
    Plan((GOLD, *between, step(stage="scores", inputs={"gold": source})), {}).check()
    Plan((GOLD, *between, step(inputs={"prompts": Ref("make", "items")})), {}).check()


@pytest.mark.parametrize("by", ["items", "gold"])
def test_foreign_code_is_never_shown_the_answers_but_those_a_model_gave(by):
    answers = step(inputs={"prompts": Ref("make", "items"), "gold": Ref("make", "gold")}, sees_gold=True)
    given = {"responses": Ref(answers.name, answers.outputs[0]), by: Ref("make", by)}
    writes = step("writes", "judgements", given, ("programs",))
    tried = replace(step("tried", "judgements", {"programs": Ref("writes", "programs")}, ("trials",)), trial=True)
    scored = step("scored", "scores", {"trials": Ref("tried", "trials"), "gold": Ref("make", "gold")})
    plan = Plan((GOLD, answers, writes, tried, scored), {})
    if by == "gold":
        with pytest.raises(InputError, match="would show the answers to foreign code"):
            plan.check()
    else:
        plan.check()
        with pytest.raises(InputError, match="tries foreign code and does more"):
            replace(plan, steps=(GOLD, answers, writes, replace(tried, stage="scores"))).check()


JUDGE = step("judge", "judgements", {"gold": Ref("make", "gold"), "items": Ref("make", "items")}, ("judgements",))
SAID = Ref("judge", "judgements")


def test_a_judge_may_see_the_answers_and_what_it_says_is_scored():
    Plan((GOLD, JUDGE, step("scored", "scores", {"judgements": SAID})), {"judgements": SAID}).check()


@pytest.mark.parametrize(
    ("last", "outputs"),
    [
        (step(inputs={"prompts": SAID}, sees_gold=True), {}),
        (replace(step(inputs={"parts": (SAID,)}), kind=GATHER), {}),
        (step("between", "scores", {"x": SAID}), {"prompts": Ref("between", "out")}),
        (step("again", "judgements"), {}),
    ],
    ids=["by a stand-in that sees gold", "gathered", "by way of a score", "of a judge that sees no gold"],
)
def test_no_step_that_answers_takes_what_a_judge_said(last, outputs):
    source = outputs.get("prompts", Ref(last.name, "out"))
    answer = () if last.stage == "responses" else (step("answer", inputs={"prompts": source}),)
    with pytest.raises(InputError, match="would take what a judge said for an answer"):
        Plan((GOLD, JUDGE, last, *answer), {}).check()


def test_what_a_judge_said_passes_for_no_output_of_responses():
    with pytest.raises(InputError, match="would take what a judge said for an answer"):
        Plan((GOLD, JUDGE), {"responses": SAID}).check()


@pytest.mark.parametrize(
    ("steps", "outputs", "said"),
    [
        ((step("a"), step("a")), {}, "two steps are called 'a'"),
        ((step("a", inputs={"x": Ref("b", "out")}), step("b")), {}, "no earlier step makes"),
        ((step("a"), step("b", inputs={"x": (Ref("a", "other"),)})), {}, "no earlier step makes"),
        ((step("a", inputs={"x": Ref("a", "out")}),), {}, "no earlier step makes"),
        ((step("a"),), {"y": Ref("a", "other")}, "no step makes"),
    ],
)
def test_a_plan_that_names_what_is_not_there_is_refused(steps, outputs, said):
    with pytest.raises(InputError, match=said):
        Plan(steps, outputs).check()


def test_a_limit_keeps_the_first_items_and_says_so_in_the_steps(tmp_path):
    cuts = [one for one in planned(tmp_path, limit=5).steps if one.kind.endswith(":cut")]
    assert {one.params["rows"] for one in cuts} == {5}
    assert {one.params["rows"] for one in planned(tmp_path, limit=10**6).steps if one.kind.endswith(":cut")} == {19}


def test_rows_are_cut_into_shards_that_cover_them_all(tmp_path):
    many = {name: {**pin, "rows": 1000} for name, pin in ROWS.items()}
    made = planned(tmp_path, datasets={"addition": many})
    cut = next(one for one in made.steps if one.name == "addition/items")
    assert len(cut.outputs) == -(-1000 // cut.params["size"]) > 1
    assert list(cut.outputs) == sorted(cut.outputs)


@pytest.mark.parametrize("kind", ["models", "datasets"])
def test_what_is_unresolved_is_named_with_its_reason(tmp_path, kind):
    with pytest.raises(MissingError, match=f"{kind}.m is unresolved: it is gated"):
        planned(tmp_path, **{kind: {"m": {"unresolved": "it is gated"}}})


def test_many_unresolved_pins_are_named_together_each_reason_once(tmp_path):
    gated = {f"m{number}": {"unresolved": "it is gated"} for number in range(3)}
    with pytest.raises(MissingError) as lack:
        planned(tmp_path, models={**gated, "m9": {"unresolved": "no revision"}})
    assert lack.value.what == (
        "4 pins are unresolved: models.m0, models.m1, models.m2 (it is gated); models.m9 (no revision)"
    )
    assert lack.value.next == "provide them, then `harness lock` again"
    many = {f"m{number:02}": {"unresolved": "it is gated"} for number in range(30)}
    with pytest.raises(MissingError, match=r"30 pins are .* models.m07 \(it is gated\); and 22 more"):
        planned(tmp_path, models=many)


@pytest.mark.parametrize(
    ("old", "new", "what", "mend"),
    [
        ("count: 20", "count: -6", "`datasets.addition.count` must be a whole number, not '-6'",
         "0 or more: `count: 20`"),
        ("count: 20", "count: 2.5", "must be a whole number, not '2.5'", "write a whole number in digits alone"),
        ("count:", "cuont:", "unknown key `datasets.addition.cuont`",
         "did you mean `count`? this maker takes: seed, "),
        ("count:", "quux:", "unknown key `datasets.addition.quux`", "this maker takes: seed, count"),
    ],
)  # fmt: skip
def test_a_wrong_parameter_of_a_maker_is_named_by_line_with_what_it_takes(tmp_path, old, new, what, mend):
    path = unlocked_project(tmp_path)
    text = path.read_text().replace(old, new, 1)
    path.write_text(text)
    with pytest.raises(InputError) as bad:
        check_manifest(load_manifest(path))
    assert what in bad.value.what and mend in bad.value.next
    assert bad.value.where == f"{path}:{text[: text.index(new)].count(chr(10)) + 1}"


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("study: reliability", "study: alchemy", 2, "there is no study 'alchemy'"),
        ("reliability.addition", "reliability.subtraction", 9, "makes no 'reliability.subtraction'"),
        ("seed: 7, ", "", 9, "`datasets.addition.seed` is missing"),
        ("seed: 7", "seed: seven", 9, "must be a whole number"),
        ("seed: 7", "seed: -7", 9, "must be a whole number"),
        ("seed: 7", "seed: 7.0", 9, "must be a whole number"),
        ("seed: 7", "seed: [7]", 9, "must be a whole number"),
        ("seed: 7", "seed: \u0667", 9, "must be a whole number"),
        ("seed: 7", "seed: 7, colour: red", 9, "unknown key `datasets.addition.colour`"),
        ("behaviour: noisy-oracle", "behaviour: psychic", 7, "no stand-in behaves as 'psychic'"),
        ("addition@1", "addition@9", 10, "no wordings 'reliability/addition@9'"),
    ],
)
def test_what_only_a_study_knows_is_checked_before_anything_is_planned(tmp_path, old, new, line, said):
    assert manifest_text().count(old) == 1
    with pytest.raises(InputError) as error:
        check_manifest(loaded(tmp_path, manifest_text().replace(old, new)))
    assert said in error.value.what
    assert error.value.where == f"m.yaml:{line}" and error.value.next


@pytest.mark.parametrize("output", ["report.html", "figure-1.svg", "figure-4.png"])
@pytest.mark.parametrize("level", ['{within: "1e-9"}', '{interval: "0.95"}'])
def test_a_page_or_a_figure_is_compared_by_its_bytes_alone(tmp_path, output, level):
    assert planned(tmp_path, manifest_text() + f"outputs: {{{output}: exact}}\n").outputs[output]
    with pytest.raises(InputError, match="is a page or a figure") as error:
        check_manifest(loaded(tmp_path, manifest_text() + f"outputs: {{{output}: {level}}}\n"))
    assert error.value.where == f"m.yaml:{manifest_text().count(chr(10)) + 1}" and "exact" in error.value.next


@pytest.mark.parametrize(
    "text",
    [
        manifest_text() + "outputs: {itmes: exact}\n",
        manifest_text().replace("prompts: {set: reliability/addition@1}\n", ""),
        manifest_text(models=()).replace("models:", "models: {}"),
    ],
    ids=["an output there is not", "no wordings", "no models"],
)
def test_a_manifest_that_its_study_cannot_plan_is_refused_at_its_line(tmp_path, text):
    with pytest.raises(HarnessError) as error:
        planned(tmp_path, text)
    assert error.value.code == 2
    assert error.value.where.startswith("m.yaml:") and error.value.next


def test_a_key_names_everything_that_can_change_a_result_and_nothing_else(tmp_path):
    from harness.steps import Setting

    setting = Setting("e" * 64, "cpu", {"TZ": "UTC"})
    one = Step("s", "m:f", "scores", {"a": 1}, {"x": Pinned("d" * 64)}, ("out",))
    base = step_key(key_preimage(one, {"x": "d" * 64}, "c" * 64, setting))

    def changed(inputs=None, code="c" * 64, around=setting, **fields):
        return step_key(key_preimage(Step(**{**vars(one), **fields}), inputs or {"x": "d" * 64}, code, around))

    gpu = Setting("e" * 64, "cuda:sm_90", {"TZ": "UTC"})
    same = [changed(name="other"), changed(stage="rows"), changed(derive=True), changed(sees_gold=True)]
    same += [changed(infers=True), changed(around=gpu)]  # the device is in the key of a step that infers, and no other
    assert set(same) == {base}
    moved = [
        changed(kind="m:g"), changed(params={"a": 2}), changed(outputs=("out", "more")), changed(batch="4"),
        changed(inputs={"x": "f" * 64}), changed(inputs={"y": "d" * 64}), changed(inputs={"x": ["d" * 64]}),
        changed(code="f" * 64), changed(around=Setting("f" * 64, "cpu", {"TZ": "UTC"})),
        changed(infers=True, around=gpu), changed(around=Setting("e" * 64, "cpu", {})),
    ]  # fmt: skip
    assert len({base, *moved}) == len(moved) + 1


DATA = 'cities: {fetch: "https://x.org/cities.csv", sha256: "' + "0" * 64 + '", licence: CC BY 4.0}'
PLACES = "places: {make: reliability.locality, seed: 7, per_bin: 1, cities: cities}"


def with_places(*lines):
    text = manifest_text().replace("reliability/addition@1", "[reliability/addition@1, reliability/locality@1]")
    return text.replace("datasets:\n", "datasets:\n" + "".join(f"  {line}\n" for line in lines))


def test_a_maker_is_given_the_published_data_that_it_names(tmp_path):
    held = {"addition": ROWS, "places": ROWS, "cities": {"sha256": "0" * 64}}
    made = planned(tmp_path, with_places(PLACES, DATA), datasets=held)
    [step] = [one for one in made.steps if one.name == "places/make"]
    assert set(step.inputs) == {"cities"}
    assert set(step.params) == {"seed", "per_bin"}


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ((PLACES,), "names no dataset that is fetched"),
        ((PLACES.replace("cities: cities", "cities: addition"), DATA), "names no dataset that is fetched"),
        ((PLACES.replace("cities: cities", "citys: cities"), DATA), "unknown key `datasets.places.citys`"),
        (("sums: {make: reliability.small_addition, seed: 7, count: 3}",), "the same ids"),
        (("quiz: {make: reliability.gpqa, seed: 7}",), "`datasets.quiz.questions` is missing"),
        ((PLACES.replace("}", ", calibration: {kind: logistic2, alpha: x}}"), DATA), "`datasets.places.calibration`"),
    ],
)
def test_data_that_is_named_wrongly_is_told_with_its_line(tmp_path, lines, what):
    with pytest.raises(InputError) as told:
        planned(tmp_path, with_places(*lines))
    assert what in told.value.what
    assert told.value.where.startswith("m.yaml:")


def test_an_output_that_a_claim_points_at_is_made(tmp_path):
    claim = 'claims:\n  - {of: "indicators#/models/oracle/correct", at_least: "0", where: here}\n'
    assert "indicators" in planned(tmp_path, manifest_text() + claim).outputs
    with pytest.raises(InputError, match="no output 'indicator'"):
        planned(tmp_path, manifest_text() + claim.replace("indicators#", "indicator#"))


@pytest.mark.parametrize("lacking", [{name: ROWS[name] for name in ("gold", "counts")}, {"sha256": "a" * 64}])
def test_a_lock_without_the_item_count_of_a_dataset_plans_nothing(tmp_path, lacking):
    with pytest.raises(InputError, match="the lock pins no dataset 'addition'"):
        planned(tmp_path, datasets={"addition": lacking})
