"""A run with as many answers as wanted, recorded by the runner: its steps make up items, prompts, answers and scores.

A step of it writes what hostile models say, too. What is made depends on the numbers alone.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import sha256, sha256_file
from harness.engines.engine import Limits
from harness.engines.local import LocalEngine
from harness.manifest.load import LoadedManifest, parse_manifest
from harness.manifest.lockfile import Lock
from harness.run.closure import Code, code_root
from harness.run.executing.runner import Runner
from harness.run.executing.workshop import Workshop
from harness.steps import Plan, Ref, Step
from harness.store.store import Store

MANIFEST = """\
harness: 1
study: reliability
name: {name}
about: Made-up answers, for a test of what is looked at.
models:
{models}
datasets:
  sums: {{make: reliability.addition, seed: 1, count: 1{of}}}
{files}prompts: {{set: reliability/addition@1}}
"""
STEPS = '''\
"""Made-up rows of every table, which depend on the parameters alone."""

import random

from harness import rows

WORDS = ("the", "sum", "of", "both", "numbers", "is", "so", "we", "carry", "one", "and", "add", "column", "then")
STRANGE = {strange}


def make(params, inputs, out):
    """Write the items and their right answers."""
    meta = {{"gated": True}} if params["gated"] else {{}}
    items = ({{"id": f"sum-{{n:06}}", "task": "addition", "input": {{"a": str(n), "b": "7"}}, "difficulty": float(n),
              "meta": meta}} for n in range(params["items"]))
    rows.write(out / "items", items)
    golds = ({{"id": f"sum-{{n:06}}", "gold": {{"target": str(n + 7)}}}} for n in range(params["items"]))
    rows.write(out / "gold", golds)


def ask(params, inputs, out):
    """Write a prompt for each item and wording."""
    rows.write(out / "prompts", ({{"item": f"sum-{{n:06}}", "template": t, "text": f"What is {{n}} + 7? (form {{t}})"}}
                                 for n in range(params["items"]) for t in range(1, params["wordings"] + 1)))


def keys(params):
    """Yield the key of each answer of one model."""
    for n in range(params["items"]):
        for t in range(1, params["wordings"] + 1):
            yield n, {{"item": f"sum-{{n:06}}", "template": t, "model": params["model"], "sample": 0}}


def right(params, n, t):
    """Say whether an answer is right: how often depends on the model."""
    return random.Random(f"{{params['model']}} {{n}} {{t}} {{params['seed']}}").random() < params["share"] / 100


def answer(params, inputs, out):
    """Write a model's answers, the first of them strange ones."""
    def made():
        for place, (n, key) in enumerate(keys(params)):
            source = random.Random(f"{{params['model']}} {{n}} {{key['template']}}")
            text = " ".join(source.choices(WORDS, k=params["words"]))
            text += f" w{{source.randrange(5000)}} = {{n + 7 if right(params, n, key['template']) else n + 8}}"
            if place < len(STRANGE) and params["strange"]:
                text = STRANGE[place] if place else STRANGE[0] * params["long"]
            used = {{"prompt_tokens": 9, "completion_tokens": len(text) // 4}}
            yield {{**key, "text": text, "finish": "stop", "usage": used}}
    rows.write(out / "responses", made())


def draw(params, inputs, out):
    """Write a figure and a page that repeat an item."""
    (out / "figure.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><text>What is 0 + 7?</text></svg>")
    (out / "report.html").write_text("<p>What is 0 + 7?</p>")


def score(params, inputs, out):
    """Write the scores of a model's answers."""
    def made():
        for n, key in keys(params):
            good = right(params, n, key["template"])
            yield {{**key, "scorer": "reliability.outcome", "value": int(good), "outcome": "c" if good else "i",
                   "detail": {{"finish": "stop"}}}}
    rows.write(out / "scores", made())
'''
STRANGE = (
    "long line ",
    "</textarea></pre><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">",
    "right\u202eto left\u2066 and \u200bhidden",
    "\x1b[31mred\x1b[0m and \x00 nothing \x07",
    "=cmd|' /C calc'!A0, and \"quotes\", and a\nline",
)


def answers_run(
    folder: Path,
    models: dict[str, int],
    items: int,
    wordings: int,
    *,
    words: int = 8,
    strange: bool = False,
    long: int = 1,
    seed: int = 0,
    gated: bool = False,
    name: str = "sums",
    drawn: bool = False,
    fetched: bytes = b"",
) -> str:
    """Run it into the store in a folder, and return the run's id; `models` says how often each is right, in percent.

    `drawn` adds a figure and a page; `fetched` is a file that the items are said to be made of.
    """
    sizes = {"items": items, "wordings": wordings, "gated": gated}
    steps = [
        Step("sums/make", "harness.made_up:make", "data", sizes, {}, ("items", "gold")),
        Step("sums/prompts/part-00000", "harness.made_up:ask", "prompts", sizes, {}, ("prompts",)),
    ]
    made: dict[str, list[Ref]] = {"responses": [], "scores": []}
    for model, share in models.items():
        params = {
            **sizes,
            "model": model,
            "share": share,
            "words": words,
            "strange": strange,
            "long": long,
            "seed": seed,
        }
        for output, kind in (("responses", "answer"), ("scores", "score")):
            step = f"sums/{output}/{model}/part-00000"
            steps.append(Step(step, f"harness.made_up:{kind}", output, params, {}, (output,)))
            made[output].append(Ref(step, output))
    for output, parts in made.items():
        steps.append(Step(output, "harness.rows:gather", output, {"name": output}, {"parts": tuple(parts)}, (output,)))
    outputs = {one: Ref("sums/make", one) for one in ("items", "gold")}
    outputs |= {"prompts": Ref("sums/prompts/part-00000", "prompts"), **{one: Ref(one, one) for one in made}}
    if drawn:
        steps.append(Step("draw", "harness.made_up:draw", "report", sizes, {}, ("figure.svg", "report.html")))
        outputs |= {one: Ref("draw", one) for one in ("figure.svg", "report.html")}
    of, files = "", ""
    if fetched:
        digest = Store.make(folder / ".harness").blobs.put(fetched)
        of, files = (
            ", questions: file",
            f'  file: {{fetch: "https://example.org/x", sha256: {digest}, licence: none}}\n',
        )
    spelled = "\n".join(f"  {model}: {{provider: baseline, behaviour: refuser}}" for model in models)
    text = MANIFEST.format(name=name, models=spelled, of=of, files=files).encode()
    manifest, tree = parse_manifest(text, "manifest")
    pins = {"models": {}, "prompts": {}, "datasets": {"sums": _pin(sizes)}, "images": {}, "packages": {}}
    lock = Lock(manifest.intent(), sha256(text), pins)  # type: ignore[arg-type]
    loaded = LoadedManifest(manifest, text, tree, folder / "manifest", folder)
    with tempfile.TemporaryDirectory() as place:
        code = Path(place)
        shutil.copytree(code_root() / "harness", code / "harness", ignore=shutil.ignore_patterns("__pycache__"))
        (code / "harness" / "made_up.py").write_text(STEPS.format(strange=json.dumps(STRANGE)), encoding="utf-8")
        workshop = Workshop(Store.make(folder / ".harness"), LocalEngine("process"), Limits(), Code(code))
        return Runner(loaded, lock, Plan(tuple(steps), outputs), workshop).run(lambda *_: None).run


def _pin(sizes: dict[str, int]) -> dict[str, Any]:
    """Give the pin of the items and right answers, made here by the step's own code."""
    space: dict[str, Any] = {}
    exec(STEPS.format(strange="()"), space)
    with tempfile.TemporaryDirectory() as folder:
        space["make"](sizes, {}, Path(folder))
        paths = {name: Path(folder) / name for name in ("items", "gold")}
        return {name: {"rows": rows.count(path), "sha256": sha256_file(path)[0]} for name, path in paths.items()}
