"""Upkeep: changes that start from the graph instead of from messages."""
