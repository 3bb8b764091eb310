"""Diff of two recorded runs: the stages that differ, the cause in the first differing step, and its differing rows.

Only records are compared; no step is executed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness import arrays
from harness.digest import differing_pointers
from harness.errors import InputError
from harness.evidence.claims.subject import RESOURCES, THREADS, changed_intent
from harness.evidence.compare import Deviation, describe_first_deviation, deviation_text, json_leaves, largest_deviation
from harness.evidence.explain import BOTH_RAN, describe_causes, name_processor, processor_change, step_causes
from harness.evidence.trail import ChangedLine, Trail, changed_files, changed_lines, environment_changes

# Stages in the order in which two runs can diverge (docs/architecture.md#diff).
STAGES = (
    "settings",
    "image",
    "packages",
    "models",
    "rows",
    "prompts",
    "numerics",
    "responses",
    "judgements",
    "scores",
    "analyses",
)
TABLES = ("items", "gold", "prompts", "responses", "judgements", "scores")
SHOWN = 5  # rows
ANSWER = ("item", "template", "model", "sample")
_IDENTITY = ("id", "item", "template", "model", "sample", "scorer", "judge", "repeat")


@dataclass
class StageDiff:
    """One stage in two runs: `same` or `differs`, and the names of the settings, pins or steps that changed."""

    stage: str
    verdict: str = "same"
    changed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class RunDiff:
    """The difference between two runs: how similar their outputs are, every stage, and the first cause, rows and lines.

    `level` is `bytes` (all outputs equal), `decisions` (equal scores), `numbers` (all but last digits) or `differs`.
    """

    level: str
    stages: list[StageDiff]
    first: dict[str, Any] | None
    cause: str
    rows: list[dict[str, Any]]
    more_rows: int  # number of further rows that differ
    answers: list[dict[str, Any]]  # the answers that these rows are about: their `item`, `template`, `model`, `sample`
    texts: list[ChangedLine]  # of the pinned input files of the first step


def diff_runs(left: Trail, right: Trail) -> RunDiff:
    """Compare two runs by their trails: every stage, the first that differs, and its cause.

    The result includes the first SHOWN differing rows of the first differing step, and changed lines of its pinned
    files. Answers of two agents are paired by item: what the one's model is called counts as the other's name.
    """
    agents = agent_names(left, right)
    stages = {name: StageDiff(name) for name in STAGES}
    _surroundings(left, right, stages)
    parted_steps = list(_contents(left, right, stages, agents))
    for stage in stages.values():
        stage.verdict = "differs" if stage.changed else "same"
    contents = [stage for stage in stages.values() if stage.changed]
    first = contents[0] if contents else None
    step = _first_with_rows(parted_steps, left)
    causes = step_causes(left.steps[step], left, right.steps[_twin(step, agents)], right) if step else []
    cause = describe_causes(causes) if step else (first.changed[0] if first else "")
    rows = list(_rows(left, right, step, agents)) if step else []
    about = [row.pop("about") for row in rows]
    return RunDiff(
        _level(left, right),
        list(stages.values()),
        {"stage": first.stage, "subject": first.changed[0], "detail": cause} if first else None,
        cause,
        rows[:SHOWN],
        max(0, len(rows) - SHOWN),
        [one for one in about[:SHOWN] if "item" in one],
        list(_texts(left, right, step)) if step and step in right.steps else [],
    )


def _first_with_rows(steps: list[str], trail: Trail) -> str:
    """Return the first step that differs; of its stage rather one with answers than the counts of an import."""
    of_stage = [step for step in steps if trail.steps[step].stage == trail.steps[steps[0]].stage]
    return next((step for step in of_stage if not step.startswith("imported/")), steps[0] if steps else "")


def agent_names(left: Trail, right: Trail) -> tuple[str, str]:
    """Return what two attempts call their agents, if these names differ; else two empty names."""
    named = []
    for trail in (left, right):
        models = trail.lock.intent["models"]
        named.append([name for name, said in models.items() if said["provider"] == "agent"])
        if len(models) != 1 or not named[-1]:
            return "", ""
    return (named[0][0], named[1][0]) if named[0] != named[1] else ("", "")


def _twin(step: str, agents: tuple[str, str]) -> str:
    """Return the name that a step of the left run has in the right one."""
    return "/".join(agents[1] if part and part == agents[0] else part for part in step.split("/"))


def _texts(left: Trail, right: Trail, step: str) -> Iterator[ChangedLine]:
    """Yield the lines that differ in the pinned input files of a step."""
    one, two = left.steps[step], right.steps[step]
    for pointer in differing_pointers(one.entry.preimage, two.entry.preimage):
        if pointer.startswith("/inputs/"):
            for old, new in changed_files(one, left, two, right, pointer):
                yield from changed_lines(old, left, new, right)


def _surroundings(left: Trail, right: Trail, stages: Mapping[str, StageDiff]) -> None:
    """Compare the settings, pins, images, packages and machines of two runs."""
    settings = (at for at in changed_intent(left.lock.intent, right.lock.intent) if at != f"/{RESOURCES}/{THREADS}")
    stages["settings"].changed += [f"manifest{at}" for at in settings]  # threads are reported as numerics
    limits = [str(trail.started.get("limit", "none")) for trail in (left, right)]
    if limits[0] != limits[1]:
        stages["settings"].changed.append(f"limit {limits[0]} → {limits[1]}")
    for kind in ("models", "instruments"):
        old, new = left.lock.of(kind), right.lock.of(kind)
        stages["models"].changed += [f"pins/{kind}{at}" for at in differing_pointers(old, new)]
    if left.started["image"] != right.started["image"]:
        stages["image"].changed.append(f"{left.started['image']} → {right.started['image']}")
    boxes = [str(trail.started.get("sandbox", {}).get("image", "none")) for trail in (left, right)]
    if boxes[0] != boxes[1]:
        stages["image"].changed.append(f"sandbox {boxes[0]} → {boxes[1]}")
    pairs = [(left.steps[name], right.steps[name]) for name in left.steps if name in right.steps]
    if pairs:
        stages["packages"].changed += environment_changes(left.environment(pairs[0][0]), right.environment(pairs[0][1]))
    one, two = (name_processor(trail.started["facts"]) for trail in (left, right))
    stages["numerics"].changed += filter(None, [processor_change(one, two, BOTH_RAN)])
    for part in ("numerics", "device"):  # only steps that infer have their own device
        ends = ((one.entry.preimage[part], two.entry.preimage[part]) for one, two in pairs)
        found = (f"{part}{at}" for one, two in ends for at in differing_pointers(one, two))
        stages["numerics"].changed += dict.fromkeys(found)


def _contents(left: Trail, right: Trail, stages: Mapping[str, StageDiff], agents: tuple[str, str]) -> Iterator[str]:
    """Compare the outputs of the steps, and yield the differing steps, earliest stage first."""
    differing: dict[str, list[str]] = {name: [] for name in STAGES}
    twins = {_twin(name, agents) for name in left.steps}
    for name in [*left.steps, *(name for name in right.steps if name not in twins)]:
        one, two = left.steps.get(name), right.steps.get(_twin(name, agents))
        if one is None or two is None:
            walked = one or two
            assert walked
            stages[walked.stage].changed.append(f"{name} stands in one run only")
        elif one.entry.outputs != two.entry.outputs:
            stages[one.stage].changed.append(name)
            differing[one.stage].append(name)
    for stage in STAGES:
        yield from differing[stage]


def _rows(left: Trail, right: Trail, step: str, agents: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the differing rows of the first differing output, with the words that differ."""
    one, two = left.steps[step].entry.outputs, right.steps[_twin(step, agents)].entry.outputs
    name = next((name for name in one if name in two and one[name] != two[name]), "")
    if name and (stray := _array(left, one[name].sha256, right, two[name].sha256)):
        fields = ["the furthest element" if stray.of else "type or shape"]
        ends = {"left": stray.expected, "right": stray.found}
        yield {"step": step, "output": name, "row": stray.at, "fields": fields, **ends, "about": {}}
        return
    old = _table(left, one[name].sha256) if name else {}
    new = _table(right, two[name].sha256, agents) if name else {}
    for key in [*old, *(key for key in new if key not in old)]:
        a, b = old.get(key), new.get(key)
        if a != b:
            fields = list(differing_pointers(a, b)) if a is not None and b is not None else []
            words = (
                _words(a, b, _telling(fields))
                if fields
                else ("present", "absent")
                if a is not None
                else ("absent", "present")
            )
            ends = {"left": words[0], "right": words[1]}
            about = _about(a if a is not None else b)
            yield {"step": step, "output": name, "row": key, "fields": fields, **ends, "about": about}


def _about(row: Any) -> dict[str, Any]:
    """Return the parts of a row that say which answer, prompt or item it is about; an item's own name is its `id`."""
    if not isinstance(row, dict):
        return {}
    found = {part: row[part] for part in ANSWER if isinstance(row.get(part), str | int)}
    return found if "item" in found else {"item": row["id"]} if isinstance(row.get("id"), str) else {}


def _array(left: Trail, one: str, right: Trail, two: str) -> Deviation | None:
    """Return the largest deviation between two arrays; None if one is not a valid array."""
    paths = left.store.blobs.deliver(one), right.store.blobs.deliver(two)
    try:
        return largest_deviation("0", *paths) if any(map(arrays.file_format, paths)) else None
    except InputError:
        return None


def _table(trail: Trail, digest: str, agents: tuple[str, str] = ("", "")) -> dict[str, Any]:
    """Return rows by their identity; a summary is one row, and a file that is not JSON (weights, a figure) has none.

    A row of the second of two agents is returned as if it were of the first.
    """
    path, rows = trail.store.blobs.deliver(digest), dict[str, Any]()
    if arrays.file_format(path):  # an array has no lines, and may have gigabytes
        return {}
    try:
        with open(path, "rb") as lines:
            for number, line in enumerate(lines):
                row = json.loads(line)
                if isinstance(row, dict) and agents[1] and row.get("model") == agents[1]:
                    row["model"] = agents[0]
                named = [str(row[part]) for part in _IDENTITY if part in row] if isinstance(row, dict) else []
                rows["/".join(named) or f"row {number + 1}"] = row
    except (ValueError, RecursionError):
        return {}
    return rows


def _telling(fields: list[str]) -> str:
    """Return the first of differing fields that holds words, and not the digest of any; else the first."""
    return next((field for field in fields if not field.endswith("sha256")), fields[0])


def _words(one: Any, two: Any, pointer: str) -> tuple[str, str]:
    """Return both texts of a differing field, cut to the place where they differ."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        one = one[int(name)] if isinstance(one, list) else one.get(name) if isinstance(one, dict) else one
        two = two[int(name)] if isinstance(two, list) else two.get(name) if isinstance(two, dict) else two
    left, right = (value if isinstance(value, str) else json.dumps(value) for value in (one, two))
    same = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    start = max(0, same - 20)
    return left[start : same + 60], right[start : same + 60]


def _level(left: Trail, right: Trail) -> str:
    """Return how similar the two runs are: bytes, decisions, numbers, or differs."""
    one = {name: event["sha256"] for name, event in left.outputs.items()}
    two = {name: event["sha256"] for name, event in right.outputs.items()}
    if one and one == two:
        return "bytes"
    if one.get("scores") and one.get("scores") == two.get("scores"):
        return "decisions"
    shared = {name for name in one if name in two and one[name] != two[name]}
    near = shared and set(one) == set(two) and not shared & set(TABLES)
    return "numbers" if near and all(_near(left, one[name], right, two[name]) for name in shared) else "differs"


def _near(left: Trail, one: str, right: Trail, two: str) -> bool:
    """Whether two outputs differ only in the last digits of their numbers; False for files that are not JSON."""
    old, new = left.store.blobs.deliver(one), right.store.blobs.deliver(two)
    try:
        if arrays.file_format(old) or arrays.file_format(new):
            return not deviation_text("1e-9", old, new)
        return not describe_first_deviation({"within": "1e-9"}, json_leaves(old), new)
    except InputError:
        return False
