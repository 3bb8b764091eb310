"""A whole run of `questions` through the command line: summary, page and table of scores beside its answers."""

from __future__ import annotations

import itertools
import re
from statistics import mean
from typing import Any

import pytest
from studies.curie.pages.page_text import read
from studies.questions.hostile.file_project import FileProject
from support import data_of, outputs_of

pytestmark = pytest.mark.together
TOWNS = 24
DATA = "town,land,part,answer\n" + "".join(
    f"Town {place},Land {place % 6},{'north' if place % 2 else 'south'},name {place}\n" for place in range(TOWNS)
)
SAMPLES = 3


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[FileProject, dict[str, Any]]:
    """Run a stand-in that is right now and then, and one that is always right: two wordings, three answers to each."""
    project = FileProject(tmp_path_factory.mktemp("measured"), DATA).write(
        fields="{input: town, target: answer, cluster: land, group: part}",
        models="{coin: {provider: baseline, behaviour: coin-oracle}, oracle: {provider: baseline, behaviour: oracle}}",
        prompts='{texts: ["Name {town}.", "Who are you, {town}?"]}', score=f"[exact, match], samples: {SAMPLES}",
        rest="outputs: {summary: exact, report.html: exact}\n",
    )  # fmt: skip
    return project, project.run()


def _right(project: FileProject, ran: dict[str, Any]) -> dict[tuple[str, int], list[bool]]:
    """Say of each prompt of the stand-in which of its answers are the target, from responses and gold alone."""
    golds = {row["id"]: row["gold"]["target"] for row in project.rows(ran, "gold")}
    found: dict[tuple[str, int], list[bool]] = {}
    for row in project.rows(ran, "responses"):
        if row["model"] == "coin":
            found.setdefault((row["item"], row["template"]), []).append(row["text"] == golds[row["item"]])
    return found


def test_the_summary_says_of_the_answers_what_counting_them_says(measured: tuple[FileProject, dict[str, Any]]) -> None:
    project, ran = measured
    right, [summary] = _right(project, ran), project.rows(ran, "summary")
    line = summary["scores"]["coin"]["mine"]["exact"]
    assert {len(answers) for answers in right.values()} == {SAMPLES} and len(right) == 2 * TOWNS
    assert line["value"] == pytest.approx(mean(itertools.chain(*right.values())))
    assert 0 < line["value"] < 1 and (line["n"], line["by"], line["clusters"]) == (2 * TOWNS * SAMPLES, "clusters", 6)
    found = summary["samples"]["coin"]["mine"]["exact"]
    for k in (1, 2, 3):
        draws = [mean(any(draw) for draw in itertools.combinations(answers, k)) for answers in right.values()]
        assert found["pass_at"][str(k)]["value"] == pytest.approx(mean(draws))
    for wording in (0, 1):
        shares = [mean(answers) for (_, asked), answers in right.items() if asked == wording]
        told = summary["wordings"]["coin"]["mine"]["exact"]["by_wording"][str(wording)]["value"]
        assert told == pytest.approx(mean(shares))
    assert set(summary["groups"]["mine"]["part"]["values"]) == {"north", "south"}
    assert summary["scores"]["oracle"]["mine"]["match"]["value"] == 1


def test_the_table_of_scores_has_the_intervals_of_the_summary(measured: tuple[FileProject, dict[str, Any]]) -> None:
    project, ran = measured
    [summary] = project.rows(ran, "summary")
    shown = data_of("scores", ran["runs"][0]["run"], cwd=project.folder)
    lines = {(line["model"], line["scorer"]): line for line in shown["runs"][0]["scores"]}
    for model, scorer in itertools.product(("coin", "oracle"), ("exact", "match")):
        told = summary["scores"][model]["mine"][scorer]
        assert lines[model, scorer]["interval"] == told["interval"] and lines[model, scorer]["value"] == told["value"]


def test_the_table_has_the_lines_of_the_groups_and_of_several_answers_below(
    measured: tuple[FileProject, dict[str, Any]],
) -> None:
    project, ran = measured
    [summary] = project.rows(ran, "summary")
    further = data_of("scores", ran["runs"][0]["run"], cwd=project.folder)["runs"][0]["further"]
    found = [line["value"] for line in further if line["model"] == "coin" and line["scorer"].startswith("exact")]
    told = summary["samples"]["coin"]["mine"]["exact"]
    for k in (2, 3):
        assert any(value == pytest.approx(told["pass_at"][str(k)]["value"]) for value in found)


def test_the_page_is_made_where_it_is_declared(measured: tuple[FileProject, dict[str, Any]]) -> None:
    project, ran = measured
    digest = outputs_of(ran)["report.html"]
    html = (project.folder / ".harness" / "blobs" / "sha256" / digest[:2] / digest).read_text()
    read(html)
    for title in (
        "Scores",
        "Figure",
        "Groups",
        "Wordings",
        "Several answers",
        "What is left out",
        "What this rests on",
    ):
        assert f">{title}</h2>" in html
    assert "Who are you, {town}?" in html and "come in 6 clusters" in html
    assert re.search(r"Town \d", html) and re.search(r"name \d", html)  # its data are open to all
