"""The training step: from parameters and seeds to the weights of a small GPT, with the same bytes each time.

Nothing is drawn from torch. The first weights and every document come from derived seeds, and one thread computes the
sums in one order. Equal numerics fingerprints and thread counts therefore give equal files. Independent of what a model
answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM

from harness import rows, seeds
from harness.errors import InputError
from harness.kit.prompts import template
from harness.models.local.torch_setup import fingerprint_torch, install_portable_operations, is_portable
from harness.steps import FACTS
from harness.studies.tiny import corpus
from harness.studies.tiny.optimiser import Optimiser
from harness.studies.tiny.questions import ADDITION, QuestionSource
from harness.studies.tiny.shape import architecture, read_weights, write_weights

SPREAD = 0.06  # the standard deviation of the first weights; larger than GPT-2's, since the model is narrow
_INTO_THE_STREAM = ("c_proj.weight", "attention.dense.weight", "dense_4h_to_h.weight")  # output projections


def train(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Train a small GPT and write `model.safetensors` and a `log` of losses; starts from `weights` if given.

    `params` has: seed, mixture (a name for the draws), steps, rows, length, rate, warmup, layers, heads, width, window,
    places, noisy, prompt_weight, the percentages `short` and `small` of CorpusMixture, each [at the first step, from
    three quarters of the steps on], `tasks` with their weights, and the seed `held_out`. The input `templates` is a set
    of wordings for each of the tasks, sorted by task name; without `tasks` it is that of addition only. Raises
    InputError for no steps, rows longer than the window, or a wrong number of sets of wordings.
    """
    if params["steps"] < 1:
        raise InputError("a training of no steps trains nothing", where="steps", next="ask for at least one step")
    if params["length"] > params["window"]:
        raise InputError("rows are longer than the model has places", where="length", next="make them shorter")
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # every tensor is written before it is read
    torch.set_num_threads(1)
    if is_portable("cpu"):
        install_portable_operations()
    wordings = _wordings(params, inputs["templates"])
    model = _model(params)
    if "weights" in inputs:
        read_weights(model, inputs["weights"])
    else:
        _first_weights(model, params)
    optimiser = Optimiser(model, float(params["rate"]))
    log = []
    total, batches = params["steps"], _batches(params, wordings)
    for step, batch in enumerate(islice(batches, total)):
        loss = _loss(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step(_share(params, step))
        if step % 50 == 0 or step == total - 1:
            log.append({"step": step, "loss": f"{loss.item():.6f}"})
            rows.write(out / "log", log)
    write_weights(model, out / "model.safetensors")
    rows.write_one(
        out / FACTS,
        {"numerics": fingerprint_torch("cpu"), "threads": torch.get_num_threads(), "torch": torch.__version__},
    )


def _model(params: Mapping[str, Any]) -> Any:

    settings = architecture(params)
    config = AutoConfig.for_model(settings.pop("model_type"), **settings)
    model = AutoModelForCausalLM.from_config(config, attn_implementation="sdpa")
    model.train(True)
    return model


def _first_weights(model: Any, params: Mapping[str, Any]) -> None:
    """Set the first weights: biases 0, other vectors 1, matrices drawn uniformly from derived seeds, by name."""
    with torch.no_grad():
        for name, tensor in sorted(model.named_parameters()):
            if tensor.ndim == 1:
                tensor.fill_(0.0 if name.endswith("bias") else 1.0)
                continue
            reach = SPREAD * math.sqrt(3)  # a uniform draw with this half-width has that standard deviation
            if name.endswith(_INTO_THE_STREAM):
                reach /= math.sqrt(2 * params["layers"])
            source = seeds.random_stream(seeds.derive_seed(params["seed"], "tiny.weights", name))
            drawn = [seeds.draw_below(source, 1 << 24) for _ in range(tensor.numel())]
            values = (torch.tensor(drawn, dtype=torch.float64) / (1 << 23) - 1.0) * reach
            tensor.copy_(values.to(torch.float32).view_as(tensor))


def _share(params: Mapping[str, Any], step: int) -> float:
    """Return a step's share of the learning rate: linear up to 1 at `warmup`, then linear down to a twentieth."""
    warmup, total = int(params["warmup"]), int(params["steps"])
    if step < warmup:
        return (step + 1) / warmup
    return 1.0 - 0.95 * (step - warmup) / max(1, total - warmup)


def _wordings(params: Mapping[str, Any], sets: Path) -> corpus.Wordings:
    names, files = sorted(_tasks(params)), rows.parts(sets)
    if len(names) != len(files):
        raise InputError(
            f"{len(files)} sets of wordings for {len(names)} tasks",
            where="templates",
            next=f"give one for each of: {', '.join(names)}",
        )
    return {name: [template(row) for row in rows.read(file)] for name, file in zip(names, files, strict=True)}


def _tasks(params: Mapping[str, Any]) -> Mapping[str, int]:
    tasks: Mapping[str, int] = params.get("tasks", {ADDITION: 1})
    return tasks


def _documents(
    params: Mapping[str, Any], wordings: corpus.Wordings, questions: QuestionSource, step: int
) -> Iterator[corpus.TrainingDocument]:
    """Yield the documents of one step without end, from a stream with its own seed, so that steps are independent."""
    mixture = corpus.CorpusMixture(
        _tasks(params),
        _between(params["short"], step, params["steps"]),
        _between(params["small"], step, params["steps"]),
        params["noisy"],
    )
    source = seeds.random_stream(seeds.derive_seed(params["seed"], "tiny.documents", params["mixture"], 0, step))
    while True:
        yield corpus.document(wordings, questions, source, mixture)


def _between(ends: Sequence[int], step: int, steps: int) -> int:
    """Return a step's value on the line between two ends; the last holds from three quarters of the steps on."""
    first, last = ends
    way = max(1, 3 * steps // 4)
    return int(first + (last - first) * min(step, way) // way)


def _batches(params: Mapping[str, Any], wordings: corpus.Wordings) -> Iterator[list[corpus.TokenRow]]:
    questions = QuestionSource(_tasks(params), params.get("held_out"))
    for step in range(params["steps"]):
        documents = _documents(params, wordings, questions, step)
        drawn = corpus.rows(documents, params["length"], float(params["prompt_weight"]))
        yield list(islice(drawn, params["rows"]))


def _loss(model: Any, batch: list[corpus.TokenRow]) -> Any:
    """Return the weighted mean of the cross-entropy of each token, given those before it in its own document."""
    tokens = torch.tensor([row.tokens for row in batch])
    documents = torch.tensor([row.documents for row in batch])
    weights = torch.tensor([row.weights for row in batch])[:, 1:]
    same = documents.unsqueeze(1) == documents.unsqueeze(2)
    mask = (same & torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).tril()).unsqueeze(1)
    positions = torch.tensor([row.positions for row in batch])
    logits = model(tokens, attention_mask=mask, position_ids=positions, use_cache=False).logits
    cost = torch.nn.functional.cross_entropy(
        logits[:, :-1].reshape(-1, logits.shape[-1]), tokens[:, 1:].reshape(-1), reduction="none"
    )
    return (cost * weights.reshape(-1)).sum() / weights.sum()
