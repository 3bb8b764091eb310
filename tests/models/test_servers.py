"""Answers belong to the server that gave them: two servers under one model's name, on one tape, through the gateway."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from models.gateways import GPT, KEY, chat, gateway, model, post
from models.misbehaving import Misbehaving, misbehaving
from needs import needs
from support import error_of
from support_inside import inner_data, inside
from support_tape import answer, body

from harness.digest import canonical_json, sha256
from harness.models.tape.index import check_tape
from harness.models.tape.line import server_address
from harness.models.tape.tape import Recorder, Tape, Taped, request_digest

needs("aiohttp", "openai", "anthropic")
PATH = "/v1/chat/completions"
HOME = "https://api.openai.com/v1"
SEGMENT = "segment-00000.jsonl"
A, B = "http://127.0.0.1:1001/v1", "http://127.0.0.1:1002/v1"
SECRET = "http://lovelace:hunter2@Example.ORG:0080/v1/#part"


@pytest.fixture
def servers() -> Iterator[tuple[Misbehaving, Misbehaving]]:
    """Run two servers that differ in their words, in the model that they say they are, and in its fingerprint."""
    with misbehaving() as one, misbehaving() as other:
        other.voice, other.served, other.fingerprint = "reply", "another-model", "fp_2"
        yield one, other


def ask(
    tape: Path, mode: str, url: str, *texts: str, home: str | None = HOME, **more: Any
) -> tuple[list[str], dict[str, Any]]:
    """Ask a gateway in front of a server; gives the answers, or the errors, and the model's counts."""
    said = []
    with gateway({GPT: model("openai", url, mode, tape, home=home, **more)}) as running:
        for text in texts:
            reply = json.loads(post(running.socket, PATH, chat(text)).content)
            said.append(reply["error"]["message"] if "error" in reply else reply["choices"][0]["message"]["content"])
        counts: dict[str, Any] = running.stop()[GPT]
    return said, counts


def taped(folder: Path) -> list[Taped]:
    with Tape.open(folder) as tape:
        return [*tape.requests()]


def old_tape(folder: Path, *texts: str) -> Path:
    """Record as the harness did before lines named a server."""
    with Recorder(folder) as recorder:
        for text in texts:
            recorder.add("openai", chat(text), 0, 200, answer(f"old {text}"))
    return folder


@pytest.mark.parametrize(
    ("url", "address"),
    [
        (SECRET, "http://example.org/v1"),
        ("http://example.org", "http://example.org"), ("HTTPS://Example.org:443//", "https://example.org"),
        ("http://example.org:443/V1/", "http://example.org:443/V1"), ("http://[::1]:0080/v1", "http://[::1]/v1"),
        ("http://[0:0:0:0:0:0:0:1]:8000/", "http://[::1]:8000"), ("http://Bücher.example/v1", "http://xn--bcher-kva.example/v1"),
        ("http://BÜCHER.example/v1", "http://xn--bcher-kva.example/v1"), ("http://a:8000?#key=k", "http://a:8000"),
        ("http://ada:p%40ss@a/v1", "http://a/v1"), ("http://a@b@c/v1", "http://c/v1"),
    ],
)  # fmt: skip
def test_an_address_has_one_spelling_without_credentials(url: str, address: str) -> None:
    assert server_address(url) == address == server_address(address)


@pytest.mark.parametrize(
    "url",
    ["", "ftp://a", "a/v1", "http://", "http://:80", "http://a:b", "http://a:70000", "http://[::1", "http://[x]/",
     "http://lovelace:hunter2/x@host/v1", "http://ada:1234/hunter2@host", "http://a b", "http://a\\b", "http://a/\x00",
     "http://a/v1?key=hunter2", "http://a?tenant=lovelace", "http://lovelace:hunter2@a/v1/?tenant=a",
     "http://a" + "/x" * 1000, f"http://{'ü' * 70}.org", "http://straße.example", "http://βόλος.example",
     "http://ﬀ.example", "http://a。example", "http://x[::1]/v1", "http://[::1]x/v1", "http://[::1][::2]/v1"],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match=r"address") as bad:
        server_address(url)
    assert "hunter2" not in str(bad.value) and "lovelace" not in str(bad.value)


@pytest.mark.long
def test_another_server_under_the_same_name_is_asked_itself_and_each_replays_its_own(
    servers: tuple[Misbehaving, Misbehaving], tmp_path: Path
) -> None:
    one, other = servers
    tape = tmp_path / "tape"
    assert ask(tape, "record", one.url, "1", "2")[0] == ["echo 1 0", "echo 2 0"]
    said, counts = ask(tape, "record", other.url, "1", "2")
    assert said == ["reply 1 0", "reply 2 0"] and (counts["replayed"], counts["recorded"]) == (0, 2)
    assert counts["servers"] == {f"{other.url}/v1": 2} and counts["models"] == {"another-model": 2}
    assert counts["fingerprints"] == {"fp_2": 2} and not {"unnamed", "moved"} & counts.keys()

    said, counts = ask(tape, "replay", one.url, "1", "2")
    assert said == ["echo 1 0", "echo 2 0"] and counts["servers"] == {f"{one.url}/v1": 2}
    again = ask(tape, "replay", other.url, "1", base_url=f"{other.url}/v1/")
    assert again[0] == ["reply 1 0"], "a slash at the end is no other server"
    assert [(line.server, *line.responder.values()) for line in taped(tape)] == [
        *[(f"{one.url}/v1", "fp_1", GPT)] * 2, *[(f"{other.url}/v1", "fp_2", "another-model")] * 2,
    ]  # fmt: skip
    listed = inner_data("tape", "ls", "tape", cwd=tmp_path)["models"]
    assert sorted((row["server"], row["exchanges"], *row["answered_as"]) for row in listed) == sorted(
        [(f"{one.url}/v1", 2, GPT), (f"{other.url}/v1", 2, "another-model")]
    )
    verified = inner_data("tape", "verify", "tape", cwd=tmp_path)
    assert verified["servers"] == {f"{one.url}/v1": 2, f"{other.url}/v1": 2} and verified["unnamed"] == 0


def test_a_replay_never_takes_another_servers_line_and_says_whose_it_is(
    servers: tuple[Misbehaving, Misbehaving], tmp_path: Path
) -> None:
    one, other = servers
    tape = tmp_path / "tape"
    ask(tape, "record", one.url, "1")
    [said], counts = ask(tape, "replay", other.url, "1")
    assert f"is not on the tape; it was asked of another server, {one.url}/v1. Next: record it" in said
    assert counts["replayed"] == 0 and counts["errors"] == {"tape_miss": 1}
    [said], _ = ask(tape, "replay", other.url, "1", home=f"{other.url}/v1")
    assert f"another server, {one.url}/v1" in said, "nor does the provider itself"


@pytest.mark.long
def test_a_line_of_the_provider_itself_has_the_digest_it_always_had_and_names_its_address(
    servers: tuple[Misbehaving, Misbehaving], tmp_path: Path
) -> None:
    one, other = servers
    tape = tmp_path / "tape"
    ask(tape, "record", one.url, "1", home=f"{one.url.upper().replace('HTTP', 'http')}/v1/")
    with Tape.open(tape) as opened:
        line = opened.find(request_digest("openai", one.bodies[-1]), 0)
    assert line and line.server == f"{one.url}/v1" and not line.more
    [said], _ = ask(tape, "replay", other.url, "1")
    assert f"it was asked of another server, {one.url}/v1" in said, "it is no line without a server"
    assert ask(tape, "replay", other.url, "1", same_as=f"{one.url}/v1", home=f"{one.url}/v1")[0] == ["echo 1 0"]


@pytest.mark.long
def test_a_server_that_moved_replays_what_it_recorded_where_it_was(
    servers: tuple[Misbehaving, Misbehaving], tmp_path: Path
) -> None:
    one, other = servers
    tape = tmp_path / "tape"
    ask(tape, "record", one.url, "1")
    said, counts = ask(tape, "record", other.url, "1", "2", same_as=f"{one.url}/v1/")
    assert said == ["echo 1 0", "reply 2 0"] and counts["moved"] == {f"{one.url}/v1": 1}
    assert (counts["replayed"], counts["recorded"]) == (1, 1) and "unnamed" not in counts
    said, counts = ask(tape, "replay", other.url, "2", same_as=f"{one.url}/v1/")
    assert said == ["reply 2 0"] and "moved" not in counts, "its own line comes first"


@pytest.mark.long
def test_lines_that_name_no_server_answer_as_before_and_are_counted_apart(
    servers: tuple[Misbehaving, Misbehaving], tmp_path: Path
) -> None:
    tape = old_tape(tmp_path / "tape", "1")
    said, counts = ask(tape, "record", servers[0].url, "1", "2")
    assert said == ["old 1", "echo 2 0"] and (counts["unnamed"], counts["replayed"]) == (1, 1)
    assert counts["servers"] == {f"{servers[0].url}/v1": 1}
    said, counts = ask(tape, "replay", servers[0].url, "1", home=f"{servers[0].url}/v1")
    assert said == ["old 1"] and "unnamed" not in counts, "the provider's own address is not in a request"

    inside("tape", "export", "tape", "old.jsonl", cwd=tmp_path, check=0)
    inside("tape", "import", "old.jsonl", "named", "--server", f"{servers[1].url}/v1/", cwd=tmp_path, check=0)
    assert [line.server for line in taped(tmp_path / "named")] == [f"{servers[1].url}/v1", f"{servers[0].url}/v1"]
    said, counts = ask(tmp_path / "named", "replay", servers[1].url, "1")
    assert said == ["old 1"] and "unnamed" not in counts
    assert "another server" in ask(tmp_path / "named", "replay", servers[0].url, "1")[0][0]


def two_servers(folder: Path) -> Path:
    """Record one request as two servers and the provider itself answered it, and one as nobody is known to have."""
    with Recorder(folder) as recorder:
        for more, home, name in (({"server": A}, "", "a"), ({"server": B}, "", "b"), ({}, HOME, "c")):
            response = json.dumps({**json.loads(answer(name)), "model": f"m-{name}", "system_fingerprint": "fp"})
            recorder.add("openai", body(), 0, 200, response.encode(), more, home)
        recorder.add("openai", body("another"), 0, 200, answer("d"))
    return folder


def bytes_of(folder: Path) -> bytes:
    return (folder / SEGMENT).read_bytes()


def test_an_exported_tape_says_who_answered_and_is_imported_byte_for_byte(tmp_path: Path) -> None:
    two_servers(tmp_path / "tape")
    before = inner_data("tape", "export", "tape", "out.jsonl", cwd=tmp_path)["digest"]
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    assert [row.get("server") for row in rows] == [A, B, None, None]
    assert rows[2]["responder"] == {"fingerprint": "fp", "model": "m-c", "server": HOME} and "responder" not in rows[3]
    inside("tape", "import", "out.jsonl", "back", cwd=tmp_path, check=0)
    assert [*taped(tmp_path / "tape")] == [*taped(tmp_path / "back")]
    assert bytes_of(tmp_path / "tape") == bytes_of(tmp_path / "back")
    assert inner_data("tape", "verify", "back", cwd=tmp_path)["servers"] == {A: 1, B: 1, HOME: 1}
    with Tape.open(tmp_path / "back") as tape:
        assert tape.digest() == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"responder": {"model": "m-x"}}, "`responder` does not say"), ({"server": "nowhere"}, "`server`"),
        ({"server": "http://lovelace:hunter2/x@a"}, "`server`"), ({"responder": {"server": A}}, "`responder`"),
        ({"responder": {"key": "k"}}, "`responder`"), ({"responder": {"model": 1}}, "`responder`"),
    ],
)  # fmt: skip
def test_an_exported_line_that_names_somebody_else_is_refused(
    change: Mapping[str, Any], said: str, tmp_path: Path
) -> None:
    response = {**json.loads(answer()), "model": "m"}
    row = {"request": body(), "response": response, "provider": "openai", "status": 200, "server": A, **change}
    (tmp_path / "f.jsonl").write_text(json.dumps(row) + "\n")
    error = error_of(inside("tape", "import", "f.jsonl", "tape", "--json", cwd=tmp_path, check=2))
    assert said in error["what"] and "hunter2" not in json.dumps(error) and not (tmp_path / "tape").exists()


def test_a_line_written_by_hand_passes_no_other_server_off_as_the_provider(tmp_path: Path) -> None:
    row = {"request": body(), "response": {**json.loads(answer()), "model": "m"}, "provider": "openai"}
    responder = {"server": "http://127.0.0.1:8000/v1", "model": "m"}
    (tmp_path / "f.jsonl").write_text(json.dumps({**row, "responder": responder}) + "\n")
    error = error_of(inside("tape", "import", "f.jsonl", "tape", "--json", cwd=tmp_path, check=2))
    assert "than the provider's own" in error["what"] and "`server`" in error["next"]
    assert not (tmp_path / "tape").exists()


@pytest.mark.long
def test_no_credential_of_an_address_is_written(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"server": SECRET},
        {},
        {"server": "https://lovelace:hunter2@API.openai.com:443/v1/#key=sk-hidden"},
    ]
    lines = [{"request": body(str(n)), "response": json.loads(answer()), **row} for n, row in enumerate(rows)]
    (tmp_path / "f.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ("--provider", "openai", "--server", SECRET.replace("80", "8080"))
    inside("tape", "import", "f.jsonl", "tape", *words, cwd=tmp_path, check=0)
    found = [(line.server, "server" in line.more) for line in taped(tmp_path / "tape")]
    assert found == [("http://example.org/v1", True), ("http://example.org:8080/v1", True), (HOME, False)]
    inside("tape", "export", "tape", "out.jsonl", cwd=tmp_path, check=0)
    inside("tape", "redact", "tape", "public", "--match", "46", cwd=tmp_path, check=0)
    (tmp_path / "f.jsonl").unlink()
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        assert not [word for word in (b"hunter2", b"sk-hidden", b"lovelace") if word in path.read_bytes()], path
    for url in (SECRET, "http://lovelace:hunter2@127.0.0.1:1", "http://127.0.0.1:1?key=sk-hidden"):
        done = inside(
            "gateway", "--live", "--provider", "openai", "--upstream", url, cwd=tmp_path, env={"OPENAI_API_KEY": KEY}
        )
        assert done.returncode == 2 and not [
            word for word in ("hunter2", "sk-hidden") if word in done.stdout + done.stderr
        ]


def test_tenants_behind_a_query_are_not_imported_as_one_server_and_the_query_is_repeated_nowhere(
    tmp_path: Path,
) -> None:
    row = {"request": body(), "response": json.loads(answer()), "provider": "openai"}
    whose = [f"{A}?tenant=sk-hidden", f"{A}?tenant=lovelace"]
    (tmp_path / "f.jsonl").write_text(json.dumps(row) + "\n")
    for server in whose:
        done = inside("tape", "import", "f.jsonl", "tape", "--server", server, cwd=tmp_path, check=2)
        assert "two tenants would be one server" in done.stderr and "host and path" in done.stderr
        assert "hidden" not in done.stderr and "lovelace" not in done.stderr
    (tmp_path / "g.jsonl").write_text("".join(json.dumps({**row, "server": server}) + "\n" for server in whose))
    error = error_of(inside("tape", "import", "g.jsonl", "tape", "--json", cwd=tmp_path, check=2))
    assert "`server`" in error["what"] and "hidden" not in json.dumps(error) and not (tmp_path / "tape").exists()


def test_two_servers_are_told_apart_where_tapes_are_put_together(tmp_path: Path) -> None:
    with Recorder(tmp_path / "a") as one, Recorder(tmp_path / "b") as other, Recorder(tmp_path / "c") as third:
        one.add("openai", body(), 0, 200, answer("a"), {"server": A})
        other.add("openai", body(), 0, 200, answer("b"), {"server": B})
        third.add("openai", body(), 0, 200, answer("c"), {"server": B})
    done = inner_data("tape", "merge", "all", "a", "b", cwd=tmp_path)
    assert (done["added"], done["verdict"]) == (2, "agreed")
    with (
        Tape.open(tmp_path / "all") as whole,
        Tape.open(tmp_path / "a") as part,
        Tape.open(tmp_path / "b") as other_part,
    ):
        assert len({whole.digest(), part.digest(), other_part.digest()}) == 3
    text = inside("tape", "ls", "all", cwd=tmp_path, check=0).stdout
    assert A in text and B in text
    refused = inside("tape", "merge", "all", "c", "--json", cwd=tmp_path, check=1)
    [conflict] = json.loads(refused.stdout)["conflicts"]
    assert conflict["server"] == B
    assert f"answers: 1 of {A}, 1 of {B}" in inside("tape", "verify", "all", cwd=tmp_path, check=0).stdout


def test_equal_answers_of_two_servers_are_two_lines_of_another_tape(tmp_path: Path) -> None:
    found = {}
    for name, addresses in (("a", [A]), ("b", [B]), ("both", [A, B]), ("none", [])):
        with Recorder(tmp_path / name) as recorder:
            for more in [{"server": address} for address in addresses] or [{}]:
                recorder.add("openai", body(), 0, 200, answer(), more)
        with Tape.open(tmp_path / name) as tape:
            found[tape.digest()] = len(tape)
    assert sorted(found.values()) == [1, 1, 1, 2]


def test_what_is_redacted_is_hidden_from_who_answered_too(tmp_path: Path) -> None:
    two_servers(tmp_path / "tape")
    inside("tape", "redact", "tape", "models", "--match", "m-[abc]", cwd=tmp_path, check=0)
    assert b"m-a" not in bytes_of(tmp_path / "models") and A.encode() in bytes_of(tmp_path / "models")
    inside("tape", "redact", "tape", "answers", "--field", "/response/model", cwd=tmp_path, check=0)
    assert not [name for name in (b"m-a", b"m-b", b"m-c") if name in bytes_of(tmp_path / "answers")]
    for name, words in (("hosts", ("--match", r"127\.0\.0\.1")), ("servers", ("--field", "/server"))):
        inside("tape", "redact", "tape", name, *words, cwd=tmp_path, check=0)
        assert b"127.0.0.1" not in bytes_of(tmp_path / name)
        assert inner_data("tape", "verify", name, cwd=tmp_path)["verdict"] == "agreed"
        inside("tape", "export", name, f"{name}.jsonl", cwd=tmp_path, check=0)
        inside("tape", "import", f"{name}.jsonl", f"{name}-back", cwd=tmp_path, check=0)
        assert bytes_of(tmp_path / name) == bytes_of(tmp_path / f"{name}-back")


def forge(folder: Path, number: int, old: str, new: str, *, again: bool) -> list[str]:
    """Edit a line, `again` with a digest of its own; gives what is wrong with the tape then."""
    lines = bytes_of(folder).splitlines(keepends=True)
    assert old.encode() in lines[number]
    line = json.loads(lines[number].replace(old.encode(), new.encode()))
    if again:
        line["self"] = sha256(canonical_json({name: value for name, value in line.items() if name != "self"}))
    lines[number] = canonical_json(line) + b"\n"
    (folder / SEGMENT).write_bytes(b"".join(lines))
    (folder / "index.bin").unlink(missing_ok=True)
    return [flaw.detail for flaw in check_tape(folder).flaws]


UNSAID, UNKNOWN = "does not say who", "address that no recording writes"
FORGED = [
    (0, A, B, "does not follow"), (0, '"model":"m-a"', '"model":"m-b"', "another model"),
    (1, '"responder":{', f'"responder":{{"server":"{A}",', UNSAID), (1, B, f"{B}/", UNKNOWN),
    (2, HOME, "http://u:p@a", UNKNOWN), (1, B, f"{B}?tenant=a", UNKNOWN), (2, f',"server":"{HOME}"', "", UNSAID),
    (2, '"responder":', '"responded":', "no exchange"), (2, '"fp","model"', '1,"model"', UNSAID),
]  # fmt: skip


@pytest.mark.parametrize(("number", "old", "new", "said"), FORGED)
def test_a_forged_line_that_names_another_server_or_model_is_found(
    number: int, old: str, new: str, said: str, tmp_path: Path
) -> None:
    whole = two_servers(tmp_path / "tape")
    assert not check_tape(whole).flaws
    shutil.copytree(whole, tmp_path / "edited")
    assert "its own digest" in forge(tmp_path / "edited", number, old, new, again=False)[0]
    flaws = forge(whole, number, old, new, again=True)
    assert any(said in flaw for flaw in flaws), flaws
