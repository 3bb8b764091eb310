"""The numerics fingerprint: digests of a few small computations, which show whether two machines agree bit for bit.

Runs with equal fingerprints may be compared exactly, others within tolerances only. It is observed where an inference
step executes, and never stands in a key.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness import seeds
from harness.digest import canonical, sha256
from harness.models.local.torch_setup import device

VERSION = "numerics/1"
ROWS, INNER, COLUMNS = 384, 512, 320


def fingerprint(where: str | None = None) -> dict[str, Any]:
    """Compute the digest of every probe and one over all, on the device of inference unless another is named."""
    where = where or device()
    probes = {name: sha256(data) for name, data in _probes(where)}
    return {"type": VERSION, "digest": sha256(canonical(probes)), "device": where, "probes": probes}


def _probes(where: str) -> Iterator[tuple[str, bytes]]:
    """Run each probe once, on exact inputs that are the same on every machine."""
    import numpy as np  # noqa: PLC0415
    import torch  # noqa: PLC0415

    left, right = _numbers("left", ROWS * INNER), _numbers("right", INNER * COLUMNS)
    a = torch.tensor(left, dtype=torch.float32).reshape(ROWS, INNER).to(where)
    b = torch.tensor(right, dtype=torch.float32).reshape(INNER, COLUMNS).to(where)
    yield (
        "numpy.gemm",
        (np.array(left, np.float32).reshape(ROWS, INNER) @ np.array(right, np.float32).reshape(INNER, -1)).tobytes(),
    )
    yield "numpy.exp", np.exp(np.array(left, np.float64)).tobytes()
    yield "randn", _bytes(torch.randn(4096, generator=torch.Generator().manual_seed(0)))
    with torch.inference_mode():
        yield "gemm.float32", _bytes(a @ b)
        yield "gemm.bfloat16", _bytes(a.to(torch.bfloat16) @ b.to(torch.bfloat16))
        yield "gemm.rows", b"".join(_bytes(a[row : row + 1] @ b) for row in range(64))
        yield "softmax", _bytes(torch.softmax(a * 4, dim=-1))
        yield "layer_norm", _bytes(torch.nn.functional.layer_norm(a, (INNER,)))
        yield "gelu", _bytes(torch.nn.functional.gelu(a, approximate="tanh"))
        yield "sum", _bytes(a.sum())
        yield "logsumexp", _bytes(torch.logsumexp(a.double(), dim=-1))


def _numbers(name: str, count: int) -> list[float]:
    """Generate pseudorandom numbers in [-1, 1) that float32 holds exactly."""
    source = seeds.stream(seeds.derive(0, "numerics", name))
    return [seeds.below(source, 1 << 24) / (1 << 23) - 1.0 for _ in range(count)]


def _bytes(tensor: Any) -> bytes:
    import torch  # noqa: PLC0415

    plain = tensor.detach().cpu().contiguous()
    return bytes(plain.view(torch.uint8).numpy().tobytes()) if plain.ndim else bytes(plain.numpy().tobytes())
