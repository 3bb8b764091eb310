"""Imported answers from the manifest to the audit: joined, marked where a value is shown, never made up."""

import json
import shutil

import pytest
from evidence.forger import forged, whole_run
from support import journals, manifest_text, unlocked_project
from support_inside import inner_data, inside

from harness.engines.engine import Limits
from harness.engines.local import LocalEngine
from harness.evidence.audit.audit import InstalledHarness, audit_stored_run
from harness.evidence.audit.reexecution import ReexecutionOptions
from harness.manifest.load import load_manifest
from harness.manifest.lockfile import load_lock
from harness.run.closure import Code
from harness.run.executing.workshop import Workshop
from harness.run.planning.plan import check_manifest, make_plan
from harness.run.recording.auditing import batch_reexecutor, recordable_isolations
from harness.run.recording.auditing import step_reexecutor as replays
from harness.store.store import Store

RUN = ("run", "--isolation", "process")
CLAIMS = """claims:
  - {of: "imported#/theirs/taken", published: "12", within: "0", where: "Table 1"}
  - {of: "proportions#/benchmarks/addition/theirs/counts/c", published: "12", within: "0", where: "Table 2"}
  - {of: "proportions#/benchmarks/addition/oracle/counts/c", published: "15", within: "0", where: "Table 3"}
"""


def with_theirs(root, name, model, claims=""):
    """Write a manifest in which somebody else's answers stand beside the oracle's."""
    lines = manifest_text(6, ("oracle",), name).replace("datasets:", f"  theirs: {model}\ndatasets:")
    path = root / "manifests" / f"{name}.yaml"
    path.write_text(lines + claims)
    return path


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """The oracle answered, and its answers were handed on: two are left out, one stands twice, one is strange."""
    root = tmp_path_factory.mktemp("imported")
    oracle = unlocked_project(root, 6, ("oracle",), "oracle")
    inside("lock", oracle, cwd=root, check=0)
    inside(*RUN, oracle, cwd=root, check=0)
    inside("get", "last", "responses", "-o", root / "responses.jsonl", cwd=root, check=0)
    given = [json.loads(line) for line in (root / "responses.jsonl").read_text().splitlines()]
    assert len(given) == 15
    handed = [*given[2:], given[5], {**given[0], "item": "addition-nobody"}]
    (root / "theirs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in handed))
    return root


@pytest.fixture(scope="module")
def ran(root):
    """The run of both, and what it said."""
    path = with_theirs(root, "both", "{provider: imported, source: theirs.jsonl, model: oracle}", CLAIMS)
    inside("lock", path, cwd=root, check=0)
    return inside(*RUN, path, cwd=root, check=0)


def test_the_run_table_names_the_source_of_imported_answers_and_refusals(ran):
    assert "answers of theirs imported from theirs.jsonl" in ran.stdout
    assert "took 12 of 15 rows, refused 1 of no prompt and all of 1 prompt with more than one" in ran.stderr
    assert "addition-nobody (template 1, sample 0)" in ran.stderr
    assert "theirs left 3 of 15 rows without an answer; the first: imported: no row for this prompt" in ran.stderr


def test_a_prompt_without_a_row_is_missing_and_never_a_score(root, ran):
    scores = inside("get", "last", "scores", cwd=root, check=0).stdout.splitlines()
    theirs = [row["value"] for row in map(json.loads, scores) if row["model"] == "theirs"]
    assert theirs.count(1) == 12 and 0 not in theirs
    missing = [value["missing"].partition(":")[0] for value in theirs if value != 1]
    assert missing == ["imported"] * 3


def test_imports_are_in_journal_and_record_and_other_runs_have_no_field(root, ran):
    step = "addition/responses/theirs/part-00000"
    records = [json.loads(path.read_text()) for path in (root / ".harness/runs").glob("*/record.json")]
    imported = [record["imported"] for record in records if "imported" in record]
    assert len(records) == 2  # in whatever order: two runs may begin in one second
    assert imported == [[{"model": "theirs", "source": "theirs.jsonl", "steps": [step]}]]
    told = [[event for event in events if "imported" in event] for events in journals(root / ".harness")]
    assert sorted(map(len, told)) == [0, 1]
    assert [event["step"] for events in told for event in events] == [step]


def test_a_claim_says_where_its_value_rests_on_imported_answers(root, ran):
    found = inner_data("claims", "manifests/both.yaml", cwd=root)["claims"]
    assert [(one["verdict"], one.get("imported")) for one in found] == [
        ("met", ["theirs"]), ("met", ["theirs"]), ("met", None)
    ]  # fmt: skip
    shown = inside("claims", "manifests/both.yaml", cwd=root, check=0).stdout
    assert shown.count("rests on imported answers: theirs") == 2


def planned_of(root):
    """Plan the run of both again."""
    lock = load_lock(root, "both")
    assert lock
    return make_plan(check_manifest(load_manifest(root / "manifests/both.yaml")), lock)


def audited(store, how, planned):
    """Audit the run of both, held against a plan."""
    return audit_stored_run(
        store,
        whole_run(store),
        InstalledHarness(lambda *_: planned, lambda kind: Code().closure(kind).files, recordable_isolations),
        how,
    )


@pytest.mark.long
def test_an_audit_joins_them_again_and_counts_them_as_trust(root, ran):
    workshop = Workshop(Store(root / ".harness"), LocalEngine("process"), Limits())
    planned = planned_of(root)
    found = audited(workshop.store, ReexecutionOptions(replays(workshop), batch_reexecutor(workshop)), planned)
    assert found.verdict == "agreed"
    assert found.coverage.text() == (
        "17 of 17 steps made again; answers of models taken on trust: theirs (imported, 1 step)"
    )
    assert found.coverage.imported == {"theirs": 1}


@pytest.mark.parametrize(("model", "said"), [("theirs", {}), ("oracle", {"model": "oracle", "source": "theirs.jsonl"})])
def test_a_journal_that_hides_or_invents_an_import_fails_its_audit(root, ran, tmp_path, model, said):
    """A forger changes the line and makes every digest follow; the plan still knows whose answers are imported."""
    step = f"addition/responses/{model}/part-00000"

    def edit(forger):
        for event in forger.events:
            if event.get("step") == step and "key" in event:
                event.pop("imported", None)
                event.update({"imported": said} if said else {})

    shutil.copytree(root / ".harness", tmp_path / "store")
    store = forged(Store(tmp_path / "store"), edit)
    found = audited(store, ReexecutionOptions(level="hashes"), planned_of(root)).checks
    assert [(one.id, one.subject, one.detail) for one in found if one.verdict == "fail"] == [
        ("key.mismatch", step, "imported")
    ]


@pytest.mark.long
def test_rows_are_imported_into_the_store_and_pinned_by_their_digest(root, tmp_path):
    root = shutil.copytree(root, tmp_path / "p")  # a run is refused in it
    rows = (root / "responses.jsonl").read_text().splitlines()
    (tmp_path / "handed").mkdir()
    for number, part in enumerate((rows[9:], rows[2:9])):
        (tmp_path / "handed" / f"{number}.jsonl").write_text("\n".join(part))
    brought = inner_data("import", "responses", tmp_path / "handed", "--store", tmp_path / "store", cwd=root)
    assert (brought["rows"], brought["models"]) == (13, {"oracle": 13})
    path = with_theirs(root, "pinned", f"{{provider: imported, source: the oracle, sha256: {brought['sha256']}}}")
    inside("lock", path, "--store", tmp_path / "store", cwd=root, check=0)
    lacking = inside(*RUN, path, cwd=root)
    assert (lacking.returncode, "the imported answers of the oracle are not in the store" in lacking.stderr) == (
        3,
        True,
    )
    [done] = inner_data(*RUN, path, "--store", tmp_path / "store", cwd=root)["runs"]
    assert done["imported"][0] | {"rows": 13, "taken": 13, "missing": 2, "no_prompt": 0} == done["imported"][0]


def test_what_cannot_be_had_is_unresolved_and_what_has_moved_is_named(root, tmp_path):
    root = shutil.copytree(root, tmp_path / "p")  # a run fails in it
    path = with_theirs(root, "moving", "{provider: imported, source: moving.jsonl}")
    locked = inside("lock", path, cwd=root, check=0)
    assert "unresolved models.theirs: there is no file 'moving.jsonl' in the project" in locked.stderr
    assert inside(*RUN, path, cwd=root).returncode == 3
    (root / "moving.jsonl").write_text("no JSON\n")
    stale = inside(*RUN, path, cwd=root)
    assert (stale.returncode, "pins/models/theirs" in stale.stderr) == (2, True)
    inside("lock", path, cwd=root, check=0)
    broken = inside(*RUN, path, cwd=root)
    assert (broken.returncode, "the imported answers:1" in broken.stderr) == (4, True)
    (root / "moving.jsonl").unlink()
    gone = inside(*RUN, path, cwd=root)
    assert (gone.returncode, "pinned and not to be had here" in gone.stderr) == (3, True)


def test_a_link_that_leads_out_of_the_project_is_not_followed(root, tmp_path):
    root = shutil.copytree(root, tmp_path / "p")
    (tmp_path / "outside.jsonl").write_text("{}\n")
    (root / "link.jsonl").symlink_to(tmp_path / "outside.jsonl")
    path = with_theirs(root, "linked", "{provider: imported, source: link.jsonl}")
    assert "there is no file 'link.jsonl'" in inside("lock", path, cwd=root, check=0).stderr


@pytest.mark.parametrize(("rows", "what"), [("[]", "a JSON object is needed"), ("", "there are no rows")])
def test_what_is_no_answer_is_not_imported_and_no_store_is_made_for_it(tmp_path, rows, what):
    (tmp_path / "bad.jsonl").write_text(rows + "\n")
    done = inside("import", "responses", tmp_path / "bad.jsonl", "--store", tmp_path / "store", cwd=tmp_path)
    assert (done.returncode, what in done.stderr, (tmp_path / "store").exists()) == (2, True, False)
