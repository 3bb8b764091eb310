"""The table that a run shows first, and `scores`, which shows it again: as text, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from models.misbehaving import Misbehaving, misbehaving
from needs import needs
from support import REPOSITORY, finished_project, harness, small_project, unlocked_project
from support_capitals import MANIFEST, ROWS, capitals
from support_inside import inner_data, inside

from harness.cli.scores import csv_text
from harness.kit.certificate import verdict_of

pytestmark = pytest.mark.together  # one project, run once, serves most
SMALL = "manifests/small.yaml"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scores") / "project"
    finished_project(folder)
    return folder


def test_a_run_shows_its_scores_first_and_scores_shows_them_again(ran: Path) -> None:
    told = inside("run", SMALL, cwd=ran, check=0).stdout
    run = inner_data("runs", cwd=ran)["runs"][0]["run"]
    table = told.removeprefix(f"small: scores of run {run}\n").partition("\n\n")[0] + "\n"
    below = "stand-ins, and no models: noisy-oracle (shown the answers), oracle (shown the answers)\n"
    assert table and inside("scores", run, cwd=ran, check=0).stdout == f"small, run {run}\n{table}{below}"
    head, _, *lines = table.splitlines()
    assert head.split()[:5] == ["model", "dataset", "scorer", "n", "value"] and len(lines) == 6
    assert [line.split()[0] for line in lines] == ["noisy-oracle"] * 3 + ["oracle"] * 3
    assert lines[3].split()[2:5] == ["reliability.outcome", "60", "1"]


def test_json_of_a_run_has_the_lines_that_scores_has(ran: Path) -> None:
    [run] = inner_data("run", SMALL, cwd=ran)["runs"]
    [again] = inner_data("scores", "last", cwd=ran)["runs"]
    assert run["scores"] == again["scores"] and len(run["scores"]) == 6 and "more_scores" not in run
    assert again["run"] == run["run"] and again["manifest"] == "small"
    assert again["meanings"]["reliability.outcome"]["direction"] == "higher"
    assert all(line["stored"] and "seconds" not in line for line in run["scores"]), "it asked nobody anew"


def test_csv_has_a_row_a_line_at_full_precision(ran: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(inside("scores", "last", "--csv", cwd=ran, check=0).stdout)))
    lines = inner_data("scores", "last", cwd=ran)["runs"][0]["scores"]
    assert [(row["model"], row["metric"], float(row["value"])) for row in rows] == [
        (line["model"], line["metric"], line["value"]) for line in lines
    ]
    assert [float(row["low"]) for row in rows] == [line["interval"][0] for line in lines]
    assert {row["dollars"] for row in rows} == {""}


@pytest.mark.long
def test_several_runs_stand_in_the_order_in_which_they_are_named(ran: Path) -> None:
    inside("run", SMALL, "--limit", "3", cwd=ran, check=0)
    short, whole = (one["run"] for one in inner_data("runs", cwd=ran)["runs"][:2])
    assert [one["run"] for one in inner_data("scores", whole, short, cwd=ran)["runs"]] == [whole, short]
    rows = list(csv.DictReader(io.StringIO(inside("scores", whole, short, "--csv", cwd=ran, check=0).stdout)))
    assert [row["run"] for row in rows] == [whole] * 6 + [short] * 6


@pytest.mark.long
def test_a_certificate_stands_beside_a_graders_score_as_it_held(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    unlocked_project(folder, count=20, models=("oracle",))
    (line, *_) = _lines(folder)
    assert line["certificate"] == "uncertified"
    shutil.copytree(REPOSITORY / "certificates", folder / "certificates")
    (line, *_) = _lines(folder)
    found = json.loads((folder / "certificates" / "reliability.outcome.json").read_bytes())
    verdict = verdict_of(found).word
    assert line["certificate"] == verdict and line["certificate_text"].startswith(f"{verdict}: ")
    assert f"  {verdict}" in inside("scores", "last", cwd=folder, check=0).stdout


def _lines(folder: Path) -> list[dict[str, str]]:
    inside("lock", SMALL, cwd=folder, check=0)
    lines: list[dict[str, str]] = inner_data("run", SMALL, cwd=folder)["runs"][0]["scores"]
    return lines


@pytest.mark.long
def test_of_many_lines_a_run_shows_the_main_ones(tmp_path: Path) -> None:
    models = ("oracle", "noisy-oracle", "coin-oracle", "refuser", "forger")
    small_project(tmp_path, count=20, models=models)
    told = inside("run", SMALL, cwd=tmp_path, check=0).stdout
    run = inner_data("runs", cwd=tmp_path)["runs"][0]["run"]
    assert f"\n10 more: `harness scores {run}` shows all\n\nsmall: unconfirmed, " in told
    [data] = inner_data("run", SMALL, cwd=tmp_path)["runs"]
    assert [(line["model"], line["metric"]) for line in data["scores"]] == [(name, "") for name in sorted(models)]
    assert data["more_scores"] == 10
    assert len(inner_data("scores", run, cwd=tmp_path)["runs"][0]["scores"]) == 15


@pytest.mark.long
def test_a_choice_by_likelihood_has_tokens_and_seconds(tmp_path: Path) -> None:
    tiny = "{provider: transformers, source: package:repro-harness/tiny-shaped, dtype: float32, batch: reference}"
    folder = capitals(tmp_path / "project", [f"tiny: {tiny}"], [("Capital of France?", "Paris")])
    (folder / "data" / "capitals.csv").write_text("question,a,b,answer\nCapital of France?,Paris,Rome,A\n")
    text = (folder / MANIFEST).read_text().replace("[exact]", "[{choice: {from: options, by: loglikelihood}}]")
    (folder / MANIFEST).write_text(text.replace("target: answer", "options: [a, b], target: answer"))
    harness("lock", MANIFEST, cwd=folder, check=0)
    [line] = inner_data("run", MANIFEST, cwd=folder)["runs"][0]["scores"]
    assert (line["scorer"], line["n"]) == ("choice", 1) and line["seconds"] > 0
    assert line["tokens"].keys() == {"completion"} and line["tokens"]["completion"] >= 2
    [answer] = inner_data("show", "last", "--items", cwd=folder)["answers"]
    assert answer["options"] == {"A": "Paris", "B": "Rome"} and "answer" not in answer
    assert answer["scores"][0]["detail"]["values"].keys() == {"A", "B"}


def test_a_run_of_data_alone_has_no_scores(tmp_path: Path) -> None:
    manifest = unlocked_project(tmp_path)
    text = manifest.read_text().split("models:")[0] + "datasets:\n  addition: "
    manifest.write_text(text + "{make: reliability.addition, seed: 7, count: 12}\n")
    inside("lock", manifest, cwd=tmp_path, check=0)
    assert "scores of run" not in inside("run", manifest, cwd=tmp_path, check=0).stdout
    assert inside("scores", "last", cwd=tmp_path, check=0).stdout.endswith("\nno scores\n")


@pytest.fixture(scope="module")
def server() -> Iterator[Misbehaving]:
    needs("openai", "aiohttp")
    with misbehaving() as one:
        yield one


@pytest.mark.long
def test_tokens_dollars_refusals_and_seconds_are_counted(server: Misbehaving, tmp_path: Path) -> None:
    far = f"provider: openai, model: toy-1, tape: live, base_url: {server.url}/v1, key: TOY_KEY"
    folder = capitals(tmp_path / "project", [f"far: {{{far}, prices: {{input: 1000, output: 2000}}}}", "oracle"])
    server.plan.update({ROWS[0][0]: ["400"], ROWS[1][0]: ["500"] * 9, ROWS[2][0]: ["refused"]})
    key = {"TOY_KEY": "sk-planted-4f1c9b27e8a0d3"}
    told = harness("run", MANIFEST, cwd=folder, env=key, check=0).stdout
    [one] = inner_data("scores", "last", cwd=folder)["runs"]
    far_line, oracle = one["scores"]
    answered = len(ROWS) - 2
    assert (far_line["model"], far_line["n"], far_line["errors"], far_line["refused"]) == ("far", answered, 2, 2)
    assert far_line["tokens"] == {"prompt": 7 * answered, "completion": 5 * answered}
    assert float(far_line["dollars"]) == pytest.approx(answered * (7 * 1000 + 5 * 2000) / 1_000_000)
    assert far_line["seconds"] > 0 and "dollars" not in oracle and "tokens" not in oracle
    assert one["spent"] == {"toy-1": far_line["dollars"]}
    assert f"{7 * answered} + {5 * answered}" in told and f"${far_line['dollars']}" in told


def test_texts_that_a_spreadsheet_would_run_are_marked_as_text() -> None:
    rows: list[list[object]] = [
        ["=1+1", "+2", "-3", "@SUM(A1)"],
        ["\tx", "\rx", "a=b", -0.5],
        ['say "no", please', "two\nlines", None, 3],
    ]
    written = csv_text(["a", "b", "c", "d"], rows)
    read = list(csv.reader(io.StringIO(written, newline="")))
    assert read[1] == ["'=1+1", "'+2", "'-3", "'@SUM(A1)"]
    assert read[2] == ["'\tx", "'\rx", "a=b", "-0.5"]
    assert read[3] == ['say "no", please', "two\nlines", "", "3"]
