"""What names an image in a registry, and what a registry asks of who comes."""

from __future__ import annotations

import json
import time

import pytest
from support_pace import soon

from harness.errors import InputError
from harness.images.transfer.registry import bearer_challenge, is_loopback, read_reference, wants_basic

SECRET = "quite secret"


def test_a_reference_names_its_host() -> None:
    digest = "0" * 64
    for text, api in {
        "127.0.0.1:5000/a/b:1": "http://127.0.0.1:5000/v2/a/b",
        "localhost/cpu": "http://localhost/v2/cpu",
        "[::1]:5000/cpu:x": "http://[::1]:5000/v2/cpu",
        f"registry.example/a__b/c-d@sha256:{digest}": "https://registry.example/v2/a__b/c-d",
        f"GHCR.io:443/a:v1.0_x@sha256:{digest}": "https://ghcr.io:443/v2/a",
        "127.0.0.1.example.org/a": "https://127.0.0.1.example.org/v2/a",
        "docker.io/lab/cpu": "https://registry-1.docker.io/v2/lab/cpu",
    }.items():
        assert read_reference(text).api == api
    assert is_loopback("127.9.9.9:80") and not is_loopback("128.0.0.1") and not is_loopback("localhost.example")


@pytest.mark.parametrize(
    "text",
    ["", "cpu", "lab/cpu", "https://registry.example/a", "registry.example/A", "registry.example/a:", "a.b/../c",
     "registry.example/a@sha256:0", "registry.example/a@md5:00", "registry.example:99999/a", "registry.example/a b",
     "registry.example/" + "a" * 600, "registry.example//a", "registry.example/a\n"],
)  # fmt: skip
def test_what_is_no_reference_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a reference"):
        read_reference(text)


def test_a_password_in_a_reference_is_not_repeated() -> None:
    for text in (f"me:{SECRET}@registry.example/a:1", f"https://me:{SECRET}@registry.example/a@sha256:{'0' * 64}"):
        with pytest.raises(InputError) as refused:
            read_reference(text)
        assert SECRET not in json.dumps(refused.value.as_data())


def test_challenges_are_read_as_they_are_written() -> None:
    both = 'Basic realm="x", Bearer realm="https://a.example/t?x=1,2",service=lab,scope="a:b:pull,push"'
    assert bearer_challenge(both) == {"realm": "https://a.example/t?x=1,2", "service": "lab", "scope": "a:b:pull,push"}
    assert wants_basic(both) and wants_basic("Basic") and wants_basic('Bearer realm="x", basic realm="y"')
    assert (
        bearer_challenge("Basic realm=x") is None
        and bearer_challenge("") is None
        and not wants_basic("Bearer realm=basic")
    )
    assert bearer_challenge('Bearer realm="a\\"b"') == {"realm": 'a"b'}
    started = time.process_time()
    bearer_challenge("a" * 1_000_000)
    bearer_challenge('Bearer realm="' + "\\" * 1_000_000)
    assert soon(time.process_time() - started, 1)
