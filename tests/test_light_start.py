"""The command line starts fast: no verb that only reads documents loads a library that computes, draws or talks."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from support import REPOSITORY, clean_env

pytestmark = pytest.mark.house
HEAVY = {
    "aiohttp", "anthropic", "bert_score", "Bio", "cryptography", "dask", "distributed", "docker", "h5py", "himalaya",
    "httpx2", "installer", "jinja2", "matplotlib", "mcp", "nltk", "numpy", "openai", "pandas", "polars", "requests",
    "safetensors", "scipy", "shapely", "sklearn", "tokenizers", "torch", "transformers",
}  # fmt: skip
UNREAD = {"pydantic", "yaml", "harness.kit.pages", "harness.studies.registry"}  # what `--help` does not need either
MANIFEST = "manifests/demo/brain.yaml"  # of the study that computes most
VERBS = (["--help"], ["lock", MANIFEST], ["run", "-n", MANIFEST], ["show", MANIFEST], ["list"])
PROGRAM = """
import json, sys
from harness.cli.main import run_command_line
found = []
for words in json.loads(sys.argv[1]):
    try:
        code = run_command_line(words)
    except SystemExit as ended:
        code = ended.code
    found.append([code or 0, sorted(sys.modules)])
print(json.dumps(found), file=sys.stderr)
"""


def test_verbs_that_only_read_documents_load_no_heavy_library(tmp_path):
    """One process runs all of them, the lightest first: what a verb loads stays loaded for those after it."""
    program = [sys.executable, "-c", PROGRAM, json.dumps(VERBS)]
    env = clean_env({"HARNESS_STORE": str(tmp_path / "store")})
    done = subprocess.run(program, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=True)
    found = [(code, set(modules)) for code, modules in json.loads(done.stderr.splitlines()[-1])]
    assert [code for code, _ in found] == [0] * len(VERBS), done.stderr
    assert {"harness.cli.main"} <= found[0][1] and {"harness.studies.brain.study", "yaml"} <= found[-1][1]
    assert not found[0][1] & UNREAD
    for words, (_, modules) in zip(VERBS, found, strict=True):
        assert not modules & HEAVY, f"harness {' '.join(words)} loads these"
