"""Setup of torch and transformers for determinism: offline, deterministic kernels, portable operations on the CPU.

Portable means the same bytes on every x86-64 processor with AVX2, for every caller and for autograd. Some operations of
torch depend on a processor's own approximation of 1/x or its root, which differs between makers. Here they are computed
by numpy, or refused with an error that names the operation. Operations that were not tested on other processors are
reported. Under `numerics: machine`, and on CUDA, nothing is replaced. docs/numerics.md has the table.
"""

from __future__ import annotations

import ctypes
import datetime
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness import seeds
from harness.digest import canonical_json, sha256
from harness.errors import MissingError
from harness.models.local.walked import FINGERPRINT, OPERATIONS
from harness.steps import THREADS

NUMERICS_MODE = "HARNESS_NUMERICS"  # the step's variable, whose value is `machine`; absent: portable
REMEDY = "use a model without it, or say `numerics: machine` in the manifest, which promises less"

# Elementwise operations of MKL's vector library, with the numpy function that replaces each. float16 and bfloat16 are
# computed in float32.
BY_NUMPY = {
    "acos": "arccos",
    "asin": "arcsin",
    "atan": "arctan",
    "log": "log",
    "log10": "log10",
    "log2": "log2",
    "sqrt": "sqrt",
    "tan": "tan",
}
UNWALKED = "nobody has held this operation against other processors (docs/numerics.md); its bytes may differ there"
WATCHED = 2  # watched passes of each kind
REFUSED = ("linalg_lstsq", "linalg_lstsq.out")  # not reproducible even on one machine

_installed: list[Any] = []  # the torch library of our kernels; they are registered as long as it exists
_callers = ["the step's own code"]  # the last entry is the model opened last


def is_portable(device: str) -> bool:
    """Whether computations on a device must give the same bytes on every processor."""
    return device == "cpu" and os.environ.get(NUMERICS_MODE) != "machine"


def install_portable_operations() -> None:
    """Replace torch's own kernels on the CPU by the portable ones, once per process."""
    import torch  # noqa: PLC0415

    if _installed:
        return
    room = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Warning only once for all operators")  # they are replaced
        for name, kernel in _kernels().items():
            room.impl(name, kernel, "CPU", with_keyset=True)
    torch.backends.nnpack.set_flags(False)  # NNPACK uses its own convolutions on processors that it supports
    _installed.append(room)


def _kernels() -> dict[str, Callable[..., Any]]:
    """Return the kernel of every operation that is replaced or refused, by torch's name of it."""
    import torch  # noqa: PLC0415

    found: dict[str, Callable[..., Any]] = {}
    for name, function in BY_NUMPY.items():
        found |= _by_numpy(name, function)
    root = found["sqrt"], found["sqrt_"], found["sqrt.out"]
    for name, ours in zip(("pow.Tensor_Scalar", "pow_.Scalar", "pow.Tensor_Scalar_out"), root, strict=True):
        found[name] = _half_power(torch.library.get_kernel(f"aten::{name}", "CPU"), ours)
    found |= _cholesky()
    return found | {name: _refusing(name) for name in REFUSED}


def _by_numpy(name: str, function: str) -> dict[str, Callable[..., Any]]:
    """Return the three forms of an elementwise operation: a new tensor, in place, and into `out`."""
    import numpy as np  # noqa: PLC0415
    import torch  # noqa: PLC0415

    compute = getattr(np, function)
    wider = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.complex32: torch.complex64}

    def result_type(tensor: Any) -> Any:
        exact = tensor.is_floating_point() or tensor.is_complex()
        return tensor.dtype if exact else torch.get_default_dtype()

    def fill(tensor: Any, out: Any) -> Any:
        made, place = result_type(tensor), out.detach()
        wide = wider.get(made, made)
        source = tensor.detach().to(wide).numpy()
        with np.errstate(all="ignore"):  # torch gives no warning for a root of -1
            if place.dtype == wide and place.is_contiguous():
                compute(source, out=place.numpy())
            else:
                place.copy_(torch.from_numpy(np.asarray(compute(source))))
        return out

    def new(_keys: Any, self: Any) -> Any:
        return fill(self, torch.empty_like(self, dtype=result_type(self)))

    def into(_keys: Any, self: Any, *, out: Any) -> Any:
        if not torch.can_cast(made := result_type(self), out.dtype):
            raise RuntimeError(f"{name}: result type {made} cannot be cast to the output's type {out.dtype}")
        return fill(self, out if out.shape == self.shape else out.resize_(self.shape))

    def inside(keys: Any, self: Any) -> Any:
        return into(keys, self, out=self)

    return {name: new, f"{name}_": inside, f"{name}.out": into}


def _half_power(theirs: Any, root: Callable[..., Any]) -> Callable[..., Any]:
    """Return a power kernel that computes exponent 0.5 as a square root, as torch does, and others by torch."""

    def power(keys: Any, self: Any, exponent: Any, **more: Any) -> Any:
        if exponent == 0.5:
            return root(keys, self, **more)
        return theirs.call_boxed(keys, self, exponent, **more)

    return power


def _cholesky() -> dict[str, Callable[..., Any]]:
    """Return the kernels of Cholesky, under both names of torch, computed in double the width and rounded at the end.

    MKL's float32 Cholesky differs between processors. Its float64 Cholesky does not, and is kept.
    """
    import torch  # noqa: PLC0415

    wider = {torch.float32: torch.float64, torch.complex64: torch.complex128}
    theirs = torch.library.get_kernel("aten::linalg_cholesky_ex", "CPU")

    def factor(keys: Any, self: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
        wide = self.to(wider.get(self.dtype, self.dtype))
        made, info = theirs.call_boxed(keys, wide, upper=upper, check_errors=check_errors)
        return made.to(self.dtype), info

    def factor_into(keys: Any, self: Any, *, L: Any, info: Any, **more: bool) -> Any:  # noqa: N803 - torch's name
        made, bad = factor(keys, self, **more)
        return L.resize_(made.shape).copy_(made), info.resize_(bad.shape).copy_(bad)

    def older(keys: Any, self: Any, upper: bool = False) -> Any:
        return factor(keys, self, upper=upper, check_errors=True)[0]

    def older_into(keys: Any, self: Any, upper: bool = False, *, out: Any) -> Any:
        made = older(keys, self, upper)
        return out.resize_(made.shape).copy_(made)

    return {
        "linalg_cholesky_ex": factor,
        "linalg_cholesky_ex.L": factor_into,
        "cholesky": older,
        "cholesky.out": older_into,
    }


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(_keys: Any, *_args: Any, **_more: Any) -> Any:
        what = f"the operation {name} of torch gives other bytes on other processors, and nothing stands in for it here"
        raise MissingError(what, where=_callers[-1], next=REMEDY)

    return refuse


def watch_operations(model: Any) -> list[str]:
    """Return a list of operations in a model's passes that were not tested; the list grows while the model is used.

    Of each kind of pass (one row or several, one token or several, with a mask or without) the first two are watched:
    one that starts and one that continues from a cache. A watched pass gives the same bytes as any other.
    """
    _callers.append(f"a model of type {model.config.model_type}")
    watch, passes, watched = _watch(), Counter[tuple[bool, ...]](), []

    def enter(_model: Any, args: tuple[Any, ...], given: Mapping[str, Any]) -> None:
        rows, tokens = (args[0] if args else given["input_ids"]).shape
        kind = (rows > 1, tokens > 1, given.get("attention_mask") is None)
        passes[kind] += 1
        if passes[kind] <= WATCHED:
            watch.__enter__()
            watched.append(kind)

    def leave(*_passed: Any) -> None:
        if watched:
            watched.clear()
            watch.__exit__(None, None, None)

    model.register_forward_pre_hook(enter, with_kwargs=True)
    model.register_forward_hook(leave, always_call=True)
    return watch.strange  # type: ignore[no-any-return]


def _watch() -> Any:
    """Return the torch dispatch mode that sees each operation and its types before its kernel."""
    from torch.utils._python_dispatch import TorchDispatchMode  # noqa: PLC0415

    class OperationWatch(TorchDispatchMode):  # type: ignore[misc]  # mypy does not look into torch
        def __init__(self) -> None:
            super().__init__()
            self.strange: list[str] = []

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # otherwise torch loads its compiler for more than a second, only to skip this mode

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            made = func(*args, **(kwargs or {}))
            for one in float_types(func, (args, kwargs, made)):
                if one not in self.strange and not is_tried_operation(one):
                    self.strange.append(one)
                    warnings.warn(f"{one}: {UNWALKED}", stacklevel=2)
            return made

    return OperationWatch()


def float_types(operation: Any, parts: Any) -> list[str]:
    """Return an operation's name with each floating type among its parts, as `mm float32`.

    Integer types give the same results on every processor and are left out.
    """
    from torch import Tensor  # noqa: PLC0415
    from torch.utils._pytree import tree_leaves  # noqa: PLC0415

    name = str(operation).removeprefix("aten.").removesuffix(".default")
    tensors = [one for one in tree_leaves(parts) if isinstance(one, Tensor)]
    kinds = {str(one.dtype) for one in tensors if one.is_floating_point() or one.is_complex()}
    return sorted(f"{name} {kind.removeprefix('torch.')}" for kind in kinds)


def is_tried_operation(operation: str) -> bool:
    """Whether an operation with a type, as `mm float32`, was tested on other processors."""
    name, _, kind = operation.partition(" ")
    return kind in OPERATIONS.get(name, "").split()


class FixedDate:
    """A fixed date in place of `datetime` for chat templates that print today's date, so that prompts do not change."""

    @staticmethod
    def now() -> datetime.datetime:
        """Return the fixed date, 2026-01-01."""
        return datetime.datetime(2026, 1, 1)


def set_offline() -> None:
    """Set the environment variables for no network, no telemetry and no progress bars.

    It must be called before the libraries are imported, since they read the variables on import.
    """
    os.environ.update(
        {
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "TRANSFORMERS_VERBOSITY": "error",
            "TOKENIZERS_PARALLELISM": "false",
        }
    )


def set_deterministic(reference: bool) -> None:
    """Make torch deterministic, and on the CPU portable, fix the date of chat templates, and silence transformers.

    At the reference level it also sets the number of threads: one, or as many as the run sets.
    """
    import torch  # noqa: PLC0415
    from transformers.utils import chat_template_utils, logging  # noqa: PLC0415

    chat_template_utils.datetime = FixedDate
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_deterministic_debug_mode("error")  # the other function for it loads a compiler, which takes seconds
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    if is_portable(inference_device()):
        install_portable_operations()
    if reference:
        torch.set_num_threads(int(os.environ.get(THREADS, "1")))


def inference_device() -> str:
    """Return the device of inference: `cuda` if available, else `cpu`.

    Without a CUDA driver torch is not loaded, which would take seconds.
    """
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "cpu"
    import torch  # noqa: PLC0415

    return "cuda" if torch.cuda.is_available() else "cpu"


def release_memory() -> None:
    """Release the CUDA memory that torch caches, after memory ran out; without CUDA nothing happens."""
    import torch  # noqa: PLC0415

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def out_of_memory(bad: BaseException) -> bool:
    """Whether an error means out of memory, on any device."""
    import torch  # noqa: PLC0415

    if isinstance(bad, MemoryError | torch.cuda.OutOfMemoryError):
        return True
    words = str(bad).lower()
    return isinstance(bad, RuntimeError) and ("out of memory" in words or "can't allocate memory" in words)


VERSION = "numerics/2"
ROWS, INNER, COLUMNS = 192, 256, 160
SHAPES = ((1, 32, 96), (3, 48, 5), (17, 64, 33), (5, 7, 1))  # odd sizes, so that vector units end inside a row


def fingerprint_torch(where: str | None = None) -> dict[str, Any]:
    """Return the digest of every probe and one over all, on the device of inference unless another is named.

    `differs` names the probes that differ from the committed table. It is absent if the table does not apply (CUDA,
    `numerics: machine`, more threads than one).
    """
    where = where or inference_device()
    portable = is_portable(where)
    if portable:
        install_portable_operations()
    probes = {name: sha256(data) for name, data in _probes(where)}
    found = {"type": VERSION, "digest": sha256(canonical_json(probes)), "device": where, "probes": probes}
    if portable and os.environ.get(THREADS, "1") == "1":
        found["differs"] = sorted(name for name, digest in probes.items() if digest != FINGERPRINT.get(name))
    return found


def _probes(where: str) -> Iterator[tuple[str, bytes]]:
    """Yield the result of each probe, on exact inputs that are the same on every machine."""
    import numpy as np  # noqa: PLC0415
    import torch  # noqa: PLC0415

    left, right = _numbers("left", ROWS * INNER), _numbers("right", INNER * COLUMNS)
    yield from _numpy_probes(np.array(left), np.array(right))
    a = torch.tensor(left, dtype=torch.float32).reshape(ROWS, INNER).to(where)
    b = torch.tensor(right, dtype=torch.float32).reshape(INNER, COLUMNS).to(where)
    positive = a.abs() * 50 + 2.0**-20
    yield "randn", _bytes(torch.randn(4096, generator=torch.Generator().manual_seed(0)))
    with torch.inference_mode():
        yield "gemm.float32", _bytes(a @ b)
        yield "gemm.float64", _bytes(a[:64].double() @ b.double())
        yield "gemm.bfloat16", _bytes(a.to(torch.bfloat16) @ b.to(torch.bfloat16))
        yield "gemm.rows", b"".join(_bytes(a[row : row + 1] @ b) for row in range(32))
        yield "gemm.odd", b"".join(_bytes(a[:m, :k] @ b[:k, :n]) for m, k, n in SHAPES)
        yield "attention", _bytes(torch.nn.functional.scaled_dot_product_attention(a[None, :64], a[None], a[None]))
        yield "softmax", _bytes(torch.softmax(a * 4, dim=-1))
        yield "layer_norm", _bytes(torch.nn.functional.layer_norm(a, (INNER,)))
        yield "gelu", _bytes(torch.nn.functional.gelu(a, approximate="tanh"))
        yield "silu", _bytes(torch.nn.functional.silu(a * 8))
        yield "exp", _bytes(torch.exp(a * 30))
        yield "sum", _bytes(a.sum())
        yield "logsumexp", _bytes(torch.logsumexp(a.double(), dim=-1))
        for dtype in (torch.float32, torch.float64):
            for name in ("sqrt", "log", "tan", "asin"):
                made = getattr(torch, name)((a if name == "asin" else positive).to(dtype))
                yield f"{name}.{str(dtype).removeprefix('torch.')}", _bytes(made)
        square = a[:130] @ a[:130].mT + 130 * torch.eye(130, device=where)
        yield "cholesky", _bytes(torch.linalg.cholesky(square))


def _numpy_probes(left: Any, right: Any) -> Iterator[tuple[str, bytes]]:
    """Yield numpy's probes: products by OpenBLAS, and functions with separate AVX-512 code, which must not be used."""
    import numpy as np  # noqa: PLC0415

    a, b = left.astype(np.float32).reshape(ROWS, INNER), right.astype(np.float32).reshape(INNER, COLUMNS)
    yield "numpy.gemm", (a @ b).tobytes()
    yield "numpy.eigh", b"".join(part.tobytes() for part in np.linalg.eigh(left[:900].reshape(30, 30)))
    for name in ("exp", "expm1", "exp2", "arctan", "cbrt", "sinh"):
        yield f"numpy.{name}", getattr(np, name)(left).tobytes()
    for name in ("log", "log1p", "log2"):
        yield f"numpy.{name}", getattr(np, name)(np.abs(left) + 2.0**-20).tobytes()
    yield "numpy.power", np.power(np.abs(left[: len(right)]) + 2.0**-20, right).tobytes()


def _numbers(name: str, count: int) -> list[float]:
    """Return pseudorandom numbers in [-1, 1) that float32 represents exactly."""
    source = seeds.random_stream(seeds.derive_seed(0, "numerics", name))
    return [seeds.draw_below(source, 1 << 24) / (1 << 23) - 1.0 for _ in range(count)]


def _bytes(tensor: Any) -> bytes:
    import torch  # noqa: PLC0415

    plain = tensor.detach().cpu().contiguous()
    return bytes(plain.view(torch.uint8).numpy().tobytes()) if plain.ndim else bytes(plain.numpy().tobytes())
