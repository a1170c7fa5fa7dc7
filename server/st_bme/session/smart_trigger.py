"""The smart trigger of one chat: the user's patterns, and whether what is pending is worth reading at once."""

from __future__ import annotations

from st_bme.protocol.events import NoticeEvent
from st_bme.protocol.results import Notice
from st_bme.session.chat_session import ChatSession
from st_bme.session.tools import Tools
from st_bme.write.cleaning import clean_message
from st_bme.write.patterns import Patterns, compile_patterns, is_available
from st_bme.write.trigger import score_trigger

LOOKED_AT = 40
"""Messages at the end of what is pending: in a chat that was never read everything is."""

_SHOWN = 5


class SmartTrigger:
    """Compiles the patterns once a setting, and says which of them cannot be used."""

    def __init__(self, session: ChatSession, tools: Tools) -> None:
        self._session = session
        self._tools = tools
        self._setting = ""
        self._patterns = Patterns()

    def fires(self, pending: range) -> bool:
        """Whether the messages at these places of the view are worth reading at once."""
        settings, session = self._tools.settings(), self._session
        if not settings.bool("enableSmartTrigger") or not pending:
            return False
        if settings.text("triggerPatterns") != self._setting:
            self._setting = settings.text("triggerPatterns")
            self._patterns = compile_patterns(self._setting)
            self._tell_refused()
        messages = (session.log.message(session.view, place) for place in pending[-LOOKED_AT:])
        told = [clean_message(message) for message in messages if message is not None]
        return score_trigger(told, self._patterns).fires(settings.int("smartTriggerThreshold"))

    def _tell_refused(self) -> None:
        if not self._patterns.refused:
            return
        code = "trigger_patterns_refused" if is_available() else "trigger_patterns_off"
        data = {"patterns": " · ".join(self._patterns.refused[:_SHOWN])}
        notice = Notice(code=code, level="warning", data=dict(data))
        self._tools.events.publish("notice", NoticeEvent(lineage=self._session.lineage, notice=notice))
