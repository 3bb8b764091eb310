"""HTTPS download into a file; it never knows what the bytes are, nor whether they are right."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from harness.digest import CHUNK
from harness.files import translating_os_errors, write_all
from harness.run.fetched_data import HostSilentError, UnavailableError

SECONDS = 60
LARGEST = 16 << 30
BY_HAND = "fetch it yourself, then `harness import data FILE`, or import it again by the name its study knows"


class _OnlyHttps(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if not newurl.startswith("https://"):
            fp.close()
            raise UnavailableError("the address leads away from https", where=req.full_url, next=BY_HAND)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download(url: str, target: Path, most: int = LARGEST) -> None:
    """Download a URL into `target`; redirects only to https, and never more than `most` bytes.

    Raises UnavailableError where the data cannot be had, HostSilentError where the host does not answer.
    """
    left = most
    with translating_os_errors(target):
        out = open(target, "wb", buffering=0)  # noqa: SIM115 - closed below, whatever the address does
    try:
        with out, urllib.request.build_opener(_OnlyHttps).open(url, timeout=SECONDS) as answer:
            while block := answer.read(CHUNK):
                left -= len(block)
                if left < 0:
                    size = "16 GiB" if most == LARGEST else f"the {most} bytes that the manifest says"
                    raise UnavailableError(f"the data is larger than {size}", where=url, next=BY_HAND)
                with translating_os_errors(target):  # a full disk is not the fault of the address
                    write_all(out.fileno(), block)
    except urllib.error.HTTPError as bad:
        bad.close()
        raise UnavailableError(f"the data could not be fetched: HTTP {bad.code}", where=url, next=BY_HAND) from None
    except (OSError, ValueError, http.client.HTTPException) as bad:
        reason = bad.reason if isinstance(bad, urllib.error.URLError) else bad
        raise HostSilentError(f"the data could not be fetched: {reason}", where=url, next=BY_HAND) from None
