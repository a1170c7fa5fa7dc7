"""What model calls cost, as the wire has it."""

from __future__ import annotations

from st_bme.model.usage import UsageRow
from st_bme.protocol.results import UsageEntry, UsageReport
from st_bme.session.tools import Tools


async def usage_report(tools: Tools, days: int) -> UsageReport:
    """What was used in the last days, today among them."""
    usage = tools.usage
    entries = [_entry(row) for row in await usage.rows(days)]
    today = usage.today.isoformat()
    return UsageReport(
        today=today,
        calls=sum(entry.calls for entry in entries if entry.day == today),
        tokens=usage.tokens_today,
        budget=tools.budget.tokens,
        entries=entries,
    )


def _entry(row: UsageRow) -> UsageEntry:
    return UsageEntry(
        day=row.day,
        lineage=row.lineage,
        chat=row.chat,
        task=row.task,
        calls=row.spent.calls,
        prompt_tokens=row.spent.prompt_tokens,
        answer_tokens=row.spent.answer_tokens,
    )
