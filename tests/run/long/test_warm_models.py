"""Shards of a real model in a process that is kept: the bytes of cold ones, in any order, in one process or in many."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from evidence.bare import bare
from needs import needs
from support import journals
from support_models import REPOSITORY, make_model

from harness import rows
from harness.engines.engine import Limits
from harness.engines.local import LocalEngine, available_isolations
from harness.manifest.schema import Resources
from harness.models.local.files import model_files
from harness.run.engines import read_placement
from harness.run.executing import warm as warm_processes
from harness.run.executing.runner import Runner
from harness.run.executing.warm import WarmProcesses
from harness.run.executing.workshop import StepResult, Workshop
from harness.run.placement.cluster import DaskPlacement, PlacementTerms
from harness.steps import Pinned, Plan, Step
from harness.store.store import Store

needs("torch", "transformers")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif("bubblewrap" not in available_isolations(), reason="a process is kept in a bubble only"),
]
TINY = REPOSITORY / "assets" / "tiny-shaped"
SHARDS = 3
HOW = {"pool": "mean", "context": "pieces", "most": 2}
KINDS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "answers": (
        "harness.models.providers.transformers:respond",
        {"seeds": [1, 5], "generation": {"temperature": "0.9", "top_p": "0.95", "max_tokens": 12}},
        ("responses",),
    ),
    "answers in batches": (
        "harness.models.providers.transformers:respond",
        {"seeds": [1], "generation": {"temperature": "0.9", "max_tokens": 12}, "batch": "3", "logprobs": 2},
        ("responses",),
    ),
    "likelihoods": ("harness.models.local.likelihood:measure", {"unconditional": True}, ("likelihoods",)),
    "activations": ("harness.models.local.activations:extract", {"how": HOW, "layers": [0, 1]}, ()),
}


def shard_rows(name: str, number: int) -> list[dict[str, Any]]:
    """Give the rows of a shard: of other lengths in each, and one that does not fit the window."""
    texts = [f"What is {n * 7} plus {number + n}?" + " And then?" * (n % 3) for n in range(4 + number)]
    if name == "activations":
        return [{"id": f"p{n}", "passage": f"s{n // 2}", "text": text} for n, text in enumerate(texts)]
    texts = [*texts, "long " * 400]
    more = {"continuations": [" 46.", f" {number}", " forty-six"]} if name == "likelihoods" else {}
    return [{"item": f"i{number}-{n}", "template": 1, "text": text, **more} for n, text in enumerate(texts)]


class Bench:
    """A workshop on a store, and the shards of one kind of step."""

    def __init__(self, store: Store, name: str, *, warm: bool) -> None:
        self.store = store
        self.workshop = Workshop(self.store, LocalEngine("bubblewrap"), Limits(seconds=300))
        self.workshop.warm = WarmProcesses(self.store) if warm else None
        self.name = name

    def make(self, number: int, model: Path = TINY) -> StepResult:
        """Execute a shard."""
        step = self.step(number, model)
        return self.workshop.make(step, self.workshop.preimage(step, {}))

    def step(self, number: int, model: Path = TINY) -> Step:
        """Give the step of a shard."""
        kind, params, outputs = KINDS[self.name]
        names, blobs = model_files(model), self.store.blobs
        table = "pieces" if self.name == "activations" else "prompts"
        path = self.store.root / "given"
        rows.write(path, shard_rows(self.name, number))
        given: dict[str, Any] = {
            table: Pinned(blobs.put(path.read_bytes())),
            "weights": tuple(Pinned(blobs.put((model / one).read_bytes())) for one in names),
        }
        said = {"model": "m", "files": names, "dtype": "float32", "batch": "reference", **params}
        made = outputs or ("vectors", "layer-00.npy", "layer-01.npy")
        name = f"{self.name}/{model.name}/{number}"
        return Step(name, kind, "responses", said, given, made, said["batch"], infers=True)


def seen(result: StepResult) -> tuple[Any, ...]:
    """Give key, outputs and facts of a shard, without its place in its process."""
    facts = {name: value for name, value in result.facts.items() if name != "step_of_process"}
    return result.entry.key, {name: out.sha256 for name, out in result.entry.outputs.items()}, facts


@pytest.mark.parametrize("name", KINDS)
def test_warm_shards_are_cold_ones_in_any_order(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_processes, "memory_to_spare", lambda: 1 << 40)  # whatever runs beside
    cold = Bench(Store.make(tmp_path / "cold"), name, warm=False)
    alone = [seen(cold.make(number)) for number in range(SHARDS)]
    assert len({str(outputs) for _, outputs, _ in alone}) == SHARDS
    source = random.Random(name)
    for order in (range(SHARDS), source.sample(range(SHARDS), SHARDS)):
        warm = Bench(Store.make(tmp_path / f"warm-{order}"), name, warm=True)
        made = {number: warm.make(number) for number in order}
        assert [made[number].facts["step_of_process"] for number in order] == list(range(1, SHARDS + 1))
        assert [seen(made[number]) for number in range(SHARDS)] == alone
        assert warm.workshop.warm
        warm.workshop.warm.close()


def test_two_models_in_turn_give_what_each_gives_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_processes, "memory_to_spare", lambda: 1 << 40)
    other = make_model(tmp_path / "other")
    cold, warm = (Bench(Store.make(tmp_path / name), "answers", warm=name == "warm") for name in ("cold", "warm"))
    assert warm.workshop.warm
    warm.workshop.warm.most = 2
    turns = [(0, TINY), (0, other), (1, TINY), (1, other)]
    made = [warm.make(number, model) for number, model in turns]
    assert [one.facts["step_of_process"] for one in made] == [1, 1, 2, 2]
    assert [seen(one) for one in made] == [seen(cold.make(number, model)) for number, model in turns]
    warm.workshop.warm.close()


def test_a_worker_loads_each_model_once_and_makes_what_a_cold_step_makes(tmp_path: Path) -> None:
    needs("distributed")
    made, other = bare(tmp_path / "bare"), make_model(tmp_path / "other")
    bench, cold = Bench(made.store, "answers", warm=False), Bench(Store.make(tmp_path / "cold"), "answers", warm=False)
    turns = [(number, model) for number in range(SHARDS) for model in (TINY, other)]
    runner = Runner(
        made.loaded, made.lock, Plan(tuple(bench.step(*turn) for turn in turns), {}), bench.workshop, limit=1
    )
    terms = PlacementTerms("bubblewrap", Resources.model_validate({"memory": "4GiB"}), 0, "portable")
    choice = read_placement("dask=local:1", made.loaded.root)
    with DaskPlacement(choice, bench.workshop, terms).open() as placement:
        runner.placement = placement
        runner.run(lambda *_: None)
    done = {line["step"]: line for line in list(journals(made.store.root))[-1] if line["event"] == "step.done"}
    steps = [done[bench.step(*turn).name] for turn in turns]
    places = [line["facts"]["step_of_process"] for line in steps]  # a process may end early on a busy machine
    assert places.count(1) < len(places) == 6
    for turn, line in list(zip(turns, steps, strict=True))[-2:]:
        entry = made.store.entries.get(line["key"])
        assert entry and entry.outputs == cold.make(*turn).entry.outputs
