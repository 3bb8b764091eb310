"""The document `findings` where something lacks, is undefined or contradicts itself: no wrong number, no surprise."""

from typing import Any

import numpy as np
import pytest
from studies.brain.measures.findings_run import CONTIGUOUS, FindingsRun, joined
from support_draws import drawn

from harness.errors import InputError
from harness.studies.brain.measures.findings_seeds import over_seeds

NEAR: Any = {"rel": 1e-12, "abs": 1e-14}


@pytest.fixture
def fresh(tmp_path):
    return FindingsRun(tmp_path)


def cases(*families):
    return {"row": {"families": [dict(zip(("participant", "network", "units", "raw", "fdr"), one, strict=True))
                                 for one in families]}}  # fmt: skip


def pair(model, against, levels):
    return {"model": model, "against": against, "nested": True, "levels": levels}


FAMILIES = cases(("a", "language", 2, 1, 0), ("a", "DMN", 1, 1, 1), ("b", "language", 3, 0, 0))
STARRED = cases(("a", "language", 2, 2, 1), ("a", "DMN", 1, 0, 0))


def test_counts_of_tests_are_added_over_families_by_network(fresh):
    fresh.tests = {"contiguous": [
        pair("SP+SL+WORD+gpt@best", "SP+SL+WORD", STARRED),  # of other features
        pair("SP+SL+gpt@best", "SP+SL", FAMILIES),
        pair("SP+SL+gpt@best*", "SP+SL*", STARRED),
        pair("gpt@best", "intercept", FAMILIES),
    ]}  # fmt: skip
    own = fresh.run()["gpt"]["tests"]
    assert own["plain"]["all"] == {"units": 6, "raw": 2, "fdr": 1, "raw_percent": 100 * 2 / 6, "fdr_percent": 100 / 6}
    assert own["plain"]["language"] == {"units": 5, "raw": 1, "fdr": 0, "raw_percent": 20.0, "fdr_percent": 0.0}
    assert own["starred"]["language"]["fdr_percent"] == 50.0
    assert own["intercept"] == own["plain"]


@pytest.mark.parametrize("against", ["SP", "SP*"])
def test_the_star_of_one_simple_space_is_that_space(tmp_path, against, monkeypatch):
    named = {**CONTIGUOUS, "joint/gpt": joined("gpt", ["SP"])}
    monkeypatch.setattr("studies.brain.measures.findings_run.CONTIGUOUS", named)
    run = FindingsRun(tmp_path)
    run.tests = {"contiguous": [pair("SP+gpt@best*", against, STARRED), pair("gpt@2", "intercept", FAMILIES)]}
    own = run.run()["gpt"]
    assert own["tests"]["starred"]["all"]["raw"] == 2 and own["tests"]["intercept"]["all"]["raw"] == 2
    assert "plain" not in own["tests"]
    assert [*own["starred"]] == ["SP"] and own["starred"]["SP"]["subsets_without"] == 1


@pytest.mark.long
def test_tests_of_a_network_without_units_have_no_percentage(fresh):
    fresh.tests = {"contiguous": [pair("gpt@best", "intercept", cases(("a", "DMN", 1, 1, 0)))]}
    own = fresh.run()["gpt"]["tests"]["intercept"]
    assert own["language"] == {"units": 0, "raw": 0, "fdr": 0, "raw_percent": None, "fdr_percent": None}


def test_a_model_at_or_below_zero_has_no_ratio(fresh):
    for split in ("contiguous", "shuffled"):
        fresh.change(split, lambda model: model.startswith("gpt@"), lambda baseline: baseline + 1)
    own = fresh.run()["gpt"]
    assert own["alone"]["contiguous"]["r2"] == 0.0
    assert own["table"]["SP+SL"]["percent_of_alone"] is None
    assert own["table"]["SP+SL"]["percent_of_full"] is not None
    assert (own["time"]["ratio_percent"], own["time"]["times"], own["time"]["units_ratio_percent"]) == (None,) * 3
    assert own["time"]["participants_above"] == 3


@pytest.mark.long
def test_what_a_set_lacks_for_one_seed_is_in_no_mean(fresh):
    fresh.change("contiguous", lambda model: model.startswith("raw-1@"), lambda baseline: baseline + 1)
    found = fresh.run()
    assert found["raw-0"]["table"]["SP+SL"]["percent_of_alone"] is not None
    assert found["raw-1"]["table"]["SP+SL"]["percent_of_alone"] is None
    assert "percent_of_alone" not in found["raw"]["table"]["SP+SL"]
    assert found["raw"]["table"]["SP+SL"]["r2"] == pytest.approx(found["raw-0"]["table"]["SP+SL"]["r2"])


def test_a_row_never_takes_a_better_subset_without_its_last_space(fresh):
    fresh.change("contiguous", lambda model: model == "SP", lambda baseline: baseline / 2)
    table = fresh.run()["gpt"]["table"]
    assert table["SP+SL"] == {"model": "SP", "r2": 0.5, "percent_of_alone": pytest.approx(50 / table["LLM"]["r2"]),
                              "percent_of_full": pytest.approx(50 / table["SP+SL+WORD+LLM"]["r2"])}  # fmt: skip
    assert "WORD" in table["SP+SL+WORD"]["model"] and table["SP+SL+WORD"]["r2"] < 0.5
    assert "gpt@" in table["SP+SL+WORD+LLM"]["model"] and table["SP+SL+WORD+LLM"]["r2"] < 0.5


def test_the_star_with_time_is_above_the_width_that_the_joint_model_has(fresh):
    fresh.change("shuffled", lambda model: model == "OASM@1.5", lambda baseline: baseline / 2)
    own = fresh.run()["gpt"]["time"]
    base = fresh.mean(fresh.r2("OASM@2.2", "shuffled"))
    assert (own["oasm"], own["oasm_r2"], own["star_base"]) == ("OASM@1.5", 0.5, "OASM@2.2")
    assert own["star_gain_percent"] == pytest.approx(100 * (own["star_r2"] / base - 1), **NEAR)


def test_what_knows_time_alone_is_no_feature_beside_a_model(tmp_path, monkeypatch):
    named = {**CONTIGUOUS, "joint/gpt": [*CONTIGUOUS["joint/gpt"], "OASM@2.2+gpt@best", "raw-0@best+gpt@best"]}
    monkeypatch.setattr("studies.brain.measures.findings_run.CONTIGUOUS", named)
    own = FindingsRun(tmp_path).run()["gpt"]
    assert {*own["table"]} == {"SP+SL", "SP+SL+WORD", "SP+SL+WORD+LLM", "LLM"}
    assert own["starred"]["SP+SL+WORD"]["subsets_with"] == 8


@pytest.mark.exhaustive
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("of", drawn(["", "gpt@"], 1, 2))
def test_a_unit_without_a_score_counts_as_zero_and_in_no_correlation(fresh, value, of):
    source = np.random.Generator(np.random.PCG64(5))

    def errors(baseline):
        level = np.linspace(0.6, 1.5, baseline.shape[1])  # of each unit: scores on both sides of 0
        found = source.uniform(0.9, 1.1, baseline.shape) * level
        found[:, 0] = value
        return found

    fresh.change("contiguous", lambda model: of in model, errors)
    own = fresh.run()["gpt"]
    scores = fresh.r2("gpt@2")
    assert own["alone"]["contiguous"]["r2"] == pytest.approx(fresh.mean(scores), **NEAR)
    assert own["alone"]["contiguous"]["units_mean"] == pytest.approx(fresh.counted(scores)[1:].clip(0).mean(), **NEAR)
    row = own["starred"]["SP+SL"]
    both = (["SP", "SL", "SP+SL"], ["gpt@best", *joined("gpt", ["SP", "SL", "SP+SL"])])
    stars = [fresh.counted(fresh.star(models))[1:] for models in both]
    assert row["correlation"] == pytest.approx(np.corrcoef(*stars)[0, 1], **NEAR)
    assert row["correlation_clipped"] == pytest.approx(np.corrcoef(*np.clip(stars, 0, None))[0, 1], **NEAR)
    assert bool(of) or row["correlation_clipped"] != pytest.approx(row["correlation"], rel=1e-6)


@pytest.mark.long
def test_one_unit_has_scores_and_no_correlation(tmp_path):
    own = FindingsRun(tmp_path, who=[("a", "language")]).run()["gpt"]
    assert own["starred"]["SP+SL"]["correlation"] is None
    assert own["time"]["participants"] == 1


@pytest.mark.long
def test_without_chosen_layers_those_of_the_choices_stand_for_a_model(fresh):
    own = fresh.run(best=[])["gpt"]["alone"]
    for split in ("contiguous", "shuffled"):
        published = fresh.document("choices")["exp1"][split]["gpt"]["published"]
        assert (own[split]["model"], own[split]["r2"]) == (published["chosen"], published["r2"])


def test_what_was_not_fitted_is_left_out(tmp_path, monkeypatch):
    for split in ("CONTIGUOUS", "SHUFFLED"):
        named = {name: models for name, models in CONTIGUOUS.items() if name.startswith("text/")}
        monkeypatch.setattr(f"studies.brain.measures.findings_run.{split}", named)
    found = FindingsRun(tmp_path).run()
    assert {*found["gpt"]} == {"alone", "curves"} and "LLM" not in found
    assert {*found["raw"]} == {"alone", "curves", "r2", "seeds", "layers"}


@pytest.mark.long
def test_a_chosen_layer_that_was_not_fitted_stands_for_nothing(tmp_path, monkeypatch):
    named = {name: models for name, models in CONTIGUOUS.items() if name != "text/gpt"}
    monkeypatch.setattr("studies.brain.measures.findings_run.CONTIGUOUS", named)
    own = FindingsRun(tmp_path).run()["gpt"]
    assert {*own} == {"alone", "omega", "time"} and [*own["alone"]] == ["shuffled"]


@pytest.mark.long
def test_a_model_of_which_no_layer_was_chosen_has_no_scores(fresh):
    for part in (fresh.folder / "chosen").iterdir():
        part.unlink()
    fresh.best = []
    fresh.choose({("contiguous", "gpt"): None, ("shuffled", "gpt"): None}, "384")
    assert {*fresh.run()["gpt"]} == {"curves"}


def test_another_number_of_chosen_layers_is_refused(fresh):
    with pytest.raises(InputError, match="6 chosen layers stand beside 5 entries of `best`"):
        fresh.run(best=fresh.best[:5])


def test_a_set_that_is_called_like_a_model_is_refused(fresh):
    with pytest.raises(InputError, match="a set of seeds and a model are both called 'gpt'") as bad:
        fresh.run(untrained={"gpt": ["raw-0", "raw-1"]})
    assert bad.value.where == "untrained"


@pytest.mark.parametrize(
    ("seeds", "told"), [([], "a set has no seed"), (["raw-0", "other"], "nothing was found of 'other'")]
)
def test_a_set_without_seeds_or_of_an_unknown_one_is_refused(seeds, told):
    with pytest.raises(InputError, match=told) as bad:
        over_seeds({"raw-0": {}}, seeds, {})
    assert bad.value.where == "untrained"
