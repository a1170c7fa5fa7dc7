"""A real server: its own process, its own sockets."""

import gzip
import http.client
import json
import os
import random
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

SERVER = Path(__file__).resolve().parents[2] / "server"
ORIGIN = "http://127.0.0.1:8000"
SECRET = "bme_" + "canary" * 7 + "x"
JSON = {"Content-Type": "application/json"}


@dataclass
class Running:
    """A server under test."""

    process: subprocess.Popen
    port: int
    folder: Path
    banner: str

    def request(self, method, path, headers=None, body=None, host="127.0.0.1"):
        connection = http.client.HTTPConnection(host, self.port, timeout=5)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def post(self, path, headers, body=b"{}"):
        status, answer = self.request("POST", path, JSON | headers, body)
        return status, json.loads(answer)

    def pair(self):
        return self.post("/v1/pair", {"Origin": ORIGIN})[1]["token"]

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(10)

    @property
    def log(self):
        return (self.folder / "stderr").read_text(errors="replace")


def command_line(*arguments, folder):
    return [sys.executable, "-m", "st_bme", "serve", "--data-dir", str(folder / "data"), *arguments]


def surroundings(**variables):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ST_BME_")}
    return environment | {"PYTHONPATH": str(SERVER), "PYTHONWARNINGS": "ignore"} | variables


@contextmanager
def served(folder, *arguments, **variables):
    with (folder / "stderr").open("ab") as log:
        process = subprocess.Popen(
            command_line("--port", "0", *arguments, folder=folder),
            env=surroundings(**variables),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    try:
        banner = ""
        while "Next:" not in banner:
            line = process.stdout.readline()
            assert line, f"the server ended: {(folder / 'stderr').read_text()}"
            banner += line
        yield Running(process, int(re.search(r"Address +\S+:(\d+)", banner)[1]), folder, banner)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()


def refusal(*arguments, folder, **variables):
    """Exit code and stderr of a server that does not start."""
    ended = subprocess.run(
        command_line(*arguments, folder=folder),
        env=surroundings(**variables),
        capture_output=True,
        text=True,
        timeout=10,
        check=False,
    )
    return ended.returncode, ended.stderr


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with served(tmp_path_factory.mktemp("server"), "--debug", ST_BME_TOKEN=SECRET) as server:
        yield server


@pytest.fixture
def page():
    return {"Origin": ORIGIN, "Authorization": f"Bearer {SECRET}"}


def test_it_answers_on_both_loopback_addresses(running):
    assert running.request("GET", "/v1/hello")[0] == 200
    if "[::1]" in running.banner:
        assert running.request("GET", "/v1/hello", host="::1")[0] == 200


def test_the_banner_says_where_it_is_and_what_to_do_next(running):
    assert f"http://127.0.0.1:{running.port}" in running.banner
    assert "Models   chat: relay, embedding: local" in running.banner
    assert "connects by itself" in running.banner
    assert "tick Use memory" in running.banner
    assert SECRET not in running.banner


@pytest.mark.parametrize(
    ("encoding", "bomb"),
    [
        ("gzip", gzip.compress(bytes(50_000_000), 6)),
        ("gzip", gzip.compress(gzip.compress(bytes(10_000_000)))),
        ("deflate", zlib.compress(bytes(50_000_000), 6)),
        ("br", b"\x1b\xff\xff\xff"),
        ("zstd", b"\x28\xb5\x2f\xfd\x00\x00"),
        ("identity", b"{}"),
        ("gzip, gzip", b"{}"),
    ],
    ids=["gzip", "gzip twice", "deflate", "brotli", "zstd", "identity", "a list"],
)
def test_a_compressed_body_is_never_opened(running, page, encoding, bomb):
    status, failure = running.post("/v1/settings/get", page | {"Content-Encoding": encoding}, bomb)

    assert (status, failure["code"]) == (415, "wrong_content_type")


def test_the_configured_token_opens_the_commands(running, page):
    status, answer = running.post("/v1/settings/get", page)

    assert status == 200
    assert answer["values"] == {}


def mutated(text: bytes, dice: random.Random) -> bytes:
    """A request with a few bytes changed, dropped, doubled, or a line said twice."""
    data = bytearray(text)
    for _ in range(dice.randint(1, 4)):
        place = dice.randrange(len(data))
        match dice.randrange(5):
            case 0:
                data[place] = dice.randrange(256)
            case 1:
                del data[place : place + dice.randint(1, 8)]
            case 2:
                data[place:place] = data[place : place + dice.randint(1, 20)]
            case 3:
                lines = bytes(data).split(b"\r\n")
                lines.insert(dice.randrange(len(lines)), dice.choice(lines))
                data = bytearray(b"\r\n".join(lines))
            case _:
                data[place:place] = dice.choice(
                    [b"\0", b"\r", b"\n", b"\x83", b" ", b"\r\nHost: evil\r\n", b"\xff" * 9]
                )
        if not data:
            data = bytearray(b"\r\n")
    return bytes(data)


def send_raw(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.settimeout(0.5)
        try:
            connection.sendall(data)
            return connection.recv(65_536)
        except (TimeoutError, ConnectionError):
            return b""


def test_no_malformed_request_makes_an_error_of_the_servers_own_or_a_secret_in_the_log(running):
    request = (
        f"POST /v1/settings/get HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\nOrigin: {ORIGIN}\r\n"
        f"Authorization: Bearer {SECRET}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
        f"x-api-key: sk-canarycanary\r\nConnection: close\r\n\r\n{{}}"
    ).encode()
    dice = random.Random(1)

    attacks = [mutated(request, dice) for _ in range(5_000)]
    with ThreadPoolExecutor(32) as attackers:
        answers = list(attackers.map(lambda attack: send_raw(running.port, attack), attacks))

    statuses = Counter(answer[9:12] for answer in answers if answer.startswith(b"HTTP/1."))
    assert statuses.total() > 4_000
    assert statuses[b"200"] > 100
    assert {status for status in statuses if status >= b"500"} - {b"505"} == set()
    assert running.request("GET", "/v1/hello")[0] == 200
    assert "canary" not in running.log


def test_one_server_a_data_directory(running):
    code, said = refusal("--port", "0", folder=running.folder)

    assert code == 1
    assert f"process {running.process.pid}" in said
    assert said.count("\n") == 1


def test_a_port_in_use_is_one_line_that_says_what_to_do(running, tmp_path):
    code, said = refusal("--port", str(running.port), folder=tmp_path)

    assert code == 1
    assert said == (
        f"st-bme: 127.0.0.1:{running.port} is in use by another program; "
        "stop that one, or choose another port with --port\n"
    )


def test_other_machines_are_not_served_by_accident(tmp_path):
    began = time.monotonic()

    code, said = refusal("--host", "0.0.0.0", folder=tmp_path)

    assert code == 1
    assert said.count("\n") == 1
    assert time.monotonic() - began < 5
    assert not (tmp_path / "data").exists()


def test_a_server_for_other_machines_pairs_nobody_by_itself_and_keeps_the_host_check(tmp_path):
    arguments = ("--host", "0.0.0.0", "--allow-host", "nas.lan", "--allow-origin", "http://nas.lan:8000")
    with served(tmp_path, *arguments, ST_BME_TOKEN=SECRET) as server:
        _, waits = server.post("/v1/pair", {"Origin": "http://nas.lan:8000", "Host": f"nas.lan:{server.port}"})
        by_token, _ = server.post(
            "/v1/settings/get", {"Host": f"nas.lan:{server.port}", "Authorization": f"Bearer {SECRET}"}
        )
        rebound, _ = server.post("/v1/settings/get", {"Host": "evil.example", "Authorization": f"Bearer {SECRET}"})

    assert waits["paired"] is False
    assert by_token == 200
    assert rebound == 421


def test_a_token_outlives_a_killed_server(tmp_path):
    with served(tmp_path) as server:
        token = server.pair()
        server.stop(signal.SIGKILL)
    with served(tmp_path) as server:
        status, _ = server.post("/v1/settings/get", {"Origin": ORIGIN, "Authorization": f"Bearer {token}"})

    assert status == 200
    assert token not in (tmp_path / "stderr").read_text()


@pytest.mark.skipif(os.name != "posix", reason="Windows has no signals to send and no permission bits")
def test_a_signal_ends_it_cleanly_and_says_bye_to_the_pages(tmp_path):
    old_mask = os.umask(0)
    try:
        with served(tmp_path) as server:
            token = server.pair()
            stream = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
            stream.request("GET", "/v1/events", headers={"Authorization": f"Bearer {token}"})
            response = stream.getresponse()
            began = time.monotonic()

            code = server.stop()
            took_s = time.monotonic() - began
            body = response.read()
            stream.close()
    finally:
        os.umask(old_mask)

    assert code == 0
    assert took_s < 3
    assert b"event: bye" in body
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in [tmp_path / "data", *(tmp_path / "data").iterdir()]
    }
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
    assert not [name for name in modes if name.endswith(("-wal", ".draft"))]


@pytest.mark.skipif(os.name != "posix", reason="Windows has no signals to send")
def test_a_supervisor_that_says_stop_twice_still_gets_a_clean_end(tmp_path):
    with served(tmp_path) as server:
        server.process.send_signal(signal.SIGTERM)

        assert server.stop() == 0


@pytest.mark.slow
def test_connections_that_never_say_what_they_want_are_ended_and_hinder_nobody(tmp_path):
    with served(tmp_path) as server:
        waiting = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(200)]
        for connection in waiting:
            connection.sendall(b"POST /v1/pair HTTP/1.1\r\nHost: 127.")
        began = time.monotonic()
        assert server.request("GET", "/v1/hello")[0] == 200
        answered_s = time.monotonic() - began

        ended = [ends(connection) for connection in waiting]
        took_s = time.monotonic() - began

    assert answered_s < 0.5
    assert all(ended)
    assert took_s < 15


def ends(connection: socket.socket) -> bool:
    with connection:
        try:
            return connection.recv(1) == b""
        except ConnectionError:
            return True
        except TimeoutError:
            return False


def test_what_takes_long_to_import_is_not_imported_before_the_port_is_open():
    slow = {"openai", "tiktoken", "rich", "numpy", "st_bme.core"}
    program = f"import sys, st_bme.commands.serve; print({slow} & set(sys.modules))"

    said = subprocess.run(
        [sys.executable, "-c", program], env=surroundings(), capture_output=True, text=True, check=True
    )

    assert said.stdout.strip() == "set()"
