"""How torch and transformers are set before a model is opened: no network, one arithmetic, a clock that stands still.

It must never know a model, a file or a prompt.
"""

from __future__ import annotations

import datetime
import os

from harness.steps import THREADS


class Today:
    """The clock of chat templates that ask for the date: it stands still, or no prompt would be the same tomorrow."""

    @staticmethod
    def now() -> datetime.datetime:
        """Give the one day there is; OURS."""
        return datetime.datetime(2026, 1, 1)


def quiet() -> None:
    """Set what must stand before the libraries are imported: no network, no telemetry, no progress bars."""
    os.environ.update(
        {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1",
         "HF_HUB_DISABLE_PROGRESS_BARS": "1", "TRANSFORMERS_VERBOSITY": "error", "TOKENIZERS_PARALLELISM": "false"}
    )  # fmt: skip


def settle(reference: bool) -> None:
    """Make torch deterministic; at the reference level on one thread, or as many as the run is told of."""
    import torch  # noqa: PLC0415
    from transformers.utils import chat_template_utils, logging  # noqa: PLC0415

    chat_template_utils.datetime = Today
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    if reference:
        torch.set_num_threads(int(os.environ.get(THREADS, "1")))


def device() -> str:
    """Say where a model of one device goes."""
    import torch  # noqa: PLC0415

    return "cuda" if torch.cuda.is_available() else "cpu"


def release() -> None:
    """Give back what a device holds in reserve, after memory ran out."""
    import torch  # noqa: PLC0415

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def out_of_memory(bad: BaseException) -> bool:
    """Whether an error says that memory ran out, on whichever device."""
    import torch  # noqa: PLC0415

    if isinstance(bad, MemoryError | torch.cuda.OutOfMemoryError):
        return True
    words = str(bad).lower()
    return isinstance(bad, RuntimeError) and ("out of memory" in words or "can't allocate memory" in words)
