"""Published records and answers through the command line: imported, locked, run and scored, with their coverage."""

import json

import pytest
from support_curie_records import PROMPTS, RECORDS, needs_real, zipped
from support_inside import inner_data, inside

from harness.digest import sha256
from harness.studies.curie.tasks import TASKS

needs_real(RECORDS, PROMPTS)
pytestmark = pytest.mark.together
MPV = TASKS["mpv"]
MANIFEST = "manifests/real.yaml"
ARCHIVE = {  # of our own, in the published layout
    "data/hfe/inputs/2401.00001.json": b'{"record_id": "2401.00001", "text": "We decouple $U n n$."}',
    "data/hfe/ground_truth/2401.00001.json": b'{"record_id": "2401.00001", "hamiltonian": "$H = U n m - t c$"}',
}
HEAD = """
harness: 2
study: curie
name: real
about: Records as they were published.
models:
  oracle: {{provider: baseline, behaviour: oracle}}
  theirs: {{provider: imported, source: their run, model: gpt-4o, sha256: "{answers}"}}
datasets:
  copied: {{licence: CC BY, fetch: {copied}}}
  asked: {{licence: Apache-2.0, fetch: {asked}}}
  official: {{licence: CC BY, fetch: "https://localhost:1/data.zip", sha256: "{archive}"}}
  mpv: {{make: curie.public_copy_prompts_mpv, copy: copied, prompts: asked}}
  hfe: {{make: curie.archive_prompts_hfe, archive: official, prompts: asked}}
settings: {{mode: strict}}
generation: {{temperature: 0, max_tokens: 4096}}
seeds: [0]
outputs: {{items: exact, gold: exact, prompts: exact, responses: exact, counts: exact, means: exact, imported: exact}}
"""


def listed(files):
    return json.dumps(
        {path: {"url": f"https://localhost:1/{path}", "sha256": sha256(data)} for path, data in files.items()}
    )


def laid(root, files):
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


def manifest(root, archive, answers):
    """Write a project of one manifest, and lay down what it pins as a person who downloaded it has it."""
    copied = {f"data/{path.relative_to(RECORDS)}": path.read_bytes() for path in (RECORDS / "mpve").rglob("*.json")}
    copied["data/difficulty_levels.json"] = (RECORDS / "difficulty_levels.json").read_bytes()
    files = [f"{TASKS[name].prompt}.txt" for name in ("mpv", "hfe")]
    asked = {f"prompts/{name}": (PROMPTS / name).read_bytes() for name in files}
    lost = min(path for path in copied if "ground_truth" in path)
    laid(root / "down", {path: data for path, data in {**copied, **asked}.items() if path != lost})
    (root / "lockfiles").mkdir(exist_ok=True)
    text = HEAD.format(
        answers=answers, copied=listed(copied), asked=listed(asked), archive=sha256(archive.read_bytes())
    )  # fmt: skip
    laid(root, {MANIFEST: text.encode()})
    for words in ((root / "down", "--manifest", root / MANIFEST), (archive,)):
        inside("import", "data", *words, cwd=root, check=0)


def answers(root):
    """Give answers of one model to the nine real records: seven, a failure, and one that is not there."""
    files = {}
    for place, path in enumerate(sorted((RECORDS / "mpve" / "inputs").iterdir())):
        folder = f"inference_outputs/{MPV.domain}/{MPV.prompt}/gpt-4o/{'failure' if place == 7 else 'success'}"
        said = {"exception_message": "429"} if place == 7 else {"response_text": "[]", "record_id": path.stem}
        if place < 8:
            files[f"{folder}/{path.name}"] = json.dumps(said).encode()
        files[f"{MPV.domain}/ground_truth/{path.name}"] = b"[]"
    return laid(root / "responses", files)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A project that was locked and run over real records, one of which could not be had, and imported answers."""
    root = tmp_path_factory.mktemp("real")
    (root / "lockfiles").mkdir()
    brought = inner_data("import", "curie-responses", answers(root), cwd=root)
    assert (brought["rows"], brought["models"]) == (9, {"gpt-4o": 9})
    assert {name: brought["counts"]["gpt-4o"][name] for name in ("errors", "blank")} == {"errors": 1, "blank": 1}
    manifest(root, zipped(root / "data.zip", ARCHIVE), brought["sha256"])
    inside("lock", MANIFEST, cwd=root, check=0)
    inside("run", MANIFEST, cwd=root, check=0)
    return root


def output(root, name):
    return json.loads(inside("get", "last", name, cwd=root, check=0).stdout)


def test_the_coverage_of_each_task_is_counted(ran):
    counts = output(ran, "counts")
    assert [(counts["mpv"][name], counts["hfe"][name]) for name in ("kept", "absent", "expected")] == [
        (8, 1), (9, 37), (17, 38)
    ]  # fmt: skip


def test_the_oracle_has_the_most_that_strict_mode_gives_on_every_record(ran):
    tasks = output(ran, "means")["tasks"]
    assert tasks["mpv"]["models"]["oracle"]["metrics"]["llmsim-rule"]["f1"]["value"] == 1
    assert tasks["hfe"]["models"]["oracle"]["metrics"]["facts"]["facts_f1"]["value"] == 1


def test_published_answers_are_joined_with_the_published_prompts(ran):
    taken = output(ran, "imported")["theirs"]
    lost = min(path.stem for path in (RECORDS / "mpve" / "inputs").iterdir())
    assert (taken["rows"], taken["taken"], taken["errors"]) == (9, 8, 1)
    assert taken["refused"]["no_prompt"] == {"keys": 1, "first": [f"mpv-{lost} (template 1, sample 0)"]}


def test_a_pointer_in_the_place_of_the_archive_is_told_by_the_lock(tmp_path):
    pointer = tmp_path / "data.zip"
    pointer.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    manifest(tmp_path, pointer, "0" * 64)
    done = inside("lock", MANIFEST, cwd=tmp_path)
    assert done.returncode and "pointer of Git LFS" in done.stderr
