"""Prompts of turns and images: what each provider is sent of them, what is refused, and that a replay is the same."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from models.dots import DOTS, png
from models.gateways import Running, both, gateway, step
from models.misbehaving import Misbehaving, misbehaving
from needs import needs

from harness import rows
from harness.errors import InputError
from harness.models import media as media_module
from harness.models.media import Media, chat_turns, image_reference, image_row, media_type, write_images
from harness.models.providers.anthropic import lift_system_turns

needs("aiohttp", "openai", "anthropic")
pytestmark = pytest.mark.together


DATA = [one["data"] for one in DOTS]
SYSTEM = {"role": "system", "content": "Be brief."}


def given(folder: Path, *asked: dict[str, Any]) -> dict[str, Path]:
    """Write prompts and the images there are, and give a step's inputs."""
    folder.mkdir()
    rows.write(folder / "prompts", ({"item": f"i{n}", "template": 0, **each} for n, each in enumerate(asked)))
    write_images(folder / "media", DOTS)
    return {"prompts": folder / "prompts", "media": folder / "media"}


def seen(*places: int) -> list[Any]:
    return [image_reference(DOTS[place]) for place in places]


ASKED: list[dict[str, Any]] = [
    {"text": "one dot?", "attachments": seen(1)},
    {"text": "", "attachments": seen(0)},
    {"messages": [SYSTEM, {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
                  {"role": "user", "content": "two dots?"}], "attachments": seen(2, 0)},
    {"messages": [SYSTEM, {"role": "user", "content": "no dot"}]},
]  # fmt: skip


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Misbehaving, Running, Path]]:
    tape = tmp_path_factory.mktemp("recording") / "tape"
    with misbehaving() as server, gateway(both(server.url, "record", tape)) as running:
        yield server, running, tape


def sent(recording: Any, provider: str, tmp_path: Path, **more: Any) -> list[Any]:
    """Ask, and give the bodies that a provider got, in the order of the prompts."""
    server, running, _ = recording
    before = len(server.bodies)
    step(provider, given(tmp_path / "p", *ASKED), tmp_path / "out", running.socket, concurrency=1, **more)
    return list(server.bodies[before:])


def url(place: int) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA[place]}"}}


def block(place: int) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA[place]}}


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def test_openai_gets_images_as_parts_of_the_user_s_last_turn(recording: Any, tmp_path: Path) -> None:
    found = [body["messages"] for body in sent(recording, "openai", tmp_path)]
    assert found == [
        [{"role": "user", "content": [url(1), words("one dot?")]}],
        [{"role": "user", "content": [url(0)]}],
        [*ASKED[2]["messages"][:3], {"role": "user", "content": [url(2), url(0), words("two dots?")]}],
        ASKED[3]["messages"],
    ]


def test_anthropic_gets_content_blocks_and_the_system_prompt_in_a_field(recording: Any, tmp_path: Path) -> None:
    bodies = sent(recording, "anthropic", tmp_path, system="First.")
    assert [body["messages"] for body in bodies] == [
        [{"role": "user", "content": [block(1), words("one dot?")]}],
        [{"role": "user", "content": [block(0)]}],
        [*ASKED[2]["messages"][1:3], {"role": "user", "content": [block(2), block(0), words("two dots?")]}],
        [{"role": "user", "content": "no dot"}],
    ]
    assert [body["system"] for body in bodies] == ["First.", "First.", "First.\n\nBe brief.", "First.\n\nBe brief."]


def test_a_recording_with_images_replays_and_misses_another_image(recording: Any, tmp_path: Path) -> None:
    _, running, tape = recording
    inputs = given(tmp_path / "p", *ASKED)
    for provider in ("openai", "anthropic"):
        step(provider, inputs, tmp_path / f"{provider}-1", running.socket, system="S")
    with gateway(both("http://127.0.0.1:1", "replay", tape), env={}) as replaying:
        for provider in ("openai", "anthropic"):
            step(provider, inputs, tmp_path / f"{provider}-2", replaying.socket, system="S")
            one, two = (tmp_path / f"{provider}-{turn}" / "responses" for turn in (1, 2))
            assert one.read_bytes() == two.read_bytes()
        other = given(tmp_path / "q", {**ASKED[0], "attachments": seen(2)})
        with pytest.raises(Exception, match="not on the tape"):
            step("openai", other, tmp_path / "other", replaying.socket, system="S")


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ([SYSTEM], "system turns alone"),
        ([{"role": "user", "content": "a"}, SYSTEM], "after another's turn"),
        ([{"role": "system", "content": [words("x")]}, {"role": "user", "content": "a"}], "more than a text"),
    ],
)
def test_turns_that_a_provider_does_not_take_are_refused_and_never_moved(said: Any, what: str) -> None:
    with pytest.raises(InputError, match=what):
        lift_system_turns("", said, "i0")


TURN = st.builds(
    lambda role, content: {"role": role, "content": content}, st.sampled_from(["user", "assistant"]), st.text()
)


@drawn(st.lists(st.text(), max_size=3), st.lists(TURN, min_size=1, max_size=5))
def test_lifting_joins_system_turns_in_order_and_touches_no_other_turn(said: list[str], rest: Any) -> None:
    system = [{"role": "system", "content": each} for each in said]
    assert lift_system_turns("", [*system, *rest], "i") == ("\n\n".join(said), rest)
    assert lift_system_turns("S", [*system, *rest], "i") == ("\n\n".join(["S", *said]), rest)


def test_an_image_is_known_by_its_bytes_and_by_no_name(tmp_path: Path) -> None:
    kinds = [b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF\0\0\0\0WEBP", png(3)]
    assert [media_type(each) for each in kinds] == ["image/jpeg", "image/gif", "image/webp", "image/png"]
    for nothing in (b"", b"<svg/>", b"%PDF-1.7", b"RIFF\0\0\0\0WAVE"):
        with pytest.raises(InputError, match="no image"):
            image_row(nothing)


def test_what_is_too_large_is_refused_alone_and_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="larger than"):
        image_row(b"GIF89a" + bytes(media_module.LARGEST))
    inputs = given(tmp_path / "p", ASKED[2])
    [prompt] = rows.read(inputs["prompts"])
    monkeypatch.setattr(media_module, "MOST", 80)
    with pytest.raises(InputError, match="more than 80 bytes together"):
        Media(inputs["media"]).of(prompt)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"data": DATA[1]}, "is not what its digest and its type say"),
        ({"type": "image/gif"}, "is not what its digest and its type say"),
        ({"data": DATA[0] + "\n"}, "no image"),
        ({"id": "0" * 64}, "was given to this step"),
    ],
)
def test_an_image_that_is_not_what_its_prompt_names_goes_to_nobody(
    tmp_path: Path, change: dict[str, str], what: str
) -> None:
    rows.write(tmp_path / "media", [{**DOTS[0], **change}])
    with pytest.raises(InputError, match=what):
        Media(tmp_path / "media").of({"item": "a", "template": 0, "text": "x", "attachments": seen(0)})


def test_an_image_needs_a_turn_of_the_user_and_a_step_that_was_given_it() -> None:
    prompt: Any = {"item": "a", "template": 0, "messages": [SYSTEM], "attachments": seen(0)}
    with pytest.raises(InputError, match="a turn of the user"):
        chat_turns(prompt, Media(None), lambda one: {})
    with pytest.raises(InputError, match="was given to this step"):
        prompt["messages"] = [SYSTEM, {"role": "user", "content": "a"}]
        chat_turns(prompt, Media(None), lambda one: {})


def test_completions_are_sent_no_image(recording: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="which the endpoint completions does not take"):
        sent(recording, "openai", tmp_path, endpoint="completions")


def test_images_are_written_once_and_in_the_order_of_their_digests(tmp_path: Path) -> None:
    write_images(tmp_path / "media", [*DOTS, *reversed(DOTS)])
    found = [json.loads(line) for line in (tmp_path / "media").read_bytes().splitlines()]
    assert found == sorted(DOTS, key=lambda one: one["id"])
    assert base64.b64decode(found[0]["data"]) in {png(shade) for shade in (0, 128, 255)}
