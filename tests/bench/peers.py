"""The peer: lm-eval in an environment of its own, offline, with a task that its dummy model can answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.measure import Cost, Failed, Missing, spend

# In this order, one at a time: resolved together, lm-eval's extras may pull another torch.
PACKAGES = ("torch==2.13.0", "lm-eval")
TASK = "bench_plus_one"
RUN = Path(__file__).with_name("lm_eval_run.py")
VERSIONS = (
    "from importlib.metadata import version as v; print(*(f'{n} {v(n)}' for n in ('lm-eval', 'torch')), sep=', ')"
)
HELP = (
    "make it by hand: `python3 -m venv DIR && DIR/bin/pip install {} && DIR/bin/pip install {}`, "
    "then `PEERS=DIR make bench`"
)


@dataclass(frozen=True)
class Peer:
    """lm-eval as it stands in an environment."""

    venv: Path
    versions: str

    @property
    def command(self) -> Path:
        """Say where its command lies."""
        return self.venv / "bin" / "lm_eval"

    def answer(self, folder: Path, samples: int, home: Path) -> Cost:
        """Answer and log so many samples; the log must hold them all."""
        out = folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        cost = spend([self.venv / "bin" / "python", RUN, folder, TASK, out], environment(home), folder)
        logged = sum(path.read_bytes().count(b"\n") for path in out.rglob("samples_*.jsonl"))
        if logged != samples:
            raise Failed(f"lm-eval logged {logged} of {samples} samples")
        return cost


def environment(home: Path) -> dict[str, str]:
    """Give both sides the same few variables: bytecode may be kept, and nothing is fetched."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(home / "hf")}
    return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(home), "LC_ALL": "C.UTF-8", **offline}


def find(root: Path) -> Peer:
    """Give the peer: in the environment PEERS names, else in `.bench/venv`, made here where it is not yet."""
    named = os.environ.get("PEERS")
    venv = Path(named).absolute() if named else root / ".bench" / "venv"
    versions = _versions(venv)
    if not versions and named:
        raise Missing(f"the environment that PEERS names holds no lm-eval and torch; {HELP.format(*PACKAGES)}")
    if not versions:
        install(venv, PACKAGES)
        versions = _versions(venv)
    if not versions:
        raise Missing(f"lm-eval was installed and does not start; {HELP.format(*PACKAGES)}")
    return Peer(venv, versions)


def _versions(venv: Path) -> str:
    python = venv / "bin" / "python"
    if not python.exists() or not (venv / "bin" / "lm_eval").exists():
        return ""
    done = subprocess.run([python, "-c", VERSIONS], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def install(venv: Path, packages: Sequence[str]) -> None:
    """Make a throw-away environment; a package that cannot be had ends the benchmark before it measures."""
    told = "; it fetches some hundreds of megabytes" if packages == PACKAGES else ""
    print(f"making .bench/{venv.name} for the peers (once{told})", file=sys.stderr, flush=True)
    pip: list[str | Path] = [venv / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    steps: list[list[str | Path]] = [[sys.executable, "-m", "venv", venv], *[[*pip, package] for package in packages]]
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode:
            tail = "\n".join(done.stderr.strip().splitlines()[-3:])
            raise Missing(f"the peer cannot be installed ({step[-1]}): {tail}\n{_help(packages)}")


def _help(packages: Sequence[str]) -> str:
    return HELP.format(*PACKAGES) if packages == PACKAGES else f"install it by hand: {', '.join(packages)}"


def write_task(folder: Path, samples: int) -> Path:
    """Write a task in lm-eval's own format; the dummy model always says "lol", so every other sample is right."""
    folder.mkdir(parents=True)
    rows = ({"ask": f"{n} and one more is how many?", "want": ("lol", str(n + 1))[n % 2]} for n in range(samples))
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    task = {
        "task": TASK,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(folder / "rows.jsonl")}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{ask}}",
        "doc_to_target": "{{want}}",
        "generation_kwargs": {"until": ["\n"], "max_gen_toks": 8},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
    }
    (folder / f"{TASK}.yaml").write_text(json.dumps(task), encoding="utf-8")  # JSON is YAML
    return folder
