"""A registry that means harm, or is merely ill: nothing of it stays, and nothing of ours goes astray."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from handmade import MANIFEST, contents, handmade
from registries import Answer, Asked, Registry, hostile, serving, special_at

from harness.digest import sha256
from harness.errors import HarnessError, InputError, MissingError
from harness.images.image import Image, list_images
from harness.images.transfer import registry
from harness.images.transfer.registry import PASSWORD, USER, pull_image, push_image
from harness.store.store import Store

SECRET = "quite secret"
LOGIN = {USER: "researcher", PASSWORD: SECRET}


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "PAUSE", 0.01)
    for name in LOGIN:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def bad() -> Iterator[Registry]:
    with hostile() as registry:
        yield registry


@pytest.fixture
def elsewhere() -> Iterator[Registry]:
    with hostile() as registry:
        yield registry


def _always(answer: Answer, asked: Asked) -> Answer:
    return answer


def _nothing_stays(other: Store, image: Image) -> None:
    assert list_images(other) == [] and list(other.temp.iterdir()) == []
    assert other.blobs.state(image.layers[1]) == "missing"


def test_other_bytes_and_bytes_without_end_are_refused(bad: Registry, store: Store, other: Store) -> None:
    image = handmade(store)
    honest, size = serving(store, image), store.blobs.path(image.layers[1]).stat().st_size
    endless = 0

    def on_and_on() -> Iterator[bytes]:
        nonlocal endless
        while endless < 1 << 30:
            endless += 1 << 20
            yield bytes(1 << 20)

    cases: dict[str, Callable[[Asked], Answer]] = {
        "are others": lambda asked: (200, {}, bytes(size)),
        "more bytes come": lambda asked: (200, {"Connection": "close"}, on_and_on()),
        "are others: 100 bytes": lambda asked: (200, {}, bytes(100)),
        "nothing there": lambda asked: (404, {}, b""),
        "answered 418": lambda asked: (418, {}, b"teapot"),
    }
    for what, special in cases.items():
        bad.answer = special_at(honest, image.layers[1], special)
        with pytest.raises(InputError, match=what):
            pull_image(other, f"{bad.host}/cpu:1", "cpu", image.pin)
        _nothing_stays(other, image)
    assert endless < size + (64 << 20)


@pytest.mark.parametrize("garbage", [b"", b"<html>", b"[" * 100_000, b'{"schemaVersion":2}', b" " * (5 << 20)])
def test_a_manifest_of_garbage_is_refused(garbage: bytes, bad: Registry, store: Store, other: Store) -> None:
    image = handmade(store)
    bad.answer = lambda asked: (200, {"Docker-Content-Digest": image.pin.manifest, "Content-Type": MANIFEST}, garbage)
    for place in (f"{bad.host}/cpu:1", f"{bad.host}/cpu@{image.pin.manifest}"):
        with pytest.raises(InputError, match=r"another image|more than"):
            pull_image(other, place, "cpu", image.pin)
    own = f"{bad.host}/cpu@sha256:{sha256(garbage)}"  # named by its digest, it is still no image
    with pytest.raises(InputError, match=r"not a JSON|a config|no JSON object|more than"):
        pull_image(other, own, "cpu", None)
    _nothing_stays(other, image)


def test_a_busy_registry_and_a_broken_connection_are_retried_five_times(
    bad: Registry, store: Store, other: Store
) -> None:
    image = handmade(store)
    honest = serving(store, image)
    layer = store.blobs.read(image.layers[1])
    short = (200, {"Content-Length": str(len(layer))}, layer[:1_000_000])
    turns: list[Answer] = [(500, {}, b""), (429, {"Retry-After": "0"}, b""), short]
    bad.answer = special_at(honest, image.layers[1], lambda asked: turns.pop(0) if turns else honest(asked))
    moved: list[int] = []
    assert pull_image(other, f"{bad.host}/cpu:1", "cpu", image.pin, moved.append) == image
    assert sum(moved) == sum(len(one) for one in contents(other, image)[1:]), "what came in vain is not counted"

    fresh = Store.make(other.root.parent / "fresh")
    cases: list[tuple[Answer, str]] = [
        ((503, {}, b""), "answered 503 .5 attempts"),
        (short, "closed the connection in the middle .5 attempts"),
        ((503, {"Retry-After": "86400"}, b""), "asks to wait 86400 s"),
    ]
    for special, what in cases:
        bad.asked.clear()
        bad.answer = special_at(honest, image.layers[1], partial(_always, special))
        with pytest.raises(MissingError, match=what):
            pull_image(fresh, f"{bad.host}/cpu:1", "cpu", image.pin)
        assert len([one for one in bad.asked if image.layers[1] in one.path]) <= 5
        _nothing_stays(fresh, image)
    bad.answer = honest
    bad.asked.clear()
    assert pull_image(fresh, f"{bad.host}/cpu:1", "cpu", image.pin) == image
    assert not [one for one in bad.asked if image.layers[0] in one.path], "what had come is not fetched again"


def test_no_registry_at_all_is_something_the_machine_lacks(store: Store, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{probe.getsockname()[1]}/cpu:1"
        with pytest.raises(MissingError, match="no connection"):
            push_image(store, handmade(store, size=5000), place)


def test_a_redirect_carries_no_credentials(
    bad: Registry, elsewhere: Registry, store: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = handmade(store)
    honest = serving(store, image)
    elsewhere.answer = honest

    def answer(asked: Asked) -> Answer:
        if not asked.headers.get("Authorization", "").startswith("Basic "):
            return 401, {"WWW-Authenticate": 'Basic realm="lab"'}, b""
        if image.layers[1] in asked.path:
            return 307, {"Location": f"http://{elsewhere.host}/far/sha256:{image.layers[1]}?signature=x"}, b""
        return honest(asked)

    bad.answer = answer
    for name, value in LOGIN.items():
        monkeypatch.setenv(name, value)
    assert pull_image(other, f"{bad.host}/cpu:1", "cpu", image.pin) == image
    assert any("Authorization" in one.headers for one in bad.asked)
    assert elsewhere.asked and not any("Authorization" in one.headers for one in elsewhere.asked)


@pytest.mark.parametrize(
    ("location", "what"),
    [
        ("http://registry.example/blob", "not https: http://registry.example"),
        ("file:///etc/passwd", "not https: file://"),
        ("http://127.0.0.1\\@registry.example/", "not https"),
        ("http://user@127.0.0.1/", "not https"),
        ("", "redirects in a loop"),
    ],
)
def test_a_redirect_to_where_nobody_should_go_is_refused(
    location: str, what: str, bad: Registry, store: Store, other: Store
) -> None:
    image = handmade(store, size=5000)
    bad.answer = special_at(serving(store, image), "/blobs/", lambda asked: (307, {"Location": location}, b""))
    with pytest.raises(InputError, match=re.escape(what)):
        pull_image(other, f"{bad.host}/cpu:1", "cpu", image.pin)
    bad.answer = lambda asked: (307, {"Location": location}, b"") if asked.method == "POST" else (404, {}, b"")
    with pytest.raises(InputError, match="redirects a POST request"):
        push_image(store, image, f"{bad.host}/cpu:1")


def test_a_token_is_requested_for_our_scope_and_sent_to_the_registry_alone(
    bad: Registry, elsewhere: Registry, store: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = handmade(store, size=5000)
    honest = serving(store, image)
    asks = f'Bearer realm="http://{elsewhere.host}/token",service="lab",scope="repository:private/all:*"'

    def answer(asked: Asked) -> Answer:
        fits = asked.headers.get("Authorization") == "Bearer abc.def"
        return honest(asked) if fits else (401, {"WWW-Authenticate": asks}, b"")

    bad.answer = answer
    elsewhere.answer = lambda asked: (200, {}, b'{"token": "abc.def"}')
    for name, value in LOGIN.items():
        monkeypatch.setenv(name, value)
    assert pull_image(other, f"{bad.host}/cpu:1", "cpu", image.pin) == image
    [token] = elsewhere.asked
    assert token.path == "/token?scope=repository%3Acpu%3Apull&service=lab"
    assert token.headers["Authorization"].startswith("Basic ")
    assert not any(one.headers.get("Authorization", "").startswith("Basic ") for one in bad.asked)

    fresh = Store.make(other.root.parent / "fresh")
    replies: list[tuple[Answer, str]] = [
        ((200, {}, b'{"token": "a\\r\\nX-Evil: 1"}'), "gave no token"),
        ((200, {}, b"{}"), "gave no token"),
        ((200, {}, b"nonsense"), "not a JSON document"),
        ((403, {}, b""), "refuses asking for a token"),
    ]
    for reply, what in replies:
        elsewhere.answer = partial(_always, reply)
        with pytest.raises(HarnessError, match=what):
            pull_image(fresh, f"{bad.host}/cpu:1", "cpu", image.pin)


def test_a_token_service_on_plain_http_elsewhere_never_hears_the_password(
    bad: Registry, store: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = handmade(store, size=5000)
    for name, value in LOGIN.items():
        monkeypatch.setenv(name, value)
    for realm in ("http://tokens.example/", "ftp://127.0.0.1/", "http://127.0.0.1@tokens.example/"):
        bad.answer = partial(_always, (401, {"WWW-Authenticate": f'Bearer realm="{realm}"'}, b""))
        with pytest.raises(InputError, match="not https") as refused:
            pull_image(other, f"{bad.host}/cpu:1", "cpu", image.pin)
        assert SECRET not in str(refused.value)
    assert not any("Authorization" in one.headers for one in bad.asked)


@pytest.mark.parametrize("whole", [False, True])
def test_a_registry_that_takes_no_whole_blob_gets_it_in_pieces(
    whole: bool, bad: Registry, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "PIECE", 700)
    image = handmade(store, size=5000)
    kept: dict[str, bytes] = {}
    coming = bytearray()

    def answer(asked: Asked) -> Answer:
        path, _, query = asked.path.partition("?")
        name = path.rpartition("/")[2]
        if asked.method == "POST":
            coming.clear()
            return 202, {"Location": "/v2/cpu/blobs/uploads/1?state=a", "OCI-Chunk-Min-Length": "1000"}, b""
        if asked.method == "PATCH":
            assert asked.headers["Content-Range"] == f"{len(coming)}-{len(coming) + len(asked.body) - 1}"
            coming.extend(asked.body)
            return 202, {"Location": f"/v2/cpu/blobs/uploads/1?state={len(coming)}"}, b""
        if asked.method == "PUT" and "/uploads/" in path:
            if asked.body and not whole:
                return 413, {}, b""
            kept[query.partition("digest=")[2]] = asked.body or bytes(coming)
            return 201, {}, b""
        if asked.method == "PUT":
            kept[name] = asked.body
            return 201, {}, b""
        return (200, {}, kept[name]) if name in kept else (404, {}, b"")

    bad.answer = answer
    moved: list[int] = []
    pushed = push_image(store, image, f"{bad.host}/cpu:1", moved.append)
    manifest = kept.pop("1")
    assert sha256(manifest) == image.manifest and {f"sha256:{sha256(data)}" for data in kept.values()} == set(kept)
    assert pushed.bytes == sum(moved) == sum(map(len, kept.values()))
    assert any(one.method == "PATCH" for one in bad.asked) != whole


def test_a_registry_that_forgets_what_it_was_given_is_found_out(bad: Registry, store: Store) -> None:
    def answer(asked: Asked) -> Answer:
        if asked.method == "POST":
            return 202, {"Location": "/v2/cpu/blobs/uploads/1"}, b""
        return (201, {}, b"") if asked.method == "PUT" else (404, {}, b"")

    bad.answer = answer
    with pytest.raises(InputError, match="returns another manifest"):
        push_image(store, handmade(store, size=5000), f"{bad.host}/cpu:1")
