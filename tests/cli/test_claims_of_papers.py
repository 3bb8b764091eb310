"""`harness claims` over this repository's own manifests: the page of all numbers, and what is seen without any data."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY
from support_inside import inner_data, inside

PAGE = REPOSITORY / "docs" / "claims.md"
STUDIES = ("biomed", "brain", "curie", "reliability")
GROUPS = ("pipeline", "counts", "reading", "transcription")
pytestmark = pytest.mark.together


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a store in which nothing was run."""
    return tmp_path_factory.mktemp("claims") / "none"


@pytest.fixture(scope="module")
def found(nothing: Path) -> dict[str, Any]:
    data: dict[str, Any] = inner_data("claims", "--store", nothing, cwd=REPOSITORY)
    return data


@pytest.mark.long
def test_the_page_of_all_numbers_is_what_the_command_prints(nothing: Path) -> None:
    printed = inside("claims", "--page", "--store", nothing, cwd=REPOSITORY, check=0).stdout
    assert PAGE.read_text(encoding="utf-8") == printed, "write it anew: `harness claims --page > docs/claims.md`"


def test_the_page_has_each_number_once_in_one_of_four_groups(found: dict[str, Any]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == [group.capitalize() for group in GROUPS]
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    once = {(one["study"], str(one["of"]), one["published"], one["tolerance"]) for one in found["claims"]}
    assert len(rows) == len(once) < len(found["claims"])
    told = dict(re.findall(r"^\| (\w+) \| (\d+) \|", text, re.MULTILINE))
    assert told.keys() == set(GROUPS) and sum(map(int, told.values())) == len(rows)


def test_each_claim_has_a_kind_and_a_verdict_of_the_same_names_as_ever(found: dict[str, Any]) -> None:
    assert {one["kind"] for one in found["claims"]} == set(GROUPS)
    assert {one["verdict"].partition(":")[0] for one in found["claims"]} == {"not run"}
    assert not any("kind_reason" in one or "computed" in one for one in found["claims"])
    twice = [one for one in found["claims"] if len(one["manifests"]) > 1]
    assert {tuple(sorted(one["manifests"])) for one in twice} == {
        ("biomed-demo", "biomed-paper"),
        ("curie-archive", "curie-demo"),
        ("curie-archive", "curie-public-copy"),
        ("reliability-addition", "reliability-counts", "reliability-paper"),
    }


@pytest.mark.long
def test_without_data_a_line_a_study_says_what_to_bring_and_how_much_it_shows(nothing: Path) -> None:
    lines = inside("claims", "--store", nothing, cwd=REPOSITORY, check=0).stdout.splitlines()
    told = {line.partition(":")[0]: line for line in lines if " not seen here: " in line}
    assert tuple(told) == STUDIES
    assert (
        "199 by `harness import data FOLDER`, `harness claims --run manifests/reanalysis/brain-H.yaml`" in told["brain"]
    )
    assert "`harness claims --run manifests/paper/curie-public-copy.yaml`" in told["curie"]
    assert "`harness import curie-responses FOLDER`" in told["curie"] and "models are missing" in told["curie"]
    assert "2 by `harness claims --run manifests/paper/reliability-counts.yaml`" in told["reliability"]


def test_every_manifest_that_a_line_names_is_there_and_what_it_shows_is_not_more_than_it_claims(
    found: dict[str, Any],
) -> None:
    held = Counter(one["study"] for one in found["claims"])
    for one in found["unseen"]:
        assert 0 < one["numbers"] <= held[one["study"]]
        for way in one["ways"]:
            assert (REPOSITORY / way["manifest"]).is_file() and 0 < way["shows"] <= one["numbers"]
            assert all(word.startswith("harness ") for word in way["next"])


@pytest.mark.long
def test_what_the_papers_say_of_their_own_numbers_is_made_without_data_and_is_never_met(tmp_path: Path) -> None:
    words = ("claims", "--run", "manifests/paper/biomed.yaml", "--store", tmp_path / "store")
    done = inside(*words, cwd=REPOSITORY, check=0)
    apart = done.stdout.partition("numbers of the paper against each other")[2].splitlines()
    shown = [line for line in apart if line.startswith("transcription  ")]
    assert len(shown) == 13 and all(" agree (no run recorded it) " in line for line in shown)
    assert "transcription: 13: 13 agree, 0 differ, 0 not run" in done.stdout
    assert "170 claims: 0 met, 0 missed, 170 not run" in done.stdout
    assert "dataset is not made: it needs published data that is not here" in done.stderr
    own = [one for one in inner_data(*words, cwd=REPOSITORY)["claims"] if one["kind"] == "transcription"]
    assert [(one["verdict"], one["run"], one["computed"]) for one in own] == [("met", None, True)] * 13


def test_a_printed_number_that_another_one_contradicts_differs_and_is_a_miss_for_scripts(tmp_path: Path) -> None:
    for name in ("manifests", "lockfiles"):
        (tmp_path / name).mkdir()
    text = (REPOSITORY / "manifests" / "demo" / "biomed.yaml").read_text(encoding="utf-8")
    assert text.count('published: "17.71", within: "0"') == 1
    (tmp_path / "manifests" / "biomed.yaml").write_text(
        text.replace('published: "17.71", within: "0"', 'published: "17.72", within: "0"'), encoding="utf-8"
    )
    done = inside("claims", "--run", cwd=tmp_path, check=1)
    assert "transcription: 13: 12 agree, 1 differ, 0 not run" in done.stdout
    assert "cost-gpt-4o: 17.71 is not within 0 of 17.72" in done.stdout and " claims: " not in done.stdout


def test_counts_that_need_neither_model_nor_data_come_from_a_run_of_their_own(tmp_path: Path) -> None:
    words = ("claims", "--run", "manifests/paper/reliability-counts.yaml", "--store", tmp_path / "store")
    first, second = inner_data(*words, cwd=REPOSITORY)["claims"], inner_data(*words, cwd=REPOSITORY)["claims"]
    assert [(one["verdict"], one["value"], one["kind"]) for one in first] == [("met", "3166", "counts")] * 2
    assert first == second and first[0]["run"] and "computed" not in first[0]
