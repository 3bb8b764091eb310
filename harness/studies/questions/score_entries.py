"""Typed fields of every scorer under `settings.score`: a class of switches for each scorer, and the entry itself.

A trailing underscore is needed in Python only: a manifest says `from` and `as`. Decimals stay texts, since no key holds
a float. Independent of answers and of the steps that score them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from harness import texts
from harness.errors import InputError
from harness.models.provider import CheckedText, Line, Name, Number
from harness.studies.questions.scoring.schema import parse_schema
from harness.studies.questions.scoring.search import groups, refused

OPTIONS = "options"  # a field, and the default `from` of a choice
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
    if texts.validate_decimal(text).lstrip().startswith("-"):
        raise ValueError("a tolerance is 0 or more")
    return text


def _language(text: str) -> str:
    return texts.matching_validator(r"^[a-z]{2}(-[a-z]{2,8})?$", "the language of a baseline, such as `en`")(text)


def _between(least: int, most: int) -> Any:
    def check(number: int) -> int:
        if not least <= number <= most:
            raise ValueError(f"write a whole number from {least} to {most}")
        return number

    return CheckedText(check)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _OneText:
    """Advice on how to write a text of several lines, raised if the value is not a text."""

    advice: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return a schema that rejects a value that is not a text, with the advice as the error."""
        from pydantic_core import core_schema  # noqa: PLC0415 - heavy

        return core_schema.no_info_before_validator_function(self._text, handler(source))

    def _text(self, given: Any) -> Any:
        if not isinstance(given, str):
            raise ValueError(self.advice)
        return given


_SCHEMA = _OneText("write the schema as JSON, one text in quotes or behind `|`")
_COLUMN = _OneText(
    "write the name of one column, such as `from: options`; options in columns of their own are named in the dataset, "
    "such as `fields: {options: [a, b, c]}`, with `from: options` here"
)
_RUBRIC = _OneText("write the rubric itself, one text in quotes or behind `|`")


@dataclass(frozen=True, kw_only=True)
class ScorerSwitches:
    """Settings that every scorer has: the name of its rows, if it is not the scorer's own."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {
        "extra": "forbid",
        "alias_generator": lambda name: name.rstrip("_"),
    }

    as_: Name | None = None


@dataclass(frozen=True, kw_only=True)
class ExactSwitches(ScorerSwitches):
    """Settings of exact match: the answer equals the target character by character, apart from surrounding space."""


@dataclass(frozen=True, kw_only=True)
class MatchSwitches(ScorerSwitches):
    """Settings of normalised match: 1 if the answer equals the target, with differences ignored whose flag is true."""

    case: bool = True
    space: bool = True
    punctuation: bool = True
    articles: bool = True  # a, an, the
    where: Literal["whole", "begin", "end", "within"] = "whole"  # the place of the target in the answer, in whole words


@dataclass(frozen=True, kw_only=True)
class NumberSwitches(ScorerSwitches):
    """Settings of number match: 1 if a number in the answer equals the target's, within the wider of two tolerances."""

    tolerance: Annotated[Number, CheckedText(_amount)] = "0"
    relative: Annotated[Number, CheckedText(_amount)] = "0"  # as a share of the target
    take: Literal["last", "first", "only"] = "last"  # of several numbers in the answer
    decimal: Literal["point", "comma"] = "point"  # the mark before a fraction, in answers and targets


@dataclass(frozen=True, kw_only=True)
class RegexSwitches(ScorerSwitches):
    """Settings of a regular expression: its match in the answer is the target; with `matches`, any match counts."""

    pattern: Annotated[str, CheckedText(_pattern)]
    group: Annotated[int, _between(0, 99)] | None = None  # by default the first group, if there is one
    take: Literal["last", "first"] = "first"
    matches: bool = False
    normalised: bool = False  # compared as by `match`, not as by `exact`

    def __post_init__(self) -> None:
        """Raise ValueError for a group that the pattern does not have."""
        if self.group is not None and self.group > groups(self.pattern):
            raise ValueError(f"the pattern has {groups(self.pattern)} groups, and not {self.group}")


@dataclass(frozen=True, kw_only=True)
class ChoiceSwitches(ScorerSwitches):
    """Settings of multiple choice: the option that the answer names, or a model finds most likely, is the target's.

    `normalise` names the divisor of a log-likelihood, or says that the log-likelihood without the question is
    subtracted. `show` names the text that is measured: the option's text or its letter.
    """

    # `fields.options` or, if a dataset names none, the column with the options
    from_: Annotated[Line, _COLUMN] = OPTIONS
    by: Literal["letter", "loglikelihood"] = "letter"
    normalise: Literal["sum", "token", "character", "byte", "unconditional"] = "sum"
    show: Literal["text", "letter"] = "text"

    def __post_init__(self) -> None:
        """Raise ValueError for switches of log-likelihoods if none is measured."""
        if self.by == "letter" and (self.normalise, self.show) != ("sum", "text"):
            raise ValueError("`normalise` and `show` are of `by: loglikelihood`: take them out, or add that")


@dataclass(frozen=True, kw_only=True)
class F1Switches(ScorerSwitches):
    """Settings of F1: the words that answer and target share, counted as the evaluation of SQuAD does."""


@dataclass(frozen=True, kw_only=True)
class RougeSwitches(ScorerSwitches):
    """Settings of ROUGE of the answer against the target, as the package rouge-score computes it."""

    kind: Literal["rouge1", "rouge2", "rougeL", "rougeLsum"] = "rougeL"  # the main one; the others are in the detail
    stem: bool = False


@dataclass(frozen=True, kw_only=True)
class BleuSwitches(ScorerSwitches):
    """Settings of BLEU of the answer against the target, sentence by sentence, without smoothing."""


@dataclass(frozen=True, kw_only=True)
class BertscoreSwitches(ScorerSwitches):
    """Settings of BERTScore against the target, by the instrument `encoder`; by default its last layer."""

    layer: Annotated[int, _between(-100, 100)] | None = None  # 0 is the embedding; negative ones count from the last
    idf: bool | None = None  # whether a token is weighted by its rarity among the dataset's targets
    rescale: Annotated[str, CheckedText(_language)] | None = None  # the language of bert-score's baseline


@dataclass(frozen=True, kw_only=True)
class JsonSwitches(ScorerSwitches):
    """Settings of JSON match: the answer is JSON equal to the target; with a schema, JSON that the schema allows."""

    schema: Annotated[str, CheckedText(_schema), _SCHEMA] | None = None  # JSON Schema, written as JSON
    equal: bool | None = None  # whether the answer must equal the target; by default only without a schema


@dataclass(frozen=True, kw_only=True)
class CodeSwitches(ScorerSwitches):
    """Settings of code execution: the answer's Python code passes the item's tests, in an isolated trial."""

    timeout: Annotated[int, _between(1, 600)] = 10  # seconds
    memory: Annotated[int, _between(16, 16_384)] = 512  # MiB


@dataclass(frozen=True, kw_only=True)
class JudgeSwitches(ScorerSwitches):
    """Settings of a judge: the instrument `judge` grades the answer by a rubric, a whole number from 0 to `best`."""

    rubric: Annotated[str, CheckedText(_rubric), _RUBRIC]
    best: Annotated[int, _between(1, 100)] = 1
    target: bool = True  # whether the judge is shown the target


@dataclass(frozen=True, kw_only=True)
class PerplexitySwitches(ScorerSwitches):
    """Settings of perplexity: how well a model predicts the item's own text, in nats per token."""

    column: str | None = None  # the column with the text, if `fields.input` names several


@dataclass(frozen=True, kw_only=True)
class ScorerEntry:
    """One scorer of a manifest's list, by its name, with its settings."""

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
    """Return the columns that a manifest's scorers `choice` name in `from` as the answer options."""
    entries = [
        entry.get("choice")
        for entry in (score if isinstance(score, list | tuple) else ())
        if isinstance(entry, Mapping)
    ]
    found = [entry.get("from") for entry in entries if isinstance(entry, Mapping)]
    return {column for column in found if isinstance(column, str)}
