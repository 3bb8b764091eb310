"""Verbs on the tokens that let clients in over HTTP: make one, list them, revoke those of a principal."""

from __future__ import annotations

from harness.attempts.tokens import Token, add_token, read_tokens, revoke_tokens
from harness.store.store import Store
from harness.verbs.project import Project, Result
from harness.verbs.requests import AddTokenRequest, ListTokensRequest, RevokeTokensRequest

__all__ = ["AddTokenResult", "StoredToken", "TokensResult", "list_tokens", "make_token", "withdraw_tokens"]


class StoredToken(Result):
    """What is stored of a token: its digest, whose it is, the profiles it opens, its end, and whether that has come."""

    sha256: str
    principal: str
    scopes: list[str]
    expires: str
    live: bool


class AddTokenResult(Result):
    """Result of `tokens add`: the token, which is shown this once, and what is stored of it."""

    token: str
    stored: StoredToken


class TokensResult(Result):
    """Result of `tokens ls` and `tokens revoke`: the tokens of the store, or those that were revoked."""

    tokens: list[StoredToken]


def make_token(project: Project, asked: AddTokenRequest) -> AddTokenResult:
    """Make a token for an agent and store its digest; only this result ever holds the token itself."""
    secret, made = add_token(Store.make(project.store), asked.principal, asked.scopes or ("answer",), asked.days)
    return AddTokenResult(token=secret, stored=_stored(made))


def list_tokens(project: Project, asked: ListTokensRequest | None = None) -> TokensResult:
    """List the tokens of a store by principal, expired ones too."""
    found = read_tokens(Store.open(project.store)).values()
    return TokensResult(tokens=[_stored(one) for one in sorted(found, key=lambda one: (one.principal, one.expires))])


def withdraw_tokens(project: Project, asked: RevokeTokensRequest) -> TokensResult:
    """Revoke all tokens of a principal, or the one with this digest; a running server follows within a second."""
    return TokensResult(tokens=[_stored(one) for one in revoke_tokens(Store.open(project.store), asked.name)])


def _stored(token: Token) -> StoredToken:
    return StoredToken(
        sha256=token.sha256,
        principal=token.principal,
        scopes=list(token.scopes),
        expires=token.expires,
        live=token.is_live(),
    )
