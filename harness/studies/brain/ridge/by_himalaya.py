"""The banded search, its refit and the plain ridge, computed by himalaya instead of our own solver.

himalaya decomposes, predicts and fits. The criterion, early stop and choices are the study's (`search`, `near_ties`),
so both solvers choose by the same rule and differ only by rounding. Shared code, including private names, is imported
from `search` unchanged: its source is part of the key of every fit made by our own solver, and moving code would
recompute all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from types import MappingProxyType
from typing import Any

from harness.errors import InputError, MissingError
from harness.steps import CPU
from harness.studies.brain import near_ties
from harness.studies.brain.ridge.centred import Targets, prepared
from harness.studies.brain.ridge.devices import open_device, worker_count
from harness.studies.brain.ridge.heldout import Folds, Squares
from harness.studies.brain.ridge.kernels import require_bands
from harness.studies.brain.ridge.plain import PlainChoice, PlainFit
from harness.studies.brain.ridge.refit import SOLVED, RidgeFit, groups
from harness.studies.brain.ridge.search import Search, SearchFound, _Best, _require_seen, require_gammas

Array = Any  # a numpy array
Backend = Any  # himalaya's module for numpy or torch
NUMPY, TORCH = "himalaya", "himalaya-torch"
ON_CPU: Mapping[str, str] = MappingProxyType({NUMPY: "numpy", TORCH: "torch"})  # by the manifest's `solver`
ON_CUDA = "torch_cuda"
DOUBLE = "float64"


def backend_name(solver: str, device: str) -> str:
    """Return himalaya's backend for a solver on a device: `torch_cuda` on CUDA; on the CPU, the solver decides.

    Raises InputError for an unknown solver or device, and MissingError if CUDA is asked for and not available.
    """
    if solver not in ON_CPU:
        raise InputError(f"no solver of himalaya is called {solver!r}", next=f"choose: {', '.join(ON_CPU)}")
    open_device(device)
    return ON_CPU[solver] if device == CPU else ON_CUDA


def require_double(dtype: str) -> None:
    """Raise InputError unless `dtype` is float64, because himalaya's scores in float32 are too inaccurate.

    They differed by up to 2.6e-4 from those in float64, while ours are within 1e-6. This is more than the cell in which
    scores count as equal (`near_ties.GRID`), so no choice could be told from a near tie.
    """
    if dtype != DOUBLE:
        raise InputError(
            f"himalaya's scores in {dtype} err by more than what counts as equal",
            where="settings.dtype",
            next="write `dtype: float64` beside `solver`",
        )


def version() -> str:
    """Return himalaya's version; raise MissingError if it is not installed."""
    try:
        import himalaya  # noqa: PLC0415 - heavy
    except ImportError as bad:
        raise MissingError("himalaya is not installed", next="pip install 'repro-harness[brain]'") from bad
    return str(himalaya.__version__)


@contextmanager
def opened(name: str) -> Iterator[Backend]:
    """Context manager that selects the backend of the library himalaya and restores it; TF32 is off on CUDA.

    torch uses the step's number of threads. Raises MissingError if himalaya is not installed.
    """
    version()
    from himalaya.backend import get_backend, set_backend  # noqa: PLC0415

    before = get_backend().name
    try:
        with _torch(name):
            yield set_backend(name)
    finally:
        set_backend(before)


@contextmanager
def _torch(name: str) -> Iterator[None]:
    if name == ON_CPU[NUMPY]:
        yield
        return
    import torch  # noqa: PLC0415

    matmul, threads = torch.backends.cuda.matmul, torch.get_num_threads()
    before, matmul.allow_tf32 = matmul.allow_tf32, False
    torch.set_num_threads(worker_count(CPU))
    try:
        yield
    finally:
        matmul.allow_tf32 = before
        torch.set_num_threads(threads)


def search(
    bands: Sequence[Array], targets: Array, inner: Sequence[Sequence[int]], gammas: Array, how: Search, solver: str
) -> SearchFound:
    """Choose band weights and penalty for each target as `search.search` does, by errors that himalaya computes.

    Raises InputError for whatever `search.search` refuses, and for float32.
    """
    how.check()
    require_double(how.dtype)
    checked, folds = prepared(targets), Folds.of(inner, len(targets), how.criterion)
    kernels = _kernels(bands, len(targets))[0]
    require_gammas(gammas, len(bands))
    _require_seen(how.usable()[0], kernels)
    best = _Best(checked, folds, how)
    with opened(backend_name(solver, how.device)) as backend:
        held = _HeldOut(backend, kernels, checked.centred(slice(None)), folds, how)
        for gamma in gammas:
            if best.add(Squares(held.squares(gamma), None)):
                break
    return best.found()


class _HeldOut:
    """The state that all candidates share when himalaya computes."""

    def __init__(self, backend: Backend, kernels: Array, targets: Array, folds: Folds, how: Search) -> None:
        import numpy as np  # noqa: PLC0415

        self.backend, self.folds, self.how = backend, folds, how
        self.kernels, self.targets = (backend.asarray(each, dtype=DOUBLE) for each in (kernels, targets))
        self.alphas = backend.asarray(np.array(how.usable()), dtype=DOUBLE)
        every = np.arange(len(targets))
        self.values = targets
        self.cut = [(np.setdiff1d(every, held), held) for held in folds.inner]

    def squares(self, gamma: Array) -> Array:
        """Return the weighted sums of squared held-out errors [alpha, target] of one candidate.

        himalaya leaves out an alpha if rounding made its kernel's eigenvalues negative; its sums are infinity.
        """
        import numpy as np  # noqa: PLC0415
        from himalaya.kernel_ridge import solve_multiple_kernel_ridge_random_search as solve  # noqa: PLC0415

        kept = _Errors(self.backend, self.folds, self.values, len(self.alphas), self.how.block)
        solve(
            self.kernels,
            self.targets,
            n_iter=self.backend.asarray(gamma[None], dtype=DOUBLE),
            alphas=self.alphas,
            score_func=kept,
            cv=self.cut,
            fit_intercept=True,
            return_weights="dual",
            n_targets_batch=self.how.block,
            progress_bar=False,
        )
        return np.where(np.isnan(kept.whole()), np.inf, kept.sums)


class _Errors:
    """A score function for himalaya that keeps all errors and prevents himalaya from choosing and refitting.

    himalaya reports only the best alpha of each candidate, by its own rule; the study's rule needs the errors of all
    alphas. himalaya asks for scores fold by fold and, within a fold, block by block of targets.
    """

    def __init__(self, backend: Backend, folds: Folds, targets: Array, alphas: int, block: int) -> None:
        import numpy as np  # noqa: PLC0415

        count = targets.shape[1]
        self.backend, self.targets, self.sums = backend, targets, np.zeros((alphas, count))
        self.folds, self.blocks = folds, [slice(at, min(at + block, count)) for at in range(0, count, block)]
        self.asked = product(zip(folds.inner, folds.weights, strict=True), self.blocks)

    def __call__(self, held: Any, predicted: Any) -> Any:
        """Add the squared errors of a fold and a block; return scores of minus infinity, so nothing is refitted."""
        (rows, weight), which = next(self.asked, (((), 0.0), slice(0, 0)))
        if tuple(held.shape) != (len(rows), which.stop - which.start) or not self._are(held, rows, which):
            raise _strange()
        squares = ((held[None] - predicted) ** 2).sum(1)
        self.sums[:, which] += weight * self.backend.to_numpy(squares)
        return self.backend.full_like(squares, fill_value=-self.backend.inf)

    def _are(self, held: Any, rows: Any, which: slice) -> bool:
        """Return whether these are the targets of the expected fold and block, up to a subtracted mean."""
        import numpy as np  # noqa: PLC0415

        given, meant = self.backend.to_numpy(held), self.targets[rows, which]
        near = 1e-9 * max(float(np.abs(meant).max(initial=0)), 1e-300)
        return bool((np.abs((given - given[:1]) - (meant - meant[:1])) <= near).all())

    def whole(self) -> Array:
        """Return the sums; raise InputError unless every fold and block was asked for."""
        if next(self.asked, None):
            raise _strange()
        return self.sums


def _strange() -> InputError:
    return InputError(
        f"himalaya {version()} asks for scores in another order than fold by fold",
        where="solver",
        next="take the version that is locked, or `solver: ours`",
    )


def refit(
    bands: Sequence[Array], targets: Array, found: SearchFound, gammas: Array, how: Search, solver: str
) -> RidgeFit:
    """Fit every target on all training rows by himalaya's kernel ridge, in float64, as `refit.refit` does by ours.

    Raises InputError for whatever `search` refuses, and for targets that were not searched.
    """
    import numpy as np  # noqa: PLC0415

    how.check()
    require_gammas(gammas, len(bands))
    checked = prepared(targets)
    if len(found.gamma) != checked.count:
        told = f"weights were found for {len(found.gamma)} targets, and {checked.count} are given"
        raise InputError(told, where="targets", next="give the targets that were searched")
    kernels, plain, means = _kernels(bands, len(targets))
    coefficients: Array = np.empty((len(targets), checked.count))
    with opened(backend_name(solver, how.device)) as backend:
        for at, group in groups(found.gamma):
            joined = np.zeros(kernels[0].shape)
            for weight, kernel in zip(gammas[at], kernels, strict=True):
                joined += float(weight) * kernel
            for start in range(0, len(group), SOLVED):
                which = group[start : start + SOLVED]
                coefficients[:, which] = _dual(backend, joined, checked, which, found.alpha[which])
    return RidgeFit(plain, means, gammas, found.gamma, found.alpha, coefficients, checked.mean)


def _dual(backend: Backend, kernel: Array, targets: Targets, which: Array, alpha: Array) -> Array:
    """Return (K + alpha I)^-1 (y - mean) of targets that share their weights; kernel and targets are centred."""
    from himalaya.kernel_ridge import solve_kernel_ridge_eigenvalues  # noqa: PLC0415

    own = (backend.asarray(each, dtype=DOUBLE) for each in (kernel, targets.centred(which), alpha))
    solved: Array = backend.to_numpy(solve_kernel_ridge_eigenvalues(*own))
    return solved * targets.scale[which]


def _kernels(bands: Sequence[Array], rows: int) -> tuple[Array, tuple[Array, ...], tuple[Array, ...]]:
    """Return each band's kernel without its mean, float64 [band, row, row], the centred bands, and their means."""
    import numpy as np  # noqa: PLC0415

    require_bands(bands, rows)
    wide = [np.ascontiguousarray(band, np.float64) for band in bands]
    means = tuple(band.mean(axis=0) for band in wide)
    plain = tuple(band - mean for band, mean in zip(wide, means, strict=True))
    return np.stack([band @ band.T for band in plain]), plain, means


def choose_plain(
    train: Array, targets: Array, inner: Sequence[Sequence[int]], alphas: Sequence[float], how: Search, solver: str
) -> PlainChoice:
    """Choose each target's penalty of a plain kernel ridge as `plain.choose` does, by errors that himalaya computes.

    Features are never centred. Targets are centred by the rows that each inner fold keeps, so himalaya gets one fold at
    a time.
    """
    import numpy as np  # noqa: PLC0415

    require_double(how.dtype)
    folds = Folds.of(inner, len(targets), "mse")
    kernel = train @ train.T
    spent: Array = np.zeros((len(alphas), targets.shape[1]))
    around: Array = np.zeros(targets.shape[1])
    with opened(backend_name(solver, how.device)) as backend:
        for held, weight in zip(folds.inner, folds.weights, strict=True):
            own = targets - np.delete(targets, held, 0).mean(axis=0, dtype=np.float64)
            around += weight * np.square(own[held]).sum(axis=0)
            spent += _plain_errors(backend, kernel, own, Folds((held,), (weight,)), (alphas, how))
    varies = (targets != targets[0]).any(axis=0) & (around > 0)
    order = np.argsort(alphas, kind="stable")[::-1]  # the largest first, because the first of equals is taken
    explained = np.where(varies, 1 - spent[order] / np.where(varies, around, 1), 0.0)
    place, tied = near_ties.first_near_best(explained, near_ties.ERRORS[DOUBLE])
    chosen = order[place]
    least = np.take_along_axis(spent, chosen[None], 0)[0]
    return PlainChoice(np.array(alphas, np.float64)[chosen], tied, least, spent)


def _plain_errors(
    backend: Backend, kernel: Array, targets: Array, fold: Folds, asked: tuple[Sequence[float], Search]
) -> Array:
    """Return the weighted squared errors [alpha, target] of one inner fold."""
    import numpy as np  # noqa: PLC0415
    from himalaya.kernel_ridge import solve_multiple_kernel_ridge_random_search as solve  # noqa: PLC0415

    alphas, how = asked
    kept = _Errors(backend, fold, targets, len(alphas), how.block)
    there = (backend.asarray(each, dtype=DOUBLE) for each in (kernel[None], targets))
    solve(
        *there,
        n_iter=backend.asarray(np.ones((1, 1)), dtype=DOUBLE),
        score_func=kept,
        alphas=backend.asarray(np.array(alphas), dtype=DOUBLE),
        n_targets_batch=how.block,
        progress_bar=False,
        cv=[(np.setdiff1d(np.arange(len(targets)), fold.inner[0]), fold.inner[0])],
    )
    return np.where(np.isnan(kept.whole()), np.inf, kept.sums)


def fit_plain(train: Array, targets: Array, alpha: Array, how: Search, solver: str) -> PlainFit:
    """Fit a plain ridge with a given alpha for each target by himalaya's kernel ridge; only targets are centred."""
    import numpy as np  # noqa: PLC0415
    from himalaya.kernel_ridge import solve_kernel_ridge_eigenvalues  # noqa: PLC0415

    mean = targets.mean(axis=0, dtype=np.float64)
    weights: Array = np.empty((train.shape[1], targets.shape[1]))
    with opened(backend_name(solver, how.device)) as backend:
        for start in range(0, targets.shape[1], SOLVED):
            some = slice(start, start + SOLVED)
            given = (train @ train.T, targets[:, some] - mean[some], alpha[some])
            own = (backend.asarray(each, dtype=DOUBLE) for each in given)
            weights[:, some] = train.T @ backend.to_numpy(solve_kernel_ridge_eigenvalues(*own))
    return PlainFit(weights, mean)
