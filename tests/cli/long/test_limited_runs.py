"""A limited run says so wherever one of its numbers is shown: tables, pages, CSV, JSON, and agents' tools."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from support import REPOSITORY, data_of, harness, judging_here, unlocked_project
from support_capitals import MANIFEST as CAPITALS
from support_capitals import capitals

from harness import verbs
from harness.kit import pages
from harness.manifest.load import load_manifest
from harness.manifest.lockfile import load_lock
from harness.run.planning.plan import check_manifest, make_plan, unresolved_pins
from harness.step_kinds import LIMITED
from harness.steps import Step

pytestmark = pytest.mark.together
SMALL = "manifests/small.yaml"
SAID = "limited to 2 items of each dataset"
ON_PAGE = "A limited run: only the first 2 items of each dataset were asked."


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """Give a project with a whole run and a limited one."""
    folder = tmp_path_factory.mktemp("limited") / "project"
    manifest = unlocked_project(folder, count=20, models=("oracle", "noisy-oracle"))
    wanted = "outputs: {report.html: exact, card-oracle.html: exact}\n"
    manifest.write_text(manifest.read_text() + wanted)
    harness("lock", SMALL, cwd=folder, check=0)
    whole, limited = (data_of("run", SMALL, *more, cwd=folder)["runs"][0]["run"] for more in ((), ("--limit", "2")))
    return folder, whole, limited


SHOWN: dict[str, Sequence[str]] = {
    "scores": ("scores", "RUN"),
    "compare": ("compare", "RUN", "--models", "oracle", "noisy-oracle"),
    "compare with a whole run": ("compare", "WHOLE", "RUN"),
    "show --items": ("show", "RUN", "--items"),
    "get -o": ("get", "RUN", "scores", "-o", "scores.jsonl"),
    "audit": ("audit", "RUN", "--level", "hashes"),
}


@pytest.mark.parametrize("verb", SHOWN)
def test_a_limited_run_says_so_in_text_and_a_whole_one_does_not(ran: tuple[Path, str, str], verb: str) -> None:
    folder, whole, limited = ran
    words = [{"RUN": limited, "WHOLE": whole}.get(word, word) for word in SHOWN[verb]]
    assert SAID in harness(*words, cwd=folder).stdout
    words = [{"RUN": whole, "WHOLE": whole}.get(word, word) for word in SHOWN[verb]]
    assert "limited to" not in harness(*words, cwd=folder).stdout


@pytest.mark.parametrize("verb", SHOWN)
def test_a_limited_run_says_so_in_json_and_a_whole_one_does_not(ran: tuple[Path, str, str], verb: str) -> None:
    folder, whole, limited = ran
    words = [{"RUN": limited, "WHOLE": whole}.get(word, word) for word in SHOWN[verb]]
    found = harness(*words, "--json", cwd=folder).stdout
    assert '"limit":2' in found.replace(" ", "") or '_limit":2' in found.replace(" ", "")
    words = [{"RUN": whole, "WHOLE": whole}.get(word, word) for word in SHOWN[verb]]
    assert 'limit"' not in harness(*words, "--json", cwd=folder).stdout


@pytest.mark.parametrize("verb", ["scores", "compare"])
def test_csv_has_a_column_for_the_limit(ran: tuple[Path, str, str], verb: str) -> None:
    folder, whole, limited = ran
    more = ("--models", "oracle", "noisy-oracle") if verb == "compare" else ()
    for run, said in ((limited, {"2"}), (whole, {""})):
        rows = list(csv.DictReader(io.StringIO(harness(verb, run, *more, "--csv", cwd=folder, check=0).stdout)))
        columns = [name for name in rows[0] if name.endswith("limit")]
        assert columns and {row[column] for row in rows for column in columns} == said


def test_a_run_that_is_limited_ends_with_a_table_that_says_so(ran: tuple[Path, str, str]) -> None:
    told = harness("run", SMALL, "--limit", "2", cwd=ran[0], check=0).stdout
    assert f"{SAID}\nmodel " in told.replace("  ", " ")


def test_an_output_that_is_piped_is_told_of_on_stderr(ran: tuple[Path, str, str]) -> None:
    folder, whole, limited = ran
    assert SAID in harness("get", limited, "scores", cwd=folder, check=0).stderr
    assert harness("get", whole, "scores", cwd=folder, check=0).stderr == ""


@pytest.mark.parametrize("name", ["report.html", "card-oracle.html"])
def test_a_page_of_a_limited_run_says_so_itself(ran: tuple[Path, str, str], name: str) -> None:
    folder, whole, limited = ran
    shown = [harness("get", run, name, cwd=folder, check=0).stdout for run in (limited, whole)]
    assert [ON_PAGE in text for text in shown] == [True, False] and "limited" not in shown[1].lower()


def test_a_limited_run_and_its_page_are_audited_in_full(ran: tuple[Path, str, str]) -> None:
    found = data_of("audit", ran[2], cwd=ran[0])
    assert (found["verdict"], found["limit"]) == ("agreed", 2)
    assert {"page", "cards"} <= {one["subject"] for one in found["checks"] if one["detail"] == "made again"}


def test_a_limited_run_of_before_the_mark_is_audited_as_ever(
    ran: tuple[Path, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _, _ = ran
    monkeypatch.setattr("harness.run.planning.plan._mark_limited", lambda made, limit: made)
    project = verbs.Project.at(folder, tmp_path / "store")
    [old] = verbs.run(project, verbs.RunRequest(manifests=[SMALL], limit=2)).runs
    monkeypatch.undo()
    with judging_here():
        found = verbs.audit(project, verbs.AuditRequest(subject=old.run))
    assert (found.verdict, found.limit) == ("agreed", 2)
    assert {one.detail for one in found.checks if one.subject in ("page", "cards")} == {"made again"}
    assert ON_PAGE not in Path(verbs.get(project, verbs.GetRequest(run=old.run, output="report.html")).file).read_text()


def test_own_questions_page_says_so_too(tmp_path: Path) -> None:
    folder = capitals(tmp_path / "project", ["oracle"])
    manifest = folder / CAPITALS
    if "report.html" not in manifest.read_text():
        manifest.write_text(manifest.read_text() + "outputs: {report.html: exact}\n")
    harness("lock", CAPITALS, cwd=folder, check=0)
    harness("run", CAPITALS, "--limit", "2", cwd=folder, check=0)
    assert ON_PAGE in harness("get", "last", "report.html", cwd=folder, check=0).stdout


def steps_of(path: Path, limit: int) -> dict[str, Step]:
    loaded = load_manifest(path)
    lock = load_lock(REPOSITORY, loaded.manifest.name)
    assert lock
    return {step.name: step for step in make_plan(check_manifest(loaded), lock, limit).steps}


def locked() -> list[Path]:
    found = []
    for path in sorted((REPOSITORY / "manifests").rglob("*.yaml")):
        lock = load_lock(REPOSITORY, load_manifest(path).manifest.name)
        found += [path] if lock and not unresolved_pins(lock) else []
    return found


@pytest.mark.parametrize("path", locked(), ids=lambda path: path.stem)
def test_steps_of_pages_alone_are_told_of_a_limit_and_none_of_a_whole_run(path: Path) -> None:
    assert not [name for name, step in steps_of(path, 0).items() if LIMITED in step.params]
    told = {name for name, step in steps_of(path, 2).items() if LIMITED in step.params}
    paged = {name for name, step in steps_of(path, 2).items() if any(out.endswith(".html") for out in step.outputs)}
    assert told == paged


def test_every_module_that_writes_a_page_marks_a_limited_one() -> None:
    assert pages.LIMITED == LIMITED
    studies = {path: path.read_text() for path in (REPOSITORY / "harness" / "studies").rglob("*.py")}
    writers = {path: text for path, text in studies.items() if "harness.kit.pages" in text and "write_bytes(" in text}
    assert len(writers) >= 7 and not [path for path, text in writers.items() if "write_bytes(mark_limited(" not in text]


def test_the_list_of_runs_says_which_are_limited(ran: tuple[Path, str, str]) -> None:
    runs = {one["run"]: one for one in data_of("runs", cwd=ran[0])["runs"]}
    assert runs[ran[2]]["limit"] == 2 and "limit" not in runs[ran[1]]
    assert "limited to 2 items" in harness("runs", cwd=ran[0], check=0).stdout


def test_no_claim_rests_on_a_limited_run(ran: tuple[Path, str, str], tmp_path: Path) -> None:
    folder = tmp_path / "project"
    manifest = unlocked_project(folder, count=20, models=("oracle",))
    claim = "{of: 'counts#/items', at_least: '1', where: here}"
    manifest.write_text(f"{manifest.read_text()}claims: [{claim}]\n")
    harness("lock", SMALL, cwd=folder, check=0)
    harness("run", SMALL, "--limit", "2", cwd=folder, check=0)
    [found] = data_of("claims", cwd=folder, check=None)["claims"]
    assert found["verdict"] == "not run: needs a complete run" and found.get("value") is None


def test_agents_tools_tell_of_a_limit(ran: tuple[Path, str, str]) -> None:
    from harness_tools.verb_calls import call_verb

    project = verbs.Project.at(ran[0])
    found = call_verb(project, "audit_run", {"run": ran[2], "level": "hashes"}, verbs.Watch())
    assert found["limit"] == 2
    listed = {one["run"]: one for one in call_verb(project, "list_runs", {}, verbs.Watch())["runs"]}
    assert listed[ran[2]]["limit"] == 2
