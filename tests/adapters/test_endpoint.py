"""Where model calls may go: what is read, normalised and refused."""

import asyncio
import socket

import pytest

from st_bme.adapters.endpoint import check_address, parse_endpoint, resolve
from st_bme.errors import EndpointRefused


@pytest.mark.parametrize(
    ("text", "base_url", "origin"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1", "https://api.openai.com"),
        (" https://API.OpenAI.com/v1/ ", "https://api.openai.com/v1", "https://api.openai.com"),
        ("https://api.openai.com:443/v1", "https://api.openai.com/v1", "https://api.openai.com"),
        ("https://host.example:8443/v1/chat/completions", "https://host.example:8443/v1", "https://host.example:8443"),
        ("https://host.example/openai/embeddings/", "https://host.example/openai", "https://host.example"),
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434"),
        ("http://localhost:80/v1", "http://localhost/v1", "http://localhost"),
        ("http://[::1]:5000/v1", "http://[::1]:5000/v1", "http://[::1]:5000"),
        ("http://[0:0:0:0:0:0:0:1]/v1", "http://[::1]/v1", "http://[::1]"),
        ("https://host.example./v1", "https://host.example/v1", "https://host.example"),
    ],
)
def test_a_base_url_is_read_as_users_write_it(text: str, base_url: str, origin: str):
    endpoint = parse_endpoint(text)

    assert (endpoint.base_url, endpoint.origin) == (base_url, origin)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "api.openai.com/v1",
        "//host.example/v1",
        "ftp://host.example/v1",
        "file:///etc/passwd",
        "gopher://host.example/",
        "unix:/run/model.sock",
        "https://",
        "https://:443/v1",
        "https://user@host.example/v1",
        "https://user:word@host.example/v1",
        "https://host.example@evil.example/v1",
        "https://host.example/v1?key=x",
        "https://host.example/v1#x",
        "https://host.example\\@evil.example/v1",
        "https://host.example\r\nX-Header: 1/v1",
        "https://host.example/v1\tx",
        "https://host example/v1",
        "https://høst.example/v1",
        "https://ｈost.example/v1",
        "https://host%2eexample/v1",
        "https://host.example:0/v1",
        "https://host.example:65536/v1",
        "https://host.example:https/v1",
        "https://host.example:１/v1",
        "http://[::1/v1",
        "http://[::g]/v1",
        "http://[1.2.3.4]/v1",
        "http://[fe80::1%25eth0]/v1",
        "http://metadata.google.internal/v1",
        "http://METADATA.google.internal./v1",
    ],
)
def test_what_is_no_plain_base_url_is_refused(text: str):
    with pytest.raises(EndpointRefused):
        parse_endpoint(text)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "168.63.129.16",
        "fd00:ec2::254",
        "fd20:ce::254",
        "fe80::1",
        "fe80::1%eth0",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "0.0.0.0",
        "::",
        "::ffff:0.0.0.0",
        "224.0.0.1",
        "ff02::1",
        "255.255.255.255",
    ],
)
def test_an_address_of_no_model_server_is_refused(address: str):
    with pytest.raises(EndpointRefused):
        check_address(address, 80, own_port=None)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "192.168.1.5", "10.0.0.2", "fd12:3456::1", "104.18.7.192"])
def test_a_server_of_this_machine_this_network_or_the_internet_is_called(address: str):
    check_address(address, 80, own_port=8791)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::ffff:127.0.0.1"])
def test_our_own_port_is_refused_on_this_machine(address: str):
    with pytest.raises(EndpointRefused, match="8791"):
        check_address(address, 8791, own_port=8791)


def test_our_own_port_on_another_machine_is_anothers():
    check_address("192.0.2.1", 8791, own_port=8791)


@pytest.mark.parametrize("host", ["127.1", "0x7f000001", "2130706433", "0x7f.1", "localhost"])
async def test_every_spelling_of_this_machine_is_known_as_such(host: str):
    with pytest.raises(EndpointRefused, match="8791"):
        await resolve(parse_endpoint(f"http://{host}:8791/v1"), own_port=8791)


@pytest.mark.parametrize("host", ["169.254.169.254", "0xa9fea9fe", "2852039166", "169.254.43518", "[::ffff:a9fe:a9fe]"])
async def test_every_spelling_of_the_metadata_address_is_refused(host: str):
    with pytest.raises(EndpointRefused, match="credentials"):
        await resolve(parse_endpoint(f"http://{host}/v1"), own_port=None)


async def test_one_bad_address_of_a_name_is_enough_to_refuse_it(monkeypatch: pytest.MonkeyPatch):
    async def answer(*_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, 1, 6, "", (address, 80)) for address in ("104.18.7.192", "169.254.169.254")]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", answer)

    with pytest.raises(EndpointRefused):
        await resolve(parse_endpoint("http://rebinding.example/v1"), own_port=None)
