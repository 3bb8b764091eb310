"""What may be written under `settings.score`, what a brief holds of it, and what each entry asks of data and steps."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from support_answer_scores import SETTINGS, entry
from support_cases import each_of

from harness.errors import InputError
from harness.kit.judge import RuleJudge
from harness.kit.study import Brief, Dataset, Instrument, Model
from harness.manifest.load import suggest_key
from harness.studies.questions.meaning import MEANINGS, renamed
from harness.studies.questions.scoring import catalogue
from harness.studies.questions.settings import KINDS, QuestionsSettings

DATASET = Dataset("d", "file", {"fields": {"target": "t"}}, 1)
LEAST: dict[str, Any] = {"regex": {"pattern": "a"}, "judge": {"rubric": "Is it right?"}}
EVERY = [{kind: LEAST.get(kind)} for kind in KINDS]


def typed(score: Any, **more: Any) -> dict[str, Any]:
    return dict(SETTINGS.dump_python(SETTINGS.validate_python({"score": score, **more}), mode="json"))


def brief(score: list[Any], *roles: str) -> Brief:
    model = Model("m", "transformers", {})
    measuring = {role: Instrument(role, model, {}) for role in roles}
    return Brief((DATASET,), (), {}, {}, (1,), settings=typed(score), instruments=measuring)


def test_an_entry_is_kept_flat_with_every_default_and_without_a_float() -> None:
    assert entry("exact") == {"scorer": "exact", "name": "exact"}
    assert entry({"choice": {"from": "options", "by": "loglikelihood", "as": "likely"}}) == {
        "scorer": "choice", "name": "likely", "from": "options", "by": "loglikelihood", "normalise": "sum",
        "show": "text",
    }  # fmt: skip
    assert entry({"number": {"tolerance": "0.01"}})["tolerance"] == "0.01"
    assert not [value for each in EVERY for value in entry(each).values() if isinstance(value, float | dict | list)]
    assert typed(["exact"]) == {"score": [{"scorer": "exact", "name": "exact"}], "samples": 1}


def test_every_scorer_has_a_step_that_can_be_loaded_and_a_meaning() -> None:
    measured = {"perplexity"}  # it scores texts, and no answer
    assert set(catalogue.KINDS) == set(KINDS) - measured and set(KINDS) <= set(MEANINGS)
    for kind in catalogue.KINDS.values():
        module, _, name = kind.partition(":")
        assert callable(getattr(import_module(module), name))


@each_of(
    ("score", "place", "what"),
    [
        ([], (), "names 1 to 50 scorers"), (["exact", "exact"], (), "two scorers are called 'exact'"), (["exakt"],
        ("score", 0), "one of exact, match"),
        ([{"exakt": None}], ("score", 0, "exakt"), "Unexpected"), ([{"exact": {}, "match": {}}], ("score", 0),
        "names one scorer"),
        ([{"match": {"cas": "true"}}], ("score", 0, "match", "cas"), "Unexpected"), ([{"match": {"as_": "x"}}],
        ("score", 0, "match", "as_"), "Unexpected"),
        ([{"match": {"as": "A B"}}], ("score", 0, "match", "as"), "lower-case"), ([{"number": {"tolerance": "-1"}}],
        ("score", 0, "number", "tolerance"), "0 or more"),
        ([{"number": {"relative": "nan"}}], ("score", 0, "number", "relative"), "finite"), (["regex"], ("score",
        0, "regex", "pattern"), "required"),
        (["judge"], ("score", 0, "judge", "rubric"), "required"), ([{"judge": {"rubric": " "}}], ("score", 0, "judge",
        "rubric"), "write a text"),
        ([{"judge": {"rubric": {"file": "r.txt"}}}], ("score", 0, "judge", "rubric"), "write the rubric itself"),
        ([{"json": {"schema": {"type": "object"}}}], ("score", 0, "json", "schema"), "as JSON, one text"),
        ([{"judge": {"rubric": "x" * 20_001}}], ("score", 0, "judge", "rubric"), "20,000"),
        ([{"code": {"timeout": "0"}}], ("score", 0, "code", "timeout"), "from 1"),
        ([{"choice": {"by": "letter", "normalise": "token"}}], ("score", 0, "choice"), "loglikelihood"), ([["exact"]],
        ("score", 0), "dictionary"),
        (["exact"] * 51, (), "1 to 50"), ("exact", ("score",), "tuple"),
    ],
)  # fmt: skip
def test_what_is_written_wrong_is_named_with_its_place(score: Any, place: tuple[Any, ...], what: str) -> None:
    with pytest.raises(ValidationError) as bad:
        typed(score)
    first = bad.value.errors()[0]
    assert first["loc"] == place and what in first["msg"]


def test_an_unknown_key_is_mended_by_the_name_that_a_manifest_uses() -> None:
    written = {"score": [{"choice": {"form": "options"}}]}
    assert suggest_key(("score", 0, "choice", "form"), written, QuestionsSettings) == "did you mean `from`?"
    assert suggest_key(("score", 0, "exakt"), {"score": [{"exakt": {}}]}, QuestionsSettings) == "did you mean `exact`?"


def test_a_schema_for_editors_knows_names_alone_and_names_with_switches() -> None:
    import jsonschema

    schema = TypeAdapter(QuestionsSettings).json_schema()
    fits = jsonschema.Draft202012Validator(schema).is_valid
    assert fits({"score": ["exact", {"choice": {"from": "options", "by": "loglikelihood"}}]})
    assert not fits({"score": ["exakt"]}) and not fits({"score": [{"match": {"cas": True}}]})
    assert not fits({"score": [{"exact": {}, "match": {}}]}) and not fits({})


def test_several_scorers_look_at_one_answer_each_at_what_it_needs() -> None:
    score = [*EVERY, {"judge": {"rubric": "Is it kind?", "as": "kind"}}, {"bertscore": {"as": "near"}}]
    found = catalogue.asked_scorers(brief(score, "judge", "encoder"), DATASET)
    reads = {one.name: (one.judges, one.trials) for one in found.scorers}
    assert len(reads) == len(score) - 1 and "perplexity" not in reads
    assert reads.pop("judge") == (("judge",), ()) and reads.pop("kind") == (("kind",), ())
    assert reads.pop("bertscore") == reads.pop("near") == (("encoder",), ()) and reads.pop("code") == ((), ("code",))
    assert set(reads.values()) == {((), ())}
    assert [judge.name for judge in found.judges] == ["judge", "kind", "encoder"] and isinstance(
        found.judges[2], RuleJudge
    )
    assert [(one.name, one.limits.seconds) for one in found.trials] == [("code", 10)]


def test_choice_by_likelihood_and_perplexity_ask_nobody_for_an_answer() -> None:
    score = [{"choice": {"by": "loglikelihood"}}, "perplexity"]
    assert catalogue.asked_scorers(brief(score), DATASET) == catalogue.AskedScorers()


@pytest.mark.parametrize(("score", "role"), [({"judge": LEAST["judge"]}, "judge"), ("bertscore", "encoder")])
def test_a_scorer_without_its_instrument_is_refused_at_its_place(score: Any, role: str) -> None:
    with pytest.raises(InputError, match=role) as bad:
        catalogue.asked_scorers(brief(["exact", score]), DATASET)
    assert bad.value.where == "settings.score.1" and f"{{{role}: " in bad.value.next


def test_each_entry_says_which_fields_it_cannot_do_without() -> None:
    target, none = frozenset({"target"}), frozenset[str]()
    wanted = {kind: catalogue.wants(entry({kind: LEAST.get(kind)})) for kind in KINDS}
    assert wanted.pop("choice") == {"target", "options"} and wanted.pop("code") == {"tests"}
    assert wanted.pop("judge") == wanted.pop("perplexity") == none and set(wanted.values()) == {target}
    assert catalogue.wants(entry({"json": {"schema": "{}"}})) == none
    assert catalogue.wants(entry({"json": {"schema": "{}", "equal": "true"}})) == target
    assert catalogue.wants(entry({"regex": {"pattern": "a", "matches": "true"}})) == none


def test_a_scorer_by_another_name_keeps_its_meaning() -> None:
    found = renamed(["exact", {"code": {"as": "tests"}}, {"match": None}, {"match": {"as": "loose"}}])
    assert found["tests"] == MEANINGS["code"] and found["tests/passed"] == MEANINGS["code/passed"]
    assert found["loose"] == MEANINGS["match"] and found.keys() - MEANINGS.keys() == {"tests", "tests/passed", "loose"}
    assert renamed(None) == renamed("exact") == renamed([3, {}, {"exact": {"as": 3}}]) == MEANINGS
