"""Data sets of the Hugging Face hub: a name and a revision, resolved to a commit and to files with their digests.

Speaks the hub's own API over plain HTTP, at the address that its tools use too (HF_ENDPOINT), and reads no data. A
gated data set needs a token in HF_TOKEN, which is sent to that address alone.
"""

from __future__ import annotations

import fnmatch
import http.client
import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from threading import Event
from typing import Any, Final
from urllib.parse import quote, unquote, urljoin, urlsplit

from harness.digest import sha256_file
from harness.errors import InputError, MissingError
from harness.manifest.datasets import FORMATS, HUB, MOST_OWN_FILES, HubData, OwnFile, names_text
from harness.manifest.documents import FilePin
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Lock
from harness.run.locking.published import LARGEST, UnavailableError, download_pinned, download_url, is_in_store
from harness.run.progress import raise_if_stopped
from harness.store.store import Store

ENDPOINT, TOKEN = "HF_ENDPOINT", "HF_TOKEN"  # environment variables of the hub's own tools
COMMIT: Final = "commit"  # the field of a pin that only data sets of the hub have
GATED: Final = "gated"  # the field of a pin that says that the hub gives the data only to those who agreed to terms
_USUAL = "https://huggingface.co"
_SECONDS, _MOST_ANSWER, _MOST_ENTRIES = 60, 64 << 20, 200_000
_SPLITS = {  # the splits that a file's name may tell, as the hub reads names
    "train": ("train", "training"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test", "testing", "eval", "evaluation"),
}
_NEXT = re.compile(r'<([^>]+)>;\s*rel="next"')


@dataclass(frozen=True)
class HubFile:
    """A file of a data set: its size, and its SHA-256 where the hub states it (files in large storage)."""

    size: int | None
    sha256: str


@dataclass(frozen=True)
class HubRevision:
    """A data set of the Hugging Face hub at one commit: its files by path, and the parts that its card names.

    `gated` says that the hub gives it only to those who agreed to its terms.
    """

    name: str
    commit: str
    files: Mapping[str, HubFile]
    parts: Mapping[str, Sequence[str]]
    gated: bool = False

    def choose(self, pattern: str, part: str) -> list[str]:
        """List the files that a pattern or a part names; raise InputError if they are none, or of several kinds."""
        found = self._matching([pattern]) if pattern else self._of_part(part)
        if not found:
            where, known = f"{HUB}{self.name}@{self.commit}", [path for path in self.files if _format(path)]
            raise InputError(
                f"no file of the data set is called {pattern!r}"
                if pattern
                else "the data set has no file that is read",
                where=where,
                next=f"name some of its files: {names_text(known)}"
                if known
                else f"read are {', '.join(sorted(FORMATS))}; it has: {names_text(self.files)}",
            )
        if len(kinds := sorted({_format(path) for path in found})) > 1 or not kinds[0]:
            raise InputError(
                f"these files are not of one kind that is read: {names_text(found)}",
                where=f"{HUB}{self.name}@{self.commit}",
                next=f"name those of one kind by a pattern: `{HUB}{self.name}@{self.commit}/data/*.parquet`",
            )
        return found

    def _of_part(self, part: str) -> list[str]:
        parts = dict(self.parts) or self._named_parts()
        if not part and len(parts) == 1:
            return self._matching(next(iter(parts.values())))
        wanted = [name for name in parts if part and (name == part or part in name.split("/", 1))]
        if len(wanted) != 1:
            what = f"has no part {part!r}" if not wanted and part else "has several parts, and one is asked"
            if not parts:
                return []
            shown = names_text(wanted or parts)
            raise InputError(
                f"the data set {self.name} {what}",
                where=f"{HUB}{self.name}@{self.commit}",
                next=f"name one, `part: CONFIG/SPLIT` in a manifest, `--part` with `harness new`: {shown}",
            )
        return self._matching(parts[wanted[0]])

    def _named_parts(self) -> dict[str, list[str]]:
        """Return the parts that the names of files tell, where the card states none."""
        found: dict[str, list[str]] = {}
        for path in self.files:
            if _format(path):
                words = re.split(r"[^a-z]+", path.lower())
                split = next((name for name, spelled in _SPLITS.items() if set(spelled) & set(words)), "train")
                found.setdefault(f"default/{split}", []).append(path)
        return found

    def _matching(self, patterns: Sequence[str]) -> list[str]:
        return sorted(
            path
            for path in self.files
            if any(path == one or fnmatch.fnmatchcase(path, one.replace("**/", "*")) for one in patterns)
        )


def _format(path: str) -> str:
    return FORMATS.get(PurePosixPath(path).suffix.lower(), "")


def ask_hub(data: HubData) -> HubRevision:
    """Ask the Hugging Face hub for the commit and the files of a data set at a revision.

    Raises InputError if it has no such data set or revision, or has it under another name; MissingError if it needs
    leave, or if the hub does not answer.
    """
    revision = quote(unquote(data.revision), safe="")
    said, _ = _get(data, f"/api/datasets/{data.name}/revision/{revision}")
    commit = str(said.get("sha", "")) if isinstance(said, Mapping) else ""
    if not re.fullmatch("[0-9a-f]{40}", commit):
        raise MissingError("the hub did not answer as it is known to", where=hub_address(), next=_ELSEWHERE)
    called = str(said.get("id") or data.name)
    if called.lower() != data.name.lower():
        raise _renamed(data, called)
    files: dict[str, HubFile] = {}
    for entry in _tree(data, commit):
        if entry.get("type") == "file":
            large = lfs if isinstance(lfs := entry.get("lfs"), Mapping) else {}
            size = large.get("size", entry.get("size"))
            digest = str(large.get("oid", "")).removeprefix("sha256:")
            known = isinstance(size, int) and 0 <= size <= LARGEST  # any other size is found out by the download
            files[str(entry["path"])] = HubFile(size if known else None, digest)
    card = said.get("cardData")
    return HubRevision(data.name, commit, dict(sorted(files.items())), _parts_of_card(card), bool(said.get(GATED)))


def newest_commit(data: HubData) -> str:
    """Return the commit of a data set's main branch, as the hub states it now."""
    return ask_hub(HubData(data.name, "main")).commit


def require_revision(data: HubData) -> None:
    """Raise InputError for a name without a revision; the error says which commit is the newest."""
    if not data.revision:
        newest = newest_commit(data)
        raise InputError(
            "a name alone pins nothing, since a data set of the hub may change",
            where=f"{HUB}{data.name}",
            next=f"its newest commit is this one: write `{HUB}{data.name}@{newest}`",
        )


def hub_pins(
    loaded: LoadedManifest, held: Lock | None, store: Store, stop: Event
) -> tuple[dict[str, FilePin], dict[str, str]]:
    """Resolve the hub's data sets that a manifest names to digests, and download their files into the store.

    Returns the pins by dataset, and by dataset the reason for those that cannot be had. The hub is not asked what it
    cannot answer otherwise: a part of a commit that the lock `held` pins. Raises InputError, with the line of the
    manifest, for a name, revision or part that the hub does not have.
    """
    pins: dict[str, FilePin] = {}
    reasons: dict[str, str] = {}
    for name, dataset in loaded.manifest.datasets.items():
        if isinstance(dataset, OwnFile) and isinstance(dataset.file, str) and dataset.file.startswith(HUB):
            raise_if_stopped(stop)
            try:
                if pin := _held_pin(held, name, dataset):
                    bring_hub_files(store, pin, dict(pin["files"]), None)
                pins[name] = pin or pin_hub_data(dataset.file, dataset.part or "", store)
            except InputError as bad:
                line = loaded.tree.at(("datasets", name, "file"))
                raise InputError(f"{bad.what} ({bad.where})", where=line, next=bad.next) from bad
            except MissingError as bad:
                reasons[name] = f"{bad.what}; {bad.next}"
    return pins, reasons


def _held_pin(held: Lock | None, name: str, dataset: OwnFile) -> FilePin:
    """Return a lock's pin of a dataset, if it is of the same part of the same commit; else an empty one."""
    pin: FilePin = held.of("files").get(name, {}) if held else {}
    same = pin.get("file") == dataset.file and held and held.intent["datasets"][name].get("part") == dataset.part
    if not same or f"@{pin[COMMIT]}" not in pin["file"]:
        return {}
    kept: FilePin = {"file": pin["file"], COMMIT: pin[COMMIT], "files": pin["files"]}
    if GATED in pin:
        kept[GATED] = pin[GATED]
    return kept


def pin_hub_data(source: str, part: str, store: Store) -> FilePin:
    """Return the pin of a data set of the hub, its files in the store: its commit, and each file's digest by path.

    It says `gated` only if the hub does.
    """
    data = HubData.parse(source)
    found = ask_hub(data)
    paths = found.choose(data.pattern, part)
    if len(paths) > MOST_OWN_FILES:
        raise InputError(
            f"the data set has {len(paths):,} such files, and {MOST_OWN_FILES:,} at most are read",
            where=source,
            next="name fewer of them by a pattern behind the revision",
        )
    pairs = [[path, _bring(store, found, path)] for path in paths]
    pin: FilePin = {"file": source, COMMIT: found.commit, "files": pairs}
    if found.gated:
        pin[GATED] = True
    return pin


def bring_hub_files(store: Store, pin: FilePin, lacking: Mapping[str, str], beside: Path | None) -> None:
    """Bring pinned files of a data set into the store, from the store `beside` or from the hub at the pinned commit."""
    name = HubData.parse(pin["file"]).name
    for path, digest in lacking.items():
        if not is_in_store(store, digest, beside):
            address = _address(name, pin[COMMIT], path)
            download_pinned(store, address, digest, headers=_headers())


def _bring(store: Store, found: HubRevision, path: str) -> str:
    """Bring one file into the store, held against the digest that the hub states; return its digest."""
    digest = found.files[path].sha256
    if not digest or store.blobs.state(digest) != "sound":
        with store.folder("fetch") as folder:
            digest = download_hub_file(found, path, folder / "data")
            store.blobs.adopt(folder / "data")
    store.keep(digest)
    return digest


def download_hub_file(found: HubRevision, path: str, target: Path) -> str:
    """Download one file of a data set; return its digest, after comparing it with the one that the hub states."""
    file, address = found.files[path], _address(found.name, found.commit, path)
    download_url(address, target, LARGEST if file.size is None else file.size, _headers())
    digest, size = sha256_file(target)
    if (file.sha256 and digest != file.sha256) or (file.size is not None and size != file.size):
        raise UnavailableError(
            "what the hub sends for this file is not what it states", where=address, next="try again later"
        )
    return digest


def hub_address() -> str:
    """Return the address of the hub: HF_ENDPOINT, as for the hub's own tools, or the usual one.

    Raises InputError, which does not quote it, for an address with a name or a password, which messages would show.
    """
    found = (os.environ.get(ENDPOINT) or _USUAL).rstrip("/")
    if "@" in found:
        raise InputError(
            "the address of the hub holds a name or a password",
            where=ENDPOINT,
            next=f"write the address alone, such as {_USUAL}, and your token to {TOKEN}",
        )
    return found


def _address(name: str, commit: str, path: str) -> str:
    return f"{hub_address()}/datasets/{name}/resolve/{commit}/{quote(path)}"


def _headers() -> dict[str, str]:
    token = os.environ.get(TOKEN, "").strip()
    return {"Authorization": f"Bearer {token}"} if token else {}


def _tree(data: HubData, commit: str) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of a data set's tree, page by page."""
    path = f"/api/datasets/{data.name}/tree/{commit}?recursive=true"
    count = 0
    while path:
        entries, path = _get(data, path)
        if path and not (entries and isinstance(entries, list)):  # or a hub could name empty pages for ever
            raise MissingError("the hub did not answer as it is known to", where=hub_address(), next=_ELSEWHERE)
        for entry in entries if isinstance(entries, list) else ():
            count += 1
            if count > _MOST_ENTRIES:
                raise InputError(
                    f"the data set has more than {_MOST_ENTRIES:,} files",
                    where=f"{HUB}{data.name}",
                    next="fetch the few that are asked by `fetch:`",
                )
            if isinstance(entry, Mapping) and isinstance(entry.get("path"), str):
                yield entry


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        """Follow no redirect: one tells that the data set has another name now."""
        return None


_ELSEWHERE = "try again where the hub is to be reached, or name files of your own: `file: data/rows.parquet`"


def _get(data: HubData, path: str) -> tuple[Any, str]:
    """Ask the hub's API; return its answer, and the path of the next page if there is one."""
    url = hub_address() + path
    if urlsplit(url).scheme not in ("http", "https"):
        raise InputError("this is no address of a hub", where=f"{ENDPOINT}={hub_address()}", next=f"write {_USUAL}")
    request = urllib.request.Request(url)  # noqa: S310 - checked above
    for name, value in _headers().items():
        request.add_unredirected_header(name, value)
    try:
        with urllib.request.build_opener(_Stay).open(request, timeout=_SECONDS) as answer:
            body = answer.read(_MOST_ANSWER + 1)
            more = _NEXT.search(answer.headers.get("Link", ""))
    except urllib.error.HTTPError as bad:
        bad.close()
        raise _refusal(data, bad, url) from None
    except (OSError, ValueError, http.client.HTTPException) as bad:
        reason = bad.reason if isinstance(bad, urllib.error.URLError) else bad
        raise MissingError(f"the hub does not answer: {reason}", where=hub_address(), next=_ELSEWHERE) from None
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        raise MissingError("the hub did not answer as it is known to", where=url, next=_ELSEWHERE) from None
    return told, _onward(url, more[1]) if more else ""


def _onward(url: str, said: str) -> str:
    """Return the path of the next page, which is asked at the hub's own address, whatever host the hub names.

    It begins with a slash: behind an address, any other text would name another host, which would get the token.
    """
    try:
        found = urlsplit(urljoin(url, said))
    except ValueError:
        found = urlsplit("")
    if not found.path.startswith("/"):
        raise MissingError("the hub did not answer as it is known to", where=hub_address(), next=_ELSEWHERE)
    return f"{found.path.removeprefix(urlsplit(hub_address()).path)}?{found.query}"


def _refusal(data: HubData, bad: urllib.error.HTTPError, url: str) -> InputError | MissingError:
    """Return the error for an answer of the hub that is none: renamed, absent, gated, or a failure of its own."""
    where, page = f"{HUB}{data.name}", f"{hub_address()}/datasets/{data.name}"
    code = bad.headers.get("X-Error-Code", "") if bad.headers else ""
    if bad.code in (301, 302, 303, 307, 308):
        to = re.search(r"/api/datasets/([^/?]+/[^/?]+)", urljoin(url, bad.headers.get("Location", "")))
        return _renamed(data, to[1] if to else "")
    if code == "RevisionNotFound" or (bad.code == 404 and code not in ("RepoNotFound", "") and data.revision):
        return InputError(
            f"the data set {data.name} has no revision {unquote(data.revision)!r}",
            where=where,
            next=f"name a commit, tag or branch that stands in {page}/commits/main",
        )
    if code == "GatedRepo" or bad.code == 403:
        return MissingError(
            f"the data set {data.name} is given only to those who agreed to its terms (HTTP {bad.code})",
            where=where,
            next=f"agree to them in {page}, then set {TOKEN} to a token of yours and `harness lock` again",
        )
    if bad.code == 401:
        held = f"the token in {TOKEN} does not open it" if _headers() else f"{TOKEN} is not set"
        return MissingError(
            f"the hub gives no data set {data.name} (HTTP 401): it is private, gated, or not there, and {held}",
            where=where,
            next=f"check the name in {page}; if it is there, set {TOKEN} to a token of yours that may read it",
        )
    if bad.code == 404:
        return InputError(
            f"the hub has no data set {data.name}",
            where=where,
            next=f"check the name, OWNER/NAME, and that {page} is there for everybody",
        )
    return MissingError(f"the hub failed: HTTP {bad.code}", where=url, next=_ELSEWHERE)


def _renamed(data: HubData, name: str) -> InputError:
    shown = f"{HUB}{name}@{data.revision}" if name else "its new name"
    return InputError(
        f"the data set {data.name} has another name now{f': {name}' if name else ''}",
        where=f"{HUB}{data.name}",
        next=f"write `{shown}`; its commits are the same",
    )


def _parts_of_card(card: Any) -> dict[str, list[str]]:
    """Return, by `CONFIG/SPLIT`, the patterns of files that a data set's card states; empty if it states none."""
    found: dict[str, list[str]] = {}
    configs = card.get("configs") if isinstance(card, Mapping) else None
    for config in configs if isinstance(configs, list) else ():
        if not isinstance(config, Mapping):
            continue
        name, under = str(config.get("config_name", "default")), str(config.get("data_dir") or "")
        said = config.get("data_files")
        splits = said if isinstance(said, list) and all(isinstance(one, Mapping) for one in said) else None
        if splits is None:
            splits = (
                [{"split": split, "path": path} for split, path in said.items()]
                if isinstance(said, Mapping)
                else [{"split": "train", "path": said or ([f"{under}/**"] if under else [])}]
            )
        for one in splits:
            path = one.get("path") or []
            paths = [path] if isinstance(path, str) else [each for each in path if isinstance(each, str)]
            folder = f"{under}/" if under and said else ""
            if paths:
                found.setdefault(f"{name}/{one.get('split', 'train')}", []).extend(folder + each for each in paths)
    return found
