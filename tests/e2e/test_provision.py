"""What a machine without the programs of the end-to-end tests is told; these tests need none of them."""

from pathlib import Path

import pytest

from .provision import ProvisionError, find_missing, installation_dir, provision


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("empty_path")
def test_each_missing_program_is_named_with_its_remedy() -> None:
    lines = find_missing()

    assert [line.split()[0] for line in lines] == ["node", "npm", "chromium"]
    assert all("install" in line and "\n" not in line for line in lines)


@pytest.mark.usefixtures("empty_path")
def test_provision_refuses_in_one_line() -> None:
    with pytest.raises(ProvisionError) as caught:
        provision()

    assert "\n" not in str(caught.value)
    assert "chromium" in str(caught.value)


def test_a_named_browser_is_taken_instead_of_the_usual_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ST_BME_CHROMIUM", str(tmp_path / "no-such-browser"))

    assert any(line.startswith("chromium is missing") for line in find_missing())


def test_the_installation_lies_in_the_users_cache_and_outside_the_repository() -> None:
    repository = Path(__file__).resolve().parents[2]

    assert not installation_dir().is_relative_to(repository)
