"""`replay --model openai`: the whole pipeline with a model at an endpoint."""

import asyncio
import json

import pytest

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint, ScriptedReply
from st_bme.cli import main

KEY = "sk-canary-0123456789abcdef"
ANSWER = {
    "operations": [{"action": "create", "type": "character", "fields": {"name": "Ilse", "state": "sailing"}}],
}


@pytest.fixture
def chat(tmp_path):
    lines = [{"user_name": "Rin", "character_name": "Mara", "chat_metadata": {}}]
    for turn in range(15):
        lines.append({"name": "Rin", "is_user": True, "mes": f"Turn {turn}: where is Ilse?"})
        lines.append({"name": "Mara", "is_user": False, "mes": f"Turn {turn}: Ilse is sailing."})
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return path


@pytest.fixture
async def endpoint():
    scripted = ScriptedEndpoint()
    await scripted.start()
    yield scripted
    await scripted.stop()


async def replay(chat, endpoint, capsys):
    arguments = ["replay", str(chat), "--model", "openai", "--base-url", f"{endpoint.url}/v1", "--model-name", "tiny"]
    code = await asyncio.to_thread(main, [*arguments, "--json"])
    shown = capsys.readouterr()
    return code, json.loads(shown.out), shown.err


async def test_every_turn_is_one_call_with_the_key_and_the_model(chat, endpoint, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    endpoint.script = lambda request: ScriptedReply(json.dumps(ANSWER))
    code, report, err = await replay(chat, endpoint, capsys)

    assert (code, report["model_calls"], report["records"]) == (0, 15, 15)
    assert len(endpoint.requests) == 15
    assert {request.body["model"] for request in endpoint.requests} == {"tiny"}
    assert {request.headers["Authorization"] for request in endpoint.requests} == {f"Bearer {KEY}"}
    assert KEY not in json.dumps(report) + err
    assert report["nodes"] >= 1


async def test_a_model_that_fails_is_said_and_nothing_is_made_up(chat, endpoint, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    endpoint.script = lambda request: ScriptedReply("no", status=401)
    code, report, err = await replay(chat, endpoint, capsys)

    assert (code, report["records"], report["nodes"]) == (0, 0, 0)
    (line,) = err.strip().splitlines()
    assert line.startswith("30 messages were not read: ")
    assert "key" in line


def test_options_of_a_model_without_one_are_refused(chat, capsys):
    assert main(["replay", str(chat), "--base-url", "http://127.0.0.1:1/v1"]) == 1
    assert "--model openai" in capsys.readouterr().err


@pytest.mark.parametrize("given", [[], ["--base-url", "http://127.0.0.1:1/v1"], ["--model-name", "tiny"]])
def test_a_model_without_address_or_name_is_refused_at_once(chat, capsys, given):
    assert main(["replay", str(chat), "--model", "openai", *given]) == 1
    assert "needs --base-url and --model-name" in capsys.readouterr().err
