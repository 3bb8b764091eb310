"""The fingerprint is the same each time, fast, and moves when the arithmetic does."""

import json
import subprocess
import sys
import time

import pytest
from needs import needs
from support_models import REPOSITORY
from support_pace import soon

from harness.models.local.numerics import fingerprint
from harness.run.environment import NUMERICS

needs("torch")

PROGRAM = "import json; from harness.models.local.numerics import fingerprint; print(json.dumps(fingerprint()))"


def elsewhere(**more):
    env = {**NUMERICS, "PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin", **more}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_it_is_the_same_twice_and_takes_little():
    first = fingerprint()
    begun = time.process_time()
    assert fingerprint() == first
    assert soon(time.process_time() - begun, 2)
    assert first["type"] == "numerics/1" and len(first["probes"]) >= 10
    assert all(len(digest) == 64 for digest in (first["digest"], *first["probes"].values()))


@pytest.mark.long
def test_another_instruction_set_shows():
    """That two processes with the same one agree is seen where they answer: their facts hold it (test_transformers)."""
    reference, plain = elsewhere(), elsewhere(ATEN_CPU_CAPABILITY="default")
    moved = {name for name, digest in plain["probes"].items() if digest != reference["probes"][name]}
    assert "softmax" in moved and plain["digest"] != reference["digest"]
    assert "numpy.gemm" not in moved
