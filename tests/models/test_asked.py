"""What a manifest of today has sent: nothing that it does not say and all that it does; thoughts are kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from models.gateways import CLAUDE, GPT, Running, both, gateway, prompts, step
from models.misbehaving import THOUGHTS, Misbehaving, misbehaving
from needs import needs
from support import error_of, harness, unlocked_project

from harness.errors import InputError
from harness.manifest.load import load_manifest, parse_manifest
from harness.run.planning.plan import check_manifest
from harness.run.service import RunTarget, lock_manifest

needs("aiohttp", "openai", "anthropic")
pytestmark = pytest.mark.together  # so that one worker starts what the tests share
TURN = [{"role": "user", "content": "b"}]


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Misbehaving, Running, Path]]:
    """A provider that refuses what some of today refuse, behind a gateway that records."""
    tape = tmp_path_factory.mktemp("strict") / "tape"
    with misbehaving() as server, gateway(both(server.url, "record", tape), retries=0) as running:
        server.strict = True
        yield server, running, tape


def settings(block: str, version: int = 2) -> dict[str, Any]:
    """Give the settings of a manifest as a step has them."""
    text = f"harness: {version}\nstudy: x\nname: x\nabout: x\ndatasets: {{d: {{make: x.y}}}}\ngeneration: {block}\n"
    return parse_manifest(text.encode(), "m.yaml")[0].generation.asked()


@pytest.mark.long
def test_a_setting_that_a_server_refuses_can_be_left_out_of_the_request(strict: Any, tmp_path: Path) -> None:
    _, running, _ = strict
    one = prompts(tmp_path / "p", "a")
    cases = (("openai", 1, "{}", "HTTP 503"), ("anthropic", 1, "{}", "HTTP 400"),
             ("openai", 1, "{stop: unset}", ""), ("anthropic", 1, "{top_p: unset}", ""),
             ("openai", 2, "{}", ""), ("anthropic", 2, "{max_tokens: 16, temperature: 1}", ""))  # fmt: skip
    for number, (provider, version, block, flaw) in enumerate(cases):
        generation = settings(block, version)
        [row], _ = step(provider, one, tmp_path / str(number), running.socket, generation=generation)
        assert row.get("error", "")[:8] == flaw, (provider, version, block, row)


@pytest.mark.long
def test_every_key_arrives_as_it_is_written(strict: Any, tmp_path: Path) -> None:
    server, running, _ = strict
    one, before = prompts(tmp_path / "p", "b"), len(server.bodies)
    extra = 'extra: {"min_p": 0.05, chat_template_kwargs: {enable_thinking: true}}'
    chat = settings(f"{{max_completion_tokens: 99, reasoning_effort: high, seed: 7, {extra}}}")
    step("openai", one, tmp_path / "1", running.socket, generation=settings("{}"))
    step("openai", one, tmp_path / "2", running.socket, generation=chat)
    thinking = "thinking: {type: enabled, budget_tokens: 1024, display: summarized}"
    message = settings(f'{{max_tokens: 2048, top_k: 5, stop: ["\\n"], {thinking}, extra: {{speed: "1"}}}}')
    step("anthropic", one, tmp_path / "3", running.socket, generation=message)
    assert server.bodies[before:] == [
        {"model": GPT, "messages": TURN},
        {"model": GPT, "messages": TURN, "max_completion_tokens": 99, "reasoning_effort": "high", "seed": 7,
         "min_p": 0.05, "chat_template_kwargs": {"enable_thinking": True}},
        {"model": CLAUDE, "messages": TURN, "max_tokens": 2048, "top_k": 5, "stop_sequences": ["\n"], "speed": "1",
         "thinking": {"type": "enabled", "budget_tokens": 1024, "display": "summarized"}},
    ]  # fmt: skip


@pytest.mark.long
def test_what_a_model_thought_is_kept_beside_its_answer_and_replayed(strict: Any, tmp_path: Path) -> None:
    server, running, tape = strict
    ways = [*THOUGHTS, "fine"]
    many = prompts(tmp_path / "p", *(f"thought {way}" for way in ways))
    server.plan.update({f"thought {way}": [way, way] for way in ways})
    generation = settings("{max_tokens: 64}")
    for provider in ("openai", "anthropic"):
        rows, _ = step(provider, many, tmp_path / f"1{provider}", running.socket, generation=generation)
        assert [row.get("reasoning") for row in rows] == ["Hm. \ufffd Two.", "One and one.", None]
        assert all(row["text"].startswith("echo thought") for row in rows)
    with gateway(both("http://127.0.0.1:1", "replay", tape), env={}) as replaying:
        for provider in ("openai", "anthropic"):
            step(provider, many, tmp_path / f"2{provider}", replaying.socket, generation=generation)
            one, two = (tmp_path / f"{turn}{provider}" / "responses" for turn in (1, 2))
            assert one.read_bytes() == two.read_bytes()


REMOTE = "{{provider: {}, model: x-1, tape: live{}}}"
MODELS = {
    "stand-in": "{provider: baseline, behaviour: oracle}",
    "weights": "{provider: transformers, source: assets/tiny-shaped, dtype: float32}",
    "chat": REMOTE.format("openai", ""),
    "text": REMOTE.format("openai", ", endpoint: completions"),
    "message": REMOTE.format("anthropic", ""),
}
UNFIT = [
    ("stand-in", "reasoning_effort: low"), ("stand-in", "extra: {min_p: 0.1}"), ("stand-in", "seed: 1"),
    ("weights", "top_k: 4"), ("weights", "thinking: {type: adaptive}"), ("weights", "max_completion_tokens: 5"),
    ("chat", "top_k: 4"), ("chat", "thinking: {type: adaptive}"), ("text", "reasoning_effort: low"),
    ("message", "max_tokens: 5\n  seed: 3"), ("message", "max_tokens: 5\n  reasoning_effort: low"),
    ("chat", "extra: {n: 2}"), ("chat", "extra: {model: other}"), ("message", "max_tokens: 5\n  extra: {system: Hi}"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "setting"), UNFIT)
def test_a_setting_that_a_model_does_not_support_is_refused_at_its_line(
    model: str, setting: str, tmp_path: Path
) -> None:
    manifest = unlocked_project(tmp_path, models=())
    text = manifest.read_text().replace("harness: 1", "harness: 2")
    text = text.replace("models:\n", f"models:\n  it: {MODELS[model]}\n") + f"generation:\n  {setting}\n"
    manifest.write_text(text)
    with pytest.raises(InputError, match=r"models\.it cannot be asked so: `generation") as refused:
        check_manifest(load_manifest(manifest))
    assert refused.value.where == f"{manifest}:{text.count(chr(10))}"
    assert refused.value.next.startswith("take it out")


@pytest.mark.parametrize(("one", "two", "parted"), [
    ("prices: {input: 1, output: 2}", "prices: {input: 1, output: 3}", "prices"),
    ("prices: {input: 1, output: 2}", "prices: {input: 1, output: 2, cached_input: 1}", "prices"),
    ("key: ONE", "key: TWO", "key"),
    ("limits: {requests_per_minute: 5}", "limits: {requests_per_minute: 6}, key: TWO", "key, limits"),
])  # fmt: skip
def test_a_model_that_is_asked_in_two_ways_is_refused_by_the_lock(
    one: str, two: str, parted: str, tmp_path: Path
) -> None:
    manifest = unlocked_project(tmp_path, models=())
    lines = "".join(f"  {name}: {REMOTE.format('openai', ', ' + how)}\n" for name, how in (("a", one), ("b", two)))
    manifest.write_text(manifest.read_text().replace("models:\n", f"models:\n{lines}"))
    with pytest.raises(InputError, match=r"models\.b asks 'x-1' in another way") as refused:
        lock_manifest(load_manifest(manifest), RunTarget(tmp_path / "store"))
    assert refused.value.what.endswith(f": {parted}")
    assert refused.value.where == f"{manifest}:7" and not (tmp_path / "store").exists()


def test_a_lock_is_where_it_is_told(tmp_path: Path) -> None:
    manifest = unlocked_project(tmp_path, models=("oracle",))
    manifest.write_text(manifest.read_text() + "generation: {reasoning_effort: high}\n")
    error = error_of(harness("lock", manifest, "--json", cwd=tmp_path, check=2))
    assert error["where"] == f"{manifest}:11" and "baseline" in error["what"]
    bare = REMOTE.format("anthropic", "")
    text = manifest.read_text().replace("harness: 1", "harness: 2").replace("{reasoning_effort: high}", "{}")
    manifest.write_text(text.replace("models:\n", f"models:\n  far: {bare}\n"))
    error = error_of(harness("lock", manifest, "--json", cwd=tmp_path, check=2))
    assert error["where"] == f"{manifest}:6" and error["next"] == "add `max_tokens: …`, such as 1024"
