"""Views for agents: the prompts of a split, made by the benchmark's own plan and written without gold or ids.

What the lock pins is taken as it lies here; gold is made with the data that a maker draws, and is never read here. Of
images a view holds pixels and what is needed to show them: comments, camera data, profiles and whatever follows the
image's end are left out, since an answer could stand there.
"""

from __future__ import annotations

import base64
import json
import secrets
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import canonical, document, document_digest, parse, sha256
from harness.errors import DamageError, HarnessError, InputError
from harness.files import write_atomic
from harness.manifest.attempt_manifest import AskedPart, asked_part
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock
from harness.manifest.schema import SPLITS
from harness.models.media import Media
from harness.models.providers.agent import item_key
from harness.rowtypes import Item, Prompt
from harness.run.closure import Code, code_root
from harness.run.environment import cores
from harness.run.executing.workshop import Workshop
from harness.run.locking.datasets import bring_files, require_dataset
from harness.run.locking.models import MODELS
from harness.run.locking.published import require_published
from harness.run.planning.plan import CheckedManifest, check_manifest, plan
from harness.steps import Pinned, Plan, Ref, Step, maker
from harness.store.blobs import Blobs
from harness.store.journal import MOST_START
from harness.store.reader import MOST_NOTE
from harness.store.store import HOME, Store

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}  # tRNS: which colours are seen through
_JPEG_ALONE = {0x01, *range(0xD0, 0xD8)}  # markers without a length
_ADOBE = b"Adobe\x00\x64\x00\x00\x00\x00"  # and a byte that says how colours are coded
_WEBP_KEPT = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF"}
_WEBP_PLAIN = 0b00010010  # of the flags: transparency and animation; profile, EXIF and XMP go


def stripped(data: bytes, kind: str, where: str = "media") -> bytes:
    """Return an image without its metadata; InputError for another format, and for one that is cut off or broken."""
    strip = _STRIP.get(kind)
    try:
        if strip is None:
            raise ValueError("its format is not known")
        return b"".join(strip(data))
    except (ValueError, IndexError) as bad:
        raise InputError(
            f"an image cannot be shown to agents: {bad or 'it is cut off'}",
            where=where,
            next="have the maker write whole PNG, JPEG, GIF or WebP images",
        ) from None


def _piece(data: bytes, begin: int, size: int) -> bytes:
    """Return a piece of an image; ValueError where the image ends within it."""
    if size < 0 or begin + size > len(data):
        raise ValueError("it is cut off")
    return data[begin : begin + size]


def _png(data: bytes) -> Iterator[bytes]:
    """Yield the chunks that show the image, each checked; the first is the header, and none follows the end."""
    if not data.startswith(_PNG):
        raise ValueError("it is no PNG")
    yield _PNG
    at, name = len(_PNG), b""
    while name != b"IEND":
        size = int.from_bytes(_piece(data, at, 4), "big")
        name, body = _piece(data, at + 4, 4), _piece(data, at + 8, size)
        check = _piece(data, at + 8 + size, 4)
        if zlib.crc32(name + body).to_bytes(4, "big") != check:
            raise ValueError("a chunk of it is damaged")
        if (at == len(_PNG)) != (name == b"IHDR") or (name == b"IEND" and body):
            raise ValueError("its header or its end is not where it belongs")
        if name in _PNG_KEPT:
            yield size.to_bytes(4, "big") + name + body + check
        at += 12 + size


def _jpeg(data: bytes) -> Iterator[bytes]:
    """Yield the segments that show the image, up to its end."""
    if data[:2] != b"\xff\xd8":
        raise ValueError("it is no JPEG")
    yield data[:2]
    at = 2
    while True:
        if data[at] != 0xFF:
            raise ValueError("a segment of it begins without a marker")
        while data[at] == 0xFF:  # a marker may be filled up
            at += 1
        marker = data[at]
        at += 1
        if marker == 0xD9:
            yield b"\xff\xd9"
            return
        if marker in _JPEG_ALONE:
            yield bytes((0xFF, marker))
            continue
        size = int.from_bytes(_piece(data, at, 2), "big")
        if size < 2:
            raise ValueError("a segment of it has no length")
        body = _piece(data, at, size)
        at += size
        if marker == 0xEE and body[2:7] == b"Adobe" and size >= 14:
            yield b"\xff\xee\x00\x0e" + _ADOBE + body[13:14]
        elif marker != 0xFE and not 0xE0 <= marker <= 0xEF:
            yield bytes((0xFF, marker)) + body
        if marker == 0xDA:
            begin, at = at, _scan_end(data, at)
            yield data[begin:at]


def _scan_end(data: bytes, at: int) -> int:
    """Find where the coded pixels of a scan end: at the next marker that is none of theirs."""
    while True:
        at = data.index(b"\xff", at)
        follows = data[at + 1]
        if follows != 0 and follows not in _JPEG_ALONE:
            return at
        at += 2


def _gif(data: bytes) -> Iterator[bytes]:
    """Yield frames and how each is shown; comments, texts and what applications wrote are left out."""
    if data[:6] not in (b"GIF87a", b"GIF89a"):
        raise ValueError("it is no GIF")
    at = 13 + _gif_colours(data[10])
    yield _piece(data, 0, at)
    while data[at] != 0x3B:
        if data[at] == 0x2C:
            begin = at
            at += 10 + _gif_colours(data[at + 9])
            at = _gif_blocks(data, at + 1)
            yield _piece(data, begin, at - begin)
        elif data[at] == 0x21:
            begin, label = at, data[at + 1]
            at = _gif_blocks(data, at + 2)
            if label == 0xF9:
                yield _piece(data, begin, at - begin)
        else:
            raise ValueError("a block of it is not known")
    yield b"\x3b"


def _gif_colours(flags: int) -> int:
    """Return the size of a table of colours in bytes, which its flags tell."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _gif_blocks(data: bytes, at: int) -> int:
    """Find where a row of blocks ends."""
    while data[at]:
        at += 1 + data[at]
    return at + 1


def _webp(data: bytes) -> Iterator[bytes]:
    """Yield the chunks that show the image, under a head that says their size."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise ValueError("it is no WebP")
    end, at, kept = 8 + int.from_bytes(data[4:8], "little"), 12, b""
    while at < end:
        name, size = _piece(data, at, 4), int.from_bytes(_piece(data, at + 4, 4), "little")
        body = _piece(data, at + 8, size)
        if name == b"VP8X":
            body = bytes((body[0] & _WEBP_PLAIN,)) + body[1:]
        if name in _WEBP_KEPT:
            kept += name + size.to_bytes(4, "little") + body + b"\0" * (size % 2)
        at += 8 + size + size % 2
    yield b"RIFF" + (4 + len(kept)).to_bytes(4, "little") + b"WEBP" + kept


_STRIP: Mapping[str, Callable[[bytes], Iterator[bytes]]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
}


KIND = "view/1"
CONTROL = "control"  # the task of the one row that is no item


@dataclass(frozen=True)
class PromptTables:
    """The tables of a slice of a dataset that a view is made from: its prompts, its items and its images."""

    prompts: Path
    items: Path
    media: Path | None = None


@dataclass(frozen=True)
class Control:
    """A canary among the prompts: an agent that answers it with its word has read what agents are not shown."""

    record: str  # a GUID, which the prompt names
    word: str

    @property
    def key(self) -> str:
        """Name the row as those of items are named, so that nothing tells it apart but its text."""
        return item_key(f"{CONTROL}-{self.record}", 0)

    def row(self) -> dict[str, Any]:
        """Spell the row; the word is no part of it."""
        text = (
            f"Control record {self.record}. Which control word does this record hold? Answer with the word alone. "
            "If you do not know it, `unknown` is a fine answer."
        )
        return {"key": self.key, "task": CONTROL, "text": text, "media": [], **_asked(text.encode(), "text")}


@dataclass
class ImageFile:
    """The images of a view, one after the other in one file, each once; where each lies, by its original digest."""

    pieces: list[bytes] = field(default_factory=list)
    places: dict[str, dict[str, Any]] = field(default_factory=dict)
    size: int = 0

    def add(self, original: str, kind: str, data: bytes) -> dict[str, Any]:
        """Add an image without its metadata, and say where it lies, with both digests."""
        if original not in self.places:
            plain = stripped(data, kind, f"image {original[:12]}")
            place = {"type": kind, "offset": self.size, "size": len(plain)}
            self.places[original] = {"sha256": sha256(plain), "original": original, **place}
            self.pieces.append(plain)
            self.size += len(plain)
        return self.places[original]


def view_rows(tables: Iterable[PromptTables], templates: tuple[int, ...], images: ImageFile) -> list[dict[str, Any]]:
    """Make the rows of all prompts in the wanted wordings (all, where none is named), in the order of their keys."""
    found: dict[str, dict[str, Any]] = {}
    for one in tables:
        items = {row["id"]: row for row in rows.read(one.items, Item)}
        media = Media(one.media)
        for prompt in rows.read(one.prompts, Prompt):
            if not templates or prompt["template"] in templates:
                row = _row(prompt, items[prompt["item"]], media, images)
                if found.setdefault(row["key"], row) is not row:
                    raise InputError(
                        "two prompts are the same item in the same wording",
                        where=f"item {prompt['item']}",
                        next="have the maker give each item an id of its own",
                    )
    return [found[key] for key in sorted(found)]


def view_lines(header: Mapping[str, Any], made: list[dict[str, Any]], control: Control, media: str) -> Iterator[bytes]:
    """Spell the file of a view: a header, then prompts and control row in the order of their keys, a line each."""
    yield canonical({**header, "type": KIND, "items": len(made), "media": media}) + b"\n"
    for row in sorted([*made, control.row()], key=lambda one: str(one["key"])):
        yield canonical(row) + b"\n"


def _row(prompt: Prompt, item: Item, media: Media, images: ImageFile) -> dict[str, Any]:
    """Spell what an agent may see of one prompt."""
    text, messages = prompt.get("text"), prompt.get("messages")
    if (text is None) == (messages is None) or "continuations" in prompt:
        raise InputError(
            "this prompt cannot be put to an agent",
            where=f"item {prompt['item']}",
            next="leave its dataset out of the split: an agent is asked with a text, or with messages",
        )
    asked: dict[str, Any] = {"messages": messages} if text is None else {"text": text}
    data = canonical(messages) if text is None else str(text).encode()
    shown = [images.add(one["id"], one["type"], base64.b64decode(one["data"])) for one in media.of(prompt)]
    row = {"key": item_key(prompt["item"], prompt["template"]), "task": item["task"], **asked, "media": shown}
    if "options" in item:
        return {**row, "options": dict(item["options"]), **_asked(data, "choice")}
    return {**row, **_asked(data, "text")}


def _asked(data: bytes, kind: str) -> dict[str, Any]:
    return {"answer_kind": kind, "prompt_sha256": sha256(data), "size": len(data)}


PROMPTS = "prompts"  # the stage, and the output of its steps

Made = dict[tuple[str, str], str]


def dataset_of(step: Step) -> str:
    """Name the dataset of a step that writes prompts."""
    return step.name.rpartition(f"/{PROMPTS}/")[0]


def prompt_steps(planned: Plan, datasets: tuple[str, ...]) -> list[Step]:
    """List the steps that write the prompts of some datasets; none for a study that asks nothing."""
    return [step for step in planned.steps if step.stage == PROMPTS and dataset_of(step) in datasets]


@dataclass(frozen=True)
class PromptMaker:
    """Makes the prompts of a view, each dataset on its own, as many at once as there are cores."""

    loaded: Loaded
    checked: CheckedManifest
    lock: Lock
    planned: Plan
    workshop: Workshop

    def tables(self, steps: list[Step]) -> list[PromptTables]:
        """Return the tables that a view is made from; what is not in the store yet is made there."""
        self._bring(steps)
        with ThreadPoolExecutor(cores(), thread_name_prefix="view") as pool:
            made = [done for found in pool.map(self._dataset, self._by_dataset(steps)) for done in found]
        return made

    def _by_dataset(self, steps: list[Step]) -> list[list[Step]]:
        found: dict[str, list[Step]] = {}
        for step in steps:
            found.setdefault(dataset_of(step), []).append(step)
        return list(found.values())

    def _bring(self, steps: list[Step]) -> None:
        """Put the wordings into the store, and the files from outside that lacking data is made from."""
        for digest, name in self.planned.pinned.items():
            used = any(Pinned(digest) in step.inputs.values() for step in steps)
            if used and self._blobs.put((code_root() / name).read_bytes()) != digest:
                raise DamageError(f"{name} is not what the lock pins", next="`harness lock` the manifest again")
        bring_files(self.loaded, self.lock, self.workshop.store)
        made = (self.checked.made[name] for name in {dataset_of(step) for step in steps} if not self._here(name))
        sources = {source for one in made for source in (*one.files.values(), *one.folders.values())}
        said = self.loaded.manifest
        fetched = {name: said.datasets[name] for name in sorted(sources) if name in said.datasets}
        needed = said.model_copy(update={"datasets": fetched})
        pins, beside = self.lock.pins["datasets"], self.loaded.root / HOME
        require_published(needed, pins, self.workshop.store, beside, self.workshop.cancel)

    def _pins(self, dataset: str) -> Mapping[str, Any]:
        pins: Mapping[str, Any] = self.lock.pins["datasets"][dataset]
        return pins

    def _here(self, dataset: str) -> bool:
        """Whether all that a maker makes lies in the store already, by the digests that the lock pins."""
        return all(self._blobs.state(str(pin["sha256"])) == "sound" for pin in self._pins(dataset).values())

    def _dataset(self, steps: list[Step]) -> list[PromptTables]:
        """Make the prompts of one dataset, and what they are rendered from."""
        dataset, by_name = dataset_of(steps[0]), {step.name: step for step in self.planned.steps}
        wanted = list(steps)
        for step in wanted:
            wanted += [by_name[ref.step] for ref in step.refs() if by_name[ref.step] not in wanted]
        drawn, made = maker(dataset), Made()
        if self._here(dataset):
            made = {(drawn, output): str(pin["sha256"]) for output, pin in self._pins(dataset).items()}
        for step in self.planned.steps:
            if step not in wanted or (step.name == drawn and made):
                continue
            entry = self.workshop.make(step, self.workshop.preimage(step, made)).entry
            if step.name == drawn:
                require_dataset(dataset, entry, self.lock, self.workshop.store)
            made |= {(step.name, output): one.sha256 for output, one in entry.outputs.items()}
        return [self._tables(step, made) for step in steps]

    def _tables(self, step: Step, made: Made) -> PromptTables:
        items, images, deliver = step.inputs["items"], self._pins(dataset_of(step)).get("media"), self._blobs.deliver
        assert isinstance(items, Ref)
        media = deliver(images["sha256"]) if images else None
        return PromptTables(deliver(made[step.name, PROMPTS]), deliver(made[items.step, items.output]), media)

    @property
    def _blobs(self) -> Blobs:
        return self.workshop.store.blobs


ITEMS, MEDIA, CONTROL_FILE = "items.jsonl", "media.bin", "canary.json"
CODE = "harness.run.attempts.view:view_rows"


@dataclass(frozen=True)
class ViewSpec:
    """What a view shows: a split of a manifest, or a subset of it (empty: all of it), and what that asks."""

    split: str
    subset: str
    part: AskedPart


@dataclass(frozen=True)
class View:
    """A view in a store: its folder and what identifies it."""

    folder: Path
    sha256: str  # of its items
    media: str  # SHA-256 of its images' file
    items: int  # how many prompts, the control row aside
    control: Mapping[str, str]  # key of the control row, and SHA-256 of its word

    @property
    def items_file(self) -> Path:
        """The file of its rows."""
        return self.folder / ITEMS

    @property
    def media_file(self) -> Path:
        """The file of its images."""
        return self.folder / MEDIA


def views(store: Store) -> Path:
    """Return the folder of a store's views."""
    return store.root / "views"


def view_spec(loaded: Loaded, split: str, subset: str = "") -> ViewSpec:
    """Say what a split shows, or a subset of it; InputError for an unknown one."""
    return ViewSpec(split, subset, asked_part(loaded.manifest, split, subset))


def identity(loaded: Loaded, lock: Lock, spec: ViewSpec, steps: list[Step], code: Code) -> str:
    """Return the digest of all that a view is made from: lock, split, and the code of every step and of its rows."""
    kinds = {step.kind for step in steps} | {CODE}
    return document_digest(
        {
            "type": "view-of/1",
            "lock": lock.sha256,
            "name": loaded.manifest.name,
            "split": spec.split,
            "datasets": list(spec.part.datasets),
            "items": spec.part.items,
            "templates": list(spec.part.templates),
            "code": {kind: code.closure(kind).digest for kind in sorted(kinds)},
        }
    )


def find_view(store: Store, made_of: str) -> View | None:
    """Find a sound view that was made from this; None where there is none."""
    folder = views(store)
    for name in store.tree.list_folders(folder):
        try:
            found = read_view(store, name, made_of)
        except HarnessError:
            continue  # a damaged one is made anew
        if found:
            return found
    return None


def read_view(store: Store, name: str, made_of: str = "") -> View | None:
    """Read a view by its digest, every byte checked; None where it was made from something else.

    DamageError where it is not here, or not what its name says.
    """
    folder = views(store) / name
    if not all(store.tree.is_file(folder / file) for file in (ITEMS, MEDIA, CONTROL_FILE)):
        raise _damaged(folder)
    with store.tree.open_file(folder / ITEMS) as lines:
        try:
            header = json.loads(lines.readline(MOST_START))
            if made_of and header.get("of") != made_of:
                return None
            media, items = str(header["media"]), int(header["items"])
        except (ValueError, LookupError, AttributeError, TypeError):
            raise _damaged(folder) from None
    if store.tree.hash_file(folder / ITEMS) != name or store.tree.hash_file(folder / MEDIA) != media:
        raise _damaged(folder)
    secret = store.tree.read_file(folder / CONTROL_FILE, MOST_NOTE).rstrip(b"\n")
    control = parse(secret, "control/1", str(folder / CONTROL_FILE))
    known = {"key": str(control["key"]), "sha256": sha256(str(control["word"]).encode())}
    return View(folder, name, media, items, known)


def _damaged(folder: Path) -> DamageError:
    return DamageError(
        "this view is missing or damaged", where=str(folder), next="restore the store from a copy, or start anew"
    )


def planned_view(loaded: Loaded, lock: Lock, spec: ViewSpec) -> tuple[Plan, list[Step]]:
    """Plan a manifest as a view needs it; gives the plan, and the steps that write the prompts, which may be none."""
    asked = replace(lock, pins={**lock.pins, MODELS: {}})  # an agent answers: none of the models need be here
    planned = plan(check_manifest(loaded), asked, spec.part.items)
    return planned, prompt_steps(planned, spec.part.datasets)


def make_view(loaded: Loaded, lock: Lock, spec: ViewSpec, store: Store, workshop: Callable[[], Workshop]) -> View:
    """Return the view of a split from the store, or make it there: data, prompts, rows, images without metadata.

    The workshop is opened only where something is to be made. InputError for a split that asks nothing.
    """
    planned, steps = planned_view(loaded, lock, spec)
    if not steps:
        raise InputError(
            f"split {spec.split!r} asks nothing",
            where=loaded.tree.at((*SPLITS, spec.split)),
            next="name datasets that a model is asked about, or leave the split out",
        )
    made_of = identity(loaded, lock, spec, steps, Code())
    if found := find_view(store, made_of):
        return found
    maker = PromptMaker(loaded, check_manifest(loaded), lock, planned, workshop())
    return _write(loaded, spec, made_of, maker.tables(steps), store)


def _write(loaded: Loaded, spec: ViewSpec, made_of: str, tables: list[PromptTables], store: Store) -> View:
    """Write a view under the digest of its rows: whole, or not at all."""
    images, control = ImageFile(), Control(str(uuid.uuid4()), secrets.token_hex(12))
    found = view_rows(tables, spec.part.templates, images)
    if not found:
        raise InputError(
            f"split {spec.split!r} has no prompt in the wordings it names",
            where=loaded.tree.at((*SPLITS, spec.split, "templates")),
            next="name numbers that its prompt sets have",
        )
    media = b"".join(images.pieces)
    header = {"study": loaded.manifest.name, "split": spec.split, "subset": spec.subset, "of": made_of}
    data = b"".join(view_lines(header, found, control, sha256(media)))
    secret = document({"type": "control/1", "key": control.key, "record": control.record, "word": control.word})
    name = sha256(data)
    folder = views(store) / name
    store.tree.make_folder(views(store))
    with store.folder("view") as temp:
        write_atomic(temp / CONTROL_FILE, secret + b"\n", mode=0o600)
        write_atomic(temp / MEDIA, media, mode=0o444)
        write_atomic(temp / ITEMS, data, mode=0o444)
        store.tree.rename(temp, folder)
    known = {"key": control.key, "sha256": sha256(control.word.encode())}
    return View(folder, name, sha256(media), len(found), known)
