"""A real SillyTavern: its settings, its process and the chat files that it writes."""

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from .processes import LoggedProcess, answers, free_port
from .provision import Programs

REPOSITORY = Path(__file__).resolve().parents[2]
EXTENSION_FOLDER = "ST-BME-Bridge"
EXTENSION_NAME = f"third-party/{EXTENSION_FOLDER}"
SETTINGS_KEY = "st_bme_bridge"
USER_NAME = "Tess"
# Opens each prompt of a role-play reply and of nothing else, whichever API is in use.
PROMPT_MARK = "[role-play reply]"

# Built-in extensions that take no part in these tests and make half of a page's load time.
_UNUSED_EXTENSIONS = [
    "assets",
    "attachments",
    "caption",
    "expressions",
    "gallery",
    "memory",
    "quick-reply",
    "stable-diffusion",
    "token-counter",
    "translate",
    "tts",
    "vectors",
]
_START_TIMEOUT_S = 180
_CONFIG = """\
whitelistDockerHosts: false
enableDownloadableTokenizers: false
backups:
  chat:
    enabled: false
extensions:
  autoUpdate: false
  models:
    autoDownload: false
"""


class Api(StrEnum):
    CHAT_COMPLETION = "chat"
    TEXT_COMPLETION = "text"


@dataclass(frozen=True, slots=True)
class Setup:
    """What SillyTavern is set to before a page is opened."""

    api: Api
    context_tokens: int = 4096
    reply_tokens: int = 200
    is_streaming: bool = False
    with_extension: bool = True
    extension_settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChatFile:
    """A chat as it lies on disk."""

    path: Path
    text: str

    @property
    def metadata(self) -> dict[str, Any]:
        header: dict[str, dict[str, Any]] = json.loads(self.text.split("\n", 1)[0])
        return header["chat_metadata"]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()[1:]]

    @property
    def spoken(self) -> list[str]:
        return [message["mes"] for message in self.messages]


class SillyTavern:
    """One server process over one data root; settings are written between pages, never under one."""

    def __init__(self, programs: Programs, data_root: Path, endpoint_url: str) -> None:
        self._programs = programs
        self._data_root = data_root
        self._endpoint_url = endpoint_url
        self._process: LoggedProcess | None = None
        self._port = free_port()
        self.user_folder = data_root / "default-user"
        self.log = data_root / "sillytavern.log"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start the process and return once it serves. A restart keeps port and data."""
        self._data_root.mkdir(parents=True, exist_ok=True)
        config = self._data_root / "config.yaml"
        config.write_text(_CONFIG)
        self._reuse_compiled_front_end()
        options = {"configPath": config, "dataRoot": self._data_root, "port": self._port}
        arguments = [part for name, value in options.items() for part in (f"--{name}", str(value))]
        command = [str(self._programs.node), "server.js", *arguments, "--listen=false", "--browserLaunchEnabled=false"]
        self._process = LoggedProcess.start(command, self.log, folder=self._programs.sillytavern)
        self._process.wait_until(lambda: answers(self.url), timeout_s=_START_TIMEOUT_S)

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None

    def configure(self, setup: Setup) -> None:
        """Write the settings that the next page loads."""
        self.user_folder.mkdir(parents=True, exist_ok=True)
        settings = json.loads((self._programs.sillytavern / "default/content/settings.json").read_text())
        _apply(setup, settings)
        _connect(self._endpoint_url, settings)
        (self.user_folder / "settings.json").write_text(json.dumps(settings))

    def install_extension(self) -> None:
        """Copy what a clone of the repository would bring of the extension: tracked files only."""
        target = self.user_folder / "extensions" / EXTENSION_FOLDER
        shutil.rmtree(target, ignore_errors=True)
        for name in _tracked_files("manifest.json", "st-extension"):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, target / name)

    def read_chat(self, avatar: str, chat_id: str) -> ChatFile:
        path = self.user_folder / "chats" / Path(avatar).stem / f"{chat_id}.jsonl"
        return ChatFile(path, path.read_text())

    def write_chat(self, avatar: str, chat_id: str, messages: Sequence[Mapping[str, object]]) -> None:
        """Put a chat file beside those that SillyTavern wrote."""
        path = self.user_folder / "chats" / Path(avatar).stem / f"{chat_id}.jsonl"
        header = {"chat_metadata": {}, "user_name": "unused", "character_name": "unused"}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in (header, *messages)))

    def read_group_chat(self, chat_id: str) -> ChatFile:
        path = self.user_folder / "group chats" / f"{chat_id}.jsonl"
        return ChatFile(path, path.read_text())

    def _reuse_compiled_front_end(self) -> None:
        """SillyTavern looks in its data root, but in a container beside its code, where the build was made."""
        compiled = self._programs.sillytavern / "dist" / "_webpack"
        shutil.copytree(compiled, self._data_root / "_webpack", dirs_exist_ok=True)


def _tracked_files(*paths: str) -> list[str]:
    command = ["git", "ls-files", "-z", "--", *paths]
    listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name]


def _apply(setup: Setup, settings: dict[str, Any]) -> None:
    """Change SillyTavern's default settings: no onboarding, one API, sizes and the extension's section."""
    settings["firstRun"] = False
    settings["username"] = USER_NAME
    settings["main_api"] = "openai" if setup.api is Api.CHAT_COMPLETION else "textgenerationwebui"
    settings["power_user"] |= {
        "auto_connect": True,
        "confirm_message_delete": False,
        "reduced_motion": True,
        "sysprompt": {"enabled": True, "name": "Test", "content": PROMPT_MARK},
    }
    settings["extension_settings"] |= {
        "disabledExtensions": _UNUSED_EXTENSIONS + ([] if setup.with_extension else [EXTENSION_NAME]),
        "notifyUpdates": False,
        SETTINGS_KEY: dict(setup.extension_settings),
    }
    settings |= {"max_context": setup.context_tokens, "amount_gen": setup.reply_tokens}
    settings["textgenerationwebui_settings"]["streaming"] = setup.is_streaming
    settings["oai_settings"] |= {
        "stream_openai": setup.is_streaming,
        "openai_max_context": setup.context_tokens,
        "openai_max_tokens": setup.reply_tokens,
    }
    main_prompt = next(prompt for prompt in settings["oai_settings"]["prompts"] if prompt["identifier"] == "main")
    main_prompt["content"] = PROMPT_MARK


def _connect(endpoint_url: str, settings: dict[str, Any]) -> None:
    settings["oai_settings"] |= {
        "chat_completion_source": "custom",
        "custom_url": f"{endpoint_url}/v1",
        "custom_model": "scripted-model",
    }
    settings["textgenerationwebui_settings"] |= {
        "type": "generic",
        "server_urls": {"generic": endpoint_url},
        "generic_model": "scripted-model",
    }
