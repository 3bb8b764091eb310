"""Small untrained GPT-2 models and the random sentences they read (OURS); their states are summed or averaged.

A variant says which parts of the model remain that could reveal a sentence's length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers import GPT2Config, GPT2Model

from harness.models.local.torch_setup import set_deterministic, set_offline
from harness.seeds import derive_seed

Array = Any  # a numpy array, or a numpy generator
GPT2 = Any  # a transformers model
PURPOSE = "brain.length_check"
GELU, ODD = "gelu_new", "tanh"
SPREAD = 0.8  # of the input to an activation, as in GPT2-XL: 0.02 times the square root of 1,600
HEADS = 4
CALIBRATING = 400  # sentences from which the mean of an activation is computed


@dataclass(frozen=True)
class Variant:
    """A variant of a random GPT-2: its activation function, with or without its mean, and its position embeddings.

    In a `mirrored` vocabulary, every embedding has its opposite. Without positions and with an odd activation, the
    whole model is then odd, so no sum of its states is correlated with a length.
    """

    activation: str
    positions: bool = False
    mirrored: bool = True
    centred: bool = False

    def told(self) -> dict[str, Any]:
        """Return the variant's settings as plain data for a document."""
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
    """The number and width of layers, the number of sentences, the size of the vocabulary, and the range of lengths."""

    sentences: int = 240
    layers: int = 3
    width: int = 64
    vocabulary: int = 2000
    shortest: int = 5  # words of the study's sentences, one token each
    longest: int = 19


def generator(seed: int, what: str) -> Array:
    """Return a seeded numpy random generator for one purpose, independent of those for other purposes."""
    return np.random.Generator(np.random.PCG64(derive_seed(seed, PURPOSE, what)))


def random_sentences(design: LengthDesign, seed: int) -> list[Array]:
    """Draw sentences of random tokens with uniformly distributed lengths."""
    source = generator(seed, "sentences")
    lengths = source.integers(design.shortest, design.longest + 1, design.sentences)
    return [source.integers(0, design.vocabulary, length) for length in lengths]


def random_gpt2(variant: Variant, design: LengthDesign, seed: int) -> GPT2:
    """Draw a GPT-2 with its library's initialisation, on the CPU, and remove what the variant lacks.

    Equal seeds give all variants the same weights.
    """
    set_offline()
    set_deterministic(True)

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
        torch.manual_seed(derive_seed(seed, PURPOSE, "weights"))
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
    """Yield the sentences of each length together, without padding: their indices, and tokens [sentence, token]."""
    lengths = np.array([len(sentence) for sentence in sentences])
    for length in np.unique(lengths):
        places: list[int] = np.flatnonzero(lengths == length).tolist()
        yield places, np.stack([sentences[place] for place in places])


def pooled_states(model: GPT2, sentences: Sequence[Array]) -> dict[str, Array]:
    """Return `sum` and `mean` of the states of each sentence's tokens, as float64 [layer, sentence, width].

    Layer 0 is the embedding. As in any GPT-2, the state of the last layer is the one after its last layer norm.
    """
    config = model.config
    found: Array = np.empty((config.n_layer + 1, len(sentences), config.n_embd))
    for places, tokens in batches(sentences):
        with torch.inference_mode():
            states = model(input_ids=torch.from_numpy(tokens), use_cache=False, output_hidden_states=True).hidden_states
        found[:, places] = torch.stack(states).double().sum(dim=2).numpy()
    lengths = np.array([len(sentence) for sentence in sentences])
    return {"sum": found, "mean": found / lengths[:, None]}


def _centre(model: GPT2, design: LengthDesign, seed: int) -> None:
    """Subtract from each neuron's activation its mean over other random sentences, layer by layer."""
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
