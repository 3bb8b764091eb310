"""Setup of torch and transformers for determinism: offline mode, deterministic kernels, and a fixed date.

It never knows a model, a file or a prompt.
"""

from __future__ import annotations

import ctypes
import datetime
import os

from harness.models.local.portable import install_portable_operations, is_portable
from harness.steps import THREADS


class FixedDate:
    """A fixed date in place of `datetime` for chat templates that print today's date, so that prompts never change."""

    @staticmethod
    def now() -> datetime.datetime:
        """Return the fixed date, 2026-01-01."""
        return datetime.datetime(2026, 1, 1)


def set_offline() -> None:
    """Set the environment variables for no network, no telemetry and no progress bars.

    It has to be called before the libraries are imported, which read them then.
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
    torch.set_deterministic_debug_mode("error")  # the other way to say it loads a compiler, for more than a second
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    if is_portable(device()):
        install_portable_operations()
    if reference:
        torch.set_num_threads(int(os.environ.get(THREADS, "1")))


def device() -> str:
    """Choose the device of inference: `cuda` where there is one, else `cpu`.

    Where no driver is, torch need not be loaded to know, which takes seconds.
    """
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "cpu"
    import torch  # noqa: PLC0415

    return "cuda" if torch.cuda.is_available() else "cpu"


def release_memory() -> None:
    """Release the CUDA memory that torch caches, after memory ran out; without CUDA it does nothing."""
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
