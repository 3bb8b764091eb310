"""Bad input ends every verb with one message: what, where, what next. It writes nothing and shows no traceback."""

import json
import os
import shutil
import subprocess
from typing import Any

import pytest
from support import (
    clean_env,
    command,
    data_of,
    error_of,
    finished_project,
    harness,
    manifest_text,
    tree,
    unlocked_project,
)
from support_inside import inner_data, inside

from harness.digest import seal_document

pytestmark = pytest.mark.together  # one worker makes the project that all of these read
GOOD = manifest_text()
ORACLE = "  oracle: {provider: baseline, behaviour: oracle}\n"
MADE = "make: reliability.addition, seed: 7, count: 20"
BAD: dict[str, tuple[Any, str, str]] = {
    "unknown key": (GOOD + "sedes: [0]\n", ":12", "sedes"),
    "wrong type": (GOOD + "seeds: zero\n", ":12", "seeds"),
    "duplicate key": (GOOD + "name: again\n", ":12", "stands twice"),
    "hub model without revision": (
        GOOD.replace(ORACLE, '  m: {provider: transformers, source: "hf:a/b", dtype: float32}\n'),
        ":6", "revision"),
    "URL without sha256": (
        GOOD.replace(MADE, 'fetch: "https://x.org/d", licence: MIT'), ":9", "sha256"),
    "path above the project": (
        GOOD.replace(ORACLE, "  m: {provider: transformers, source: ../w, dtype: float32}\n"),
        ":6", "inside the project"),
    "alias bomb": ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", ":1", "aliases and anchors"),
    "merge key": (GOOD.replace("  oracle:", "  <<: *x\n  oracle:"), ":6", "aliases and anchors"),
    "tag": (GOOD.replace("count: 20", "count: !!int 20"), ":9", "tags such as"),
    "two documents": (GOOD + "---\n" + GOOD, ":12", "one document"),
    "nested 100,000 deep": ("x: " + "[" * 100_000, ":1", "deep"),
    "not UTF-8": (GOOD.encode() + b"# \xff\n", "", "UTF-8"),
    "not YAML": ("a: [1\n", ":", "not YAML"),
    "50 MB": (b"#" * (50 << 20), "", "at most 1 MiB"),
    "empty": ("", "", "map of names"),
    "unknown study": (GOOD.replace("study: reliability", "study: alchemy"), ":2", "there is no study"),
    "unknown maker": (GOOD.replace("reliability.addition", "reliability.alchemy"), ":9", "makes no"),
    "unknown behaviour": (GOOD.replace("behaviour: oracle", "behaviour: psychic"), ":6", "psychic"),
    "unknown wordings": (GOOD.replace("addition@1", "addition@7"), ":10", "addition@7"),
    "unknown output": (GOOD + "outputs: {itmes: exact}\n", ":12", "itmes"),
    "no wordings": (GOOD.replace("prompts: {set: reliability/addition@1}\n", ""), ":", "no wordings"),
    "no models": (manifest_text(models=()).replace("models:", "models: {}"), ":", "no model"),
}  # fmt: skip


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """Give a project that was never locked or run: whatever a verb writes there shows."""
    folder = tmp_path_factory.mktemp("bare") / "project"
    unlocked_project(folder)
    return folder


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Give a project with one finished run."""
    folder = tmp_path_factory.mktemp("ran") / "project"
    finished_project(folder, models=("oracle",))
    return folder, data_of("runs", cwd=folder)["runs"][0]["run"]


def refused(*args, cwd, code=2, env=None):
    """Run a verb that must refuse: one error as data, nothing on stdout, nothing written."""
    before = tree(cwd)
    done = inside(*args, "--json", cwd=cwd, check=code, env=env)
    assert done.stdout == ""
    error = error_of(done)
    assert set(error) == {"code", "name", "what", "where", "next"} and error["code"] == code
    assert error["what"] and error["next"]
    assert tree(cwd) == before
    return error


def calm(data):
    """Whether no control character is in what a verb printed; a space of another width is none."""
    return all(c in "\n\t" or c.isprintable() or (c.isspace() and c > "\x9f") for c in data.decode())


@pytest.mark.parametrize("case", BAD)
def test_a_bad_manifest_is_told_once_with_its_line_and_nothing_is_written(bare, case):
    data, line, said = BAD[case]
    path = bare / "manifests" / "bad.yaml"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    try:
        error = refused("run", path, cwd=bare)
        assert said in error["what"]
        assert error["where"].startswith(f"{path}{line}")
    finally:
        path.unlink()


@pytest.mark.parametrize("verb", ["lock", "run", "reproduce", "show", "audit"])
def test_every_verb_refuses_a_bad_manifest_in_the_same_words(bare, verb):
    path = bare / "bad.yaml"
    path.write_text(GOOD + "sedes: [0]\n")
    assert refused(verb, path, cwd=bare)["what"] == "unknown key `sedes`"
    path.unlink()


def test_one_bad_manifest_among_several_stops_all_before_any_write(bare):
    path = bare / "bad.yaml"
    path.write_text(GOOD + "sedes: [0]\n")
    refused("lock", bare / "manifests" / "small.yaml", path, cwd=bare)
    path.unlink()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["run", "manifests/small.yaml"], "has no lock"),
        (["reproduce", "manifests/small.yaml"], "has no lock"),
        (["run", "nothing.yaml"], "cannot be read"),
        (["run", "manifests"], "a folder"),
        (["run", "a" * 300], ""),
        (["run"], ""),
        (["lock"], "give manifests to lock"),
        (["run", "manifests/small.yaml", "--engine", "abacus"], ""),
        (["run", "manifests/small.yaml", "--jobs", "-1"], "jobs"),
        (["run", "manifests/small.yaml", "--limit", "many"], "limit"),
        (["jump"], "jump"),
        (["run", "--colour", "red"], "colour"),
        (["audit", "last", "--level", "deep"], "level"),
        (["score", "nobody"], "no scorer is called"),
        (["score", "--input", "nothing.jsonl", "reliability.addition"], ""),
        (["get", "last", "items", "--store", "manifests/small.yaml"], ""),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_bad_arguments_are_told_once_and_nothing_is_written(bare, args, said):
    before = tree(bare)
    done = inside(*args, "--json", cwd=bare)
    error = error_of(done)
    assert (done.returncode, done.stdout) == (error["code"], "")
    assert error["code"] in (2, 3) and said in error["what"] and error["next"]
    assert tree(bare) == before


@pytest.mark.parametrize(
    ("args", "what", "next"),
    [
        (["score", "rogue"], "no scorer is called 'rogue'", "choose one of: rouge; `harness score --list` shows all"),
        (["analyse"], "name an analysis", "`harness analyse --list` shows all"),
        (["score"], "name a scorer", "`harness score --list` shows all"),
        (["analyse", "reliability.models", "-i", os.devnull], "nothing was given",
         "give one JSON object, such as `echo '{}' | harness analyse reliability.models`"),
        (["score", "reliability.outcome", "-i", "nothing.jsonl"], "this file cannot be read: No such file", "check"),
        (["list"], "this folder is in no project",
         "go to the project's folder, or make this folder a project with `harness init`"),
        (["fsck"], "this folder is in no project",
         "go to the project's folder, make this folder a project with `harness init`, or name a store with --store"),
        (["run", "none.yaml"], "this file cannot be read: No such file",
         "check the path; `harness list` names the manifests of a project, `harness init` makes a folder one"),
        (["docs", "qestions"], "there is no page 'qestions'", "`harness docs questions` is the nearest"),
    ],
)  # fmt: skip
def test_what_is_lacking_is_told_with_what_helps(tmp_path, args, what, next):
    error = refused(*args, cwd=tmp_path)
    assert error["what"].startswith(what) and error["next"].startswith(next)
    assert args != ["list"] or error["next"] == next  # a store does not make a project


@pytest.mark.parametrize("verb", ["get last items", "audit last", "explain last", "diff last last", "fsck", "gc"])
def test_what_is_no_store_is_left_as_it_is(bare, verb):
    assert "no store" in refused(*verb.split(), cwd=bare, code=3)["what"]


def test_a_folder_of_somebody_elses_is_not_made_a_store(ran, tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    error = refused("run", ran[0] / "manifests" / "small.yaml", "--store", tmp_path, cwd=tmp_path)
    assert "no store" in error["what"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["get", "nobody", "items"], "no run is called"),
        (["get", "", "items"], ""),
        (["get", "last", "nothing"], "has no output 'nothing'"),
        (["audit", "20991231"], "no run is called"),
        (["explain", "last", "no/step"], "no step"),
        (["diff", "last", "nobody"], "no run is called"),
        (["lock", "--accept", "nobody"], "no run is called"),
        (["audit", "../../elsewhere"], "no run is called"),
        (["reproduce", "manifests/small.yaml", "--store", ".harness"], "fresh store"),
    ],
)
def test_what_a_store_does_not_have_is_told_with_what_it_has(ran, args, said):
    assert said in refused(*args, cwd=ran[0])["what"]


@pytest.mark.parametrize("named", ["small", "manifests/smal.yaml"])
def test_a_manifest_that_is_not_there_is_told_with_the_nearest(ran, named):
    error = refused("run", named, cwd=ran[0])
    assert error["what"] == "there is no such manifest"
    assert error["next"] == "name its file, such as manifests/small.yaml; `harness list` names all"


def test_an_ambiguous_prefix_is_not_guessed(ran, tmp_path):
    store = tmp_path / "store"
    shutil.copytree(ran[0] / ".harness", store)
    shutil.copytree(store / "runs" / ran[1], store / "runs" / (ran[1][:-1] + "x"))
    error = refused("get", ran[1][:-1], "items", "--store", store, cwd=ran[0])
    assert "2 runs begin with" in error["what"] and ran[1] in error["next"]


def test_a_lock_that_no_longer_fits_names_the_pins_that_moved(ran, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(ran[0], folder)
    manifest = folder / "manifests" / "small.yaml"
    manifest.write_text(
        manifest.read_text().replace("seed: 7", "seed: 8").replace("behaviour: oracle", "behaviour: echo")
    )
    for verb in ("run", "reproduce"):
        error = refused(verb, manifest, cwd=folder)
        for moved in (
            "manifest/datasets/addition/seed",
            "manifest/models/oracle/behaviour",
            "pins/models/oracle/sha256",
        ):
            assert moved in error["what"]
        assert "harness lock" in error["next"]


@pytest.mark.parametrize("name", ["small.lock.json", "small.expect.json"])
@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b"<<<<<<< HEAD\n", seal_document({"type": "lock/1", "pins": 7})])
def test_a_lock_or_expectation_that_was_edited_is_refused(ran, tmp_path, name, data):
    folder = tmp_path / "project"
    shutil.copytree(ran[0], folder)
    (folder / "lockfiles" / "manifests" / name).write_bytes(data)
    assert name in refused("run", folder / "manifests" / "small.yaml", cwd=folder)["where"]


@pytest.mark.parametrize(
    "args", [["get", "\x1b[31m", "x"], ["run", "\x1b]0;owned\x07.yaml"], ["\x9b31m"], ["run", "\u202e.yaml"]]
)
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_control_characters_of_arguments_never_reach_the_terminal(ran, args, more):
    done = harness(*args, *more, cwd=ran[0], text=False)
    assert done.returncode in (2, 3) and done.stderr
    assert calm(done.stderr) and calm(done.stdout)


def test_control_characters_of_data_never_reach_the_terminal(ran, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(ran[0], folder)
    nasty = "red \x1b[31m bell \x07 csi \x9b1m back \u202e space \xa0 end"
    manifest = folder / "manifests" / "small.yaml"
    manifest.write_text(manifest.read_text().replace("A few additions, for a test.", json.dumps(nasty)))
    lock = folder / "lockfiles" / "manifests" / "small.lock.json"
    body = json.loads(lock.read_bytes())
    body["pins"]["datasets"]["\x1b[31mgone"] = body["pins"]["datasets"]["addition"]
    lock.write_bytes(seal_document(body))
    for args in (["show", manifest], ["run", manifest], ["lock", manifest], ["run", manifest], ["list"]):
        done = inside(*args, cwd=folder)
        assert "Traceback" not in done.stderr
        assert calm(done.stdout.encode()) and calm(done.stderr.encode()), args
    assert inner_data("list", cwd=folder)["manifests"][0]["about"] == nasty  # data keeps every character
    assert calm(inside("list", "--json", cwd=folder).stdout.encode())


def test_the_environment_can_ask_for_data_too(bare):
    done = harness("run", "nothing.yaml", cwd=bare, env={"HARNESS_JSON": "1"}, check=2)
    assert "cannot be read" in error_of(done)["what"]


@pytest.mark.long
def test_a_terminal_that_knows_only_ascii_is_no_failure(ran):
    for args in (["list"], ["list", "--json"], ["show", "manifests/small.yaml"], ["explain", "last"], ["nothing"]):
        done = harness(*args, cwd=ran[0], env={"PYTHONIOENCODING": "ascii"})
        assert done.returncode == (2 if args == ["nothing"] else 0), done.stderr


@pytest.mark.long
def test_a_reader_that_goes_away_is_no_failure(ran):
    read, write = os.pipe()
    os.close(read)
    words = command("list")
    done = subprocess.run(words, cwd=ran[0], env=clean_env(), stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
