"""Every verb leaves with the code that README's table names, so that a script can go by it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support import REPOSITORY, error_of, finished_project, manifest_text, unlocked_project
from support_draws import drawn
from support_inside import inner_data, inside

from harness.cli.main import VERBS

pytestmark = pytest.mark.together  # one project, run once, serves all
SMALL = "manifests/small.yaml"
GPT = "  gpt: {provider: openai, model: gpt-4-0613, tape: record}\n"
ABSENT = "  absent: {provider: transformers, source: models/absent, dtype: float32}\n"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("codes") / "project"
    finished_project(folder, count=20, models=("oracle",))
    return folder


@pytest.fixture
def project(ran: Path, tmp_path: Path) -> Path:
    shutil.copytree(ran, tmp_path / "project")
    return tmp_path / "project"


def accepted(project: Path) -> None:
    inside("lock", "--accept", "last", cwd=project, check=0)


def damaged(project: Path) -> None:
    blobs = (path for path in (project / ".harness" / "blobs").glob("*/*/*") if path.read_bytes()[:1] == b"{")
    blob = max(blobs, key=lambda path: path.stat().st_size)  # rows of an output, no code
    blob.chmod(0o644)
    blob.write_bytes(blob.read_bytes()[:-1] + b"?")


def unexpected(project: Path) -> None:
    """Accept the run, and then expect something else of it."""
    from harness.digest import parse_document, seal_document

    accepted(project)
    path = project / "lockfiles" / "manifests" / "small.expect.json"
    body = parse_document(path.read_bytes(), "expect/2", "expect")
    body["outputs"]["scores"]["sha256"] = "0" * 64
    path.write_bytes(seal_document(body))


def edited(project: Path) -> None:
    (project / SMALL).write_text(manifest_text(20, ("oracle",)).replace("seed: 7", "seed: 8"))


def with_model(line: str) -> Callable[[Path], None]:
    def write(project: Path) -> None:
        (project / SMALL).write_text(manifest_text(20, ("oracle",)).replace("datasets:\n", line + "datasets:\n", 1))

    return write


def nothing(project: Path) -> None:
    """Leave the project as it is: run once, with no expectation."""


CASES = [
    ("run", SMALL, nothing, 0),  # nothing is expected yet: it has done its work
    (f"run {SMALL} --limit", "3", nothing, 0),
    (f"run -n {SMALL}", "", nothing, 0),
    ("run", SMALL, accepted, 0),
    ("run", SMALL, unexpected, 1),
    ("run", SMALL, edited, 2),
    (f"run {SMALL} --relock", "", edited, 0),
    ("run", "manifests/none.yaml", nothing, 2),
    ("plan", SMALL, nothing, 0),
    ("plan", SMALL, edited, 2),  # the data of the edited seed is not made yet
    (f"run {SMALL} --relock", "", with_model(ABSENT), 3),
    ("reproduce", SMALL, nothing, 1),
    ("reproduce", SMALL, accepted, 0),
    ("reproduce", SMALL, unexpected, 1),
    (f"models check {SMALL}", "", nothing, 0),
    ("models check -m openai/m@http://127.0.0.1:9/v1", "", nothing, 1),
    ("models check", "", nothing, 2),
    ("audit", "last", nothing, 0),
    ("audit", "last", damaged, 1),
    ("audit", SMALL, nothing, 1),
    ("audit", SMALL, accepted, 0),
    ("audit", "nothing", nothing, 2),
    ("export", "last", nothing, 0),
    ("export", "nothing", nothing, 2),
    ("export last --jsonl", "tables", nothing, 0),
    ("export last --csv", "manifests", nothing, 2),
    ("report last -o", "r.html", nothing, 0),
    ("report", "nothing", nothing, 2),
    ("view --store", "none", nothing, 3),
    ("anchor", "", nothing, 0),
    ("audit last --anchor", SMALL, nothing, 2),
    ("export", "last", damaged, 1),
    ("attest last", "--key none", nothing, 2),
    ("attest --expect", f"{SMALL} --key none", nothing, 2),
    ("verify", "none.json", nothing, 2),
    ("keys new --plain", "mine", nothing, 0),
    ("keys new", "mine", nothing, 2),
    ("lock", SMALL, nothing, 0),
    ("lock", SMALL, with_model(ABSENT), 0),  # what could not be resolved is said, and stands in the lock
    ("lock", "", nothing, 2),
    ("lock --accept", "last", nothing, 0),
    ("lock --accept", "last", edited, 0),
    ("lock --accept", "last", damaged, 2),
    ("list", "", nothing, 0),
    ("show", SMALL, nothing, 0),
    ("show", SMALL, edited, 0),
    ("runs", "", nothing, 0),
    ("scores", "last", nothing, 0),
    ("scores", "nothing", nothing, 2),
    ("compare last", "last --models oracle oracle", nothing, 0),
    ("compare", "last", nothing, 2),  # one model alone
    ("show last", "--items", nothing, 0),
    ("show last", "--items --page 1000", nothing, 2),
    ("init", "", nothing, 0),  # a project has what it lacks of one, and keeps the rest
    ("init", "below", nothing, 2),  # no project lies in another
    ("new", "small --from none.csv", nothing, 2),
    ("get last", "scores", nothing, 0),
    ("get last", "report", nothing, 2),
    (f"get {SMALL}", "scores", nothing, 0),
    ("diff last", "last", nothing, 0),
    ("explain", "last", nothing, 0),
    ("explain last", "nothing", nothing, 2),
    ("schema", "", nothing, 0),
    ("schema", "nothing", nothing, 2),
    ("docs", "", nothing, 0),
    ("docs", "install", nothing, 0),
    ("docs", "nothing", nothing, 2),
    ("claims", "", nothing, 0),
    ("score", "--list", nothing, 0),
    ("score", "nothing", nothing, 2),
    ("analyse", "--list", nothing, 0),
    ("analyse", "nothing", nothing, 2),
    ("import data", SMALL, nothing, 0),
    ("import data", "none", nothing, 2),
    ("fsck", "", nothing, 0),
    ("fsck", "", damaged, 1),
    ("gc", "", nothing, 0),
    ("images ls", "", nothing, 0),
    ("images build", "none", nothing, 2),
    ("images rm", "none", nothing, 2),
    ("tape ls", "none", nothing, 2),
    ("tokens add", "lab-a", nothing, 0),
    ("tokens add --scope judge", "lab-a", nothing, 2),
    ("tokens ls", "", nothing, 0),
    ("tokens revoke", "nobody", nothing, 2),
    ("tape verify", "none", nothing, 2),
]


@pytest.mark.parametrize(("verb", "subject", "state", "code"), drawn(CASES, 9, len(CASES)))
def test_a_verb_leaves_with_the_code_of_the_table(
    verb: str, subject: str, state: Callable[[Path], None], code: int, project: Path
) -> None:
    state(project)
    done = inside(*verb.split(), *subject.split(), "--json", cwd=project, check=code)
    if not done.stdout:
        assert error_of(done)["code"] == code


@pytest.mark.long
def test_a_limited_run_is_incomplete_and_no_failure(project: Path) -> None:
    accepted(project)
    [run] = inner_data("run", SMALL, "--limit", "3", cwd=project)["runs"]
    assert (run["verdict"], run["limit"]) == ("incomplete", 3)
    assert {(one["verdict"], one["detail"]) for one in run["outputs"]} == {("unconfirmed", "compared with nothing")}
    told = inside("run", SMALL, "--limit", "3", cwd=project, check=0).stdout
    assert "incomplete, only the first 3 of each dataset were asked (--limit)" in told


def test_a_dry_run_that_is_to_lock_is_refused(project: Path) -> None:
    error = error_of(inside("run", SMALL, "-n", "--relock", "--json", cwd=project, check=2))
    assert error["where"] == "--relock" and "harness lock" in error["next"]


@pytest.mark.long
def test_a_missing_key_is_something_that_the_machine_lacks(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    unlocked_project(tmp_path / "project", count=2, models=("oracle",))
    with_model(GPT)(tmp_path / "project")
    inside("lock", SMALL, cwd=tmp_path / "project", check=0)
    error = error_of(inside("run", SMALL, "--json", cwd=tmp_path / "project", check=3))
    assert "OPENAI_API_KEY" in error["what"] + error["next"]


def test_the_table_of_the_readme_has_every_code_there_is() -> None:
    table = re.findall(r"^\| (\d+) \|", (REPOSITORY / "README.md").read_text(), re.MULTILINE)
    assert table == ["0", "1", "2", "3", "4", "130"]


def test_no_verb_is_left_out() -> None:
    tried = {words for verb, *_ in CASES for words in (verb.split()[0], " ".join(verb.split()[:2]))}
    elsewhere = {"doctor", "gateway", "certify"}  # the machine, a server, and tests/verbs/long/test_certifying.py
    moved = {f"images {name}" for name in ("push", "pull", "save", "load", "verify", "inventory")}  # tests/images
    tapes = {f"tape {name}" for name in ("import", "export", "merge", "redact")}  # tests/cli/test_tapes.py
    attempts = {name for name in VERBS if name.startswith("attempts ")} | {"serve"}  # test_attempts.py, tests/tools
    assert VERBS - tried - elsewhere - moved - tapes - attempts == set()
