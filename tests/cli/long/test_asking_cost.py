"""What asking will cost is said before anybody is asked, and says itself what each number rests on."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY, manifest_text, unlocked_project
from support_inside import inner_data, inside

pytestmark = pytest.mark.together

SMALL = "manifests/small.yaml"
REMOTE = ("-m", "far=openai/gpt-x", "--only", "model=far")
PRICES = "models.far.prices={input: 2.5, output: 10}"
WORDS = "".join(
    f'"What is the capital of country {number}, which lies in the {side}?",City {number},{side}\n'
    for number in range(30)
    for side in ["north" if number % 2 else "south"]
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    manifest = unlocked_project(tmp_path / "project", models=("refuser",))
    manifest.write_text(manifest_text(models=("refuser",)) + "generation: {temperature: 0, max_tokens: 100}\n")
    inside("lock", SMALL, cwd=tmp_path / "project", check=0)
    return tmp_path / "project"


def asks(project: Path, *words: str, manifest: str = SMALL) -> dict[str, Any]:
    """Give the forecast of the one model that a dry run would ask."""
    [[one]] = [run["asking"] for run in inner_data("run", manifest, "-n", *words, cwd=project)["runs"]]
    return dict(one)


def prompts(project: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in inside("get", "last", "prompts", cwd=project, check=0).stdout.splitlines()]


def test_prompts_that_are_written_are_counted_letter_by_letter(project: Path) -> None:
    inside("run", SMALL, cwd=project, check=0)
    found, rows = asks(project, *REMOTE, "--set", PRICES), prompts(project)
    letters = sum(len(row["text"]) for row in rows)
    tokens = -(-letters // 4)
    assert (found["model"], found["answers"], found["stored"]) == ("far", len(rows), 0)
    assert (found["prompt_tokens"], found["counted_by"]) == (tokens, "characters / 4")
    assert found["output_tokens"] == 100 * len(rows) and found["tape"] == "record"
    assert Decimal(found["dollars"]) == (tokens * Decimal("2.5") + 100 * len(rows) * 10) / 1_000_000
    assert f"about {tokens:,} prompt tokens (characters / 4)" in found["text"] and "at most" in found["text"]


def test_prompts_that_are_not_written_are_estimated_and_said_to_be(project: Path) -> None:
    early = asks(project, *REMOTE)
    inside("run", SMALL, cwd=project, check=0)
    late = asks(project, *REMOTE)
    assert early["counted_by"] == "estimated from the items, characters / 4" and early["dollars"] is None
    assert early["answers"] == late["answers"] and early["output_tokens"] == late["output_tokens"]
    assert 0.7 < early["prompt_tokens"] / late["prompt_tokens"] < 1.5


def test_a_limit_asks_for_fewer(project: Path) -> None:
    inside("run", SMALL, cwd=project, check=0)
    wordings = len({row["template"] for row in prompts(project)})
    assert asks(project, *REMOTE, "--limit", "2")["answers"] == 2 * wordings < asks(project, *REMOTE)["answers"]


def test_what_has_no_bound_has_no_most(project: Path) -> None:
    found = asks(project, *REMOTE, "--set", PRICES, "--set", "generation.max_tokens=unset")
    assert found["output_tokens"] is None and "output tokens without a bound" in found["text"]
    assert Decimal(found["dollars"]) == Decimal(found["prompt_tokens"]) * Decimal("2.5") / 1_000_000
    assert "the prompts about" in found["text"]


def test_a_budget_of_each_prompt_is_added_up(project: Path) -> None:
    inside("run", SMALL, cwd=project, check=0)
    budgets = [row["max_tokens"] for row in prompts(project)]
    found = asks(project, *REMOTE, "--set", "generation.max_tokens=benchmark")
    assert found["output_tokens"] == sum(budgets) and found["answers"] == len(budgets)


def test_a_tape_that_is_replayed_costs_nothing(tmp_path: Path) -> None:
    from support_tape import record

    manifest = unlocked_project(tmp_path / "project")
    record(tmp_path / "project" / "tapes" / "small", ["a"])
    said = "  far: {provider: openai, model: gpt-x, tape: replay, prices: {input: 1, output: 1}}\n"
    manifest.write_text(manifest.read_text().replace("models:\n", "models:\n" + said, 1))
    inside("lock", SMALL, cwd=tmp_path / "project", check=0)
    found = asks(tmp_path / "project")
    assert found["dollars"] == "0" and "nothing is sent" in found["text"]


def test_stand_ins_are_not_counted(project: Path) -> None:
    [run] = inner_data("run", SMALL, "-n", cwd=project)["runs"]
    assert run["asking"] == []


def questions(folder: Path, more: str = "", rows: str = WORDS) -> str:
    """Write and lock a project of questions of one's own, answered by a model that is never reached."""
    for name in ("lockfiles", "manifests", "data"):
        (folder / name).mkdir(parents=True)
    (folder / "data" / "q.csv").write_text("question,answer,side\n" + rows)
    (folder / "manifests" / "q.yaml").write_text(
        "harness: 2\nstudy: questions\nname: q\nabout: A few questions.\n"
        "models:\n  echo: {provider: baseline, behaviour: echo}\n"
        "datasets:\n  q: {file: data/q.csv, fields: {input: question, target: answer, group: side}" + more + "}\n"
        'prompts: {texts: ["Question: {question}\\nAnswer:", "{question} In a word:"]}\n'
        "generation: {max_tokens: 5}\nsettings: {score: [exact]}\n"
    )
    inside("lock", "manifests/q.yaml", cwd=folder, check=0)
    return "manifests/q.yaml"


@pytest.mark.parametrize("more", ["", ", shots: {count: 3, seed: 1}"])
def test_questions_of_ones_own_are_estimated_near_the_truth(tmp_path: Path, more: str) -> None:
    manifest = questions(tmp_path / "q", more)
    early = asks(tmp_path / "q", *REMOTE, manifest=manifest)
    inside("run", manifest, cwd=tmp_path / "q", check=0)
    late = asks(tmp_path / "q", *REMOTE, manifest=manifest)
    assert early["answers"] == late["answers"] == 2 * (27 if more else 30)
    assert late["counted_by"] == "characters / 4" and 0.6 < early["prompt_tokens"] / late["prompt_tokens"] < 1.5


def test_added_rows_are_all_that_is_asked_of_a_derived_manifest_too(tmp_path: Path) -> None:
    folder = tmp_path / "q"
    manifest = questions(folder)
    kept = ("--only", "model=echo")
    for words in ((), kept):
        inside("run", manifest, *words, cwd=folder, check=0)
    data = folder / "data" / "q.csv"
    data.write_text(data.read_text() + '"What is the capital of country 99, by the sea?",City 99,north\n')
    inside("lock", manifest, cwd=folder, check=0)
    seen = {stage["stage"]: stage for stage in inner_data("run", manifest, "-n", cwd=folder)["runs"][0]["stages"]}
    assert (seen["responses"]["cached"], seen["responses"]["executed"]) == (1, 2)  # a shard, and the table of all
    inside("run", manifest, cwd=folder, check=0)
    [run] = inner_data("run", manifest, *kept, cwd=folder)["runs"]
    assert run["steps"]["executed"] == 0, "its lock cuts the rows where the parent's does"
    assert asks(folder, *REMOTE, manifest=manifest)["answers"] == 2 * 31


@pytest.mark.long
def test_a_model_here_is_counted_by_its_tokenizer_before_the_first_step(tmp_path: Path) -> None:
    folder = tmp_path / "q"
    manifest = questions(folder, ", count: 4, seed: 1")
    (folder / "assets").symlink_to(REPOSITORY / "assets")
    words = ("-m", "tiny=transformers/package:repro-harness/tiny-shaped", "--only", "model=tiny")
    done = inside("run", manifest, *words, "--json", cwd=folder, check=0)
    lines = done.stderr.splitlines()
    said = next(number for number, line in enumerate(lines) if "tiny: 8 answers to ask for" in line)
    assert "by its tokenizer" in lines[said] and not any(" executed" in line for line in lines[:said])
    again = asks(folder, *words, manifest=manifest)
    assert (again["answers"], again["stored"], again["prompt_tokens"]) == (8, 8, 0)
    assert "nothing to ask" in again["text"]
    more = asks(folder, *words, "--set", "generation.max_tokens=6", manifest=manifest)
    [spent] = {json.loads(done.stdout)["runs"][0]["run"]}
    rows = inside("get", spent, "responses", cwd=folder, check=0).stdout.splitlines()
    assert more["prompt_tokens"] == sum(json.loads(row)["usage"]["prompt_tokens"] for row in rows)
    assert more["counted_by"] == "by its tokenizer"
