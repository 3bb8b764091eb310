"""Views for agents: the prompts of a split, made by the benchmark's own plan and written without gold or ids.

What the lock pins is taken from this project and its store. Gold is made together with the data that a maker draws, but
is never read here. Of images a view holds the pixels and what is needed to show them. Comments, camera data, profiles
and whatever follows the image's end are left out, because they could contain an answer.
"""

from __future__ import annotations

import base64
import json
import secrets
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness import rows
from harness.attempts.reads import ViewImage, ViewRow, prompt_asked, prompt_text
from harness.digest import canonical_json, document_digest, encode_document, parse_document, sha256
from harness.errors import DamageError, HarnessError, InputError
from harness.files import write_atomic
from harness.manifest.datasets import made_tables
from harness.manifest.documents import TablePin
from harness.manifest.load import AskedPart, LoadedManifest, asked_part
from harness.manifest.lockfile import Lock
from harness.manifest.schema import SPLITS
from harness.models.media import Media
from harness.models.providers.agent import item_key
from harness.rowtypes import Item, Prompt
from harness.run.closure import Code, code_root
from harness.run.environment import count_cores
from harness.run.executing.workshop import Workshop
from harness.run.locking.datasets import bring_files, require_dataset
from harness.run.locking.models import MODELS
from harness.run.locking.published import require_published
from harness.run.planning.plan import CheckedManifest, check_parts, make_plan
from harness.steps import Pinned, Plan, Ref, Step, maker_step_name
from harness.store.blobs import Blobs
from harness.store.journal import MOST_START, Canary
from harness.store.store import HOME, Store
from harness.store.tree import MOST_NOTE

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}  # tRNS: transparent colours
_JPEG_ALONE = {0x01, *range(0xD0, 0xD8)}  # markers without a length
_ADOBE = b"Adobe\x00\x64\x00\x00\x00\x00"  # followed by a byte that says how colours are coded
_WEBP_KEPT = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF"}
_WEBP_PLAIN = 0b00010010  # the flags for transparency and animation; not those for profile, EXIF and XMP


def strip_metadata(data: bytes, kind: str, where: str = "media") -> bytes:
    """Return an image without its metadata; raise InputError if its format is unknown or it is cut off or broken."""
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
    """Return a part of an image; raise ValueError if the image ends within it."""
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
        while data[at] == 0xFF:  # fill bytes may precede a marker
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
    """Return where the coded pixels of a scan end: at the next marker that is not part of them."""
    while True:
        at = data.index(b"\xff", at)
        follows = data[at + 1]
        if follows != 0 and follows not in _JPEG_ALONE:
            return at
        at += 2


def _gif(data: bytes) -> Iterator[bytes]:
    """Yield the frames and how each is shown; comments, texts and data of applications are left out."""
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
    """Return the size of a colour table in bytes, from its flags."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _gif_blocks(data: bytes, at: int) -> int:
    """Return where a sequence of blocks ends."""
    while data[at]:
        at += 1 + data[at]
    return at + 1


def _webp(data: bytes) -> Iterator[bytes]:
    """Yield the chunks that show the image, after a header with their size."""
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
CONTROL = "control"  # begins the id of the one row that is not an item, of which only a digest is shown


@dataclass(frozen=True)
class PromptTables:
    """The tables from which a view of an attempt is made: prompts, items and images of a slice of a dataset."""

    prompts: Path
    items: Path
    media: Path | None = None


@dataclass(frozen=True)
class ControlPrompt:
    """A prompt with a control word (canary): an agent that answers with the word has read what it must not see."""

    record: str  # a GUID, which the prompt names
    word: str

    @property
    def key(self) -> str:
        """The key of the row, which looks like that of an item, so that only its text tells it apart."""
        return item_key(f"{CONTROL}-{self.record}", 0)

    def row(self, others: Sequence[ViewRow]) -> ViewRow:
        """Return the prompt as a row that looks like the `others`; the control word is not in it."""
        like: ViewRow = others[0] if others else {"task": ITEM}
        mine = [row for row in others if row["task"] == like["task"] and ("text" in row) == ("text" in like)]
        text = _worded([prompt_asked(row) for row in mine], _QUESTION.format(self.record))
        asked: ViewRow = {"text": text}
        if "messages" in like:
            asked = {"messages": [*like["messages"][:-1], {**like["messages"][-1], "content": text}]}
        data = prompt_text(asked).encode()
        return {"key": self.key, "task": like["task"], **asked, "media": [], **_asked(data, "text")}


ITEM = "item"  # the task of a control row that has no row beside it
_QUESTION = (
    "Which word belongs to the record {}? Answer with the word alone. "
    "If you do not know it, `unknown` is a fine answer."
)


def _worded(texts: Sequence[str], question: str) -> str:
    """Return a question between the whole lines with which all of some texts begin and end."""
    if len(set(texts)) < 2:
        return question
    lines = [text.split("\n") for text in texts]
    shortest = min(map(len, lines))
    begin = next((at for at in range(shortest) if len({one[at] for one in lines}) > 1), shortest - 1)
    ends = range(1, shortest - begin)
    end = next((at for at in ends if len({one[-at] for one in lines}) > 1), len(ends) + 1) - 1
    return "\n".join([*lines[0][:begin], question, *(lines[0][-end:] if end > 0 else [])])


@dataclass
class ImageFile:
    """The images of a view, one after the other in one file, each once; and their places, by original digest."""

    pieces: list[bytes] = field(default_factory=list)
    places: dict[str, ViewImage] = field(default_factory=dict)
    size: int = 0

    def add(self, original: str, kind: str, data: bytes) -> ViewImage:
        """Add an image without its metadata; return its place in the file and both digests."""
        if original not in self.places:
            plain = strip_metadata(data, kind, f"image {original[:12]}")
            self.places[original] = {
                "sha256": sha256(plain),
                "original": original,
                "type": kind,
                "offset": self.size,
                "size": len(plain),
            }
            self.pieces.append(plain)
            self.size += len(plain)
        return self.places[original]


def view_rows(tables: Iterable[PromptTables], templates: tuple[int, ...], images: ImageFile) -> list[ViewRow]:
    """Return the rows of all prompts in the wanted wordings (all if none is named), sorted by their keys."""
    found: dict[str, ViewRow] = {}
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


def view_lines(header: Mapping[str, str], made: list[ViewRow], control: ControlPrompt, media: str) -> Iterator[bytes]:
    """Yield the lines of a view's file: a header, then the prompts and the control row, sorted by their keys."""
    yield canonical_json({**header, "type": KIND, "items": len(made), "media": media}) + b"\n"
    for row in sorted([*made, control.row(made)], key=lambda one: str(one["key"])):
        yield canonical_json(row) + b"\n"


def _row(prompt: Prompt, item: Item, media: Media, images: ImageFile) -> ViewRow:
    """Return what an agent may see of one prompt."""
    text, messages = prompt.get("text"), prompt.get("messages")
    if (text is None) == (messages is None) or "continuations" in prompt:
        raise InputError(
            "this prompt cannot be put to an agent",
            where=f"item {prompt['item']}",
            next="leave its dataset out of the split: an agent is asked with a text, or with messages",
        )
    asked: ViewRow = {"text": text} if text is not None else {"messages": messages or []}
    data = canonical_json(messages) if text is None else str(text).encode()
    shown = [images.add(one["id"], one["type"], base64.b64decode(one["data"])) for one in media.of(prompt)]
    row: ViewRow = {"key": item_key(prompt["item"], prompt["template"]), "task": item["task"], **asked, "media": shown}
    if "options" in item:
        return {**row, "options": dict(item["options"]), **_asked(data, "choice")}
    return {**row, **_asked(data, "text")}


def _asked(data: bytes, kind: str) -> ViewRow:
    return {"answer_kind": kind, "prompt_sha256": sha256(data), "size": len(data)}


PROMPTS = "prompts"  # name of the stage, and of the output of its steps

Made = dict[tuple[str, str], str]


def dataset_of_step(step: Step) -> str:
    """Return the dataset of a step that writes prompts."""
    return step.name.rpartition(f"/{PROMPTS}/")[0]


def prompt_steps(planned: Plan, datasets: tuple[str, ...]) -> list[Step]:
    """List the steps that write the prompts of some datasets; empty for a study that asks nothing."""
    return [step for step in planned.steps if step.stage == PROMPTS and dataset_of_step(step) in datasets]


@dataclass(frozen=True)
class PromptMaker:
    """Maker of the prompts of a view; it handles as many datasets at once as there are cores."""

    loaded: LoadedManifest
    checked: CheckedManifest
    lock: Lock
    planned: Plan
    workshop: Workshop

    def tables(self, steps: list[Step]) -> list[PromptTables]:
        """Return the tables that a view is made from; the steps that write those not in the store are executed."""
        self._bring(steps)
        with ThreadPoolExecutor(count_cores(), thread_name_prefix="view") as pool:
            made = [done for found in pool.map(self._dataset, self._by_dataset(steps)) for done in found]
        return made

    def _by_dataset(self, steps: list[Step]) -> list[list[Step]]:
        found: dict[str, list[Step]] = {}
        for step in steps:
            found.setdefault(dataset_of_step(step), []).append(step)
        return list(found.values())

    def _bring(self, steps: list[Step]) -> None:
        """Put the wordings into the store, and the files from outside that missing data is made from."""
        for digest, name in self.planned.pinned.items():
            used = any(Pinned(digest) in step.inputs.values() for step in steps)
            if used and self._blobs.put((code_root() / name).read_bytes()) != digest:
                raise DamageError(f"{name} is not what the lock pins", next="`harness lock` the manifest again")
        bring_files(self.loaded, self.lock, self.workshop.store, self.loaded.root / HOME)
        made = (self.checked.made[name] for name in {dataset_of_step(step) for step in steps} if not self._here(name))
        sources = {source for one in made if not one.own for source in (*one.files.values(), *one.folders.values())}
        said = self.loaded.manifest
        fetched = {name: said.datasets[name] for name in sorted(sources) if name in said.datasets}
        needed = said.model_copy(update={"datasets": fetched})
        pins, beside = self.lock.pins["datasets"], self.loaded.root / HOME
        require_published(needed, pins, self.workshop.store, beside, self.workshop.cancel)

    def _pins(self, dataset: str) -> Mapping[str, TablePin]:
        return made_tables(self.lock.pins["datasets"][dataset])

    def _here(self, dataset: str) -> bool:
        """Whether all that a maker makes is in the store already, by the digests that the lock pins."""
        return all(self._blobs.state(str(pin["sha256"])) == "sound" for pin in self._pins(dataset).values())

    def _dataset(self, steps: list[Step]) -> list[PromptTables]:
        """Make the prompts of one dataset, and the tables that they are rendered from."""
        dataset, by_name = dataset_of_step(steps[0]), {step.name: step for step in self.planned.steps}
        wanted = list(steps)
        for step in wanted:
            wanted += [by_name[ref.step] for ref in step.refs() if by_name[ref.step] not in wanted]
        drawn, made = maker_step_name(dataset), Made()
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
        items, images, deliver = (
            step.inputs["items"],
            self._pins(dataset_of_step(step)).get("media"),
            self._blobs.deliver,
        )
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
    """What a view of an attempt selects: a split of a manifest, or a part of it (empty: all), with its questions."""

    split: str
    subset: str
    part: AskedPart


@dataclass(frozen=True)
class View:
    """A view in a store: the folder of all that an agent may read of a split, and what identifies it."""

    folder: Path
    sha256: str  # of its items
    media: str  # SHA-256 of its images' file
    items: int  # how many prompts, the control row aside
    control: Canary  # key of the control row, and SHA-256 of its word

    @property
    def items_file(self) -> Path:
        """The file of the view's rows."""
        return self.folder / ITEMS

    @property
    def media_file(self) -> Path:
        """The file of the view's images."""
        return self.folder / MEDIA


def views_folder(store: Store) -> Path:
    """Return the folder of a store's views."""
    return store.root / "views"


def view_spec(loaded: LoadedManifest, split: str, subset: str = "") -> ViewSpec:
    """Return what a split, or a subset of it, asks of the benchmark; raise InputError if either is unknown."""
    return ViewSpec(split, subset, asked_part(loaded.manifest, split, subset))


def view_identity(loaded: LoadedManifest, lock: Lock, spec: ViewSpec, steps: list[Step], code: Code) -> str:
    """Return the digest of everything that a view is made from: lock, split, and the code of its steps."""
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
    """Return the intact view in a store that was made from `made_of`, or None if there is none."""
    folder = views_folder(store)
    for name in store.tree.list_folders(folder):
        try:
            found = read_view(store, name, made_of)
        except HarnessError:
            continue  # a damaged view is made again
        if found:
            return found
    return None


def read_view(store: Store, name: str, made_of: str = "") -> View | None:
    """Return a view by its digest, after every byte is checked; None if it was not made from `made_of`.

    Raises DamageError if the view is missing, or is not what its name says.
    """
    folder = views_folder(store) / name
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
    control = parse_document(secret, "control/1", str(folder / CONTROL_FILE))
    known: Canary = {"key": str(control["key"]), "sha256": sha256(str(control["word"]).encode())}
    return View(folder, name, media, items, known)


def _damaged(folder: Path) -> DamageError:
    return DamageError(
        "this view is missing or damaged", where=str(folder), next="restore the store from a copy, or start anew"
    )


def planned_view(loaded: LoadedManifest, lock: Lock, spec: ViewSpec) -> tuple[Plan, list[Step]]:
    """Plan a manifest as a view needs it; return the plan, and the steps that write the prompts (possibly none)."""
    asked = replace(lock, pins={**lock.pins, MODELS: {}})  # an agent answers, so no model need be here
    planned = make_plan(check_parts(loaded), asked, spec.part.items)
    return planned, prompt_steps(planned, spec.part.datasets)


def make_view(
    loaded: LoadedManifest, lock: Lock, spec: ViewSpec, store: Store, workshop: Callable[[], Workshop]
) -> View:
    """Return the view of a split from the store, or make it: run the steps for data and prompts, and write its files.

    The workshop is opened only if something must be made. Raises InputError for a split that asks nothing.
    """
    planned, steps = planned_view(loaded, lock, spec)
    if not steps:
        raise InputError(
            f"split {spec.split!r} asks nothing",
            where=loaded.tree.at((*SPLITS, spec.split)),
            next="name datasets that a model is asked about, or leave the split out",
        )
    made_of = view_identity(loaded, lock, spec, steps, Code())
    if found := find_view(store, made_of):
        return found
    maker = PromptMaker(loaded, check_parts(loaded), lock, planned, workshop())
    return _write(loaded, spec, made_of, maker.tables(steps), store)


def _write(loaded: LoadedManifest, spec: ViewSpec, made_of: str, tables: list[PromptTables], store: Store) -> View:
    """Write a view under the digest of its rows, completely or not at all."""
    images, control = ImageFile(), ControlPrompt(str(uuid.uuid4()), secrets.token_hex(12))
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
    secret = encode_document({"type": "control/1", "key": control.key, "record": control.record, "word": control.word})
    name = sha256(data)
    folder = views_folder(store) / name
    store.tree.make_folder(views_folder(store))
    with store.folder("view") as temp:
        write_atomic(temp / CONTROL_FILE, secret + b"\n", mode=0o600)
        write_atomic(temp / MEDIA, media, mode=0o444)
        write_atomic(temp / ITEMS, data, mode=0o444)
        store.tree.rename(temp, folder)
    known: Canary = {"key": control.key, "sha256": sha256(control.word.encode())}
    return View(folder, name, sha256(media), len(found), known)
