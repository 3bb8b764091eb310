"""The table of the paper's models: complete, sourced, and its computed values what they say they are."""

import re
from decimal import Decimal

from support_cases import each_of

from harness.manifest.schema import Manifest
from harness.studies.reliability.data.budget import CONVERSATIONAL
from harness.studies.reliability.models import COMPUTED, MODELS, SOURCES, STATED, UNVERIFIED
from harness.studies.reliability.standalone.models import ANALYSES

TABLE = {row["name"]: row for row in ANALYSES["reliability.models"].run({})["models"]}
RAW_GPT = {"gpt-3-ada", "gpt-3-babbage", "gpt-3-curie", "gpt-3-davinci"}


def test_there_are_32_models_10_10_and_12_each_under_a_name_of_its_own():
    families = [row["family"] for row in TABLE.values()]
    assert (len(TABLE), len(MODELS)) == (32, 32)
    assert [families.count(name) for name in ("gpt", "llama", "bloom")] == [10, 10, 12]
    assert len({row["paper_name"] for row in TABLE.values()}) == 32
    assert all(re.fullmatch(r"[a-z0-9._-]+", name) for name in TABLE)


def test_raw_and_shaped_are_as_the_paper_has_them():
    raw = {name for name, row in TABLE.items() if not row["shaped"]}
    assert {name for name in raw if name.startswith("gpt") or name.startswith("text")} == RAW_GPT
    assert len([name for name in raw if TABLE[name]["family"] == "llama"]) == 7
    assert len([name for name in raw if TABLE[name]["family"] == "bloom"]) == 6


def test_an_exact_pair_is_raw_and_shaped_with_equal_size_and_compute():
    pairs = {name: row["raw_twin"] for name, row in TABLE.items() if row["raw_twin"]}
    assert len(pairs) == len(set(pairs.values())) == 9
    for shaped, raw in pairs.items():
        assert TABLE[shaped]["shaped"] and not TABLE[raw]["shaped"]
        assert all(TABLE[shaped][field] == TABLE[raw][field] for field in ("family", "parameters", "tokens", "flops"))
    assert pairs["llama-2-70b-chat"] == "llama-2-70b" and pairs["bloomz-176b"] == "bloom-176b"


def test_our_compute_is_6_times_parameters_times_tokens_to_3_digits():
    ours = [row for row in TABLE.values() if row["flops"].get("source") == "OURS"]
    assert {row["family"] for row in ours} == {"llama", "bloom"} and len(ours) == 22
    for row in ours:
        product = 6 * int(row["parameters"]["value"]) * int(row["tokens"]["value"])
        assert f"{Decimal(product):.2e}".replace("e+", "e") == row["flops"]["value"], row["name"]
        assert row["flops"]["status"] == COMPUTED


def test_among_gpt_models_only_raw_ones_have_compute_as_published():
    known = {
        name: row["flops"]["value"] for name, row in TABLE.items() if row["family"] == "gpt" and "value" in row["flops"]
    }
    assert known == {
        "gpt-3-ada": "6.41e20", "gpt-3-babbage": "2.38e21", "gpt-3-curie": "1.20e22", "gpt-3-davinci": "3.14e23",
    }  # fmt: skip
    assert all(TABLE[name]["flops"]["source"] == "B20" for name in RAW_GPT)
    assert TABLE["gpt-4-v2"]["flops"] == {"missing": "not published"} == TABLE["gpt-4-v2"]["parameters"]


def test_every_value_names_a_known_source_and_how_sure_it_is():
    for row in TABLE.values():
        for value in (row["parameters"], row["tokens"], row["flops"], row["access"]):
            assert "missing" in value or (
                value["source"] in SOURCES and value["status"] in (STATED, COMPUTED, UNVERIFIED)
            ), row["name"]
    unsure = {name for name, row in TABLE.items() if row["parameters"].get("status") == UNVERIFIED}
    assert unsure >= {"gpt-3-ada", "text-davinci-003", "bloom-1b7"} and "bloom-560m" not in unsure


def test_gated_are_the_llama_2_weights_alone():
    gated = {name for name, row in TABLE.items() if row["access"]["gated"]}
    assert gated == {name for name in TABLE if name.startswith("llama-2-")}
    assert TABLE["llama-2-13b-chat"]["access"]["hub"] == "meta-llama/Llama-2-13b-chat-hf"
    assert TABLE["bloomz-176b"]["access"]["hub"] == "bigscience/bloomz"
    assert TABLE["gpt-4-v1"]["access"]["model"] == "gpt-4-0314"


def test_the_models_that_were_given_more_tokens_are_gpt_3_5_and_gpt_4():
    grouped = {name: row["group"] for name, row in TABLE.items() if row["group"]}
    assert grouped == {"gpt-3.5-turbo": "gpt-3.5", "gpt-4-v1": "gpt-4", "gpt-4-v2": "gpt-4"}
    assert set(grouped.values()) == set(CONVERSATIONAL)


@each_of("model", MODELS)
def test_the_facts_of_a_model_can_stand_in_a_manifest(model):
    source = {"provider": "baseline", "behaviour": "empty", "facts": model.facts()}
    read = Manifest.model_validate(
        {
            "harness": "1", "study": "reliability", "name": "x", "about": "x", "models": {model.name: source},
            "datasets": {"a": {"make": "reliability.addition", "seed": "7", "count": "1"}},
            "prompts": {"set": "reliability/addition@1"}, "generation": {"temperature": "0", "max_tokens": "1"},
            "seeds": ["0"], "image": "cpu", "resources": {"gpus": "0", "memory": "1GiB", "timeout": "1m"},
            "outputs": {"items": "exact"},
        }
    )  # fmt: skip
    assert read.models[model.name].facts == model.facts()
    assert set(model.facts()) <= {"family", "shaped", "parameters", "flops", "raw_twin", "group"}
    assert model.facts()["shaped"] in ("true", "false")
