"""Published data that a manifest fetches: into the store once, held by its digest, from wherever it can be had.

It knows URLs and digests; it must never know a study, nor what is in the data.
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import CHUNK, sha256_file
from harness.errors import InputError, MissingError
from harness.files import told
from harness.manifest.schema import Fetched
from harness.store.store import Store

SECONDS = 60
LARGEST = 16 << 30
BY_HAND = "fetch it yourself, then `harness import data FILE`, or import it again by the name its study knows"


def fetch(store: Store, dataset: Fetched, beside: Path | None = None) -> None:
    """See to it that the data lies in the store: from a store beside it, or from its address."""
    assert dataset.sha256
    if store.blobs.state(dataset.sha256) == "sound":
        return
    kept = beside / "blobs" / "sha256" / dataset.sha256[:2] / dataset.sha256 if beside else None
    if kept and kept.is_file() and store.blobs.copy(kept)[0] == dataset.sha256:
        return
    with store.folder("fetch") as folder:
        target = folder / "data"
        _download(dataset.fetch, target)
        found = sha256_file(target)[0]
        if found != dataset.sha256:
            raise MissingError(
                "what lies at the address of this data is not what the manifest pins",
                where=dataset.fetch,
                next=f"its SHA-256 is {found}; find the pinned edition and `harness import data FILE`, or pin this one",
            )
        store.blobs.copy(target)


def bring(store: Store, file: Path) -> tuple[str, int]:
    """Put a file that a person has into the store; gives its digest and size, by which manifests pin it."""
    if not file.is_file():
        raise InputError("there is no such file", where=str(file), next="check the path")
    with told(file):
        digest, size = store.blobs.copy(file)
    store.keep(digest)
    return digest, size


class _OnlyHttps(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if not newurl.startswith("https://"):
            fp.close()
            raise MissingError("the address leads away from https", where=req.full_url, next=BY_HAND)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _download(url: str, target: Path) -> None:
    """Copy what an address gives; only https, also where it leads elsewhere, and no more than anybody publishes."""
    left = LARGEST
    try:
        with urllib.request.build_opener(_OnlyHttps).open(url, timeout=SECONDS) as answer, open(target, "wb") as out:
            while block := answer.read(CHUNK):
                left -= len(block)
                if left < 0:
                    raise MissingError("the data is larger than 16 GiB", where=url, next=BY_HAND)
                out.write(block)
    except urllib.error.HTTPError as bad:
        bad.close()
        raise MissingError(f"the data could not be fetched: HTTP {bad.code}", where=url, next=BY_HAND) from None
    except (OSError, ValueError, http.client.HTTPException) as bad:
        reason = bad.reason if isinstance(bad, urllib.error.URLError) else bad
        raise MissingError(f"the data could not be fetched: {reason}", where=url, next=BY_HAND) from None


def bring_rows(store: Store, found: Iterable[Mapping[str, Any]]) -> str:
    """Put rows into the store as a file of their own; gives its digest."""
    with store.folder("import") as folder:
        rows.write(folder / "rows", found)
        digest = store.blobs.copy(folder / "rows")[0]
    store.keep(digest)
    return digest
