"""Everyday tasks with the harness, Inspect AI and lm-eval, on one local server: edits, commands and seconds of each.

A task goes on where the one before it ended, in a folder of each side's own. An edit is a file that a person writes or
changes; what the peers need is kept in `everyday_peers/`. What came out is held against what the server's answers are
worth, so that a side that asked nothing is not fast. The table is written into docs/questions.md.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.everyday_server import answering_server
from bench.measure import Failed, Missing, spend
from bench.peers import environment
from bench.table import Row, number

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).with_name("everyday_peers")
PAGE = ROOT / "docs" / "questions.md"
BEGIN, END = "<!-- written by `make bench ONLY=everyday` -->", "<!-- end of what it writes -->"
DELAY = 0.05  # seconds until an answer
ROWS, MANY = (200, 2000), (60, 200)  # rows of the two files: in full, and in a quick run
REPEATS = 3
UNTIMED = "The seconds were not measured yet."
MANIFEST = "manifests/mixed.yaml"
NAME = "everyday"


@dataclass(frozen=True)
class Edit:
    """A file that a person writes or changes, and how."""

    file: str
    change: Callable[[str], str]
    about: str = ""  # what is changed, in words or as it is written


@dataclass(frozen=True)
class Turn:
    """What one side needs for a task: edits, then commands; `{url}` and `{other}` stand for the two servers."""

    task: str
    commands: tuple[str, ...]
    edits: tuple[Edit, ...] = ()

    @property
    def counts(self) -> str:
        """Return the numbers of edits and commands in words."""
        return f"{_count(len(self.edits), 'edit')}, {_count(len(self.commands), 'command')}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _kept(file: str, name: str) -> Edit:
    """Return the edit that writes a file which is kept beside the bench."""
    return Edit(file, lambda _: (KEPT / name).read_text(encoding="utf-8"), name)


JUDGE_SCORE = "{judge: {rubric: The answer is right., best: 1}}"
JUDGE_MODEL = "judge: {provider: openai, model: judge, base_url: URL, tape: record}"


def _with_judge(text: str) -> str:
    """Return the manifest with a judge among the scorers, which is served where the model is."""
    [url] = [line.partition("base_url: ")[2].partition(",")[0] for line in text.splitlines() if "  right: {" in line]
    judged = text.replace("without_options: [number, exact]", f"without_options: [number, exact, {JUDGE_SCORE}]")
    if judged == text:
        raise Failed("the manifest does not say the scorers as it did")
    return f"{judged}\ninstruments:\n  {JUDGE_MODEL.replace('URL', url)}\n"


RUN = f"harness run {MANIFEST}"
HARNESS = (
    Turn("mixed CSV", ("harness new mixed --from mixed.csv -m right=openai/right@{url}", RUN)),
    Turn("own server", (f"{RUN} -m mine=openai/mine@{{other}}",)),
    Turn("second model", (f"{RUN} -m careless=openai/careless@{{url}}",)),
    Turn("compare", ("harness compare last --models right careless",)),
    Turn("export", ("harness scores last --csv > scores.csv", "harness get last responses -o answers.jsonl")),
    Turn("few-shot", (f"{RUN} --set 'datasets.mixed.shots={{{{count: 3, seed: 0}}}}'",)),
    Turn("4 samples", (f"{RUN} --set settings.samples=4",)),
    Turn(
        "judge",
        (f"{RUN} --relock",),
        (Edit(MANIFEST, _with_judge, f"`{JUDGE_SCORE}` among the scorers, `instruments: {{{JUDGE_MODEL}}}`"),),
    ),
    Turn(
        "2,000 rows",
        ("harness new many --from many.csv -m right=openai/right@{url}", "harness run manifests/many.yaml"),
    ),
)
EVAL = "STUB_BASE_URL={url} STUB_API_KEY=none inspect eval mixed.py --model openai-api/stub/right"
INSPECT = (
    Turn("mixed CSV", (EVAL,), (_kept("mixed.py", "inspect_mixed.py"),)),
    Turn("own server", (EVAL.replace("{url}", "{other}").replace("/right", "/mine"),)),
    Turn("second model", (EVAL.replace("/right", "/careless"),)),
    Turn("compare", ("python compare.py logs right careless",), (_kept("compare.py", "inspect_compare.py"),)),
    Turn("export", ("inspect log convert logs --to json --output-dir exported",)),
    Turn("few-shot", (EVAL.replace("mixed.py", "shots.py"),), (_kept("shots.py", "inspect_shots.py"),)),
    Turn("4 samples", (f"{EVAL} --epochs 4",)),
    Turn(
        "judge",
        (
            "STUB_BASE_URL={url} STUB_API_KEY=none inspect score $(ls logs/*without-options*.eval | head -1)"
            " --scorer inspect_ai/model_graded_qa -S model=openai-api/stub/judge --action append --overwrite",
        ),
    ),
    Turn("2,000 rows", (f"{EVAL} -T file=many.csv",)),
)
ASK = (
    "OPENAI_API_KEY=none lm_eval run --model local-chat-completions --include_path . --apply_chat_template"
    " --output_path out --log_samples --model_args model=right,base_url={url}/chat/completions,num_concurrent=32"
)
LM_EVAL = (
    Turn("mixed CSV", (f"{ASK} --tasks mixed",), (_kept("mixed.yaml", "lm_eval_mixed.yaml"),)),
    Turn("own server", (f"{ASK} --tasks mixed".replace("{url}", "{other}").replace("model=right", "model=mine"),)),
    Turn("second model", (f"{ASK} --tasks mixed".replace("model=right", "model=careless"),)),
    Turn("compare", ("python compare.py right careless",), (_kept("compare.py", "lm_eval_compare.py"),)),
    Turn("export", ()),  # what `--log_samples` wrote is it
    Turn("few-shot", (f"{ASK} --tasks mixed --num_fewshot 3",)),
    Turn("4 samples", (f"{ASK} --tasks samples",), (_kept("samples.yaml", "lm_eval_samples.yaml"),)),
    Turn(
        "judge",
        (f"JUDGE_URL={{url}} {ASK} --tasks judged",),
        (_kept("judge.yaml", "lm_eval_judge.yaml"), _kept("judge.py", "lm_eval_judge.py")),
    ),
    Turn("2,000 rows", (f"{ASK} --tasks many",), (_kept("many.yaml", "lm_eval_many.yaml"),)),
)
SIDES: Mapping[str, tuple[Turn, ...]] = {"harness": HARNESS, "Inspect AI": INSPECT, "lm-eval": LM_EVAL}


def write_rows(path: Path, rows: int) -> None:
    """Write so many questions, of which every third has options."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["question", "answer", "a", "b", "c", "d"])
        for place in range(rows):
            first, second = 3 + place % 97, 5 + place * 7 % 89 + place // 97
            right = first + second
            others = (right + 10, right + 1, right - 7, right + 20)
            options = [str(right if at == place // 3 % 4 else other) for at, other in enumerate(others)]
            options = options if place % 3 == 0 else [""] * 4
            table.writerow([f"What is {first} plus {second}?", right, *options])


def right_share(path: Path, model: str) -> float:
    """Return the share of a file's questions that a model of the server answers right."""
    with open(path, newline="", encoding="utf-8") as file:
        firsts = [int(row["question"].split()[2]) for row in csv.DictReader(file)]
    return 1.0 if model != "careless" else sum(1 for first in firsts if first % 4) / len(firsts)


@dataclass
class Side:
    """One side at work in a folder of its own: how its commands are found, and what each task took."""

    name: str
    folder: Path
    programs: Path  # the folder of its commands
    servers: Mapping[str, str]
    rows: tuple[int, int]
    seconds: dict[str, float] = field(default_factory=dict)

    def begin(self) -> Side:
        """Write the two files of questions, with which everything begins."""
        self.folder.mkdir(parents=True)
        for file, rows in zip(("mixed.csv", "many.csv"), self.rows, strict=True):
            write_rows(self.folder / file, rows)
        return self

    def take(self, turn: Turn) -> None:
        """Make the edits of a task, run its commands, and note their seconds."""
        for edit in turn.edits:
            path = self.folder / edit.file
            path.write_text(edit.change(path.read_text(encoding="utf-8") if path.exists() else ""), encoding="utf-8")
        env = environment(self.folder / "home")
        env["PATH"] = f"{self.programs}:{env['PATH']}"
        self.seconds[turn.task] = 0.0
        for command in turn.commands:
            words = ["sh", "-c", command.format(**self.servers)]
            self.seconds[turn.task] += spend(words, env, self.folder).wall

    def read(self, *command: str | Path) -> Any:
        """Return the JSON that a command of this side prints, which no task counts."""
        env = environment(self.folder / "home")
        env["PATH"] = f"{self.programs}:{env['PATH']}"
        return json.loads(spend(["/usr/bin/env", *map(str, command)], env, self.folder).output)


def check_harness(side: Side, turn: Turn) -> None:
    """Raise Failed unless the scores of the last run are what the server's answers are worth."""
    if turn.task == "export":
        lines = (side.folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
        if len(lines) != 2 * side.rows[0] or "careless" not in (side.folder / "scores.csv").read_text(encoding="utf-8"):
            raise Failed("not every answer and score was exported")
    if turn.task in ("export", "compare"):
        return
    asked = side.rows[turn.task == "2,000 rows"] - 3 * (turn.task == "few-shot")
    samples = 4 if turn.task == "4 samples" else 1
    told = side.read("harness", "scores", "last", "--json")["runs"][0]["scores"]
    models = {"own server": {"right", "mine"}, "second model": {"right", "careless"}}.get(turn.task, {"right"})
    kinds = {"choice", "number", "exact"} | ({"judge"} if turn.task == "judge" else set())
    if {line["model"] for line in told} != models or {line["scorer"] for line in told} != kinds:
        raise Failed(f"{turn.task}: other models or scorers were to be scored: {told}")
    for model in models:
        rows = {line["scorer"]: line for line in told if line["model"] == model}
        values = [float(rows[kind]["value"]) for kind in kinds]
        answered = int(rows["choice"]["n"]) + int(rows["exact"]["n"])
        if answered != asked * samples or (model != "careless" and values != [1.0] * len(values)):
            raise Failed(f"{turn.task}: {model} was not scored as it should be: {rows}")


def check_inspect(side: Side) -> None:
    """Raise Failed unless the logs of Inspect AI hold every task's answers, with the scores that they are worth."""
    few, many = side.rows
    told = side.read("python", KEPT / "inspect_values.py", "logs")
    values = [one for one in told if one[3] == "success" and one[1] != "careless"]
    careless = sum(one[4] * one[6] for one in told if one[1] == "careless") / few
    answers = sum(one[4] for one in told if one[2] in ("choice", "exact"))
    asked = 7 * few + (few - 6) + many  # three models, four samples, and all but three examples of each kind
    if len(values) != len(told) - 2 or any(one[6] != 1 for one in values) or answers != asked:
        raise Failed(f"Inspect AI did not score {asked} answers as it should: {told}")
    if abs(careless - right_share(side.folder / "mixed.csv", "careless")) > 1e-9 or not _graded(told):
        raise Failed(f"Inspect AI did not score as it should: {told}")
    if len(list((side.folder / "exported").rglob("*.json"))) < 6:
        raise Failed("Inspect AI did not export its logs")


def _graded(told: Sequence[Sequence[Any]]) -> bool:
    return any(one[2] == "model_graded_qa" and one[6] == 1 for one in told)


def check_lm_eval(side: Side) -> None:
    """Raise Failed unless the results of lm-eval hold every task's answers, with the scores that they are worth."""
    few, many = side.rows
    found = []
    for path in sorted((side.folder / "out").rglob("results_*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        for task, values in told["results"].items():
            [value] = [each for name, each in values.items() if name.startswith(("exact_match,", "grade,"))]
            found.append((path.parent.name, task, told["n-samples"][task]["effective"], value))
    usual = [(model, "mixed", few, 1.0) for model in ("right", "mine", "right")]
    careless = ("careless", "mixed", few, right_share(side.folder / "mixed.csv", "careless"))
    more = [("right", "samples", few, 1.0), ("right", "judged", few, 1.0), ("right", "many", many, 1.0)]
    if sorted(found) != sorted([*usual, careless, *more]):
        raise Failed(f"lm-eval did not score as it should: {found}")


def walk(side: Side, turns: Sequence[Turn]) -> Iterator[Turn]:
    """Take one task after the other; each is yielded when it is done."""
    for turn in turns:
        side.take(turn)
        yield turn


def everyday_rows(_: Path, size: Any) -> list[Row]:
    """Time every task of every side, the sides in turns; what came out of each must be right."""
    from bench.costs import FULL

    peers = ROOT / ".bench" / "peers"
    if not (peers / "ready").exists():
        raise Missing("Inspect AI and lm-eval are not here; `make peers` installs them")
    rows, turns = (ROWS, REPEATS) if size is FULL else (MANY, 1)
    programs = {"harness": Path(sys.executable).parent, "Inspect AI": peers / "bin", "lm-eval": peers / "bin"}
    checks = {"Inspect AI": check_inspect, "lm-eval": check_lm_eval}
    found: dict[tuple[str, str], list[float]] = {}
    # Outside the checkout: a folder in it would not be a project of its own.
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as away,
        answering_server(DELAY) as url,
        answering_server(DELAY) as other,
    ):
        for place in range(turns):
            for name, tasks in SIDES.items():
                folder = Path(away) / f"{place}-{name.replace(' ', '-')}"
                side = Side(name, folder, programs[name], {"url": url, "other": other}, rows).begin()
                for turn in walk(side, tasks):
                    print(f"  {name}: {turn.task}, {side.seconds[turn.task]:.1f} s", file=sys.stderr, flush=True)
                    if name == "harness":
                        check_harness(side, turn)
                if name in checks:
                    checks[name](side)
                for task, seconds in side.seconds.items():
                    found.setdefault((task, name), []).append(seconds)
    return [
        Row(NAME, f"{turn.task}, {name}: {turn.counts}", tuple(found[turn.task, name]), unit="s, wall")
        for name, tasks in SIDES.items()
        for turn in tasks
    ]


def table(rows: Sequence[Row]) -> str:
    """Return what docs/questions.md says: the table, and what is typed with the harness; no seconds without rows."""
    seconds = {row.what.partition(":")[0]: row.value for row in rows}
    lines = [f"| task | {' | '.join(SIDES)} |", f"|---|{'---|' * len(SIDES)}"]
    for place, turn in enumerate(HARNESS):
        cells = []
        for name, turns in SIDES.items():
            took = f", {number(seconds[f'{turn.task}, {name}'])} s" if rows and turns[place].commands else ""
            cells.append(f"{turns[place].counts}{took}")
        lines.append(f"| {turn.task} | {' | '.join(cells)} |")
    lines += [] if rows else ["", UNTIMED]
    lines += ["", "With the harness:", ""]
    for turn in HARNESS:
        typed = ", then ".join(f"`{_shown(command)}`" for command in turn.commands)
        edits = "".join(f"in `{edit.file}` {edit.about}; then " for edit in turn.edits)
        lines.append(f"- {turn.task}: {edits}{typed}")
    return "\n".join(lines)


def _shown(command: str) -> str:
    return command.format(url="URL", other="OTHER-URL")


def write_table(rows: Sequence[Row], page: Path = PAGE) -> None:
    """Write the table into the page, in the place of the one before."""
    text = page.read_text(encoding="utf-8")
    before, found, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not (found and ended):
        raise Failed(f"{page.name} has no place for the table")
    page.write_text(f"{before}{BEGIN}\n\n{table(rows)}\n\n{END}{after}", encoding="utf-8")
