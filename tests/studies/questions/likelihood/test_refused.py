"""A model that cannot say how likely a text is: refused when the manifest is checked, with its line and the mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import InputError
from harness.manifest.load import load_manifest
from harness.run.planning.plan import check_manifest

MANIFEST = """harness: 2
study: questions
name: sums
about: Sums with two options.
models:
  here: {provider: transformers, source: assets/tiny-shaped}
  there: {provider: openai, model: gpt-5, tape: replay}
datasets: {sums: {file: data/sums.csv, fields: {input: ask, options: [a, b], target: right}}}
prompts: {text: "{ask}"}
settings: {score: [SCORE]}
"""


@pytest.mark.parametrize("score", ["{choice: {by: loglikelihood}}", "perplexity"])
def test_a_provider_without_likelihoods_is_refused_at_its_line(score: str, tmp_path: Path) -> None:
    for folder in ("manifests", "data", "lockfiles"):
        (tmp_path / folder).mkdir()
    (tmp_path / "data" / "sums.csv").write_text("ask,a,b,right\nTwo and two?,4,5,A\n")
    path = tmp_path / "manifests" / "sums.yaml"
    path.write_text(MANIFEST.replace("SCORE", score))
    with pytest.raises(InputError, match="provider openai cannot say how likely") as bad:
        check_manifest(load_manifest(path))
    assert bad.value.where.startswith("line 7") or ":7" in bad.value.where, bad.value.where
    assert "take this model out" in bad.value.next
    path.write_text("".join(line for line in path.read_text().splitlines(True) if "there:" not in line))
    assert check_manifest(load_manifest(path))
