"""The functions of numpy and scipy that the harness calls, read from its source, and what is tried of each."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
COUNT, SHAPES = 100_000, 50
# Without arithmetic of floating numbers: makes, moves, compares, counts, or names a type or a module.
_EXACT = """
abs add.at allclose any arange argwhere array array_equal array_split asanyarray asarray ascontiguousarray bincount
bool_ broadcast_arrays broadcast_to ceil clip column_stack complex128 concatenate count_nonzero delete dtype empty
empty_like errstate eye finfo flatnonzero float32 float64 floor fmax fmax.reduce frexp frombuffer full full_like
hstack inf int32 int64 intp isfinite isin isinf isnan isneginf ix_ ldexp linalg linalg.LinAlgError maximum
maximum.accumulate maximum.at memmap minimum minimum.accumulate nan nanmax nanmin ndarray ones pi polynomial
polynomial.hermite_e ptp put_along_axis random random.Generator random.PCG64 ravel repeat result_type rint
searchsorted setdiff1d shape split stack take_along_axis tile uint32 uint64 uint8 unique unravel_index vstack where
zeros scipy.io.netcdf_file
"""
EXACT = frozenset(_EXACT.split())
_SINGLE = "arctan cbrt cos exp exp2 expm1 round sin sinh square tan tanh cosh radians"
_ALONG = "sum mean std var median nansum prod cumsum"


def called_functions() -> set[str]:
    """Name the functions of numpy (without `numpy.`) and scipy that the harness's source calls, `**` and `@` too."""
    found: set[str] = set()
    for path in (REPOSITORY / "harness").rglob("*.py"):
        tree = ast.parse(path.read_bytes())
        known = _imported(tree)
        if not known:
            continue
        for node in ast.walk(tree):
            match node:
                case ast.BinOp(op=ast.Pow()):
                    found.add("power")
                case ast.BinOp(op=ast.MatMult()):
                    found.add("matmul")
                case ast.Attribute() | ast.Name():
                    base, *rest = _dotted(node)
                    if base in known:
                        found.add(".".join((known[base], *rest)))
    return {name.removeprefix("numpy.") for name in found} - {"numpy", "scipy"}


def _imported(tree: ast.AST) -> dict[str, str]:
    """Map the names under which a module has numpy, scipy and their parts to what they are."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if (top := one.name.split(".")[0]) in ("numpy", "scipy"):
                    known[one.asname or top] = one.name if one.asname else top
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("numpy", "scipy"):
            known |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    return known


def _dotted(node: ast.expr) -> tuple[str, ...]:
    match node:
        case ast.Name(name):
            return (name,)
        case ast.Attribute(value, name):
            return (*_dotted(value), name)
    return ("",)


def of_one_number() -> dict[str, Callable[[Any], Any]]:
    """List the functions of single numbers; those that need it are given what lies in their domain."""

    def within(name: str, domain: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: getattr(np, name)(domain(x))

    found: dict[str, Callable[[Any], Any]] = {name: getattr(np, name) for name in _SINGLE.split()}
    for name in ("log", "log2", "log10", "log1p", "sqrt"):
        found[name] = within(name, lambda x: np.abs(x) + x.dtype.type(2.0**-20))
    for name in ("arcsin", "arccos", "arctanh"):
        found[name] = within(name, lambda x: np.clip(x, -0.999, 0.999))
    return found


def of_arrays() -> dict[str, Callable[[Any, Any], Any]]:
    """List the functions of a matrix, rows x columns, and of another, columns x rows."""

    def along(name: str) -> Callable[[Any, Any], Any]:
        return lambda x, _: [getattr(np, name)(x, axis=axis) for axis in (None, 0, 1)]

    return {
        **{name: along(name) for name in _ALONG.split()},
        "diff": lambda x, _: np.diff(x),
        "add": lambda x, y: x + y.T,
        "add.reduceat": lambda x, _: np.add.reduceat(x, [0, len(x) // 2]),
        "divide": lambda x, y: np.divide(x, np.abs(y.T) + 1),
        "power": lambda x, y: [np.power(np.abs(x) + 1e-3, y.T), np.abs(x) ** 0.5, x**2, x**3, np.abs(x) ** -1.5],
        "matmul": lambda x, y: [x @ y, x[0] @ y, x @ y[:, 0], x[0] @ y[:, 0], np.dot(x, y)],
        "outer": lambda x, y: np.outer(x[0], y[0]),
        "einsum": lambda x, y: np.einsum("ij,jk->ik", x, y),
        "trace": lambda x, y: np.trace(x @ y),
        "percentile": lambda x, _: np.percentile(x, [2.5, 50, 97.5]),
        "quantile": lambda x, _: np.quantile(x, [0.1, 0.5, 0.975], axis=0),
        "linspace": lambda x, _: np.linspace(x.min(), x.max(), 37),
        "histogram2d": lambda x, y: np.histogram2d(x.ravel(), y.T.ravel(), bins=7)[0],
        "argsort": lambda x, _: [np.argsort(np.round(x, 1), axis=None, kind="stable"), np.argsort(x, kind="stable")],
        "sort": lambda x, _: np.sort(x, axis=1),
        "linalg.norm": lambda x, _: [np.linalg.norm(x), np.linalg.norm(x, axis=1)],
        "linalg.svd": lambda x, _: np.linalg.svd(x, full_matrices=False),
        "linalg.qr": lambda x, _: np.linalg.qr(x),
        "linalg.lstsq": lambda x, y: np.linalg.lstsq(x, x[:, :1], rcond=None)[0],
        "linalg.eigh": lambda x, y: np.linalg.eigh(x @ x.T),
        "linalg.solve": lambda x, y: np.linalg.solve(x @ x.T + np.eye(len(x), dtype=x.dtype), x),
        "linalg.cholesky": lambda x, y: np.linalg.cholesky(x @ x.T + len(x) * np.eye(len(x), dtype=x.dtype)),
        "linalg.inv": lambda x, y: np.linalg.inv(x @ x.T + np.eye(len(x), dtype=x.dtype)),
        "fft.fft": lambda x, _: np.fft.fft(x),
    }


def of_seeds() -> dict[str, Callable[[int], Any]]:
    """List what draws, or is a table."""
    return {
        "random.RandomState": lambda seed: [
            np.random.RandomState(seed).randn(500), np.random.RandomState(seed).permutation(99),
        ],
        "random.default_rng": lambda seed: [
            draw(500) for draw in (
                np.random.default_rng(seed).standard_normal, np.random.default_rng(seed).random,
                np.random.default_rng(seed).permutation, np.random.default_rng(seed).exponential,
            )
        ],
        "polynomial.hermite_e.hermegauss": lambda seed: np.polynomial.hermite_e.hermegauss(2 + seed % 60),
    }  # fmt: skip


def of_scipy() -> dict[str, Callable[[Any], Any]]:
    """List the functions of scipy, of a column of numbers in -1 … 1."""
    from scipy.linalg import cho_factor, cho_solve, eigh, solve_triangular
    from scipy.ndimage import gaussian_filter1d
    from scipy.optimize import linear_sum_assignment
    from scipy.special import bdtr, ndtri, stdtr, stdtrit

    def square(x: Any) -> Any:
        side = int(len(x) ** 0.5)
        return x[: side * side].reshape(side, side)

    def positive(x: Any) -> Any:
        m = square(x[:40_000])
        return m @ m.T + len(m) * np.eye(len(m), dtype=x.dtype)

    return {
        "scipy.special.ndtri": lambda x: ndtri(np.abs(x) * 0.998 + 0.001),
        "scipy.special.stdtr": lambda x: stdtr(7, x * 5),
        "scipy.special.stdtrit": lambda x: stdtrit(9, np.abs(x[:2000]) * 0.998 + 0.001),
        "scipy.special.bdtr": lambda x: bdtr(np.floor(np.abs(x) * 20), 30, np.abs(x) * 0.9 + 0.05),
        "scipy.ndimage.gaussian_filter1d": lambda x: gaussian_filter1d(x, 2.0),
        "scipy.optimize.linear_sum_assignment": lambda x: linear_sum_assignment(square(x[:3600])),
        "scipy.linalg.eigh": lambda x: eigh(positive(x)),
        "scipy.linalg.cho_factor": lambda x: cho_factor(positive(x))[0],
        "scipy.linalg.cho_solve": lambda x: cho_solve(cho_factor(positive(x)), positive(x)[:, :5]),
        "scipy.linalg.solve_triangular": lambda x: solve_triangular(positive(x), positive(x)[:, :5]),
    }


def array_operations(few: bool) -> Iterator[tuple[str, str, list[Any], list[tuple[int, ...]]]]:
    """Try each function; yields its name, its type, what it gave, and the shapes of what it was given."""
    count, shapes = (500, 3) if few else (COUNT, SHAPES)
    kinds: tuple[Any, ...] = (np.float32, np.float64)
    source = np.random.Generator(np.random.PCG64(3))
    sides = [tuple(int(one) for one in source.integers(2, 60, 2)) for _ in range(shapes - 1)]
    sides += [] if few else [(130, 70), (320, 200)]
    for kind in kinds:
        unit = (source.integers(-(1 << 22), 1 << 22, count) / (1 << 22)).astype(kind)
        scaled = [unit[: count // 2], unit[count // 2 :] * 40, *(unit[:length] for length in range(1, shapes))]
        for name, one in of_one_number().items():
            yield name, kind.__name__, [one(x) for x in scaled], [x.shape for x in scaled]
        matrices = [
            tuple(
                (source.integers(-(1 << 22), 1 << 22, shape) / (1 << 22)).astype(kind) for shape in (side, side[::-1])
            )
            for side in sides
        ]
        for name, two in of_arrays().items():
            yield name, kind.__name__, [two(x, y) for x, y in matrices], [x.shape for x, _ in matrices]
        columns = [unit[: count // 4], *(unit[: 40 + length] for length in range(shapes))]
        for name, of in ({} if few else of_scipy()).items():
            yield name, kind.__name__, [of(x) for x in columns], [x.shape for x in columns]
    for name, draws in of_seeds().items():
        yield name, "float64", [draws(seed) for seed in range(shapes)], [(500,)] * shapes


@functools.cache
def tried_names() -> frozenset[str]:
    """Name what is tried."""
    return frozenset((*of_one_number(), *of_arrays(), *of_scipy(), *of_seeds()))
