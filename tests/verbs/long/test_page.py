"""The verbs as Python functions: the page's examples run, and give what the command line gives with --json."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY, clean_env, harness

from harness import verbs
from harness.errors import InputError, Interrupted
from harness.models.tape.tape import Recorder
from harness.verbs import images

pytestmark = pytest.mark.together  # one project, in which the demo was run, serves all
PAGE = (REPOSITORY / "docs" / "python.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
TABLE = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", PAGE, re.MULTILINE)
MANIFEST = "manifests/demo/addition.yaml"
OFTEN = {
    "run",
    "started",
    "file",
    "lock",
    "expect",
    "store",
    "detail",
    "packages",
    "left_out",
    "found",
}  # another each time


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of one demo, of few items and accepted here, and the page's first example run in it as a program."""
    folder = tmp_path_factory.mktemp("page") / "project"
    for name in ("lockfiles", "certificates"):
        shutil.copytree(REPOSITORY / name, folder / name)
    (folder / "manifests" / "demo").mkdir(parents=True)
    whole = (REPOSITORY / MANIFEST).read_text()
    assert whole.count("count: 600") == 1
    (folder / MANIFEST).write_text(whole.replace("count: 600", "count: 30"))
    for words in (("lock", MANIFEST), ("run", MANIFEST), ("lock", "--accept", "last")):
        harness(*words, cwd=folder, check=0)
    done = subprocess.run(
        [sys.executable, "-c", BLOCKS[0]], cwd=folder, env=clean_env(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    with Recorder(folder / "TAPE") as tape:
        tape.add("openai", {"model": "gpt-test", "messages": []}, 0, 200, b"{}")
    return folder


def test_ten_lines_run_audit_and_diff_a_demo(demo: Path) -> None:
    lines = [line for line in BLOCKS[0].splitlines() if line and not line.startswith(("from ", "import "))]
    assert len(lines) <= 10
    assert len(verbs.runs(verbs.Project.at(demo)).runs) >= 2


def stable(value: Any) -> Any:
    """Leave out what is another each time: names of runs, times, costs."""
    if isinstance(value, dict):
        return {name: stable(one) for name, one in value.items() if name not in OFTEN}
    if isinstance(value, list):  # an audit makes steps again in an order drawn anew each time
        return sorted((stable(one) for one in value), key=json.dumps)
    return value


@pytest.mark.parametrize(("words", "call"), TABLE, ids=[words for words, _ in TABLE])
def test_a_verb_gives_in_python_what_it_gives_as_json(words: str, call: str, demo: Path) -> None:
    given = words.replace("RUN RUN", "last last").replace("RUN", "last").replace("MANIFEST", MANIFEST)
    made = demo / given.split()[-1] if given.startswith(("report ", "export ")) else None  # neither writes over a thing
    _remove(made)
    done = harness(*given.replace("OUTPUT", "counts").split(), "--json", cwd=demo)
    _remove(made)
    project = verbs.Project.at(demo)
    spaces = {"verbs": verbs, "images": images, "project": project, "asked": verbs.RunRequest(manifests=[MANIFEST])}
    found = eval(call, spaces)  # what the page says, and nothing else
    assert stable(found.as_data()) == stable(json.loads(done.stdout)), done.stderr
    assert found.code == done.returncode


def _remove(made: Path | None) -> None:
    if made and made.is_dir():
        shutil.rmtree(made)
    elif made:
        made.unlink(missing_ok=True)


def test_a_watch_is_told_and_can_end_a_verb(demo: Path, tmp_path: Path) -> None:
    project = verbs.Project.at(demo, tmp_path / "store")
    asked, told = verbs.RunRequest(manifests=[MANIFEST]), list[verbs.Progress]()
    watch = verbs.Watch(progress=lambda one: (told.append(one), watch.stop.set())[0])
    with pytest.raises(Interrupted):
        verbs.run(project, asked, watch)
    assert told and told[0].task == "addition-demo" and told[0].total >= 10
    assert verbs.runs(project).runs[0].status == "interrupted"
    done = verbs.run(project, asked)
    assert done.runs[0].steps.cached >= 1 and done.code == 0


def test_neither_folder_nor_environment_changes_what_a_verb_does(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = verbs.show(verbs.Project.at(demo), verbs.ShowRequest(manifest=MANIFEST))
    monkeypatch.chdir(tmp_path)
    for name in ("STORE", "JSON", "ENGINE", "LIMIT", "MODELS_DIR", "IMAGES"):
        monkeypatch.setenv(f"HARNESS_{name}", "nowhere")
    assert verbs.show(verbs.Project.at(demo), verbs.ShowRequest(manifest=MANIFEST)) == expected
    with pytest.raises(InputError, match="is in no project"):
        verbs.list_(verbs.Project.at(tmp_path))


def test_no_verb_prints_exits_or_looks_around() -> None:
    forbidden = re.compile(r"\bprint\(|\bsys\.|os\.environ|os\.getenv|getcwd\(|Path\.cwd|\bexit\(|\binput\(")
    for path in sorted((REPOSITORY / "harness" / "verbs").glob("*.py")):
        assert not forbidden.search(path.read_text()), path.name


def test_every_name_that_the_package_offers_is_there() -> None:
    for name in dir(verbs):
        assert getattr(verbs, name) is not None
    with pytest.raises(AttributeError, match="no 'jump'"):
        _ = verbs.jump
    assert os.path.basename(verbs.__file__ or "") == "__init__.py"
