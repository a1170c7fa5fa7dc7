"""Commands that belong to no chat: what the page can do for the server, models, what they cost."""

from __future__ import annotations

from st_bme.protocol import commands, results
from st_bme.session.tools import Tools
from st_bme.session.usage_wire import usage_report


class ServerCommands:
    """What the bridge does for the page as a whole."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def host_state(self, command: commands.HostState) -> results.Ok:
        """Take what the page can do for the server."""
        self._tools.host.seen(command)
        return results.Ok()

    async def llm_result(self, command: commands.LlmResult) -> results.Ok:
        """Take the answer to a relayed call."""
        self._tools.host.take(command)
        return results.Ok()

    async def models_test(self, command: commands.ModelsTest) -> results.ModelTested:
        """Try a model with the smallest call there is."""
        models = self._tools.models
        return await (models.test_chat() if command.what == "chat" else models.test_embedding())

    async def usage(self, command: commands.Usage) -> results.UsageReport:
        """What model calls cost, by day, chat and task."""
        return await usage_report(self._tools, command.days)
