"""Edits of one field each, of several manifests, for tests of what an edit makes a run execute.

A ground is a small project; an edit replaces one text in one of its files, which has it once. Demos are those of the
repository with fewer items and models.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from support import REPOSITORY, harness, manifest_text
from support_ground import copy_of
from support_inside import inner_data, inside

ROWS = """\
question,answer,side
Capital of France?,Paris,north
Capital of Italy?,Rome,north
Capital of Japan?,Tokyo,east
Capital of Peru?,Lima,south
Capital of Kenya?,Nairobi,south
Capital of Norway?,Oslo,north
"""
QUIZ = """\
harness: 2
study: questions
name: small
about: Capitals in shards of three answers.
models:
  right: {provider: baseline, behaviour: oracle}
  half: {provider: baseline, behaviour: coin-oracle}
datasets:
  capitals: {file: data/rows.csv, fields: {input: question, target: answer}}
prompts: {text: "Question: {question}"}
generation: {max_tokens: 8}
seeds: [0]
settings: {score: [exact]}
resources: {gpus: 0, memory: 2GiB, timeout: 10m}
shard: 3
"""
CHAT = """\
harness: 2
study: questions
name: small
about: Capitals with examples, several samples and groups.
models:
  half: {provider: baseline, behaviour: coin-oracle}
datasets:
  capitals: {file: data/rows.csv, fields: {input: question, target: answer, group: side}, shots: {count: 1, seed: 1}}
prompts: {texts: ["{shots}Q: {question}", "{shots}In a word: {question}"]}
generation: {max_tokens: 8, temperature: 0}
seeds: [0, 1]
settings: {score: [exact, {match: {where: within}}], samples: 2}
resources: {gpus: 0, memory: 2GiB, timeout: 10m}
outputs: {scores: exact}
"""
MANIFEST, DATA = "manifests/small.yaml", "data/rows.csv"


@dataclass(frozen=True)
class Edit:
    """One edit: the ground's name, the file, and the text that another one replaces."""

    ground: str
    file: str
    old: str
    new: str

    def apply(self, project: Path) -> None:
        """Edit the project's file; the old text must be there exactly once."""
        path = project / self.file
        text = path.read_text()
        assert text.count(self.old) == 1, f"{self.file} of {self.ground} has {self.old!r} {text.count(self.old)} times"
        path.write_text(text.replace(self.old, self.new))

    def __str__(self) -> str:
        """Name the edit as a test's id."""
        return f"{self.ground}: {self.old.strip()[:30]} → {self.new.strip()[:30]}"


def _write(manifest: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for name in ("manifests", "lockfiles", "data"):
            (folder / name).mkdir(parents=True)
        (folder / DATA).write_text(ROWS)
        (folder / MANIFEST).write_text(manifest)

    return write


@cache
def _demo(name: str, *edits: tuple[str, str]) -> str:
    """Return a demo's manifest under the name `small`, with some texts replaced."""
    text = (REPOSITORY / "manifests" / "demo" / f"{name}.yaml").read_text().replace(f"name: {name}-demo", "name: small")
    for old, new in edits:
        assert text.count(old) == 1, f"the demo {name} has {old!r} {text.count(old)} times"
        text = text.replace(old, new)
    return text


def _biomed() -> str:
    demo = _demo("biomed", ("rows: 10}", "rows: 2}"))
    dropped = ("paraphraser", "one-wrong-number", "half-answer", "random-refuser", "refuser", "always-yes", "always-no")
    lines = demo.partition("claims:")[0].splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(tuple(f"  {name}:" for name in dropped)))


GROUNDS: dict[str, Callable[[], str]] = {
    "quiz": lambda: QUIZ,
    "chat": lambda: CHAT,
    "sums": lambda: manifest_text(8, ("noisy-oracle",)),
    "addition": lambda: _demo("addition", ("count: 600", "count: 20")),
    "biomed": _biomed,
}


def finished_ground(name: str, folder: Path) -> Path:
    """Copy a ground whose manifest was locked and run once."""

    def make(here: Path) -> None:
        _write(GROUNDS[name]())(here)
        harness("lock", MANIFEST, cwd=here, check=0)
        harness("run", MANIFEST, cwd=here, check=0)

    return copy_of(f"edited-{name}", folder, make)


def _variants(ground: str, file: str, old: str, news: list[str]) -> Iterator[Edit]:
    return (Edit(ground, file, old, new) for new in news)


def _quiz() -> Iterator[Edit]:
    yield from _variants("quiz", MANIFEST, "about: Capitals in", ["about: Cities in", "about: Six capitals in"])
    yield from _variants("quiz", MANIFEST, "memory: 2GiB", ["memory: 1GiB", "memory: 3GiB"])
    yield from _variants("quiz", MANIFEST, "timeout: 10m", ["timeout: 5m", "timeout: 11m"])
    yield from _variants("quiz", MANIFEST, "seeds: [0]", [f"seeds: {seeds}" for seeds in ("[1]", "[0, 1]", "[2, 0]")])
    yield from _variants("quiz", MANIFEST, "max_tokens: 8", [f"max_tokens: {most}" for most in (1, 7, 9, 64)])
    more = ["temperature: 0", 'temperature: "0.7"', 'top_p: "0.9"', 'stop: ["\\n"]']
    yield from _variants("quiz", MANIFEST, "max_tokens: 8}", [f"max_tokens: 8, {one}}}" for one in more])
    texts = ["{question}", "Question:  {question}", "Question: {question} ", "Q: {question}", "{question}\\nAnswer:"]
    yield from _variants("quiz", MANIFEST, '"Question: {question}"', [f'"{text}"' for text in texts])
    behaviours = ["oracle", "refuser", "echo", "empty", "forger", "lister", "half-answer", "always-yes"]
    yield from _variants("quiz", MANIFEST, "behaviour: coin-oracle", [f"behaviour: {one}" for one in behaviours])
    yield from _variants("quiz", MANIFEST, "behaviour: oracle", [f"behaviour: {one}" for one in behaviours[1:]])
    yield from _variants("quiz", MANIFEST, "  half:", ["  other:", "  again:"])
    added = [f"  new: {{provider: baseline, behaviour: {one}}}\ndatasets:" for one in ("echo", "oracle", "refuser")]
    yield from _variants("quiz", MANIFEST, "datasets:", added)
    yield Edit("quiz", MANIFEST, "  half: {provider: baseline, behaviour: coin-oracle}\n", "")
    scorers = ["match", "f1", "rouge", "bleu", "number", "exact, match", "exact, f1", "{exact: {as: same}}"]
    yield from _variants("quiz", MANIFEST, "[exact]", [f"[{one}]" for one in scorers])
    yield from _variants("quiz", MANIFEST, "[exact]}", [f"[exact], samples: {count}}}" for count in (2, 3)])
    yield from _variants("quiz", MANIFEST, "shard: 3", [f"shard: {size}" for size in (1, 2, 4, 5, 6, 100)])
    yield Edit("quiz", MANIFEST, "shard: 3\n", "")
    counts = [f"target: answer}}, count: {count}}}" for count in (2, 3, 5, 6)]
    yield from _variants("quiz", MANIFEST, "target: answer}}", counts)
    yield from _variants("quiz", MANIFEST, "target: answer}}", ["target: answer, group: side}}"])
    yield from _variants("quiz", MANIFEST, "target: answer}}", ["target: answer}, where: {side: north}}"])
    yield from _variants("quiz", MANIFEST, "  capitals:", ["  cities:"])
    drawn = [f"target: answer}}, count: 4, seed: {seed}}}" for seed in (1, 2, 3)]
    yield from _variants("quiz", MANIFEST, "target: answer}}", drawn)
    yield from _variants("quiz", MANIFEST, "target: answer}}", ["target: answer}, encoding: latin-1}"])
    turns = ['[{user: "{question}"}]', '[{system: "Be brief."}, {user: "{question}"}]']
    yield from _variants("quiz", MANIFEST, 'text: "Question: {question}"', [f"turns: {one}" for one in turns])
    yield from _variants("quiz", MANIFEST, "harness: 2", ["harness: 1"])
    yield from _variants("quiz", MANIFEST, "gpus: 0,", ["gpus: 0, threads: 2,", "gpus: 0, disk: 1GiB,"])
    yield from _variants("quiz", MANIFEST, "resources:", ["numerics: machine\nresources:"])
    yield from _variants("quiz", MANIFEST, "resources:", ["outputs: {scores: exact}\nresources:"])
    yield from _rows("quiz")


def _rows(ground: str) -> Iterator[Edit]:
    """Yield edits of the rows of the file: a question, an answer, a group, a row more or less."""
    for place in ("France", "Italy", "Japan", "Peru", "Kenya", "Norway"):
        yield Edit(ground, DATA, f"of {place}?", f"of  {place}?")
    for name in ("Paris", "Rome", "Tokyo", "Lima", "Nairobi", "Oslo"):
        yield Edit(ground, DATA, f",{name},", f",{name.lower()},")
    yield Edit(ground, DATA, "Tokyo,east", "Tokyo,west")
    more = "Capital of Iran?,Tehran,east\nCapital of Chad?,N'Djamena,south\n"
    yield Edit(ground, DATA, "Oslo,north\n", f"Oslo,north\n{more}")
    yield Edit(ground, DATA, "Oslo,north\n", f"Oslo,north\n{more.splitlines()[0]}\n")
    yield Edit(ground, DATA, "Capital of Norway?,Oslo,north\n", "")
    yield Edit(ground, DATA, "Capital of France?,Paris,north\n", "")
    yield Edit(ground, DATA, "question,answer,side\n", "question,answer,side\nCapital of Iran?,Tehran,east\n")


def _chat() -> Iterator[Edit]:
    yield from _variants("chat", MANIFEST, "about: Capitals", ["about: Cities"])
    yield from _variants("chat", MANIFEST, "count: 1,", ["count: 2,", "count: 3,"])
    yield from _variants("chat", MANIFEST, "seed: 1}", [f"seed: {seed}}}" for seed in (2, 3, 4)])
    yield from _variants("chat", MANIFEST, "{shots}Q:", ["{shots}Question:", "Q:"])
    yield from _variants("chat", MANIFEST, "In a word: {question}", ["{question} In a word:", "Briefly: {question}"])
    yield from _variants("chat", MANIFEST, ', "{shots}In a word: {question}"', ["", ', "{question}", "{question}?"'])
    yield from _variants("chat", MANIFEST, "seeds: [0, 1]", ["seeds: [0]", "seeds: [1, 0]", "seeds: [0, 1, 2]"])
    yield from _variants("chat", MANIFEST, "samples: 2", ["samples: 1", "samples: 3"])
    places = ["whole", "begin", "end"]
    yield from _variants("chat", MANIFEST, "where: within", [f"where: {place}" for place in places])
    flags = ["case", "space", "punctuation", "articles"]
    yield from _variants("chat", MANIFEST, "where: within", [f"where: within, {flag}: false" for flag in flags])
    yield from _variants("chat", MANIFEST, "[exact, ", ["[", "[f1, ", "[exact, f1, ", "[rouge, "])
    yield from _variants("chat", MANIFEST, "temperature: 0", ['temperature: "0.5"', "temperature: 1"])
    yield from _variants("chat", MANIFEST, "max_tokens: 8", ["max_tokens: 4", "max_tokens: 16"])
    yield from _variants("chat", MANIFEST, ", group: side", [""])
    yield from _variants("chat", MANIFEST, "outputs: {scores: exact}\n", ["", "outputs: {summary: exact}\n"])
    behaviours = ["oracle", "refuser", "echo", "lister"]
    yield from _variants("chat", MANIFEST, "coin-oracle", behaviours)
    yield from _variants("chat", MANIFEST, "resources:", ["shard: 8\nresources:", "shard: 100\nresources:"])
    yield from _rows("chat")


def _sums() -> Iterator[Edit]:
    for ground in ("sums", "addition"):
        yield from _variants(ground, MANIFEST, "seed: 7", [f"seed: {seed}" for seed in (1, 8, 9)])
        few = "count: 8" if ground == "sums" else "count: 20"
        yield from _variants(ground, MANIFEST, few, [f"count: {count}" for count in (9, 10, 12)])
        sizes = [f"shard: {size}\ndatasets:" for size in (60, 75, 10_000)]
        yield from _variants(ground, MANIFEST, "datasets:", sizes)
        more = [f"  new: {{provider: baseline, behaviour: {one}}}\ndatasets:" for one in ("echo", "oracle")]
        yield from _variants(ground, MANIFEST, "datasets:", more)
        yield from _variants(ground, MANIFEST, "memory: 2GiB", ["memory: 1GiB"])
    behaviours = ["oracle", "refuser", "forger", "coin-oracle"]
    yield from _variants("sums", MANIFEST, "behaviour: noisy-oracle", [f"behaviour: {one}" for one in behaviours])
    yield from _variants("sums", MANIFEST, "resources:", ["seeds: [1]\nresources:", "seeds: [2]\nresources:"])
    told = [f"generation: {{{one}}}\nresources:" for one in ("max_tokens: 16", "temperature: 1", "top_p: 1")]
    yield from _variants("sums", MANIFEST, "resources:", told)
    yield from _variants("addition", MANIFEST, "seeds: [0]", ["seeds: [1]", "seeds: [3]"])
    yield from _variants("addition", MANIFEST, "max_tokens: 256", ["max_tokens: 255", "max_tokens: benchmark"])
    yield Edit("addition", MANIFEST, "  forger: {provider: baseline, behaviour: forger}\n", "")
    yield Edit("addition", MANIFEST, "behaviour: refuser", "behaviour: lister")
    yield Edit("addition", MANIFEST, ", checks: exact", "")


def _of_biomed() -> Iterator[Edit]:
    yield from _variants("biomed", MANIFEST, "mode: strict", ["mode: paper"])
    yield from _variants("biomed", MANIFEST, "seed: 7", ["seed: 8"])
    yield from _variants("biomed", MANIFEST, "seeds: [0]", ["seeds: [1]"])
    yield from _variants("biomed", MANIFEST, "behaviour: forger", ["behaviour: refuser", "behaviour: half-answer"])
    yield from _variants("biomed", MANIFEST, "max_tokens: 1024", ["max_tokens: 512"])
    yield from _variants("biomed", MANIFEST, "about: Forty", ["about: All forty"])


def edits() -> list[Edit]:
    """List every edit, the same ones in the same order each time."""
    return [*_quiz(), *_chat(), *_sums(), *_of_biomed()]


@dataclass(frozen=True)
class Tried:
    """What an edit made a plan say and a run do: steps by name, and the bytes of a full run."""

    said: dict[str, Any]  # the plan of the manifest
    executed: set[str]
    cached: dict[str, str]  # by step: its key
    before: dict[str, str]  # the keys of the run before the edit, by step
    items_asked: dict[tuple[str, str], int]  # by dataset and model: items in the answers that were asked for
    outputs: dict[str, str]
    full: dict[str, str]  # outputs of a run in a fresh store

    def names(self, *actions: str, sure: bool | None = None) -> set[str]:
        """Name the steps of which the plan says one of these actions."""
        return {one["step"] for one in self.said["every"] if one["action"] in actions and sure in (None, one["sure"])}


def _events(store: Path, run: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (store / "runs" / run / "journal.jsonl").read_bytes().splitlines()]


def try_edit(edit: Edit, folder: Path) -> Tried:
    """Edit a ground, plan it, run it, and run it in a fresh store; the plan leaves the store as it was."""
    project = finished_ground(edit.ground, folder / "project")
    store = project / ".harness"
    [base] = [path.name for path in (store / "runs").iterdir()]
    before = {one["step"]: one["key"] for one in _events(store, base) if one["event"] == "step.done"}
    edit.apply(project)
    said = inside("plan", MANIFEST, "--steps", "--json", cwd=project)
    if said.returncode:  # the edit is of data that `lock` makes
        told = json.loads(said.stderr)["error"]
        assert told["name"] == "bad-input" and "`harness lock" in told["next"], told
        inside("lock", MANIFEST, cwd=project, check=0)
        said = inside("plan", MANIFEST, "--steps", "--json", cwd=project, check=0)
    [ran] = inner_data("run", MANIFEST, "--relock", cwd=project)["runs"]
    [full] = inner_data("run", MANIFEST, "--store", folder / "fresh", cwd=project)["runs"]
    events = _events(store, ran["run"])
    done = {one["step"]: one for one in events if one["event"] == "step.done"}
    asked: dict[tuple[str, str], int] = {}
    for name, one in done.items():
        dataset, *kind = name.split("/")
        if kind[:1] == ["responses"]:
            place = (dataset, kind[1])
            asked[place] = asked.get(place, 0) + len(_items(store, one["key"]))
    return Tried(
        json.loads(said.stdout)["plans"][0],
        set(done),
        {one["step"]: one["key"] for one in events if one["event"] == "step.cached"},
        before,
        asked,
        {one["name"]: one["sha256"] for one in ran["outputs"]},
        {one["name"]: one["sha256"] for one in full["outputs"]},
    )


def _items(store: Path, key: str) -> set[str]:
    """Return the items that a step's answers are about."""
    entry = json.loads((store / "keys" / key[:2] / f"{key}.json").read_bytes())
    digest = entry["outputs"]["responses"]["sha256"]
    with open(store / "blobs" / "sha256" / digest[:2] / digest, "rb") as lines:
        return {json.loads(line)["item"] for line in lines}


def require_foreseen(tried: Tried) -> None:
    """Require that a plan said what the run then did, and that the run made the bytes of a full one."""
    reused, sure = tried.names("reused"), tried.names("rerun", "rescored", "remade", sure=True)
    open_ = tried.names("rerun", "rescored", "remade", sure=False)
    assert reused | sure | open_ == tried.executed | tried.cached.keys()
    assert not reused & tried.executed, "a step that the plan said is reused was executed"
    assert sure <= tried.executed, "a step that the plan said is surely executed was not"
    for name in open_ - tried.executed:  # what it reads came out as before
        assert tried.cached[name] in tried.before.values(), name
    asked = {(one["dataset"], one["model"]): one["rerun"] for one in tried.said["items"] if one["rerun"]}
    kept = {one.split("/")[1:3][-1] for one in open_ - tried.executed if "/responses/" in one}
    assert {place: many for place, many in asked.items() if place[1] not in kept} == {
        place: many for place, many in tried.items_asked.items() if place[1] not in kept
    }
    assert tried.outputs == tried.full, "the bytes are not those of a full run"
