"""ST-BME Bridge: long-term memory for SillyTavern role-play chats."""

__version__ = "0.1.0"
