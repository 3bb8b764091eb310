"""The manifest of an attempt's run: what was asked and nothing else, spelled alike whenever it is derived."""

from pathlib import Path

import pytest
from support import REPOSITORY

from harness.errors import InputError
from harness.manifest.load import AttemptAnswered, asked_part, derive_manifest, parse_manifest

SAID = AttemptAnswered("20260101T000000Z-" + "0" * 32, "My Agent/2", "dev", "", "a" * 64)
DEMOS = ("biomed", "curie", "reliability")


def demo(name: str):
    return parse_manifest((REPOSITORY / "manifests" / "demo" / f"{name}.yaml").read_bytes(), name)


def derived(name: str, said: AttemptAnswered = SAID, outputs=("items", "scores")):
    base, tree = demo(name)
    return base, parse_manifest(derive_manifest(base, tree, said, outputs), "derived")[0]


@pytest.mark.parametrize("name", DEMOS)
def test_a_derived_manifest_asks_the_same_of_the_agent_alone(name):
    base, made = derived(name)
    assert list(made.models) == ["agent-my-agent-2"]
    assert made.models["agent-my-agent-2"].transcript == "a" * 64
    assert (made.study, made.settings, made.prompts, made.image) == (
        base.study,
        base.settings,
        base.prompts,
        base.image,
    )
    assert made.instruments == base.instruments
    assert (made.agents, made.claims, made.seeds) == (None, (), (0,))
    assert made.outputs == {one: base.outputs[one] for one in ("items", "scores") if one in base.outputs}


def test_deriving_twice_gives_the_same_bytes():
    base, tree = demo("reliability")
    assert derive_manifest(base, tree, SAID, ["items"]) == derive_manifest(base, tree, SAID, ["items"])


def test_a_subset_keeps_its_dataset_or_its_wording():
    base, _ = demo("reliability")
    whole = asked_part(base, "dev")
    only = AttemptAnswered(SAID.attempt, "", "dev", whole.datasets[0], SAID.transcript)
    assert list(derived("reliability", only)[1].datasets) == [whole.datasets[0]]
    wording = AttemptAnswered(SAID.attempt, "", "dev", f"template-{whole.templates[1]}", SAID.transcript)
    assert derived("reliability", wording)[1].models["agent-unnamed"].templates == (whole.templates[1],)


@pytest.mark.parametrize("subset", ["nothing", "template-99", "template-x", "../items"])
def test_an_unknown_subset_is_refused(subset):
    with pytest.raises(InputError, match="no subset"):
        asked_part(demo("reliability")[0], "dev", subset)


def test_letters_that_yaml_reads_otherwise_come_through(tmp_path: Path):
    base, tree = demo("biomed")
    tree.value["settings"]["mode"] = "strict"
    odd = "a\u2028b\u2029c\x85d\U0001f642"
    tree.value["generation"]["stop"] = [odd]
    made = parse_manifest(derive_manifest(base, tree, SAID, ()), "derived")[1]
    assert made.value["generation"]["stop"] == [odd]
