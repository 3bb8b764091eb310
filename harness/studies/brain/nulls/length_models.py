"""Small GPT-2 models that nobody trained, and the random sentences they read (OURS): vectors summed or averaged.

A variant says what is left of the model that could give a sentence's length away. It must never know how a length is
decoded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.models.local.torch_setup import set_deterministic, set_offline
from harness.seeds import derive

Array = Any  # of numpy, or its generator
GPT2 = Any  # of transformers
PURPOSE = "brain.length_check"
GELU, ODD = "gelu_new", "tanh"
SPREAD = 0.8  # of what enters an activation, as in GPT2-XL: 0.02 times the root of 1,600
HEADS = 4
CALIBRATING = 400  # sentences by which the mean of an activation is found


@dataclass(frozen=True)
class Variant:
    """What a model keeps of GPT-2: its activation, with its mean or without, and its position embeddings.

    In a `mirrored` vocabulary every embedding has its opposite. Without positions and with an odd activation the whole
    model is then odd, so that no sum of its states is correlated with a length.
    """

    activation: str
    positions: bool = False
    mirrored: bool = True
    centred: bool = False

    def told(self) -> dict[str, Any]:
        """Say what the variant is, as a document shows it."""
        activation = f"{self.activation} less its mean" if self.centred else self.activation
        return {"activation": activation, "positions": self.positions, "mirrored": self.mirrored}


VARIANTS: Mapping[str, Variant] = {
    "as_drawn": Variant(GELU, positions=True, mirrored=False),
    "as_drawn_odd": Variant(ODD, positions=True, mirrored=False),
    "gelu": Variant(GELU),
    "odd": Variant(ODD),
    "centred": Variant(GELU, centred=True),
}


@dataclass(frozen=True)
class LengthDesign:
    """How many layers, of which width, read how many sentences over which vocabulary, and how long these are."""

    sentences: int = 240
    layers: int = 3
    width: int = 64
    vocabulary: int = 2000
    shortest: int = 5  # words of the study's sentences, a token each
    longest: int = 19


def generator(seed: int, what: str) -> Array:
    """Open the generator of one kind of draws; no other kind's draws shift it."""
    import numpy as np  # noqa: PLC0415 - heavy

    return np.random.Generator(np.random.PCG64(derive(seed, PURPOSE, what)))


def random_sentences(design: LengthDesign, seed: int) -> list[Array]:
    """Draw sentences of random tokens, each length as likely as another."""
    source = generator(seed, "sentences")
    lengths = source.integers(design.shortest, design.longest + 1, design.sentences)
    return [source.integers(0, design.vocabulary, length) for length in lengths]


def random_gpt2(variant: Variant, design: LengthDesign, seed: int) -> GPT2:
    """Draw a GPT-2 as its library initialises it, on the CPU, and take away what the variant lacks.

    Equal seeds give all variants the same weights.
    """
    set_offline()
    set_deterministic(True)
    import torch  # noqa: PLC0415
    from transformers import GPT2Config, GPT2Model  # noqa: PLC0415

    config = GPT2Config(
        n_layer=design.layers,
        n_embd=design.width,
        n_head=HEADS,
        vocab_size=design.vocabulary,
        n_positions=design.longest,
        activation_function=variant.activation,
        attn_implementation="eager",
        initializer_range=SPREAD / design.width**0.5,
    )
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(derive(seed, PURPOSE, "weights"))
        model = GPT2Model(config)
    model.train(False)
    with torch.no_grad():
        if variant.mirrored:
            half = design.vocabulary // 2
            model.wte.weight[half:] = -model.wte.weight[:half]
        if not variant.positions:
            model.wpe.weight.zero_()
    if variant.centred:
        _centre(model, design, seed)
    return model


def batches(sentences: Sequence[Array]) -> Iterator[tuple[list[int], Array]]:
    """Give the sentences of each length together, so that none is padded: their places, and [sentence, token]."""
    import numpy as np  # noqa: PLC0415

    lengths = np.array([len(sentence) for sentence in sentences])
    for length in np.unique(lengths):
        places: list[int] = np.flatnonzero(lengths == length).tolist()
        yield places, np.stack([sentences[place] for place in places])


def pooled_states(model: GPT2, sentences: Sequence[Array]) -> dict[str, Array]:
    """Pool the states of each sentence's tokens: `sum` and `mean`, float64 [layer, sentence, width], 0 the embedding.

    As of any GPT-2, the state of the last layer is the one behind its last layer norm.
    """
    import numpy as np  # noqa: PLC0415
    import torch  # noqa: PLC0415

    config = model.config
    found: Array = np.empty((config.n_layer + 1, len(sentences), config.n_embd))
    for places, tokens in batches(sentences):
        with torch.inference_mode():
            states = model(input_ids=torch.from_numpy(tokens), use_cache=False, output_hidden_states=True).hidden_states
        found[:, places] = torch.stack(states).double().sum(dim=2).numpy()
    lengths = np.array([len(sentence) for sentence in sentences])
    return {"sum": found, "mean": found / lengths[:, None]}


def _centre(model: GPT2, design: LengthDesign, seed: int) -> None:
    """Take from each neuron's activation the mean that it has over other sentences, layer by layer."""
    import torch  # noqa: PLC0415

    means: dict[int, Any] = {}

    def less_its_mean(layer: int) -> Any:
        def hook(module: Any, given: Any, out: Any) -> Any:
            return out - means.setdefault(layer, out.mean(dim=(0, 1)))

        return hook

    for layer, block in enumerate(model.h):
        block.mlp.act.register_forward_hook(less_its_mean(layer))
    size = (CALIBRATING, (design.shortest + design.longest) // 2)
    with torch.inference_mode():
        model(input_ids=torch.from_numpy(generator(seed, "calibration").integers(0, design.vocabulary, size)))
