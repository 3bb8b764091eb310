"""What every reader and scorer of answers makes of texts, digested: run by one Python after another, and compared.

A program of the standard library and the harness alone: `python tests/readers.py GIVEN OUT [note]`. GIVEN holds a JSON
list of texts, each with a question and its gold, and one of patterns, each with texts in which it is searched for by
itself. With `note` it also says which patterns the readers searched for, and how often they were found.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import inspect
import io
import json
import pkgutil
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "harness.models.wire", "harness.models.providers.baseline", "harness.answers", "harness.scorers",
    "harness.studies.biomed.reading",
    "harness.studies.biomed.judging", "harness.studies.biomed.grading", "harness.studies.curie.reading",
    "harness.studies.curie.scoring", "harness.studies.curie.judging", "harness.studies.curie.grading",
    "harness.studies.curie.code", "harness.studies.questions.scoring", "harness.studies.questions.judging",
    "harness.studies.questions.code", "harness.studies.questions.likelihood", "harness.studies.reliability.scoring",
)  # fmt: skip
OPTIONS = (
    {"A": "a thermometer", "B": "a barometer", "C": "a ruler", "D": "a scale"},
    {"A": "4.0 N", "B": "8.0 N", "C": "16 N", "D": "none of the above"},
    {"A": "igneous rock", "B": "sedimentary rock", "C": "metamorphic rock", "D": "molten rock"},
    {"A": "evaporation", "B": "condensation", "C": "freezing", "D": "melting"},
    {"A": "light bends", "B": "light slows", "C": "both of these", "D": "neither of these"},
    {"A": "conduction", "B": "convection", "C": "radiation", "D": "insulation"},
)
TASKS = (
    ("03/05/2021", "2021-05-03", r"\d{4}-\d{2}-\d{2}"), ("Ada Lea Lopez", "Lopez, A. L.", None),
    ("3 lamps at 4.25 each", "12.75", r"\d\.\d{2}"), ("5 kg", "5000 g", None),
    ("pear, apple, fig", "apple, fig, pear", None), ("name=Bob;age=42", '{"name": "Bob", "age": 42}', None),
    ("staff meeting with Ada at 2:05 pm", "14:05", r"\b\d{2}:\d{2}\b"),
    ("135 minutes", "2 h 15 min", None), ("bold autumn magic daily", "#BoldAutumnMagicDaily", r"#\w+"),
)  # fmt: skip
CITIES = (
    "Bristol", "Cologne", "Colorado", "D\u00fcsseldorf", "Frosinone", "Florence", "Hamburg", "Latina", "London",
    "Milan", "Naples", "New York", "Ontario", "Rome", "Tivoli", "Velletri", "York", "St. Olav's",
)  # fmt: skip
NEW = ("addition", "anagram", "locality", "science", "transforms")  # benchmarks with rules of a second version
NO_ANSWERS = {"parse_schema"}  # whose text a manifest holds; a message of it quotes Python's own words about JSON
PATIENCE = 20  # texts in a row for which a package is lacking: then no more are tried
NOT_FOR_TEXTS = {"file_text", "success_path", "name", "status", "pattern", "sequence"}  # what is no answer's text


class Told(NamedTuple):
    """A text as an answer, with a question and its gold."""

    text: str
    asked: str
    gold: str


Door = Callable[[Told], Any]


class Noted:
    """A compiled pattern that counts how often it was searched for, and how often found."""

    def __init__(self, real: re.Pattern[Any], seen: Counter[str]) -> None:
        self.real, self.seen = real, seen

    def __getattr__(self, name: str) -> Any:
        kept = getattr(self.real, name)
        return self._counted(kept) if callable(kept) else kept

    def _counted(self, kept: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            found = kept(*given, **named)
            if kept.__name__ == "finditer":
                found = list(found)
            text = given[-1] if kept.__name__ in ("sub", "split") and given else None
            self.seen["tried"] += 1
            self.seen["found"] += bool(found) if text is None else found not in (text, [text])
            return iter(found) if kept.__name__ == "finditer" else found

        return call


def note_patterns() -> dict[tuple[str, str], Counter[str]]:
    """Let `re` note what modules of ours search for; what they import from now on is met alone."""
    seen: dict[tuple[str, str], Counter[str]] = {}
    real = {name: getattr(re, name) for name in ("compile", *_SEARCHES)}

    def noted(pattern: Any, flags: int, depth: int) -> Any:
        module = sys._getframe(depth).f_globals.get("__name__", "")
        if isinstance(pattern, Noted) or not module.startswith("harness."):
            return pattern if isinstance(pattern, Noted) else real["compile"](pattern, flags)
        written = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
        return Noted(real["compile"](pattern, flags), seen.setdefault((module, written), Counter()))

    def searching(name: str) -> Callable[..., Any]:
        spare = 2 if name in ("sub", "subn") else 1

        def call(pattern: Any, *given: Any, flags: int = 0, **named: Any) -> Any:
            if name not in ("sub", "subn", "split") and len(given) > spare:
                given, flags = given[:-1], given[-1]
            return getattr(noted(pattern, flags, 2), name)(*given, **named)

        return call

    re.compile = lambda pattern, flags=0: noted(pattern, flags, 2)
    for name in _SEARCHES:
        setattr(re, name, searching(name))
    return seen


_SEARCHES = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")


def doors() -> tuple[dict[str, Door], dict[str, str]]:
    """Give every reader by its name, and what could not be imported here with the package that it lacks."""
    found: dict[str, Door] = {}
    lacking: dict[str, str] = {}
    for name in _modules():
        try:
            module = importlib.import_module(name)
        except ImportError as bad:
            lacking[name] = str(bad.name).partition(".")[0]
            continue
        for each, function in vars(module).items():
            its_own = getattr(function, "__module__", "") == name and not each.startswith("_")
            if its_own and callable(function) and (door := _of_one_text(function)):
                found[f"{name}.{each}"] = door
    return {**found, **_of_more()}, lacking


def _modules() -> Iterator[str]:
    for room in ROOMS:
        package = importlib.import_module(room)
        yield room
        for each in pkgutil.walk_packages(getattr(package, "__path__", []), room + "."):
            yield each.name


def _of_one_text(function: Callable[..., Any]) -> Door | None:
    """Make a door of a function that needs a text alone, raw or as the readers of biomed prepare one."""
    if inspect.isclass(function) or function.__name__ in NO_ANSWERS:
        return None
    needed = [
        each for each in inspect.signature(function).parameters.values() if each.default is inspect.Parameter.empty
    ]
    if len(needed) != 1 or needed[0].name in NOT_FOR_TEXTS:
        return None
    if needed[0].annotation == "str":
        return lambda told: function(told.text)
    if needed[0].annotation == "Plain":
        from harness.studies.biomed.reading.plain import plain

        return lambda told: function(plain(told.text))
    return None


def _given(function: Callable[..., Any], *before: Any, after: tuple[Any, ...] = ()) -> Door:
    """Make a door of a function that is given more than a text, before it and after it."""
    return lambda told: function(*before, told.text, *after)


def _of_more() -> dict[str, Door]:
    """Give the readers and scorers that need more than a text."""
    return {**_of_reliability(), **_of_biomed(), **_of_curie(), **_of_curie_items(), **_of_questions()}


def _of_reliability() -> dict[str, Door]:
    from harness.answers import addition, anagram, gazetteer, locality, science, transforms, v2

    new = {name: importlib.import_module(f"{v2.__name__}.{name}") for name in NEW}
    right, cities = ("enlist", "listen", "silent"), gazetteer.gazetteer(CITIES)
    found = {
        "addition": _given(addition.addition, "24427", "7120"),
        "addition/2": _given(new["addition"].addition, "24427", "7120"),
        "anagram": _given(anagram.anagram, "nietls", right, after=("listen",)),
        "anagram/2": _given(new["anagram"].anagram, "nietls", right),
        "locality": _given(locality.locality, "Tivoli", "Rome", after=(cities,)),
        "transforms": lambda told: transforms.transforms(told.asked, told.gold, told.text),
        "transforms/2": lambda told: new["transforms"].transforms(told.asked, told.gold, told.text),
        "locality/2": _given(new["locality"].locality, "Tivoli", "Rome", ("Roma",), after=(cities,)),
    }
    for number, options in enumerate(OPTIONS):
        found[f"science {number}"] = _given(science.science, options, "B")
        found[f"science/2 {number}"] = _given(new["science"].science, options, "B")
    for number, (text, wanted, shape) in enumerate(TASKS):
        found[f"transforms {number}"] = _given(transforms.transforms, text, wanted, after=(shape,))
        found[f"transforms/2 {number}"] = _given(new["transforms"].transforms, text, wanted, after=(shape,))
    return found


def _of_biomed() -> dict[str, Door]:
    from harness.studies.biomed.grading.text_metrics import text_metrics
    from harness.studies.biomed.judging import grade_text, llm, rule
    from harness.studies.biomed.reading.golds import gold_facts

    return {
        "biomed rule": lambda told: rule.grade(told.asked, told.gold, told.text),
        "biomed rule of a text as gold": lambda told: rule.grade(told.asked, told.text, told.gold),
        "biomed rule of a text as question": lambda told: rule.grade(told.text, told.gold, told.gold),
        "biomed prompt": lambda told: llm.prompt(told.asked, told.gold, told.text, "strict"),
        "biomed facts": lambda told: gold_facts(told.asked, told.text),
        "biomed strict grade": _given(grade_text.grade, after=("strict",)),
        "biomed paper grade": _given(grade_text.grade, after=("paper",)),
        "biomed metrics": lambda told: text_metrics(told.text, told.gold),
    }


def _of_curie() -> dict[str, Door]:
    from studies.curie.scoring.near_misses import biogr, near_miss, pdb

    from harness.studies.curie import scoring
    from harness.studies.curie.judging import formulas, llm, structure_names, substances
    from harness.studies.curie.reading import loose_json
    from harness.studies.curie.scoring import areas, boxes, boxes_strict, rouge, sequences, sequences_strict

    found: dict[str, Door] = {
        "curie shares": _given(formulas.with_share, after=(0.5,)),
        "curie dumps": _given(loose_json.dumps, after=(2,)),
        "curie values": lambda told: loose_json.dumps({told.asked: told.text.split()}, 2),
        "curie llm": lambda told: llm.questions("mpv", "strict", '[{"material": "Si"}]', told.text),
        "curie substances": lambda told: substances.substance(told.text),
        "curie structures": lambda told: structure_names.structure_names(told.text.split("\n")[:4]),
    }
    for task in near_miss.TASKS:
        truth = near_miss.of(task)[0]
        rules = importlib.import_module(f"{scoring.__name__}.facts_{task.replace('dft_c', 'code')}")
        found[f"curie {task}"] = _given(rules.score, after=(truth,))
        found[f"curie {task} rouge"] = _given(rouge.score, after=(truth, "paper"))
        found[f"curie {task} rouge strict"] = _given(rouge.score, after=(truth, "strict"))
    for name, one, gold in (
        ("biogr", boxes, biogr), ("biogr strict", boxes_strict, biogr), ("biogr areas", areas, biogr),
        ("pdb", sequences, pdb), ("pdb strict", sequences_strict, pdb),
    ):  # fmt: skip
        found[f"curie {name}"] = _given(one.score, after=(gold.ROWS[0].gold,))
    return found


def _of_curie_items() -> dict[str, Door]:
    from studies.curie.scoring.near_misses import dft_p, dft_s, mpv

    from harness.studies.curie.judging.rule import pairs
    from harness.studies.curie.reading.ground_truth import preprocess
    from harness.studies.curie.scoring import llmsim, rouge_strict
    from harness.studies.curie.scoring.llmsim_strict import gold_items, read_predictions
    from harness.studies.curie.tasks import TASKS as KINDS

    def judged(task: str, items: Any, text: str) -> Any:
        predicted, outcome = read_predictions(text)
        return outcome, pairs(task, items, predicted)

    found = {}
    for task, table in (("dft-s", dft_s), ("dft-p", dft_p), ("mpv", mpv)):
        gold = table.ROWS[0].gold
        found[f"curie {task}"] = _given(judged, task, gold_items(task, gold).items)
        found[f"curie {task} golds"] = _given(gold_items, task)
        found[f"curie {task} paper"] = _given(llmsim.predictions, task)
        found[f"curie {task} prepared"] = _given(preprocess, after=(KINDS[task].domain, KINDS[task].prompt))
        found[f"curie {task} rouge"] = _given(rouge_strict.score, task, after=(gold,))
    return found


def _of_questions() -> dict[str, Door]:
    from harness.scorers.overlap import ngrams, rouge
    from harness.studies.questions.judging import rubric
    from harness.studies.questions.likelihood.values import perplexities
    from harness.studies.questions.scoring import f1, json_answer, letter, match, number, search

    kinds = ("rouge1", "rouge2", "rougeL", "rougeLsum")
    return {
        "bleu": lambda told: ngrams.bleu(told.text, told.gold),
        "rouge": lambda told: rouge.rouge(told.text, told.gold, kinds),
        "letter": _given(letter.named, after=(OPTIONS[0],)),
        "letter of numbers": _given(letter.named, after=(OPTIONS[1],)),
        "numbers with commas": _given(number.numbers, after=("comma",)),
        "match": lambda told: match.match(told.text, {"target": told.gold}),
        "words": lambda told: f1.shared(f1.words(told.text), f1.words(told.gold)),
        "json": lambda told: json_answer.json_answer(told.text, {"target": "7"}, None, equal=False),
        "perplexities": _given(perplexities, after=(-12.5, 7)),
        "rubric": _given(rubric.grade, after=(5,)),
        "refused": _given(search.refused),
        "searched": _given(search.find, r"(\w+) is (\d+)", after=("last", 1)),
    }


def spelled(value: Any, deep: int = 0) -> str:
    """Spell a value so that equal ones are spelled alike in every process; what has no order is sorted."""
    if isinstance(value, str | int | float | bytes | type(None)) or deep > 30:
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{spelled(key, deep + 1)}:{spelled(value[key], deep + 1)}" for key in value) + "}"
    if isinstance(value, set | frozenset):
        return "{" + ",".join(sorted(spelled(each, deep + 1) for each in value)) + "}"
    if is_dataclass(value):
        return type(value).__name__ + spelled(
            {each.name: getattr(value, each.name) for each in fields(value)}, deep + 1
        )
    if isinstance(value, list | tuple | Iterator):
        return "[" + ",".join(spelled(each, deep + 1) for each in value) + "]"
    if isinstance(value, re.Match):
        return repr((value.span(), value.groups()))
    shown = repr(value)
    return type(value).__name__ if " at 0x" in shown else shown


class Lacking(Exception):
    """A reader needs a package that is not here; the message is its name."""


def answered(door: Door, told: Told) -> str:
    """Give what a reader makes of a text, or why it refuses it: its own words, and of another error the kind alone."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            return spelled(door(told))
    except ImportError as bad:
        raise Lacking((bad.name or "numpy or another compiled one").partition(".")[0]) from bad
    except AttributeError as bad:
        if isinstance(bad.obj, ModuleType):  # a package without its compiled part, such as YAML's
            raise Lacking(bad.obj.__name__) from bad
        return type(bad).__name__
    except Exception as bad:
        if type(bad).__name__ == "MissingError":
            raise Lacking("regex") from bad
        ours = type(bad).__module__.startswith("harness.")
        return f"{type(bad).__name__}: {bad}" if ours else type(bad).__name__


def searched(pattern: re.Pattern[str], text: str) -> Any:
    """Give all that a pattern does with a text."""
    found = [(each.span(), each.groups()) for each in pattern.finditer(text)]
    ends = [each and each.span() for each in (pattern.match(text), pattern.fullmatch(text))]
    return found, ends, pattern.sub("_", text), pattern.split(text)


def digest(said: str) -> str:
    """Digest what a reader says, half characters and all."""
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def main() -> None:
    """Read all texts with every reader, and search for every pattern."""
    given, out, *more = sys.argv[1:]
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    texts, alone = json.loads(Path(given).read_text(encoding="ascii"))
    digests: dict[str, list[str]] = {}
    for module, pattern, flags, aimed in alone:
        compiled = re.compile(pattern, flags)
        digests[f"{module}: {pattern}"] = [digest(spelled(searched(compiled, text))) for text in aimed]
    seen = note_patterns() if more else {}
    every = [Told(*each) for each in texts]
    found, lacking = doors()
    for name, door in found.items():
        digests[name] = []
        for told in every:
            try:
                said = "" if digests[name][-PATIENCE:] == [""] * PATIENCE else digest(answered(door, told))
            except Lacking as bad:
                lacking[name], said = str(bad), ""
            digests[name].append(said)
    patterns = [(module, pattern, count["tried"], count["found"]) for (module, pattern), count in seen.items()]
    written = {"python": sys.version.split()[0], "digests": digests, "lacking": lacking, "patterns": patterns}
    Path(out).write_text(json.dumps(written), encoding="ascii")


if __name__ == "__main__":
    main()
