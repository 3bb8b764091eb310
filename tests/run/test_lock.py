"""A lock says what every name resolves to; what moved since is named, and other data is refused."""

import json
import shutil
from itertools import pairwise
from typing import Any

import pytest
from support import REPOSITORY, manifest_text, unlocked_project
from support_draws import drawn

from harness.digest import seal_document, sha256
from harness.errors import HarnessError, InputError
from harness.manifest.datasets import made_tables
from harness.manifest.load import load_manifest
from harness.manifest.lockfile import PIN_KINDS, Lock, load_lock, lock_path, read_lock
from harness.run.lock import changed_pins, require_fitting_lock
from harness.run.service import RunTarget, lock_manifest, run_manifest


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return RunTarget(tmp_path_factory.mktemp("store") / "store")


@pytest.fixture
def project(tmp_path, place):
    """Give a project of one manifest, and a way to lock what stands there now."""
    path = unlocked_project(tmp_path / "project", models=("oracle", "echo"))
    return path, lambda: lock_manifest(load_manifest(path), place)


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_every_name_is_resolved_to_a_digest(project):
    path, lock = project
    locked = lock()
    held = load_lock(path.parents[1], "small")
    assert held == locked.lock
    assert set(held.pins) == set(PIN_KINDS)
    assert held.manifest_sha256 == sha256(path.read_bytes())
    assert set(held.pins["models"]) == {"oracle", "echo"}
    assert held.pins["models"]["oracle"] != held.pins["models"]["echo"]
    wordings = held.pins["prompts"]["reliability/addition@1"]
    assert wordings["rows"] == 15
    items, gold = (made_tables(held.pins["datasets"]["addition"])[name] for name in ("items", "gold"))
    assert items["rows"] == gold["rows"] > 0
    assert locked.unresolved == {}


def test_locking_again_writes_nothing_and_elsewhere_writes_the_same(project, tmp_path, place):
    _, lock = project
    first = lock()
    stamp = first.path.stat().st_mtime_ns
    again = lock()
    assert (first.changed, again.changed, again.path.stat().st_mtime_ns) == (True, False, stamp)
    other = unlocked_project(tmp_path / "other", models=("oracle", "echo"))
    assert (
        lock_manifest(load_manifest(other), RunTarget(tmp_path / "fresh")).path.read_bytes() == first.path.read_bytes()
    )


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    drawn([
        ("seed: 7", "seed: 8", ["manifest/datasets/addition/seed"]),
        ("timeout: 10m", "timeout: 20m", ["manifest/resources/timeout"]),
        ("about: A few", "about: Some few", ["manifest/about"]),
        ("harness: 1\n", "harness: 1\n# a comment\n", ["manifest (its text, not its meaning)"]),
        ("  echo: {provider: baseline, behaviour: echo}\n", "", ["manifest/models/echo", "pins/models/echo"]),
        ("behaviour: echo", "behaviour: empty", ["manifest/models/echo/behaviour", "pins/models/echo/sha256"]),
    ], 3, 6),
)  # fmt: skip
def test_what_moved_is_named_and_nothing_runs(project, old, new, moved):
    path, lock = project
    lock()
    edit(path, old, new)
    held = load_lock(path.parents[1], "small")
    assert held and changed_pins(load_manifest(path), held) == moved
    with pytest.raises(InputError) as refused:
        require_fitting_lock(load_manifest(path), held)
    assert all(one in refused.value.what for one in moved)
    assert "`harness lock manifests/small.yaml`" in refused.value.next
    assert changed_pins(load_manifest(path), lock().lock) == []


def test_an_image_in_which_no_step_could_run_is_refused_where_it_is_named(project):
    path, lock = project
    root = path.parents[1]
    path.write_text(path.read_text() + "image: base\n")
    lock()  # an image without a recipe here may be any
    shutil.copytree(REPOSITORY / "images", root / "images")
    for one in (REPOSITORY / "lockfiles").glob("image-*.txt"):
        shutil.copy(one, root / "lockfiles")
    with pytest.raises(InputError, match="image 'base' can run no step: it holds no rfc8785") as told:
        lock()
    assert (told.value.where, told.value.next) == (f"{path}:12", "choose one of: cpu, cuda, sandbox")
    for before, able in pairwise(("base", "cpu", "cuda", "sandbox")):
        edit(path, f"image: {before}", f"image: {able}")
        assert lock().lock.intent["image"] == able


def test_a_manifest_without_a_lock_is_refused(project):
    path, _ = project
    with pytest.raises(InputError, match="has no lock"):
        require_fitting_lock(load_manifest(path), None)


def recipe(root, name, base):
    """Lay down the recipe of an image and a lock of its own."""
    folder = root / "images" / name
    folder.mkdir(parents=True)
    wheels = f"requirements: lockfiles/image-{name}.txt"
    about = f"image: 1\nname: {name}\nabout: For a test.\nbase: {base}\n"
    rest = "packages: [python3]\n" if base.startswith("debian/") else ""
    (folder / "image.yaml").write_text(f"{about}{rest}{wheels}\nepoch: 1767225600\nuser: 65534:65534\n")
    (root / "lockfiles" / f"image-{name}.txt").write_text(f"rfc8785==0.1.4 --hash=sha256:{'a' * 64}\n")


def test_a_package_added_to_an_image_stales_only_manifests_that_name_it(project, place):
    first, _ = project
    root = first.parents[1]
    for name, base in (("below", "debian/bookworm"), ("left", "below"), ("right", "below")):
        recipe(root, name, base)
    second = first.with_name("other.yaml")
    second.write_text(first.read_text().replace("name: small", "name: other") + "image: right\n")
    first.write_text(first.read_text() + "image: left\n")
    locks = {path: lock_manifest(load_manifest(path), place).lock for path in (first, second)}
    assert list(locks[first].pins["packages"]) == ["lockfiles/image-below.txt", "lockfiles/image-left.txt"]

    def add(name):
        with (root / "lockfiles" / name).open("a") as file:
            file.write(f"six==1.17.0 --hash=sha256:{'b' * 64}\n")
        return [changed_pins(load_manifest(path), held) for path, held in locks.items()]

    (root / "lockfiles" / "requirements.txt").write_text("mypy==1.0\n")
    assert add("requirements.txt") == [[], []]
    assert add("image-right.txt") == [[], ["pins/packages/lockfiles~1image-right.txt/sha256"]]
    locks[second] = lock_manifest(load_manifest(second), place).lock
    assert add("image-below.txt") == [["pins/packages/lockfiles~1image-below.txt/sha256"]] * 2


def test_an_image_without_a_recipe_is_pinned_by_the_lock_of_its_name(project):
    path, lock = project
    packages = path.parents[1] / "lockfiles" / "image-cpu.txt"
    assert lock().lock.pins["packages"] == {}
    packages.write_text("numpy==1.0\n")
    held = load_lock(path.parents[1], "small")
    assert held and changed_pins(load_manifest(path), held) == ["pins/packages/lockfiles~1image-cpu.txt"]
    assert lock().lock.pins["packages"] == {"lockfiles/image-cpu.txt": {"sha256": sha256(packages.read_bytes())}}
    packages.unlink()
    held = load_lock(path.parents[1], "small")
    assert held and changed_pins(load_manifest(path), held) == ["pins/packages/lockfiles~1image-cpu.txt"]


@pytest.mark.long
def test_an_older_lock_that_pins_all_requirements_fits_while_they_do(project, place):
    path, lock = project
    root = path.parents[1]
    whole = root / "lockfiles" / "requirements.txt"
    whole.write_text("numpy==1.0\n")
    (root / "lockfiles" / "image-cpu.txt").write_text("numpy==1.0\n")
    made = lock().lock
    pin: Any = {"lockfiles/requirements.txt": {"sha256": sha256(whole.read_bytes())}}
    pins: Any = {**made.pins, "packages": pin}
    older = Lock(made.intent, made.manifest_sha256, pins)
    lock_path(root, "small").write_bytes(older.data)
    (root / "lockfiles" / "image-cpu.txt").write_text("numpy==2.0\n")
    assert changed_pins(load_manifest(path), older) == []
    again = lock()
    assert (again.changed, again.lock) == (False, older)
    assert run_manifest(load_manifest(path), place, lambda *_: None).lock == older
    whole.write_text("numpy==2.0\n")
    assert changed_pins(load_manifest(path), older) == ["pins/packages/lockfiles~1requirements.txt/sha256"]
    renewed = lock()
    assert renewed.changed and list(renewed.lock.pins["packages"]) == ["lockfiles/image-cpu.txt"]
    assert renewed.moved == ["pins/packages/lockfiles~1requirements.txt/sha256"]


def test_a_lock_edited_by_hand_does_not_fit_even_if_sealed_again(project):
    path, lock = project
    held = lock().lock
    models: Any = {**held.pins["models"], "oracle": held.pins["models"]["echo"]}
    pins: Any = {**held.pins, "models": models}
    forged = Lock(held.intent, held.manifest_sha256, pins)
    assert changed_pins(load_manifest(path), read_lock(forged.data, "x")) == ["pins/models/oracle/sha256"]
    pins = {**held.pins, "datasets": {}}
    forged = Lock(held.intent, held.manifest_sha256, pins)
    assert changed_pins(load_manifest(path), forged) == ["pins/datasets/addition"]


@pytest.mark.parametrize(("field", "value"), [("sha256", "0" * 64), ("rows", 7)])
def test_data_other_than_pinned_is_refused_before_anything_uses_it(project, place, field, value):
    path, lock = project
    held = lock().lock
    data: Any = held.pins["datasets"]["addition"]
    forged: Any = {**held.pins, "datasets": {"addition": {**data, "gold": {**data["gold"], field: value}}}}
    lock_path(path.parents[1], "small").write_bytes(Lock(held.intent, held.manifest_sha256, forged).data)
    with pytest.raises(InputError, match=f"pins/datasets/addition/gold/{field}"):
        run_manifest(load_manifest(path), place, lambda *_: None)


def test_two_manifests_of_one_name_are_refused(project):
    path, lock = project
    (path.parent / "deep").mkdir()
    (path.parent / "deep" / "other.yaml").write_text(manifest_text())
    (path.parent / "deep" / "broken.yaml").write_text("not: [a manifest")
    with pytest.raises(InputError, match="two manifests are called 'small'") as refused:
        lock()
    assert refused.value.where == f"{path}:3" and "deep/other.yaml" in refused.value.next
    assert not lock_path(path.parents[1], "small").exists()


def test_a_dataset_that_cannot_be_made_is_an_error_and_writes_no_lock(project):
    path, lock = project
    edit(path, "count: 20", "count: 0")
    with pytest.raises(HarnessError, match="0 draws make no dataset"):
        lock()
    assert not lock_path(path.parents[1], "small").exists()


def test_a_lock_that_cannot_be_read_is_replaced_and_that_is_said(project):
    _, lock = project
    first = lock()
    body = json.loads(first.path.read_bytes())
    for damaged in (b"junk", seal_document({**body, "type": "lock/2"})):
        first.path.write_bytes(damaged)
        again = lock()
        assert again.changed and again.moved == ["the old lock, which could not be read"]
        assert again.lock == first.lock


def test_what_a_model_lacks_here_is_unresolved_with_the_reason(project):
    path, lock = project
    edit(path, "{provider: baseline, behaviour: echo}", "{provider: openai, model: gpt-4-0613, tape: replay}")
    locked = lock()
    assert "no tape to replay" in locked.unresolved["models.echo"]
    assert locked.lock.pins["models"]["echo"]["unresolved"]
