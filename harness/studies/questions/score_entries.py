"""What may be written for each scorer under `settings.score`: a class of typed fields for each, and the entry itself.

A trailing underscore is Python's alone: a manifest says `from`, `as`. Decimals stay texts, since no key holds a float.
It does not know an answer, nor which step scores one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from harness import texts
from harness.errors import InputError
from harness.models.provider import Checked, Line, Name, Number
from harness.studies.questions.scoring.schema import parse_schema
from harness.studies.questions.scoring.search import groups, refused

OPTIONS = "options"  # a field, and what a choice is from where nothing else is said
LONGEST = 20_000  # characters of a rubric or a schema


def _pattern(text: str) -> str:
    if why := refused(text):
        raise ValueError(why)
    return text


def _schema(text: str) -> str:
    try:
        parse_schema(text)
    except InputError as bad:
        raise ValueError(f"{bad.what}; {bad.next}") from bad
    return text


def _rubric(text: str) -> str:
    if not 0 < len(text.strip()) <= LONGEST:
        raise ValueError(f"write a text of 1 to {LONGEST:,} characters")
    return text


def _amount(text: str) -> str:
    if texts.decimal(text).lstrip().startswith("-"):
        raise ValueError("a tolerance is 0 or more")
    return text


def _language(text: str) -> str:
    return texts.matching(r"^[a-z]{2}(-[a-z]{2,8})?$", "the language of a baseline, such as `en`")(text)


def _between(least: int, most: int) -> Any:
    def check(number: int) -> int:
        if not least <= number <= most:
            raise ValueError(f"write a whole number from {least} to {most}")
        return number

    return Checked(check)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _OneText:
    """How a text of several lines is written, said where something else stands in its place."""

    advice: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Tell pydantic to refuse what is no text with the advice."""
        from pydantic_core import core_schema  # noqa: PLC0415 - heavy

        return core_schema.no_info_before_validator_function(self._text, handler(source))

    def _text(self, given: Any) -> Any:
        if not isinstance(given, str):
            raise ValueError(self.advice)
        return given


_SCHEMA = _OneText("write the schema as JSON, one text in quotes or behind `|`")
_RUBRIC = _OneText("write the rubric itself, one text in quotes or behind `|`")


@dataclass(frozen=True, kw_only=True)
class ScorerSwitches:
    """What every scorer may be told: the name of its rows, where that is not its own."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {
        "extra": "forbid",
        "alias_generator": lambda name: name.rstrip("_"),
    }

    as_: Name | None = None


@dataclass(frozen=True, kw_only=True)
class ExactSwitches(ScorerSwitches):
    """The answer is the target, letter by letter; space around either counts nothing."""


@dataclass(frozen=True, kw_only=True)
class MatchSwitches(ScorerSwitches):
    """The answer is the target once both are normalised; what is true here makes no difference."""

    case: bool = True
    space: bool = True
    punctuation: bool = True
    articles: bool = True  # a, an, the
    where: Literal["whole", "begin", "end", "within"] = (
        "whole"  # of the answer, in whole words: where the target stands
    )


@dataclass(frozen=True, kw_only=True)
class NumberSwitches(ScorerSwitches):
    """A number in the answer is the target's, within the wider of two tolerances."""

    tolerance: Annotated[Number, Checked(_amount)] = "0"
    relative: Annotated[Number, Checked(_amount)] = "0"  # as a share of the target
    take: Literal["last", "first", "only"] = "last"  # of several numbers in the answer
    decimal: Literal["point", "comma"] = "point"  # the mark before a fraction, in answers and targets


@dataclass(frozen=True, kw_only=True)
class RegexSwitches(ScorerSwitches):
    """What a regular expression finds in the answer is the target; or, by `matches`, that it finds anything."""

    pattern: Annotated[str, Checked(_pattern)]
    group: Annotated[int, _between(0, 99)] | None = None  # its first group, where it has one
    take: Literal["last", "first"] = "first"
    matches: bool = False
    normalised: bool = False  # compared as `match` does, and not as `exact`

    def __post_init__(self) -> None:
        """Refuse a group that the pattern has not."""
        if self.group is not None and self.group > groups(self.pattern):
            raise ValueError(f"the pattern has {groups(self.pattern)} groups, and not {self.group}")


@dataclass(frozen=True, kw_only=True)
class ChoiceSwitches(ScorerSwitches):
    """The option that the answer names by its letter, or the one that a model holds for the likeliest, is the target's.

    `normalise` says by what a log-likelihood is divided, or that the one without the question is taken off; `show`,
    what is measured: the option's text, or its letter.
    """

    from_: Line = OPTIONS  # `fields.options`; or, where a dataset names none, the column that holds them
    by: Literal["letter", "loglikelihood"] = "letter"
    normalise: Literal["sum", "token", "character", "byte", "unconditional"] = "sum"
    show: Literal["text", "letter"] = "text"

    def __post_init__(self) -> None:
        """Refuse what is told of a log-likelihood where none is measured."""
        if self.by == "letter" and (self.normalise, self.show) != ("sum", "text"):
            raise ValueError("`normalise` and `show` are of `by: loglikelihood`: take them out, or add that")


@dataclass(frozen=True, kw_only=True)
class F1Switches(ScorerSwitches):
    """The words that answer and target share, as the evaluation of SQuAD counts them."""


@dataclass(frozen=True, kw_only=True)
class RougeSwitches(ScorerSwitches):
    """ROUGE of the answer beside the target, as the package rouge-score counts it."""

    kind: Literal["rouge1", "rouge2", "rougeL", "rougeLsum"] = "rougeL"  # the main one; the others stand beside it
    stem: bool = False


@dataclass(frozen=True, kw_only=True)
class BleuSwitches(ScorerSwitches):
    """BLEU of the answer beside the target, sentence by sentence, nothing smoothed."""


@dataclass(frozen=True, kw_only=True)
class BertscoreSwitches(ScorerSwitches):
    """BERTScore of the answer beside the target, by the instrument `encoder`: its last layer, unless one is named."""

    layer: Annotated[int, _between(-100, 100)] | None = None  # 0 is the embedding; negative ones count from the last
    idf: bool | None = None  # whether a token counts by how few of the dataset's targets hold it
    rescale: Annotated[str, Checked(_language)] | None = None  # the language of bert-score's baseline


@dataclass(frozen=True, kw_only=True)
class JsonSwitches(ScorerSwitches):
    """The answer is JSON that says what the target says; with a schema, JSON that the schema allows."""

    schema: Annotated[str, Checked(_schema), _SCHEMA] | None = None  # JSON Schema, written as JSON
    equal: bool | None = None  # whether the target must be met: where there is no schema, unless it is said


@dataclass(frozen=True, kw_only=True)
class CodeSwitches(ScorerSwitches):
    """The answer's Python passes the item's tests, in a trial of its own."""

    timeout: Annotated[int, _between(1, 600)] = 10  # seconds
    memory: Annotated[int, _between(16, 16_384)] = 512  # MiB


@dataclass(frozen=True, kw_only=True)
class JudgeSwitches(ScorerSwitches):
    """The instrument `judge` grades the answer by a rubric, with a whole number from 0 to `best`."""

    rubric: Annotated[str, Checked(_rubric), _RUBRIC]
    best: Annotated[int, _between(1, 100)] = 1
    target: bool = True  # whether the judge is shown the target


@dataclass(frozen=True, kw_only=True)
class PerplexitySwitches(ScorerSwitches):
    """How well a model foretells the item's own text: nats a token."""

    column: str | None = None  # whose text, where `fields.input` names several


@dataclass(frozen=True, kw_only=True)
class ScorerEntry:
    """One scorer by its name, with what it is told."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}

    exact: ExactSwitches | None = None
    match: MatchSwitches | None = None
    number: NumberSwitches | None = None
    regex: RegexSwitches | None = None
    choice: ChoiceSwitches | None = None
    f1: F1Switches | None = None
    rouge: RougeSwitches | None = None
    bleu: BleuSwitches | None = None
    bertscore: BertscoreSwitches | None = None
    json: JsonSwitches | None = None
    code: CodeSwitches | None = None
    judge: JudgeSwitches | None = None
    perplexity: PerplexitySwitches | None = None


def options_named(score: Any) -> set[str]:
    """Return the columns that choices of a manifest's `score`, as written, are said to be from; none that is unsaid."""
    entries = [
        entry.get("choice")
        for entry in (score if isinstance(score, list | tuple) else ())
        if isinstance(entry, Mapping)
    ]
    found = [entry.get("from") for entry in entries if isinstance(entry, Mapping)]
    return {column for column in found if isinstance(column, str)}
