"""What is tried on each processor: every operation that the models and steps call, on seeded inputs; prints digests.

One process does it all, since an emulated processor takes long to import torch. `walk.py` runs it, natively and
emulated, and compares. A torch operation is known by the name under which torch dispatches it, and its type.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numerics.architectures import CAUSAL, ENCODERS, run_passes
from numerics.arrays import array_operations
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from harness.models.local.torch_setup import BY_NUMPY, fingerprint_torch, float_types, install_portable_operations

INPUTS, SHAPES = 100_000, 50
UNTOLD = ("empty", "new_empty")  # what they give nobody has written yet
TYPES = ("float32", "float64", "bfloat16", "float16")
WIDE = ("float32", "float64")
MANY, LENGTHS = ("gpt2", "llama", "bert"), 12  # these read texts of so many lengths
HALVES = ("gpt2", "llama", "mixtral", "gemma2", "falcon", "mamba", "rwkv", "bert")  # and these in half the width, too
_SINGLE = (
    "abs neg square reciprocal rsqrt sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh "
    "tanh asinh acosh atanh erf erfc erfinv sigmoid floor ceil round trunc lgamma digamma"
)
_ACTIVATIONS = "gelu silu relu softplus mish elu logsigmoid hardswish hardsigmoid relu6 leaky_relu selu celu"
_PAIRS = "add sub mul div atan2 hypot fmod remainder maximum minimum logaddexp pow"
_ALONG = "sum mean amax amin logsumexp var std argmax argmin"


@dataclass
class Tried:
    """What was tried of one operation: the digest of all results, how many inputs, and their shapes."""

    sha: Any = field(default_factory=hashlib.sha256)
    inputs: int = 0
    shapes: set[Any] = field(default_factory=set)

    def told(self) -> dict[str, Any]:
        return {"digest": self.sha.hexdigest(), "inputs": self.inputs, "shapes": len(self.shapes)}


class Recorder(TorchDispatchMode):  # type: ignore[misc]  # mypy does not look into torch
    """Adds up what each operation of torch gives while it is entered."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, Tried] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        written = [
            args[place] if place < len(args) else kwargs.get(said.name)
            for place, said in enumerate(func._schema.arguments)
            if said.alias_info is not None and said.alias_info.is_write
        ]
        given = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
        shapes, inputs = tuple(tuple(one.shape) for one in given), sum(one.numel() for one in given)
        made = func(*args, **kwargs)
        if str(func).split(".")[1].startswith(UNTOLD):
            return made
        data = b"".join(as_bytes(one) for one in tree_leaves((made, written)))
        for name in float_types(func, (args, kwargs, made)):
            tried = self.found.setdefault(name, Tried())
            tried.sha.update(data)
            tried.inputs += inputs or len(data)
            tried.shapes.add(shapes or len(data))
        return made


def as_bytes(value: Any) -> bytes:
    """Give the bytes of a result; which of the many NaNs it is does not count."""
    if not isinstance(value, torch.Tensor):
        return b"" if value is None else repr(value).encode()
    plain = value.detach().resolve_conj().resolve_neg().clone()
    plain = torch.view_as_real(plain) if plain.is_complex() else plain
    if plain.is_floating_point():
        plain[plain.isnan()] = float("nan")
    return bytes((plain.view(torch.int16) if plain.dtype == torch.bfloat16 else plain).numpy().tobytes())


def values(count: int, seed: int, kind: str, dtype: str) -> Any:
    """Draw numbers as they occur: of one size, of every size, tiny, or positive; exact in float64 on every machine."""
    source = np.random.Generator(np.random.PCG64(seed))
    unit = source.integers(-(1 << 30), 1 << 30, count) / (1 << 30)
    power = source.integers(-100, 100, count) if dtype in WIDE else source.integers(-12, 12, count)
    spread = {
        "unit": unit, "positive": np.abs(unit) * 50 + 2.0**-20, "wide": unit * 40, "tiny": unit * 2.0**-20,
        "scale": np.ldexp(unit, power.astype(np.int32)),
    }  # fmt: skip
    return torch.from_numpy(spread[kind]).to(getattr(torch, dtype))


def of_one_number() -> Iterator[Callable[[Any], Any]]:
    """List the functions of single numbers."""
    functional = torch.nn.functional
    yield from (getattr(torch, name) for name in _SINGLE.split())
    yield from (getattr(functional, name) for name in _ACTIVATIONS.split())
    yield lambda x: functional.gelu(x, approximate="tanh")
    yield from (lambda x, power=power: x**power for power in (0.5, -0.5, 2, 3.0, 0.37, -1))
    yield lambda x: torch.pow(2.0, x)
    yield lambda x: x.clone().sqrt_()
    yield lambda x: x.clone().log_()
    yield lambda x: x.cumsum(0)
    yield lambda x: torch.logcumsumexp(x, 0)
    yield lambda x: (x * 0.001 + 1).cumprod(0)


def of_two_numbers() -> Iterator[Callable[[Any, Any], Any]]:
    """List the functions of two numbers."""
    yield from (getattr(torch, name) for name in _PAIRS.split())
    yield lambda x, y: torch.lerp(x, y, 0.3)
    yield lambda x, y: torch.addcmul(x, x, y, value=0.3)
    yield lambda x, y: torch.addcdiv(x, x, y.abs() + 1, value=0.3)
    yield lambda x, y: torch.where(x > y, x, y)
    yield lambda x, y: torch.clamp(x, -1.0, 1.0) + torch.clamp_min(y, 0.0)


def of_rows() -> Iterator[Callable[[Any], Any]]:
    """List what is computed along the rows and columns of a matrix."""
    functional = torch.nn.functional
    yield from (lambda x, place=place: torch.softmax(x, place) for place in (0, 1))
    yield from (lambda x, place=place: torch.log_softmax(x, place) for place in (0, 1))
    yield from (partial(getattr(torch, name), dim=place) for name in _ALONG.split() for place in (0, 1))
    yield lambda x: (x.sum(), x.mean(), x.std(), x.norm(), x.max(), x.prod())
    yield lambda x: functional.layer_norm(x, x.shape[1:])
    yield lambda x: functional.layer_norm(x, x.shape[1:], x[0], x[-1])
    yield lambda x: functional.rms_norm(x, x.shape[1:], x[0])
    yield lambda x: functional.group_norm(x.reshape(1, x.shape[0], -1), 1)
    yield functional.normalize
    yield lambda x: functional.cosine_similarity(x, x.flip(0))
    yield lambda x: torch.cdist(x, x.flip(0)) if x.dtype in (torch.float32, torch.float64) else None
    yield lambda x: torch.linalg.vector_norm(x, 3, dim=1)
    yield lambda x: (x.sort(1).values, x.topk(min(3, x.shape[1]), 1).values, x.cumsum(1))
    yield lambda x: functional.embedding(torch.arange(len(x)).flip(0), x)


def of_products() -> Iterator[Callable[[Any, Any], Any]]:
    """List the products; the first is rows x inner, the second inner x columns."""
    functional = torch.nn.functional
    yield torch.mm
    yield torch.matmul
    yield lambda x, y: functional.linear(x, y.T.contiguous())
    yield lambda x, y: functional.linear(x, y.T.contiguous(), y[0])
    yield lambda x, y: torch.addmm(y[0], x, y)
    yield lambda x, y: torch.bmm(x.expand(3, -1, -1), torch.stack([y, y.flip(0), -y]))
    yield lambda x, y: torch.baddbmm(y[0].expand(2, 1, -1), torch.stack([x, -x]), torch.stack([y, y.flip(0)]), beta=0.5)
    yield lambda x, y: torch.mv(x, y[:, 0].contiguous())
    yield lambda x, y: torch.dot(x[0], y[:, 0].contiguous())
    yield lambda x, y: torch.outer(x[:, 0], y[0])
    yield lambda x, y: torch.einsum("ij,jk->ik", x, y)
    yield lambda x, y: _attention(x, causal=False)
    yield lambda x, y: _attention(x, causal=True)
    yield lambda x, y: functional.conv1d(x.T[None], x.T.reshape(1, x.shape[1], -1)[:, :, : min(4, len(x))])
    yield lambda x, y: functional.conv1d(x[None], x[:, None, : min(4, x.shape[1])].contiguous(), groups=len(x))


def _attention(x: Any, *, causal: bool) -> Any:
    asked, known, held = (torch.stack(pair)[None] for pair in ([x, -x], [x, x.flip(0)], [x.flip(0), x]))
    return torch.nn.functional.scaled_dot_product_attention(asked, known, held, is_causal=causal)


def of_equations() -> Iterator[Callable[[Any, Any], Any]]:
    """List the linear algebra of a square matrix and of a positive one; vectors are compared up to nothing."""
    linalg = torch.linalg
    yield lambda m, _: linalg.qr(m)
    yield lambda m, _: linalg.svd(m)
    yield lambda m, _: (linalg.inv(m), linalg.solve(m, m[:, :1]), linalg.det(m / len(m)))
    yield lambda _, p: linalg.eigh(p)
    yield lambda _, p: linalg.cholesky(p)
    yield lambda _, p: (torch.cholesky_inverse(p), torch.cholesky_solve(p[:, :1], p))
    yield lambda m, p: linalg.solve_triangular(p.triu(), m, upper=True)
    yield lambda m, _: torch.fft.fft(m)


def torch_operations(few: bool) -> dict[str, Tried]:
    """Try the operations of torch: alone, then in every architecture, then in a training; `few` tries them alone."""
    record = Recorder()
    with record, torch.inference_mode():
        for dtype in WIDE if few else TYPES:
            _numbers(dtype, *((500, 2) if few else (INPUTS, SHAPES)))
            _shapes(dtype, 2 if few else SHAPES)
        for kind in () if few else (*CAUSAL, *ENCODERS):
            for _ in run_passes(kind, "float32", lengths=LENGTHS if kind in MANY else 1):
                pass
            for dtype in ("bfloat16", "float16") if kind in HALVES else ():
                for _ in run_passes(kind, dtype):
                    pass
    with record:
        if not few:
            _train()
    return record.found


def _numbers(dtype: str, count: int, shapes: int) -> None:
    kinds = ("unit", "positive", "wide", "tiny", "scale")
    some = {kind: values(count // len(kinds) + 7, place, kind, dtype) for place, kind in enumerate(kinds)}
    others = {kind: values(count // len(kinds) + 7, place + 9, kind, dtype) for place, kind in enumerate(kinds)}
    for one in of_one_number():
        for given in some.values():
            _tried(one, given)
        for length in range(1, shapes):
            _tried(one, some["positive"][:length])
        _tried(one, some["positive"][: count // 10 * 2].reshape(2, -1).T)
    for two in of_two_numbers():
        for kind, given in some.items():
            _tried(two, given, others[kind])
        for length in range(1, shapes):
            _tried(two, some["unit"][:length], others["unit"][:length])


def _shapes(dtype: str, count: int) -> None:
    source = np.random.Generator(np.random.PCG64(5))
    for place in range(count):
        rows, inner, columns = (int(one) for one in source.integers(1, 70 if place % 4 else 300, 3))
        x = values(rows * inner, place, "unit", dtype).reshape(rows, inner)
        y = values(inner * columns, place + 500, "unit", dtype).reshape(inner, columns)
        for row in of_rows():
            _tried(row, x * 4)
        for product in of_products():
            _tried(product, x, y)
        if dtype in WIDE:
            m = values(rows * rows, place, "unit", dtype).reshape(rows, rows)
            positive = m @ m.T + rows * torch.eye(rows, dtype=m.dtype)
            for equation in of_equations():
                _tried(equation, m, positive)


def _tried(function: Callable[..., Any], *given: Any) -> None:
    """Call a function; what torch itself does not have for a type is left out on every processor."""
    try:
        function(*given)
    except (RuntimeError, NotImplementedError) as bad:
        if "not implemented" not in str(bad) and "unsupported" not in str(bad).lower():
            raise


def _train() -> None:
    """Train the tiny model for a few steps, with every operation of its backward pass and its optimiser."""
    from support_models import make_model

    torch.manual_seed(0)  # of the weights that the library draws before ours are laid over them
    with tempfile.TemporaryDirectory() as name:
        for places in ("learned", "turned"):
            make_model(Path(name) / places, steps=3, rate="0.003", places=places)


def torch_own() -> dict[str, Tried]:
    """Try torch's own kernels of the operations that are replaced, before they are."""
    record = Recorder()
    with record, torch.inference_mode():
        for dtype in WIDE:
            for name in BY_NUMPY:
                for place, kind in enumerate(("unit", "positive", "wide", "tiny", "scale")):
                    getattr(torch, name)(values(INPUTS // 5, place, kind, dtype))
            for rows in range(2, 2 + 6 * SHAPES, 6):
                m = values(rows * rows, rows, "unit", dtype).reshape(rows, rows)
                torch.linalg.cholesky(m @ m.T + rows * torch.eye(rows, dtype=m.dtype))
                torch.linalg.lstsq(m, m[:, :1])
    names = (*BY_NUMPY, "linalg_cholesky", "linalg_cholesky_ex", "linalg_lstsq")
    return {f"own {name}": tried for name, tried in record.found.items() if name.split()[0] in names}


def arrays(few: bool) -> dict[str, Tried]:
    """Try the functions of numpy and scipy."""
    found: dict[str, Tried] = {}
    with np.errstate(all="ignore"):
        for name, dtype, made, shapes in array_operations(few):
            tried = found[f"numpy {name} {dtype}"] = Tried()
            for one in tree_leaves(made):
                tried.sha.update(np.nan_to_num(np.asarray(one), nan=7.0).tobytes())
            tried.inputs, tried.shapes = sum(int(np.prod(shape)) for shape in shapes), set(shapes)
    return found


def main(form: str) -> None:
    """Print what was tried, as one line of JSON: `long`, or `few` for the short form, without a model."""
    warnings.simplefilter("ignore")
    few = form == "few"
    found = {} if few else torch_own()
    install_portable_operations()
    found |= arrays(few) | {f"torch {name}": tried for name, tried in torch_operations(few).items()}
    print(
        json.dumps(
            {"fingerprint": fingerprint_torch("cpu")["probes"], "tried": {k: v.told() for k, v in found.items()}}
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
