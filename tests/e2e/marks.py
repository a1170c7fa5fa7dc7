"""What every end-to-end test module is marked with: `pytestmark = E2E`."""

import pytest

# One event loop for the run, since the browser and the endpoint live in it as long as SillyTavern does.
# The limit is for the test alone: the first one's fixtures may install and start everything.
E2E = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(120, func_only=True),
]
