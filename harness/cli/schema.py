"""Command line of the verb `schema`: the fields of a manifest as a table, or JSON Schema for an editor."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.cli.options import Debug, Json
from harness.cli.terminal import render, table


def register(app: typer.Typer) -> None:
    """Add the command `schema` to the command line."""
    app.command()(schema)


def schema(
    field: Annotated[str, typer.Argument(help="Only fields whose path begins so, such as `generation`.")] = "",
    json: Json = False,
    debug: Debug = False,
) -> int:
    """List a manifest's fields; --json gives JSON Schema."""
    from harness.verbs.describing import SchemaRequest
    from harness.verbs.describing import schema as verb

    done = verb(SchemaRequest(field=field))
    rows = [[one.field, one.kind, one.default or "unset", one.about] for one in done.fields]
    return render(done, table(["field", "holds", "default", ""], rows), json)
