"""Tokens of a store: only digests are written, what is not in order lets nobody in, and revoking takes one or all."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.attempts.tokens import add_token, digest_of_token, parse_tokens, read_tokens, revoke_tokens
from harness.errors import DamageError, InputError
from harness.store.store import Store
from harness.store.sweep import find_strangers


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.make(tmp_path / "store")


def test_a_token_is_stored_by_its_digest_alone(store: Store) -> None:
    made = [add_token(store, "lab-a", ["answer", "answer", "audit"], 1) for _ in range(2)]
    (one, stored), (two, _) = made
    text = (store.root / "tokens.toml").read_text()
    assert one not in text and two not in text and one != two and len(one) > 40
    found = read_tokens(store)
    assert found[digest_of_token(one)] == stored and stored.scopes == ("answer", "audit") and stored.is_live()
    assert stored.caller == "token:lab-a" and not stored.is_live(stored.expires)
    assert (store.root / "tokens.toml").stat().st_mode & 0o777 == 0o600 and not list(find_strangers(store))
    assert revoke_tokens(store, stored.sha256[:12]) == [stored] and len(read_tokens(store)) == 1
    assert len(revoke_tokens(store, "lab-a")) == 1 and not read_tokens(store)
    with pytest.raises(InputError, match="no token"):
        revoke_tokens(store, "lab-a")


@pytest.mark.parametrize(
    ("principal", "scopes", "days"),
    [
        ("", ["answer"], 1),
        ("A b", ["answer"], 1),
        ('x"', ["answer"], 1),
        ("a", [], 1),
        ("a", ["judge"], 1),
        ("a", ["audit"], 0),
    ],
)
def test_what_is_no_token_is_not_made(store: Store, principal: str, scopes: list[str], days: int) -> None:
    with pytest.raises(InputError):
        add_token(store, principal, scopes, days)
    assert not read_tokens(store)


GOOD = f'sha256 = "{"0" * 64}"\nprincipal = "a"\nscopes = ["answer"]\nexpires = "2026-01-31T00:00:00.000Z"\n'


@pytest.mark.parametrize(
    "text",
    [
        "[[token]]\n",
        "token = 1\n",
        "x = 1\n",
        "[[token]\n",
        "[[token]]\n" + GOOD + "more = 1\n",
        "[[token]]\n" + GOOD + "[[token]]\n" + GOOD,  # the same digest twice
        "[[token]]\n" + GOOD.replace("0" * 64, "0" * 63),
        "[[token]]\n" + GOOD.replace('"a"', '"../a"'),
        "[[token]]\n" + GOOD.replace('["answer"]', '["root"]'),
        "[[token]]\n" + GOOD.replace('["answer"]', '"answer"'),
        "[[token]]\n" + GOOD.replace("2026-01-31T", "9999999"),
        "[[token]]\n" + GOOD.replace('"2026-01-31T00:00:00.000Z"', "2026-01-31"),
    ],
)
def test_a_file_that_is_not_in_order_lets_nobody_in(text: str) -> None:
    assert len(parse_tokens(("[[token]]\n" + GOOD).encode(), "here")) == 1
    with pytest.raises(DamageError, match="token"):
        parse_tokens(text.encode(), "here")
