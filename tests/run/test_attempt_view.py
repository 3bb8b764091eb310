"""A view holds the prompts of a split and nothing that tells an answer, an item's id, or where it came from."""

import base64
import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from support_views import ADDITION, STUDIES, lines_of, opening, project, served

from harness import rows
from harness.attempts.reads import ViewReader
from harness.attempts.transcript import item_id, item_key
from harness.digest import canonical_json, sha256, sha256_file
from harness.errors import DamageError, InputError
from harness.manifest.datasets import made_tables
from harness.manifest.load import parse_manifest
from harness.run.attempts.served import served_lock
from harness.run.attempts.service import open_attempt
from harness.run.attempts.view import make_view, read_view, strip_metadata, view_spec
from harness.store.store import Store

FIELDS = {"key", "task", "text", "messages", "media", "options", "answer_kind", "prompt_sha256", "size"}
ASKED = {"text", "messages"}
HEX64 = re.compile("[0-9a-f]{64}")
SAID = {*ASKED, "options", "task", "answer_kind"}
SHORT = ("addition", "choices")  # studies
pytestmark = pytest.mark.together


class Shown:
    """A view of a project's manifest, with all that was read to make it."""

    def __init__(self, folder: Path, name: str, subset: str = "", split: str = "dev") -> None:
        self.folder, self.served = folder, served(folder)
        [self.loaded] = [loaded for loaded in self.served.manifests if loaded.manifest.name == name]
        self.store = Store.open(folder / ".harness")
        self.lock = served_lock(self.loaded)
        self.spec = view_spec(self.loaded, split, subset)
        self.view = self.make()
        self.header, *self.rows = lines_of(self.view.items_file)
        self.items = [row for row in self.rows if row["key"] != self.view.control["key"]]

    def make(self, **changed):
        target = self.served.target
        spec = replace(self.spec, **changed)
        return make_view(self.loaded, self.lock, spec, self.store, lambda: target.workshop(self.loaded, gpus=False))

    def table(self, name: str):
        """Read a table of every dataset from the store, by the digest that the lock pins."""
        pins = [pin[name] for pin in map(made_tables, self.lock.pins["datasets"].values()) if name in pin]
        return [row for pin in pins for row in rows.read(self.store.blobs.deliver(pin["sha256"]))]


class Views(dict[str, Shown]):
    """Views by the name of their study, each of a project of its own that is made when a test asks for it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __missing__(self, name: str) -> Shown:
        made = Shown(project(self._folder / name, STUDIES[name]), "small" if name == "addition" else name)
        return self.setdefault(name, made)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return Views(tmp_path_factory.mktemp("views"))


each_study = pytest.mark.parametrize(
    "name", [*SHORT, *(pytest.param(name, marks=pytest.mark.long) for name in STUDIES if name not in SHORT)]
)


@each_study
def test_a_row_says_what_is_asked_and_nothing_else(shown, name):
    this = shown[name]
    assert this.items and len(this.items) == this.header["items"] == this.view.items
    tasks = {row["task"] for row in this.table("items")}
    for row in this.items:
        assert row.keys() <= FIELDS and HEX64.fullmatch(row["key"])
        assert row["task"] in tasks
        asked = row["text"].encode() if "text" in row else canonical_json(row["messages"])
        assert (row["prompt_sha256"], row["size"]) == (sha256(asked), len(asked)) and len(row.keys() & ASKED) == 1
        assert row["answer_kind"] == ("choice" if "options" in row else "text")


@each_study
def test_no_gold_and_no_id_of_an_item_stands_in_a_view(shown, name):
    this = shown[name]
    bytes_seen = this.view.items_file.read_bytes() + this.view.media_file.read_bytes()
    for row in this.table("items"):
        assert row["id"].encode() not in bytes_seen
    for row in this.table("gold"):
        assert json.dumps(row["gold"], sort_keys=True, separators=(",", ":")).encode() not in bytes_seen
    for row in this.items:  # what is left of a row without its prompt and options is digests and sizes
        left = {key: value for key, value in row.items() if key not in SAID}
        assert left["size"] >= 0 and all(HEX64.fullmatch(left[key]) for key in ("key", "prompt_sha256"))


def test_texts_are_the_templates_with_the_items_in_them(shown):
    this = shown["addition"]
    templates = {1: "{a} + {b} =", 6: None}
    lines = Path(__file__).resolve().parents[2] / "harness/studies/reliability/prompts/addition@1.jsonl"
    templates = {row["id"]: row["text"] for row in rows.read(lines) if row["id"] in templates}
    wanted = {}
    for row in this.table("items")[:4]:
        for number, text in templates.items():
            said = text.replace("{a}", str(row["input"]["a"])).replace("{b}", str(row["input"]["b"]))
            wanted[item_key(row["id"], number)] = said
    assert {row["key"]: row["text"] for row in this.items} == wanted


def test_options_of_items_are_shown(shown):
    this = shown["choices"]
    given = {item_key(row["id"], 2): row for row in this.table("items")}
    assert {row["task"] for row in this.items} == {"science", "transforms"}
    for row in this.items:
        assert row.get("options") == given[row["key"]].get("options")


@pytest.mark.long
def test_wordings_that_a_dataset_brings_are_shown(shown):
    brought = {item_key(row["item"], row["template"]): row["messages"] for row in shown["rendered"].table("rendered")}
    assert len(shown["rendered"].items) == 6
    assert all(brought[row["key"]] == row["messages"] for row in shown["rendered"].items)


@pytest.mark.long
def test_images_stand_in_one_file_without_metadata(shown):
    this = shown["documents"]
    pictures = [one for row in this.items for one in row["media"]]
    data, given = this.view.media_file.read_bytes(), {row["id"]: row for row in this.table("media")}
    assert len(pictures) == 3 and sha256(data) == this.header["media"] == this.view.media
    for one in pictures:
        plain = data[one["offset"] : one["offset"] + one["size"]]
        assert sha256(plain) == one["sha256"]
        assert plain == strip_metadata(base64.b64decode(given[one["original"]]["data"]), one["type"])
        assert b"tEXt" not in plain and b"eXIf" not in plain
    assert sum(one["size"] for one in pictures) == len(data)


@each_study
def test_the_control_word_is_nowhere_but_in_its_file(shown, name):
    this = shown[name]
    path = this.view.folder / "canary.json"
    control = json.loads(path.read_bytes())
    assert path.stat().st_mode & 0o777 == 0o600
    assert sha256(control["word"].encode()) == this.view.control["sha256"]
    [row] = [row for row in this.rows if row["key"] == control["key"]]
    asked = json.dumps(row["text"] if "text" in row else row["messages"])
    assert control["record"] in asked and "unknown" in asked and row.keys() <= FIELDS
    assert "control" not in asked.lower() and row["task"] in {one["task"] for one in this.items}
    name = "small" if name == "addition" else name
    opened = open_attempt(this.served, opening(name, key=f"control of {name}"))
    for file in this.folder.rglob("*"):
        if file.is_file() and file != path:
            assert control["word"].encode() not in file.read_bytes(), file
    assert json.loads(opened.transcript.read_bytes())["canary"] == dict(this.view.control)


def test_ids_and_order_of_two_attempts_say_nothing(shown):
    this, orders = shown["choices"], []
    for key in ("a", "b"):
        header = json.loads(open_attempt(this.served, opening("choices", key=key)).transcript.read_bytes())
        secret = bytes.fromhex(header["secret"])
        assert len(secret) == 32
        orders.append({item_id(secret, row["key"]): row["key"] for row in this.items})
    first, second = orders
    assert len(first) == len(this.items) and not first.keys() & second.keys()
    assert [first[one] for one in sorted(first)] != [second[one] for one in sorted(second)]
    keys = [row["key"] for row in this.rows]
    assert keys == sorted(keys)  # in the file, too, no row stands where its item stood
    assert [row["key"] for row in this.items] != [item_key(row["id"], 2) for row in this.table("items")]


@pytest.mark.long
def test_a_desk_reads_what_was_written(shown):
    this = shown["documents"]
    handles = [os.open(path, os.O_RDONLY) for path in (this.view.items_file, this.view.media_file)]
    reader = ViewReader(*handles)
    assert reader.sha256 == this.view.sha256 and set(reader.places) == {row["key"] for row in this.rows}
    for row in this.items:
        assert reader.row(row["key"]) == row
        assert all(len(reader.image(one)) == one["size"] for one in row["media"])
    reader.close()


def test_a_view_is_made_once_and_again_where_it_is_damaged(shown):
    this = shown["choices"]
    made = this.make()
    assert made == this.view
    subset = this.make(**vars(view_spec(this.loaded, "dev", "transforms")))
    assert {row["task"] for row in lines_of(subset.items_file)[1:]} == {"transforms"}
    assert sha256_file(subset.items_file)[0] == subset.sha256 == subset.folder.name
    (subset.folder / "items.jsonl").chmod(0o644)
    with open(subset.folder / "items.jsonl", "ab") as file:
        file.write(b'{"key": "extra"}\n')
    with pytest.raises(DamageError):
        read_view(this.store, subset.sha256)
    again = this.make(**vars(view_spec(this.loaded, "dev", "transforms")))
    assert again.folder != subset.folder and again.items == subset.items
    with pytest.raises(DamageError):
        read_view(this.store, "0" * 64)


def test_a_view_without_a_prompt_is_refused_at_its_line(shown):
    this = shown["addition"]
    text = ADDITION.replace("templates: [1, 6]", "templates: [99]")
    manifest, tree = parse_manifest(text.encode(), "m.yaml")
    loaded = replace(this.loaded, manifest=manifest, data=text.encode(), tree=tree)
    target = this.served.target
    with pytest.raises(InputError, match="no prompt in the wordings") as error:
        make_view(loaded, this.lock, view_spec(loaded, "dev"), this.store, lambda: target.workshop(loaded, gpus=False))
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "templates: [99]" in line)
    assert error.value.where == f"m.yaml:{line}"


def test_a_view_is_made_without_the_models_of_its_manifest(shown):
    this = shown["addition"]
    unresolved = {"models": {"oracle": {"unresolved": "its weights are not here"}}}
    lock = replace(this.lock, pins={**this.lock.pins, **unresolved})
    target = this.served.target
    view = make_view(this.loaded, lock, this.spec, this.store, lambda: target.workshop(this.loaded, gpus=False))
    keys = [row["key"] for row in lines_of(view.items_file)[1:]]
    assert [key for key in keys if key != view.control["key"]] == [row["key"] for row in this.items]
