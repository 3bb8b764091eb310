"""Published data comes from its address, a store beside it or a person, and is held by its digest."""

import http.server
import json
import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest
from manifest.parsing import GOOD, parse

from harness.digest import sha256
from harness.errors import InputError, MissingError
from harness.manifest.datasets import Fetched
from harness.run.locking.published import download_url, fetch_pinned, store_file, store_rows
from harness.run.locking.published import fetch_published as files_of
from harness.store.store import Store
from harness.store.sweep import collect_garbage

DATA = b"city,lat\nArden,10\n" * 1000


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Serve data over https on loopback, with a certificate made for the test."""
    folder = tmp_path_factory.mktemp("https")
    (folder / "served").mkdir()
    (folder / "served" / "cities.csv").write_bytes(DATA)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "key", "-out", folder / "cert"],
        check=True, capture_output=True,
    )  # fmt: skip

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=folder / "served")

        def do_GET(self):
            if self.path == "/away":
                self.send_response(302)
                self.send_header("Location", f"http://localhost:{self.connection.getsockname()[1]}/cities.csv")
                self.end_headers()
                return
            super().do_GET()

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert", folder / "key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(folder / "cert"))
        yield f"https://localhost:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def store(tmp_path):
    return Store.make(tmp_path / "store")


def pinned(url, data=DATA):
    return Fetched(fetch=url, sha256=sha256(data), licence="CC BY 4.0")


def test_data_is_fetched_once_and_held_by_its_digest(published, store):
    wanted = pinned(f"{published}/cities.csv")
    fetch_pinned(store, wanted)
    assert store.blobs.read(wanted.sha256) == DATA
    fetch_pinned(store, pinned("https://localhost:1/gone"))  # it is here: nobody is asked


def test_other_bytes_at_the_address_are_refused_and_their_digest_is_told(published, store):
    with pytest.raises(MissingError, match="not what the manifest pins") as told:
        fetch_pinned(store, pinned(f"{published}/cities.csv", b"other"))
    assert sha256(DATA) in told.value.next
    assert store.blobs.state(sha256(DATA)) == "missing"


@pytest.mark.parametrize("path", ["/nothing", "/away"])
def test_what_cannot_be_fetched_says_why_and_what_to_do(published, store, path):
    with pytest.raises(MissingError, match=r"could not be fetched|leads away") as told:
        fetch_pinned(store, pinned(published + path))
    assert "harness import data FILE" in told.value.next


def test_each_listed_file_is_fetched_or_named_and_a_silent_host_asked_once(published, store, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # it takes the call and says nothing that is TLS
        asked = []

        def hang_up():
            while True:
                call, _ = deaf.accept()
                asked.append(call.close())

        threading.Thread(target=hang_up, daemon=True).start()
        gone = f"https://localhost:{deaf.getsockname()[1]}"
        files = {
            "a.csv": f"{published}/cities.csv", "b.csv": f"{published}/nothing", "c.csv": f"{published}/cities.csv",
            "d.csv": f"{gone}/d", "e.csv": f"{gone}/e", "f.csv": f"{published}/cities.csv",
        }  # fmt: skip
        other = sha256(b"other")
        fetched = {
            path: {"url": url, "sha256": sha256(DATA) if path == "a.csv" else other, "size": len(DATA)}
            for path, url in files.items()
        }
        fetched["f.csv"]["size"] = 7
        listed = json.dumps({"fetch": fetched, "licence": "x"})
        manifest = parse(GOOD.replace("datasets:\n", f"datasets:\n  p: {listed}\n"))
        found = files_of(manifest, store, threading.Event())
    assert found.pins["p"]["absent"] == ["b.csv", "c.csv", "d.csv", "e.csv", "f.csv"]
    assert store.blobs.state(sha256(DATA)) == "sound" and store.blobs.state(other) == "missing"
    why = found.absent["p"]
    assert "HTTP 404" in why["b.csv"] and "larger than the 7 bytes" in why["f.csv"]
    assert f"{other} is pinned, and its SHA-256 is {sha256(DATA)}" in why["c.csv"]
    assert why["d.csv"] == why["e.csv"] and len(asked) == 1


def test_nobody_listens(store):
    with pytest.raises(MissingError, match="could not be fetched"):
        fetch_pinned(store, pinned("https://localhost:1/cities.csv"))


def test_a_store_beside_it_is_as_good_as_the_address(store, tmp_path):
    beside = Store.make(tmp_path / "beside")
    (tmp_path / "cities.csv").write_bytes(DATA)
    assert store_file(beside, tmp_path / "cities.csv") == (sha256(DATA), len(DATA))
    fetch_pinned(store, pinned("https://localhost:1/gone"), tmp_path / "beside")
    assert store.blobs.state(sha256(DATA)) == "sound"


def test_damaged_bytes_of_a_store_beside_it_are_not_taken(store, tmp_path):
    beside = Store.make(tmp_path / "beside")
    path = beside.blobs.path(beside.blobs.put(DATA))
    path.chmod(0o644)
    path.write_bytes(b"other")
    with pytest.raises(MissingError, match="could not be fetched"):
        fetch_pinned(store, pinned("https://localhost:1/cities.csv"), tmp_path / "beside")
    assert not list(store.root.glob("blobs/*/*/*"))


def test_a_full_disk_is_not_the_fault_of_the_address(published):
    with pytest.raises(MissingError, match="the disk is full"):
        download_url(f"{published}/cities.csv", Path("/dev/full"))


def test_a_persons_own_file_and_rows(store, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        store_file(store, tmp_path / "nothing")
    assert store.blobs.read(store_rows(store, [{"b": 1, "a": "x"}])) == b'{"a":"x","b":1}\n'


def test_what_a_person_brought_along_stays_when_the_store_is_swept(store, tmp_path):
    (tmp_path / "cities.csv").write_bytes(DATA)
    kept = [store_file(store, tmp_path / "cities.csv")[0], store_rows(store, [{"a": 1}])]
    loose = store.blobs.put(b"nobody names this")
    assert collect_garbage(store, delete=True).blobs == [loose]
    assert [store.blobs.state(digest) for digest in kept] == ["sound", "sound"]


def test_private_data_is_never_downloaded_and_comes_from_its_owner(tmp_path, monkeypatch):
    monkeypatch.setattr(socket, "socket", None)  # whoever opens a connection fails
    owned = Fetched(fetch="private:cities", sha256=sha256(DATA), licence="none")
    store = Store.make(tmp_path / "store")
    with pytest.raises(MissingError) as error:
        fetch_pinned(store, owned)
    assert (
        "private" in error.value.what
        and f"import data FILE`, your copy of it (SHA-256 {sha256(DATA)}" in error.value.next
    )
    (tmp_path / "mine.csv").write_bytes(DATA)
    store_file(store, tmp_path / "mine.csv")
    fetch_pinned(store, owned)
    fetch_pinned(Store.make(tmp_path / "other"), owned, beside=tmp_path / "store")
