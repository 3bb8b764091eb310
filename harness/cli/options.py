"""Options of the command line, made of the fields of requests (`harness/verbs/requests.py`); some stand here alone.

`takes(AuditRequest)` gives a command the arguments and options of that request, and `--store`, `--json`, `--debug`. The
command gets them as `Given`, which makes the request of them.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import cached_property
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin

import typer

from harness.cli.terminal import print_result
from harness.verbs.requests import Argument, Bounds, InPython, PathText, Request, RequestField, request_fields

if TYPE_CHECKING:
    from harness.verbs.project import Project, Result

R = TypeVar("R", bound=Request)
Command = Callable[..., int]

Json = Annotated[bool, typer.Option("--json", envvar="HARNESS_JSON", help="Print JSON on stdout instead of text.")]
StoreDir = Annotated[
    Path | None,
    typer.Option("--store", envvar="HARNESS_STORE", help="The store; default: .harness/ in the project's root."),
]
Debug = Annotated[bool, typer.Option("--debug", envvar="HARNESS_DEBUG", help="Show tracebacks and whole logs.")]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", envvar="HARNESS_VERBOSE", help="Show the outputs that agree, too.")
]
Models = Annotated[
    Path | None,
    typer.Option(
        "--models-dir",
        envvar="HARNESS_MODELS_DIR",
        help="The folder in which `source: folder:NAME` of a manifest is looked up.",
    ),
]
_COMMON: Mapping[str, tuple[Any, Any]] = {
    "models_dir": (Models, None),
    "store": (StoreDir, None),
    "json": (Json, False),
    "debug": (Debug, False),
}


def open_project(store: Path | None = None, models: Path | None = None) -> Project:
    """Return the project of the working directory, with the store and the model folder that the options name.

    If no model folder is named, HARNESS_MODELS_DIR is used. The hub's cache is that of HF_HUB_CACHE or HF_HOME.
    """
    from harness.verbs.project import Project

    place = models or os.environ.get("HARNESS_MODELS_DIR")  # also for verbs without this option
    home = os.environ.get("HF_HOME")  # the variables of the hub's own tools
    hub = os.environ.get("HF_HUB_CACHE") or (os.path.join(home, "hub") if home else None)
    return Project.at(os.getcwd(), store, models=place, hub=hub)


@dataclass(frozen=True)
class GivenOptions:
    """What the command line gave for the fields of a command's requests, by name, and for its common options."""

    values: Mapping[str, Any]
    common: Mapping[str, Any]

    def request(self, kind: type[R], **more: Any) -> R:
        """Make a request of the fields that were given; `more` gives fields their values instead."""
        known = {one.name for one in request_fields(kind)}
        given = {name: value for name, value in self.values.items() if name in known and value is not None}
        return kind(**given | more)

    def __getattr__(self, name: str) -> Any:
        """Return what was given for a field."""
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(f"no field {name!r} was given") from None

    @property
    def json(self) -> bool:
        """Whether JSON is printed instead of text."""
        return bool(self.common.get("json"))

    @cached_property
    def project(self) -> Project:
        """The project of the working directory, with the store and the model folder that were given."""
        return open_project(self.common.get("store"), self.common.get("models_dir"))

    def show(self, done: Result, text: str) -> int:
        """Print a result, as text or as JSON, and return its exit code."""
        return print_result(done, text, self.json)


def with_request_options(
    *kinds: type[Request],
    without: Sequence[str] = (),
    optional: Sequence[str] = (),
    models: bool = False,
    store: bool = True,
    json: bool = True,
    **other: tuple[Any, Any],
) -> Callable[[Command], Command]:
    """Decorate a command, so that it has the options of the fields of requests, and gets them as its first argument.

    Fields of one name become one option; the fields that requests have of their own come first. `without` names fields
    that are no options here, `optional` those that may be left out here. `other` gives options that are unlike those of
    the field, each as its Annotated type and its default. The command's own parameters become options, too.
    """
    usual = {"models_dir": models, "store": store, "json": json}
    common = {name: told for name, told in _COMMON.items() if usual.get(name, True)}
    return lambda command: RequestCommand(command, _Fields(kinds, without, optional, other), common)


@dataclass(frozen=True)
class _Fields:
    """The requests whose fields become options of a command, and how these differ from the fields."""

    kinds: Sequence[type[Request]]
    without: Sequence[str]
    optional: Sequence[str]
    other: Mapping[str, tuple[Any, Any]]

    def parameters(self) -> dict[str, inspect.Parameter]:
        """Return the parameters by name, those that the requests have of their own first."""
        own = {name for kind in self.kinds for name in vars(kind).get("__annotations__", ())}
        found = [one for kind in self.kinds for one in request_fields(kind)]
        made = dict[str, inspect.Parameter]()
        for one in sorted(found, key=lambda one: one.name not in own):
            if one.name in self.other:
                made[one.name] = _keyword(one.name, *self.other[one.name])
            elif one.name not in (*self.without, *made) and not isinstance(one.about, InPython):
                made[one.name] = _parameter(one, optional=one.name in self.optional)
        return made


class RequestCommand:
    """A command with the options of its requests; they are read when typer asks for its signature, so for one verb."""

    def __init__(self, command: Command, fields: _Fields, common: Mapping[str, tuple[Any, Any]]) -> None:
        self._command, self._fields, self._common = command, fields, common
        self.requests = tuple(fields.kinds)
        self.__name__, self.__doc__, self.__module__ = command.__name__, command.__doc__, command.__module__

    @cached_property
    def _asked(self) -> dict[str, inspect.Parameter]:
        return self._fields.parameters()

    @property
    def __signature__(self) -> inspect.Signature:
        """The options of the requests, those of the command itself, and the common ones."""
        own = list(inspect.signature(self._command, eval_str=True).parameters.values())[1:]
        common = (_keyword(name, *told) for name, told in self._common.items())
        return inspect.Signature([*self._asked.values(), *(one.replace(kind=one.KEYWORD_ONLY) for one in own), *common])

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]  # typer reads both
        """The types of the options, by name."""
        return {one.name: one.annotation for one in self.__signature__.parameters.values()}

    def __call__(self, **given: Any) -> int:
        """Call the command with what was given for its options."""
        values = {name: given.pop(name) for name in self._asked}
        shared = {name: given.pop(name) for name in self._common}
        return self._command(GivenOptions(values, shared), **given)


def _keyword(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _parameter(one: RequestField, *, optional: bool) -> inspect.Parameter:
    """Return the parameter from which typer makes the argument or option of a field."""
    kind, many = _type(one.kind)
    required = one.default is MISSING and not optional
    default = "" if optional and kind is str else None if one.default is MISSING else one.default
    if many or default is None:
        kind, default = (kind if required else kind | None), None
    about: Any = one.about
    said: dict[str, Any] = {"help": about.help, "metavar": about.metavar or None}
    if one.bounds != Bounds() and not many:
        said |= {"min": one.bounds.least, "max": one.bounds.most}
    if isinstance(about, Argument):
        info = typer.Argument(**said, show_default=bool(default))
    else:
        flags = about.flags or (f"--{one.name.replace('_', '-')}",)
        kind = str if about.as_text else kind
        long = next(flag for flag in flags if flag.startswith("--"))
        variable = about.env if isinstance(about.env, str) else f"HARNESS_{long[2:].upper().replace('-', '_')}"
        info = typer.Option(*flags, **said, envvar=variable if about.env else None)
    missing = inspect.Parameter.empty
    return _keyword(one.name, Annotated[kind, info], missing if required else default)


def _type(kind: Any) -> tuple[Any, bool]:
    """Return the type that typer knows for that of a field, and whether there may be several of it."""
    if kind == PathText or kind == PathText | None:
        return Path, False
    if isinstance(kind, UnionType):
        [first, *_] = [part for part in get_args(kind) if part is not NoneType]
        return first, get_origin(first) is tuple
    if get_origin(kind) in (Sequence, list):
        [part] = get_args(kind)
        return list[_type(part)[0]], True  # type: ignore[misc]  # the type is known when the program runs
    return kind, False
