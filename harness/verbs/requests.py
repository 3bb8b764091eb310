"""Requests: what each verb is asked, in one typed class a verb.

A field of a request says its type, default, bounds and meaning once. From it come the option or argument of the command
line (`harness/cli/options.py`), the check of a call from Python, and the page docs/verbs.md. An agents' tool takes its
meaning from here, too. A type checker reads a request as a dataclass; nothing is made of its fields before they are
needed, so `--help` reads those of one verb. Pydantic checks a request when it is made.

This file has more than 800 lines because it is the whole interface in one list: most of its lines are texts of options,
verbs share fields and base classes, and a field is described alike wherever it occurs. Divided by groups of verbs, each
part would import the machinery above and the shared fields, and a reader could not see whether two options agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, dataclass_transform, get_type_hints

if TYPE_CHECKING:
    from pydantic import BaseModel

PathText = str | Path  # a path as a request names it
NUMBERS = (int, float, int | None, float | None)


@dataclass(frozen=True)
class Argument:
    """A field that is an argument of the command line: its meaning, and a name other than the field's."""

    help: str
    metavar: str = ""


@dataclass(frozen=True)
class Option:
    """A field that is an option of the command line: its meaning, and its flags (default: the field's name).

    `env` says whether an environment variable sets it too, named after the long flag, or names that variable.
    `as_text` keeps a path as it is written, with a slash at its end.
    """

    help: str
    flags: tuple[str, ...] = ()
    metavar: str = ""
    env: bool | str = False
    as_text: bool = False


@dataclass(frozen=True)
class InPython:
    """A field that only Python calls set, with its meaning."""

    help: str


@dataclass(frozen=True)
class Bounds:
    """The least and the most of a number, or of the length of a list or text."""

    least: int | None = None
    most: int | None = None


@dataclass(frozen=True)
class RequestField:
    """A field of a request, read from its class: type, default, meaning and bounds."""

    name: str
    kind: Any
    default: Any  # `MISSING` where it is required
    about: Argument | Option | InPython
    bounds: Bounds


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Request:
    """Base class of requests: a verb's typed arguments, the same for the command line, Python and agents' tools.

    A subclass is written like a dataclass. Making a request raises pydantic's ValidationError if a field is missing or
    unknown, or if a value is not of its field's type or out of bounds.
    """

    def __init__(self, **given: Any) -> None:
        """Check the values, and convert those that are of another type."""
        checked = request_model(type(self))(**given)
        for name in type(checked).model_fields:
            object.__setattr__(self, name, getattr(checked, name))

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse to change a field."""
        raise AttributeError(f"a request is not changed: make another one, `with_changes({name}=…)`")

    def __eq__(self, other: object) -> bool:
        """Whether the other is a request of the same class and values."""
        return isinstance(other, Request) and type(other) is type(self) and other.as_data() == self.as_data()

    def __hash__(self) -> int:
        """Return a hash of the fields' texts, since a field may be a list."""
        return hash(repr(self.as_data()))

    def __repr__(self) -> str:
        """Return the request as it is written in Python."""
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def with_changes(self, **changed: Any) -> Self:
        """Return a copy of this request with other values of the named fields."""
        return type(self)(**vars(self) | changed)

    def as_data(self) -> dict[str, Any]:
        """Return the fields as JSON values, from which `type(self)(**data)` makes an equal request."""
        return {name: _plain(value) for name, value in vars(self).items()}

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of this kind of request."""
        return request_model(cls).model_json_schema()


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


read_so_far: dict[type[Request], tuple[RequestField, ...]] = {}
_models: dict[type[Request], type[BaseModel]] = {}


def request_fields(kind: type[Request]) -> tuple[RequestField, ...]:
    """Return the fields of a request, its own before those that it shares with others."""
    if kind in read_so_far:
        return read_so_far[kind]
    found = []
    for name, hint in get_type_hints(kind, include_extras=True).items():
        said = hint.__metadata__
        about = next(one for one in said if isinstance(one, Argument | Option | InPython))
        bounds = next((one for one in said if isinstance(one, Bounds)), Bounds())
        default = getattr(kind, name, MISSING)
        if isinstance(default, Field):
            default = default.default_factory() if callable(default.default_factory) else default.default
        found.append(RequestField(name, hint.__origin__, default, about, bounds))
    own = [name for part in kind.__mro__ for name in vars(part).get("__annotations__", ())]
    found.sort(key=lambda one: own.index(one.name))
    return read_so_far.setdefault(kind, tuple(found))


def request_model(kind: type[Request]) -> type[BaseModel]:
    """Return the pydantic model that checks a request."""
    if kind in _models:
        return _models[kind]
    from pydantic import ConfigDict, create_model  # noqa: PLC0415 - not needed for --help
    from pydantic import Field as Checked  # noqa: PLC0415 - as above

    model: dict[str, Any] = {}
    for one in request_fields(kind):
        names = ("ge", "le") if one.kind in NUMBERS else ("min_length", "max_length")
        told = dict(zip(names, (one.bounds.least, one.bounds.most), strict=True))
        if one.default is not MISSING:
            told["default"] = one.default
        said: Any = {name: value for name, value in told.items() if value is not None or name == "default"}
        model[one.name] = (one.kind, Checked(description=one.about.help, **said))
    return _models.setdefault(kind, create_model(kind.__name__, __config__=ConfigDict(extra="forbid"), **model))


def describe_field(kind: type[Request], name: str) -> str:
    """Return the text that says what a request's field means, as command line and tools show it."""
    return next(one.about.help for one in request_fields(kind) if one.name == name)


# Fields that several verbs share.

RUN = "A run id, a prefix of one, `last`, a record's path, or a manifest: its newest."
Run = Annotated[str, Argument(RUN)]
Manifests = Annotated[Sequence[PathText], Argument("Manifest files."), Bounds(1)]
Jobs = Annotated[int, Option("Steps at once; default: the cores.", env=True), Bounds(0)]
ImagesStore = Annotated[PathText | None, Option("The store that holds the images; default: the project's.", env=True)]
Trust = Annotated[
    PathText | None, Option("Your own trust.toml: one of its authors must have signed for what is expected.")
]
MaxMemory = Annotated[
    str,
    Option(
        "The most memory a step gets, such as 8GiB, whatever its manifest asks; default: 80 % of the machine's.",
        metavar="SIZE",
        env=True,
    ),
]
MaxErrors = Annotated[  # it weakens the checks, so no environment variable sets it
    str, Option("How many of a model's rows may be without an answer: a count or a share.", metavar="N|N%")
]
ScorerName = Annotated[str, Argument("The scorer's name.")]
LOCAL = "local"  # the engine that needs nothing but this machine


class EngineRequest(Request):
    """Part of a request: the engine and isolation that steps run in, and the store of images."""

    engine: Annotated[str, Option("Where steps run; `harness doctor` lists the engines.", env=True)] = LOCAL
    isolation: Annotated[
        str,
        Option(
            "How steps are isolated, if the engine leaves a choice; default: the strictest on this machine.", env=True
        ),
    ] = ""
    max_memory: MaxMemory = ""
    images: ImagesStore = None


class RunnerRequest(EngineRequest):
    """Part of a request: where steps run, how many at once, the `moved` image, and the allowed unanswered rows."""

    moved: Annotated[bool, Option("Use the image made of newer packages; the verdict says `image: moved`.")] = False
    jobs: Jobs = 0
    max_errors: MaxErrors = ""
    placement: Annotated[
        str,
        Option(
            "Where steps run: local, dask=ADDRESS, dask=FILE.json, dask=local:N; default: placement.toml, else local.",
            metavar="WHERE",
            env=True,
        ),
    ] = ""


# Manifests and what they are pinned to.


class InitRequest(Request):
    """Request of `init`: the folder that becomes a project."""

    folder: Annotated[PathText, Argument("The folder, which may be new.", metavar="DIR")] = "."


class NewRequest(EngineRequest):
    """Request of `new`: the manifest's name, the file of questions, models, and columns that are not guessed."""

    name: Annotated[str, Argument("The manifest's name.")]
    source: Annotated[
        PathText,
        Option(
            "Questions: .csv, .tsv, .jsonl, .parquet, .xlsx, a folder, hf:OWNER/NAME@REV.",
            ("--from",),
            metavar="FILE",
            as_text=True,
        ),
    ]
    part: Annotated[str, Option("The workbook's sheet, or [CONFIG/]SPLIT of hf: data.", metavar="PART")] = ""
    models: Annotated[
        Sequence[str],
        Option("A model; default: shipped ones.", ("-m", "--model"), metavar="[NAME=]PROVIDER/MODEL[@URL]"),
    ] = ()
    input: Annotated[Sequence[str], Option("A column that is asked.", metavar="COLUMN")] = ()
    target: Annotated[str, Option("The column of right answers.", metavar="COLUMN")] = ""
    options: Annotated[Sequence[str], Option("A column of options; one for each of them.", metavar="COLUMN")] = ()
    group: Annotated[Sequence[str], Option("A column by which scores are told apart.", metavar="COLUMN")] = ()
    encoding: Annotated[str, Option("How the file is encoded.")] = "utf-8"
    agents: Annotated[bool, Option("Let agents attempt it: `harness serve` then offers its questions.")] = False
    replace: Annotated[bool, Option("Write it again where there is one.")] = False


class ShowRequest(Request):
    """Request of `show`: the manifest that is described."""

    manifest: Annotated[PathText, Argument("A manifest file.")]


class SchemaRequest(Request):
    """Request of `schema`: the beginning of the paths of the fields that are listed; empty for all."""

    field: Annotated[str, Argument("Only fields whose path begins so, such as `generation`.")] = ""


class LockRequest(EngineRequest):
    """Request of `lock`: the manifests, and where the steps that make their data run."""

    manifests: Manifests


class AcceptRequest(Request):
    """Request of `accept`: the run, and which shortcomings of it are accepted."""

    run: Annotated[str, Option("Accept this run's outputs as expected.", ("--accept",))]
    failing_checks: Annotated[bool, Option("Accept a run whose own checks fail; every verdict says so then.")] = False
    budget: Annotated[
        float | None,
        Option("With --accept: seconds for executing steps again in the audit; default: no limit."),
        Bounds(0),
    ] = None
    max_errors: MaxErrors = ""
    max_memory: MaxMemory = ""


class CarryRequest(EngineRequest):
    """Request of `carry`: the manifests that are locked again and run, and where they run."""

    manifests: Manifests
    at_levels: Annotated[bool, Option("With --carry: accept other bytes that agree at an output's level.")] = False
    jobs: Jobs = 0
    max_errors: MaxErrors = ""


COLUMNS = 'What columns of a dataset are called in your copy, as JSON: {"target": "…"}.'


class ImportRequest(Request):
    """Request of `import`: the kind of data, the file, and the names of its columns."""

    kind: Annotated[str, Argument("What it is: data, responses of another run, or a dataset that a study knows.")]
    file: Annotated[PathText, Argument("Your copy of it; of data, a folder of files too.")]
    columns: Annotated[
        Mapping[str, str],
        Option(COLUMNS, env=True),
    ] = field(default_factory=dict)


class ImportFolderRequest(Request):
    """Request of `import data FOLDER`: the folder to search, and the manifests whose data is wanted."""

    folder: Annotated[PathText, Argument("A folder of files that you have; links in it are not followed.")]
    manifests: Annotated[
        Sequence[PathText], Option("Of a folder: whose data is looked for; default: all.", ("--manifest",))
    ] = ()


class ShowDocRequest(Request):
    """Request of `docs PAGE`: the name of a page."""

    page: Annotated[str, Argument("The page to print, such as `questions`; none: list them.")]


class CheckModelsRequest(Request):
    """Request of `models check`: the manifests whose models are asked, and models of the command line."""

    manifests: Annotated[Sequence[PathText], Argument("Manifest files whose models are asked.")] = ()
    models: Annotated[
        Sequence[str],
        Option("A model to ask, too.", ("-m", "--model"), metavar="[NAME=]PROVIDER/MODEL[@URL]"),
    ] = ()


# Runs.


class DerivedRequest(Request):
    """Part of a request: changes to a manifest, each as a text like on the command line."""

    with_models: Annotated[
        Sequence[str],
        Option("Ask this model too, in a derived manifest.", ("-m", "--model"), metavar="NAME=PROVIDER/MODEL[@URL]"),
    ] = ()
    only: Annotated[
        Sequence[str], Option("Keep these alone, in a derived manifest.", metavar="model=A,B|dataset=X")
    ] = ()
    settings: Annotated[
        Sequence[str], Option("Set this value, in a derived manifest.", ("--set",), metavar="PATH=VALUE")
    ] = ()


class RunRequest(RunnerRequest, DerivedRequest):
    """Request of `run` and of its dry run: manifests, limit of items, whether to lock again, engine, and jobs."""

    manifests: Manifests
    limit: Annotated[int, Option("Only the first N items of each dataset.", env=True), Bounds(0, 2**31)] = 0
    relock: Annotated[bool, Option("Lock again where the lock no longer fits.")] = False


class PlanRequest(EngineRequest):
    """Request of `plan`: manifests, limit of items, engine, jobs, and whether every step is listed."""

    manifests: Manifests
    limit: Annotated[int, Option("Only the first N items of each dataset.", env=True), Bounds(0, 2**31)] = 0
    steps: Annotated[bool, Option("List every step, too.", env=True)] = False
    moved: Annotated[bool, Option("Plan with the image made of newer packages.")] = False
    jobs: Jobs = 0


class ReproduceRequest(RunnerRequest):
    """Request of `reproduce`: manifests, optionally the folder of the fresh store, engine, and jobs."""

    manifests: Manifests
    fresh: Annotated[
        PathText | None,
        Option("A new folder for the fresh store; it is kept.", ("--store",), env="HARNESS_FRESH_STORE"),
    ] = None
    reports: Annotated[
        PathText | None, Option("Write a report of each run, and a page that leads to them, into it.", metavar="DIR")
    ] = None
    trust: Trust = None


class RunsRequest(Request):
    """Request of `runs`: the name of the manifest, if only its runs are wanted, and how many at most."""

    manifest: Annotated[str, Argument("Only runs of the manifest of this name.")] = ""
    most: Annotated[int, Option("How many runs, newest first; 0: all.", env=True), Bounds(0)] = 20


class ClaimsRequest(EngineRequest):
    """Request of `claims`: the manifests whose claims are judged, and whether what needs no model is made first."""

    manifests: Annotated[Sequence[PathText], Argument("Manifest files; default: all of the project.")] = ()
    run: Annotated[bool, Option("First make what needs no model and whose data is here; then compare.")] = False


class ScoresRequest(Request):
    """Request of `scores`: the runs whose scores are shown."""

    runs: Annotated[
        Sequence[str], Argument("Run ids, prefixes, `last`, or manifests: the newest run.", metavar="RUN…"), Bounds(1)
    ]


class CompareRequest(Request):
    """Request of `compare`: one run or two, the models that are compared, and how many items are listed."""

    runs: Annotated[
        Sequence[str],
        Argument("One run or two: ids, `last`, or manifests.", metavar="RUN [RUN]"),
        Bounds(1, 2),
    ]
    models: Annotated[
        tuple[str, str] | tuple[()],
        Option("Two models: of the first run, and of the second or the same.", metavar="A B"),
    ] = ()
    items: Annotated[int, Option("How many of the items that moved are listed; 0: all."), Bounds(0)] = 10


class ViewRequest(Request):
    """Request of `view`: the port that is listened on, who may ask, and who labels answers."""

    port: Annotated[int, Option("A port of 127.0.0.1; 0: any that is free.", env=True), Bounds(0, 65535)] = 7654
    anyone: Annotated[bool, Option("Answer every user of this machine, not only you.")] = False
    label: Annotated[
        str, Option("Show answers without model and score, and keep what you say of them.", metavar="NAME")
    ] = ""


class ShowItemsRequest(Request):
    """Request of `show --items`: the run, which of its answers are shown, and the page."""

    run: Annotated[
        str,
        Argument("A manifest file; with --items a run, or a manifest's newest.", metavar="MANIFEST|RUN"),
    ]
    wrong: Annotated[bool, Option("Only answers that failed, or score in the worse half.")] = False
    model: Annotated[str, Option("Only answers of this model.")] = ""
    dataset: Annotated[str, Option("Only items of this dataset.")] = ""
    scorer: Annotated[str, Option("Only scores by this scorer.")] = ""
    item: Annotated[str, Option("Only this item.")] = ""
    page: Annotated[int, Option("Which page of answers."), Bounds(1)] = 1


# Reviews and upkeep.

BUDGET = 300.0  # seconds, as in `harness.evidence.audit.reexecution`, which is not imported to show help
LARGEST_SEED = 2**53 - 1


class GetRequest(Request):
    """Request of `get`: the run, its output, and the file to which the output is written, if any."""

    run: Run
    output: Annotated[str, Argument("The name of an output.")]
    to: Annotated[PathText | None, Option("Write to this file.", ("-o", "--to"))] = None


class ExportRequest(Request):
    """Request of `export`: the run, and the file that its evidence is written to."""

    run: Run
    form: Annotated[str, Option("What is written; so far a bundle, which `audit FILE.tar` checks.", ("--as",))] = (
        "bundle"
    )
    to: Annotated[PathText | None, Option("A new file *.tar; default: the run's id.", ("-o", "--to"))] = None
    with_weights: Annotated[bool, Option("Hand over weights and files of models, too.")] = False
    with_logs: Annotated[bool, Option("Hand over words of steps that may repeat data which is kept.")] = False


class ExportTablesRequest(Request):
    """Request of `export_tables`: the run, and the new folder that its tables are written to, in one form."""

    run: Run
    csv: Annotated[PathText | None, Option("Write the run's tables as CSV into this new folder.", metavar="DIR")] = None
    parquet: Annotated[PathText | None, Option("The same as Parquet.", metavar="DIR")] = None
    jsonl: Annotated[PathText | None, Option("The same as JSON Lines.", metavar="DIR")] = None


class ExportLabelsRequest(Request):
    """Request of `export_labels`: the run, and the new folder that people's labels of its answers are written to."""

    run: Run
    labels: Annotated[
        PathText | None, Option("Write what people said of its answers, for `certify --others`.", metavar="DIR")
    ] = None


class ReportRequest(Request):
    """Request of `report`: the run, the file, and how many answers are shown."""

    run: Run
    to: Annotated[PathText | None, Option("A new file *.html; default: the run's id.", ("-o", "--to"))] = None
    wrong: Annotated[int, Option("How many wrong answers are shown at most.", env=True), Bounds(0, 5000)] = 200
    sample: Annotated[int, Option("How many of all other answers are drawn.", env=True), Bounds(0, 5000)] = 50
    seed: Annotated[int, Option("The seed of that draw.", env=True), Bounds(0, 2**31)] = 0


class NewKeyRequest(Request):
    """Request of `keys new`: the file of the private key, and whether it is kept without a passphrase."""

    file: Annotated[PathText, Argument("A new file; FILE.pub gets the public key.")]
    plain: Annotated[bool, Option("Keep it without a passphrase: whoever reads the file can sign.")] = False
    passphrase: Annotated[str, InPython("The passphrase.")] = ""


class AttestRequest(Request):
    """Request of `attest`: a run, or the manifest whose lock or expectation is meant; the key, and what is stated."""

    run: Annotated[str, Argument(RUN)] = ""
    key: Annotated[PathText, Option("The private key, made by `keys new`.", env=True)]
    to: Annotated[
        PathText | None, Option("A new file; default: the run's id, or beside the lock or expectation.", ("-o", "--to"))
    ] = None
    lock: Annotated[PathText | None, Option("Sign for the lock of this manifest, as its author.")] = None
    expect: Annotated[PathText | None, Option("Sign for what is expected of this manifest, as its author.")] = None
    verdict: Annotated[bool, Option("Audit the run in full, and sign what that finds instead of how it was made.")] = (
        False
    )
    passphrase: Annotated[str, InPython("The passphrase of the key.")] = ""


class VerifySignedRequest(Request):
    """Request of `verify`: the envelopes, the runs and manifests they are compared with, and whose keys count."""

    envelopes: Annotated[list[PathText], Argument("Signed statements.", metavar="ENVELOPE..."), Bounds(1)]
    runs: Annotated[list[str], Option("A run or a bundle that they are about; repeatable.", ("--run",))] = field(
        default_factory=list
    )
    manifests: Annotated[
        list[PathText],
        Option("A manifest whose lock or expectation they are about; repeatable.", ("--manifest",), metavar="MANIFEST"),
    ] = field(default_factory=list)
    trust: Annotated[PathText | None, Option("Your own trust.toml: whose keys count, as what, and when.")] = None
    parties: Annotated[int, Option("So many parties must each have made a run with these outputs."), Bounds(1)] = 1


class AnchorRequest(Request):
    """Request of `anchor`, which needs nothing but the store."""


class AuditRequest(Request):
    """Request of `audit`: the run, how much of it is executed again, and with which engine."""

    subject: Annotated[
        str, Argument("A run, a manifest whose newest run is meant, or a bundle.", metavar="RUN|MANIFEST|FILE.tar")
    ]
    level: Annotated[
        str,
        Option(
            "What is made again: full (all that is deterministic; default), rescore, derive, or hashes (nothing; "
            "default for a bundle)."
        ),
    ] = ""
    rerun: Annotated[int, Option("Make a sample of N other steps again, answers of local models too."), Bounds(0)] = 0
    budget: Annotated[float, Option("Seconds for executing steps again; steps left out are named."), Bounds(0)] = BUDGET
    seed: Annotated[
        int | None, Option("Draw the steps and rows that an audit with this seed drew."), Bounds(0, LARGEST_SEED)
    ] = None
    anchor: Annotated[
        PathText | None, Option("A file of lines of `anchor`, which the list of runs must still hold.")
    ] = None
    trust: Trust = None
    jobs: Jobs = 0
    max_memory: MaxMemory = ""
    images: ImagesStore = None


class DiffRequest(Request):
    """Request of `diff`: the two runs that are compared."""

    left: Run
    right: Run


class ExplainRequest(Request):
    """Request of `explain`: the run, and one of its steps or the beginning of several names."""

    run: Run
    step: Annotated[str, Argument("A step, or the beginning of several names.")] = ""


class GcRequest(Request):
    """Request of `gc`: whether what no run uses is deleted."""

    delete: Annotated[bool, Option("Delete it; without this option it is only listed.")] = False


# Scorers and analyses without a run.

MOVED = "With --carry, JSON: old module[:name] -> new one."
SHARED = "A JSON object: fields for every row that lacks them."


class ScoreRequest(Request):
    """Request of `score`: the scorer and the rows."""

    scorer: ScorerName
    rows: Annotated[list[Mapping[str, Any]], InPython("Rows with the fields that it takes.")]
    shared: Annotated[Mapping[str, Any], InPython(SHARED)] = field(default_factory=dict)


class AnalyseRequest(Request):
    """Request of `analyse`: the analysis, and its input."""

    analysis: Annotated[str, Argument("The analysis' name.")]
    given: Annotated[Mapping[str, Any], InPython("The object that it takes.")] = field(default_factory=dict)
    file: Annotated[PathText | None, InPython("A .npz file: its arrays are fields, by their names.")] = None
    second: Annotated[
        PathText | None, Option("A second .npz file, for the fields that are read from it.", ("--with",), env=True)
    ] = None
    to: Annotated[PathText | None, Option("Write the result's arrays to this file.", ("-o", "--to"))] = None


class CertifyRequest(Request):
    """Request of `certify`: the scorer, rows labelled by its makers and by others, and its judge and prompt, if any."""

    scorer: ScorerName
    rows: Annotated[
        list[Mapping[str, Any]],
        InPython("Rows that makers labelled: the fields that it takes, and label; part, instance."),
    ] = field(default_factory=list)
    labels: Annotated[str, InPython("SHA-256 of the file that the rows were read from.")] = ""
    others: Annotated[
        Sequence[PathText],
        Option("Measure it on labels by others too, which this file describes: who labelled, and which rows."),
    ] = ()
    open_sealed: Annotated[bool, Option("Measure their sealed rows too: once, after the last change of the rules.")] = (
        False
    )
    shared: Annotated[Mapping[str, Any], InPython(SHARED)] = field(default_factory=dict)
    seed: Annotated[int, Option("The seed that splits the rows that name no part.", env=True)] = 0
    under: Annotated[PathText | None, Option("The manifest whose lock pins a judge.", env=True)] = None
    judge: Annotated[str, Option("The model of that manifest that judged.", env=True)] = ""
    prompt: Annotated[str, Option("The prompt set that the judge was given.", env=True)] = ""


class CarryCertificateRequest(Request):
    """Request of `certify --carry`: the scorer, the older tree with its certificate, and where moved code is now."""

    scorer: ScorerName
    old: Annotated[
        PathText, Option("Take along the certificate that it has in this older tree.", ("--carry",), metavar="TREE")
    ]
    moved: Annotated[Mapping[str, str], Option(MOVED, metavar="FILE")] = field(default_factory=dict)


class CheckCertificateRequest(Request):
    """Request of `certify --check`: the scorer, and the file of labelled rows that its certificate is compared with."""

    scorer: ScorerName
    labels: Annotated[
        PathText | None, Argument("JSON Lines: rows it takes, labelled by its makers: label; part, instance.")
    ] = None


# Images.

ImageName = Annotated[str, Argument("An image, by the name of its recipe in images/.")]


class BuildRequest(Request):
    """Request of `images build`: the images, and where their packages come from."""

    names: Annotated[Sequence[str], Argument("Images, by the names of their recipes in images/."), Bounds(1)]
    moved: Annotated[bool, Option("Take the newest Debian packages; gives NAME+moved.")] = False
    relock: Annotated[bool, Option("Resolve Debian packages anew, and pin what comes out.")] = False
    archive: Annotated[str, Option("Debian's archive; default: as this machine's apt.", metavar="URL", env=True)] = ""
    snapshots: Annotated[str, Option("A snapshot server of that archive.", metavar="URL", env=True)] = ""


class VerifyRequest(Request):
    """Request of `images verify`: which stored images are read, and whether they are also built again."""

    names: Annotated[Sequence[str], Argument("Images; default: all that are pinned and stored.")] = ()
    rebuild: Annotated[bool, Option("Build again and compare layer by layer.", env=True)] = False


class RemoveRequest(Request):
    """Request of `images rm`: the name or ID of the images that are removed from the list."""

    name: Annotated[str, Argument("An image's name, or its ID or the beginning of one.")]


class InventoryRequest(Request):
    """Request of `images inventory`: the image, and the file to which the inventory is written, if any."""

    name: ImageName
    output: Annotated[
        PathText | None, Option("Write to this file; default: print it.", ("--output", "-o"), metavar="FILE")
    ] = None


class PushRequest(Request):
    """Request of `images push`: the image, and its reference in a registry."""

    name: ImageName
    reference: Annotated[str, Argument("HOST[:PORT]/NAME[:TAG], the place in a registry.", metavar="REFERENCE")]


class PullRequest(Request):
    """Request of `images pull`: the image, and its reference in a registry."""

    name: ImageName
    source: Annotated[
        str,
        Option(
            "HOST[:PORT]/NAME[:TAG] or HOST[:PORT]/NAME@sha256:…, the place in a registry.",
            ("--from",),
            metavar="REFERENCE",
            env=True,
        ),
    ]


class SaveRequest(Request):
    """Request of `images save`: the image, and the file to which it is written."""

    name: ImageName
    path: Annotated[PathText, Argument("FILE.tar, an archive; any other path becomes a layout folder.")]


class LoadRequest(Request):
    """Request of `images load`: the archive or folder, and the image's name here."""

    path: Annotated[PathText, Argument("An archive or an OCI layout folder.")]
    name: Annotated[str, Option("What the image is called here.", env=True)]


# Tapes and the gateway.

Tape = Annotated[Path, Argument("The tape: a folder of segments.")]


class TapeRequest(Request):
    """Request about one tape (recorded responses of models), named by its folder."""

    folder: Tape


class FindExchangeRequest(Request):
    """Request of `tape find`: the tape, the digest of a request, and which of its answers."""

    folder: Tape
    request: Annotated[str, Argument("The digest of a request, as the page of an answer names it.")]
    repeat: Annotated[int, Option("Which of its answers, counted from 0."), Bounds(0, (1 << 32) - 1)] = 0


class ImportTapeRequest(Request):
    """Request of `tape import`: the file of exchanges, the tape, and who answered."""

    file: Annotated[Path, Argument("JSON Lines of request and response.")]
    folder: Tape
    provider: Annotated[str, Option("Who answered, where no line says it: openai, …", env=True)] = ""
    server: Annotated[str, Option("Where it was asked, where no line says it.", metavar="URL")] = ""


class ExportTapeRequest(Request):
    """Request of `tape export`: the tape, and the new file."""

    folder: Tape
    file: Annotated[Path, Argument("A new file of JSON Lines.")]


class MergeTapesRequest(Request):
    """Request of `tape merge`: the tape that is added to, and the tapes whose exchanges are added."""

    into: Annotated[Path, Argument("The tape that is added to, or a new one.")]
    sources: Annotated[list[Path], Argument("Tapes.", metavar="FROM..."), Bounds(1)]


class RedactTapeRequest(Request):
    """Request of `tape redact`: the tape, the folder of the redacted one, and what is hidden."""

    folder: Tape
    out: Annotated[Path, Argument("A new folder, for the redacted tape.")]
    match: Annotated[Sequence[str], Option("Hide what this matches; may be given again.", metavar="REGEX")] = ()
    fields: Annotated[
        Sequence[str],
        Option("Hide the value at this pointer, such as /request/messages/*/content.", ("--field",), metavar="POINTER"),
    ] = ()


class GatewayRequest(Request):
    """Request of `gateway`: the tape and how it is used, whose clients are served, and the servers that answer."""

    tape: Annotated[Path | None, Option("The tape: a folder.", env=True)] = None
    mode: Annotated[
        Literal["replay", "record", "live"],
        InPython("The tape alone; the provider too, for what is not on it; the provider alone."),
    ] = "replay"
    providers: Annotated[
        Sequence[str], Option("Whose clients: openai, anthropic; default: both.", ("--provider",), env=True)
    ] = ()
    upstream: Annotated[Sequence[str], Option("Another server with the same API.", metavar="[PROVIDER=]URL")] = ()
    port: Annotated[int, Option("A port of 127.0.0.1.", env=True), Bounds(0, 65535)] = 0


# Attempts of agents.

Attempt = Annotated[str, Argument("An attempt's id, or an unambiguous beginning.")]
PYTHON = "python"  # default name of the protocol and of the client for callers in this process


class ServeRequest(EngineRequest):
    """Settings for serving agents: manifests, the agent's user, and where the steps that make views and scores run."""

    manifests: Annotated[
        Sequence[PathText], Argument("Manifests that agents may attempt; default: all that say `agents:`.")
    ] = ()
    agent_uid: Annotated[
        int | None, Option("The user that the agent runs as; hidden splits need it.", env=True), Bounds(0)
    ] = None
    client: Annotated[str, InPython("What the caller calls itself in transcripts."), Bounds(most=64)] = PYTHON
    session: Annotated[str, InPython("Whose keys its calls share; none: the door's own."), Bounds(most=64)] = ""


class AddTokenRequest(Request):
    """Request of `tokens add`: whose the token is, which profiles of tools it opens, and how long it lasts."""

    principal: Annotated[str, Argument("Whose it is: lower-case letters, digits and ._-.", metavar="NAME")]
    scopes: Annotated[
        Sequence[str], Option("A profile of tools that it opens; repeatable. Default: answer.", ("--scope",))
    ] = ()
    days: Annotated[int, Option("How many days it lasts."), Bounds(1, 366)] = 30


class ListTokensRequest(Request):
    """Request of `tokens ls`, which needs nothing but the store."""


class RevokeTokensRequest(Request):
    """Request of `tokens revoke`: whose tokens, or which one."""

    name: Annotated[str, Argument("A principal, or the first 8 or more digits of a token's digest.", metavar="NAME")]


class AttemptsRequest(Request):
    """Request of `list_attempts`: the name of the manifest, if only its attempts are wanted, and how many at most."""

    manifest: Annotated[str, Argument("Only attempts at the manifest of this name.")] = ""
    most: Annotated[int, Option("How many, newest first; 0: all.", env=True), Bounds(0)] = 20


class AttemptRequest(Request):
    """Request about one attempt, named by its id."""

    attempt: Attempt


class RescoreRequest(EngineRequest):
    """Request of `rescore_attempt`: the attempt, and whether to score it again if its scoring failed."""

    attempt: Attempt
    again: Annotated[bool, Option("Score again one whose scoring failed.")] = True


class VerifyTranscriptRequest(Request):
    """Request of `verify_transcript`: the attempt, and heads of the log that its agent kept."""

    attempt: Attempt
    heads: Annotated[Sequence[str], Option("A head that the agent was told.", ("--head",))] = ()
