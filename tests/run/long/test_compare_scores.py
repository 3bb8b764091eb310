"""Two runs and two models side by side: numbers are those of stored rows; what differs is said or refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import data_of, error_of, finished_project, harness
from support_capitals import MANIFEST, ROWS, capitals, write_rows

pytestmark = pytest.mark.together  # two projects, run once each, serve most


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Additions in fifteen wordings, by two stand-ins."""
    folder = tmp_path_factory.mktemp("compared") / "project"
    finished_project(folder, count=24)
    return folder


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Capitals, asked once."""
    folder = capitals(tmp_path_factory.mktemp("capitals") / "project")
    return folder, str(data_of("run", MANIFEST, cwd=folder)["runs"][0]["run"])


@pytest.fixture
def asked(once: tuple[Path, str], tmp_path: Path) -> tuple[Path, str]:
    shutil.copytree(once[0], tmp_path / "project")
    return tmp_path / "project", once[1]


def run_again(folder: Path, rows: list[tuple[str, str]]) -> None:
    write_rows(folder, rows)
    harness("run", MANIFEST, "--relock", cwd=folder, check=0)


def rows_of(folder: Path, run: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in harness("get", run, "scores", cwd=folder, check=0).stdout.splitlines()]


def test_means_wins_and_moved_items_are_those_of_the_stored_rows(small: Path) -> None:
    found = data_of("compare", "last", "--models", "noisy-oracle", "oracle", "--items", "0", cwd=small)
    of: dict[str, dict[Any, dict[str, Any]]] = {"oracle": {}, "noisy-oracle": {}}
    for row in rows_of(small, "last"):
        of[row["model"]][row["item"], row["template"]] = row
    left, right = of["noisy-oracle"], of["oracle"]
    main, avoidant, incorrect = found["lines"]
    assert main["n"] == len(left) == 15 * main["units"] > 60
    assert main["left_value"] == pytest.approx(sum(row["value"] for row in left.values()) / len(left))
    assert main["difference"] == pytest.approx(main["right_value"] - main["left_value"], abs=1e-15)
    moved = {asked for asked in left if left[asked]["value"] != right[asked]["value"]}
    assert {(one["item"], one["template"]) for one in found["items"]} == moved and moved
    assert (main["left_better"], main["right_better"]) == (0, len(moved)) and found["changed"] == len(moved)
    wrong = sum(row["outcome"] == "i" for row in left.values())
    assert (incorrect["left_better"], incorrect["right_better"]) == (0, wrong), "there fewer is better"
    assert "left_better" not in avoidant


def test_p_values_are_corrected_over_all_lines_shown(small: Path) -> None:
    lines = data_of("compare", "last", "--models", "noisy-oracle", "oracle", cwd=small)["lines"]
    ps = sorted((line["p"], line["p_holm"]) for line in lines)
    reached = 0.0
    for place, (p, corrected) in enumerate(ps):
        reached = max(reached, min(1.0, p * (len(ps) - place)))
        assert corrected == pytest.approx(reached)
    assert len(ps) == 3


def test_runs_of_other_items_are_compared_on_the_common_ones(asked: tuple[Path, str]) -> None:
    folder, first = asked
    run_again(folder, [*ROWS[:4], ("Capital of Chad, in full?", "Nairobi"), ROWS[5], ("Capital of Cuba?", "Havana")])
    found = data_of("compare", first, "last", cwd=folder)
    [remark] = found["remarks"]
    assert remark.startswith("compared on the 5 items that both runs have; left out: ")
    assert "1 in the second run alone" in remark and "1 of the same id and another content" in remark
    assert {(line["left"], line["right"], line["n"]) for line in found["lines"]} == {
        ("oracle", "oracle", 5), ("coin-oracle", "coin-oracle", 5),
    }  # fmt: skip
    assert remark in harness("compare", first, "last", cwd=folder, check=0).stdout


def test_runs_without_an_item_in_common_are_not_compared(asked: tuple[Path, str]) -> None:
    folder, first = asked
    run_again(folder, [("Capital of Cuba?", "Havana")])
    error = error_of(harness("compare", first, "last", "--json", cwd=folder, check=2))
    assert error["what"] == "these have no score of the same item by the same scorer in common"


def test_another_right_answer_is_refused_and_named(asked: tuple[Path, str]) -> None:
    folder, first = asked
    run_again(folder, [ROWS[0], ("Capital of Italy?", "Roma"), *ROWS[2:]])
    error = error_of(harness("compare", first, "last", "--json", cwd=folder, check=2))
    assert error["what"] == "item 'capitals-000002' has another right answer in the other run"


def test_other_wordings_and_scorers_are_said(asked: tuple[Path, str]) -> None:
    folder, first = asked
    path = folder / MANIFEST
    path.write_text(path.read_text().replace('text: "{question}"', 'text: "Q: {question}"'))
    harness("run", MANIFEST, "--relock", cwd=folder, check=0)
    assert data_of("compare", first, "last", cwd=folder)["remarks"] == ["the manifests differ in: prompts"]


def test_one_run_of_one_item_has_differences_and_no_interval(asked: tuple[Path, str]) -> None:
    folder, _ = asked
    run_again(folder, ROWS[:1])
    [line] = data_of("compare", "last", "--models", "coin-oracle", "oracle", cwd=folder)["lines"]
    assert (line["n"], line["no_interval"]) == (1, "one item alone") and "interval" not in line


def test_items_of_a_cluster_count_as_one_unit(tmp_path: Path) -> None:
    rows = [(f"{place} and 1 make?", str(place + 1)) for place in range(12)]
    folder = capitals(tmp_path / "project", rows=rows)
    lines = (folder / "data" / "capitals.csv").read_text().splitlines()
    clustered = [f"{line},{'text' if place == 0 else f't{(place - 1) // 4}'}" for place, line in enumerate(lines)]
    (folder / "data" / "capitals.csv").write_text("\n".join(clustered) + "\n")
    path = folder / MANIFEST
    path.write_text(path.read_text().replace("target: answer}", "target: answer, cluster: text}"))
    harness("run", MANIFEST, "--relock", cwd=folder, check=0)
    [line] = data_of("compare", "last", cwd=folder)["lines"]
    assert (line["n"], line["units"], line["test"]) == (12, 3, "sign-flip")
    [score, _] = data_of("scores", "last", cwd=folder)["runs"][0]["scores"]
    assert (score["items"], score["clusters"], score["by"]) == (12, 3, "clusters")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["last", "--models", "oracle", "strange"], "no model 'strange' has scores"),
        (["last", "last", "last"], "at most two runs are compared"),
        (["20200101T000000Z-00000000"], "no run"),
    ],
)
def test_what_cannot_be_compared_is_refused(asked: tuple[Path, str], words: list[str], what: str) -> None:
    assert what in error_of(harness("compare", *words, "--json", cwd=asked[0], check=2))["what"]


def test_runs_of_two_studies_have_nothing_in_common(asked: tuple[Path, str], small: Path) -> None:
    folder = asked[0]
    shutil.copy(small / "manifests" / "small.yaml", folder / "manifests")
    harness("lock", "manifests/small.yaml", cwd=folder, check=0)
    harness("run", "manifests/small.yaml", "--limit", "2", cwd=folder, check=0)
    error = error_of(
        harness("compare", "last", MANIFEST, "--models", "oracle", "oracle", "--json", cwd=folder, check=2)
    )
    assert error["what"] == "these have no score of the same item by the same scorer in common"
