"""Models as the settings name them."""

import pytest

from adapters.endpoints import KEY, scripted
from st_bme.adapters.model_maker import AdapterMaker
from st_bme.adapters.secrets import FILE_NAME, FileVault, KeyStore
from st_bme.session.event_log import EventLog
from st_bme.session.host_link import HostLink
from st_bme.settings import validate

TEXTS = ("The key is silver.", "It rains.", "The vault is locked.")


def maker_in(folder) -> AdapterMaker:
    return AdapterMaker(HostLink(EventLog(1)), lambda: KeyStore((FileVault(folder / FILE_NAME),), {}), own_port=None)


@pytest.mark.parametrize("address", ["rerankApiUrl", "llm.baseURL", "embeddingApiUrl"])
async def test_an_endpoint_of_its_own_chooses_with_its_model_and_key(tmp_path, address):
    """Without an address of its own the next one that is set counts."""
    async with scripted() as endpoint:
        values = validate(
            {
                "recallEnableLLM": True,
                "rerankSource": "endpoint",
                "rerankModel": "rerank-1",
                "modelSource": "openai",
                "embeddingSource": "openai",
                address: f"{endpoint.url}/v1",
            }
        )
        maker = maker_in(tmp_path)
        await maker.put_secret("rerankApiKey", KEY, values)
        reranker = await maker.reranker(values, None)
        chosen = await reranker.rerank("Where is the key?", TEXTS, most=2, timeout_s=10)
        await maker.close()

    (request,) = endpoint.requests
    assert chosen == [2, 1]
    assert request.body == {"model": "rerank-1", "query": "Where is the key?", "documents": list(TEXTS), "top_n": 2}
    assert request.headers["Authorization"] == f"Bearer {KEY}"


async def test_nobody_chooses_unless_it_is_switched_on(tmp_path):
    assert await maker_in(tmp_path).reranker(validate({"rerankSource": "endpoint"}), None) is None
