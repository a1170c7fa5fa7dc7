"""The wire: commands, results and events as pydantic models."""
