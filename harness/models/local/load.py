"""Loading of a local model with transformers: from local files only, with every option set that affects determinism.

Code from a model's folder is never run, and the network is not used.
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import sha256
from harness.errors import InputError, MissingError
from harness.models.local.files import lay_out_files
from harness.models.local.torch_setup import (
    inference_device,
    is_portable,
    out_of_memory,
    set_deterministic,
    set_offline,
    watch_operations,
)
from harness.seeds import derive_seed

REFERENCE = "reference"
UNTRAINED = "untrained"  # the parameter with the seed of randomly initialised weights
OPTIONAL_WEIGHTS = ("pooler.",)  # parameters of an encoder that no hidden state needs, and that many files lack
DTYPES = ("float32", "float16", "bfloat16")
_UNBOUNDED = 10**9  # tokenizers without a limit of their own claim a length beyond this


@dataclass(frozen=True)
class LoadedModel:
    """A loaded model: weights, tokenizer, context window, end tokens, and facts for the record."""

    model: Any
    tokenizer: Any
    window: int | None
    ends: frozenset[int]
    facts: Mapping[str, Any]
    positions: bool = False  # whether it takes `position_ids`
    last_only: bool = False  # whether it takes `logits_to_keep`


def lay_out_weights(inputs: Mapping[str, Path], params: Mapping[str, Any], folder: Path) -> Path:
    """Lay out a step's model files under their names, without weights if these are initialised from a seed."""
    return lay_out_files(inputs["weights"], params["files"], folder, drawn=params.get(UNTRAINED) is not None)


LOADING = ("batch", "chat", "dtype", "files", "quantisation", UNTRAINED)  # a step's parameters that a load reads
OpenModel = Callable[[Path, Mapping[str, Any]], "LoadedModel"]
_held: list[tuple[OpenModel, dict[str, Any], LoadedModel]] = []  # in a process that is kept for several steps


@contextmanager
def step_model(open_model: OpenModel, inputs: Mapping[str, Path], params: Mapping[str, Any]) -> Iterator[LoadedModel]:
    """Context manager that yields the model of a step: the one that this process holds, or one that is loaded now."""
    for opener, decided, loaded in _held:
        if opener is open_model and decided == _decided(params):
            yield loaded
            return
    with tempfile.TemporaryDirectory() as name:
        yield open_model(lay_out_weights(inputs, params, Path(name)), params)


def hold_model(open_model: OpenModel, inputs: Mapping[str, Path], params: Mapping[str, Any]) -> None:
    """Load a model and hold it for the steps of this process, whose weights and LOADING parameters are the same."""
    with step_model(open_model, inputs, params) as loaded:
        _held.append((open_model, _decided(params), loaded))


def _decided(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: params.get(name) for name in LOADING}


def hold_causal(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> None:
    """Load the causal language model of a step, and hold it for this process; modules of steps name it in `WARM`."""
    hold_model(open_causal, inputs, with_batch_policy(params))


def hold_encoder(params: Mapping[str, Any], inputs: Mapping[str, Path]) -> None:
    """Load the encoder of a step and hold it for this process; a module of steps names this function in `WARM`."""
    hold_model(open_encoder, inputs, with_batch_policy(params))


def with_batch_policy(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step's parameters with its batch policy as text; the default is `reference`."""
    return {**params, "batch": str(params.get("batch", REFERENCE))}


def open_causal(folder: Path, params: Mapping[str, Any]) -> LoadedModel:
    """Load a causal language model and its tokenizer from a folder of checked files; `params` are those of a step.

    Raises InputError for encoder-decoder models, and for files that cannot be read or do not fill the model.
    """
    set_offline()
    set_deterministic(params["batch"] == REFERENCE)
    from transformers import AutoConfig, AutoModelForCausalLM  # noqa: PLC0415

    config = _config(AutoConfig, folder)
    if getattr(config, "is_encoder_decoder", False):
        raise InputError(
            f"a model of type {config.model_type!r} is no causal language model",
            where="source",
            next="use a model that continues its prompt",
        )
    tokenizer = open_tokenizer(folder)
    model = _weights(AutoModelForCausalLM, folder, config, params)
    takes = inspect.signature(model.forward).parameters
    room, ends, facts = context_window(config, tokenizer), _ends(model, tokenizer), _facts(model, tokenizer, params)
    return LoadedModel(model, tokenizer, room, ends, facts, "position_ids" in takes, "logits_to_keep" in takes)


def open_encoder(folder: Path, params: Mapping[str, Any]) -> LoadedModel:
    """Load a model for its hidden states, with its tokenizer, from a folder of checked files."""
    set_offline()
    set_deterministic(params["batch"] == REFERENCE)
    from transformers import AutoConfig, AutoModel  # noqa: PLC0415

    config = _config(AutoConfig, folder)
    tokenizer = open_tokenizer(folder)
    model = _weights(AutoModel, folder, config, params, OPTIONAL_WEIGHTS)
    return LoadedModel(
        model, tokenizer, context_window(config, tokenizer), frozenset(), _facts(model, tokenizer, params)
    )


def _config(auto: Any, folder: Path) -> Any:
    try:
        return auto.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (ValueError, OSError, KeyError, TypeError) as bad:
        raise InputError(
            f"the model's configuration cannot be read: {_first(bad)}",
            where="config.json",
            next="use a model whose architecture is part of the transformers package",
        ) from bad


def open_tokenizer(folder: Path) -> Any:
    """Load the tokenizer of a model's folder; raises InputError for files that cannot be read."""
    from transformers import AutoTokenizer  # noqa: PLC0415

    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as bad:  # the libraries raise various types, even bare Exception
        raise InputError(
            f"the model's tokenizer cannot be read: {_first(bad)}",
            where="tokenizer.json",
            next="give the model's own tokenizer files",
        ) from bad


def _weights(auto: Any, folder: Path, config: Any, params: Mapping[str, Any], spare: tuple[str, ...] = ()) -> Any:
    """Load the weights, or initialise all from a seed; a parameter missing from the files is refused."""
    import torch  # noqa: PLC0415

    dtype = params.get("dtype", "float32")
    if dtype not in DTYPES:
        raise InputError(f"no dtype is called {dtype!r}", where="dtype", next=f"use one of: {', '.join(DTYPES)}")
    attention = {"attn_implementation": "eager"} if params["batch"] == REFERENCE else {}
    if params.get(UNTRAINED) is not None:
        return _drawn(auto, config, int(params[UNTRAINED]), attention).to(getattr(torch, dtype)).to(inference_device())
    settings: dict[str, Any] = {"config": config, "dtype": getattr(torch, dtype), **_placement(params), **attention}
    return _read(auto, folder, settings, spare)


def _drawn(auto: Any, config: Any, seed: int, attention: Mapping[str, Any]) -> Any:
    """Initialise an untrained model from a seed, as its architecture does, in float32 on the CPU."""
    import torch  # noqa: PLC0415

    with torch.random.fork_rng(devices=()):
        torch.manual_seed(derive_seed(seed, UNTRAINED))
        try:
            model = auto.from_config(config, dtype=torch.float32, **attention)
        except (ValueError, TypeError) as bad:
            raise InputError(
                f"no model can be drawn from this configuration: {_first(bad)}",
                where="config.json",
                next="use a model whose architecture is part of the transformers package",
            ) from bad
    model.train(False)
    return model


def _read(auto: Any, folder: Path, settings: dict[str, Any], spare: tuple[str, ...]) -> Any:
    """Load the weights; raises InputError for missing, mismatched or damaged ones."""
    from safetensors import SafetensorError  # noqa: PLC0415

    try:
        model, report = auto.from_pretrained(
            folder,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            output_loading_info=True,
            **settings,
        )
    except (ValueError, OSError, KeyError, RuntimeError, SafetensorError) as bad:
        if out_of_memory(bad):
            raise
        raise InputError(
            f"the model's weights cannot be read: {_first(bad)}",
            where="*.safetensors",
            next="give the weights that belong to this configuration",
        ) from bad
    for what in ("missing_keys", "mismatched_keys", "error_msgs"):
        lacking = sorted(name for name in map(str, report.get(what) or ()) if not name.startswith(spare))
        if lacking:
            raise InputError(
                f"the weights do not fill the model: {what} {lacking[:3]}",
                where="*.safetensors",
                next="give the weights that belong to this configuration",
            )
    if "device_map" not in settings:
        model = model.to(inference_device())
    model.train(False)
    return model


def _placement(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings for quantisation and device placement."""
    import torch  # noqa: PLC0415

    settings: dict[str, Any] = {}
    if torch.cuda.device_count() > 1:
        settings["device_map"] = "balanced"
    kind = params.get("quantisation")
    if kind is None:
        return settings
    if kind != "nf4":
        raise InputError(f"no quantisation is called {kind!r}", where="quantisation", next="use nf4, or leave it out")
    import importlib.util  # noqa: PLC0415

    if not torch.cuda.is_available() or importlib.util.find_spec("bitsandbytes") is None:
        raise MissingError(
            "nf4 needs a CUDA device and the package bitsandbytes",
            where="quantisation",
            next="run in an image that has both, or leave the quantisation out",
        )
    from transformers import BitsAndBytesConfig  # noqa: PLC0415

    compute = getattr(torch, params.get("dtype", "float32"))
    settings["quantization_config"] = BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=compute
    )
    settings.setdefault("device_map", {"": 0})
    return settings


def context_window(config: Any, tokenizer: Any) -> int | None:
    """Return the context window in tokens: the smallest limit of configuration and tokenizer; None without a limit."""
    found = [getattr(config, name, None) for name in ("max_position_embeddings", "n_positions", "seq_length")]
    limits = [value for value in (*found, getattr(tokenizer, "model_max_length", None)) if isinstance(value, int)]
    limits = [value for value in limits if 0 < value < _UNBOUNDED]
    return min(limits) if limits else None


def _ends(model: Any, tokenizer: Any) -> frozenset[int]:
    """Return the end-of-sequence tokens."""
    found: set[int] = set()
    for given in (getattr(model.generation_config, "eos_token_id", None), tokenizer.eos_token_id):
        found |= set(given) if isinstance(given, list | tuple) else set() if given is None else {given}
    return frozenset(found)


def _facts(model: Any, tokenizer: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    import torch  # noqa: PLC0415
    import transformers  # noqa: PLC0415

    return {
        "attention": model.config._attn_implementation,
        "chat_template": template_digest(tokenizer) if params.get("chat") else None,
        "device": str(model.device),
        "devices": sorted({str(place) for place in getattr(model, "hf_device_map", {"": model.device}).values()}),
        "dtype": params.get("dtype", "float32"),
        "parameters": sum(int(tensor.numel()) for tensor in model.parameters()),
        "quantisation": params.get("quantisation"),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        **({"unwalked": watch_operations(model)} if is_portable(model.device.type) else {}),
        **({UNTRAINED: params[UNTRAINED]} if params.get(UNTRAINED) is not None else {}),
        "transformers": transformers.__version__,
    }


def template_digest(tokenizer: Any) -> str | None:
    """Return the digest of a model's chat template; None if it has no single one."""
    template = tokenizer.chat_template
    return sha256(template.encode()) if isinstance(template, str) else None


def _first(bad: BaseException) -> str:
    """Return the first line of a library's error message, without paths."""
    line = next(iter(str(bad).strip().splitlines()), type(bad).__name__)
    return " ".join("…" if "/" in word else word for word in line.split())[:300]


def batch_size(batch: str) -> int:
    """Parse the batch size of a manifest: `reference` is 1, else a number up to 100,000; else InputError."""
    if batch == REFERENCE:
        return 1
    if not (batch.isascii() and batch.isdigit() and 1 <= int(batch) <= 100_000):
        raise InputError(f"no batch policy is called {batch!r}", where="batch", next="use `reference` or a number")
    return int(batch)


Turns = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ModelInput:
    """The text for the tokenizer, and whether a chat template wrote it."""

    text: str
    templated: bool  # a template has written the special tokens, which the tokenizer would add once more

    def tokens(self, loaded: LoadedModel, more: str = "") -> list[int]:
        """Tokenize the text, or the text and a continuation (`more`) together."""
        special = {"add_special_tokens": False} if self.templated else {}
        return list(loaded.tokenizer(self.text + more, verbose=False, **special)["input_ids"])


def model_input(loaded: LoadedModel, text: str, messages: Turns | None, chat: bool, item: str = "") -> ModelInput:
    """Format a prompt for a model: turns by its chat template, and a text too if the manifest says `chat`.

    Raises InputError for turns that the template refuses or that are not plain texts, and for a model without a single
    chat template.
    """
    if messages is None and not chat:
        return ModelInput(text, templated=False)
    tokenizer = loaded.tokenizer
    if not isinstance(tokenizer.chat_template, str):
        turns = messages is not None
        raise InputError(
            "the model has no single chat template" + (", and this prompt is turns" if turns else ""),
            where=f"item {item}" if turns else "chat",
            next=("use a set of plain prompts" if turns else "leave `chat` out")
            + ", or give the model's own chat_template.jinja",
        )
    given = [{"role": "user", "content": text}] if messages is None else _plain(messages, item)
    from jinja2 import TemplateError  # noqa: PLC0415 - installed with transformers

    try:
        spelled = tokenizer.apply_chat_template(given, add_generation_prompt=True, tokenize=False)
    except (TemplateError, TypeError) as bad:
        raise InputError(
            f"the model's chat template refuses these turns: {str(bad).splitlines()[0]:.200}"
            if str(bad)
            else "the model's chat template refuses these turns",
            where=f"item {item}",
            next="give turns that it takes: many take no system turn, and user and assistant must take turns",
        ) from bad
    return ModelInput(str(spelled), templated=True)


def _plain(messages: Turns, item: str) -> list[dict[str, str]]:
    """Return turns as {role, content} texts after validation; local models take no images or other parts."""
    for turn in messages:
        if set(turn) != {"role", "content"} or not all(isinstance(part, str) for part in turn.values()):
            raise InputError(
                "a turn of this prompt is more than a text, which no model on this machine takes",
                where=f"item {item}",
                next="give turns of {role, content}, both texts",
            )
    if not messages:
        raise InputError("this prompt has no turns", where=f"item {item}", next="give one at least")
    return [dict(turn) for turn in messages]
