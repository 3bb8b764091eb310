"""Setup of torch and transformers for determinism: offline mode, deterministic kernels, and a fixed date."""

from __future__ import annotations

import ctypes
import datetime
import os
from collections.abc import Iterator
from typing import Any

from harness import seeds
from harness.digest import canonical_json, sha256
from harness.models.local.portable import install_portable_operations, is_portable
from harness.models.local.walked import FINGERPRINT
from harness.steps import THREADS


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
