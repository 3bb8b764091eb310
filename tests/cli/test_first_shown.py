"""What comes first: after a run its scores, with pass@k, majorities and groups; of two runs the words that differ."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from support import REPOSITORY
from support_inside import inner_data, inside

from harness.cli.terminal import display_width, words_text, wrap_text
from harness.verbs.scoring import DifferingWords, SideWords, cut_to_difference

pytestmark = pytest.mark.together  # one project, run three times, serves most
MANIFEST = "manifests/lands.yaml"
LANDS = "Kenya:Nairobi:Africa Egypt:Cairo:Africa Japan:Tokyo:Asia Iran:Tehran:Asia France:Paris:Europe Peru:Lima:Andes"
TEXT = """\
harness: 2
study: questions
name: lands
about: Capitals of a few lands, for a test.
models:
  oracle: {provider: baseline, behaviour: oracle}
  coin: {provider: baseline, behaviour: coin-oracle}
datasets: {lands: {file: data/lands.csv, fields: {input: question, target: answer, group: continent}}}
prompts: {text: "Say it. {question}"}
settings: {score: [exact], samples: 4}
resources: {gpus: 0, memory: 2GiB, timeout: 10m}
outputs: {summary: exact, report.html: exact}
"""


def project(folder: Path, lands: str = LANDS) -> Path:
    """Lay down a project of a few questions, locked."""
    for name in ("manifests", "lockfiles", "data"):
        (folder / name).mkdir(parents=True)
    rows = [one.split(":") for one in lands.split()]
    with open(folder / "data" / "lands.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [("question", "answer", "continent"), *((f"Capital of {a}?", b, c) for a, b, c in rows)]
        )
    (folder / MANIFEST).write_text(TEXT)
    inside("lock", MANIFEST, cwd=folder, check=0)
    return folder


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """Run the project; give its folder, what the first run printed, and its id."""
    folder = project(tmp_path_factory.mktemp("first") / "project")
    told = inside("run", MANIFEST, cwd=folder, check=0).stdout
    return folder, told, inner_data("runs", cwd=folder)["runs"][0]["run"]


@pytest.mark.long
def test_an_unconfirmed_run_begins_with_its_scores_and_ends_with_what_to_do(ran: tuple[Path, str, str]) -> None:
    folder, told, run = ran
    lines = told.splitlines()
    assert lines[0] == f"lands: scores of run {run}" and lines[1].startswith("model ")
    assert lines[-2].startswith("lands: unconfirmed, no run was accepted under this lock (")
    assert lines[-1].startswith(f"  next:  `harness lock --accept {run}` makes these outputs the expected ones")
    assert "sha256" not in told and not re.search(r"\b[0-9a-f]{12}\b", told), "no digest unless it is asked for"
    every = inside("run", "-v", MANIFEST, cwd=folder, check=0).stdout
    assert every.index("scores of run") < every.index("sha256") < every.index("lands: unconfirmed")
    assert len(re.findall(r"^lands  .*unconfirmed", every, re.MULTILINE)) > 5


@pytest.mark.long
def test_pass_at_k_majorities_and_groups_stand_in_the_table(ran: tuple[Path, str, str]) -> None:
    folder, told, run = ran
    [again] = inner_data("scores", run, cwd=folder)["runs"]
    summary = json.loads(inside("get", run, "summary", cwd=folder, check=0).stdout)
    few = [line for line in again["further"] if not line.get("column")]
    assert [(line["model"], line["metric"]) for line in few if line["model"] == "coin"] == [
        ("coin", "pass@1"), ("coin", "pass@2"), ("coin", "pass@4"), ("coin", "majority")
    ]  # fmt: skip
    of = summary["samples"]["coin"]["lands"]["exact"]
    assert [line["value"] for line in few if line["model"] == "coin"] == [
        *(of["pass_at"][k]["value"] for k in ("1", "2", "4")), of["majority"]["value"]
    ]  # fmt: skip
    groups = [line for line in again["further"] if line.get("column")]
    assert {line["column"] for line in groups} == {"continent"} and len(groups) == 2 * 4
    for line in groups:
        made = summary["groups"]["lands"]["continent"]["values"][line["group"]][line["model"]]["exact"]
        assert all(line.get(part) == made.get(part) for part in ("value", "n", "interval", "no_interval"))
    for text in ("exact/pass@4", "exact/majority", "continent: Africa"):
        assert text in told and text in inside("scores", run, cwd=folder, check=0).stdout


@pytest.mark.long
def test_csv_names_the_group_of_a_line(ran: tuple[Path, str, str]) -> None:
    folder, _, run = ran
    rows = list(csv.DictReader(io.StringIO(inside("scores", run, "--csv", cwd=folder, check=0).stdout)))
    assert {row["group"] for row in rows if row["column"]} == {"Africa", "Asia", "Europe", "Andes"}
    assert sum(row["metric"] == "pass@2" for row in rows) == 2


@pytest.mark.long
def test_a_run_of_a_derived_manifest_says_that_it_is_never_accepted(ran: tuple[Path, str, str], tmp_path: Path) -> None:
    words = ("run", MANIFEST, "--store", tmp_path / "store", "-m", "yes=baseline/always-yes")
    wrong = inside(*words, "--only", "model=oracle", cwd=ran[0], check=2).stderr
    assert "--only model=oracle leaves out the model 'yes' that -m adds" in wrong and "model=oracle,yes" in wrong
    told = inside(*words, "--only", "model=oracle,yes", cwd=ran[0], check=0).stdout
    assert told.splitlines()[-1].startswith(
        "  next:  no run of a derived manifest is accepted; to keep manifests/derived"
    )


@pytest.mark.long
def test_of_very_many_groups_the_first_are_shown_and_a_sentence_says_how_to_see_all(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", " ".join(f"Land{place}:Town{place}:Group{place}" for place in range(40)))
    told = inside("run", MANIFEST, cwd=folder, check=0).stdout
    run = inner_data("runs", cwd=folder)["runs"][0]["run"]
    assert f"76 more on several answers and groups: `harness scores {run}` shows all" in told
    assert told.count("continent: ") <= 12
    shown = inside("scores", run, cwd=folder, check=0).stdout
    assert "28 more on several answers and groups: --csv and --json have all" in shown
    assert len(inner_data("scores", run, cwd=folder)["runs"][0]["further"]) == 88


@pytest.mark.long
def test_a_run_that_gives_the_accepted_bytes_under_another_lock_is_told_to_carry(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    inside("run", MANIFEST, cwd=folder, check=0)
    inside("lock", "--accept", "last", cwd=folder, check=0)
    (folder / MANIFEST).write_text((folder / MANIFEST).read_text().replace("about: ", "about: Again, ", 1))
    told = inside("run", "--relock", MANIFEST, cwd=folder, check=0).stdout
    assert told.splitlines()[-1] == "  next:  `harness lock --carry MANIFEST` moves what is expected to this lock"
    assert "lock --carry MANIFEST" in inside("reproduce", MANIFEST, cwd=folder, check=1).stderr
    inside("lock", "--carry", MANIFEST, cwd=folder, check=0)
    assert "lands: agreed" in inside("run", MANIFEST, cwd=folder, check=0).stdout


@pytest.mark.long
def test_compare_shows_wording_prompt_and_answer_side_by_side(ran: tuple[Path, str, str]) -> None:
    folder, _, run = ran
    found = inner_data("compare", run, "--models", "oracle", "coin", cwd=folder)
    first = found["words"][0]
    assert (first["item"], first["left"]["model"], first["right"]["model"]) == (
        found["items"][0]["item"], "oracle", "coin"
    )  # fmt: skip
    assert first["left"]["wording"] == "Say it. {question}" and first["left"]["prompt"].startswith(
        "Say it. Capital of "
    )
    assert first["left"]["prompt"] == first["right"]["prompt"] and len(found["words"]) <= 3
    shown = inside("compare", run, "--models", "oracle", "coin", cwd=folder, env={"COLUMNS": "72"}, check=0).stdout
    assert all(one["left"]["answer"] != one["right"]["answer"] for one in found["words"]), "a sample that differs"
    head = f"{first['item']}, wording 0" + (f", sample {first['sample']}" if first["sample"] else "")
    block = shown.partition(f"{head}:\n")[2].splitlines()
    assert block[0].split() == ["oracle", "coin"]
    assert [line.split()[0] for line in block[1:4]] == ["wording", "prompt", "answer"]
    assert first["left"]["answer"] in block[3] and all(len(line) <= 72 for line in block[:4])


@pytest.mark.long
def test_diff_shows_the_words_of_the_first_rows_that_differ(ran: tuple[Path, str, str], tmp_path: Path) -> None:
    folder, _, run = ran
    text = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(text.replace("Say it. {question}", "Please say it. {question}"))
    try:
        inside("lock", MANIFEST, cwd=folder, check=0)
        inside("run", MANIFEST, cwd=folder, check=0)
    finally:
        (folder / MANIFEST).write_text(text)
    found = inner_data("diff", run, "last", cwd=folder, check=1)
    inside("lock", MANIFEST, cwd=folder, check=0)
    assert found["first"]["stage"] in ("settings", "prompts") and 1 <= len(found["words"]) <= 3
    first = found["words"][0]
    assert (first["left"]["wording"], first["right"]["wording"]) == ("Say it. {question}", "Please say it. {question}")
    assert first["right"]["prompt"] == f"Please {first['left']['prompt'].replace('Say', 'say')}"
    assert first["left"]["answer"] and first["right"]["answer"]
    newest = inner_data("runs", cwd=folder)["runs"][0]["run"]
    shown = inside("diff", run, newest, cwd=folder, env={"COLUMNS": "72"}, check=1).stdout
    [line] = [line for line in shown.splitlines() if line.startswith(" wording")][:1]
    assert line.split("  ")[0].strip() == "wording" and "Say it. {question}" in line and "Please say it." in line


@pytest.mark.long
def test_the_page_names_manifest_and_models_and_get_says_run_and_date(
    ran: tuple[Path, str, str], tmp_path: Path
) -> None:
    folder, _, run = ran
    told = inside("get", run, "report.html", "-o", tmp_path / "page.html", cwd=folder, check=0).stdout
    html = (tmp_path / "page.html").read_text()
    started = inner_data("runs", cwd=folder)["runs"][-1]["started"]
    assert f"of lands, run {run} of {started}" in told and run not in html
    assert "baseline/coin-oracle" in html and "<bdi>lands</bdi>" in html and "Items and answers" in html
    assert "Comparison" in html and "Capital of Kenya?" in html


SIDES = ("the same beginning " * 200 + "and left", "the same beginning " * 200 + "and right, which is longer")


def test_long_texts_are_cut_to_the_place_where_they_differ() -> None:
    left, right = cut_to_difference(*SIDES, most=100, before=20)
    assert left == "…" + SIDES[0][-24:] and right == "…" + SIDES[1][len(SIDES[0]) - 24 :]
    assert cut_to_difference("a" * 300, "a" * 300, most=100, before=20) == ("a" * 100 + "…",) * 2
    assert cut_to_difference("", "b") == ("", "b")


HOSTILE = "\x1b[31mred\x1b[0m\nlands: agreed (9 outputs)\r\u202eabc\t" + "漢字" * 90 + " 🙂" + "x" * 500


@pytest.mark.parametrize("columns", [20, 60, 80, 400])
def test_hostile_words_stay_in_their_column(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    sides = [SideWords(model=name, wording="{q}", prompt=HOSTILE, answer=text)
             for name, text in (("a", HOSTILE), ("b\nc", "fine"))]  # fmt: skip
    shown = words_text([DifferingWords(item="it\x1bem\nlands: agreed", template=0, left=sides[0], right=sides[1])])
    first, *lines = shown.splitlines()
    assert first == "it\x1bem\\nlands: agreed, wording 0:", "the terminal's writer replaces what is left"
    assert "\x1b" not in "".join(lines) and "\u202e" not in shown and "\r" not in shown
    assert all(line.startswith(" ") for line in lines) and max(map(display_width, lines)) <= max(min(columns, 200), 40)


def test_lines_are_broken_between_words_where_they_can_be() -> None:
    assert wrap_text("one two three", 7) == ["one two", "three"]
    assert wrap_text("漢字漢字", 5) == ["漢字", "漢字"] and wrap_text("abcdefgh", 3) == ["abc", "def", "gh"]
    assert wrap_text("", 5) == [""]


@pytest.mark.long
def test_this_repository_s_claims_without_data_are_counts_by_kind_and_a_line_a_study(tmp_path: Path) -> None:
    lines = inside("claims", "--store", tmp_path / "empty", cwd=REPOSITORY, check=0).stdout.splitlines()
    kinds, [total], studies = lines[:4], lines[4:5], lines[5:]
    assert [line.partition(":")[0] for line in kinds] == ["pipeline", "counts", "reading", "transcription"]
    assert re.match(r"\d+ claims: 0 met, 0 missed, \d+ not run \(\d+ stand in several manifests\)", total)
    assert len(studies) == 4 and all("harness import" in line and len(line) < 500 for line in studies)
