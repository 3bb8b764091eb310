"""Command line of the tokens that let clients in over HTTP: `tokens add`, `tokens ls`, `tokens revoke`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from harness.cli.options import GivenOptions, with_request_options
from harness.cli.terminal import format_table, print_message
from harness.verbs.requests import AddTokenRequest, ListTokensRequest, RevokeTokensRequest

if TYPE_CHECKING:
    from harness.verbs.attempts import StoredToken

app = typer.Typer(
    name="tokens", help="Tokens that let clients in over HTTP: make, list, revoke.", rich_markup_mode=None
)


def register(parent: typer.Typer) -> None:
    """Add the group `tokens` to the command line."""
    for verb in (add, ls, revoke):
        app.command()(verb)
    parent.add_typer(app)


@with_request_options(AddTokenRequest)
def add(given: GivenOptions) -> int:
    """Make a token, and show it this once: only its digest is stored."""
    from harness.verbs.attempts import make_token

    done = make_token(given.project, given.request(AddTokenRequest))
    one = done.stored
    print_message(f"for {one.principal}, {', '.join(one.scopes)}, until {one.expires[:10]}; nobody can show it again")
    return given.show(done, done.token)


@with_request_options(ListTokensRequest)
def ls(given: GivenOptions) -> int:
    """List tokens by their digests, expired ones too."""
    from harness.verbs.attempts import list_tokens

    done = list_tokens(given.project, given.request(ListTokensRequest))
    return given.show(done, _listed(done.tokens) if done.tokens else "no tokens")


@with_request_options(RevokeTokensRequest)
def revoke(given: GivenOptions) -> int:
    """Revoke the tokens of a principal, or one by its digest."""
    from harness.verbs.attempts import withdraw_tokens

    done = withdraw_tokens(given.project, given.request(RevokeTokensRequest))
    print_message("a server that is running refuses them from now on")
    return given.show(done, _listed(done.tokens))


def _listed(tokens: list[StoredToken]) -> str:
    rows = [
        [one.sha256[:12], one.principal, ", ".join(one.scopes), one.expires[:10] + ("" if one.live else " (expired)")]
        for one in tokens
    ]
    return format_table(["digest", "principal", "for", "until"], rows)
