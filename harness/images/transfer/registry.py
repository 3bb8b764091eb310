"""Push and pull of images by the OCI distribution API, and the HTTP client of one registry.

The registry is not trusted: downloads are hashed, and a pushed manifest is read back. An interrupted transfer is
resumed by repeating it, which skips blobs that are already there, in both directions.

The client retries, follows redirects, and answers HTTP 401 within the scope of the password. Plain http is used on
loopback only. Credentials come from the environment, and are sent to the registry itself or to the https token service
that it names, and never with a redirect. Messages contain no URL query, header or body.
"""

from __future__ import annotations

import ipaddress
import os
import re
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlencode, urljoin, urlsplit

from harness.digest import CHUNK, sha256
from harness.errors import InputError, MissingError
from harness.files import translating_os_errors
from harness.images.image import MANIFEST, Image, Pin
from harness.images.transfer import layout
from harness.images.transfer.layout import Read, describe_blobs, read_document, read_json
from harness.store.store import Store

if TYPE_CHECKING:
    import requests


_HOST = r"(?P<host>\[[0-9A-Fa-f:]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?)(?::(?P<port>[0-9]{1,5}))?"
_PART = r"[a-z0-9]+(?:(?:[._]|__|-{1,8})[a-z0-9]+)*"
_WHOLE = re.compile(
    rf"{_HOST}/(?P<name>{_PART}(?:/{_PART})*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@sha256:(?P<digest>[0-9a-f]{64}))?"
)
_ELSEWHERE = {"docker.io": "registry-1.docker.io"}  # the one registry with another host name


@dataclass(frozen=True)
class Reference:
    """Parsed reference to an image in a registry: host, name, tag, digest."""

    host: str  # including the port
    name: str
    tag: str | None
    digest: str | None  # 64 hex digits

    @property
    def loopback(self) -> bool:
        """Whether the registry is on this machine; only then is plain http used."""
        return is_loopback(self.host)

    @property
    def origin(self) -> str:
        """The scheme and host of the registry's URLs."""
        return f"{'http' if self.loopback else 'https'}://{_ELSEWHERE.get(self.host, self.host)}"

    @property
    def api(self) -> str:
        """The base URL of this repository in the distribution API."""
        return f"{self.origin}/v2/{self.name}"

    def __str__(self) -> str:
        """Format the reference as HOST[:PORT]/NAME[:TAG][@sha256:…]."""
        text = f"{self.host}/{self.name}" + (f":{self.tag}" if self.tag else "")
        return text + (f"@sha256:{self.digest}" if self.digest else "")

    def at(self, digest: str) -> str:
        """Format a reference to one manifest by digest, whose meaning never changes."""
        return f"{self.host}/{self.name}@sha256:{digest}"


def read_reference(text: str) -> Reference:
    """Parse a reference; raises InputError without a host, so that no default registry is used."""
    found = _WHOLE.fullmatch(text) if len(text) <= 512 else None
    host = found["host"] if found else ""
    plain = host == "localhost" or "." in host or ":" in host or (found is not None and found["port"])
    if found is None or not plain or int(found["port"] or 0) > 65535:
        shown = "this" if "@" in text.partition("@sha256:")[0] or "://" in text else repr(text[:120])
        raise InputError(  # a text that may contain a password is not shown
            f"{shown} is not a reference to an image in a registry",
            next="give HOST[:PORT]/NAME[:TAG] or HOST[:PORT]/NAME@sha256:…, without https:// and without a user",
        )
    port = f":{int(found['port'])}" if found["port"] else ""
    return Reference(host.lower() + port, found["name"], found["tag"], found["digest"])


def is_loopback(host: str) -> bool:
    """Whether a host, with or without a port, is this machine's loopback interface."""
    if host.startswith("["):
        name = host[1:].partition("]")[0]
    else:
        name = host if host.count(":") > 1 else host.partition(":")[0]
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


USER, PASSWORD = "HARNESS_REGISTRY_USER", "HARNESS_REGISTRY_PASSWORD"
_LONGEST = 2000
_FIELD = re.compile(r'(?:([A-Za-z][A-Za-z0-9_-]*)[ \t]+)?([A-Za-z][A-Za-z0-9_-]*)=(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')


def bearer_challenge(header: str) -> dict[str, str] | None:
    """Return the fields of the Bearer challenge in a WWW-Authenticate header; None if it has none."""
    found: dict[str, str] | None = None
    scheme = ""
    for new, name, quoted, bare in _FIELD.findall(header[:_LONGEST]):
        scheme = new.lower() or scheme
        if scheme == "bearer":
            found = found or {}
            found.setdefault(name.lower(), re.sub(r"\\(.)", r"\1", quoted) or bare)
    return found


def wants_basic(header: str) -> bool:
    """Whether a challenge asks for Basic authentication, with user and password themselves."""
    return re.search(r"(?:^|,)\s*basic\b", header[:_LONGEST], re.IGNORECASE) is not None


def basic_credentials() -> str:
    """Return user and password from the environment as a Basic token; empty if both are unset, an error if one is."""
    user, password = os.environ.get(USER, ""), os.environ.get(PASSWORD, "")
    if bool(user) != bool(password):
        raise MissingError(f"only one of {USER} and {PASSWORD} is set", where="the environment", next="set both")
    if ":" in user:
        raise InputError("a user's name holds no colon", where=USER, next="set it to the name alone")
    return b64encode(f"{user}:{password}".encode()).decode() if user else ""


T = TypeVar("T")
ATTEMPTS = 5
PAUSE = 0.5  # seconds before the second attempt, doubled each time
PATIENCE = 60  # the longest wait that a registry may ask for
REDIRECTS = 5
TIMEOUT = (10, 120)  # seconds to connect, seconds to read
BUSY = frozenset({408, 429, 500, 502, 503, 504})


class Body(Protocol):
    """Interface of a request body, which has a length and is read once."""

    def __len__(self) -> int:
        """Return the length in bytes."""

    def __iter__(self) -> Iterator[bytes]:
        """Iterate over the bytes."""


class RetryableError(Exception):
    """Transient failure of a request (busy, connection lost), after which it may be sent again."""

    def __init__(self, why: str, pause: float = 0) -> None:
        super().__init__(why)
        self.why = why
        self.pause = pause


class RegistryClient:
    """HTTP client of one repository in a registry; `actions` is `pull` or `pull,push`."""

    def __init__(self, reference: Reference, actions: str) -> None:
        try:
            import requests  # noqa: PLC0415 - needed only to move images
        except ImportError as bad:
            raise MissingError(
                "the package `requests` is not installed", next="pip install 'repro-harness[containers]'"
            ) from bad
        self.reference = reference
        self._scope = f"repository:{reference.name}:{actions}"  # never the scope that the registry asks for
        self._session = requests.Session()
        self._session.auth = lambda request: request  # otherwise requests would read ~/.netrc
        self._session.headers.update({"User-Agent": "harness", "Accept-Encoding": "identity"})
        self._login = basic_credentials()
        self._authorization = ""

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def with_retries(self, work: Callable[[], T]) -> T:
        """Call `work` again after each `RetryableError`, with exponential backoff, at most five times in all.

        Raises MissingError after the last attempt, or if the registry asks to wait for more than a minute.
        """
        for attempt in range(ATTEMPTS):
            try:
                return work()
            except RetryableError as bad:
                last = bad
            if last.pause > PATIENCE:
                raise self._missing(f"{last.why} and asks to wait {last.pause:.0f} s", "run again after that time")
            if attempt + 1 < ATTEMPTS:
                time.sleep(max(last.pause, PAUSE * 2**attempt))
        raise self._missing(
            f"{last.why} ({ATTEMPTS} attempts)",
            "check the reference and the network, then run again: what was transferred is kept",
        )

    @contextmanager
    def request(
        self, method: str, url: str, headers: Mapping[str, str] | None = None, body: Callable[[], Body] | bytes = b""
    ) -> Iterator[requests.Response]:
        """Context manager that sends one request and yields the response with its body unread.

        Redirects of GET and HEAD are followed. Raises RetryableError if the registry is busy or the connection fails;
        any other status is left to the caller.
        """
        answer = self._followed(method, url, headers or {}, body)
        try:
            if answer.status_code in BUSY:
                wait = answer.headers.get("Retry-After", "")
                raise RetryableError(
                    f"the registry answered {answer.status_code}", int(wait) if wait.isdecimal() else 0
                )
            yield answer
        finally:
            answer.close()

    def read(self, answer: requests.Response) -> Read:
        """Return the reader of a response's raw body, which raises RetryableError for a broken connection."""
        from urllib3.exceptions import HTTPError  # noqa: PLC0415

        def read(size: int) -> bytes:
            try:
                piece: bytes = answer.raw.read(size, decode_content=False)
            except (HTTPError, OSError):
                raise RetryableError("the registry closed the connection in the middle") from None
            return piece

        return read

    def error_for(self, answer: requests.Response, doing: str) -> InputError | MissingError:
        """Return the error for an unexpected response status, which a user can act on."""
        code = answer.status_code
        if code in (401, 403):
            if self._login:
                return self._missing(
                    f"the registry refuses {doing} to this user ({code})",
                    f"check {USER} and {PASSWORD}, and its rights",
                )
            return self._missing(
                f"the registry requires authentication for {doing} ({code})", f"set {USER} and {PASSWORD}"
            )
        if code == 404:
            return InputError(
                f"the registry has nothing there ({doing}: 404)", where=str(self.reference), next="check the reference"
            )
        return InputError(
            f"the registry answered {code} to {doing}",
            where=str(self.reference),
            next="ask the operator of the registry",
        )

    def checked_url(self, base: str, target: str) -> str:
        """Resolve a URL that a registry points to; raises InputError unless it is https (http on loopback only)."""
        url = urljoin(base, target)
        parts = urlsplit(url)
        host = (parts.hostname or "")[:120]
        sound = url.isascii() and url.isprintable() and not set(url) & set(" \\") and "@" not in parts.netloc
        local = self.reference.loopback and is_loopback(parts.netloc)
        if not sound or not host or not (parts.scheme == "https" or (parts.scheme == "http" and local)):
            raise InputError(
                f"the registry points to a URL that is not https: {parts.scheme[:20]}://{host}",
                where=str(self.reference),
                next="ask the operator of the registry; nothing was sent there",
            )
        return url

    def _followed(
        self, method: str, url: str, headers: Mapping[str, str], body: Callable[[], Body] | bytes
    ) -> requests.Response:
        for _ in range(REDIRECTS + 1):
            answer = self._authenticated(method, url, headers, body)
            if answer.status_code not in (301, 302, 303, 307, 308):
                return answer
            answer.close()
            if method not in ("GET", "HEAD"):
                raise InputError(
                    f"the registry redirects a {method} request",
                    where=str(self.reference),
                    next="use the host that it redirects to",
                )
            url = self.checked_url(url, answer.headers.get("Location", ""))
        raise InputError(
            f"the registry redirects in a loop (more than {REDIRECTS} redirects)",
            where=str(self.reference),
            next="ask the operator of the registry",
        )

    def _authenticated(
        self, method: str, url: str, headers: Mapping[str, str], body: Callable[[], Body] | bytes
    ) -> requests.Response:
        """Send a request; on HTTP 401 from the registry itself, authenticate once and send it again."""
        ours = _origin(url) == _origin(self.reference.origin)
        told = {"Authorization": self._authorization} if ours and self._authorization else {}
        answer = self._sent(method, url, {**headers, **told}, body)
        if answer.status_code != 401 or not ours:
            return answer
        answer.close()  # only its status may still be read
        authorization = self._authorization_for(answer.headers.get("WWW-Authenticate", ""))
        if not authorization:
            return answer
        self._authorization = authorization
        return self._sent(method, url, {**headers, "Authorization": authorization}, body)

    def _sent(
        self, method: str, url: str, headers: Mapping[str, str], body: Callable[[], Body] | bytes
    ) -> requests.Response:
        import requests  # noqa: PLC0415

        # requests to this machine never go through a proxy
        direct = {"http": "", "https": "", "all": ""} if is_loopback(urlsplit(url).netloc) else None
        try:
            return self._session.request(
                method,
                url,
                headers=headers,
                data=body() if callable(body) else body,
                stream=True,
                allow_redirects=False,
                timeout=TIMEOUT,
                proxies=direct,
            )
        except requests.exceptions.SSLError:
            raise self._missing(
                "the registry's certificate is not trusted", "REQUESTS_CA_BUNDLE names a file of those to trust"
            ) from None
        except (requests.exceptions.RequestException, OSError) as bad:
            raise RetryableError(f"no connection to {_host(url)} ({type(bad).__name__})") from None

    def _authorization_for(self, challenge: str) -> str:
        """Return the Authorization header for a challenge: Basic or a token; empty without credentials."""
        asked = bearer_challenge(challenge)
        if asked is None:
            return f"Basic {self._login}" if self._login and wants_basic(challenge) else ""
        realm = self.checked_url(self.reference.origin, asked.get("realm", ""))
        query = {"scope": self._scope} | ({"service": asked["service"]} if "service" in asked else {})
        headers = {"Authorization": f"Basic {self._login}"} if self._login else {}
        url = f"{realm}{'&' if urlsplit(realm).query else '?'}{urlencode(query)}"
        answer = self._sent("GET", url, headers, b"")  # no redirect is followed with a password
        try:
            if answer.status_code in BUSY:
                raise RetryableError(f"the token service answered {answer.status_code}")
            if answer.status_code != 200:
                raise self.error_for(answer, "asking for a token")
            where = f"the token service of {self.reference.host}"
            body = read_json(read_document(self.read(answer), 1 << 20, where), where)
        finally:
            answer.close()
        return f"Bearer {self._token(body)}"

    def _token(self, body: Mapping[str, Any]) -> str:
        token = body.get("token") or body.get("access_token")
        if not isinstance(token, str) or not token.isascii() or not token.isprintable() or " " in token:
            raise InputError(
                "the token service gave no token", where=str(self.reference), next="ask the operator of the registry"
            )
        return token

    def _missing(self, what: str, then: str) -> MissingError:
        return MissingError(what, where=str(self.reference), next=then)


def _origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def _host(url: str) -> str:
    return urlsplit(url).netloc[:120]


PIECE = 16 << 20  # chunk of a blob, if a registry does not accept it whole
LARGEST = 256 << 20  # the largest chunk that a registry may require
NOT_WHOLE = frozenset({405, 411, 413, 416, 501})  # statuses that reject a blob sent whole
BYTES = {"Content-Type": "application/octet-stream"}


def blob_exists(client: RegistryClient, blob: layout.Descriptor) -> bool:
    """Whether a registry says that it has a blob (HEAD request)."""
    return client.with_retries(lambda: _asked(client, blob))


def upload_blob(client: RegistryClient, path: Path, blob: layout.Descriptor, meter: layout.Meter) -> None:
    """Upload one blob: whole if the registry accepts that, else in chunks; restarted after a transient failure."""
    client.with_retries(lambda: _upload(client, path, blob, meter))


def _asked(client: RegistryClient, blob: layout.Descriptor) -> bool:
    with client.request("HEAD", f"{client.reference.api}/blobs/sha256:{blob.sha256}") as answer:
        if answer.status_code not in (200, 404):
            raise client.error_for(answer, f"asking for blob {blob.sha256[:12]}")
        return answer.status_code == 200


class _Outgoing:
    """Request body that streams a slice of a file; its length is known in advance."""

    def __init__(self, path: Path, start: int, length: int, meter: layout.Meter) -> None:
        self._path, self._start, self._length, self._meter = path, start, length, meter

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[bytes]:
        left = self._length
        with translating_os_errors(self._path), open(self._path, "rb", buffering=0) as file:
            file.seek(self._start)
            while left and (piece := file.read(min(CHUNK, left))):
                yield piece
                left -= len(piece)
                self._meter(len(piece))


def _upload(client: RegistryClient, path: Path, blob: layout.Descriptor, meter: layout.Meter) -> None:
    counter = layout.ByteCounter(meter)
    try:
        url, _ = _begun(client)
        headers = {**BYTES, "Content-Length": str(blob.size)}
        with client.request(
            "PUT", _ending(url, blob), headers, partial(_Outgoing, path, 0, blob.size, counter)
        ) as answer:
            if answer.status_code == 201:
                return
            if answer.status_code not in NOT_WHOLE:
                raise client.error_for(answer, f"writing blob {blob.sha256[:12]}")
        counter.undo()
        _upload_in_pieces(client, path, blob, counter)
    except RetryableError:
        counter.undo()
        raise


def _upload_in_pieces(client: RegistryClient, path: Path, blob: layout.Descriptor, meter: layout.Meter) -> None:
    url, least = _begun(client)
    piece = max(PIECE, least)
    for start in range(0, blob.size, piece):
        length = min(piece, blob.size - start)
        headers = {**BYTES, "Content-Length": str(length), "Content-Range": f"{start}-{start + length - 1}"}
        with client.request("PATCH", url, headers, partial(_Outgoing, path, start, length, meter)) as answer:
            if answer.status_code != 202:
                raise client.error_for(answer, f"writing a piece of blob {blob.sha256[:12]}")
            url = _next(client, url, answer)
    with client.request("PUT", _ending(url, blob), {**BYTES, "Content-Length": "0"}) as answer:
        if answer.status_code != 201:
            raise client.error_for(answer, f"ending blob {blob.sha256[:12]}")


def _begun(client: RegistryClient) -> tuple[str, int]:
    """Start an upload session, and return its URL and the registry's minimum chunk size."""
    url = f"{client.reference.api}/blobs/uploads/"
    with client.request("POST", url, {"Content-Length": "0"}) as answer:
        if answer.status_code != 202:
            raise client.error_for(answer, "writing")
        least = answer.headers.get("OCI-Chunk-Min-Length", "")
        return _next(client, url, answer), min(int(least), LARGEST) if least.isdecimal() and len(least) < 12 else 0


def _next(client: RegistryClient, url: str, answer: requests.Response) -> str:
    return client.checked_url(url, answer.headers.get("Location", ""))


def _ending(url: str, blob: layout.Descriptor) -> str:
    return f"{url}{'&' if urlsplit(url).query else '?'}digest=sha256:{blob.sha256}"


@dataclass(frozen=True)
class PushedImage:
    """Result of a push: the reference by digest, and the numbers of blobs and bytes that were sent."""

    reference: str  # by digest, which always means this image
    blobs: int  # number of blobs that were not there yet
    bytes: int


def push_image(store: Store, image: Image, reference: str, meter: layout.Meter = layout.ignore_progress) -> PushedImage:
    """Push an image: the blobs that the registry lacks, then the manifest, which is read back and compared.

    The manifest is stored under the tag of the reference, or under its digest without a tag.
    """
    there = read_reference(reference)
    if there.digest not in (None, image.manifest):
        raise InputError(
            f"this image's manifest is sha256:{image.manifest}, not the digest in the reference",
            where=str(there),
            next="leave the digest out, or choose the other image",
        )
    with closing(RegistryClient(there, "pull,push")) as client:
        sent = []
        for blob in describe_blobs(store, image):
            if not blob_exists(client, blob):
                upload_blob(client, store.blobs.deliver(blob.sha256), blob, meter)
                sent.append(blob)
        manifest = store.blobs.read(image.manifest)
        name = there.tag or f"sha256:{image.manifest}"
        if client.with_retries(lambda: _manifest(client, name)) != manifest:
            client.with_retries(lambda: _put_manifest(client, name, manifest))
            if client.with_retries(lambda: _manifest(client, name)) != manifest:
                raise InputError(
                    "the registry returns another manifest than it was given",
                    where=str(there),
                    next="use one that keeps OCI manifests as they are",
                )
    return PushedImage(there.at(image.manifest), len(sent), sum(blob.size for blob in sent))


def pull_image(
    store: Store, reference: str, name: str, expected: Pin | None, meter: layout.Meter = layout.ignore_progress
) -> Image:
    """Pull an image into a store: the one whose digest the reference names, else the `expected` one.

    Raises InputError if neither is known, if the two differ, or if the registry returns another image.
    """
    there = read_reference(reference)
    layout.check_name(name)
    wanted = there.digest or (expected.manifest.removeprefix("sha256:") if expected else None)
    if wanted is None:
        raise InputError(
            f"no digest is known for image {name}",
            where=str(there),
            next="pin it in lockfiles/images.json, or name it by digest: HOST/NAME@sha256:…",
        )
    if expected and expected.manifest != f"sha256:{wanted}":
        raise InputError(
            f"the reference names sha256:{wanted}, but {name} is pinned to {expected.manifest}",
            where=str(there),
            next="leave the digest out, or give the image another name",
        )
    with store.in_use(), closing(RegistryClient(there, "pull")) as client:
        manifest = _wanted_manifest(store, client, there, wanted)

        def bring(want: layout.Descriptor) -> None:
            client.with_retries(lambda: _download(client, store, want, meter))

        return layout.ingest_image(store, name, manifest, bring, str(there), expected)


def _wanted_manifest(store: Store, client: RegistryClient, there: Reference, wanted: str) -> bytes:
    """Return the manifest's bytes: from the store if the digest is known and stored, else from the registry."""
    if there.tag is None or there.digest:
        if store.blobs.state(wanted) == "sound" and store.blobs.size(wanted) <= layout.SMALL:
            return store.blobs.read(wanted)
        name = f"sha256:{wanted}"
    else:
        name = there.tag
    manifest = client.with_retries(lambda: _manifest(client, name))
    if manifest is None:
        raise InputError(
            "the registry has no such image",
            where=f"{there} ({name[:19]})",
            next="check the reference, or push it first",
        )
    if sha256(manifest) != wanted:
        raise InputError(
            f"the registry gives another image: its manifest is sha256:{sha256(manifest)}, expected sha256:{wanted}",
            where=str(there),
            next="leave the tag out to fetch the one that is meant by its digest; nothing was kept",
        )
    return manifest


def _manifest(client: RegistryClient, name: str) -> bytes | None:
    """Fetch a manifest by tag or digest; None if there is none."""
    url = f"{client.reference.api}/manifests/{name}"
    with client.request("GET", url, {"Accept": f"{MANIFEST}, {layout.INDEX}"}) as answer:
        if answer.status_code == 404:
            return None
        if answer.status_code != 200:
            raise client.error_for(answer, "reading the manifest")
        return layout.read_document(client.read(answer), layout.SMALL, str(client.reference))


def _download(client: RegistryClient, store: Store, want: layout.Descriptor, meter: layout.Meter) -> None:
    with client.request("GET", f"{client.reference.api}/blobs/sha256:{want.sha256}") as answer:
        if answer.status_code != 200:
            raise client.error_for(answer, f"reading blob {want.sha256[:12]}")
        counter = layout.ByteCounter(meter)
        try:
            layout.receive_blob(store, client.read(answer), want, f"{client.reference}: sha256:{want.sha256}", counter)
        except RetryableError:
            counter.undo()
            raise


def _put_manifest(client: RegistryClient, name: str, manifest: bytes) -> None:
    with client.request(
        "PUT", f"{client.reference.api}/manifests/{name}", {"Content-Type": MANIFEST}, manifest
    ) as answer:
        if answer.status_code not in (200, 201, 202):
            raise client.error_for(answer, "writing the manifest")
