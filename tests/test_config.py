"""What the server refuses to start with, and what it says then."""

from pathlib import Path

import pytest

from st_bme.config import DEFAULT_PORT, EXTENSION_FOLDER, Options, load_config
from st_bme.errors import StartRefused

SECRET = "s" * 22
ELSEWHERE = {"ST_BME_DATA_DIR": "/somewhere/else"}


def test_by_default_this_machine_only_and_the_platforms_data_folder():
    config = load_config(Options(), {})

    assert (config.host, config.port, config.token) == ("127.0.0.1", DEFAULT_PORT, "")
    assert config.is_loopback
    assert "st-bme-bridge" in config.data_dir.parts
    assert not config.data_dir.is_relative_to(EXTENSION_FOLDER)


def test_options_go_before_the_environment():
    environment = {"ST_BME_PORT": "1111", "ST_BME_HOST": "::1", "ST_BME_DATA_DIR": "/of/the/environment"}

    config = load_config(Options(host="127.0.0.1", port=2222, data_dir="/of/the/option"), environment)
    by_environment = load_config(Options(), environment)

    assert (config.host, config.port, config.data_dir) == ("127.0.0.1", 2222, Path("/of/the/option"))
    assert (by_environment.host, by_environment.port) == ("::1", 1111)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "[::]", "::ffff:192.168.1.5"])
@pytest.mark.parametrize(
    "environment",
    [{}, {"ST_BME_TOKEN": SECRET}, {"ST_BME_ALLOWED_HOSTS": "nas.lan"}],
    ids=["nothing", "no hosts", "no token"],
)
def test_other_machines_need_a_token_and_names(host, environment):
    with pytest.raises(StartRefused, match=r"ST_BME_TOKEN.*--allow-host"):
        load_config(Options(host=host), ELSEWHERE | environment)


def test_with_a_token_and_names_other_machines_are_served():
    environment = {"ST_BME_TOKEN": SECRET, "ST_BME_ALLOWED_ORIGINS": "http://nas.lan:8000, https://st.example.com"}

    config = load_config(Options(host="0.0.0.0", allow_host=["nas.lan"]), ELSEWHERE | environment)

    assert not config.is_loopback
    assert config.allowed_hosts == {"nas.lan"}
    assert config.allowed_origins == {"http://nas.lan:8000", "https://st.example.com"}


@pytest.mark.parametrize("token", ["short", "s" * 21, "with space " * 3, "ключ" * 8, "line\nbreak" * 3])
def test_a_weak_token_is_refused_and_not_repeated(token):
    with pytest.raises(StartRefused) as refusal:
        load_config(Options(), ELSEWHERE | {"ST_BME_TOKEN": token})

    assert token not in str(refusal.value)


@pytest.mark.parametrize(
    "folder", ["", "data", "server/../x"]
)
def test_no_data_in_the_folder_that_sillytavern_serves(folder):
    with pytest.raises(StartRefused, match="--data-dir"):
        load_config(Options(data_dir=str(EXTENSION_FOLDER / folder)), {})


@pytest.mark.parametrize(("option", "variable"), [(70_000, ""), (-1, ""), (None, "many"), (None, "99999")])
def test_a_port_that_is_none_is_refused(option, variable):
    with pytest.raises(StartRefused, match="0 to 65535"):
        load_config(Options(port=option), ELSEWHERE | {"ST_BME_PORT": variable})


@pytest.mark.parametrize("origin", ["null", "*", "http://a/", "http://A", "a:8000", "http://a:80", "https://a:443"])
def test_an_origin_that_no_browser_sends_is_refused(origin):
    with pytest.raises(StartRefused, match="is not an origin"):
        load_config(Options(allow_origin=[origin]), ELSEWHERE)


def test_a_host_must_be_an_address():
    with pytest.raises(StartRefused, match="not an IP address"):
        load_config(Options(host="nas.lan"), ELSEWHERE)
