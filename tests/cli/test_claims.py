"""`harness claims` as a reviewer uses it: what was published, what came out, and what was changed in between."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from evidence.forger import Forger, forged
from support import error_of, small_project, tree, unlocked_project
from support_inside import inner_data, inside

from harness.digest import seal_document
from harness.store.store import Store

pytestmark = pytest.mark.together  # one worker makes the project that all of these read
CLAIMS = """claims:
  - {of: "counts#/addition/drawn", published: 20, within: 0, where: "Table 1", id: drawn, status: secondary source}
  - {of: ["counts#/addition/kept", "counts#/addition/drawn"], order: increasing, where: "Figure 2"}
  - {of: "counts#/addition/kept", at_least: 0, at_most: 20, where: "Text"}
"""
SMALL = "manifests/small.yaml"
LOCK = "lockfiles/manifests/small.lock.json"
MISS = ("published: 20, within: 0", "published: 21, within: 0.5")


def edit(project: Path, old: str, new: str) -> None:
    path = project / SMALL
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def relock(project: Path) -> None:
    inside("lock", SMALL, cwd=project, check=0)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a project with claims, locked and run once."""
    folder = tmp_path_factory.mktemp("claims") / "project"
    manifest = unlocked_project(folder, models=("oracle",))
    manifest.write_text(manifest.read_text() + CLAIMS)
    relock(folder)
    inside("run", manifest, cwd=folder, check=0)
    return folder


@pytest.fixture
def project(first: Path, tmp_path: Path) -> Path:
    shutil.copytree(first, tmp_path / "project")
    return tmp_path / "project"


def rows(project: Path, *args: str, check: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = inner_data("claims", *args, cwd=project, check=check)["claims"]
    return found


def verdicts(project: Path, *args: str, check: int = 0) -> list[str]:
    return [row["verdict"] for row in rows(project, *args, check=check)]


def test_claims_that_are_met_exit_0_and_give_the_fields_scripts_rely_on(project: Path) -> None:
    before = tree(project)
    drawn, order, bound = rows(project)
    assert {"id", "manifest", "published", "value", "tolerance", "verdict", "where"} <= set(drawn)
    assert [row["verdict"] for row in (drawn, order, bound)] == ["met"] * 3
    assert (drawn["id"], drawn["manifest"], drawn["published"], drawn["value"]) == ("drawn", "small", "20", "20")
    assert (drawn["tolerance"], drawn["where"], drawn["status"]) == ("0", "Table 1", "secondary source")
    kept = json.loads(inside("get", "last", "counts", cwd=project, check=0).stdout)["addition"]["kept"]
    assert (order["value"], bound["value"], bound["published"]) == ([str(kept), "20"], str(kept), None)
    assert drawn["run"] == inner_data("audit", "last", cwd=project)["run"]
    assert not any(row["moved"] or row["withdrawn"] for row in (drawn, order, bound))
    assert tree(project) == before, "looking at claims writes nothing"


def test_the_table_shows_a_person_what_was_published_and_what_came_out(project: Path) -> None:
    shown = inside("claims", cwd=project, check=0).stdout
    head, _, drawn, *_ = shown.splitlines()
    assert head.split() == ["kind", "manifest", "id", "published", "reproduced", "tolerance", "verdict", "where"]
    told = [
        "met",
        "(run",
        "1",
        "of",
        "1;",
        "0",
        "earlier",
        "variants",
        "missed)",
        "Table",
        "1",
        "[secondary",
        "source]",
    ]
    assert drawn.split() == ["counts", "small", "drawn", "20", "20", "±", "0", *told]
    assert shown.splitlines()[-1] == "3 claims: 3 met, 0 missed, 0 not run"


def test_a_claim_that_is_missed_leaves_with_1_and_says_by_what(project: Path) -> None:
    edit(project, *MISS)
    assert verdicts(project, check=1) == ["missed", "met", "met"]
    assert "small drawn: 20 is not within 0.5 of 21" in inside("claims", SMALL, cwd=project, check=1).stdout


def test_before_any_run_every_claim_says_what_it_needs_and_is_no_miss(project: Path) -> None:
    shutil.rmtree(project / ".harness")
    before = tree(project)
    assert verdicts(project) == ["not run: needs a run"] * 3
    assert verdicts(project, "--store", "elsewhere") == ["not run: needs a run"] * 3
    assert "no store" in inside("claims", cwd=project, check=0).stderr
    assert tree(project) == before
    (project / LOCK).unlink()
    assert verdicts(project) == ["not run: needs a lock"] * 3
    assert {row["value"] for row in rows(project)} == {None}


def test_pins_that_are_not_resolved_are_named(project: Path) -> None:
    edit(project, "models:\n", "models:\n  gpt: {provider: openai, model: gpt-x, tape: replay}\n")
    relock(project)
    assert verdicts(project) == ["not run: needs models.gpt"] * 3


@pytest.mark.long
def test_only_a_complete_run_gives_values(project: Path) -> None:
    limited = inner_data("run", SMALL, "--limit", "2", cwd=project)["runs"][0]["run"]
    assert {row["run"] for row in rows(project)} != {limited}, "the newest complete run counts"
    shutil.rmtree(project / ".harness")
    inside("run", SMALL, "--limit", "2", cwd=project, check=0)
    assert verdicts(project) == ["not run: needs a complete run"] * 3


def test_a_run_of_something_else_under_the_same_name_gives_no_values(project: Path) -> None:
    edit(project, "count: 20", "count: 21")
    assert verdicts(project) == ["not run: needs a lock that fits: /datasets/addition/count moved"] * 3
    relock(project)
    assert verdicts(project) == ["not run: needs a run under its present lock"] * 3
    edit(project, "count: 21", "count: 20")
    relock(project)
    assert verdicts(project) == ["met"] * 3, "the lock is the one of that run again"


def test_a_bar_that_was_moved_after_the_first_run_shows_what_it_was(project: Path) -> None:
    edit(project, *MISS)
    for step in ("edited", "locked", "run again"):
        if step == "locked":
            relock(project)
        if step == "run again":
            inside("run", SMALL, cwd=project, check=0)
        drawn, order, bound = rows(project, check=1)
        assert (drawn["moved"], order["moved"], bound["moved"]) == (True, False, False), step
        assert (drawn["was"]["published"], drawn["was"]["within"], drawn["verdict"]) == ("20", "0", "missed")
    shown = inside("claims", cwd=project, check=1).stdout
    assert "missed (moved)" in shown and "small drawn: the first run registered 20 ± 0\n" in shown


def test_a_claim_that_was_taken_out_stays_and_one_put_in_later_says_so(project: Path) -> None:
    edit(project, '  - {of: "counts#/addition/kept", at_least', '  - {of: "counts#/addition/removed", at_least')
    edit(project, CLAIMS.splitlines(keepends=True)[1], "")
    found = {row["id"]: row for row in rows(project)}
    assert found["drawn"]["withdrawn"] and found["drawn"]["verdict"] == "met"
    assert found["counts#/addition/removed"]["was"]["of"] == "counts#/addition/kept"
    (project / SMALL).write_text((project / SMALL).read_text().partition("claims:")[0])
    assert [row["withdrawn"] for row in rows(project)] == [True] * 3
    assert "and is gone from the manifest" in inside("claims", cwd=project, check=0).stdout


def test_claims_covers_all_manifests_with_claims_by_default(project: Path) -> None:
    text = (project / SMALL).read_text()
    (project / "manifests" / "deep").mkdir()
    (project / "manifests" / "deep" / "other.yaml").write_text(text.replace("name: small", "name: other"))
    (project / "manifests" / "silent.yaml").write_text(text.partition("claims:")[0].replace("small", "silent"))
    assert [row["manifest"] for row in rows(project)] == ["other"] * 3 + ["small"] * 3
    assert [row["manifest"] for row in rows(project, SMALL)] == ["small"] * 3
    assert rows(project, "manifests/silent.yaml") == []
    assert "claims anything" in inside("claims", "manifests/silent.yaml", cwd=project, check=0).stdout
    assert [row["manifests"] for row in rows(project, SMALL)] == [["small", "other"]] * 3
    shown = inside("claims", cwd=project, check=0).stdout
    assert shown.count(" drawn ") == 1 and "small, other" in shown
    assert "3 claims: 3 met, 0 missed, 0 not run (3 stand in several manifests)" in shown


@pytest.mark.long
def test_a_number_that_two_manifests_judge_otherwise_shows_the_miss_and_names_where_it_is_met(project: Path) -> None:
    text = (project / SMALL).read_text()
    (project / "manifests" / "other.yaml").write_text(
        text.replace("name: small", "name: other").replace("count: 20", "count: 30")
    )
    inside("lock", "manifests/other.yaml", cwd=project, check=0)
    inside("run", "manifests/other.yaml", cwd=project, check=0)
    assert {row["manifest"]: row["verdict"] for row in rows(project, check=1) if row["id"] == "drawn"} == {
        "other": "missed",
        "small": "met",
    }
    shown = inside("claims", cwd=project, check=1).stdout
    [line] = [line for line in shown.splitlines() if " drawn " in line]
    assert "missed (met in small)" in line and "other drawn: 30 is not within 0 of 20" in shown


def test_a_first_run_that_was_removed_is_missed_by_name(project: Path) -> None:
    gone = rows(project)[0]["run"]
    edit(project, *MISS)
    relock(project)
    inside("run", SMALL, cwd=project, check=0)
    shutil.rmtree(project / ".harness" / "runs" / gone)
    data = inner_data("claims", cwd=project, check=1)
    assert data["unread"] == [gone] and not data["claims"][0]["moved"]
    assert f"run {gone} cannot be read" in inside("claims", cwd=project, check=1).stderr


def test_a_first_run_that_was_rewritten_is_not_believed(project: Path) -> None:
    journal = next((project / ".harness").glob("runs/*/journal.jsonl"))
    journal.chmod(0o644)
    journal.write_bytes(journal.read_bytes().replace(b'"engine":"local"', b'"engine":"docker"', 1))
    data = inner_data("claims", cwd=project)
    assert data["unread"] == [journal.parent.name]
    assert {row["verdict"] for row in data["claims"]} == {"not run: needs a run"}


@pytest.mark.parametrize("what", ["record", "output", "heads"])
def test_what_was_damaged_gives_no_verdict(project: Path, what: str) -> None:
    store = project / ".harness"
    digest = next(
        one["sha256"] for one in inner_data("run", SMALL, cwd=project)["runs"][0]["outputs"] if one["name"] == "counts"
    )
    newest = store / "runs" / Store(store).find_run("last")
    path = {
        "record": newest / "record.json",
        "output": store / "blobs/sha256" / digest[:2] / digest,
        "heads": store / "heads.jsonl",
    }[what]
    path.chmod(0o644)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"20", b"21", 1))
    assert path.read_bytes() != data
    done = inside("claims", "--json", cwd=project, check=1)
    assert done.stdout == "" and error_of(done)["name"] == "damaged"


BAD = {
    "a pointer with ~2": ('of: "counts#/addition/drawn"', 'of: "counts#/addition/~2"', "JSON Pointer"),
    "no pointer": ('of: "counts#/addition/drawn"', "of: counts", "JSON Pointer"),
    "nothing to check": ("published: 20, within: 0, ", "", "nothing here can be checked"),
    "an unknown key": ("within: 0", "withn: 0", "withn"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_claim_that_cannot_be_checked_is_told_with_its_line(project: Path, case: str) -> None:
    old, new, said = BAD[case]
    edit(project, old, new)
    error = error_of(inside("claims", SMALL, "--json", cwd=project, check=2))
    assert said in error["what"] and "small.yaml:1" in error["where"] and error["next"]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["nothing.yaml"], 2),
        (["manifests"], 2),
        ([SMALL, "nothing.yaml"], 2),
        (["--colour"], 2),
        (["--store", "manifests"], 3),
    ],
)
def test_bad_arguments_are_told_once(project: Path, args: list[str], code: int) -> None:
    done = inside("claims", *args, "--json", cwd=project, check=code)
    assert done.stdout == "" and error_of(done)["next"]


def test_a_lock_that_was_edited_is_refused(project: Path) -> None:
    body = json.loads((project / LOCK).read_bytes())
    (project / LOCK).write_bytes(seal_document(body).replace(b'"within":"0"', b'"within":"9"'))
    assert LOCK in error_of(inside("claims", "--json", cwd=project, check=2))["where"]


HOSTILE = {
    "a missing output": ("nothing#/x", "not run: needs an output nothing, which the run does not have"),
    "a table": ("items#/0/id", "not run: needs an output items that is one JSON document"),
    "a missing field": (
        "counts#/addition/kepd",
        "not run: needs a value at counts#/addition/kepd, where there is none",
    ),
    "an index out of range": (
        "counts#/addition/99",
        "not run: needs a value at counts#/addition/99, where there is none",
    ),
    "an object": ("counts#/addition", "missed"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_pointer_that_leads_to_no_number_is_never_met(project: Path, case: str) -> None:
    of, verdict = HOSTILE[case]
    edit(project, 'of: "counts#/addition/drawn"', f'of: "{of}"')
    assert rows(project, check=1 if verdict == "missed" else 0)[0]["verdict"] == verdict


def test_a_project_without_claims_has_nothing_to_say(tmp_path: Path) -> None:
    small_project(tmp_path / "plain", models=("oracle",))
    assert inner_data("claims", cwd=tmp_path / "plain") == {"claims": [], "unread": []}


def forged_kinds(project: Path, edit: Callable[[Forger], object]) -> set[tuple[str, str]]:
    forged(Store(project / ".harness"), edit)
    found = rows(project)
    assert {row["verdict"] for row in found} == {"met"}
    return {(row["kind"], row.get("kind_reason", "")) for row in found}


def test_a_claim_has_the_kind_of_what_its_run_read(project: Path) -> None:
    assert {(row["kind"], row["study"]) for row in rows(project)} == {("counts", "reliability")}
    assert "kind_reason" not in rows(project)[0] and "computed" not in rows(project)[0]
    shutil.rmtree(project / ".harness")
    assert {row["kind"] for row in rows(project)} == {"counts"}, "the plan says it before any run"
    (project / LOCK).unlink()
    assert {row["kind"] for row in rows(project)} == {"counts"}, "and without a lock"


def test_a_run_whose_trail_reads_what_nothing_made_has_no_kind(project: Path) -> None:
    def edit(forger: Forger) -> None:
        forger.entries["addition/make"]["preimage"]["inputs"]["answers"] = "ab" * 32

    [(kind, reason)] = forged_kinds(project, edit)
    assert kind == "unknown" and reason == (
        "addition/make read abababababab, which no step made and the lock does not pin"
    )
    assert reason in inside("claims", cwd=project, check=0).stdout


def test_a_run_whose_value_comes_from_answers_is_no_count(project: Path) -> None:
    def edit(forger: Forger) -> None:
        [output] = [event for event in forger.events if event["event"] == "output" and event["name"] == "counts"]
        asked = next(name for name in forger.entries if "/responses/" in name)
        made = forger.entries[output["step"]]["outputs"][output["output"]]
        forger.entries[asked]["outputs"][output["output"]] = made
        forger.entries[asked]["preimage"]["outputs"].append(output["output"])
        output["step"] = asked

    [(kind, reason)] = forged_kinds(project, edit)
    assert (kind, reason) == ("unknown", "the plan says counts, and what the run recorded is pipeline")


def test_what_needs_no_model_is_made_on_request_and_recorded_by_no_run(project: Path) -> None:
    shutil.rmtree(project / ".harness")
    (project / LOCK).unlink()
    shown = inside("claims", "--run", cwd=project, check=0)
    assert "met (no run recorded it)" in shown.stdout and "addition/make" in shown.stderr
    assert shown.stdout.splitlines()[-1] == "3 claims: 3 met, 0 missed, 0 not run"
    found = rows(project, "--run")
    assert [(row["verdict"], row["run"], row["computed"], row["kind"]) for row in found] == [
        ("met", None, True, "counts")
    ] * 3
    assert found[0]["value"] == "20" and not (project / LOCK).exists()
    assert inner_data("runs", cwd=project)["runs"] == []
    assert {row["verdict"] for row in rows(project)} == {"not run: needs a lock"}, (
        "a verdict without a run does not stay"
    )
    edit(project, *MISS)
    assert verdicts(project, "--run", check=1) == ["missed", "met", "met"]


def test_values_of_answers_are_not_made_on_request_and_say_how_to_see_them(project: Path) -> None:
    edit(project, 'of: "counts#/addition/drawn"', 'of: "proportions#/addition/oracle"')
    shutil.rmtree(project / ".harness")
    relock(project)
    found = inner_data("claims", "--run", cwd=project)
    assert [row["verdict"] for row in found["claims"]] == ["not run: needs a run", "met", "met"]
    assert found["claims"][0]["kind"] == "pipeline"
    assert found["unseen"] == [
        {
            "study": "reliability",
            "numbers": 1,
            "ways": [{"manifest": SMALL, "shows": 1, "models": 0, "next": [f"harness run {SMALL}"]}],
        }
    ]
    shown = inside("claims", cwd=project, check=0).stdout
    assert f"reliability: 3 not seen here: 2 by `harness claims --run {SMALL}`; 3 by `harness run {SMALL}`" in shown


def test_a_manifest_without_models_is_run_and_recorded_on_request(project: Path) -> None:
    text = (project / SMALL).read_text()
    kept = [line for line in text.splitlines() if not line.strip().startswith(("oracle", "models", "prompts", "gen"))]
    (project / SMALL).write_text("\n".join(kept) + "\n")
    shutil.rmtree(project / ".harness")
    relock(project)
    found = rows(project, "--run")
    assert [row["verdict"] for row in found] == ["met"] * 3 and found[0]["run"]
    assert rows(project) == found, "its run stays"
