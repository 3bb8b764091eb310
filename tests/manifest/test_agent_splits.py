"""Splits for agents in a manifest: what they may say, what stays out of the intent, and which line an error names."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from manifest.parsing import GOOD, parse, refused
from support import manifest_text
from support_views import HIDDEN

from harness.digest import canonical_json
from harness.errors import InputError
from harness.manifest.load import LoadedManifest, parse_manifest
from harness.manifest.schema import manifest_splits, split_datasets
from harness.run.locking.datasets import MadeDataset
from harness.run.planning.plan import check_manifest, require_hidden
from harness.studies.registry import find

BUDGET = "  budget: {calls: 10, seconds: 60}\n"


def with_splits(*lines: str, of: str = GOOD) -> str:
    return of + "agents:\n  splits:\n" + "".join(f"    {line}\n" for line in lines) + BUDGET


def checked(text: str) -> InputError:
    """Give the error that a manifest is once its study is known, with the line it names."""
    manifest, tree = parse_manifest(text.encode(), "m.yaml")
    with pytest.raises(InputError) as error:
        check_manifest(LoadedManifest(manifest, text.encode(), tree, Path("manifests/m.yaml"), Path()))
    assert error.value.next
    return error.value


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def test_a_split_says_what_it_asks():
    said = parse(with_splits("dev: {public: true, datasets: [addition], items: 4, templates: [0, 5]}"))
    split = manifest_splits(said)["dev"]
    assert (split.datasets, split.items, split.templates) == (("addition",), 4, (0, 5))
    assert manifest_splits(parse(GOOD)) == {}


def intended(manifest):
    agents = manifest.intent()["agents"]
    assert agents
    return agents["splits"]


def test_what_a_split_does_not_say_is_no_part_of_the_intent():
    plain = intended(parse(with_splits("dev: {public: true}")))["dev"]
    assert plain == {"public": True, "hidden": False, "max_attempts": None}
    full = intended(parse(with_splits("dev: {public: true, items: 4, templates: [2]}")))["dev"]
    assert (full["items"], full["templates"]) == (4, [2]) and "datasets" not in full
    assert json.loads(canonical_json(full)) == full


def test_a_split_that_names_no_dataset_asks_all_that_are_made():
    assert split_datasets(parse(HIDDEN), "test") == ("asked",)
    assert split_datasets(parse(with_splits("dev: {public: true}")), "dev") == ("addition",)


@pytest.mark.parametrize(
    ("split", "said"),
    [
        ("{}", "public or hidden"),
        ("{public: true, hidden: true}", "public or hidden"),
        ("{public: true, datasets: [subtraction]}", "no dataset 'subtraction'"),
        ("{public: true, datasets: []}", "datasets"),
        ("{public: true, datasets: [addition, addition]}", "once"),
        ("{public: true, items: 0}", "items"),
        ("{public: true, templates: [-1]}", "templates"),
        ("{public: true, items: all}", "items"),
        ("{public: true, secret: true}", "unknown key"),
    ],
)
def test_a_split_that_means_nothing_is_an_error_at_its_line(split, said):
    text = with_splits(f"dev: {split}")
    error = refused(text)
    assert said in error.what
    assert error.where == f"m.yaml:{line_of(text, 'dev:')}"


def test_a_dataset_is_not_shown_by_one_split_and_hidden_by_another():
    text = with_splits("dev: {public: true}", "test: {hidden: true, datasets: [addition]}")
    error = refused(text)
    assert "'addition'" in error.what and "'dev'" in error.what
    assert error.where == f"m.yaml:{line_of(text, 'test:')}"


def test_a_hidden_split_of_a_recipe_is_refused_at_its_line():
    text = with_splits(
        "open: {public: true, datasets: [other]}", "test:\n      hidden: true\n      datasets: [addition]"
    )
    text = text.replace(
        "datasets:\n  addition", "datasets:\n  other: {make: reliability.anagram, seed: 1, per_length: 1}\n  addition"
    )
    error = checked(text)
    assert error.where == f"m.yaml:{line_of(text, 'hidden: true')}"
    assert f"line {line_of(text, '  addition: {make')}" in error.what
    assert "private:" in error.next


def test_a_hidden_split_of_published_data_is_refused():
    text = HIDDEN.replace('"private:questions"', '"https://example.org/questions"')
    error = checked(text)
    assert "can be made by anybody" in error.what
    assert error.where == f"m.yaml:{line_of(text, 'hidden: true')}"


def test_a_private_file_that_has_an_address_too_hides_nothing():
    digest = HIDDEN.partition("sha256: ")[2][:64]
    twin = f'  twin: {{fetch: "https://example.org/q", sha256: {digest}, licence: none}}\n  asked:'
    assert "can be made by anybody" in checked(HIDDEN.replace("  asked:", twin)).what


def test_two_splits_do_not_share_a_private_file():
    shown = "  shown: {make: reliability.openbookqa, seed: 1, count: 2, questions: owned}\n  asked:"
    text = HIDDEN.replace("  asked:", shown).replace(
        "test: {hidden: true,", "dev: {public: true, datasets: [shown]}\n    test: {hidden: true, datasets: [asked],"
    )
    manifest, tree = parse_manifest(text.encode(), "m.yaml")
    maker = find("reliability").makers["reliability.openbookqa"]
    made = {name: MadeDataset(name, "", maker, {}, {"questions": "owned"}) for name in ("shown", "asked")}
    with pytest.raises(InputError, match="made from a file that the public split 'dev'"):
        require_hidden(manifest, made, tree)
    alone = replace(made["shown"], files={})
    require_hidden(manifest, {**made, "shown": alone}, tree)


def test_a_private_file_is_known_by_its_digest_alone():
    said = 'datasets:\n  owned: {fetch: "private:q", licence: none%s}\n'
    text = manifest_text().replace("datasets:\n", said % f", sha256: {'a' * 64}")
    owned = parse(text).datasets["owned"]
    assert owned.private
    for lacking in ("", ", unresolved: lost"):
        text = manifest_text().replace("datasets:\n", said % lacking)
        error = refused(text)
        assert "private file has no address" in error.what
        assert error.where == f"m.yaml:{line_of(text, 'owned:')}"


@pytest.mark.parametrize("name", ["private:", "private:../q", "private:Q", "private:a b", "http://x.org/q"])
def test_a_private_name_is_plain(name):
    text = manifest_text().replace(
        "datasets:\n", f'datasets:\n  q: {{fetch: "{name}", licence: x, sha256: {"a" * 64}}}\n'
    )
    assert "fetch" in refused(text).what
