"""The fingerprint is the same each time, fast, meets the committed table, and moves when the arithmetic does."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from needs import needs
from support_models import REPOSITORY
from support_pace import soon

from harness.models.local.torch_setup import fingerprint_torch
from harness.run.environment import NUMERICS

needs("torch")

PROGRAM = """
import json
from harness.models.local.torch_setup import fingerprint_torch
print(json.dumps(fingerprint_torch()))
"""
WIDE_VECTORS = "avx512f" in Path("/proc/cpuinfo").read_text()


def elsewhere(**more):
    env = {**NUMERICS, "PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin", **more}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.long
def test_it_is_the_same_twice_and_takes_little():
    first = fingerprint_torch()
    begun = time.process_time()
    assert fingerprint_torch() == first
    assert soon(time.process_time() - begun, 1)
    assert first["type"] == "numerics/2" and len(first["probes"]) >= 30
    assert all(len(digest) == 64 for digest in (first["digest"], *first["probes"].values()))


@pytest.mark.long
def test_a_step_meets_the_committed_table():
    """Whatever this processor is; the walk holds emulated ones against the same table (test_portable)."""
    assert elsewhere()["differs"] == []


@pytest.mark.long
@pytest.mark.skipif(not WIDE_VECTORS, reason="numpy has nothing to be kept from on a processor without AVX-512")
def test_a_variable_of_numpy_that_has_no_effect_shows():
    """Its names change between releases, and numpy says nothing of one that it does not know."""
    assert {"numpy.exp", "numpy.log", "numpy.power"} <= set(elsewhere(NPY_DISABLE_CPU_FEATURES="X86_V5")["differs"])


@pytest.mark.long
def test_what_is_promised_nowhere_is_not_held_against_the_table(monkeypatch):
    monkeypatch.setenv("HARNESS_THREADS", "2")
    assert "differs" not in fingerprint_torch()
    monkeypatch.delenv("HARNESS_THREADS")
    monkeypatch.setenv("HARNESS_NUMERICS", "machine")
    assert "differs" not in fingerprint_torch()


@pytest.mark.long
def test_another_instruction_set_shows():
    """That two processes with the same one agree is seen where they answer: their facts hold it (test_transformers)."""
    moved = set(elsewhere(ATEN_CPU_CAPABILITY="default")["differs"])
    assert "softmax" in moved and "numpy.gemm" not in moved
